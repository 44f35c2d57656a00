// Which act a key stands for, given what is open on the card. Runs nothing itself.

export function commandOf(card, event) {
  const run = (action, repeats = false) => ({ run: action, repeats });
  const digit = digitOf(event);
  const letter = letterOf(event);
  if (event.key === "Escape") return card.panel ? run(() => card.closePanel()) : card.second.open ? run(() => card.second.close()) : card.view.card.hasAttribute("data-sheet-open") ? run(() => card.folds.toggleSheet()) : null;
  if (isQuestionMark(event)) return run(() => (card.panel === "help" ? card.closePanel() : card.openPanel("help")));
  if (card.panel === "help") return digit !== null || letter ? run(() => card.closePanel()) : null;
  if (card.panel === "reasons") return reasonOf(card, digit, event) ?? (letter ? run(() => {}) : null);
  if (card.panel === "ask") return askOf(card, digit, event);
  if (card.practice.open) return practiceOf(card, digit, letter, event);
  if (card.second.open) return secondOf(card, digit, letter, event);
  if (event.key === "Enter" && card.older.on && card.shown) return isControl(event) ? null : run(() => card.older.confirm(event));
  if (event.key === "Enter") return card.paused || card.older.on && !isControl(event) ? run(() => card.goOn()) : null;
  if (digit !== null) return gradeOf(card, digit, event);
  const scroll = scrollOf(card, event);
  if (scroll) return run(scroll, true);
  if (event.shiftKey) return "rc".includes(letter ?? "-") ? run(() => {}) : null;
  const letters = {
    u: () => card.openPanel("reasons"),
    s: () => (card.older.on ? card.older.later() : card.judge({ kind: "skip" }, event)),
    z: () => card.undo(event),
    e: () => card.folds.startComment(),
    g: () => card.folds.toggle("examples"),
    h: () => card.folds.toggle("highlight"),
    q: () => card.asking.open(),
    a: () => card.answers.toggle(),
    r: () => {}, // Streamlit would run the page anew
    c: () => card.older.on && card.older.confirm(event), // else nothing: Streamlit would empty its caches
  };
  return letters[letter] ? run(letters[letter]) : null;
}

function isControl(event) {
  return Boolean(event.composedPath()[0].closest?.("button, a[href], summary, select"));
}

/** While the form is open and nobody types, numbers choose what it is about; any other character begins the text. */
function askOf(card, digit, event) {
  const about = ABOUT[(digit ?? 0) - 1];
  if (digit !== null) return { run: () => about && card.asking.choose(about), repeats: false };
  const begins = event.key.length === 1 ? event.key !== " " : letterOf(event);
  return begins ? { run: () => card.asking.write(), repeats: false, typed: true } : null;
}

function secondOf(card, digit, letter, event) {
  if (event.key === "Enter" || event.key === "Tab" || (event.key === " " && isControl(event))) return null;
  const command = card.second.command(digit, letter, event);
  if (command) return { run: command, repeats: false };
  const scroll = scrollOf(card, event);
  return scroll ? { run: scroll, repeats: true } : null;
}

function gradeOf(card, digit, event) {
  const grade = card.data.rubric.levels.some((level) => level.grade === digit);
  if (!grade) return null;
  return { run: () => (card.shown ? card.judge({ kind: "grade", grade: digit }, event) : undefined), repeats: false };
}

function reasonOf(card, digit, event) {
  const reason = card.data.reasons[(digit ?? 0) - 1];
  if (digit === null) return null;
  return { run: () => reason && card.reason(reason[0], event), repeats: false };
}

/** While a reference or a result is shown one key goes on, and no other one means a grade. */
function practiceOf(card, digit, letter, event) {
  const goes = event.key === "Enter" || event.key === " ";
  if (goes) return event.composedPath()[0].closest?.("button, a[href]") ? null : { run: () => card.goOn(), repeats: false };
  if (digit !== null) return { run: () => card.view.flash(card.view.say("practice_key")), repeats: false };
  const scroll = card.practice.feedback ? scrollOf(card, event) : null;
  if (scroll) return { run: scroll, repeats: true };
  return letter ? { run: () => letter === "z" && card.undo(event), repeats: false } : null;
}

/** Keys that scroll the document, wherever the focus is, unless a control needs them. */
function scrollOf(card, event) {
  const target = event.composedPath()[0];
  if (!card.shown && !card.practice.feedback || target?.closest?.('a[href], button, [role="button"], summary, canvas') && event.key === " ") return null;
  if (target?.closest?.('[role="listbox"], [role="menu"], [role="tablist"], [role="radiogroup"], [role="grid"], canvas')) return null;
  const pane = card.view.$("pane");
  const page = pane.clientHeight * 0.9;
  const steps = { ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page, " ": event.shiftKey ? -page : page };
  if (event.key in steps) return () => pane.scrollBy({ top: steps[event.key] });
  if (event.key === "Home") return () => pane.scrollTo({ top: 0 });
  if (event.key === "End") return () => pane.scrollTo({ top: pane.scrollHeight });
  return null;
}
