// From a keyboard event to a command's name, the same on every layout and under a Korean input method.

const TYPING = "input:not([type=button]):not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable]:not([contenteditable=false])";

export function isTyping(event) {
  const target = event.composedPath()[0];
  return Boolean(target?.matches?.(TYPING));
}

/** The digit of a key by its place (Hangul mode, AZERTY, keypad) or, with Shift on AZERTY, by its character. */
export function digitOf(event) {
  const key = /^[0-9]$/.test(event.key) ? Number(event.key) : null;
  const row = /^Digit([0-9])$/.exec(event.code);
  if (row) return event.shiftKey && key === null ? null : (key ?? Number(row[1]));
  const pad = /^Numpad([0-9])$/.exec(event.code);
  if (pad) return key ?? (/^(?:Process|Unidentified)$/.test(event.key) ? Number(pad[1]) : null); // NumLock off: an arrow
  if (key !== null) return key;
  const wide = /^[\uff10-\uff19]$/.exec(event.key);
  return wide ? wide[0].charCodeAt(0) - 0xff10 : null;
}

/** The Latin letter on the key: what it types, or where it lies when another script is on. */
export function letterOf(event) {
  if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
  if (/^[\x20-\x7e]$/.test(event.key)) return null;
  const place = /^Key([A-Z])$/.exec(event.code);
  return place && event.key !== "Dead" ? place[1].toLowerCase() : null;
}

export function isQuestionMark(event) {
  return event.key === "?" || event.key === "？" || (event.code === "Slash" && event.shiftKey);
}

/** A dialog of the page around the card; keys belong to it. */
export function dialogIsOpen() {
  return Array.from(document.querySelectorAll('[role="dialog"], [role="alertdialog"], [aria-modal="true"]')).some(
    (node) => node.getClientRects().length > 0,
  );
}
