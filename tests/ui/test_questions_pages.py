"""The pages around questions: the lead's list, the setup's step, and what a rater finds in their own judgments."""

import uuid
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from labeling import accounts, collection, questions
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.rubrics import get_rubric, publish_rubric
from labeling.second_questions import list_second_questions
from tests.support.campaign import Card, make_project
from tests.ui.test_pages import go_to_step, words

Open = Callable[..., AppTest]
PASSWORD = "correct horse"


@pytest.fixture
def card(database: str) -> Card:
    """Rae, who has graded one pair; and Lee, who leads."""
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Lee", role="lead", password=PASSWORD)
        number = accounts.create_account(session, COMMAND_LINE, name="Rae", role="rater", password=PASSWORD)
    card = Card(Actor(number, "Rae", "rater"), make_project(queries=1, documents=3))
    card.send()
    card.grade(1)
    return card


def ask(card: Card, about: str, text: str) -> None:
    fields = {"kind": "question", "asks": card.held[0]["pair"], "about": about, "text": text}
    outcome = card.send({"act_id": str(uuid.uuid4()), "seq": 1, **fields})["acts"][0]
    assert outcome["status"] == "saved"


def own(card: Card) -> dict[str, str]:
    with reading() as session:
        rows = questions.list_own_questions(session, card.actor, card.project)
    return {row.text: row.state for row in rows}


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def test_a_lead_answers_accepts_and_declines_and_the_asker_reads_what_became_of_it(card: Card, open_page: Open) -> None:
    ask(card, "query", "Do menus count?")
    ask(card, "narrative", "needs a date")
    ask(card, "rubric", "Why four grades?")
    app = open_page("questions")
    assert not app.exception
    app.text_area[0].set_value("No, they do not.")
    app = press(app, "Answer")
    app = press(app, "Accept")
    assert own(card) == {"Do menus count?": "answered", "needs a date": "accepted", "Why four grades?": "open"}
    app = press(app, "Decline")
    assert app.error  # declined without a word
    app.text_area[0].set_value("They are settled.")
    app = press(app, "Decline")
    assert not app.exception
    assert "No question waits" in words(app)
    assert set(own(card).values()) == {"answered", "accepted", "declined"}
    with reading() as session:
        assert [row.narrative for row in collection.list_narratives(session, card.project)] == ["needs a date"]
    mine = open_page("history", "Rae")
    assert not mine.exception
    assert "Declined · Rubric" in words(mine)


def test_a_lead_writes_a_narrative_at_any_time(card: Card, open_page: Open) -> None:
    app = open_page("questions")
    next(area for area in app.text_area if area.label == "Narrative").set_value("Wants the year.")
    app = press(app, "Save the narrative")
    assert not app.exception
    with reading() as session:
        assert [row.narrative for row in collection.list_narratives(session, card.project)] == ["Wants the year."]


def test_second_questions_are_made_worded_anew_and_switched_off_in_the_setup(card: Card, open_page: Open) -> None:
    app = open_page("setup")
    go_to_step(app, "questions")
    next(field for field in app.text_input if field.label == "Question").set_value("Is the source right?")
    next(field for field in app.text_input if field.label == "Name in exports").set_value("source")
    app = press(app, "Ask it from now on")
    assert not app.exception
    assert not app.error
    next(field for field in app.text_input if field.label == "Question").set_value("Right source?")
    app = press(app, "Save")
    next(toggle for toggle in app.toggle if toggle.label == "Asked").set_value(False).run()
    with reading() as session:
        (question,) = list_second_questions(session, card.project)
    assert (question.name, question.text, question.labels, question.active) == (
        "source",
        "Right source?",
        ("yes", "no"),
        False,
    )


def test_a_changed_rubric_shows_what_changed_and_how_many_judgments_came_before(card: Card, open_page: Open) -> None:
    with writing() as session:
        rubric = get_rubric(session, card.project)
        publish_rubric(session, COMMAND_LINE, card.project, text="Judge by the date.", levels=rubric.levels)
    app = open_page("history", "Rae")
    assert not app.exception
    assert "1 judgment was made before the rubric changed" in words(app)
    assert any("from version 1 to 2" in fold.label for fold in app.expander)
    judging = open_page("judge", "Rae")
    assert not judging.exception
    assert [link.label for link in judging.get("page_link")] == [
        "The rubric has changed: look at 1 judgment that you made before"
    ]
    walk = open_page("judge", "Rae", older="1")
    assert not walk.exception
    assert not walk.get("page_link")
