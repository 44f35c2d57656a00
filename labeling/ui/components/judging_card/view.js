// Everything that the card paints. Reads the card's state, changes none of it.

const find = (root, name) => root.querySelector(`[data-${name}]`);

export class View {
  constructor(root, data) {
    this.root = root;
    this.card = find(root, "card");
    this.labels = data.labels;
    this.levels = data.rubric.levels;
    this.text = new DocumentText(find(root, "text"));
    this.terms = { query: null, found: null };
    this.flashClock = null;
    this.layOut(data);
  }

  $(name) {
    return find(this.root, name);
  }

  say(name, values = {}) {
    return fill(this.labels[name] ?? name, values);
  }

  layOut(data) {
    this.card.lang = data.language;
    this.card.setAttribute("aria-label", this.say("card"));
    this.$("pane").setAttribute("aria-label", this.say("document"));
    this.$("comment").placeholder = this.say("comment_hint");
    for (const node of this.root.querySelectorAll("[data-label]")) setText(node, this.say(node.dataset.label));
    this.root.querySelector('[data-do="keep"]').hidden = !data.older;
    for (const panel of this.root.querySelectorAll("[data-panel]")) {
      panel.setAttribute("aria-label", panel.querySelector("h3").textContent);
    }
    setText(this.$("sign-in"), this.say("sign_in"));
    this.$("sign-in").href = data.sign_in;
    this.rule = data.rubric.text ?? "";
    this.$("rule").replaceChildren(...markdownBlocks(this.rule));
    this.layOutGrades();
    this.layOutReasons(data.reasons);
    const rows = data.keys.map(([keys, meaning]) => [
      build("dt", {}, ...keys.map((key) => build("kbd", { textContent: key }))),
      build("dd", { textContent: meaning }),
    ]);
    this.$("help").replaceChildren(...rows.flat());
  }

  layOutGrades() {
    this.card.style.setProperty("--levels", this.levels.length);
    const rows = this.levels.map(({ grade, label, definition, examples }) => {
      const button = build(
        "button",
        { type: "button", "data-grade": grade, "aria-keyshortcuts": String(grade) },
        build("kbd", { textContent: String(grade), "aria-hidden": "true" }),
        build("span", { className: "name", textContent: label }),
        build("span", { className: "definition" }, ...inlineMarkdown(definition)),
      );
      const said = [grade, label, button.querySelector(".definition").textContent];
      button.setAttribute("aria-label", said.filter((part) => part !== "" && part != null).join(", "));
      const shown = build("div", { className: "examples written", hidden: true, dir: "auto" }, ...markdownBlocks(examples));
      return build("li", {}, button, shown);
    });
    this.$("grades").replaceChildren(...rows);
    this.$("grades").setAttribute("aria-label", this.say("grades"));
    const lines = this.levels.map(({ grade, label, definition, examples }) => {
      const shown = build("div", { className: "examples written", hidden: true, dir: "auto" }, ...markdownBlocks(examples));
      return build("div", {}, build("b", { textContent: `${grade} ${label}` }), " ", ...inlineMarkdown(definition), shown);
    });
    const rule = build("div", { className: "rule written", hidden: true, dir: "auto" }, ...markdownBlocks(this.rule));
    this.$("rubric").replaceChildren(rule, ...lines);
  }

  layOutReasons(reasons) {
    const rows = reasons.map(([code, words], index) => {
      const key = build("kbd", { textContent: String(index + 1), "aria-hidden": "true" });
      return build("li", {}, build("button", { type: "button", "data-reason": code }, key, build("span", { textContent: words })));
    });
    this.$("reasons").replaceChildren(...rows);
  }

  /** The pair on screen; what stays the same is not touched, so that nothing flickers. */
  pair(pair, draft) {
    this.card.dataset.pair = pair.pair;
    this.card.dataset.docId = pair.doc_id;
    this.card.dataset.queryId = pair.query_id;
    setText(this.$("query"), pair.query);
    setText(this.$("narrative"), pair.narrative ?? "");
    if (this.terms.query !== pair.query) this.terms = { query: pair.query, found: queryTerms(pair.query) };
    setText(this.$("title"), pair.title ?? "");
    this.link(pair.url);
    this.text.show(pair.text, this.terms.found);
    this.$("empty").hidden = pair.text.trim() !== "";
    const more = this.root.querySelector('[data-do="whole"]');
    more.hidden = pair.length <= 100_000 || pair.length <= countCharacters(pair.text);
    more.disabled = false;
    if (!more.hidden) setText(more, this.say("show_all", { count: pair.length.toLocaleString(this.card.lang) }));
    this.$("pane").scrollTop = 0;
    this.$("comment").value = draft;
    this.before(pair.mine ?? pair.before ?? null, Boolean(pair.mine));
    const twin = Number.isInteger(pair.twins?.grade) ? this.describe({ kind: "grade", grade: pair.twins.grade }) : "";
    this.$("twin").hidden = !twin;
    setText(this.$("twin"), twin && this.say("twin", { what: twin }));
  }

  link(address) {
    const url = address ? safeAddress(address) : null;
    const link = this.$("link");
    link.hidden = !url;
    if (!url) return link.removeAttribute("href");
    link.href = url.href;
    setText(link, url.host);
    link.setAttribute("aria-label", this.say("open_source", { host: url.host }));
    link.title = url.href;
    return undefined;
  }

  /** What this rater chose before, where one judges again. */
  before(judgment, standing) {
    for (const button of this.root.querySelectorAll("[data-grade]")) {
      const chosen = judgment?.kind === "grade" && Number(button.dataset.grade) === judgment.grade;
      button.toggleAttribute("data-before", chosen);
    }
    const note = this.$("again");
    note.hidden = !judgment;
    const words = Number.isInteger(judgment?.version) ? "again_older" : standing ? "again" : "taken_back";
    if (judgment) setText(note, this.say(words, { what: this.describe(judgment), version: judgment.version }));
  }

  describe({ kind, grade, reason, answers }) {
    const also = Object.values(answers ?? {}).map((label) => this.labelWords(label)).join(", ");
    if (kind === "grade") return `${grade} ${this.levels.find((level) => level.grade === grade)?.label ?? ""}`.trim() + (also && ` (${also})`);
    if (kind === "skip") return this.say("skipped");
    const words = this.root.querySelector(`[data-reason="${CSS.escape(reason ?? "")}"] span`)?.textContent;
    return words ? this.say("cannot_because", { reason: words }) : this.say("cannot");
  }

  /** An answer to a second question as it is read; the common ones are in the reader's language. */
  labelWords(label) {
    return { yes: this.say("yes"), no: this.say("no"), "-": this.say("not_applicable") }[label] ?? label;
  }

  state(name) {
    this.card.dataset.state = name;
    const working = name === "judging" || name === "feedback";
    this.$("work").hidden = !working;
    this.$("rest").hidden = working;
    this.$("feedback").hidden = name !== "feedback";
    this.$("result").hidden = true;
    if (name !== "judging") for (const key of ["pair", "docId", "queryId"]) delete this.card.dataset[key];
  }

  rest(title, text, { more = "", goOn = false, undo = false } = {}) {
    setText(this.$("rest-title"), title);
    setText(this.$("rest-text"), text);
    setText(this.$("rest-more"), more);
    const buttons = this.$("rest");
    buttons.querySelector('[data-do="go_on"]').hidden = !goOn;
    buttons.querySelector('[data-do="undo"]').hidden = !undo;
  }

  progress({ batchDone, batchSize, left, secondsPerPair, set, words = set === null ? "batch" : "practice_batch" }) {
    const size = batchSize || batchDone + left;
    setText(this.$("batch"), size ? this.say(words, { done: batchDone, size, set }) : "");
    const minutes = Math.ceil(((size - batchDone) * (secondsPerPair ?? 0)) / 60);
    const time = minutes > 1 ? this.say("minutes_left", { minutes }) : this.say("minute_left");
    setText(this.$("left"), secondsPerPair && size > batchDone ? time : "");
    this.$("fill").style.width = `${size ? Math.min(100, (100 * batchDone) / size) : 0}%`;
  }

  status(kind, pending) {
    const node = this.$("status");
    node.dataset.kind = kind;
    node.dataset.pending = pending;
    setText(this.$("status-text"), kind === "quiet" ? "" : this.say(`status_${kind}${kind === "offline" && !pending ? "_none" : ""}`, { count: pending }));
    this.$("sign-in").hidden = kind !== "signed_out";
    this.root.querySelector('[data-do="reload"]').hidden = kind !== "reload";
  }

  history(entries) {
    const rows = entries.slice(0, 5).map((entry) => {
      const what = this.describe(entry);
      const chip = build("span", { className: "chip", textContent: { grade: String(entry.grade), skip: "S" }[entry.kind] ?? "U" });
      const title = build("span", { className: "what", dir: "auto", textContent: entry.title || entry.query || "" });
      title.title = `${what}\n${entry.query ?? ""}`;
      const back = build("button", { type: "button", "data-back": entry.act_id, textContent: "↶" });
      back.setAttribute("aria-label", this.say("take_back", { what, title: entry.title || entry.query || "" }));
      back.title = this.say("undo");
      return build("li", { "data-act": entry.act_id, "data-sent": entry.sent ? "yes" : "no" }, chip, title, back);
    });
    this.$("history").replaceChildren(...rows);
  }

  panel(name) {
    for (const panel of this.root.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== name;
    this.$("other").hidden = true;
    if (name) this.root.querySelector(`[data-panel="${name}"] button`).focus();
  }

  /** A word that fades by itself: a key that was left out, a switch that was turned. */
  flash(text) {
    const node = this.$("flash");
    setText(node, text);
    node.dataset.on = "";
    clearTimeout(this.flashClock);
    this.flashClock = setTimeout(() => delete node.dataset.on, 1_400);
  }

  announce(text) {
    setText(this.$("live"), text);
  }

  /** Something a person has to know; stays until it is put away. */
  notice(text, about) {
    const close = build("button", { type: "button", "data-do": "put_away", textContent: "×" });
    close.setAttribute("aria-label", this.say("close"));
    const words = build("span", {}, build("b", { textContent: text }), about ? ` ${about}` : "");
    this.$("notices").append(build("li", {}, words, close));
    setText(this.$("alert"), `${text} ${about ?? ""}`);
  }
}
