// How long a pair was looked at: pauses while the page is hidden, unknown after two idle minutes.

const IDLE_MS = 120_000;

export class ActiveTimer {
  constructor() {
    this.restart();
  }

  restart() {
    this.total = 0;
    this.idle = false;
    this.since = document.hidden ? null : performance.now();
    this.touched = performance.now();
  }

  /** The person did something: moved, scrolled, pressed. */
  touch() {
    const now = performance.now();
    if (now - this.touched > IDLE_MS && this.since !== null) this.idle = true;
    this.touched = now;
  }

  hide() {
    if (this.since === null) return;
    this.touch();
    this.total += performance.now() - this.since;
    this.since = null;
  }

  show() {
    this.since ??= performance.now();
    this.touched = performance.now();
  }

  /** Seconds, or null where nobody can say. */
  seconds() {
    this.touch();
    if (this.idle) return null;
    const running = this.since === null ? 0 : performance.now() - this.since;
    return Math.round((this.total + running) / 100) / 10;
  }
}
