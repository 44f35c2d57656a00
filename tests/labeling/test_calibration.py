"""Practice before judging: who gets which set, what they are told, who is let in, and that none of it is a vote."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from sqlalchemy import select

from labeling import calibration, projects, rubrics
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import AssayError, NotAllowed, NotFound
from labeling.exchange.references import read_references
from labeling.ledger_check import set_derived_right
from labeling.practice_result import compare_with_reference
from labeling.references import import_references, list_references, remove_reference
from labeling.schema import metadata
from labeling.votes import read_votes
from tests.support.campaign import Card, make_people, make_project

GRADES = (0, 1, 2, 3)


def add_references(project: int, rows: Sequence[str]) -> None:
    content = "\n".join(["query_id,doc_id,grade,reason,purpose,set", *rows]).encode()
    found = read_references(content, "references.csv", grades=GRADES)
    with writing() as session:
        import_references(session, COMMAND_LINE, project, found.table, source="references.csv")


def practice_rows(*numbers: int) -> list[str]:
    """A set of four pairs, graded 0 to 3, for each number."""
    return [f"q{number},d{grade},{grade},because {grade},practice,{number}" for number in numbers for grade in GRADES]


def make_practice(*sets: int, **settings: object) -> int:
    project = make_project(queries=5, documents=8, overlap=2)
    add_references(project, practice_rows(*sets))
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, project, calibration=True, **settings)
    return project


def practise(card: Card, grades: Sequence[int]) -> dict:
    """Grade the pairs in hand in their order; the outcome of the last act."""
    outcome: dict = {}
    for grade in grades:
        card.wait(seconds=5)
        outcome = card.grade(grade)
    return outcome


def standing_of(project: int, name: str) -> calibration.RaterCalibration:
    with reading() as session:
        return next(one for one in calibration.list_calibrations(session, COMMAND_LINE, project) if one.rater == name)


@pytest.mark.usefixtures("database")
class TestPractice:
    def test_a_new_rater_gets_the_first_set_alone_and_in_its_order(self) -> None:
        project = make_practice(1, 2)
        card = Card(make_people("Ann")[0], project)
        answer = card.send(hello=True)
        assert [(pair["query_id"], pair["doc_id"]) for pair in card.held] == [("q1", f"d{n}") for n in GRADES]
        assert answer["calibration"] == {"kind": "practice", "set": 1, "done": 0, "of": 4, "last": None}
        assert (answer["progress"]["done"], answer["progress"]["left"], answer["end"]) == (0, 4, None)

    def test_each_practice_grade_is_answered_with_the_reference_and_its_reason_and_again_when_sent_again(self) -> None:
        card = Card(make_people("Ann")[0], make_practice(1))
        card.send()
        act = card.act("grade", card.held.pop(0), grade=2)
        first = card.send(act)["acts"][0]
        assert first["reference"] == {"grade": 0, "reason": "because 0"}
        assert first["result"] is None
        assert card.send(act)["acts"][0] == {**first, "status": "repeated"}

    def test_nothing_is_told_before_the_grade(self) -> None:
        card = Card(make_people("Ann")[0], make_practice(1))
        assert "because" not in json.dumps(card.send(hello=True))

    def test_who_passes_is_told_how_well_and_gets_pairs_to_judge(self) -> None:
        project = make_practice(1)
        card = Card(make_people("Ann")[0], project)
        card.send()
        result = practise(card, [0, 1, 2, 2])["result"]
        assert (result["graded"], result["equal"], result["passed"]) == (4, 3, True)
        expected = cohen_kappa_score([0, 1, 2, 2], [0, 1, 2, 3], weights="quadratic", labels=GRADES)
        assert result["kappa"] == pytest.approx(expected)
        assert [(one["agreed"], one["higher"], one["lower"]) for one in result["boundaries"]] == [
            (4, 0, 0),
            (4, 0, 0),
            (3, 0, 1),
        ]
        assert card.last["calibration"] is None
        assert card.held
        assert not {pair["query_id"] + pair["doc_id"] for pair in card.held} & {f"q1d{n}" for n in GRADES}
        assert standing_of(project, "Ann").state == "passed"

    def test_who_fails_gets_the_next_set_then_none_and_the_lead_sees_it(self) -> None:
        project = make_practice(1, 2)
        card = Card(make_people("Ann")[0], project)
        card.send()
        assert practise(card, [3, 3, 3, 3])["result"]["passed"] is False
        assert card.last["calibration"]["set"] == 2
        assert card.last["calibration"]["last"]["practice_set"] == 1
        assert standing_of(project, "Ann").state == "practising"
        assert practise(card, [3, 2, 1, 0])["result"]["kappa"] < 0
        assert (card.last["end"]["kind"], card.last["pairs"]) == ("calibration", [])
        seen = standing_of(project, "Ann")
        assert (seen.state, [one.passed for one in seen.tries]) == ("failed", [False, False])

    def test_one_grade_throughout_leaves_kappa_undefined_and_the_share_of_equal_grades_decides(self) -> None:
        same = compare_with_reference(1, [(2, 2), (2, 2)], 2, GRADES, 0.6)
        assert (same.kappa, same.undefined, same.passed) == (None, "one_grade_only", True)
        nothing = compare_with_reference(1, [], 2, GRADES, 0.0)
        assert (nothing.kappa, nothing.undefined, nothing.passed) == (None, "nothing_graded", False)

    def test_half_of_the_set_has_to_be_graded(self) -> None:
        card = Card(make_people("Ann")[0], make_practice(1))
        card.send()
        for _ in range(3):
            shown = card.held.pop(0)
            card.send(card.act("cannot_judge", shown, reason="needs_expert"))
        assert card.grade(3)["result"]["passed"] is False

    def test_a_pair_put_off_comes_back_at_the_end_of_the_set(self) -> None:
        card = Card(make_people("Ann")[0], make_practice(1))
        card.send()
        put_off = card.held.pop(0)
        answer = card.send(card.act("skip", put_off))
        assert "reference" not in answer["acts"][0]
        assert [pair["doc_id"] for pair in card.held] == ["d1", "d2", "d3", "d0"]

    def test_the_first_answer_stands_once_the_reference_was_shown(self) -> None:
        card = Card(make_people("Ann")[0], make_practice(1))
        card.send()
        shown = card.held.pop(0)
        act = card.act("grade", shown, grade=3)
        card.send(act)
        again = card.send(card.act("grade", shown, grade=0))["acts"][0]
        back = card.send(card.act("undo", shown, takes_back=act["act_id"]))["acts"][0]
        assert [(one["status"], one["code"]) for one in (again, back)] == [("refused", "known")] * 2

    def test_practice_never_counts_as_a_vote(self) -> None:
        project = make_practice(1)
        card = Card(make_people("Ann")[0], project)
        card.send()
        practise(card, [0, 1, 2, 3])
        with reading() as session:
            assert read_votes(session, COMMAND_LINE, project).empty
            counts = projects.count_project(session, COMMAND_LINE, project)
            assert (counts.pairs, counts.votes, counts.complete) == (36, 0, 0)
            pair = metadata.tables["pair"]
            assert not session.execute(select(pair.c.id).where(pair.c.vote_count > 0)).first()
        with writing() as session:
            assert set_derived_right(session).wrong_current == 0

    def test_a_new_version_of_the_rubric_asks_everybody_again_and_keeps_a_grade_on_its_way(self) -> None:
        project = make_practice(1)
        card = Card(make_people("Ann")[0], project)
        card.send()
        practise(card, [0, 1, 2, 3])
        held = card.held[0]
        with writing() as session:
            before = rubrics.get_rubric(session, project)
            rubrics.publish_rubric(session, COMMAND_LINE, project, text="Anew.", levels=before.levels)
        card.wait(seconds=5)
        answer = card.send()
        assert (answer["calibration"]["set"], answer["calibration"]["done"]) == (1, 0)
        assert held["pair"] in answer["lost"]
        assert card.send(card.act("grade", held, grade=1))["acts"][0]["status"] == "saved"
        practise(card, [0, 1, 2, 3])
        assert card.last["calibration"] is None

    def test_a_practice_grade_under_the_version_before_is_kept_and_counts_for_no_try_of_the_new_one(self) -> None:
        project = make_practice(1)
        card = Card(make_people("Ann")[0], project)
        card.send()
        with writing() as session:
            before = rubrics.get_rubric(session, project)
            rubrics.publish_rubric(session, COMMAND_LINE, project, text="Anew.", levels=before.levels)
        card.wait(seconds=5)
        card.send()
        outcome = card.grade(0)
        assert (outcome["status"], outcome["reference"]["grade"]) == ("saved", 0)
        assert (card.last["calibration"]["done"], card.last["calibration"]["of"]) == (0, 4)

    def test_two_tabs_of_a_rater_practise_one_set(self) -> None:
        ann = make_people("Ann")[0]
        project = make_practice(1)
        first, second = Card(ann, project), Card(ann, project, tab="tab-2")
        first.send()
        second.send()
        assert [pair["pair"] for pair in second.held] == [pair["pair"] for pair in first.held]
        first.grade(0)
        assert second.grade(1)["code"] == "known"

    def test_a_project_without_calibration_asks_for_no_practice(self) -> None:
        project = make_project()
        add_references(project, ["q1,d1,2,because,practice,1"])
        answer = Card(make_people("Ann")[0], project).send()
        assert answer["calibration"] is None
        assert answer["pairs"]


@pytest.mark.usefixtures("database")
class TestLeads:
    def test_a_lead_lets_a_rater_in_and_asks_again(self) -> None:
        project = make_practice(1)
        card = Card(make_people("Ann")[0], project)
        card.send()
        practise(card, [3, 3, 3, 3])
        number = standing_of(project, "Ann").rater_id
        card.wait(seconds=5)
        with writing() as session:
            calibration.admit_rater(session, COMMAND_LINE, project, number, now=card.now)
        assert card.send()["calibration"] is None
        assert standing_of(project, "Ann").state == "admitted"
        card.wait(seconds=5)
        with writing() as session:
            calibration.require_calibration_again(session, COMMAND_LINE, project, number, now=card.now)
        card.wait(seconds=5)
        assert card.send()["calibration"]["set"] == 1
        assert standing_of(project, "Ann").state == "practising"

    def test_raters_may_do_none_of_it(self) -> None:
        project = make_practice(1)
        ann = make_people("Ann")[0]
        Card(ann, project).send()
        number = standing_of(project, "Ann").rater_id
        with writing() as session:
            for act in (
                lambda: calibration.list_calibrations(session, ann, project),
                lambda: calibration.admit_rater(session, ann, project, number),
                lambda: calibration.require_calibration_again(session, ann, project, number),
                lambda: list_references(session, ann, project),
                lambda: remove_reference(session, ann, project, 1),
            ):
                with pytest.raises(NotAllowed):
                    act()
            with pytest.raises(NotFound):
                calibration.admit_rater(session, COMMAND_LINE, project, number + 1)

    def test_calibration_needs_a_practice_set(self) -> None:
        project = make_project()
        with writing() as session, pytest.raises(AssayError, match="practice set before calibration"):
            projects.change_project(session, COMMAND_LINE, project, calibration=True)


def test_kappa_and_boundaries_are_those_of_scikit_learn_and_of_counting() -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        grades = random.integers(0, 4, size=12).tolist()
        known = random.integers(0, 4, size=12).tolist()
        result = compare_with_reference(1, list(zip(grades, known, strict=True)), 12, GRADES, 0.6)
        expected = cohen_kappa_score(grades, known, weights="quadratic", labels=GRADES)
        assert result.kappa == pytest.approx(expected)
        for one in result.boundaries:
            assert one.agreed + one.higher + one.lower == 12
