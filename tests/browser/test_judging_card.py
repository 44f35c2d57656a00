"""The judging card in a real Chromium: what is pressed is what is stored."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.support.card import Card, key_down, key_up

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser_context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for all: the second page load takes half the time, and each test has a project of its own."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.set_default_timeout(15_000)
    yield context
    context.close()


def test_each_key_grades_the_pair_on_screen_and_shows_the_next(card):
    card = card().open()
    for grade in (0, 1, 2, 3):
        before = card.pair
        card.press(str(grade))
        assert card.pair == before + 1
    card.wait_saved()
    assert card.grades() == [(1, 0), (2, 1), (3, 2), (4, 3)]
    row = card.ledger[0]
    assert row["shown"] == "hash-1"
    assert row["rubric_version"] == 1
    assert 0 < row["seconds"] < 60
    assert row["shown_at"] <= row["pressed_at"]
    expect(card.root.locator("[data-batch]")).to_have_text("4 of 40 in this batch")


def test_ten_keys_in_a_second_all_count(card):
    card = card().open()
    for digit in "0123321012":
        card.page.keyboard.press(digit)
        card.page.wait_for_timeout(100)
    card.wait_saved()
    assert card.grades() == list(enumerate([0, 1, 2, 3, 3, 2, 1, 0, 1, 2], 1))


def test_a_burst_puts_no_grade_on_a_pair_that_was_not_on_screen(card):
    card = card().watch().open()
    for digit in "0123321012":
        card.page.keyboard.press(digit)
        card.page.wait_for_timeout(30)
    card.wait_saved()
    pressed = card.page.evaluate("window.pressed")
    ignored = int(card.root.get_attribute("data-ignored") or 0)
    stored = card.grades()
    assert len(stored) + ignored == 10
    assert ignored > 0
    for judgment in stored:
        assert list(judgment) in pressed
    assert [pair for pair, _ in stored] == list(range(1, len(stored) + 1))


def test_a_held_key_grades_once(card):
    card = card().open()
    key_down(card.page, "2", "Digit2")
    for _ in range(15):
        card.page.wait_for_timeout(30)
        key_down(card.page, "2", "Digit2", autoRepeat=True)
    key_up(card.page, "2", "Digit2")
    card.wait_saved()
    assert card.grades() == [(1, 2)]


def test_clicks_grade_a_double_click_once_and_tab_reaches_the_buttons(card):
    card = card().open()
    card.root.locator('[data-grade="1"]').dblclick(delay=20)
    expect(card.root.locator("[data-flash]")).to_have_text("Too quick to be meant for this pair: ignored")
    card.settle()
    card.page.keyboard.press("Tab")
    focused = "() => document.activeElement?.shadowRoot?.activeElement?.dataset.grade"
    assert card.page.evaluate(focused) == "2"
    card.page.keyboard.press("Enter")
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 2)]


def test_undo_brings_the_pair_back_and_a_new_grade_counts(card):
    card = card().open()
    card.press("0", "1", "2")
    card.press("z", "z")
    assert card.pair == 2
    expect(card.root.locator("[data-again]")).to_contain_text("1 Related")
    card.press("3")
    card.wait_saved()
    kinds = [(row["pair"], row["kind"], row["grade"]) for row in card.ledger]
    assert kinds == [
        (1, "grade", 0),
        (2, "grade", 1),
        (3, "grade", 2),
        (3, "undo", None),
        (2, "undo", None),
        (2, "grade", 3),
    ]
    taken = [row["takes_back"] for row in card.ledger if row["kind"] == "undo"]
    assert taken == [card.ledger[2]["act_id"], card.ledger[1]["act_id"]]


def test_later_brings_the_pair_back_after_the_others(card):
    card = card("small").open()
    card.press("s", "1", "2")
    expect(card.root).to_have_attribute("data-pair", "1")
    card.settle()
    card.press("3")
    expect(card.root).to_have_attribute("data-state", "done")
    card.wait_saved()
    expect(card.root.locator("[data-rest-title]")).to_have_text("You have judged all you can")
    card.press("z")
    expect(card.root).to_have_attribute("data-pair", "1")


def test_cannot_judge_takes_one_more_key_or_words(card):
    card = card().open()
    card.press("u", "2")
    card.press("u", "Escape", "u", "5")
    card.page.keyboard.type("an r0tten c1ue")
    card.page.keyboard.press("Enter")
    card.settle()
    card.wait_saved()
    rows = [(row["kind"], row["reason"], row["comment"]) for row in card.ledger]
    assert rows == [("cannot_judge", "wrong_language", None), ("cannot_judge", "other", "an r0tten c1ue")]
    assert card.pair == 3


def test_typing_a_comment_grades_nothing_and_goes_with_the_grade(card):
    card = card().open()
    card.press("e")
    card.page.keyboard.type("see 1 2 3, urgent: zero s R c?")
    assert card.pair == 1
    card.press("Control+Enter", "2")
    card.wait_saved()
    assert [(row["grade"], row["comment"]) for row in card.ledger] == [(2, "see 1 2 3, urgent: zero s R c?")]
    assert card.root.locator("[data-comment]").input_value() == ""


def test_letters_of_streamlit_are_swallowed_and_chords_left_alone(card):
    card = card().open()
    card.page.evaluate("window.heard = []; document.addEventListener('keydown', (e) => window.heard.push(e.key))")
    card.press("r", "c", "Shift+R", "2")
    assert card.page.evaluate("window.heard") == ["Shift"]
    card.press("Control+2", "Alt+2")
    key_down(card.page, "ㅋ", "KeyZ")  # a command by its place, in Hangul mode
    expect(card.root).to_have_attribute("data-pair", "1")
    card.press("?")
    expect(card.root.get_by_role("dialog")).to_be_visible()
    card.press("2")
    expect(card.root.get_by_role("dialog")).to_be_hidden()
    card.wait_saved()
    assert [(row["pair"], row["kind"]) for row in card.ledger] == [(1, "grade"), (1, "undo")]


DIGITS = {
    "Korean input method": ("Process", "Digit2", {"windowsVirtualKeyCode": 229}),
    "AZERTY": ("é", "Digit2", {}),
    "AZERTY with shift": ("2", "Digit2", {"modifiers": 8}),
    "keypad": ("2", "Numpad2", {}),
    "full-width": ("２", "", {}),
}
NO_DIGITS = {
    "shift and two": ("@", "Digit2", {"modifiers": 8}),
    "keypad without NumLock": ("ArrowDown", "Numpad2", {}),
    "control and two": ("2", "Digit2", {"modifiers": 2}),
    "no grade of the scale": ("5", "Digit5", {}),
}


def test_digits_of_every_layout_grade_and_others_do_not(card):
    card = card().open()
    for number, (name, (key, code, more)) in enumerate(DIGITS.items(), 2):
        key_down(card.page, key, code, **more)
        card.settle()
        assert card.pair == number, name
    for name, (key, code, more) in NO_DIGITS.items():
        key_down(card.page, key, code, **more)
        card.settle()
        assert card.pair == len(DIGITS) + 1, name
    card.wait_saved()
    assert [grade for _, grade in card.grades()] == [2] * len(DIGITS)


def test_keys_rest_behind_a_dialog(card):
    card = card()
    card.page.goto(f"{card.base}/?project={card.project}&dialog=1")
    expect(card.page.get_by_role("dialog")).to_be_visible()
    expect(card.root).to_have_attribute("data-painted", "1")
    card.settle()
    card.page.keyboard.press("2")
    card.settle()
    assert card.pair == 1


def test_a_batch_ends_with_a_pause_and_enter_goes_on(card):
    card = card("batch").open()
    card.press(*"12312")
    expect(card.root).to_have_attribute("data-state", "paused")
    card.press("3")
    card.wait_saved()
    assert len(card.ledger) == 5
    card.press("z")
    expect(card.root).to_have_attribute("data-pair", "5")
    card.settle()
    card.press("0")
    expect(card.root).to_have_attribute("data-state", "paused")
    card.press("Enter")
    expect(card.root).to_have_attribute("data-pair", "6")
    expect(card.root.locator("[data-batch]")).to_have_text("0 of 5 in this batch")


ENDS = {
    "waiting": "3 pairs are held by other raters until",
    "complete": "Every pair has all the votes",
    "closed": "Judging has ended here.",
    "done": "There is no pair left for you",
}


def test_the_ends_are_told_apart(card):
    card = card("small").open()
    card.press("1", "1", "1")
    for kind, words in ENDS.items():
        card.switch(end={"kind": kind, "others_hold": 3, "until": "2026-01-01T10:52:00+00:00", "skipped": 0})
        card.page.evaluate("window.dispatchEvent(new Event('online'))")
        expect(card.root).to_have_attribute("data-state", kind)
        expect(card.root.locator("[data-rest-text]")).to_contain_text(words)


def test_query_words_are_marked_by_stem_and_under_korean_particles(card):
    english = card().open()
    marks = english.root.locator("mark").all_text_contents()
    assert {"Lobster", "rolls", "lobster"} <= set(marks)
    english.press("h")
    assert english.root.get_attribute("data-plain") == ""
    korean = card("korean").open(language="ko")
    assert {"훈민정음", "만들"} <= set(korean.root.locator("mark").all_text_contents())
    expect(korean.root.locator('[data-do="undo"]').first).to_contain_text("되돌리기")
    assert korean.page.evaluate("document.documentElement.lang") == "ko"


def test_on_a_phone_the_grades_stay_in_reach(browser, card_server):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    card = Card(context.new_page(), card_server).open()
    for grade in range(4):
        box = card.root.locator(f'[data-grade="{grade}"]').bounding_box()
        assert box["y"] + box["height"] <= 844
        assert box["y"] > 600
        assert box["width"] >= 44
        assert box["height"] >= 44
    assert card.page.evaluate("document.scrollingElement.scrollWidth") <= 390
    card.root.locator('[data-grade="2"]').tap()
    card.wait_saved()
    card.root.locator('[data-do="sheet"]').tap()
    expect(card.root.locator("[data-rubric]")).to_contain_text("Answers fully")
    # documents without a title stand among the last acts with the beginning of their text
    card.root.locator("[data-history] li span").last.evaluate("(node) => { node.textContent = 'word '.repeat(60) }")
    sheet = card.root.locator("[data-sheet]")
    assert sheet.evaluate("(node) => node.scrollWidth - node.clientWidth") == 0
    assert card.root.locator("[data-history] li button").first.bounding_box()["x"] < 390 - 44
    context.close()
    assert card.grades() == [(1, 2)]


def test_ones_own_pair_can_be_judged_again(card):
    card = card().open()
    card.press("1")
    card.wait_saved()
    card.open(pair="1")
    expect(card.root).to_have_attribute("data-pair", "1")
    expect(card.root.locator("[data-again]")).to_contain_text("Your judgment so far: 1 Related")
    card.page.wait_for_timeout(750)
    card.press("3")
    card.wait_saved()
    assert card.grades() == [(1, 1), (1, 3)]


def test_a_rerun_of_the_page_leaves_the_card_as_it_is(card):
    card = card().open(again="1")
    card.press("1", "2", "e")
    card.page.keyboard.type("half a thought")
    card.root.evaluate("(node) => { node.same = true }")
    card.page.get_by_role("button", name="Again").click()
    card.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    card.page.wait_for_timeout(300)
    assert card.root.evaluate("(node) => node.same") is True
    assert card.pair == 3
    assert card.root.locator("[data-comment]").input_value() == "half a thought"
    card.press("3")
    card.wait_saved()
    assert card.grades() == [(1, 1), (2, 2), (3, 3)]
