// The judging card: what a rater presses, and what happens then. The desk holds the pairs and the acts, the view paints.

const MIN_SEEN_MS = 50; // a key that went down before a person can have seen the pair was meant for the one before
const SWAPPED_MS = 700; // the same, where the pair was changed under the rater's eyes
const DOUBLE_CLICK_MS = 400;

class Card {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.view = new View(root, data);
    this.desk = new Desk(data, sharedTab().id, (event, detail) => this.changed(event, detail));
    this.practice = new Practice(this.view, this.desk);
    this.folds = new Folds(this);
    this.second = new SecondQuestions(this);
    this.asking = new Asking(this);
    this.answers = new Answers(this.view, data);
    this.older = new OlderRule(this);
    this.timer = new ActiveTimer();
    this.drafts = new Map();
    this.shown = null;
    this.painted = null; // when the pair on screen was painted, performance time
    this.shownAt = null;
    this.guard = MIN_SEEN_MS;
    this.paused = false;
    this.panel = null;
    this.ignored = 0;
    this.listeners = [];
  }

  start() {
    const on = (target, name, handler, options) => {
      target.addEventListener(name, handler, options);
      this.listeners.push(() => target.removeEventListener(name, handler, options));
    };
    on(window, "keydown", (event) => this.onKey(event), true);
    for (const name of ["keyup", "keypress"]) on(window, name, (event) => this.owns(event) && event.stopPropagation(), true);
    on(this.root, "click", (event) => this.onClick(event));
    on(this.view.$("other"), "submit", (event) => (event.preventDefault(), this.sendOther(event)));
    on(this.view.$("ask"), "submit", (event) => (event.preventDefault(), this.asking.send()));
    on(this.view.$("comment"), "input", (event) => this.shown && this.drafts.set(this.shown.pair, event.target.value));
    for (const name of ["pointermove", "wheel", "touchstart", "pointerdown", "keydown"]) {
      on(window, name, () => this.timer.touch(), { capture: true, passive: true });
    }
    on(document, "visibilitychange", () => (document.hidden ? this.timer.hide() : this.timer.show()));
    on(window, "pagehide", () => this.desk.flush());
    on(window, "online", () => this.desk.exchange());
    on(window, "focus", () => this.desk.trouble && this.desk.exchange());
    on(window, "resize", () => this.fit());
    on(window, "beforeunload", (event) => !this.desk.outbox.kept && this.desk.outbox.size && event.preventDefault());
    sharedTab().cards.add(this);
    document.documentElement.lang = this.data.language;
    const page = document.querySelector('[data-testid="stMainBlockContainer"]');
    const settled = new ResizeObserver(() => this.fit()); // the page's own parts may come after the card
    if (page) settled.observe(page);
    this.listeners.push(() => settled.disconnect());
    this.fit();
    this.folds.highlight(readSetting("highlight") !== "off");
    this.refresh();
    if (this.data.pair != null) this.openOwn(this.data.pair);
    this.desk.exchange();
    this.older.load();
  }

  stop() {
    this.listeners.splice(0).forEach((remove) => remove());
    sharedTab().cards.delete(this);
    this.desk.flush();
    this.desk.stop();
  }

  /** The card fills the window below whatever stands above it, so that only the document scrolls. */
  fit() {
    const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
    const top = Math.round(this.view.card.getBoundingClientRect().top + scrolled);
    this.view.card.style.setProperty("--above", `${Math.max(0, Math.min(top, 240))}px`);
  }

  // --- what is on screen ---------------------------------------------------------------------------------------

  refresh() {
    const { desk, view } = this;
    const pair = desk.queue[0];
    if (this.practice.open) this.showPractice();
    else if (this.paused) this.showPause();
    else if (pair) this.showPair(pair);
    else this.showRest();
    if (!this.shown) this.second.close();
    this.answers.show(this.shown, desk.questions);
    this.refreshProgress();
    view.history(desk.history);
    this.refreshStatus();
  }

  showPair(pair) {
    if (this.shown === pair) return;
    this.second.close();
    this.shown = pair;
    this.painted = null;
    this.view.state("judging");
    this.view.pair(pair, this.drafts.get(pair.pair) ?? pair.mine?.comment ?? "");
    this.timer.restart();
    afterPaint(() => {
      if (this.shown !== pair) return;
      this.painted = performance.now();
      this.shownAt = Date.now();
      this.view.card.dataset.painted = pair.pair;
    });
  }

  showPractice() {
    this.shown = null;
    this.practice.show();
    const { activeElement: focused } = this.root;
    const next = this.root.querySelector(this.practice.feedback ? '[data-do="next"]' : '[data-rest] [data-do="go_on"]');
    if (this.practice.canGoOn && !focused && next.getClientRects().length) next.focus({ preventScroll: true });
  }

  showPause() {
    this.shown = null;
    const { desk, view } = this;
    const size = desk.progress.batch_size;
    view.state("paused");
    view.rest(view.say("pause"), view.say("pause_text", { size }), {
      more: desk.left ? view.say("pause_left", { left: desk.left }) : "",
      goOn: true,
      undo: desk.history.length > 0,
    });
  }

  showRest() {
    this.shown = null;
    const { desk, view } = this;
    if (this.older.on) {
      const ended = this.older.ended;
      view.state(ended ? "older" : "loading");
      const words = ended ? "end_older" : "end_loading";
      return view.rest(view.say(words), view.say(`${words}_text`, { count: this.older.done.size }), { goOn: ended, undo: desk.history.length > 0 });
    }
    const waiting = desk.hello || desk.outbox.size || (desk.busy && !desk.end) || !desk.end;
    const kind = waiting ? "loading" : desk.end.kind;
    view.state(kind);
    const { others_hold: count = 0, until, skipped = 0 } = desk.end ?? {};
    const time = until ? new Date(until).toLocaleTimeString(this.data.language, { hour: "2-digit", minute: "2-digit" }) : "";
    const more = kind === "done" && skipped ? view.say("end_skipped", { count: skipped }) : kind === "waiting" ? view.say("end_looking") : "";
    view.rest(view.say(`end_${kind}`), view.say(`end_${kind}_text`, { count, time }), { more, undo: desk.history.length > 0 && !desk.hello });
    return undefined;
  }

  refreshProgress() {
    if (this.older.on) return this.view.progress(this.older.progress);
    const { progress, batchDone, left } = this.desk;
    if (!progress || this.practice.feedback?.answer || this.practice.result) return undefined; // the numbers are those of what comes next
    const size = progress.batch_size;
    const set = this.desk.calibration?.set ?? null;
    const shown = this.paused ? size : size && set === null ? batchDone % size : batchDone; // the server begins the next batch at once
    const batchSize = this.paused ? size : Math.min(size, shown + left) || size;
    return this.view.progress({ batchDone: shown, batchSize, left, secondsPerPair: progress.seconds_per_pair, set });
  }

  refreshStatus() {
    const { trouble, outbox, everSaved, oldRubric } = this.desk;
    const calm = oldRubric ? "reload" : outbox.size ? "saving" : everSaved ? "saved" : "quiet";
    const kind = trouble ?? calm;
    if (trouble && trouble !== this.lastTrouble) this.view.announce(this.view.say(`status_${trouble}`, { count: outbox.size }));
    this.lastTrouble = trouble;
    this.view.status(kind, outbox.size);
  }

  changed(event, detail) {
    if (event === "lost") {
      this.swapped();
      const why = this.desk.calibration ? "practice_first" : "lost";
      if (!detail.practice) this.view.notice(this.view.say(why), this.desk.calibration ? "" : detail.title || detail.query);
    } else if (event === "reference") {
      const { grade, reason } = detail.reference;
      if (!this.practice.receive(detail)) this.view.notice(`${this.view.say("practice_reference")}: ${this.view.describe({ kind: "grade", grade })}.`, reason);
    } else if (event === "refused") {
      if (detail.moved) this.swapped();
      this.practice.drop(detail.act?.act_id);
      const { act, code } = detail;
      if (act?.comment && ["changed_text", "bad_act"].includes(code)) this.drafts.set(act.pair, act.comment);
      if (this.older.on && act?.pair) this.older.refused(act.pair);
      const about = act?.text ? act.text : detail.entry ? `${detail.entry.title || detail.entry.query}: ${this.view.describe(detail.act)}` : "";
      this.view.notice(detail.message || this.view.say(`refused_${detail.code}`), about);
    } else this.refresh();
  }

  swapped() {
    this.guard = SWAPPED_MS;
    this.closePanel();
  }

  async openOwn(id) {
    const pair = await this.desk.get("pair", id);
    if (!pair) return this.view.notice(this.view.say("no_pair"));
    this.desk.queue = [pair, ...this.desk.queue.filter((other) => other.pair !== pair.pair)];
    if (this.shown) this.swapped();
    return this.refresh();
  }

  // --- what a rater does ---------------------------------------------------------------------------------------

  /** Whether the pair was in sight when this key or button went down; says so where it was not. */
  isSeen(event) {
    const seen = this.painted === null ? -1 : event.timeStamp - this.painted;
    const doubled = event.type === "click" && event.detail > 1 && seen < DOUBLE_CLICK_MS;
    if (this.shown && seen >= this.guard && !doubled) return true;
    this.ignored += 1;
    this.view.card.dataset.ignored = this.ignored;
    this.view.flash(this.view.say("too_quick"));
    return false;
  }

  judge(fields, event) {
    if (!this.isSeen(event)) return;
    const pair = this.shown;
    if (this.second.wants(fields, pair)) return void this.second.start(fields);
    const comment = this.drafts.get(pair.pair) ?? pair.mine?.comment ?? null;
    const said = this.view.describe({ ...fields });
    this.drafts.delete(pair.pair);
    this.guard = MIN_SEEN_MS;
    if (pair.pair === Number(this.data.pair)) forgetPair();
    const before = this.desk.batchDone;
    this.closePanel();
    if (pair.practice && fields.kind !== "skip") this.practice.wait(fields); // before anything is sent: the pair stays on screen
    const act = this.desk.judge(pair, { comment: comment?.trim() || null, ...fields, ...this.times(event) });
    this.practice.name(act);
    if (this.older.on) this.older.judged(pair);
    const size = this.desk.progress?.batch_size ?? 0;
    const after = this.desk.batchDone;
    this.paused = !pair.practice && !this.older.on && size > 0 && Math.floor(after / size) > Math.floor(before / size) && (this.desk.queue.length > 0 || !this.desk.end);
    this.refresh();
    const next = this.paused ? this.view.say("pause") : this.shown ? this.shown.title || this.shown.query : "";
    this.view.announce(`${said}. ${next}`);
    if (this.paused) this.root.querySelector('[data-do="go_on"]').focus({ preventScroll: true });
  }

  times(event) {
    const pressed = Date.now() - Math.max(0, Math.round(performance.now() - event.timeStamp));
    return { shown_at: this.shownAt, pressed_at: pressed, seconds: this.shown ? this.timer.seconds() : null };
  }

  async undo(event, id = null) {
    if (this.practice.feedback) return this.view.flash(this.view.say("practice_stands"));
    if (this.older.on) return this.older.back(id);
    const entry = id ? this.desk.history.find((other) => other.act_id === id) : this.desk.history[0];
    if (!entry) return this.view.flash(this.view.say("nothing_to_undo"));
    const times = this.times(event);
    this.closePanel();
    this.paused = false;
    const done = await this.desk.takeBack(entry, times);
    if (!done) this.view.notice(this.view.say("cannot_take_back"), entry.title || entry.query);
    else if (entry.comment) this.drafts.set(entry.pair, entry.comment);
    this.refresh();
    this.view.announce(`${this.view.say("taken_back", { what: this.view.describe(entry) })} ${this.shown?.title ?? ""}`);
    return undefined;
  }

  openPanel(name) {
    if (name === "reasons" && !this.shown) return;
    this.panel = name;
    this.view.panel(name);
  }

  closePanel() {
    if (!this.panel) return;
    this.panel = null;
    this.view.panel(null);
    this.root.activeElement?.blur();
  }

  reason(code, event) {
    if (code !== "other") return this.judge({ kind: "cannot_judge", reason: code }, event);
    this.view.$("other").hidden = false;
    this.view.$("words").value = "";
    this.view.$("words").focus();
    return undefined;
  }

  sendOther(event) {
    const words = this.view.$("words").value.trim();
    if (!words || !this.shown) return;
    const draft = this.drafts.get(this.shown.pair)?.trim();
    this.judge({ kind: "cannot_judge", reason: "other", comment: draft ? `${words}\n\n${draft}` : words }, event);
  }

  goOn() {
    if (this.older.on) return void leaveOlder();
    if (this.practice.open && !this.practice.canGoOn) return;
    if (this.practice.open) this.practice.next();
    this.paused = false;
    this.root.activeElement?.blur();
    this.refresh();
  }

  // --- keys and clicks -----------------------------------------------------------------------------------------

  owns(event) {
    return event.composedPath().includes(this.root) && isTyping(event);
  }

  onKey(event) {
    if (isTyping(event)) return this.owns(event) ? this.onTyping(event) : undefined;
    if (dialogIsOpen() || event.isComposing) return undefined;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const command = plain ? commandOf(this, event) : null;
    if (!command) return undefined;
    if (!command.typed) event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat || command.repeats) command.run();
    return undefined;
  }

  /** In a text field keys are text; only leaving it is ours. Streamlit must not see them: R would run the page anew. */
  onTyping(event) {
    event.stopPropagation();
    const leave = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
    if (event.isComposing || event.keyCode === 229 || !leave) return;
    event.preventDefault();
    event.composedPath()[0].blur();
    if (event.key === "Escape") this.closePanel();
    else if (this.panel === "reasons") this.sendOther(event);
    else if (this.panel === "ask") this.asking.send();
  }

  onClick(event) {
    const button = event.target.closest("button");
    if (!button) return undefined;
    const { grade, reason, back, second, about } = button.dataset;
    if (second !== undefined) return this.second.answer(second, button.dataset.answerLabel, event);
    if (about !== undefined) return this.asking.choose(about);
    if (grade !== undefined) return this.judge({ kind: "grade", grade: Number(grade) }, event);
    if (reason !== undefined) return this.reason(reason, event);
    if (back !== undefined) return this.undo(event, back);
    const actions = {
      undo: () => this.undo(event),
      skip: () => (this.older.on ? this.older.later() : this.judge({ kind: "skip" }, event)),
      keep: () => this.older.confirm(event),
      ask: () => this.asking.open(),
      regrade: () => this.second.close(),
      cannot: () => this.openPanel("reasons"),
      keys: () => this.openPanel("help"),
      close: () => this.closePanel(),
      go_on: () => this.goOn(),
      next: () => this.goOn(),
      examples: () => this.folds.toggle("examples"),
      highlight: () => this.folds.toggle("highlight"),
      sheet: () => this.folds.toggleSheet(),
      whole: () => this.folds.whole(button),
      reload: () => location.reload(),
      put_away: () => button.closest("li").remove(),
    };
    return actions[button.dataset.do]?.();
  }
}

const CARDS = new WeakMap();

export default function judgingCard({ data, parentElement }) {
  let card = CARDS.get(parentElement);
  const still = ["project", "account", "csrf", "language", "older"].every((name) => card?.data[name] === data[name]);
  const same = card && still && (data.pair == null || card.data.pair === data.pair);
  if (card && !same) card.stop();
  if (!same) {
    card = null;
    CARDS.delete(parentElement);
    sharedTab().ready.then(() => {
      if (CARDS.get(parentElement) || !parentElement.isConnected && !parentElement.host?.isConnected) return;
      card = new Card(parentElement, data);
      CARDS.set(parentElement, card);
      card.start();
    });
  }
  return () => {
    CARDS.get(parentElement)?.stop();
    CARDS.delete(parentElement);
  };
}
