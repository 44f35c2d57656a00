"""Practice before judging: which set a rater tries, how well it went, and who is let in.

Knows practice pairs and their known grades; no vote. A try belongs to one version of the rubric.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow
from labeling.errors import AssayError
from labeling.practice_result import Result, compare_with_reference
from labeling.projects import Project, get_project
from labeling.raters import Rater, get_rater_by_id, list_raters
from labeling.rubrics import Rubric, get_rubric
from labeling.schema import metadata

__all__ = [
    "Feedback",
    "RaterCalibration",
    "Standing",
    "Try",
    "admit_rater",
    "describe_result",
    "ensure_practice",
    "find_standing",
    "give_feedback",
    "list_calibrations",
    "practice_pairs",
    "require_calibration_again",
]

_reference = metadata.tables["reference"]
_calibration = metadata.tables["calibration"]
_judgment = metadata.tables["judgment"]
_pair = metadata.tables["pair"]
_rubric = metadata.tables["rubric"]
_claim = metadata.tables["claim"]
_note = metadata.tables["rater_note"]


@dataclass(frozen=True)
class Try:
    """One try of a rater at a practice set; practice_set is 0 where a lead let the rater in by hand."""

    id: int
    rubric_id: int
    practice_set: int
    version: int
    started_at: datetime
    finished_at: datetime | None
    kappa: float | None
    passed: bool | None

    @property
    def by_hand(self) -> bool:
        """Whether a lead let the rater in without practice."""
        return self.practice_set == 0


@dataclass(frozen=True)
class RaterCalibration:
    """Where a rater stands, as a lead sees it.

    state: off (the project asks for none), not_started, practising, passed, admitted (by hand), failed (no set left).
    done and of count the pairs of the set in hand. tries are all there were, oldest first, older versions included.
    """

    rater_id: int
    rater: str
    state: str
    practice_set: int | None
    done: int
    of: int
    tries: tuple[Try, ...]


@dataclass(frozen=True)
class Standing:
    """Where a rater stands under the newest rubric: in, practice (a set is in hand or is next), or out (no set left).

    to_do and of: the pairs of the set in hand that are still to judge, and how many it has. last: the try before.
    """

    kind: str
    current: Try | None = None
    next_set: int | None = None
    last: Try | None = None
    to_do: tuple[int, ...] = ()
    of: int = 0
    last_result: Result | None = None


@dataclass(frozen=True)
class Feedback:
    """What a rater is told after a practice pair: its known grade and the reason; the result where the set has ended."""

    grade: int
    reason: str
    result: Result | None


def list_calibrations(session: Session, actor: Actor, project_id: int) -> list[RaterCalibration]:
    """Every person who judges in a project with where they stand, by name; models and names from files have none."""
    actor.require("lead")
    project = get_project(session, actor, project_id)
    rubric = get_rubric(session, project_id)
    people = [rater for rater in list_raters(session, project_id) if rater.account_id is not None]
    return [_calibration_of(session, project, rubric, rater) for rater in people]


def _calibration_of(session: Session, project: Project, rubric: Rubric, rater: Rater) -> RaterCalibration:
    standing = find_standing(session, project, rater, rubric)
    done, of = 0, 0
    if standing.current is not None:
        pairs = practice_pairs(session, project.id, standing.current.practice_set)
        of = len(pairs)
        done = len(_graded_or_refused(_answers(session, rater.id, standing.current), pairs))
    return RaterCalibration(
        rater_id=rater.id,
        rater=rater.name,
        state=_state_word(project, standing),
        practice_set=standing.current.practice_set if standing.current is not None else standing.next_set,
        done=done,
        of=of,
        tries=tuple(_tries(session, rater.id)),
    )


def _state_word(project: Project, standing: Standing) -> str:
    if not project.calibration:
        return "off"
    if standing.kind == "in":
        return "admitted" if standing.last is not None and standing.last.by_hand else "passed"
    if standing.kind == "out":
        return "failed"
    return "not_started" if standing.current is None and standing.last is None else "practising"


def admit_rater(session: Session, actor: Actor, project_id: int, rater_id: int, *, now: datetime | None = None) -> None:
    """Let a rater judge without having passed, under the newest rubric; what they tried stays on record.

    Raises NotAllowed below lead, NotFound for a rater of another project. Doing it twice changes nothing more.
    """
    actor.require("lead")
    project = get_project(session, actor, project_id)
    rater = get_rater_by_id(session, project_id, rater_id)
    rubric = get_rubric(session, project_id)
    if project.calibration and find_standing(session, project, rater, rubric).kind == "in":
        return
    moment = now or datetime.now(UTC)
    values = {"practice_set": 0, "started_at": moment, "finished_at": moment, "passed": True}
    session.execute(insert(_calibration).values(rater_id=rater_id, rubric_id=rubric.id, **values))


def require_calibration_again(
    session: Session, actor: Actor, project_id: int, rater_id: int, *, text: str = "", now: datetime | None = None
) -> None:
    """Ask a rater to practise again before the next pair; every set counts as not tried.

    What they hold is released, and a grade of it that is on its way is still kept. Raises NotAllowed below lead,
    NotFound for a rater of another project, AssayError where the project asks for no calibration.
    """
    actor.require("lead")
    project = get_project(session, actor, project_id)
    get_rater_by_id(session, project_id, rater_id)
    if not project.calibration:
        raise AssayError("expected a project with calibration on, found it off: switch it on in the setup")
    moment = now or datetime.now(UTC)
    values = {"kind": "calibrate", "text": text.strip(), "written_by": actor.account_id, "written_at": moment}
    session.execute(insert(_note).values(rater_id=rater_id, **values))
    session.execute(delete(_claim).where(_claim.c.rater_id == rater_id, _claim.c.purpose == "practice"))


def find_standing(session: Session, project: Project, rater: Rater, rubric: Rubric) -> Standing:
    """Where a rater stands now; changes nothing."""
    if not project.calibration:
        return Standing("in")
    since = session.execute(
        select(func.max(_note.c.written_at)).where(_note.c.rater_id == rater.id, _note.c.kind == "calibrate")
    ).scalar_one_or_none()
    tries = [one for one in _tries(session, rater.id, rubric.version) if since is None or one.started_at > since]
    last = next((one for one in reversed(tries) if one.finished_at is not None), None)
    passed = next((one for one in reversed(tries) if one.passed), None)
    if passed is not None:
        return Standing("in", last=passed)
    sets = _set_numbers(session, project.id)
    current = next((one for one in tries if one.finished_at is None and one.practice_set in sets), None)
    if current is not None:
        return Standing("practice", current=current, last=last)
    tried = {one.practice_set for one in tries}
    following = next((number for number in sets if number not in tried), None)
    return Standing("out" if following is None else "practice", next_set=following, last=last)


def _tries(session: Session, rater_id: int, version: int | None = None) -> list[Try]:
    statement = (
        select(_calibration, _rubric.c.version)
        .join(_rubric, _rubric.c.id == _calibration.c.rubric_id)
        .where(_calibration.c.rater_id == rater_id)
        .order_by(_calibration.c.id)
    )
    if version is not None:
        statement = statement.where(_rubric.c.version == version)
    names = Try.__dataclass_fields__
    return [Try(**{name: getattr(row, name) for name in names}) for row in session.execute(statement)]


def _set_numbers(session: Session, project_id: int) -> list[int]:
    statement = (
        select(_reference.c.practice_set)
        .join(_pair, _pair.c.id == _reference.c.pair_id)
        .where(_pair.c.project_id == project_id, _reference.c.purpose == "practice")
    )
    return sorted(set(session.execute(statement).scalars()))


def practice_pairs(session: Session, project_id: int, practice_set: int) -> list[AnyRow]:
    """The pairs of a practice set in their order: pair_id, grade, reason."""
    statement = (
        select(_reference.c.pair_id, _reference.c.grade, _reference.c.reason)
        .join(_pair, _pair.c.id == _reference.c.pair_id)
        .where(_pair.c.project_id == project_id, _reference.c.practice_set == practice_set)
        .order_by(_reference.c.position, _reference.c.pair_id)
    )
    return list(session.execute(statement))


def _answers(session: Session, rater_id: int, one: Try) -> dict[int, AnyRow]:
    """What a rater answered in a try and under its version, by pair: the newest row of the ledger of each."""
    moments = [_judgment.c.judged_at >= one.started_at, _judgment.c.rubric_id == one.rubric_id]
    if one.finished_at is not None:
        moments.append(_judgment.c.judged_at <= one.finished_at)
    statement = (
        select(_judgment.c.pair_id, _judgment.c.kind, _judgment.c.grade)
        .where(_judgment.c.rater_id == rater_id, _judgment.c.purpose == "practice", *moments)
        .order_by(_judgment.c.id)
    )
    return {row.pair_id: row for row in session.execute(statement)}


def _graded_or_refused(answers: Mapping[int, AnyRow], pairs: Sequence[AnyRow]) -> set[int]:
    """The pairs of a set that are done: those set aside for later are not."""
    return {row.pair_id for row in pairs if row.pair_id in answers and answers[row.pair_id].kind != "skip"}


def _pairs_to_do(session: Session, project: Project, rater: Rater, one: Try) -> tuple[tuple[int, ...], int]:
    """The pairs of the set in hand that are still to do, those put off last, and how many the set has."""
    pairs = practice_pairs(session, project.id, one.practice_set)
    answers = _answers(session, rater.id, one)
    done = _graded_or_refused(answers, pairs)
    waiting = [row.pair_id for row in pairs if row.pair_id not in done]
    return tuple(sorted(waiting, key=lambda number: number in answers)), len(pairs)


def ensure_practice(session: Session, project: Project, rater: Rater, rubric: Rubric, *, now: datetime) -> Standing:
    """Where a rater stands, with a set begun where one is due, and one ended where all of its pairs are done."""
    while (standing := find_standing(session, project, rater, rubric)).kind == "practice":
        if standing.current is None:
            values = {"rater_id": rater.id, "rubric_id": rubric.id, "practice_set": standing.next_set}
            session.execute(insert(_calibration).values(**values, started_at=now))
            continue
        to_do, of = _pairs_to_do(session, project, rater, standing.current)
        if to_do:
            return replace(standing, to_do=to_do, of=of, last_result=_last_result(session, project, rater, standing))
        _finish_try(session, project, rater, standing.current, now=now)
    return replace(standing, last_result=_last_result(session, project, rater, standing))


def _last_result(session: Session, project: Project, rater: Rater, standing: Standing) -> Result | None:
    if standing.kind == "in" or standing.last is None:
        return None
    return describe_result(session, project, rater, standing.last)


def give_feedback(
    session: Session, project: Project, rater: Rater, pair_id: int, *, judged_at: datetime
) -> Feedback | None:
    """What a rater is told who has just judged a practice pair; ends the try where it was the last one of its set.

    None for a pair that is no practice pair any more. Asked again for the same act, the same comes back.
    """
    practice = (_reference.c.pair_id == pair_id, _reference.c.purpose == "practice")
    known = session.execute(select(_reference).where(*practice)).first()
    if known is None:
        return None
    version = get_rubric(session, project.id).version
    tries = [one for one in _tries(session, rater.id, version) if one.practice_set == known.practice_set]
    result = None
    if tries and tries[-1].finished_at is None and not _pairs_to_do(session, project, rater, tries[-1])[0]:
        result = _finish_try(session, project, rater, tries[-1], now=judged_at)
    elif tries and tries[-1].finished_at == judged_at:
        result = describe_result(session, project, rater, tries[-1])
    return Feedback(known.grade, known.reason, result)


def _finish_try(session: Session, project: Project, rater: Rater, one: Try, *, now: datetime) -> Result:
    """Close a try whose pairs are all done, with its kappa and whether it passed."""
    result = describe_result(session, project, rater, one)
    values = {"finished_at": now, "kappa": result.kappa, "passed": result.passed}
    session.execute(update(_calibration).where(_calibration.c.id == one.id).values(**values))
    return result


def describe_result(session: Session, project: Project, rater: Rater, one: Try) -> Result:
    """How a try compares with the references as they stand; a finished one keeps what was decided then."""
    pairs = practice_pairs(session, project.id, one.practice_set)
    answers = _answers(session, rater.id, one)
    known = {row.pair_id: row.grade for row in pairs}
    graded = [
        (answers[pair].grade, grade)
        for pair, grade in known.items()
        if pair in answers and answers[pair].kind == "grade"
    ]
    scale = get_rubric(session, project.id).grades
    result = compare_with_reference(one.practice_set, graded, len(pairs), scale, project.pass_mark)
    if one.finished_at is None:
        return result
    return replace(result, kappa=one.kappa, passed=bool(one.passed))
