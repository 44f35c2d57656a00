"""The judging card when things go wrong: nothing is lost, doubled or misplaced, and the screen says the truth."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.support.card import Card

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser_context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for all: the second page load takes half the time, and each test has a project of its own."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.set_default_timeout(15_000)
    yield context
    context.close()


def test_offline_keeps_the_acts_says_so_and_sends_them_once(card):
    card = card().open()
    card.page.context.set_offline(True)
    card.press("1", "2", "3")
    expect(card.root.locator("[data-status-text]")).to_have_text("offline: 3 kept, trying again")
    assert card.ledger == []
    card.page.context.set_offline(False)
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 2), (3, 3)]


def test_never_saved_before_the_answer(card):
    card = card().open()
    card.switch(slow=0.7)
    card.press("2")
    expect(card.root.locator("[data-status-text]")).to_have_text("saving 1…")
    assert card.root.locator('[data-history] [data-sent="no"]').count() == 1
    card.wait_saved()
    assert card.root.locator('[data-history] [data-sent="yes"]').count() == 1


def test_a_reload_in_mid_act_loses_and_doubles_nothing(card):
    card = card().open()
    card.switch(status=503)
    card.press("1", "2")
    card.page.reload()
    expect(card.root.locator("[data-status-text]")).to_have_text("offline: 2 kept, trying again")
    card.switch()
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 2)]
    assert card.pair == 3
    sequence = [row["seq"] for row in card.ledger]
    card.press("3")
    card.wait_saved()
    assert card.ledger[-1]["seq"] > max(sequence)


def test_an_answer_that_never_arrives_is_asked_for_again(card):
    card = card().open()
    card.switch(swallow=2)
    card.press("1", "2")
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 2)]


def test_a_refused_act_is_shown_and_blocks_nothing(card):
    card = card().open()
    card.switch(refuse={"2": "settled", "3": "bad_act"})
    card.press("1", "1", "1", "1")
    card.wait_saved()
    assert [pair for pair, _ in card.grades()] == [1, 4]
    notices = card.root.locator("[data-notices] li")
    expect(notices).to_have_count(2)
    expect(notices.first).to_contain_text("Refused by the test.")
    expect(notices.first).to_contain_text("Document number 2")
    card.switch()
    seen = []
    for _ in range(2):
        seen.append(card.pair)
        card.press("2")
    card.wait_saved()
    assert 3 in seen  # what the server did not understand can be judged again
    notices.first.get_by_role("button").click()
    expect(notices).to_have_count(1)


def test_a_request_that_is_not_understood_does_not_block_the_other_acts(card):
    card = card().open()
    card.switch(status=500)
    card.press("1", "1", "1")
    card.switch(poison=[2])
    card.wait_saved()
    assert [pair for pair, _ in card.grades()] == [1, 3]
    expect(card.root.locator("[data-notices] li")).to_have_count(1)


def test_undo_reaches_acts_from_before_a_reload(card):
    card = card().open()
    card.press("0", "1", "2")
    card.wait_saved()
    card.page.reload()
    expect(card.root.locator("[data-history] li")).to_have_count(3)
    card.settle()
    card.press("z")
    expect(card.root).to_have_attribute("data-pair", "3")
    card.root.locator("[data-history] li").last.get_by_role("button").click()
    expect(card.root).to_have_attribute("data-pair", "1")
    card.wait_saved()
    assert [(row["pair"], row["kind"]) for row in card.ledger[3:]] == [(3, "undo"), (1, "undo")]


def test_two_tabs_keep_each_their_own_acts(card, browser_page):
    first = card().open()
    other = Card(browser_page.context.new_page(), first.base, name=first.project).open()
    first.switch(status=500)
    first.press("1")
    other.press("2")
    names = "() => Object.keys(localStorage).filter((key) => key.startsWith('assay:act:')).length"
    assert first.page.evaluate(names) == 2
    first.switch()
    first.wait_saved()
    other.wait_saved()
    assert sorted(card_["grade"] for card_ in first.ledger) == [1, 2]
    tabs = {row["tab"] for row in first.read()["requests"]}
    assert len(tabs) == 2
    assert first.page.evaluate(names) == 0
    other.page.close()


def test_another_page_sends_what_a_closed_tab_has_left(card, browser_page):
    first = card().open()
    tab = Card(browser_page.context.new_page(), first.base, name=first.project).open()
    first.switch(status=500)
    tab.press("1", "2")
    tab.page.close()
    first.switch()
    first.page.goto(f"{first.base}/?project={first.project}&elsewhere=1")
    for _ in range(100):
        if len(first.ledger) == 2:
            break
        time.sleep(0.1)
    assert first.grades() == [(1, 1), (2, 2)]


def test_signed_out_keeps_the_acts_and_offers_the_way_back(card):
    card = card().open()
    card.switch(status=401)
    card.press("1", "2")
    status = card.root.locator("[data-status]")
    expect(status).to_contain_text("signed out: 2 kept. Sign in again")
    expect(status.get_by_role("link")).to_have_attribute("target", "_blank")
    card.switch()
    card.page.evaluate("window.dispatchEvent(new Event('focus'))")
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 2)]


def test_a_new_session_asks_for_a_fresh_page(card):
    card = card().open()
    card.switch(status=403)
    card.press("1")
    status = card.root.locator("[data-status]")
    expect(status).to_contain_text("1 kept; load the page anew to go on.")
    status.get_by_role("button").click()
    expect(status).to_contain_text("1 kept; load the page anew to go on.")
    card.switch()
    expect(card.root).to_have_attribute("data-pair", "2")
    card.wait_saved()
    assert card.grades() == [(1, 1)]


def test_a_lost_pair_leaves_and_a_key_for_it_does_not_hit_the_next(card):
    card = card().open()
    card.press("1")
    card.wait_saved()
    card.switch(lost=[3])
    card.press("1")
    expect(card.root.locator("[data-notices] li")).to_contain_text("has gone to another rater")
    card.page.keyboard.press("2")
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 1)]


def test_hostile_documents_are_text_and_break_nothing(card):
    card = card("hostile")
    asked = []
    card.page.on("request", lambda request: asked.append(request.url))
    card.open()
    text = card.root.locator("[data-text]")
    expect(text).to_contain_text("<script>window.hacked = 1</script>")
    expect(card.root.locator("[data-query]")).to_have_text("<b>what</b> is a lobster $x$")
    assert card.root.locator("[data-link]").is_hidden()
    for number in range(1, 11):
        expect(card.root).to_have_attribute("data-painted", str(number))
        card.settle()
        if number == 4:
            box = card.root.locator("[data-grades]").bounding_box()
        if number in (7, 8):
            expect(card.root.locator("[data-empty]")).to_be_visible()
        if number == 10:
            card.root.locator('[data-do="whole"]').click()
            expect(card.root.locator('[data-do="whole"]')).to_be_hidden()
        card.press("0")
    card.wait_saved()
    assert box is not None
    assert len(card.ledger) == 10
    assert card.page.evaluate("window.hacked") is None
    assert not [url for url in asked if "invalid" in url or "javascript" in url]
