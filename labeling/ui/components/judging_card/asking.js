// The form by which a rater asks the lead, or proposes a narrative, without leaving the pair. Sends through the desk.

const ABOUT = ["query", "rubric", "narrative"];

export class Asking {
  constructor(card) {
    this.card = card;
    this.view = card.view;
    this.drafts = new Map(); // what was written and not sent, by pair
    this.about = "query";
    this.pair = null;
    this.layOut();
  }

  layOut() {
    const { view } = this;
    const buttons = ABOUT.map((name, index) => {
      const key = build("kbd", { textContent: String(index + 1), "aria-hidden": "true" });
      return build("button", { type: "button", role: "radio", "data-about": name }, key, build("span", { textContent: view.say(`ask_${name}`) }));
    });
    view.$("abouts").replaceChildren(...buttons);
    view.$("abouts").setAttribute("aria-label", view.say("ask_about"));
    const whole = build("option", { value: "", textContent: view.say("ask_whole_rubric") });
    const levels = view.levels.map(({ grade, label }) => build("option", { value: `${grade} ${label}`, textContent: `${grade} ${label}` }));
    view.$("clause").replaceChildren(whole, ...levels);
    view.$("ask-text").addEventListener("input", (event) => this.pair && this.drafts.set(this.pair.pair, event.target.value));
  }

  open() {
    const { card, view } = this;
    if (!card.shown || card.second.open) return;
    this.pair = card.shown;
    card.openPanel("ask");
    const draft = this.drafts.get(this.pair.pair) ?? "";
    view.$("ask-text").value = draft;
    this.mark(this.about);
    if (draft) this.write();
    else view.$("abouts").querySelector('[aria-checked="true"]').focus({ preventScroll: true });
  }

  choose(about) {
    this.mark(about);
    this.write();
  }

  write() {
    this.view.$("ask-text").focus({ preventScroll: true });
  }

  mark(about) {
    const { view } = this;
    this.about = about;
    for (const button of view.$("abouts").children) button.setAttribute("aria-checked", String(button.dataset.about === about));
    view.$("clause-line").hidden = about !== "rubric";
    view.$("ask-text").placeholder = view.say(`ask_${about}_hint`);
  }

  send() {
    const { card, view } = this;
    const text = view.$("ask-text").value.trim();
    if (!text || !this.pair) return this.write();
    card.desk.ask(this.pair, { about: this.about, clause: this.about === "rubric" ? view.$("clause").value : "", text });
    this.drafts.delete(this.pair.pair);
    this.about = "query";
    card.closePanel();
    view.flash(view.say("asked"));
    return view.announce(view.say("asked"));
  }
}
