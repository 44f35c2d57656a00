"""Near-duplicates of a project: found by query, told to leads, taken by the measures as copies."""

import pandas as pd
import pytest

from labeling import accounts, collection, pool, projects
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.errors import NotAllowed
from labeling.twins import (
    count_twins,
    list_twin_conflicts,
    list_twins,
    read_document_copies,
    read_twin_numbers,
    refresh_twins,
)
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
