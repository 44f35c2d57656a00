"""Second questions: made and switched by leads, answered with the grade, in the same row of the ledger."""

from itertools import combinations

import pandas as pd
import pytest

from labeling import second_questions
from labeling.accounts import COMMAND_LINE
from labeling.answer_agreement import measure_answers
from labeling.database import reading, writing
from labeling.errors import AssayError, Conflict, NotAllowed
from labeling.history import list_history
from labeling.second_questions import add_second_question, change_second_question, list_second_questions
from labeling.votes import read_judgments, read_ledger
from tests.support.campaign import Card, make_people, make_project


@pytest.fixture
def card(database: str) -> Card:
    """A card of a project with two second questions."""
    (ann,) = make_people("Ann")
    project = make_project()
    with writing() as session:
        add_second_question(session, COMMAND_LINE, project, name="source", text="Is the source right?")
        labels = ["not at all", "partly", "fully"]
        add_second_question(session, COMMAND_LINE, project, name="use", text="Useful to the reader?", labels=labels)
    card = Card(ann, project)
    card.send()
    return card


def stored(card: Card) -> list:
    with reading() as session:
        return read_ledger(session, COMMAND_LINE, card.project)["answers"].tolist()


def test_answers_are_stored_in_the_grades_own_row_and_reach_history_and_tables(card: Card) -> None:
    assert [one["name"] for one in card.last["second"]] == ["source", "use"]
    answers = {"use": "partly", "source": "no"}
    pair = card.held.pop(0)
    assert card.send(card.act("grade", pair, grade=2, answers=answers))["acts"][0]["status"] == "saved"
    assert stored(card) == [answers]
    with reading() as session:
        (row,) = list_history(session, card.actor, card.project)
        assert read_judgments(session, COMMAND_LINE, card.project)["answers"].tolist() == [answers]
    assert row.answers == answers
    assert card.send(hello=True)["history"][0]["answers"] == answers


def test_a_comment_keeps_answers_a_change_of_mind_replaces_them_and_undo_takes_them_back(card: Card) -> None:
    pair = card.held.pop(0)
    first = card.act("grade", pair, grade=2, answers={"source": "yes", "use": "fully"})
    comment = card.act("comment", pair, comment="hm")
    second = card.act("grade", pair, grade=1, answers={"source": "no", "use": "-"})
    undo = card.act("undo", pair, takes_back=second["act_id"], answers={"source": "yes"})
    for act in (first, comment, second, undo):
        assert card.send(act)["acts"][0]["status"] == "saved"
    assert stored(card) == [first["answers"], first["answers"], second["answers"], None]
    with reading() as session:
        assert list_history(session, card.actor, card.project) == []


@pytest.mark.parametrize("answers", [{"tone": "yes"}, {"source": "maybe"}, ["yes"], {"use": "yes"}])
def test_answers_that_no_question_of_the_project_has_are_refused(card: Card, answers: object) -> None:
    pair = card.held[0]
    refused = card.send(card.act("grade", pair, grade=2, answers=answers))["acts"][0]
    assert (refused["status"], refused["code"]) == ("refused", "bad_act")
    refused = card.send(card.act("skip", pair, answers={"source": "yes"}))["acts"][0]
    assert refused["code"] == "bad_act"
    assert stored(card) == []


def test_a_question_that_was_switched_off_is_asked_no_longer_and_an_answer_on_its_way_is_kept(card: Card) -> None:
    with writing() as session:
        first = list_second_questions(session, card.project)[0]
        change_second_question(session, COMMAND_LINE, card.project, first.id, active=False, text="Right source?")
    assert [one["name"] for one in card.send()["second"]] == ["use"]
    act = card.act("grade", card.held.pop(0), grade=2, answers={"source": "yes", "use": "-"})
    assert card.send(act)["acts"][0]["status"] == "saved"


def test_leads_order_questions_and_names_labels_and_numbers_of_them_are_checked(card: Card) -> None:
    def add(**values: object) -> None:
        with writing() as session:
            add_second_question(session, COMMAND_LINE, card.project, **{"name": "n", "text": "t", **values})

    with writing() as session:
        last = list_second_questions(session, card.project)[-1]
        second_questions.move_second_question(session, COMMAND_LINE, card.project, last.id, -1)
        assert [one.name for one in list_second_questions(session, card.project)] == ["use", "source"]
    for labels in (["one"], ["a", "A"], list("abcdef"), ["yes", "-"]):
        with pytest.raises(AssayError, match="expected"):
            add(labels=labels)
    with pytest.raises(Conflict):
        add(name="use")
    with pytest.raises(AssayError, match="a name"):
        add(name=" ")
    for number in range(3):
        add(name=f"more {number}")
    with pytest.raises(AssayError, match="at most 5"):
        add(name="one too many")
    with writing() as session, pytest.raises(NotAllowed):
        add_second_question(session, card.actor, card.project, name="mine", text="Mine?")


def test_agreement_on_answers_is_the_share_of_equal_couples_and_undefined_without_any() -> None:
    votes = [
        ("q", "d", {"use": "yes"}),
        ("q", "d", {"use": "no"}),
        ("q", "d", {"use": "yes"}),
        ("q", "e", {"use": "no"}),
    ]
    votes += [("q", "e", {"use": "no", "source": "-"}), ("q", "f", None)]
    table = pd.DataFrame(votes, columns=["query_id", "doc_id", "answers"])
    use, source = measure_answers(table, ["use", "source"])
    couples = [
        (a, b)
        for (one, two) in combinations(votes, 2)
        if one[:2] == two[:2] and (a := (one[2] or {}).get("use")) and (b := (two[2] or {}).get("use"))
    ]
    assert (use.couples, use.equal) == (len(couples), sum(a == b for a, b in couples)) == (4, 2)
    assert use.share == 0.5
    assert (source.answers, source.share) == (1, None)
