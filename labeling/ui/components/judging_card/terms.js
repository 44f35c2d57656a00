// Where the words of a query stand in a document: light stems for English, particles left off for Korean.
// Knows only strings; the card turns the ranges into nodes.

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)?/gu;
const HANGUL = /[\uac00-\ud7a3]/;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+$/u;

const COMMON = new Set(
  `a an and any are as at be been but by can could did do does for from get had has have he her his how i if in into is it
  its just me more most my no not of on one or our out she should so some such than that the their them then there these they this those to
  was we were what when where which who whose why will with would you your 무엇 무엇인가 무엇인가요 뭐 어떻게 어떤 왜 언제 어디 누가 누구 있는 있나요 하는 하나요
  대한 대해 위한 및 등 그 이 저 것`.split(/\s+/),
);

const PARTICLES = `으로부터 에서부터 에게서 이라는 이라고 에서는 에서도 으로는 으로도 한테서 까지 부터 에서 에게 한테 께서 으로 라는 라고 처럼 보다 마다 조차
  밖에 이나 이란 이며 이랑 하고 은 는 이 가 을 를 의 에 로 와 과 도 만 나 란 랑`.split(/\s+/);
const PLAIN_PARTICLES = new Set(["은", "는", "을", "를", "의", "에"]);
const ENDINGS = /(?:합니까|합니다|하나요|하는가|하려면|하면|하기|하는|하다|했다|되나요|되는|인가요|입니까|입니다|인가|(?:었|았|였)(?:나요|습니까|습니다|을까|는지|다)|나요)$/;

export function stemEnglish(word) {
  let stem = word.replace(/['’]s?$/, "");
  if (stem.length > 3) {
    if (stem.length > 4 && stem.endsWith("ies")) stem = `${stem.slice(0, -3)}y`;
    else if (/(?:ss|x|ch|sh|zz)es$/.test(stem)) stem = stem.slice(0, -2);
    else if (/[^suio']s$/.test(stem)) stem = stem.slice(0, -1);
    const bare = stem.replace(/(?:ing|ed)$/, "");
    if (bare !== stem && bare.length > 2 && /[aeiouy]/.test(bare)) stem = bare.replace(/([^aeiouylsz])\1$/, "$1");
    if (stem.length > 5) stem = stem.replace(/ly$/, "");
    if (stem.length > 3) stem = stem.replace(/e$/, "");
  }
  return stem.replace(/y$/, "i");
}

function stemKorean(word) {
  const verb = word.replace(ENDINGS, "");
  if (verb !== word && verb.length >= 2) return verb;
  for (const particle of PARTICLES) {
    if (!word.endsWith(particle)) continue;
    const stem = word.slice(0, -particle.length);
    if (stem.length >= 2 || (stem.length === 1 && PLAIN_PARTICLES.has(particle))) return stem;
  }
  return word;
}

const fold = (word) => word.normalize("NFC").toLowerCase();

/** The words of a query as they are looked for. */
export function queryTerms(query) {
  const terms = { stems: new Set(), hangul: new Set(), runs: new Set() };
  for (const [word] of query.matchAll(WORD)) {
    const folded = fold(word);
    if (COMMON.has(folded)) continue;
    if (HANGUL.test(folded)) terms.hangul.add(stemKorean(folded));
    else if (UNSPACED.test(folded)) splitUnspaced(folded).forEach((run) => terms.runs.add(run));
    else if (folded.length > 1 || /\p{N}/u.test(folded)) terms.stems.add(stemEnglish(folded));
  }
  return terms;
}

function splitUnspaced(text) {
  if (!Intl.Segmenter) return [text];
  return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), (part) => part.segment).filter(
    (part) => part.length > 1 || /\p{Script=Han}/u.test(part),
  );
}

/** Ranges [start, end) of the text that hold a term, in order, never overlapping. */
export function findTerms(text, terms) {
  const ranges = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0];
    const start = match.index;
    const folded = fold(word);
    if (HANGUL.test(folded)) {
      const found = findHangul(folded, terms.hangul);
      if (found) ranges.push(folded.length === word.length ? [start + found[0], start + found[1]] : [start, start + word.length]);
    } else if (terms.runs.size && UNSPACED.test(folded)) {
      ranges.push(...findRuns(folded, terms.runs).map(([from, to]) => [start + from, start + to]));
    } else if (terms.stems.size && terms.stems.has(stemEnglish(folded))) {
      ranges.push([start, start + word.length]);
    }
  }
  return ranges;
}

/** The longest term within a Korean word; a term of one syllable must be the word but for a particle. */
function findHangul(word, stems) {
  let best = null;
  for (const stem of stems) {
    const at = stem.length > 1 ? word.indexOf(stem) : stemKorean(word) === stem ? 0 : -1;
    if (at >= 0 && (!best || stem.length > best[1] - best[0])) best = [at, at + stem.length];
  }
  return best;
}

function findRuns(word, runs) {
  const ranges = [];
  for (let at = 0; at < word.length; ) {
    let longest = 0;
    for (const run of runs) if (run.length > longest && word.startsWith(run, at)) longest = run.length;
    if (longest) ranges.push([at, at + longest]);
    at += longest || 1;
  }
  return ranges;
}
