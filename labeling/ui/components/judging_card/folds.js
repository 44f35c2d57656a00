// What is folded, marked or lies in a sheet on a phone, and the rest of a long document. Judges nothing.

export class Folds {
  constructor(card) {
    this.card = card;
    this.root = card.root;
    this.view = card.view;
  }

  highlight(on) {
    this.view.card.toggleAttribute("data-plain", !on);
    this.root.querySelector('[data-do="highlight"]').setAttribute("aria-pressed", String(on));
    writeSetting("highlight", on ? "on" : "off");
  }

  toggle(name) {
    if (name === "highlight") return this.highlight(this.view.card.hasAttribute("data-plain"));
    const button = this.root.querySelector(`[data-do="${name}"]`);
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    this.view.card.toggleAttribute(`data-${name}`, open);
    if (name === "examples") for (const node of this.root.querySelectorAll(".examples, .rule")) node.hidden = !open || !node.textContent;
    if (name === "examples" && open && this.isNarrow()) this.openSheet();
    return undefined;
  }

  isNarrow() {
    return this.root.querySelector('[data-do="sheet"]').getClientRects().length > 0;
  }

  openSheet() {
    if (!this.view.card.hasAttribute("data-sheet-open")) this.toggleSheet();
  }

  toggleSheet() {
    const open = this.view.card.toggleAttribute("data-sheet-open");
    this.root.querySelector('[data-do="sheet"]').setAttribute("aria-expanded", String(open));
  }

  startComment() {
    if (!this.card.shown) return;
    if (this.isNarrow()) this.openSheet();
    this.view.$("comment").focus();
  }

  async whole(button) {
    const pair = this.card.shown;
    button.disabled = true;
    const answer = await this.card.desk.get("text", pair.pair);
    if (this.card.shown !== pair) return;
    button.disabled = false;
    if (typeof answer?.text !== "string") return void this.view.flash(this.view.say("not_loaded"));
    pair.text = answer.text;
    button.hidden = true;
    const at = this.view.$("pane").scrollTop;
    this.view.text.show(pair.text, this.view.terms.found);
    afterPaint(() => (this.view.$("pane").scrollTop = at));
  }
}
