// The rater's desk: pairs waiting, acts made, what the server has confirmed. Talks to the server, paints nothing.

const WANTED = 20;
const LOOK_AGAIN_MS = 15_000;
const MOST_ACTS = 50; // in one request
const RENEW_MS = 60_000; // what is held is renewed at least this often while one works

/** What a judgment adds to the pairs that are done. */
const countOf = (judgment) => (judgment?.kind === "grade" || judgment?.kind === "cannot_judge" ? 1 : 0);

export class Desk {
  constructor(data, tab, changed) {
    this.data = data;
    this.outbox = new Outbox(data.account, data.project, tab);
    this.tab = tab;
    this.changed = changed; // told what happened: (event, detail)
    this.queue = [];
    this.history = [];
    this.fetching = new Set(); // pairs whose act is being taken back, on their way here
    this.weights = new Map(); // what an unconfirmed act adds to the progress
    this.progress = null;
    this.end = null;
    this.questions = []; // what was asked and answered about the queries here, and about the rubric
    this.second = []; // what is asked after a grade
    this.calibration = null; // where this rater stands, as long as practice comes first
    this.trouble = null; // null | offline | signed_out | reload | stopped
    this.failures = 0;
    this.busy = false;
    this.walk = Boolean(data.older); // only what one judged before is shown: nothing is asked for or held
    this.hello = !this.walk;
    this.everSaved = false;
    this.oldRubric = false; // then only a fresh page brings the rubric that counts
    this.again = null; // the query that read otherwise, while its pairs come anew
    this.most = MOST_ACTS; // fewer while a request was too large
    this.alone = false; // one act a request, to find the one that the server does not understand
    this.clock = null;
    this.renewedAt = 0; // when the server last heard what is held here
    for (const act of this.outbox.acts) this.weights.set(act.act_id, act.weight ?? 0);
  }

  /** Judgments made in this batch, those on their way included. */
  get batchDone() {
    let done = this.progress?.batch_done ?? 0;
    for (const act of this.outbox.acts) done += this.weights.get(act.act_id) ?? 0;
    return Math.max(0, done);
  }

  get left() {
    let left = this.progress?.left ?? 0;
    for (const act of this.outbox.acts) left -= this.weights.get(act.act_id) ?? 0;
    return Math.max(0, left);
  }

  /** Put an act on the way; it is stored before anything else happens. */
  act(pair, fields, weight) {
    const act = {
      act_id: newId(), seq: nextSequence(), pair: pair.pair, shown: pair.shown, rubric_version: pair.rubric_version,
      grade: null, reason: null, comment: null, takes_back: null, weight, ...fields,
    };
    this.weights.set(act.act_id, weight);
    this.outbox.add(act);
    return act;
  }

  /** A question to the lead: it judges no pair, so the one on screen stays where it is. */
  ask(pair, fields) {
    this.outbox.add({ act_id: newId(), seq: nextSequence(), kind: "question", asks: pair.pair, weight: 0, ...fields });
    this.exchange();
  }

  /** Near-duplicates that wait here say what their twin got. */
  tellTwins(pair, grade) {
    for (const other of this.queue) if (pair.twins && other.twins?.group === pair.twins.group) other.twins.grade = grade;
  }

  judge(pair, fields) {
    if (fields.kind === "grade") this.tellTwins(pair, fields.grade);
    const act = this.act(pair, fields, countOf(fields) - countOf(pair.mine));
    this.queue = this.queue.filter((other) => other.pair !== pair.pair);
    const { act_id, kind, grade, reason, comment, answers } = act;
    if (pair.practice) return this.sent(act); // its reference is shown next: it stands, and is no part of the history
    const title = pair.title || pair.text.trim().slice(0, 80);
    this.history = this.history.filter((other) => other.pair !== pair.pair); // only the newest of a pair can be taken back
    this.history.unshift({ act_id, pair: pair.pair, kind, grade, reason, comment, answers, query: pair.query, title, held: pair, sent: false });
    return this.sent(act);
  }

  sent(act) {
    this.exchange();
    return act;
  }

  /** Take an act back: its pair lies on top of the desk again. False where the pair could not be fetched. */
  async takeBack(entry, shown) {
    const at = this.history.indexOf(entry);
    this.history = this.history.filter((other) => other !== entry); // at once: the next key takes back the next one
    this.fetching.add(entry.pair);
    const pair = entry.held ?? (await this.get("pair", entry.pair));
    this.fetching.delete(entry.pair);
    if (!pair) {
      this.history.splice(at, 0, entry);
      return false;
    }
    this.act(pair, { kind: "undo", takes_back: entry.act_id, ...shown }, -countOf(entry));
    this.queue = this.queue.filter((other) => other.pair !== pair.pair);
    this.tellTwins(pair, null);
    this.queue.unshift({ ...pair, mine: null, before: { kind: entry.kind, grade: entry.grade, reason: entry.reason, answers: entry.answers } });
    if (this.history.length < 5) this.hello = true;
    this.exchange();
    return true;
  }

  async get(what, pair, more = {}) {
    const where = new URLSearchParams({ project: this.data.project, ...(pair === null ? {} : { pair }), ...more });
    try {
      const response = await fetch(`${this.data.api}/${what}?${where}`, { credentials: "same-origin", redirect: "error" });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  body(acts) {
    const clean = acts.map(({ weight, ...act }) => act); // eslint-disable-line no-unused-vars
    const have = this.walk ? [] : this.queue.map((pair) => pair.pair);
    return { project: this.data.project, tab: this.tab, hello: this.hello, acts: clean, have, want: this.walk ? 0 : WANTED, light: this.isEnough(acts) };
  }

  /** Pairs enough lie here, and the server knows them: acts alone need to travel. */
  isEnough(acts) {
    const plain = acts.length > 0 && acts.every((act) => act.kind !== "undo" && act.kind !== "question");
    const settled = !this.walk && !this.hello && !this.calibration && !this.end && this.progress !== null;
    return plain && settled && this.queue.length > WANTED / 2 && Date.now() - this.renewedAt < RENEW_MS;
  }

  /** At most one request under way; goes on while there is something to send. */
  async exchange() {
    if (this.busy || this.stopped) return;
    this.busy = true;
    clearTimeout(this.clock);
    this.changed("sending");
    let again = true;
    while (again && !this.stopped) {
      const acts = this.outbox.acts.slice(0, this.alone ? 1 : this.most);
      const { status, answer } = await post(this.data.api, this.data.csrf, this.body(acts));
      again = this.receive(status, answer, acts);
      this.changed("answer");
    }
    this.busy = false;
    this.changed("idle");
  }

  /** Work on an answer; true when the next request should follow at once. */
  receive(status, answer, acts) {
    if (status === 200 && answer?.acts) {
      this.trouble = null;
      this.failures = 0;
      this.accept(answer);
      this.alone = this.alone && this.outbox.size > 0;
      if (!this.outbox.size) this.most = MOST_ACTS;
      const unanswered = acts.filter((act) => this.outbox.acts.includes(act));
      if (acts.length && unanswered.length === acts.length) this.refuseUnanswered(unanswered);
      if (!this.outbox.size && !this.hello && !this.walk && (this.queue.length === 0 || this.end?.kind === "waiting")) this.later(LOOK_AGAIN_MS);
      return this.outbox.size > 0 || this.hello;
    }
    if (status === 400 && acts.length) {
      this.refuseUnanswered(acts, answer?.message);
      return true;
    }
    if (status === 413 && acts.length) {
      this.most = Math.ceil(acts.length / 2);
      if (acts.length === 1) this.refuse({ act_id: acts[0].act_id, code: "too_large" });
      return true;
    }
    if (status === 401) this.trouble = "signed_out";
    else if (status === 403) this.trouble = answer?.error === "csrf" ? "reload" : "stopped";
    else this.trouble = "offline";
    this.failures += 1;
    if (this.trouble !== "stopped") this.later(Math.min(LOOK_AGAIN_MS, 300 * 2 ** Math.min(this.failures, 6)));
    return false;
  }

  /** Acts that the server makes nothing of: one by one, until the one at fault is alone and can leave. */
  refuseUnanswered(acts, message = "") {
    if (acts.length > 1) this.alone = true;
    else this.refuse({ act_id: acts[0].act_id, code: "bad_act", message });
  }

  later(delay) {
    clearTimeout(this.clock);
    this.clock = setTimeout(() => this.exchange(), delay);
  }

  accept(answer) {
    if (!answer.light) {
      this.calibration = this.walk ? null : (answer.calibration ?? null);
      this.questions = answer.questions ?? [];
      this.second = answer.second ?? [];
    }
    this.renewedAt = answer.light ? this.renewedAt : Date.now();
    for (const result of answer.acts) {
      if (answer.light && result.status !== "refused") this.count(result.act_id);
      if (result.status === "refused") this.refuse(result);
      else this.confirm(result.act_id);
      if (result.reference) this.changed("reference", result);
      if (result.status === "refused") this.renewedAt = 0;
    }
    if (answer.light) return;
    const lost = new Set((answer.lost ?? []).filter((pair) => !this.outbox.has(pair)));
    if (lost.has(this.queue[0]?.pair)) this.changed("lost", this.queue[0]);
    this.queue = this.queue.filter((pair) => !lost.has(pair.pair));
    for (const pair of answer.pairs) {
      const known = this.queue.some((other) => other.pair === pair.pair);
      if (!known && !this.outbox.has(pair.pair)) this.queue.splice(this.placeOf(pair), 0, this.calibration ? { ...pair, practice: true } : pair);
    }
    this.progress = answer.progress ?? this.progress;
    this.end = this.walk ? null : (answer.end ?? null);
    if (!answer.history) return; // asked for while this request was under way: the next one brings it
    this.remember(answer.history);
    this.hello = false;
  }

  /** An answer without numbers: what was stored is added to those known. */
  count(id) {
    const weight = this.weights.get(id) ?? 0;
    const { done, left, batch_done: inBatch } = this.progress;
    this.progress = { ...this.progress, done: done + weight, left: Math.max(0, left - weight), batch_done: inBatch + weight };
  }

  confirm(id) {
    this.everSaved = true;
    this.outbox.remove(id);
    this.weights.delete(id);
    const entry = this.history.find((other) => other.act_id === id);
    if (entry) entry.sent = true;
  }

  /** A refused act must not block the others: it leaves the outbox, its pair returns or is dropped. */
  refuse({ act_id: id, code, message }) {
    const act = this.outbox.acts.find((other) => other.act_id === id);
    this.outbox.remove(id);
    this.weights.delete(id);
    const entry = this.history.find((other) => other.act_id === id);
    this.history = this.history.filter((other) => other !== entry);
    if (!act) return;
    const top = this.queue[0];
    if (act.kind === "undo") {
      this.queue = this.queue.filter((pair) => pair.pair !== act.pair || this.outbox.has(act.pair));
      this.hello = true; // what could not be taken back stands in the history again
    }
    else if (code === "bad_act" && entry?.held) this.queue.splice(Math.min(1, this.queue.length), 0, entry.held);
    if (code === "changed_text" && !this.walk) this.fetchAgain(entry?.held?.query_id);
    if (code === "old_rubric") this.oldRubric = true;
    this.changed("refused", { act, entry, code, message, moved: top !== this.queue[0] });
  }

  /** A query that reads otherwise now: all of its pairs that wait here come anew, so that only one act is lost. */
  fetchAgain(queryId) {
    this.queue = this.queue.filter((pair) => pair.query_id !== queryId);
    this.again = queryId;
    this.hello = true;
  }

  /** A new pair stands behind the others; one of the query that is fetched again where that query was: on top. */
  placeOf(pair) {
    if (pair.query_id !== this.again) return this.queue.length;
    return this.queue.findLastIndex((other) => other.query_id === this.again) + 1;
  }

  /** What the server knows of earlier acts, behind those of this page. */
  remember(entries) {
    const known = new Set([...this.history, ...this.outbox.acts].map((one) => one.pair));
    for (const entry of entries) {
      if (!known.has(entry.pair) && !this.fetching.has(entry.pair)) this.history.push({ ...entry, sent: true });
    }
  }

  /** Leaving the page: one last try that may outlive it. The acts stay stored until somebody hears the answer. */
  flush() {
    if (!this.outbox.size || this.stopped) return;
    post(this.data.api, this.data.csrf, { ...this.body(this.outbox.acts.slice(0, this.most)), hello: false, want: 0 }, { keepalive: true });
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.clock);
  }
}
