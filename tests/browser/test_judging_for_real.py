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
