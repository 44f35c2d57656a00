// What the card asks of the browser: painted frames, settings kept in it, its address. Knows no pair and no act.

/** Run the work when the frame that shows the present state has been painted. */
export function afterPaint(work) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = work;
    channel.port2.postMessage(null);
  });
}

/** A pair opened by its address is judged: loading the page anew goes on with the others. */
export function forgetPair() {
  const address = new URL(location.href);
  address.searchParams.delete("pair");
  window.history.replaceState(window.history.state, "", address);
}

/** From the walk through older judgments back to judging. */
export function leaveOlder() {
  const address = new URL(location.href);
  address.searchParams.delete("older");
  location.assign(address);
}

export function readSetting(name) {
  try {
    return localStorage.getItem(`assay:setting:${name}`);
  } catch {
    return null;
  }
}

export function writeSetting(name, value) {
  try {
    localStorage.setItem(`assay:setting:${name}`, value);
  } catch {
    // The setting lasts as long as the page, then.
  }
}
