// Acts that the server has not confirmed yet: kept in localStorage, one entry an act, until it answers.
// One entry an act, so that two tabs can never overwrite each other's; a double send is harmless, as act ids are unique.

const ACT = "assay:act:";
const SEQUENCE = "assay:sequence";
const SHARED = Symbol.for("assay.tab");

/** What all components of this document share: the tab's name, and whether a card is alive here. */
export function sharedTab() {
  if (!window[SHARED]) window[SHARED] = { id: tabName(), cards: new Set(), ready: null };
  const shared = window[SHARED];
  shared.ready ??= claimName(shared);
  return shared;
}

function tabName(fresh = false) {
  try {
    const kept = fresh ? null : sessionStorage.getItem("assay:tab");
    if (kept) return kept;
    const name = newId();
    sessionStorage.setItem("assay:tab", name);
    return name;
  } catch {
    return newId();
  }
}

/** Hold the lock of the tab's name while the document lives; a duplicated tab takes a new name. */
function claimName(shared) {
  if (!navigator.locks) {
    beat(shared);
    setInterval(() => beat(shared), 10_000);
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const hold = (lock) => {
      if (!lock) {
        shared.id = tabName(true);
        navigator.locks.request(lockName(shared.id), () => (resolve(), new Promise(() => {})));
        return undefined;
      }
      resolve();
      return new Promise(() => {});
    };
    navigator.locks.request(lockName(shared.id), { ifAvailable: true }, hold).catch(resolve);
  });
}

const lockName = (tab) => `assay:tab:${tab}`;

function beat(shared) {
  try {
    localStorage.setItem(`assay:alive:${shared.id}`, String(Date.now()));
  } catch {
    // Without storage there is nothing that another tab could find either.
  }
}

/** Do the work if the tab is gone; where locks are missing, a tab silent for two minutes counts as gone. */
export async function ifTabIsGone(tab, work) {
  if (navigator.locks) {
    return navigator.locks.request(lockName(tab), { ifAvailable: true }, (lock) => (lock ? work() : undefined));
  }
  const beaten = Number(localStorage.getItem(`assay:alive:${tab}`) ?? 0);
  return Date.now() - beaten > 120_000 ? work() : undefined;
}

/** Rises within a tab and over reloads, also when the clock is set back. */
export function nextSequence() {
  let last = nextSequence.last ?? 0;
  try {
    last = Math.max(last, Number(localStorage.getItem(SEQUENCE)) || 0);
  } catch {
    // The clock alone must do.
  }
  nextSequence.last = Math.max(Date.now(), last + 1);
  try {
    localStorage.setItem(SEQUENCE, String(nextSequence.last));
  } catch {
    // As above.
  }
  return nextSequence.last;
}

/** All kept acts of an account, grouped by project and tab. */
export function keptActs(account) {
  const groups = new Map();
  const prefix = `${ACT}${account}:`;
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index);
    if (!key.startsWith(prefix)) continue;
    const [project, tab] = key.slice(prefix.length).split(":");
    const name = `${project}:${tab}`;
    if (!groups.has(name)) groups.set(name, { project, tab });
  }
  return [...groups.values()];
}

export class Outbox {
  constructor(account, project, tab) {
    this.prefix = `${ACT}${account}:${project}:${tab}:`;
    this.acts = [];
    this.kept = true; // false once the browser refuses to store: then leaving the page would lose acts
    this.load();
  }

  load() {
    try {
      for (let index = 0; index < localStorage.length; index += 1) {
        const key = localStorage.key(index);
        if (key.startsWith(this.prefix)) this.acts.push(JSON.parse(localStorage.getItem(key)));
      }
    } catch {
      this.kept = false;
    }
    this.acts.sort((a, b) => a.seq - b.seq);
  }

  get size() {
    return this.acts.length;
  }

  add(act) {
    this.acts.push(act);
    try {
      localStorage.setItem(this.prefix + act.act_id, JSON.stringify(act));
    } catch {
      this.kept = false;
    }
  }

  remove(id) {
    this.acts = this.acts.filter((act) => act.act_id !== id);
    try {
      localStorage.removeItem(this.prefix + id);
    } catch {
      // Sent again at worst; the server knows it by its id.
    }
  }

  has(pair) {
    return this.acts.some((act) => act.pair === pair);
  }
}

/** One request to the judging address; resolves to {status, answer}, status 0 when nothing came back. */
export async function post(address, csrf, body, { keepalive = false, timeout = 20_000 } = {}) {
  const stop = new AbortController();
  const clock = setTimeout(() => stop.abort(), timeout);
  try {
    const response = await fetch(address, {
      method: "POST",
      credentials: "same-origin",
      keepalive,
      signal: stop.signal,
      redirect: "error",
      headers: { "Content-Type": "application/json", "X-CSRF": csrf },
      body: JSON.stringify(body),
    });
    return { status: response.status, answer: await response.json().catch(() => null) };
  } catch {
    return { status: 0, answer: null };
  } finally {
    clearTimeout(clock);
  }
}
