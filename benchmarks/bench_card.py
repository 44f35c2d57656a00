"""Key press to next pair painted, on the judging card with documents of 3,000 characters.

`python benchmarks/bench_card.py [ADDRESS]`; without an address it starts the card's own test server.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

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


def start_server() -> tuple[subprocess.Popen[bytes], str]:
    command = [sys.executable, "-m", "streamlit", "run", "tests/support/card_server.py", "--server.port", str(PORT)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL)
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://localhost:{PORT}/_stcore/health", timeout=1):
                break
        except OSError:
            time.sleep(0.1)
    return process, f"http://localhost:{PORT}/?project=plain-latency"


def measure(address: str) -> list[float]:
    chromium = os.environ.get("ASSAY_TEST_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(WATCH)
        page.goto(address)
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
        presses = page.evaluate("window.presses")
        browser.close()
    return [press["painted"] - press["down"] for press in presses if "painted" in press]


def main() -> None:
    process, address = (None, sys.argv[1]) if len(sys.argv) > 1 else start_server()
    try:
        times = sorted(measure(address))
    finally:
        if process is not None:
            process.kill()
    p95 = times[int(len(times) * 0.95) - 1]
    print(f"{len(times)} presses: p50 {statistics.median(times):.0f} ms, p95 {p95:.0f} ms, most {times[-1]:.0f} ms")


if __name__ == "__main__":
    main()
