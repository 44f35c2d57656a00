"""Practice in the whole app: the reference after each grade, the result, another set, in; and who is not let in."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.conftest import Server
from tests.browser.test_judging_for_real import PASSWORD, ledger, run_commands, write_campaign
from tests.support.data import REPOSITORY

pytestmark = pytest.mark.browser
SETS = {1: (3, 0, 2, 1), 2: (0, 1, 2, 3)}
WORDS = "**because** <b>{set}.{place}</b>"


def write_references(folder: Path) -> str:
    file = folder / "references.csv"
    rows = [
        f"{number},d{number}-{place:02},{grade},{WORDS.format(set=number, place=place)},practice,{number}"
        for number, grades in SETS.items()
        for place, grade in enumerate(grades, start=1)
    ]
    gold = [f"3,d3-{place:02},1,,gold," for place in range(1, 9)]
    file.write_text("\n".join(["query_id,doc_id,grade,reason,purpose,set", *rows, *gold]) + "\n")
    return str(file)


def run_here(server: Server, statement: str) -> None:
    """A statement on the server's database, with a session and the project's number."""
    script = (
        "from labeling import calibration, projects\nfrom labeling.accounts import COMMAND_LINE as lead\n"
        f"from labeling.database import writing\nwith writing() as session:\n    {statement}\n"
    )
    environment = {**os.environ, **server.environment}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def app_server(start_server: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The app with two practice sets, calibration and gold on, and two raters."""
    server = start_server("app.py")
    folder = tmp_path_factory.mktemp("campaign")
    queries, documents, run = write_campaign(folder)
    trial = ["--project", "trial"]
    run_commands(server, ["user", "add", "Bo", "--role", "rater"], given=f"{PASSWORD}\n")
    run_commands(
        server,
        ["user", "add", "Cy", "--role", "rater"],
        ["project", "create", "trial"],
        ["import", "queries", queries, *trial],
        ["import", "documents", documents, *trial],
        ["import", "references", write_references(folder), *trial],
        ["import", "runs", run, *trial],
        ["pool", *trial, "--depth", "20", "--overlap", "2"],
        ["project", "open", "trial"],
        given=f"{PASSWORD}\n",
    )
    run_here(server, "projects.change_project(session, lead, 1, calibration=True, gold_every=3)")
    return server


def sign_in(page: Page, server: Server, name: str) -> None:
    page.goto(f"{server.url}/judge?project=1")
    page.get_by_label(re.compile("Name")).fill(name)
    page.get_by_label(re.compile("Password")).fill(PASSWORD)
    page.keyboard.press("Enter")


def state(page: Page, name: str) -> None:
    expect(page.locator("[data-card]")).to_have_attribute("data-state", name, timeout=30_000)


def press_seen(page: Page, key: str) -> None:
    """Press a key once the pair on screen has been there for a moment."""
    card = page.locator("[data-card]")
    state(page, "judging")
    expect(card).to_have_attribute("data-painted", card.get_attribute("data-pair") or "0")
    page.wait_for_timeout(120)
    page.keyboard.press(key)


def practise(page: Page, number: int, grades: tuple[int, ...]) -> None:
    """Judge a set: after each grade the reference with its reason for the document that is still there."""
    names = ("Not relevant", "Related", "Highly relevant", "Perfectly relevant")
    for place, grade in enumerate(grades, start=1):
        press_seen(page, str(grade))
        state(page, "feedback")
        known = SETS[number][place - 1]
        expect(page.locator("[data-known]")).to_have_text(f"{known} {names[known]}")
        expect(page.locator("[data-given]")).to_have_text(f"{grade} {names[grade]}")
        expect(page.locator("[data-because]")).to_have_text(WORDS.format(set=number, place=place))
        expect(page.locator("[data-title]")).to_have_text(f"Document d{number}-{place:02}")
        expect(page.locator("[data-difference]")).to_have_text(
            "The same grade" if known == grade else re.compile("Yours is")
        )
        page.keyboard.press("2")  # no grade while a reference is read
        page.keyboard.press("z")
        state(page, "feedback")
        page.keyboard.press("Enter" if place % 2 else "Space")


def test_a_rater_fails_a_set_passes_the_next_and_judges_with_gold_that_no_answer_tells(
    app_server: Server, browser_page: Page
) -> None:
    page, answers = browser_page, []

    def note(response: Response) -> None:
        if response.url.endswith("/api/judge"):
            answers.append(response.json())

    sign_in(page, app_server, "Bo")
    state(page, "practice")
    expect(page.locator("[data-rest-text]")).to_contain_text("4 pairs whose grade is known")
    page.keyboard.press("Enter")
    expect(page.locator("[data-batch]")).to_have_text("Practice set 1: 0 of 4")
    practise(page, 1, (0, 0, 0, 0))
    state(page, "result")
    expect(page.locator("[data-rest-title]")).to_have_text("Not there yet")
    expect(page.locator("[data-boundaries] tr").first).to_have_text(re.compile(r"0 \| 1\s*1 of 4\s*–\s*3"))
    expect(page.locator("[data-rest-more]")).to_contain_text("Another set comes next")
    page.keyboard.press("Enter")
    page.reload()
    practise(page, 2, (0, 1, 2, 2))
    state(page, "result")
    expect(page.locator("[data-rest-title]")).to_have_text("You are in")
    expect(page.locator("[data-rest-text]")).to_contain_text(re.compile(r"0\.8\d; 0\.60 is needed"))
    page.on("response", note)
    page.keyboard.press("Enter")
    for key in "123012301230":
        press_seen(page, key)
    expect(page.locator("[data-status]")).to_have_attribute("data-kind", "saved")
    page.reload()
    state(page, "judging")
    assert len(ledger(app_server)) == 20
    run_here(app_server, "assert projects.count_project(session, lead, 1).votes in range(6, 11)")
    told = json.dumps(answers).casefold()
    assert answers
    assert not [word for word in ("gold", "purpose", "repeat", "reference") if word in told]
    assert len({tuple(sorted(pair)) for answer in answers for pair in answer.get("pairs", ())}) == 1


def test_a_rater_who_fails_every_set_waits_for_the_lead(app_server: Server, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US")
    context.set_default_timeout(15_000)
    page = context.new_page()
    sign_in(page, app_server, "Cy")
    state(page, "practice")
    page.locator('[data-do="go_on"]').click()
    practise(page, 1, (0, 3, 0, 3))
    page.locator('[data-do="go_on"]').click()
    practise(page, 2, (3, 2, 1, 0))
    for _ in range(2):
        expect(page.locator("[data-rest-title]")).to_have_text("Not there yet")
        expect(page.locator("[data-rest-more]")).to_contain_text("Your lead sees this")
        expect(page.locator('[data-do="go_on"]')).to_be_hidden()
        page.reload()
    number = "next(one.rater_id for one in calibration.list_calibrations(session, lead, 1) if one.state == 'failed')"
    run_here(app_server, f"calibration.admit_rater(session, lead, 1, {number})")
    page.reload()
    state(page, "judging")
    context.close()
