"""Key press to next pair painted, with documents of 3,000 characters: the judging card beside a page of plain Streamlit.

`python benchmarks/bench_card.py`. Both run in one Chromium, one after the other, each with a server of its own.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[1]
PORT = 8797
PAIRS = 100
WATCH = """
window.presses = [];
window.addEventListener('keydown', (event) => window.presses.push({ down: event.timeStamp }), true);
window.watchCard = () => {
  const host = [...document.querySelectorAll('*')].find((node) => node.shadowRoot?.querySelector('[data-card]'));
  const card = host.shadowRoot.querySelector('[data-card]');
  new MutationObserver(() => { window.presses.at(-1).painted ??= performance.now(); })
    .observe(card, { attributes: true, attributeFilter: ['data-painted'] });
};
"""


WATCH_PLAIN = """
window.presses = [];
window.addEventListener('keydown', (event) => window.presses.push({ down: event.timeStamp }), true);
new MutationObserver(() => {
  const shown = document.querySelector('[data-testid="stText"]')?.textContent.split('.')[0];
  if (!shown || shown === window.shown) return;
  window.shown = shown;
  requestAnimationFrame(() => { const last = window.presses.at(-1); if (last) last.painted ??= performance.now(); });
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


def start_server(script: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server of this script, once it answers."""
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(PORT)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL)
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://localhost:{PORT}/_stcore/health", timeout=1):
                break
        except OSError:
            time.sleep(0.1)
    return process, f"http://localhost:{PORT}/"


def measure_card(browser: Browser, address: str) -> list[float]:
    """Milliseconds from each key press to the next pair on the screen."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(WATCH)
    page.goto(f"{address}?project=plain-latency")
    page.wait_for_selector("[data-card][data-painted]")
    page.evaluate("window.watchCard()")
    for number in range(PAIRS + 5):
        page.wait_for_timeout(180)
        if page.locator('[data-card][data-state="paused"]').count():
            page.keyboard.press("Enter")
            page.wait_for_timeout(180)
            page.evaluate("window.presses.pop()")
        page.keyboard.press(str(number % 4))
    page.wait_for_timeout(300)
    return times_of(page)


def measure_plain(browser: Browser, address: str) -> list[float]:
    """The same for a page that is run again for every act."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(WATCH_PLAIN)
    page.goto(address)
    page.wait_for_selector('[data-testid="stText"]')
    page.wait_for_timeout(1000)
    for number in range(PAIRS):
        page.wait_for_timeout(180)
        page.keyboard.press(str(number % 4))
        page.wait_for_function("window.presses.at(-1).painted !== undefined")
    return times_of(page)


def times_of(page: Page) -> list[float]:
    presses = page.evaluate("window.presses")
    page.close()
    return sorted(press["painted"] - press["down"] for press in presses if "painted" in press)


def main() -> None:
    chromium = os.environ.get("ASSAY_TEST_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, script, measure in (
            ("judging card", "tests/support/card_server.py", measure_card),
            ("plain Streamlit rerun page", "benchmarks/plain_page.py", measure_plain),
        ):
            process, address = start_server(script)
            try:
                times = measure(browser, address)
            finally:
                process.kill()
                process.wait()
            p95 = times[int(len(times) * 0.95) - 1]
            print(f"{name:28s} {len(times)} presses: p50 {statistics.median(times):4.0f} ms, p95 {p95:4.0f} ms, most {times[-1]:4.0f} ms")  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
