// On every page: sends what tabs that are gone, or a card that was left, have kept. Shows itself only for a refusal.

const AGAIN_MS = 15_000;

class Runner {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.clock = null;
    this.onOnline = () => this.run();
    window.addEventListener("online", this.onOnline);
    this.run();
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.clock);
    window.removeEventListener("online", this.onOnline);
  }

  async run() {
    clearTimeout(this.clock);
    if (this.stopped || this.running) return;
    this.running = true;
    try {
      await sharedTab().ready;
      for (const { project, tab } of keptActs(this.data.account)) await this.look(project, tab);
    } catch {
      // Storage may be closed to us; nothing can be kept there then.
    }
    this.running = false;
    if (!this.stopped) this.clock = setTimeout(() => this.run(), AGAIN_MS);
  }

  look(project, tab) {
    const { id, cards } = sharedTab();
    if (tab === id) return cards.size ? undefined : this.send(project, tab); // a living card sends its own
    return ifTabIsGone(tab, () => this.send(project, tab));
  }

  async send(project, tab) {
    const outbox = new Outbox(this.data.account, project, tab);
    let size = 50;
    while (outbox.size && !this.stopped) {
      const acts = outbox.acts.slice(0, size);
      const clean = acts.map(({ weight, ...act }) => act); // eslint-disable-line no-unused-vars
      const body = { project: numberOrText(project), tab, hello: false, acts: clean, have: [], want: 0 };
      const { status, answer } = await post(this.data.api, this.data.csrf, body);
      if (status === 400 && size > 1) {
        size = 1;
      } else if (status === 413 && size > 1) {
        size = Math.ceil(acts.length / 2);
      } else if (status === 400 || status === 413) {
        outbox.remove(acts[0].act_id);
        this.tell(answer?.message);
      } else if (status === 200 && answer?.acts?.length) {
        for (const result of answer.acts) {
          outbox.remove(result.act_id);
          if (result.status === "refused") this.tell(result.message);
        }
      } else return;
    }
  }

  tell(message) {
    const note = build("p", { role: "alert", className: "note" });
    setText(note, `${this.data.labels.refused} ${message ?? ""}`);
    this.root.querySelector("[data-notes]").append(note);
  }
}

function numberOrText(text) {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

const RUNNERS = new WeakMap();

export default function outbox({ data, parentElement }) {
  const runner = RUNNERS.get(parentElement);
  if (!runner || runner.data.account !== data.account || runner.data.csrf !== data.csrf) {
    runner?.stop();
    RUNNERS.set(parentElement, new Runner(parentElement, data));
  }
  return () => {
    RUNNERS.get(parentElement)?.stop();
    RUNNERS.delete(parentElement);
  };
}
