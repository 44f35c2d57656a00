"""Judging in the whole app on a database: what was pressed is in the ledger, also when the server dies in between."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.data import REPOSITORY

pytestmark = pytest.mark.browser
PASSWORD = "a long password"
QUERIES, DEPTH = 3, 20


def run_commands(server: Server, *commands: list[str], given: str = "") -> None:
    """All in one process: starting Python for each would take most of the test's time."""
    script = f"from labeling.__main__ import main\nfor words in {list(commands)!r}: assert not main(words), words"
    environment = {**os.environ, **server.environment}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPOSITORY,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def write_campaign(folder: Path) -> tuple[str, str, str]:
    queries, documents, run = (folder / name for name in ("queries.tsv", "documents.jsonl", "first.run"))
    queries.write_text(
        "query_id\ttext\n" + "".join(f"{query}\tquery number {query}\n" for query in range(1, QUERIES + 1))
    )
    lines, ranks = [], []
    for query in range(1, QUERIES + 1):
        for rank in range(1, DEPTH + 1):
            name = f"d{query}-{rank:02}"
            lines.append(json.dumps({"doc_id": name, "title": f"Document {name}", "text": f"{name} is a text. " * 150}))
            ranks.append(f"{query} Q0 {name} {rank} {100 - rank} first")
    documents.write_text("\n".join(lines) + "\n")
    run.write_text("\n".join(ranks) + "\n")
    return str(queries), str(documents), str(run)


@pytest.fixture(scope="module")
def app_server(start_server: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The app with an open project and a rater."""
    server = start_server("app.py")
    queries, documents, run = write_campaign(tmp_path_factory.mktemp("campaign"))
    trial = ["--project", "trial"]
    run_commands(
        server,
        ["user", "add", "Bo", "--role", "rater"],
        ["project", "create", "trial"],
        ["import", "queries", queries, *trial],
        ["import", "documents", documents, *trial],
        ["import", "runs", run, *trial],
        ["pool", *trial, "--depth", str(DEPTH), "--overlap", "1"],
        ["project", "open", "trial"],
        given=f"{PASSWORD}\n",
    )
    return server


def ledger(server: Server) -> list[tuple[int, int]]:
    path = server.environment["ASSAY_DATABASE_URL"].removeprefix("sqlite:///")
    with sqlite3.connect(path) as database:
        return database.execute("SELECT pair_id, grade FROM judgment WHERE kind = 'grade' ORDER BY id").fetchall()


def press_and_note(page: Page, keys: str) -> list[tuple[int, int]]:
    card = page.locator("[data-card]")
    noted = []
    for key in keys:
        pair = card.get_attribute("data-pair") or "0"
        expect(card).to_have_attribute("data-painted", pair)
        page.wait_for_timeout(120)  # a key in the first moments of a pair is ignored, and shown as ignored
        noted.append((int(pair), int(key)))
        page.keyboard.press(key)
    return noted


def test_a_server_that_dies_in_mid_burst_loses_and_doubles_nothing(app_server: Server, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{app_server.url}/judge?project=1")
    page.get_by_label(re.compile("Name")).fill("Bo")
    page.get_by_label(re.compile("Password")).fill(PASSWORD)
    page.keyboard.press("Enter")
    card = page.locator("[data-card]")
    status = page.locator("[data-status]")
    expect(card).to_have_attribute("data-painted", re.compile("."), timeout=30_000)
    noted = press_and_note(page, "0123")
    app_server.kill()
    noted += press_and_note(page, "32101")
    expect(status).to_contain_text("kept, trying again")
    app_server.start()
    noted += press_and_note(page, "2")
    expect(status).to_have_attribute("data-kind", "saved", timeout=40_000)
    assert ledger(app_server) == noted
    page.reload()
    expect(card).to_have_attribute("data-painted", re.compile("."))
    noted += press_and_note(page, "3")
    expect(status).to_have_attribute("data-kind", "saved")
    assert ledger(app_server) == noted
    assert len({pair for pair, _ in noted}) == len(noted)


NOTE_KEYS = """
const shown = () => {
  const host = [...document.querySelectorAll('*')].find((node) => node.shadowRoot?.querySelector('[data-card]'));
  return host?.shadowRoot.querySelector('[data-card]') ?? null;
};
const note = (grade) => {
  const before = shown()?.dataset.pair;
  setTimeout(() => { if (before && shown()?.dataset.pair !== before) window.noteAct(Number(before), grade); }, 0);
};
window.addEventListener('keydown', (event) => { if (/^[0-3]$/.test(event.key)) note(Number(event.key)); }, true);
window.addEventListener('click', (event) => {
  const button = event.composedPath().find((node) => node.dataset?.grade);
  if (button) note(Number(button.dataset.grade));
}, true);
"""


class Tab:
    """One tab of a rater, who waits until the pair is there before pressing, and goes on after a pause."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url, self.card = page, url, page.locator("[data-card]")

    def open(self) -> "Tab":
        self.page.goto(self.url)
        return self.wait()

    def wait(self) -> "Tab":
        expect(self.card).to_have_attribute("data-painted", re.compile("."), timeout=30_000)
        return self

    def press(self, keys: str, *, each: int = 130) -> None:
        self.page.bring_to_front()
        for key in keys:
            if self.card.get_attribute("data-state") == "paused":
                self.page.keyboard.press("Enter")
                self.wait()
            self.page.wait_for_timeout(each)
            self.page.keyboard.press(key)

    def wait_saved(self) -> None:
        expect(self.page.locator("[data-status]")).to_have_attribute("data-kind", "saved", timeout=40_000)
        expect(self.page.locator("[data-status]")).to_have_attribute("data-pending", "0", timeout=40_000)


def test_a_rough_day_leaves_one_row_for_each_act_on_the_pair_that_was_on_the_screen(
    app_server: Server, browser_page: Page
) -> None:
    page, context, acts = browser_page, browser_page.context, []
    context.expose_function("noteAct", lambda pair, grade: acts.append((pair, grade)))
    context.add_init_script(NOTE_KEYS)
    page.goto(f"{app_server.url}/judge?project=1")
    page.get_by_label(re.compile("Name")).fill("Bo")
    page.get_by_label(re.compile("Password")).fill(PASSWORD)
    page.keyboard.press("Enter")
    first = Tab(page, f"{app_server.url}/judge?project=1").wait()
    before = ledger(app_server)
    first.press("0123012301", each=100)  # ten keys in a second
    page.wait_for_timeout(150)
    for _ in range(8):  # a key held down
        page.keyboard.down("2")
    page.keyboard.up("2")
    page.wait_for_timeout(150)
    page.locator("[data-grade='1']").dblclick()
    second = Tab(context.new_page(), first.url).open()
    for key in "301":
        first.press(key)
        second.press(key)
    second.wait_saved()
    second.page.close()
    page.goto(f"{app_server.url}/history?project=1")
    page.go_back()
    first.wait().press("23")
    first.press("1")
    page.reload()  # in the middle of an act
    first.wait()
    context.set_offline(True)
    first.press("3201")
    expect(page.locator("[data-status]")).not_to_have_attribute("data-kind", "saved")
    page.wait_for_timeout(30_000)
    expect(page.locator("[data-status]")).to_contain_text("kept")
    assert len(ledger(app_server)) == len(before) + len(acts) - 4
    context.set_offline(False)
    first.wait_saved()
    found = ledger(app_server)[len(before) :]
    assert sorted(found) == sorted(acts)
    assert len({pair for pair, _ in found}) == len(found) == 10 + 1 + 1 + 6 + 3 + 4
