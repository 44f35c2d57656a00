"""The whole app on a real server, as people meet it: the first link, the sign-in, the roles, hostile names."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.test_judging_for_real import run_commands
from tests.support.pages import LEAD_PAGES

pytestmark = pytest.mark.browser
PASSWORD = "a long password"
HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'> "
    "![pixel](https://tracker.invalid/p.png) :red[not red] $x$ **not bold** -> {what}"
)
RATER = "Rae <b>:red[r]</b> ![p](https://tracker.invalid/n.png) $y$"


def hostile(what: str) -> str:
    return HOSTILE.format(what=what)


def write_hostile_campaign(folder: Path) -> dict[str, str]:
    """One query with two documents, judged by two raters who differ on both."""
    files = {name: folder / name for name in ("queries.jsonl", "documents.jsonl", "first.run", "votes.csv")}
    files["queries.jsonl"].write_text(json.dumps({"query_id": "q1", "text": hostile("query")}))
    documents = [{"doc_id": f"d{n}", "title": hostile("title"), "text": hostile("document")} for n in (1, 2)]
    files["documents.jsonl"].write_text("\n".join(json.dumps(one) for one in documents))
    files["first.run"].write_text("q1 Q0 d1 1 2.0 first\nq1 Q0 d2 2 1.0 first\n")
    with files["votes.csv"].open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["query_id", "doc_id", "rater", "grade", "comment"])
        for doc_id in ("d1", "d2"):
            table.writerow(["q1", doc_id, RATER, 0, hostile("comment")])
            table.writerow(["q1", doc_id, "Bo", 3, ""])
    return {name: str(path) for name, path in files.items()}


@pytest.fixture(scope="module")
def fresh_server(start_server: Callable[..., Server]) -> Server:
    """The app where nobody has an account yet."""
    return start_server("app.py")


@pytest.fixture(scope="module")
def app_server(start_server: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The app with the demo, a project full of markup, a lead and a rater."""
    server = start_server("app.py")
    files = write_hostile_campaign(tmp_path_factory.mktemp("hostile"))
    named = ["--project", hostile("project")]
    commands = [
        ["init", "--demo"],
        ["project", "create", hostile("project")],
        ["import", "queries", files["queries.jsonl"], *named],
        ["import", "documents", files["documents.jsonl"], *named],
        ["import", "runs", files["first.run"], *named],
        ["pool", *named, "--depth", "2", "--overlap", "2"],
        ["import", "judgments", files["votes.csv"], *named],
        ["project", "open", hostile("project")],
    ]
    people = [["user", "add", "Lee", "--role", "lead"], ["user", "add", RATER, "--role", "rater"]]
    run_commands(server, *people, *commands, given=f"{PASSWORD}\n" * 2)
    return server


@pytest.fixture
def foreign(browser_page: Page) -> list[str]:
    """Addresses on any other host that the page asks for, as they come."""
    found: list[str] = []

    def note(address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "localhost":
            found.append(address)

    browser_page.on("request", lambda request: note(request.url))
    browser_page.on("websocket", lambda socket: note(socket.url))
    return found


def sign_in(page: Page, server: Server, name: str) -> None:
    form = {"name": name, "password": PASSWORD, "next": "/"}
    headers = {"Origin": server.url}
    answer = page.request.post(f"{server.url}/sign-in", form=form, headers=headers, max_redirects=0)
    assert answer.status == 303


def open_page(page: Page, server: Server, path: str) -> None:
    """A page, when its run has ended and it shows something."""
    page.goto(f"{server.url}/{path}")
    expect(page.get_by_test_id("stMainBlockContainer")).to_contain_text(re.compile(r"\w"), timeout=20_000)
    wait_calm(page)


def wait_calm(page: Page) -> None:
    """Until no run of the page is under way."""
    calm = page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')
    expect(calm).to_be_attached(timeout=20_000)
    page.wait_for_timeout(150)  # a run may call for another
    expect(calm).to_be_attached(timeout=20_000)


def navigation(page: Page) -> list[str]:
    """Where the links of the top navigation lead."""
    links = page.get_by_test_id("stTopNavLink")
    expect(links.first).to_be_attached()
    addresses = links.evaluate_all("links => links.map((link) => new URL(link.href).pathname.slice(1))")
    sections = page.get_by_test_id("stTopNavSection")  # a lead's pages stand in menus
    for number in range(sections.count()):
        sections.nth(number).click()
        links = page.get_by_test_id("stTopNavDropdownLink")
        expect(links.first).to_be_visible()
        addresses += links.evaluate_all("links => links.map((link) => new URL(link.href).pathname.slice(1))")
        page.keyboard.press("Escape")
        expect(links).to_have_count(0)
    return list(addresses)


def go_to(page: Page, name: str) -> None:
    """Open a page by its link in one of the menus."""
    for section in page.get_by_test_id("stTopNavSection").all():
        section.click()
        link = page.locator(f'[data-testid="stTopNavDropdownLink"][href$="/{name}"]')
        expect(page.get_by_test_id("stTopNavDropdownLink").first).to_be_visible()
        if link.count():
            link.click()
            return
        page.keyboard.press("Escape")
    pytest.fail(f"no menu has a link to {name}")


def test_the_first_link_makes_an_admin_whose_sign_in_lasts_until_they_sign_out(
    fresh_server: Server, browser_page: Page, foreign: list[str]
) -> None:
    page, log = browser_page, fresh_server.log.read_text()
    path = re.search(r"/welcome\?token=\S+", log)
    assert path, log
    page.goto(fresh_server.url + path.group())
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password (8 characters or more)").fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", name="Projects")
    expect(heading).to_be_visible(timeout=20_000)
    page.reload()
    expect(heading).to_be_visible(timeout=20_000)
    fresh_server.kill()
    fresh_server.start()  # nothing has run yet when the deep link comes
    open_page(page, fresh_server, "agreement")
    assert set(LEAD_PAGES) <= set(navigation(page))
    open_page(page, fresh_server, "account")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(f"{fresh_server.url}/agreement")
    expect(page).to_have_url(re.compile("/sign-in"))
    assert foreign == []


def test_a_rater_sees_no_page_of_a_lead(app_server: Server, browser_page: Page, foreign: list[str]) -> None:
    page = browser_page
    sign_in(page, app_server, RATER)
    open_page(page, app_server, "history?project=2")
    assert not set(LEAD_PAGES) & set(navigation(page))
    expect(page.get_by_test_id("stMainBlockContainer")).to_contain_text("You have not judged anything here yet.")
    open_page(page, app_server, "account")
    expect(page.get_by_text(RATER, exact=True)).to_be_visible()
    page.goto(f"{app_server.url}/people")
    expect(page.get_by_text("Page not found")).to_be_visible(timeout=20_000)
    assert foreign == []


def test_a_rater_changes_their_mind_from_the_history(app_server: Server, browser_page: Page) -> None:
    page, card = browser_page, browser_page.locator("[data-card]")
    sign_in(page, app_server, RATER)
    page.goto(f"{app_server.url}/judge?project=1")
    expect(card).to_have_attribute("data-painted", re.compile("."), timeout=20_000)
    expect(card.locator("[data-rule] h4")).to_have_text("What is asked")  # the rubric's markdown, read
    pair = card.get_attribute("data-pair") or ""
    page.wait_for_timeout(90)
    page.keyboard.press("1")
    status = card.locator("[data-status]")
    expect(status).to_have_attribute("data-kind", "saved")
    open_page(page, app_server, "history?project=1")
    table = page.get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    page.wait_for_timeout(300)  # cells are painted on a canvas, which says nothing of being ready
    place = table.bounding_box()
    assert place
    page.mouse.click(place["x"] + 60, place["y"] + 52)
    page.get_by_role("button", name="Judge again").click()
    expect(card).to_have_attribute("data-painted", pair, timeout=20_000)
    expect(card.locator("[data-again]")).to_contain_text("1 Related")
    page.wait_for_timeout(750)
    page.keyboard.press("3")
    expect(status).to_have_attribute("data-kind", "saved")
    page.keyboard.press("z")
    expect(card).to_have_attribute("data-painted", pair)
    expect(card.locator("[data-again]")).to_contain_text("3 Perfectly relevant")
    page.wait_for_timeout(90)
    page.keyboard.press("2")
    expect(status).to_have_attribute("data-kind", "saved")
    page.reload()
    expect(card.locator("[data-history] li")).to_have_count(1, timeout=20_000)
    expect(card.locator("[data-history] .chip")).to_have_text("2")
    expect(card.locator("[data-notices] li")).to_have_count(0)


def test_markup_in_names_and_texts_is_shown_as_it_is_and_runs_nothing(
    app_server: Server, browser_page: Page, foreign: list[str]
) -> None:
    page = browser_page
    sign_in(page, app_server, "Lee")
    open_page(page, app_server, "progress?project=2")
    for name in LEAD_PAGES:
        go_to(page, name)  # a third of the time of a load
        expect(page).to_have_url(re.compile(f"/{name}"))
        wait_calm(page)
        assert page.get_by_test_id("stException").count() == 0, name
        if name == "settle":
            page.get_by_text("Show the votes without a grade").click()
            page.get_by_text("Show the names").click()
            for what in ("query", "title", "document", "comment"):
                expect(page.get_by_text(hostile(what), exact=True).first).to_be_visible()
            expect(page.get_by_text(f"{RATER}: 0")).to_be_visible()
        if name == "agreement":
            expect(page.locator("body")).to_contain_text("<b>:red[r]</b>")
        assert page.evaluate("window.hacked") is None, name
        assert page.locator('img[src*="tracker"], .katex').count() == 0, name
    page.locator('[data-testid="stTopNavLink"]').first.click()
    expect(page.get_by_text(hostile("project"), exact=True)).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert foreign == []
