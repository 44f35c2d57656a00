"""Questions from the card in a real Chromium: to the lead without leaving the pair, and second ones after the grade."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.card import key_down

pytestmark = pytest.mark.browser


def fold(card, place: str):
    return card.root.locator(f"[data-{place}-answers]")


def test_a_question_asked_offline_arrives_once_and_typing_it_presses_no_grade(card):
    card = card().open()
    card.page.context.set_offline(True)
    card.press("q")
    box = card.root.locator("[data-ask-text]")
    expect(card.root.locator('[data-about="query"]')).to_be_focused()  # a number chooses, and then words are typed
    card.page.keyboard.type("10123 suq z")
    expect(box).to_be_focused()
    session = card.page.context.new_cdp_session(card.page)
    session.send("Input.imeSetComposition", {"text": "한", "selectionStart": 1, "selectionEnd": 1})
    key_down(card.page, "Process", "Enter", windowsVirtualKeyCode=229)  # ends the composition, not the question
    expect(card.root.locator('[data-panel="ask"]')).to_be_visible()
    session.send("Input.insertText", {"text": "한글로도 되나요?"})
    assert (card.pair, card.ledger) == (1, [])
    card.page.keyboard.press("Escape")  # what was written waits
    card.press("q")
    expect(box).to_have_value(re.compile("한글로도"))
    card.page.keyboard.press("Control+Enter")
    expect(card.root.locator('[data-panel="ask"]')).to_be_hidden()
    card.settle()
    card.press("2")
    assert card.pair == 2
    expect(card.root.locator("[data-status]")).to_have_attribute("data-pending", "2")
    card.switch(swallow=1)  # the first answer is lost on its way: everything is sent again
    card.page.context.set_offline(False)
    card.wait_saved()
    (asked,) = card.read()["questions"]
    assert (asked["asks"], asked["about"], asked["text"]) == (1, "query", "0123 suq z한글로도 되나요?")
    assert card.grades() == [(1, 2)]
    expect(fold(card, "query").locator("[data-count]")).to_have_text("your question waits for an answer")


def test_the_first_letter_begins_the_question_and_a_number_chooses_what_it_is_about(card):
    card = card().open()
    card.press("q")
    card.page.keyboard.type("what is meant?")
    expect(card.root.locator("[data-ask-text]")).to_have_value("what is meant?")
    expect(card.root.locator('[data-about="query"]')).to_have_attribute("aria-checked", "true")
    card.page.keyboard.press("Control+Enter")
    card.press("q")
    card.page.keyboard.type("3to buy 3 lamps")
    expect(card.root.locator("[data-ask-text]")).to_have_value("to buy 3 lamps")
    card.page.keyboard.press("Control+Enter")
    card.wait_saved()
    assert [(each["about"], each["text"]) for each in card.read()["questions"]] == [
        ("query", "what is meant?"),
        ("narrative", "to buy 3 lamps"),
    ]


def test_a_clause_is_asked_about_and_answers_are_folded_and_new_until_they_are_read(card):
    card = card()
    answered = {"kind": "question", "clause": "", "state": "answered", "mine": False}
    card.switch(
        answered=[
            {**answered, "id": 1, "query_id": "qwhat", "text": "Do menus count?", "answer": "<b>No</b>, never."},
            {**answered, "id": 2, "query_id": "qother", "text": "Elsewhere", "answer": "Elsewhere"},
            {
                **answered,
                "id": 3,
                "query_id": None,
                "text": "Are lists answers?",
                "answer": "Yes.",
                "clause": "2 Helpful",
            },
        ]
    )
    card.open()
    expect(fold(card, "query").locator("summary")).to_have_text("1 answer new")
    expect(fold(card, "query").locator("dl")).to_be_hidden()
    card.press("a")
    expect(fold(card, "query").locator("dl")).to_have_text("Do menus count?<b>No</b>, never.")
    card.press("a")
    expect(fold(card, "query").locator("summary")).to_have_text("1 answer")
    expect(fold(card, "rubric").locator("summary")).to_contain_text("1 answer new")
    card.root.locator('[data-do="ask"]').click()
    card.root.locator('[data-about="rubric"]').click()
    card.root.locator("[data-clause]").select_option("2 Helpful")
    card.root.locator("[data-ask-text]").fill("Does a menu help?")
    card.root.locator('[data-panel="ask"] button[type="submit"]').click()
    card.wait_saved()
    (asked,) = card.read()["questions"]
    assert (asked["about"], asked["clause"], asked["text"]) == ("rubric", "2 Helpful", "Does a menu help?")
    card.open()
    expect(fold(card, "query").locator("summary")).to_have_text("1 answer")  # read before


def test_second_questions_follow_the_grade_by_key_and_mouse_and_go_with_it(card):
    card = card("second").open()
    lines = card.root.locator("[data-second-lines] li")
    card.press("2")
    assert card.pair == 1
    expect(lines).to_have_count(2)
    expect(lines.first).to_have_attribute("data-now", "")
    card.press("s", "7")  # no label, no skip: said, not done
    assert card.ledger == []
    card.press("y", "z", "n", "3")
    assert card.pair == 2
    card.press("1", "Escape", "3")  # another grade after all
    card.root.locator('[data-second="use"] >> text=Does not apply').click()
    card.root.locator('[data-second="source"][data-answer-label="yes"]').click()
    card.wait_saved()
    rows = [(row["pair"], row["grade"], row["answers"]) for row in card.ledger]
    assert rows == [(1, 2, {"source": "no", "use": "fully"}), (2, 3, {"use": "-", "source": "yes"})]
    card.press("u", "1")  # no grade, no questions
    assert card.pair == 4
    card.press("z", "z")
    expect(card.root.locator("[data-again]")).to_contain_text("Answers fully (Does not apply, Yes)")
    card.press("1")
    expect(card.root.locator('[data-second="source"][data-before]')).to_contain_text("Yes")


def test_too_many_acts_for_one_request_are_sent_in_smaller_parts(card):
    card = card().open()
    card.switch(most=3)
    card.page.context.set_offline(True)
    for digit in "0123012301":
        card.press(digit)
    card.page.context.set_offline(False)
    card.wait_saved()
    assert card.grades() == list(enumerate([0, 1, 2, 3, 0, 1, 2, 3, 0, 1], 1))


def test_a_rubric_full_of_unclosed_links_is_laid_out_at_once(card):
    card = card().open()
    spent = card.page.evaluate(
        """async () => {
          const source = await (await fetch("/pretend/markdown")).text();
          const work = new Function(source + "; const t = performance.now(); inlineMarkdown('[a]('.repeat(2000)); return performance.now() - t;");
          return work();
        }"""
    )
    assert spent < 500


def test_older_judgments_are_kept_by_a_key_or_changed_and_none_is_withdrawn_on_the_way(card):
    card = card("older").open(older="1")
    expect(card.root.locator("[data-again]")).to_contain_text("under version 0: 0 Not relevant")
    expect(card.root.locator("[data-batch]")).to_have_text("0 of 4 looked at")
    card.press("Enter")
    assert card.pair == 2
    card.press("s")  # put off within the walk: nothing is sent
    assert card.pair == 3
    card.press("3", "z")  # back to it: what was chosen stands until another is
    assert card.pair == 3
    expect(card.root.locator("[data-again]")).to_contain_text("3 Answers fully")
    card.press("2")
    seen = {card.pair}
    card.press("c")
    seen.add(card.pair)
    assert seen == {2, 4}
    card.root.locator('[data-do="keep"]').click()
    expect(card.root).to_have_attribute("data-state", "older")
    expect(card.root.locator("[data-rest-title]")).to_have_text("All looked at")
    rows = [(row["pair"], row["kind"], row["grade"], row["reason"]) for row in card.ledger]
    assert rows[:3] == [(1, "grade", 0, None), (3, "grade", 3, None), (3, "grade", 2, None)]
    assert sorted(rows[3:]) == [(2, "grade", 1, None), (4, "cannot_judge", None, "needs_expert")]
    assert {row["rubric_version"] for row in card.ledger} == {1}
    card.press("Enter")  # on to judging
    expect(card.root).to_have_attribute("data-pair", "5")


def test_a_changed_narrative_costs_one_act_and_the_querys_pairs_come_anew(card):
    card = card("small").open()
    card.switch(refuse={"1": "changed_text"})
    card.press("2")
    notice = card.root.locator("[data-notices] li")
    expect(notice).to_have_count(1)
    card.switch()
    expect(card.root).to_have_attribute("data-pair", "1")  # shown again at once
    card.page.wait_for_timeout(800)  # a key meant for the pair that stood here would be left out
    for _ in range(3):
        card.press("1")
    card.wait_saved()
    assert sorted(card.grades()) == [(1, 1), (2, 1), (3, 1)]
    expect(notice).to_have_count(1)
