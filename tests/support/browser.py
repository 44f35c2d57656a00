"""A Chromium for the browser tests: the one that is there, else one that is installed now.

``python -m tests.support.browser`` installs it where there is none and says which one the tests will use.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def find_browser() -> str | None:
    """The path of a Chromium: ASSAY_TEST_BROWSER, one on the PATH, or playwright's own."""
    given = os.environ.get("ASSAY_TEST_BROWSER")
    if given:
        return given
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
        return path if Path(path).exists() else None


def install_browser() -> str:
    """Install a Chromium from the distribution where one may, else playwright's; its path."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-noto-cjk"]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if find_browser() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    path = find_browser()
    if path is None:
        raise SystemExit("No Chromium was found or could be installed. Install one and name it in ASSAY_TEST_BROWSER.")
    return path


if __name__ == "__main__":
    sys.stdout.write(f"browser for the tests: {find_browser() or install_browser()}\n")
