// Practice: a word before it begins, the reference after each grade, the result at the end of a set. Sends nothing itself.

export class Practice {
  constructor(view, desk) {
    this.view = view;
    this.desk = desk;
    this.feedback = null; // the act, and the answer to it once it is there
    this.result = null;
    this.begun = false;
  }

  /** Whether the card shows something of practice in place of the next pair. */
  get open() {
    return Boolean(this.feedback || this.result || this.beginning || this.over);
  }

  get beginning() {
    const { calibration } = this.desk;
    return !this.begun && calibration?.kind === "practice" && calibration.done === 0 && !calibration.last;
  }

  get over() {
    return this.desk.end?.kind === "calibration" && !this.desk.queue.length;
  }

  get canGoOn() {
    return this.feedback ? Boolean(this.feedback.answer) : !this.result || this.desk.calibration?.kind !== "out";
  }

  wait(fields) {
    this.begun = true;
    this.feedback = { act: fields, answer: null };
  }

  /** The act that is waited for, once it has its id. */
  name(act) {
    if (this.feedback && !this.feedback.answer) this.feedback.act = act;
  }

  /** The server's word on a practice act; false where nobody waits for it: it was made before this page. */
  receive({ act_id: id, reference, result }) {
    if (this.feedback?.act.act_id !== id) return false;
    this.feedback.answer = { reference, result };
    return true;
  }

  drop(id) {
    if (this.feedback?.act.act_id === id) this.feedback = null;
  }

  next() {
    if (this.feedback) {
      this.result = this.feedback.answer.result;
      this.feedback = null;
    } else {
      this.result = null;
      this.begun = true;
    }
  }

  show() {
    if (this.feedback) return this.showFeedback();
    const last = this.result ?? (this.over ? this.desk.calibration?.last : null);
    return last ? this.showResult(last) : this.over ? this.showOver() : this.showBeginning();
  }

  showBeginning() {
    const { view, desk } = this;
    view.state("practice");
    view.rest(view.say("practice_title"), view.say("practice_text", { of: desk.calibration.of }), { more: view.say("practice_no_vote"), goOn: true });
  }

  showOver() {
    this.view.state("calibration");
    this.view.rest(this.view.say("end_calibration"), this.view.say("end_calibration_text"));
  }

  showFeedback() {
    const { view } = this;
    const { act, answer } = this.feedback;
    view.state("feedback");
    const given = view.describe(act);
    setText(view.$("given"), given);
    const fresh = answer && view.$("answer").hidden;
    view.$("answer").hidden = !answer;
    view.$("comparing").hidden = Boolean(answer);
    if (!answer) return;
    const { grade, reason } = answer.reference;
    const known = view.describe({ kind: "grade", grade });
    const same = act.kind === "grade" && act.grade === grade;
    setText(view.$("known"), known);
    setText(view.$("difference"), this.difference(act, grade));
    setText(view.$("because"), reason);
    view.$("feedback").dataset.same = same ? "yes" : "no";
    if (fresh) view.$("feedback").scrollTop = 0;
    view.announce(`${view.say("practice_yours")}: ${given}. ${view.say("practice_reference")}: ${known}. ${reason}`);
  }

  difference(act, grade) {
    const { view } = this;
    if (act.kind !== "grade") return view.say("practice_not_graded");
    const steps = Math.abs(act.grade - grade);
    if (!steps) return view.say("practice_same");
    const way = act.grade > grade ? "higher" : "lower";
    return view.say(steps === 1 ? `practice_one_${way}` : `practice_more_${way}`, { count: steps });
  }

  showResult(result) {
    const { view } = this;
    const { kind = "in" } = this.desk.calibration ?? {};
    const out = kind === "out";
    view.state("result");
    const next = result.passed ? "practice_next_in" : { out: "end_calibration_text", in: "practice_let_in" }[kind] ?? "practice_next_set";
    view.rest(view.say(result.passed ? "practice_passed" : "practice_failed"), this.measured(result), { more: view.say(next), goOn: !out });
    const rows = result.boundaries.map(({ at, agreed, higher, lower }) =>
      build("tr", {},
        build("th", { scope: "row", textContent: `${at} | ${at + 1}` }),
        build("td", { textContent: view.say("share_of", { count: agreed, of: result.graded }) }),
        build("td", { textContent: higher || "–" }),
        build("td", { textContent: lower || "–" })));
    view.$("boundaries").replaceChildren(...rows);
    setText(view.$("result-caption"), view.say("practice_equal", { equal: result.equal, graded: result.graded, of: result.of }));
    view.$("result").hidden = !result.graded;
    view.announce(`${view.$("rest-title").textContent}. ${view.$("rest-text").textContent}`);
  }

  measured({ kappa, undefined: reason, equal, graded, pass_mark: mark, of, passed }) {
    const { view } = this;
    const round = (value) => value.toFixed(2);
    if (reason === "nothing_graded") return view.say("practice_nothing");
    const words = reason
      ? view.say("practice_undefined", { share: round(equal / graded), mark: round(mark) })
      : view.say("practice_kappa", { kappa: round(kappa), mark: round(mark) });
    return !passed && 2 * graded < of ? `${words} ${view.say("practice_too_few", { graded, of })}` : words;
  }
}
