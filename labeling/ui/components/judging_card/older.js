// Walking through one's own judgments under an older version of the rubric: each is confirmed or changed.

const ENOUGH = 6;
const TRY_AGAIN_MS = 5_000;

export class OlderRule {
  constructor(card) {
    this.card = card;
    this.on = Boolean(card.data.older);
    this.done = new Set(); // pairs confirmed or changed here
    this.total = null;
    this.loading = false;
    this.exhausted = false;
  }

  /** The next ones onto the desk, as long as there are any. */
  async load() {
    const { desk } = this.card;
    if (!this.on || this.loading || this.exhausted || desk.queue.length >= ENOUGH) return;
    this.loading = true;
    const without = [...new Set([...desk.queue.map((pair) => pair.pair), ...[...this.done].slice(-200)])];
    const answer = await desk.get("older", null, { without: without.join(",") });
    this.loading = false;
    if (desk.stopped) return;
    if (!answer?.pairs) return void setTimeout(() => this.load(), TRY_AGAIN_MS);
    this.total ??= answer.waiting;
    const known = new Set([...desk.queue.map((pair) => pair.pair), ...this.done]);
    desk.queue.push(...answer.pairs.filter((pair) => !known.has(pair.pair)));
    this.exhausted = !answer.pairs.length;
    this.card.refresh();
  }

  get ended() {
    return this.exhausted && !this.card.desk.queue.length;
  }

  /** The same judgment under the version in force. */
  confirm(event) {
    const mine = this.card.shown?.mine;
    if (!mine) return;
    const { kind, grade, reason, answers } = mine;
    this.card.judge({ kind, grade, reason, answers: this.card.second.complete(answers) ?? undefined }, event);
  }

  judged(pair) {
    this.done.add(pair.pair);
    this.card.root.activeElement?.blur(); // Enter keeps the next one, whatever was clicked for this one
    this.load();
  }

  /** An act that was not kept: its pair comes again, as it is now. */
  refused(pair) {
    this.done.delete(pair);
    this.exhausted = false;
    this.load();
  }

  /** Put off within this walk; the judgment stays as it is. */
  later() {
    const { desk } = this.card;
    if (desk.queue.length > 1) desk.queue.push(desk.queue.shift());
    else this.card.view.flash(this.card.view.say("older_last"));
    this.card.refresh();
  }

  /** The one before, to choose again; what was chosen stays until then. */
  back(id) {
    const { desk, view } = this.card;
    const entry = id ? desk.history.find((other) => other.act_id === id) : desk.history[0];
    if (!entry) return view.flash(view.say("nothing_to_undo"));
    const { kind, grade, reason, answers, comment } = entry;
    desk.history = desk.history.filter((other) => other !== entry);
    desk.queue = desk.queue.filter((pair) => pair.pair !== entry.pair);
    desk.queue.unshift({ ...entry.held, mine: { kind, grade, reason, answers, comment, version: null } });
    this.done.delete(entry.pair);
    return this.card.refresh();
  }

  get progress() {
    const total = this.total ?? 0;
    return { batchDone: Math.min(this.done.size, total), batchSize: total, left: Math.max(0, total - this.done.size), secondsPerPair: null, set: null, words: "older_done" };
  }
}
