// A document's text into the pane: the first screens at once, the rest while the browser is idle.

const FIRST = 12_000;
const PART = 40_000;
const MOST_MARKS = 5_000;

/** Where to cut so that a reader does not see it: at a line's end, else at a space, never inside a character. */
function cutAt(text, start, size) {
  const end = Math.min(text.length, start + size);
  if (end === text.length) return [end, end];
  const line = text.lastIndexOf("\n", end);
  if (line > start) return [line, line + 1];
  const space = text.lastIndexOf(" ", end);
  if (space > start) return [space + 1, space + 1];
  const half = text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) < 0xdc00 ? end - 1 : end;
  return [half, half];
}

function marked(text, terms, budget) {
  const part = document.createElement("div");
  part.className = "part";
  let at = 0;
  for (const [start, end] of findTerms(text, terms)) {
    if (budget.left <= 0) break;
    budget.left -= 1;
    if (start > at) part.append(text.slice(at, start));
    part.append(build("mark", { textContent: text.slice(start, end) }));
    at = end;
  }
  part.append(text.slice(at));
  return part;
}

const soon = window.requestIdleCallback ? (work) => requestIdleCallback(work, { timeout: 200 }) : (work) => setTimeout(work, 16);

export class DocumentText {
  constructor(node) {
    this.node = node;
    this.turn = 0;
  }

  show(text, terms) {
    this.turn += 1;
    const turn = this.turn;
    const budget = { left: MOST_MARKS };
    const korean = (text.slice(0, 2_000).match(/[\uac00-\ud7a3]/g)?.length ?? 0) > 20;
    this.node.classList.toggle("korean", korean);
    const [end, next] = cutAt(text, 0, FIRST);
    this.node.replaceChildren(marked(text.slice(0, end), terms, budget));
    const rest = (start) => {
      if (turn !== this.turn || start >= text.length) return;
      const [stop, after] = cutAt(text, start, PART);
      this.node.append(marked(text.slice(start, stop), terms, budget));
      soon(() => rest(after));
    };
    if (next < text.length) soon(() => rest(next));
  }
}

/** Characters as the server counts them: code points, not halves of them. */
export function countCharacters(text) {
  let pairs = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code < 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}
