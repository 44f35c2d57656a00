"""Near-duplicates of a project: found by query, told to leads, taken by the measures as copies."""

from datetime import timedelta

import pandas as pd
import pytest

from labeling import accounts, collection, pool, projects
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.errors import NotAllowed
from labeling.ledger_check import set_derived_right
from labeling.twins import (
    count_twins,
    list_twin_conflicts,
    list_twins,
    read_document_copies,
    read_twin_numbers,
    refresh_twins,
)
from labeling.votes import read_judgments, read_ledger, read_votes
from tests.labeling.pure.test_near_duplicates import words
from tests.support.campaign import Card, make_people

TEXTS = {
    "d0": words(1, 60),
    "d1": words(1, 60)[:200],
    "d2": words(2, 60),
    "d3": words(2, 60) + " more",
    "d4": words(3, 60),
}


def make_campaign(overlap: int = 1, **settings: object) -> int:
    with writing() as session:
        project = projects.create_project(session, COMMAND_LINE, name="twins")
        queries = pd.DataFrame({"query_id": ["q0", "q1"], "text": ["first", "second"], "narrative": ""})
        collection.add_queries(session, COMMAND_LINE, project.id, queries)
        documents = pd.DataFrame({"doc_id": list(TEXTS), "title": "", "text": list(TEXTS.values()), "url": ""})
        collection.add_documents(session, COMMAND_LINE, project.id, documents)
        projects.change_project(session, COMMAND_LINE, project.id, overlap=overlap, **settings)
        pairs = pd.DataFrame(
            [("q0", doc) for doc in TEXTS] + [("q1", "d0"), ("q1", "d2")], columns=["query_id", "doc_id"]
        )
        pool.add_pairs(session, COMMAND_LINE, project.id, pairs)
        projects.open_project(session, COMMAND_LINE, project.id)
    refresh_twins(COMMAND_LINE, project.id)
    return project.id


def test_twins_are_pairs_of_one_query_with_the_same_text(database: str) -> None:
    project = make_campaign()
    with reading() as session:
        listed = list_twins(session, COMMAND_LINE, project)
        counts = count_twins(session, COMMAND_LINE, project)
    assert [sorted(rows["doc_id"]) for _, rows in listed.groupby("group_number")] == [["d0", "d1"], ["d2", "d3"]]
    assert set(listed["query_id"]) == {"q0"}
    assert (counts.groups, counts.pairs) == (2, 4)


def test_a_lower_similarity_is_taken_up_when_they_are_found_again(database: str) -> None:
    project = make_campaign(twin_similarity=1.0)
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, project, twin_similarity=0.5)
    again = refresh_twins(COMMAND_LINE, project)
    assert again.pairs >= 4
    with reading() as session:
        assert len(read_twin_numbers(session, project)) == again.pairs


def test_documents_with_twins_are_copies_for_the_measures(database: str) -> None:
    project = make_campaign()
    with reading() as session:
        assert read_document_copies(session, project) == (("d0", "d0"), ("d1", "d0"), ("d2", "d2"), ("d3", "d2"))


def test_raters_are_not_told_of_conflicts(database: str) -> None:
    project = make_campaign()
    with writing() as session:
        number = accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater")
    with reading() as session, pytest.raises(NotAllowed):
        list_twin_conflicts(session, Actor(number, "Ann", "rater"), project)


def test_different_grades_on_twins_go_to_the_lead_with_who_was_of_two_minds(database: str) -> None:
    project = make_campaign()
    card = Card(make_people("Ann")[0], project)
    card.send(hello=True)
    grades = {("q0", "d0"): 3, ("q0", "d1"): 1, ("q0", "d2"): 2, ("q0", "d3"): 2}
    while card.held:
        pair = card.held[0]
        card.grade(grades.get((pair["query_id"], pair["doc_id"]), 0))
    with reading() as session:
        (conflict,) = list_twin_conflicts(session, COMMAND_LINE, project)
    assert conflict.doc_ids == ("d0", "d1")
    assert conflict.grades == ((3,), (1,))
    assert (conflict.spread, conflict.same_rater) == (2, ("Ann",))


def grade_all(card: Card, grades: dict[str, int]) -> list[str]:
    """Grade what the card is given, by document; the documents in the order they came, of the first query."""
    seen = []
    card.send(hello=True)
    while card.held:
        pair = card.held[0]
        if pair["query_id"] == "q0":
            seen.append(pair["doc_id"])
        card.grade(grades.get(pair["doc_id"], 0))
    return seen


def ledger_of(project: int) -> pd.DataFrame:
    with reading() as session:
        return read_ledger(session, COMMAND_LINE, project)


def test_one_grade_is_carried_to_the_copies_and_marked(database: str) -> None:
    project = make_campaign(twins="carry")
    card = Card(make_people("Ann")[0], project)
    seen = grade_all(card, {"d0": 3, "d1": 3, "d2": 1, "d3": 1, "d4": 2})
    assert len(seen) == 3
    with reading() as session:
        votes = read_votes(session, COMMAND_LINE, project)
        judgments = read_judgments(session, COMMAND_LINE, project)
    first = votes[votes["query_id"] == "q0"]
    assert dict(zip(first["doc_id"], first["grade"], strict=True)) == {"d0": 3, "d1": 3, "d2": 1, "d3": 1, "d4": 2}
    assert set(judgments.loc[judgments["carried"].astype(bool), "doc_id"]) == {"d0", "d1", "d2", "d3"} - set(seen)
    with reading() as session:
        assert list_twin_conflicts(session, COMMAND_LINE, project) == []


def test_a_change_of_mind_and_an_undo_go_on_to_the_copies(database: str) -> None:
    project = make_campaign(twins="carry")
    card = Card(make_people("Ann")[0], project)
    card.send(hello=True)
    pair = next(one for one in card.held if one["doc_id"] in ("d0", "d1") and one["query_id"] == "q0")
    card.held.remove(pair)
    assert card.grade(3, pair)["status"] == "saved"
    changed = card.act("grade", pair, grade=1)
    card.send(changed)
    with reading() as session:
        votes = read_votes(session, COMMAND_LINE, project)
    assert votes["grade"].tolist() == [1, 1]
    card.send(card.act("undo", pair, takes_back=changed["act_id"]))
    with reading() as session:
        assert read_votes(session, COMMAND_LINE, project).empty
        assert set_derived_right(session).wrong_current == 0
    kinds = ledger_of(project)["kind"].tolist()
    assert kinds == ["grade", "grade", "grade", "grade", "undo", "undo"]


def test_a_grade_that_a_rater_gave_to_a_copy_is_not_written_over(database: str) -> None:
    project = make_campaign(overlap=1)
    ann = Card(make_people("Ann")[0], project)
    ann.send(hello=True)
    by_doc = {pair["doc_id"]: pair for pair in ann.held if pair["query_id"] == "q0"}
    ann.grade(0, by_doc["d1"])
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, project, twins="carry")
    ann.grade(3, by_doc["d0"])
    with reading() as session:
        votes = read_votes(session, COMMAND_LINE, project)
    assert dict(zip(votes["doc_id"], votes["grade"], strict=True)) == {"d0": 3, "d1": 0}


def test_carried_votes_never_go_beyond_the_overlap(database: str) -> None:
    project = make_campaign(overlap=2)
    people = make_people("Ann", "Bo", "Cy", "Di")
    for person in people[:2]:  # two votes on d1 before anything is carried
        card = Card(person, project)
        card.send(hello=True)
        card.grade(2, next(pair for pair in card.held if (pair["query_id"], pair["doc_id"]) == ("q0", "d1")))
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, project, twins="carry")
    for person in people[2:]:
        grade_all(Card(person, project, tab=person.name), {"d0": 3})
    with reading() as session:
        counts = read_votes(session, COMMAND_LINE, project).groupby(["query_id", "doc_id"]).size()
    assert counts.max() == 2


def test_twins_are_shown_one_after_another_with_the_grade_that_was_given(database: str) -> None:
    project = make_campaign(overlap=2, twins="show")
    card = Card(make_people("Ann")[0], project)
    card.send(hello=True, want=7)
    order = [pair["doc_id"] for pair in card.held if pair["query_id"] == "q0"]
    for one, other in (("d0", "d1"), ("d2", "d3")):
        assert abs(order.index(one) - order.index(other)) == 1
    first = next(pair for pair in card.held if pair["twins"])
    assert first["twins"]["grade"] is None
    card.grade(2, first)
    later = Card(card.actor, project, tab="another", now=card.now + timedelta(minutes=30))
    again = {pair["doc_id"]: pair["twins"] for pair in later.send(hello=True)["pairs"] if pair["query_id"] == "q0"}
    twin = {"d0": "d1", "d1": "d0", "d2": "d3", "d3": "d2"}[first["doc_id"]]
    assert again[twin] == {"group": first["twins"]["group"], "grade": 2}
    assert again["d4"] is None


def test_raters_of_the_other_modes_hear_nothing_of_twins(database: str) -> None:
    card = Card(make_people("Ann")[0], make_campaign())
    card.send(hello=True)
    assert all("twins" not in pair for pair in card.held)
