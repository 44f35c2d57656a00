"""How far a project is, how many votes its pairs are to have, and pairs of new runs."""

from datetime import timedelta

import pandas as pd
import pytest
from sqlalchemy import text

from labeling import collection, progress
from labeling.accounts import COMMAND_LINE
from labeling.assignments import PairChoice, change_overlap, preview_overlap
from labeling.database import reading, writing
from labeling.disputes import list_disputes
from labeling.errors import AssayError, NotAllowed, NotFound
from labeling.rater_notes import reassign_pairs
from labeling.run_pairs import add_unjudged, preview_unjudged
from metrics import evaluate, read_run
from tests.support.campaign import NOW, Card, make_people, make_project

pytestmark = pytest.mark.usefixtures("database")


def overlaps(project: int) -> dict[tuple[str, str], tuple[int, int]]:
    with reading() as session:
        rows = session.execute(
            text(
                "SELECT q.query_id, d.doc_id, p.overlap, p.vote_count FROM pair p JOIN query q ON q.id = p.query_pk "
                "JOIN document d ON d.id = p.document_pk WHERE p.project_id = :p"
            ),
            {"p": project},
        )
        return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def judge_all(project: int, grades: dict[str, int], *, limit: int | None = None) -> list[Card]:
    """Every named person judges every pair that they get, always with the same grade."""
    cards = [Card(person, project) for person in make_people(*grades)]
    for card in cards:
        card.send(hello=True)
        done = 0
        while card.held and (limit is None or done < limit):
            card.grade(grades[card.actor.name])
            done += 1
    return cards


def with_known_grade(project: int) -> None:
    with writing() as session:
        session.execute(
            text(
                "INSERT INTO reference (pair_id, purpose, position, grade, reason, set_at) "
                "SELECT id, 'gold', 0, 1, '', '2026-01-01' FROM pair WHERE project_id = :p ORDER BY id LIMIT 1"
            ),
            {"p": project},
        )
        session.execute(text("UPDATE pair SET overlap = 0 WHERE id IN (SELECT pair_id FROM reference)"))


def test_a_query_gets_more_votes_and_fewer_again_but_never_fewer_than_it_has() -> None:
    project = make_project(queries=2, documents=3, overlap=2)
    with_known_grade(project)
    judge_all(project, {"Ann": 1, "Bo": 2})
    choice = PairChoice(queries=("q0",))
    with reading() as session:
        planned = preview_overlap(session, COMMAND_LINE, project, choice, 3)
    with writing() as session:
        done = change_overlap(session, COMMAND_LINE, project, choice, 3, now=NOW)
    assert planned == done
    assert (done.pairs, done.raised, done.more_votes) == (2, 2, 2)  # the gold pair of q0 is none of them
    assert sorted(wanted for (query, _), (wanted, _) in overlaps(project).items() if query == "q0") == [0, 3, 3]
    assert {wanted for (query, _), (wanted, _) in overlaps(project).items() if query == "q1"} == {2}
    with writing() as session:
        back = change_overlap(session, COMMAND_LINE, project, choice, 1, now=NOW)
    assert (back.lowered, back.kept_higher, back.more_votes) == (2, 2, -2)
    assert sorted(wanted for (query, _), (wanted, _) in overlaps(project).items() if query == "q0") == [0, 2, 2]


def test_only_disputed_pairs_get_another_vote_and_a_surplus_grade_takes_the_place() -> None:
    project = make_project(queries=1, documents=4, overlap=2)
    first, second, third = (Card(person, project) for person in make_people("Ann", "Bo", "Cy"))
    first.send(hello=True)
    third.send(hello=True)
    held = [dict(pair) for pair in third.held]
    while first.held:
        first.grade(1)
    third.wait(minutes=30)
    second.now = third.now
    second.send(hello=True)
    number = 0
    while second.held:
        second.grade(1 if number % 2 else 3)
        number += 1
    third.held = held
    third.grade(2)  # its claim ended, and the pair is full: a surplus grade
    with reading() as session:
        disputed = {(one.query_id, one.doc_id) for one in list_disputes(session, COMMAND_LINE, project)}
    assert len(disputed) == 2
    with writing() as session:
        done = change_overlap(session, COMMAND_LINE, project, PairChoice(disputed=True), 3, now=third.now)
    assert {pair for pair, (wanted, _) in overlaps(project).items() if wanted == 3} == disputed
    assert done.promoted in (0, 1)
    assert sum(votes for _, votes in overlaps(project).values()) == 8 + done.promoted
    with pytest.raises(NotFound, match="pair of the project"):
        change_overlap_of(project, PairChoice(pairs=(("q0", "nothing"),)), 3)
    with pytest.raises(AssayError, match="overlap from 1 to 20"):
        change_overlap_of(project, PairChoice(), 21)


def change_overlap_of(project: int, choice: PairChoice, overlap: int) -> None:
    with writing() as session:
        change_overlap(session, COMMAND_LINE, project, choice, overlap)


def test_a_rater_changes_no_overlap_and_sees_no_progress() -> None:
    project = make_project()
    (rater,) = make_people("Rae")
    with writing() as session:
        with pytest.raises(NotAllowed):
            change_overlap(session, rater, project, PairChoice(), 3)
        with pytest.raises(NotAllowed):
            preview_unjudged(session, rater, project, ("new",), 3)
        with pytest.raises(NotAllowed):
            progress.expect_end(session, rater, project, now=NOW)


def test_the_end_follows_from_the_recent_rate_and_is_undefined_with_its_reason() -> None:
    project = make_project(queries=2, documents=5, overlap=2)
    with reading() as session:
        assert progress.expect_end(session, COMMAND_LINE, project, now=NOW).undefined == "no_votes"
    judge_all(project, {"Ann": 1}, limit=5)
    now = NOW + timedelta(days=2)
    with reading() as session:
        found = progress.expect_end(session, COMMAND_LINE, project, now=now)
        late = progress.expect_end(session, COMMAND_LINE, project, now=NOW + timedelta(days=9))
    assert (found.lacking, found.undefined) == (15, None)
    assert found.rate == pytest.approx(2.5)
    assert found.at == now + timedelta(days=6)
    assert (late.at, late.undefined) == (None, "too_old")
    project = make_project(name="another", queries=2, documents=5, overlap=2)
    judge_all(project, {"Bo": 1, "Cy": 2})
    with reading() as session:
        assert progress.expect_end(session, COMMAND_LINE, project, now=now).undefined == "done"


def test_who_holds_pairs_is_shown_until_they_are_given_back() -> None:
    project = make_project()
    (person,) = make_people("Ann")
    card = Card(person, project)
    card.send(hello=True)
    with reading() as session:
        claims = progress.list_claims(session, COMMAND_LINE, project, now=NOW)
    assert claims[["rater", "held"]].to_numpy().tolist() == [["Ann", len(card.held)]]
    assert claims["until"][0] == NOW + timedelta(minutes=20)
    with writing() as session:
        reassign_pairs(session, COMMAND_LINE, project, int(claims["rater_id"][0]), now=NOW)
    with reading() as session:
        assert progress.list_claims(session, COMMAND_LINE, project, now=NOW).empty


def test_slices_are_the_columns_of_the_queries() -> None:
    project = make_project(queries=2, documents=2)
    with writing() as session:
        table = pd.DataFrame({"query_id": ["q0", "q1"], "text": ["one", "two"], "narrative": "", "kind": ["a", "b"]})
        collection.add_queries(session, COMMAND_LINE, project, table, replace=True)
    judge_all(project, {"Ann": 1}, limit=1)
    with reading() as session:
        per_query = progress.votes_per_query(session, COMMAND_LINE, project)
        found = progress.votes_per_slice(per_query, collection.read_queries_table(session, project))
    assert list(found) == ["kind"]
    assert found["kind"][["pairs", "wanted"]].to_numpy().tolist() == [[2, 4], [2, 4]]
    assert sorted(found["kind"]["votes"]) == [0, 1]


def test_the_unjudged_top_of_a_new_run_is_added_with_what_it_does_and_what_is_left_out() -> None:
    project = make_project(queries=2, documents=4, overlap=1)
    judge_all(project, {"Ann": 1})
    lines = ["q0 Q0 d0 1 9 new", "q0 Q0 fresh 2 8 new", "q0 Q0 textless 3 7 new", "q1 Q0 d1 1 9 new", "q1 Q0 d2 2 8 new",
             "q9 Q0 d1 1 9 new", "q0 Q0 deep 4 1 new"]  # fmt: skip
    with writing() as session:
        texts = pd.DataFrame({"doc_id": ["fresh", "deep"], "title": "", "text": "a text", "url": ""})
        collection.add_documents(session, COMMAND_LINE, project, texts)
        collection.add_run(session, COMMAND_LINE, project, "\n".join(lines).encode(), "new.run")
    with reading() as session:
        seen = preview_unjudged(session, COMMAND_LINE, project, ("new",), 3)
    row = seen.runs.iloc[0]
    assert row["now"] == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert row["after"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert seen.new.to_numpy().tolist() == [["q0", "fresh"]]
    assert seen.without_text.to_numpy().tolist() == [["q0", "textless"]]
    assert seen.without_query.to_numpy().tolist() == [["q9", "d1"]]
    with writing() as session:
        added = add_unjudged(session, COMMAND_LINE, project, ("new",), 3)
    assert added.new.equals(seen.new)
    assert overlaps(project)["q0", "fresh"] == (1, 0)
    with reading() as session:
        again = preview_unjudged(session, COMMAND_LINE, project, ("new",), 3)
    assert (len(again.new), again.waiting, again.votes) == (0, 1, 0)
    with writing() as session, pytest.raises(NotFound, match="found other"):
        add_unjudged(session, COMMAND_LINE, project, ("other",), 3)


def test_judged_at_k_is_that_of_the_measures_where_every_query_is_judged() -> None:
    project = make_project(queries=3, documents=4, overlap=1)
    judge_all(project, {"Ann": 1}, limit=10)
    lines = "\n".join(f"q{q} Q0 d{(q + n) % 4} {n} {9 - n} new" for q in range(3) for n in range(4)).encode()
    with writing() as session:
        collection.add_run(session, COMMAND_LINE, project, lines, "new.run")
    with reading() as session:
        found = preview_unjudged(session, COMMAND_LINE, project, ("new",), 2).runs["now"][0]
    judged = [pair for pair, (_, votes) in overlaps(project).items() if votes]
    qrels = pd.DataFrame([(*pair, 1) for pair in judged], columns=["query_id", "doc_id", "relevance"])
    assert qrels["query_id"].nunique() == 3
    assert found == pytest.approx(evaluate(qrels, read_run(lines), ["Judged@2"]).means["mean"][0])
