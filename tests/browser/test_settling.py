"""A lead settles with keys alone in a real browser: own grade, reason, clause, note, one more rater, names."""

import re
import sqlite3
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.test_app import PASSWORD, open_page, sign_in, wait_calm
from tests.browser.test_judging_for_real import run_commands

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def settle_server(start_server: Callable[..., Server]) -> Server:
    """The app with the demo and a lead."""
    server = start_server("app.py")
    run_commands(server, ["user", "add", "Lee", "--role", "lead"], ["init", "--demo"], given=f"{PASSWORD}\n")
    return server


def newest(server: Server, table: str, *columns: str) -> tuple:
    path = server.environment["ASSAY_DATABASE_URL"].removeprefix("sqlite:///")
    with sqlite3.connect(path) as connection:
        found = connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY id DESC LIMIT 1").fetchone()
    return tuple(found)


def press(page: Page, *keys: str) -> None:
    """Press keys one after the other, each when the one before has had its effect."""
    for key in keys:
        page.keyboard.press(key)
        wait_calm(page)


def test_a_lead_settles_with_keys_alone(settle_server: Server, browser_page: Page) -> None:
    page = browser_page
    sign_in(page, settle_server, "Lee")
    open_page(page, settle_server, "settle")
    main = page.get_by_test_id("stMainBlockContainer")
    expect(main.get_by_role("button", name=re.compile("Show the votes"))).to_be_visible()
    expect(main.get_by_text(re.compile(r"^A: \d"))).to_have_count(0)

    press(page, "2")  # the lead's own grade, and only then the votes
    expect(main.get_by_text(re.compile(r"^A: \d"))).to_be_visible()
    expect(main.get_by_text(re.compile(r"^A · "))).to_have_count(0)
    press(page, "t")
    expect(main.get_by_text(re.compile(r"^A · \w+"))).to_be_visible()
    before = newest(settle_server, "decision", "id")
    press(page, "Enter")
    expect(main.get_by_text("Choose a grade and a reason first.")).to_be_visible()
    assert newest(settle_server, "decision", "id") == before

    press(page, "f", "u", "x")
    expect(main.get_by_role("button", name=re.compile("Clause: grade 3"))).to_be_visible()
    page.keyboard.press("e")
    page.keyboard.type("next: 3 points, see n and p")
    press(page, "Escape")
    place = main.get_by_text(re.compile(r"^1 of \d+$"))
    expect(place).to_be_visible()  # what was typed moved nothing
    all_open = int(place.inner_text().split(" of ")[1])
    press(page, "1", "Enter")
    expect(main.get_by_text(re.compile(rf"of {all_open - 1}$"))).to_be_visible()
    expect(main.get_by_role("button", name=re.compile("Show the votes"))).to_be_visible()
    columns = ("grade", "blind_grade", "reason", "note", "rubric_change", "clause")
    wanted = (1, 2, "rubric_clause", "next: 3 points, see n and p", 1, "grade 3")
    assert newest(settle_server, "decision", *columns) == wanted

    press(page, "0", "a", "Enter")  # Enter accepts the grade from before the votes, right after a reason's key
    expect(main.get_by_text(re.compile(rf"of {all_open - 2}$"))).to_be_visible()
    assert newest(settle_server, "decision", *columns) == (0, 0, "query_unclear", "", 0, "")

    press(page, "v", "m")
    expect(main.get_by_text(re.compile(rf"of {all_open - 3}$"))).to_be_visible()
    assert newest(settle_server, "pair_request", "kind") == ("more",)
    number = newest(settle_server, "decision", "id")
    press(page, "n", "p", "p")
    assert newest(settle_server, "decision", "id") == number
