"""Whether more judging can change who wins: beside every completion of a tiny campaign, and from the command line."""

import json
from itertools import product

import pandas as pd
import pytest

from labeling import collection, disputes
from labeling.__main__ import main
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.errors import NotAllowed, NotFound
from labeling.stopping import ask_to_stop
from metrics import evaluate, read_run
from tests.support.campaign import Card, make_people, make_project

pytestmark = pytest.mark.usefixtures("database")

A = b"q0 Q0 d0 1 9 A\nq0 Q0 d1 2 8 A\nq0 Q0 d2 3 7 A\nq1 Q0 d0 1 9 A\nq1 Q0 d2 2 8 A\n"
B = b"q0 Q0 d2 1 9 B\nq0 Q0 d1 2 8 B\nq0 Q0 d0 3 7 B\nq1 Q0 d1 1 9 B\nq1 Q0 d0 2 8 B\n"
GRADES = {  # what each of two raters gives; None: not asked
    ("q0", "d0"): (3, 3), ("q0", "d1"): (0, 1), ("q0", "d2"): (0, 2),
    ("q1", "d0"): (2, 2), ("q1", "d1"): (1, 1), ("q1", "d2"): (1, 3),
}  # fmt: skip


def campaign(*, votes: bool = True) -> int:
    """Two queries with three documents; two raters who differ on three pairs."""
    project = make_project(queries=2, documents=3, overlap=2)
    with writing() as session:
        collection.add_run(session, COMMAND_LINE, project, A, "a.run")
        collection.add_run(session, COMMAND_LINE, project, B, "b.run")
    if votes:
        for place, person in enumerate(make_people("Ann", "Bo")):
            card = Card(person, project)
            card.send(hello=True)
            while card.held:
                pair = card.held[0]
                card.grade(GRADES[pair["query_id"], pair["doc_id"]][place])
    return project


def ask(project: int, a: str = "A", b: str = "B", measure: str = "nDCG@3"):
    with reading() as session:
        return ask_to_stop(session, COMMAND_LINE, project, a, b, measure)


def decide(project: int, query_id: str, doc_id: str, grade: int) -> None:
    with writing() as session:
        pair = disputes.find_pair(session, COMMAND_LINE, project, query_id, doc_id)
        disputes.decide(
            session, COMMAND_LINE, project, pair or 0, grade=grade, reason="other", act_id=f"{query_id}{doc_id}"
        )


def every_difference(possible: dict[tuple[str, str], tuple[int, ...]]) -> list[float]:
    runs, found = [read_run(A), read_run(B)], []
    for grades in product(*possible.values()):
        rows = [(*pair, grade) for pair, grade in zip(possible, grades, strict=True)]
        qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
        means = evaluate(qrels, runs, ["nDCG@3"]).means.set_index("run")["mean"]
        found.append(float(means["A"] - means["B"]))
    return found


def test_the_range_of_a_tiny_campaign_is_that_of_every_completion() -> None:
    project = campaign()
    possible = {pair: tuple(range(min(votes), max(votes) + 1)) for pair, votes in GRADES.items()}
    tried = every_difference(possible)
    answer = ask(project)
    assert len(tried) == 2 * 3 * 3
    assert (answer.found.lowest, answer.found.highest) == pytest.approx((min(tried), max(tried)))
    assert answer.open_pairs == 3
    assert answer.lacking_votes == 0
    assert answer.found.fixed == (min(tried) > 0)
    assert answer.noise_floor is not None


def test_a_decision_narrows_the_range_until_the_winner_is_fixed() -> None:
    project = campaign()
    before = ask(project).found
    for pair, grade in ((("q0", "d1"), 0), (("q0", "d2"), 0), (("q1", "d2"), 3)):
        decide(project, *pair, grade)
    after = ask(project)
    assert before.lowest < after.found.lowest == pytest.approx(after.found.highest)
    assert (after.advice, after.found.winner, after.first, after.open_pairs) == ("stop", "A", 0, 0)
    assert after.expected is None


def test_pairs_without_votes_may_become_any_grade_of_the_scale() -> None:
    project = campaign(votes=False)
    answer = ask(project)
    tried = every_difference(dict.fromkeys(GRADES, (0, 1, 2, 3)))
    assert (answer.found.lowest, answer.found.highest) == pytest.approx((min(tried), max(tried)))
    assert answer.advice == "judge"
    assert answer.lacking_votes == 2 * answer.movable > 0
    assert answer.noise_floor is None
    assert answer.expected is not None
    assert 0 < answer.expected.pairs <= 6


def test_a_pair_with_one_vote_stays_with_it_and_the_strict_range_says_what_else_could_be() -> None:
    project = campaign(votes=False)
    (ann,) = make_people("Ann")
    card = Card(ann, project)
    card.send(hello=True)
    while card.held:
        pair = card.held[0]
        card.grade(GRADES[pair["query_id"], pair["doc_id"]][0])
    answer = ask(project)
    tried = every_difference(dict.fromkeys(GRADES, (0, 1, 2, 3)))
    assert answer.found.lowest == pytest.approx(answer.found.highest)
    assert answer.strict == pytest.approx((min(tried), max(tried)))
    assert answer.found.fixed
    assert not answer.strictly_fixed


def test_only_leads_ask_and_only_about_two_runs_of_the_project() -> None:
    project = campaign()
    with reading() as session, pytest.raises(NotAllowed):
        ask_to_stop(session, Actor(1, "Ann", "rater"), project, "A", "B")
    with pytest.raises(NotFound, match="found 'C'"):
        ask(project, "A", "C")
    with pytest.raises(NotFound, match="twice"):
        ask(project, "A", "A")


def test_the_command_says_it_in_words_in_json_and_names_the_next_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    project = campaign()
    command = ["stop", "--project", "campaign", "--runs", "A", "B", "-m", "nDCG@3"]
    answer = ask(project)
    assert main(command) == 0
    said = capsys.readouterr().out
    assert f"{answer.found.lowest:+.4f}" in said
    assert "any grade of the scale" in said
    assert main([*command, "--language", "ko"]) == 0
    assert "열린 쌍" in capsys.readouterr().out
    assert main([*command, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["lowest"] == pytest.approx(answer.found.lowest)
    assert found["definition"]["queries"] == 2
    assert main([*command, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("query_id,doc_id,")
    assert main(["stop", "--project", "campaign", "--runs", "A", "nobody"]) == 1
    assert "found 'nobody'" in capsys.readouterr().err
