// What was asked and answered about a query or the rubric, folded beside them. Knows nobody's grade.

const SEEN = "assay:seen-answers";
const MOST_SEEN = 2000;

export class Answers {
  constructor(view, data) {
    this.view = view;
    this.key = `${SEEN}:${data.account}:${data.project}`;
    this.seen = new Set(this.readSeen());
    this.painted = { query: null, rubric: null };
    for (const place of ["query", "rubric"]) {
      const fold = view.$(`${place}-answers`);
      fold.addEventListener("toggle", () => fold.open && this.markSeen(place));
    }
  }

  readSeen() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "[]");
    } catch {
      return [];
    }
  }

  show(pair, entries) {
    this.paint("query", pair ? entries.filter((one) => one.query_id === pair.query_id) : [], pair?.query_id);
    this.paint("rubric", entries.filter((one) => one.query_id === null), "");
  }

  paint(place, entries, about) {
    const state = JSON.stringify([about, entries]);
    if (this.painted[place]?.state === state) return;
    const fold = this.view.$(`${place}-answers`);
    if (this.painted[place]?.about !== about) fold.open = false;
    this.painted[place] = { state, about, entries };
    fold.hidden = !entries.length;
    fold.querySelector("dl").replaceChildren(...entries.flatMap((entry) => this.lines(entry)));
    this.summarize(place);
    if (fold.open) this.markSeen(place);
  }

  lines({ kind, clause, text, answer, state, mine }) {
    const { view } = this;
    const words = { open: view.say("waits"), accepted: answer || view.say("accepted"), declined: `${view.say("declined")} ${answer}` };
    const about = [mine ? view.say("yours") : "", clause, kind === "narrative" ? view.say("ask_narrative") : ""].filter(Boolean).join(" · ");
    return [
      build("dt", { dir: "auto" }, about ? build("small", { textContent: about }) : "", text),
      build("dd", { dir: "auto", className: state, textContent: words[state] ?? answer }),
    ];
  }

  summarize(place) {
    const { view } = this;
    const { entries } = this.painted[place];
    const answered = entries.filter((one) => one.state !== "open");
    const fresh = answered.filter((one) => !this.seen.has(one.id)).length;
    const waiting = entries.length - answered.length;
    const parts = [
      answered.length ? view.say(answered.length === 1 ? "one_answer" : "answers", { count: answered.length }) : "",
      waiting ? view.say(waiting === 1 ? "question_waits" : "questions_wait", { count: waiting }) : "",
    ];
    const fold = view.$(`${place}-answers`);
    setText(fold.querySelector("[data-count]"), parts.filter(Boolean).join(" · "));
    setText(fold.querySelector("[data-fresh]"), fresh ? view.say("new") : "");
  }

  markSeen(place) {
    for (const { id, state } of this.painted[place]?.entries ?? []) if (state !== "open") this.seen.add(id);
    try {
      localStorage.setItem(this.key, JSON.stringify([...this.seen].slice(-MOST_SEEN)));
    } catch {
      // They are marked as new once more, then.
    }
    this.summarize(place);
  }

  toggle() {
    const fold = this.view.$("query-answers");
    if (fold.hidden) return this.view.flash(this.view.say("no_answers"));
    fold.open = !fold.open;
    return undefined;
  }
}
