"""The ledger: what raters did, one row an act, never changed and never deleted.

Knows neither pages nor requests. Which row counts now stands in current_judgment for production and in current_check
for practice, gold and repeats, written in the same transaction.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, insert, null, select
from sqlalchemy.orm import Session

from labeling.acts import REASONS, Act
from labeling.calibration import Feedback, give_feedback
from labeling.carrying import carry_on
from labeling.database import AnyRow, insert_unless_present
from labeling.ledger import casts_vote, count_votes, current_decision, held_by_others, point_to
from labeling.projects import Project
from labeling.raters import Rater
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.second_questions import are_known
from labeling.shown import pair_hash, repeat_hash

__all__ = [
    "Outcome",
    "record_act",
]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_claim = metadata.tables["claim"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_reference = metadata.tables["reference"]
_rubric = metadata.tables["rubric"]


@dataclass(frozen=True)
class Outcome:
    """What became of an act: saved, repeated (it was there already), or refused with a code; feedback on practice."""

    act_id: str
    status: str
    code: str | None = None
    surplus: bool = False
    feedback: Feedback | None = None


@dataclass(frozen=True)
class _Place:
    """Where an act belongs: its pair, what it is for, what counts there now, and the claim it was handed out under."""

    pair: AnyRow
    purpose: str
    current: AnyRow | None
    claim: AnyRow | None


def record_act(session: Session, project: Project, rater: Rater, act: Act, *, now: datetime) -> Outcome:
    """Write one act to the ledger, exactly once, on the pair that was on the screen.

    After the commit the row is there and counts; the same id again is answered with "repeated" and changes nothing.
    Refused, with nothing written: a pair that this rater does not hold and has not judged (not_held), another text
    than the one stored now (changed_text), a rubric version that was not the one shown (old_rubric), a change of mind
    on a settled pair (settled), a closed project (closed), anything malformed (bad_act). Two acts at once on the last
    place of a pair: the one whose claim ran out is kept as surplus.
    """
    stored = session.execute(select(_judgment).where(_judgment.c.act_id == act.act_id)).first()
    if stored is not None:
        if stored.rater_id != rater.id:
            return Outcome(act.act_id, "refused", "bad_act", stored.surplus)
        return Outcome(
            act.act_id, "repeated", surplus=stored.surplus, feedback=_feedback(session, project, rater, stored)
        )
    place = _place_of(session, project, rater, act)
    if place is None:
        return Outcome(act.act_id, "refused", "closed" if project.state != "open" else "not_held")
    code = _refusal(session, project, rater, act, place)
    if code is not None:
        return Outcome(act.act_id, "refused", code)
    if act.kind == "comment":
        return _rewrite(session, rater, act, place, now)
    votes = act.kind == "grade" and place.purpose == "production"
    surplus = votes and _is_surplus(session, rater, place, now)
    row = _append(session, project, rater, act, place, now=now, surplus=surplus)
    if project.twins == "carry" and place.purpose == "production":
        carry_on(session, rater, row, now=now)
    return Outcome(act.act_id, "saved", surplus=surplus, feedback=_feedback(session, project, rater, row))


def _feedback(session: Session, project: Project, rater: Rater, row: AnyRow) -> Feedback | None:
    if row.purpose != "practice" or row.kind not in ("grade", "cannot_judge"):
        return None
    return give_feedback(session, project, rater, row.pair_id, judged_at=row.judged_at)


def _place_of(session: Session, project: Project, rater: Rater, act: Act) -> _Place | None:
    pair = _pair_of(session, project.id, act.pair)
    if pair is None:
        return None
    purpose = _purpose_of(session, rater, act, pair)
    current = _current_of(session, pair.id, rater.id, purpose)
    return _Place(pair, purpose, current, _claim_of(session, pair.id, rater.id, purpose))


def _purpose_of(session: Session, rater: Rater, act: Act, pair: AnyRow) -> str:
    """What an act is for: what the act that it takes back was for, what its pair is for, or what its hash says."""
    if act.kind == "undo":
        mine = (_judgment.c.act_id == act.takes_back, _judgment.c.rater_id == rater.id)
        taken_back = session.execute(select(_judgment.c.purpose).where(*mine)).scalar_one_or_none()
        return taken_back or "production"
    known = session.execute(select(_reference.c.purpose).where(_reference.c.pair_id == pair.id)).scalar_one_or_none()
    if known is None:  # a pair that this rater judged as gold stays gold, when a lead takes it out of the list
        checked = (_check.c.pair_id == pair.id, _check.c.rater_id == rater.id, _check.c.purpose != "repeat")
        known = session.execute(select(_check.c.purpose).where(*checked).limit(1)).scalar_one_or_none()
    if known is None and act.shown == repeat_hash(pair_hash(pair.query_hash, pair.document_hash), rater.id):
        return "repeat"
    return known or "production"


def _pair_of(session: Session, project_id: int, pair_id: int) -> AnyRow | None:
    statement = (
        select(
            _pair.c.id,
            _pair.c.overlap,
            _pair.c.vote_count,
            _query.c.shown_hash.label("query_hash"),
            _document.c.shown_hash.label("document_hash"),
        )
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.id == pair_id, _pair.c.project_id == project_id)
    )
    return session.execute(statement).first()


def _current_of(session: Session, pair_id: int, rater_id: int, purpose: str) -> AnyRow | None:
    counting = _current if purpose == "production" else _check
    statement = (
        select(_judgment)
        .join(counting, counting.c.judgment_id == _judgment.c.id)
        .where(counting.c.pair_id == pair_id, counting.c.rater_id == rater_id, _judgment.c.purpose == purpose)
    )
    return session.execute(statement).first()


def _claim_of(session: Session, pair_id: int, rater_id: int, purpose: str) -> AnyRow | None:
    statement = (
        select(_claim, _rubric.c.version)
        .join(_rubric, _rubric.c.id == _claim.c.rubric_id)
        .where(_claim.c.pair_id == pair_id, _claim.c.rater_id == rater_id, _claim.c.purpose == purpose)
    )
    return session.execute(statement).first()


def _refusal(session: Session, project: Project, rater: Rater, act: Act, place: _Place) -> str | None:
    pair, current, claim = place.pair, place.current, place.claim
    if project.state != "open":
        return "closed"
    if claim is None and current is None:
        return "not_held"
    if place.purpose == "production" and current is not None and current_decision(session, pair.id) is not None:
        return "settled"
    if place.purpose == "practice" and act.kind != "comment" and (claim is None or act.kind == "undo"):
        return "known"  # the reference was shown: the first answer stands
    if act.kind == "undo":
        return None if current is not None and current.act_id == act.takes_back else "bad_act"
    if act.kind == "comment":
        return None if current is not None else "bad_act"
    if act.shown != _expected_hash(rater, place):
        return "changed_text"
    if not _fits_rubric(session, project, act, claim):
        return "old_rubric"
    scale = get_rubric(session, project.id).grades
    wrong_grade = (act.grade is not None and act.grade in scale) != (act.kind == "grade")
    wrong_reason = act.kind == "cannot_judge" and act.reason not in REASONS
    wrong_answers = act.answers is not None and (act.kind != "grade" or not are_known(session, project.id, act.answers))
    return "bad_act" if wrong_grade or wrong_reason or wrong_answers else None


def _expected_hash(rater: Rater, place: _Place) -> str:
    plain = pair_hash(place.pair.query_hash, place.pair.document_hash)
    return repeat_hash(plain, rater.id) if place.purpose == "repeat" else plain


def _fits_rubric(session: Session, project: Project, act: Act, claim: AnyRow | None) -> bool:
    """The version on the screen was the one handed out with the pair, or is the newest."""
    newest = get_rubric(session, project.id).version
    return act.rubric_version == newest or (claim is not None and act.rubric_version == claim.version)


def _is_surplus(session: Session, rater: Rater, place: _Place, now: datetime) -> bool:
    pair, current, claim = place.pair, place.current, place.claim
    if current is not None and current.kind == "grade" and not current.surplus:
        return False  # a change of mind keeps its place; one that had none takes a place that became free
    if not casts_vote(rater):
        return False
    taken = pair.vote_count
    if claim is None or claim.expires_at <= now:
        taken += held_by_others(session, rater, pair.id, now)
    return bool(taken >= pair.overlap)


def _append(
    session: Session, project: Project, rater: Rater, act: Act, place: _Place, *, now: datetime, surplus: bool
) -> AnyRow:
    pair, current, claim = place.pair, place.current, place.claim
    position = claim.position if claim is not None else (current.position if current is not None else None)
    shown = select(_rubric.c.id).where(_rubric.c.project_id == project.id, _rubric.c.version == act.rubric_version)
    undone = act.kind == "undo"
    rubric_id = current.rubric_id if undone and current is not None else session.execute(shown).scalar_one()
    row = session.execute(
        insert(_judgment)
        .values(
            act_id=act.act_id,
            pair_id=pair.id,
            rater_id=rater.id,
            kind=act.kind,
            purpose=place.purpose,
            grade=act.grade if act.kind == "grade" else None,
            reason=act.reason if act.kind == "cannot_judge" else None,
            comment=act.comment,
            rubric_id=rubric_id,
            shown_hash=None if undone else pair_hash(pair.query_hash, pair.document_hash),
            shown_at=act.shown_at,
            judged_at=now,
            seconds=act.seconds,
            position=position,
            surplus=surplus,
            takes_back=current.id if undone and current is not None else None,
            answers=(act.answers if act.kind == "grade" else None) or null(),
        )
        .returning(_judgment)
    ).one()
    point_to(session, rater, pair.id, place.purpose, None if undone else row.id)
    if place.purpose == "production":
        count_votes(session, rater, pair.id, before=current, counts=act.kind == "grade" and not surplus)
    held = (_claim.c.pair_id == pair.id, _claim.c.rater_id == rater.id)
    session.execute(delete(_claim).where(*held, _claim.c.purpose == place.purpose))
    if undone:
        _hold_again(session, project, rater, place, rubric_id, position or 0, now)
    return row


def _hold_again(
    session: Session, project: Project, rater: Rater, place: _Place, rubric_id: int, position: int, now: datetime
) -> None:
    """After an undo the pair is the rater's again, for what it was; unless others hold or fill its last place."""
    number = place.pair.id
    row = session.execute(select(_pair.c.overlap, _pair.c.vote_count).where(_pair.c.id == number)).one()
    has_room = row.vote_count + held_by_others(session, rater, number, now) < row.overlap
    values = {"pair_id": number, "rater_id": rater.id, "tab": "", "position": position, "rubric_id": rubric_id}
    expires = now + timedelta(minutes=project.claim_minutes) if has_room or place.purpose != "production" else now
    held = (_claim.c.pair_id == number, _claim.c.rater_id == rater.id)
    if place.purpose == "production":  # goes before a repeat of the same pair that waits
        session.execute(delete(_claim).where(*held))
    values |= {"purpose": place.purpose, "claimed_at": now, "expires_at": expires}
    insert_unless_present(session, _claim, values)


def _rewrite(session: Session, rater: Rater, act: Act, place: _Place, now: datetime) -> Outcome:
    """A comment on a judgment that is stored: the same judgment again, with its comment, as a new row."""
    current = place.current
    if current is None:
        return Outcome(act.act_id, "refused", "bad_act")
    kept = {
        name: getattr(current, name)
        for name in ("pair_id", "rater_id", "kind", "grade", "reason", "rubric_id", "shown_hash", "shown_at",
                     "seconds", "position", "surplus", "purpose", "answers")
    }  # fmt: skip
    kept["answers"] = kept["answers"] or null()
    values = {**kept, "act_id": act.act_id, "comment": act.comment, "judged_at": now}
    judgment_id = session.execute(insert(_judgment).values(**values).returning(_judgment.c.id)).scalar_one()
    point_to(session, rater, place.pair.id, place.purpose, judgment_id)
    return Outcome(act.act_id, "saved", surplus=bool(current.surplus))
