// The little markdown that a rubric is written in, as nodes: headings, paragraphs, lists, bold, italic, code, line breaks.
// Only createElement and text: nothing in it can become markup, and an address stays text that a person can read.

const INLINE = new RegExp(
  [
    String.raw`\\([!-\/:-@\[-\x60{-~])`, // 1: a sign that is meant as itself
    "(`+)(.+?)\\2(?!`)", // 2, 3: code
    String.raw`(\*\*|(?<![\p{L}\p{N}_])__)(?=\S)(.+?)(?<=\S)\4(?!\*)`, // 4, 5: bold
    String.raw`(\*|(?<![\p{L}\p{N}_])_)(?=[^\s*_])(.+?)(?<=\S)\6(?![\p{L}\p{N}]*_)`, // 6, 7: italic
    String.raw`!?\[([^\]\n]{0,500})\]\([ \t]{0,9}<?([^)\s>]{1,2000})(?=[)\s>])[^)\n]{0,500}\)`, // 8, 9: a link or an image, shown as its words and its address
  ].join("|"),
  "su",
);

/** Words of one line or paragraph, for a place that takes no blocks. */
export function inlineMarkdown(text) {
  const nodes = [];
  let rest = String(text ?? "");
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    const [whole, sign, , code, bold, strong, , slanted, words, address] = found;
    nodes.push(...withBreaks(rest.slice(0, found.index)));
    if (sign) nodes.push(sign);
    else if (code !== undefined) nodes.push(build("code", { textContent: code.trim() || code }));
    else if (bold) nodes.push(build("strong", {}, ...inlineMarkdown(strong)));
    else if (slanted !== undefined) nodes.push(build("em", {}, ...inlineMarkdown(slanted)));
    else nodes.push(...(words && words !== address ? [...inlineMarkdown(words), ` (${address})`] : [address]));
    rest = rest.slice(found.index + whole.length);
  }
  return [...nodes, ...withBreaks(rest)];
}

function withBreaks(text) {
  return text.split("\n").flatMap((line, index) => (index ? [document.createElement("br"), line] : [line])).filter((part) => part !== "");
}

const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;

/** A text as a list of blocks. */
export function markdownBlocks(text) {
  const lines = String(text ?? "").replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  while (lines.length) {
    const line = lines[0];
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line);
    if (!line.trim()) lines.shift();
    else if (/^\s*(`{3,}|~{3,})/.test(line)) blocks.push(fenced(lines));
    else if (heading) blocks.push(build("h4", {}, ...inlineMarkdown(heading[1])), ...(lines.shift(), []));
    else if (/^ {0,3}(?:[-*_] *){3,}$/.test(line)) blocks.push(document.createElement("hr")), lines.shift();
    else if (ITEM.test(line)) blocks.push(list(lines));
    else blocks.push(paragraph(lines));
  }
  return blocks;
}

function fenced(lines) {
  const [, mark] = /^\s*(`{3,}|~{3,})/.exec(lines.shift());
  const inside = [];
  while (lines.length && !lines[0].trim().startsWith(mark)) inside.push(lines.shift());
  lines.shift();
  return build("pre", { textContent: inside.join("\n") });
}

/** Items of one list; those further in become a list of their own. */
function list(lines) {
  const [, indent, number] = ITEM.exec(lines[0]);
  const node = build(number ? "ol" : "ul", {});
  if (number) node.start = Number(number);
  for (let found = ITEM.exec(lines[0]); found; found = ITEM.exec(lines[0] ?? "")) {
    if (found[1].length < indent.length || Boolean(found[2]) !== Boolean(number)) break;
    if (found[1].length > indent.length + 1 && node.lastChild) node.lastChild.append(list(lines));
    else {
      const words = [found[3], ...(lines.shift(), [])];
      while (lines.length && lines[0].trim() && /^\s{2,}/.test(lines[0]) && !ITEM.test(lines[0])) words.push(lines.shift().trim());
      node.append(build("li", {}, ...inlineMarkdown(words.join("\n"))));
    }
    while (lines.length > 1 && !lines[0].trim() && ITEM.test(lines[1])) lines.shift();
  }
  return node;
}

function paragraph(lines) {
  const words = [lines.shift().trim()];
  while (lines.length && lines[0].trim() && !ITEM.test(lines[0]) && !/^ {0,3}#{1,6}\s|^\s*(`{3,}|~{3,})/.test(lines[0])) {
    words.push(lines.shift().trim());
  }
  return build("p", {}, ...inlineMarkdown(words.join("\n")));
}
