"""A real server in a process of its own and a real Chromium, for tests of what people see and press."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.support.browser import FLAGS, find_browser
from tests.support.card import Card
from tests.support.data import REPOSITORY


@dataclass
class Server:
    """A running server: its address, its process, and how to end and start it again on the same port and data."""

    script: Path
    port: int
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", str(self.script), "--server.port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=REPOSITORY, env={**os.environ, **self.environment}, stdout=log, stderr=subprocess.STDOUT
            )
        self.wait()

    def wait(self, seconds: float = 40) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process is not None and self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        pytest.fail(f"the server did not start:\n{self.log.read_text(errors='replace')[-3000:]}")

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Start a launcher script on a free port, with a database of its own; everything ends with the test session."""
    servers: list[Server] = []

    def start(script: str | Path, **environment: str) -> Server:
        folder = tmp_path_factory.mktemp("server")
        settings = {
            "ASSAY_DATABASE_URL": f"sqlite:///{folder / 'assay.db'}",
            "PYTHONPATH": str(REPOSITORY),
            **environment,
        }
        server = Server(REPOSITORY / script, free_port(), settings, folder / "server.log")
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = find_browser()  # before playwright starts: it may ask playwright itself
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS), headless=True)
        except Exception as fault:  # noqa: BLE001
            pytest.fail(f"no Chromium to drive (set ASSAY_TEST_BROWSER): {fault}")
        yield browser
        browser.close()


@pytest.fixture
def browser_context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.set_default_timeout(15_000)
    yield context
    context.close()


@pytest.fixture
def browser_page(browser_context: BrowserContext) -> Iterator[Page]:
    """A page at 1440 x 900; a fault in a script of the page fails the test."""
    page = browser_context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    yield page
    browser_context.set_offline(False)
    page.close()
    assert not faults, faults


@pytest.fixture(scope="session")
def card_server(start_server: Callable) -> str:
    return start_server("tests/support/card_server.py").url


@pytest.fixture
def card(browser_page: Page, card_server: str) -> Callable[..., Card]:
    return lambda kind="plain", name=None: Card(browser_page, card_server, kind, name)
