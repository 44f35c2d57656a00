"""A hundred real passages judged with the keyboard, in the whole app: the ledger says what was pressed, where it was pressed."""

import re
import sqlite3
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.test_judging_for_real import PASSWORD, run_commands
from tests.support.data import shared_data

pytestmark = pytest.mark.browser
PAIRS = 100


@pytest.fixture(scope="module")
def passages(start_server: Callable[..., Server]) -> Server:
    """The app with the real queries, passages and two runs, open to a rater."""
    folder = shared_data("dl19")
    server = start_server("app.py")
    here = ["--project", "passages"]
    runs = [str(folder / "runs" / f"official-{name}.run.gz") for name in ("bm25base_p", "idst_bert_p1")]
    run_commands(
        server,
        ["user", "add", "Bo", "--role", "rater"],
        ["project", "create", "passages"],
        ["import", "queries", str(folder / "topics.tsv"), *here],
        ["import", "documents", str(folder / "documents.jsonl"), *here],
        ["import", "runs", *runs, *here],
        ["pool", *here, "--depth", "10", "--overlap", "1"],
        ["project", "open", "passages"],
        given=f"{PASSWORD}\n",
    )
    return server


def test_a_hundred_passages_by_keyboard(passages: Server, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{passages.url}/judge?project=1")
    page.get_by_label(re.compile("Name")).fill("Bo")
    page.get_by_label(re.compile("Password")).fill(PASSWORD)
    page.keyboard.press("Enter")
    card = page.locator("[data-card]")
    expect(card).to_have_attribute("data-painted", re.compile("."), timeout=30_000)
    noted = []
    while len(noted) < PAIRS:
        pair = card.get_attribute("data-pair")
        if not pair:  # the pause between two batches
            page.keyboard.press("Enter")
            page.wait_for_timeout(100)
            continue
        grade = len(noted) * 7 % 4
        noted.append((int(pair), grade))
        expect(card).to_have_attribute("data-painted", pair)
        page.wait_for_timeout(120)  # a key in the first moments of a pair is ignored, and shown as ignored
        page.keyboard.press(str(grade))
        expect(card).not_to_have_attribute("data-pair", pair)
    expect(page.locator("[data-status]")).to_have_attribute("data-kind", "saved", timeout=20_000)
    path = passages.environment["ASSAY_DATABASE_URL"].removeprefix("sqlite:///")
    with sqlite3.connect(path) as database:
        stored = database.execute("SELECT pair_id, grade FROM judgment ORDER BY id").fetchall()
    assert stored == noted
    assert len({pair for pair, _ in noted}) == PAIRS
