"""The promises again, at their edges: each test here fails when one condition of the code is taken away."""

import pandas as pd
import pytest
from sqlalchemy import text

from labeling import collection, disputes, imports, pool, projects, rubrics, votes
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import AssayError
from tests.labeling.test_promises import judgments_table, rows
from tests.support.campaign import Card, make_people, make_project


@pytest.fixture
def card(database: str) -> Card:
    """Ann's card with pairs on it, in a project of her own."""
    one = Card(make_people("Ann")[0], make_project())
    one.send(hello=True)
    return one


def publish(project: int) -> None:
    with writing() as session:
        newest = rubrics.get_rubric(session, project)
        rubrics.publish_rubric(session, COMMAND_LINE, project, text="new words", levels=newest.levels)


def test_a_grade_under_the_rubric_that_was_on_the_screen_names_that_version(card: Card) -> None:
    publish(card.project)
    assert card.grade(2)["status"] == "saved"
    assert rows("SELECT version FROM judgment JOIN rubric ON rubric.id = judgment.rubric_id") == [(1,)]


@pytest.mark.parametrize("version", [0, 2, 7])
def test_a_grade_under_a_rubric_that_was_not_on_the_screen_is_refused(card: Card, version: int) -> None:
    shown = {**card.held[0], "rubric_version": version}
    assert card.grade(2, shown)["code"] == "old_rubric"
    assert rows("SELECT count(*) FROM judgment") == [(0,)]


def test_a_change_of_mind_is_made_under_the_newest_rubric(card: Card) -> None:
    pair = card.held[0]
    card.grade(2)
    publish(card.project)
    assert card.grade(1, pair)["code"] == "old_rubric"
    assert card.grade(1, {**pair, "rubric_version": 2})["status"] == "saved"


@pytest.mark.parametrize("column", ["casts_vote = :no", "set_aside = :yes"])
def test_a_rater_whose_votes_do_not_count_fills_no_place(card: Card, column: str) -> None:
    with writing() as session:
        session.execute(text(f"UPDATE rater SET {column}").bindparams(**{column.split(":")[1]: "no" not in column}))
    assert card.grade(2)["status"] == "saved"
    assert rows("SELECT sum(vote_count) FROM pair") == [(0,)]
    with reading() as session:
        assert votes.read_votes(session, COMMAND_LINE, card.project).empty


@pytest.mark.parametrize("purpose", ["practice", "gold", "repeat"])
def test_what_was_not_judged_in_production_is_no_vote(card: Card, purpose: str) -> None:
    card.grade(2)
    with writing() as session:
        session.execute(
            text(
                "INSERT INTO judgment (act_id, pair_id, rater_id, kind, grade, rubric_id, judged_at, comment, purpose, surplus)"
                " SELECT 'practised', pair_id, rater_id, kind, grade, rubric_id, judged_at, comment, :purpose, surplus"
                " FROM judgment"
            ),
            {"purpose": purpose},
        )
        session.execute(text("UPDATE current_judgment SET judgment_id = (SELECT max(id) FROM judgment)"))
    with reading() as session:
        assert votes.read_votes(session, COMMAND_LINE, card.project).empty


def test_the_place_in_the_order_is_kept_with_the_judgment(card: Card) -> None:
    for _ in range(3):
        card.grade(1)
    assert rows("SELECT position FROM judgment ORDER BY id") == [(1,), (2,), (3,)]


def test_time_away_is_missing_and_not_a_long_judgment(card: Card) -> None:
    for seconds in (121, 119.5):
        card.send(card.act("grade", card.held.pop(0), grade=1, seconds=seconds))
    assert rows("SELECT seconds FROM judgment ORDER BY id") == [(None,), (119.5,)]


def test_a_comment_afterwards_stands_with_the_grade_and_counts_once(card: Card) -> None:
    pair = card.held[0]
    card.grade(1)
    card.send(card.act("comment", pair, comment="the date is missing"))
    with reading() as session:
        table = votes.read_judgments(session, COMMAND_LINE, card.project)
    assert table[["grade", "comment"]].to_numpy().tolist() == [[1, "the date is missing"]]
    assert rows("SELECT sum(vote_count) FROM pair") == [(1,)]


def test_a_pair_without_a_text_is_never_handed_out(database: str) -> None:
    project = make_project(queries=1, documents=1)
    with writing() as session:
        unknown = pd.DataFrame([("q0", "no text"), ("no query", "d0")], columns=["query_id", "doc_id"])
        pool.add_pairs(session, COMMAND_LINE, project, unknown)
    one = Card(make_people("Ann")[0], project)
    one.send(hello=True)
    assert [(pair["query_id"], pair["doc_id"]) for pair in one.held] == [("q0", "d0")]


def test_acts_are_applied_in_the_order_of_their_keys(card: Card) -> None:
    pair = card.held[0]
    first, second = card.act("grade", pair, grade=1), card.act("grade", pair, grade=3)
    card.send(second, first)
    with reading() as session:
        assert votes.read_votes(session, COMMAND_LINE, card.project)["grade"].tolist() == [3]


def test_a_pair_is_disputed_only_when_it_has_the_votes_it_wants(database: str) -> None:
    project = make_project(overlap=3)
    with writing() as session:
        for rater, grade, found in (("ann", 0, 0), ("bob", 3, 0), ("cho", 3, 1)):
            table = judgments_table([("q0", "d0", rater, grade)])
            imports.import_judgments(session, COMMAND_LINE, project, table, files=["v.csv"])
            assert len(disputes.list_disputes(session, COMMAND_LINE, project)) == found


@pytest.mark.parametrize(
    ("rule", "grades", "expected"),
    [
        ("any", [1, 2], True),
        ("any", [2, 2], False),
        ("two_apart", [1, 2], False),
        ("two_apart", [1, 3], True),
        ("threshold", [1, 2], True),
        ("threshold", [2, 3], False),
        ("threshold", [0, 1], False),
    ],
)
def test_what_counts_as_a_dispute(rule: str, grades: list[int], *, expected: bool) -> None:
    assert disputes.is_disputed(grades, rule, 2) is expected


def test_a_decision_outside_the_scale_is_refused(card: Card) -> None:
    with pytest.raises(AssayError, match="grade from 0 to 3, found 4"), writing() as session:
        disputes.decide(
            session, COMMAND_LINE, card.project, card.held[0]["pair"], grade=4, reason="other", act_id="an-act-id"
        )


def test_the_scale_cannot_change_under_a_project(card: Card) -> None:
    with reading() as session:
        levels = rubrics.get_rubric(session, card.project).levels[:3]
    with pytest.raises(AssayError, match="expected the scale 0 to 3"), writing() as session:
        rubrics.publish_rubric(session, COMMAND_LINE, card.project, text="", levels=levels)


@pytest.mark.parametrize("field", ["title", "text", "url"])
def test_everything_that_is_shown_is_in_the_hash(card: Card, field: str) -> None:
    shown = card.held[0]
    other = {"doc_id": shown["doc_id"], "title": "", "text": shown["text"], "url": "", field: "https://other.test"}
    with writing() as session:
        collection.add_documents(session, COMMAND_LINE, card.project, pd.DataFrame([other]), replace=True)
    assert card.grade(2)["code"] == "changed_text"


def test_a_higher_overlap_opens_every_pair_again(card: Card) -> None:
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, card.project, overlap=5)
    assert rows("SELECT DISTINCT overlap FROM pair") == [(5,)]


def test_a_late_grade_takes_no_place_that_somebody_holds(database: str) -> None:
    project = make_project(queries=1, documents=1, overlap=1)
    ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
    ann.send(hello=True)
    bob.wait(minutes=21)
    ann.now = bob.now
    bob.send(hello=True)
    assert ann.grade(3)["surplus"] is True
    assert bob.grade(1)["surplus"] is False


def test_a_change_of_mind_on_a_full_pair_keeps_its_place(database: str) -> None:
    one = Card(make_people("Ann")[0], make_project(queries=1, documents=1, overlap=1))
    one.send(hello=True)
    pair = one.held[0]
    one.grade(3)
    assert one.grade(1, pair)["surplus"] is False
    assert rows("SELECT vote_count FROM pair") == [(1,)]
