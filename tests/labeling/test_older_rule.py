"""Judgments under an older version of the rubric: which ones wait for a look, and what confirming them writes."""

from datetime import timedelta

import pytest

from labeling import disputes
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.judging import read_older
from labeling.older_rule import Change, compare_rubrics, count_older
from labeling.projects import get_project
from labeling.reasons import list_reasons
from labeling.rubrics import Level, get_rubric, publish_rubric
from labeling.votes import read_ledger
from tests.support.campaign import NOW, Card, make_people, make_project


def publish(project: int, *, definition: str = "On the subject, and names it.") -> None:
    with writing() as session:
        rubric = get_rubric(session, project)
        levels = [
            Level(one.grade, one.label, definition if one.grade == 1 else one.definition, one.examples)
            for one in rubric.levels
        ]
        publish_rubric(session, COMMAND_LINE, project, text=rubric.text, levels=levels)


@pytest.fixture
def card(database: str) -> Card:
    """Somebody who graded three pairs and could not judge one before the rubric changed."""
    (ann,) = make_people("Ann")
    card = Card(ann, make_project(overlap=1))
    card.send()
    for grade in (0, 1, 2):
        card.grade(grade)
    card.send(card.act("cannot_judge", card.held.pop(0), reason="needs_expert"))
    publish(card.project)
    return card


def older(card: Card, *without: int) -> dict:
    return read_older(card.actor, card.project, without)


def test_what_changed_is_told_part_by_part(card: Card) -> None:
    with reading() as session:
        before, after = (get_rubric(session, card.project, version) for version in (1, 2))
    was = "The text is on the subject but does not answer the query."
    assert compare_rubrics(before, after) == [Change(1, "definition", was, "On the subject, and names it.")]
    assert compare_rubrics(after, after) == []


def test_older_judgments_come_with_what_was_judged_and_leave_once_confirmed_or_changed(card: Card) -> None:
    found = older(card)
    assert found["waiting"] == 4
    assert [pair["mine"]["grade"] for pair in found["pairs"]] == [0, 1, 2, None]
    assert {pair["mine"]["version"] for pair in found["pairs"]} == {1}
    assert {pair["rubric_version"] for pair in found["pairs"]} == {2}
    first, second, _third, last = found["pairs"]
    card.now += timedelta(hours=1)
    acts = [
        card.act("grade", first, grade=0),
        card.act("grade", second, grade=3),
        card.act("cannot_judge", last, reason="needs_expert"),
    ]
    assert {one["status"] for one in card.send(*acts, want=0)["acts"]} == {"saved"}
    assert [pair["mine"]["grade"] for pair in older(card)["pairs"]] == [2]
    with reading() as session:
        rows = read_ledger(session, COMMAND_LINE, card.project)
    assert rows["rubric_version"].tolist() == [1, 1, 1, 1, 2, 2, 2]
    assert rows["is_vote"].tolist() == [False, False, True, False, True, True, False]


def test_settled_pairs_are_left_out_and_counted(card: Card) -> None:
    pair = older(card)["pairs"][0]
    with writing() as session:
        reason = list_reasons(get_project(session, COMMAND_LINE, card.project))[0]
        settled = {"grade": 0, "reason": reason, "act_id": "settled-for-the-test"}
        disputes.decide(session, COMMAND_LINE, card.project, pair["pair"], **settled)
    with reading() as session:
        counts = count_older(session, card.actor, card.project)
    assert (counts.waiting, counts.settled, counts.versions) == (3, 1, (1,))
    assert pair["pair"] not in {one["pair"] for one in older(card)["pairs"]}


def test_what_the_card_has_is_not_sent_again_and_nobody_sees_anothers(card: Card) -> None:
    first = older(card)["pairs"][0]["pair"]
    found = older(card, first)
    assert found["waiting"] == 4
    assert first not in {pair["pair"] for pair in found["pairs"]}
    (bo,) = make_people("Bo")
    assert read_older(bo, card.project, ()) == {"pairs": [], "waiting": 0}
    Card(bo, card.project, now=NOW).send()
    assert read_older(bo, card.project, ()) == {"pairs": [], "waiting": 0}
