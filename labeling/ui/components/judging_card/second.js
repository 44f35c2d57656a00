// Second questions: what a project asks of a pair once its grade is chosen. The grade is sent with the last answer.

const NOT_APPLICABLE = "-";

export class SecondQuestions {
  constructor(card) {
    this.card = card;
    this.view = card.view;
    this.chosen = null; // the grade that waits for its answers
    this.answers = {};
    this.painted = null;
  }

  get open() {
    return this.chosen !== null;
  }

  get questions() {
    return this.card.desk.second;
  }

  get next() {
    return this.questions.find(({ name }) => !(name in this.answers));
  }

  wants(fields, pair) {
    return fields.kind === "grade" && !fields.answers && !pair.practice && this.questions.length > 0;
  }

  /** The answers given before, where they are to everything that is asked now. */
  complete(answers) {
    return answers && this.questions.every(({ name }) => name in answers) ? answers : null;
  }

  start(fields) {
    this.chosen = fields;
    this.answers = {};
    this.painted = null;
    this.view.panel(null);
    this.draw();
    afterPaint(() => (this.painted = performance.now()));
  }

  close() {
    if (!this.open) return;
    this.chosen = null;
    this.view.card.removeAttribute("data-answering");
    this.view.$("seconds").hidden = true;
    this.card.root.activeElement?.blur();
  }

  /** One step back: the last answer, else the grade itself. */
  back() {
    const given = this.questions.filter(({ name }) => name in this.answers);
    if (!given.length) return this.close();
    delete this.answers[given.at(-1).name];
    return this.draw();
  }

  answer(name, label, event) {
    if (this.painted === null || event.timeStamp - this.painted < MIN_SEEN_MS) return this.view.flash(this.view.say("too_quick"));
    this.answers[name] = label;
    if (this.next) return this.draw();
    const fields = { ...this.chosen, answers: { ...this.answers } };
    this.close();
    return this.card.judge(fields, event);
  }

  /** What a key means while questions are open: a label of the next one, not applicable, or back. */
  command(digit, letter, event) {
    const { labels, name } = this.next;
    const yes = isYesNo(labels) ? { y: "yes", n: "no" }[letter] : null;
    const label = yes ?? (event.key === "-" || event.code === "NumpadSubtract" ? NOT_APPLICABLE : labels[(digit ?? 0) - 1]);
    if (label) return () => this.answer(name, label, event);
    if (letter === "z" || event.key === "Backspace") return () => this.back();
    return digit !== null || letter ? () => this.view.flash(this.view.say("second_first")) : null;
  }

  draw() {
    const { view } = this;
    const before = this.card.shown?.mine?.answers ?? this.card.shown?.before?.answers ?? {};
    view.card.setAttribute("data-answering", "");
    view.$("seconds").hidden = false;
    setText(view.$("second-grade"), view.describe({ ...this.chosen, answers: null }));
    const rows = this.questions.map((question) => this.line(question, question === this.next, before[question.name]));
    view.$("second-lines").replaceChildren(...rows);
    view.announce(this.next.text);
  }

  line({ name, text, labels }, now, before) {
    const { view } = this;
    const keys = isYesNo(labels) ? ["Y", "N"] : labels.map((_, index) => String(index + 1));
    const buttons = [...labels, NOT_APPLICABLE].map((label, index) => {
      const key = build("kbd", { textContent: keys[index] ?? NOT_APPLICABLE, "aria-hidden": "true" });
      const words = build("span", { textContent: view.labelWords(label) });
      const button = build("button", { type: "button", "data-second": name, "data-answer-label": label, "aria-pressed": String(this.answers[name] === label) }, key, words);
      button.toggleAttribute("data-before", before === label);
      return button;
    });
    const row = build("li", { role: "group", "aria-label": text }, build("span", { className: "asked", dir: "auto", textContent: text }), build("span", { className: "labels" }, ...buttons));
    row.toggleAttribute("data-now", now);
    return row;
  }
}

function isYesNo(labels) {
  return labels.length === 2 && labels[0] === "yes" && labels[1] === "no";
}
