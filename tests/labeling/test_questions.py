"""What raters ask and propose, what leads answer, and who sees what of it."""

import uuid

import pytest

from labeling import collection, questions
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.errors import AssayError, NotAllowed, NotFound
from tests.support.campaign import Card, make_people, make_project


def ask(card: Card, pair: dict, text: str, about: str = "query", **more: object) -> dict:
    act = {
        "act_id": str(uuid.uuid4()),
        "seq": 1,
        "kind": "question",
        "asks": pair["pair"],
        "about": about,
        "text": text,
    }
    return {**act, **more}


def open_ones(project: int) -> list:
    with reading() as session:
        return [row for row in questions.list_questions(session, COMMAND_LINE, project) if row.state == "open"]


def beside(card: Card) -> list[dict]:
    """What the card is told in its next full answer."""
    return card.send()["questions"]


@pytest.fixture
def campaign(database: str) -> tuple[int, Card, Card, Actor]:
    ann, bo = make_people("Ann", "Bo")
    (lee,) = make_people("Lee", role="lead")
    project = make_project(queries=1, documents=6)
    cards = Card(ann, project), Card(bo, project, tab="tab-2")
    for card in cards:
        card.send()
    return project, *cards, lee


def test_a_question_is_kept_exactly_once_beside_acts_in_the_same_request(campaign: tuple) -> None:
    project, ann, _bo, _lee = campaign
    pair = ann.held[0]
    question = ask(ann, pair, "  Do recipes count?  ")
    outcomes = ann.send(question, ann.act("grade", ann.held.pop(0), grade=1), question)["acts"]
    assert sorted(one["status"] for one in outcomes) == ["repeated", "saved", "saved"]
    (row,) = open_ones(project)
    assert (row.text, row.asked_by, row.query_id, row.doc_id) == (
        "Do recipes count?",
        "Ann",
        pair["query_id"],
        pair["doc_id"],
    )
    assert ann.send(question)["acts"][0]["status"] == "repeated"
    assert len(open_ones(project)) == 1


def test_an_answer_stands_beside_the_query_for_everybody_and_names_neither_asker_nor_grade(campaign: tuple) -> None:
    project, ann, bo, lee = campaign
    pair = ann.held[0]
    ann.send(ask(ann, pair, "Do recipes count?"))
    assert beside(bo) == []
    (own,) = beside(ann)
    assert (own["state"], own["mine"]) == ("open", True)
    with writing() as session:
        questions.answer_question(session, lee, project, open_ones(project)[0].id, "Only with their origin.")
    (seen,) = [one for one in beside(bo) if one["query_id"] == pair["query_id"]]
    assert set(seen) == {"id", "query_id", "kind", "clause", "text", "state", "answer", "mine"}
    assert (seen["text"], seen["answer"], seen["mine"]) == ("Do recipes count?", "Only with their origin.", False)


def test_an_answer_about_the_rubric_stands_there_with_its_clause(campaign: tuple) -> None:
    project, ann, bo, lee = campaign
    ann.send(ask(ann, ann.held[0], "Is a list an answer?", "rubric", clause="2 Highly relevant"))
    with writing() as session:
        questions.answer_question(session, lee, project, open_ones(project)[0].id, "Yes.")
    (seen,) = beside(bo)
    assert (seen["query_id"], seen["clause"]) == (None, "2 Highly relevant")


def test_an_accepted_narrative_is_the_querys_and_keeps_who_proposed_it(campaign: tuple) -> None:
    project, ann, _bo, lee = campaign
    pair = ann.held[0]
    ann.send(ask(ann, pair, "needs a date", "narrative"))
    with writing() as session:
        questions.accept_narrative(session, lee, project, open_ones(project)[0].id, "The asker needs a date.")
    with reading() as session:
        (row,) = questions.list_own_questions(session, ann.actor, project)
    assert (row.state, row.text, row.asked_by, row.narrative) == (
        "accepted",
        "needs a date",
        "Ann",
        "The asker needs a date.",
    )
    refused = ann.send(ann.act("grade", pair, grade=2))["acts"][0]
    assert refused["code"] == "changed_text"
    ann.held = []
    again = next(one for one in ann.send()["pairs"] if one["pair"] == pair["pair"])
    assert again["narrative"] == "The asker needs a date."
    assert ann.grade(2, again)["status"] == "saved"


def test_declined_words_are_the_askers_alone(campaign: tuple) -> None:
    project, ann, bo, lee = campaign
    ann.send(ask(ann, ann.held[0], "only videos", "narrative"))
    with writing() as session:
        questions.decline_question(session, lee, project, open_ones(project)[0].id, "Texts are meant.")
    assert beside(bo) == []
    (own,) = beside(ann)
    assert (own["state"], own["answer"]) == ("declined", "Texts are meant.")


def test_nobody_asks_about_a_pair_they_never_saw_and_only_leads_answer(campaign: tuple) -> None:
    project, ann, _bo, lee = campaign
    other = make_project(name="other")
    stranger = Card(ann.actor, other)
    assert stranger.send(ask(ann, ann.held[0], "What is it?"))["acts"][0]["code"] == "not_held"
    for broken in ({"text": "  "}, {"about": "grade"}, {"asks": "x"}, {"seq": "nan"}, {"act_id": "short"}):
        refused = ann.send({**ask(ann, ann.held[0], "What?"), **broken})["acts"][0]
        assert (refused["status"], refused["code"]) == ("refused", "bad_act")
    ann.send(ask(ann, ann.held[0], "What is it?"))
    number = open_ones(project)[0].id
    with writing() as session, pytest.raises(NotAllowed):
        questions.answer_question(session, ann.actor, project, number, "Me.")
    with writing() as session, pytest.raises(NotFound):
        questions.answer_question(session, lee, other, number, "Elsewhere.")
    with writing() as session, pytest.raises(AssayError, match="expected an answer"):
        questions.answer_question(session, lee, project, number, "  ")
    with writing() as session, pytest.raises(AssayError, match="found a question"):
        questions.accept_narrative(session, lee, project, number, "a narrative")
    with reading() as session, pytest.raises(NotAllowed):
        questions.list_questions(session, ann.actor, project)
    with reading() as session:
        assert questions.count_open_questions(session, lee) == {project: 1}


def test_a_narrative_written_by_a_lead_reaches_the_card_with_the_next_pairs(campaign: tuple) -> None:
    project, ann, _bo, lee = campaign
    pair = ann.held[0]
    with writing() as session:
        collection.write_narrative(session, lee, project, pair["query_id"], "the older one")
    ann.held = []
    shown = [one for one in ann.send()["pairs"] if one["query_id"] == pair["query_id"]]
    assert {one["narrative"] for one in shown} == {"the older one"}
