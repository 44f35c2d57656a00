"""The ledger: what raters did, one row an act, never changed and never deleted.

Knows neither pages nor requests. Which row counts now stands in current_judgment, written in the same transaction.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow, insert_unless_present, row_number, storable
from labeling.errors import AssayError, NotFound
from labeling.projects import Project, get_project
from labeling.queue import pair_hash, show_pairs
from labeling.raters import Rater, get_rater
from labeling.rubrics import get_rubric
from labeling.schema import metadata

__all__ = [
    "REASONS",
    "Act",
    "Outcome",
    "current_decision",
    "list_history",
    "parse_act",
    "read_text",
    "record_act",
    "show_own_pair",
]

KINDS = ("grade", "cannot_judge", "skip", "undo", "comment")
REASONS = ("did_not_load", "wrong_language", "query_unclear", "needs_expert", "other")
LONGEST_COMMENT = 10_000
IDLE_SECONDS = 120

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_claim = metadata.tables["claim"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_decision = metadata.tables["decision"]
_rubric = metadata.tables["rubric"]


class BadAct(AssayError):
    """An act that cannot be what a card sent."""


@dataclass(frozen=True)
class Act:
    """One act of a rater on one pair, as the card sent it; the id is made when the key goes down."""

    act_id: str
    seq: int
    kind: str
    pair: int
    shown: str
    rubric_version: int
    grade: int | None
    reason: str | None
    comment: str
    shown_at: datetime | None
    seconds: float | None
    takes_back: str | None


@dataclass(frozen=True)
class Outcome:
    """What became of an act: saved, repeated (it was there already), or refused with a code."""

    act_id: str
    status: str
    code: str | None = None
    surplus: bool = False


def parse_act(raw: object) -> Act:
    """An act from a request's JSON; AssayError for one that no card can have sent."""
    if not isinstance(raw, Mapping):
        raise BadAct(f"expected an act of the judging card, found {type(raw).__name__}")
    try:
        seconds = raw.get("seconds")
        grade = raw.get("grade")
        act = Act(
            act_id=str(raw["act_id"]),
            seq=int(raw["seq"]),
            kind=str(raw["kind"]),
            pair=row_number(raw["pair"]),
            shown=str(raw.get("shown") or ""),
            rubric_version=row_number(raw.get("rubric_version") or 0),
            grade=None if grade is None else row_number(grade),
            reason=str(raw["reason"])[:200] if raw.get("reason") else None,
            comment=storable(str(raw.get("comment") or "")[:LONGEST_COMMENT]),
            shown_at=_moment(raw.get("shown_at")),
            seconds=None if seconds is None else _seconds(float(seconds)),
            takes_back=str(raw["takes_back"]) if raw.get("takes_back") else None,
        )
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise BadAct(f"expected an act of the judging card, found {error!r}") from error
    if act.kind not in KINDS or not 8 <= len(act.act_id) <= 80 or storable(act.act_id) != act.act_id:
        raise BadAct(f"expected an act of {', '.join(KINDS)} with an id, found {act.kind!r}")
    return act


def _moment(milliseconds: Any) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(float(milliseconds) / 1000, UTC)


def _seconds(value: float) -> float | None:
    return value if math.isfinite(value) and 0 <= value <= IDLE_SECONDS else None


def record_act(session: Session, project: Project, rater: Rater, act: Act, *, now: datetime) -> Outcome:
    """Write one act to the ledger, exactly once, on the pair that was on the screen.

    After the commit the row is there and counts; the same id again is answered with "repeated" and changes nothing.
    Refused, with nothing written: a pair that this rater does not hold and has not judged (not_held), another text
    than the one stored now (changed_text), a rubric version that was not the one shown (old_rubric), a change of mind
    on a settled pair (settled), a closed project (closed), anything malformed (bad_act). Two acts at once on the last
    place of a pair: the one whose claim ran out is kept as surplus.
    """
    repeated = session.execute(
        select(_judgment.c.rater_id, _judgment.c.surplus).where(_judgment.c.act_id == act.act_id)
    ).first()
    if repeated is not None:
        mine = repeated.rater_id == rater.id
        return Outcome(act.act_id, "repeated" if mine else "refused", None if mine else "bad_act", repeated.surplus)
    pair = _pair_of(session, project.id, act.pair)
    current = None if pair is None else _current_of(session, pair.id, rater.id)
    claim = None if pair is None else _claim_of(session, pair.id, rater.id)
    code = _refusal(session, project, act, pair, current, claim)
    if code is not None or pair is None:
        return Outcome(act.act_id, "refused", code or "bad_act")
    if act.kind == "comment":
        return _rewrite(session, rater, act, pair, current, now)
    surplus = act.kind == "grade" and _is_surplus(session, rater, pair, current, claim, now)
    _append(session, rater, act, pair, current, claim, now=now, surplus=surplus)
    return Outcome(act.act_id, "saved", surplus=surplus)


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


def _current_of(session: Session, pair_id: int, rater_id: int) -> AnyRow | None:
    statement = (
        select(_judgment)
        .join(_current, _current.c.judgment_id == _judgment.c.id)
        .where(_current.c.pair_id == pair_id, _current.c.rater_id == rater_id)
    )
    return session.execute(statement).first()


def _claim_of(session: Session, pair_id: int, rater_id: int) -> AnyRow | None:
    statement = (
        select(_claim, _rubric.c.version)
        .join(_rubric, _rubric.c.id == _claim.c.rubric_id)
        .where(_claim.c.pair_id == pair_id, _claim.c.rater_id == rater_id)
    )
    return session.execute(statement).first()


def current_decision(session: Session, pair_id: int) -> AnyRow | None:
    """The newest decision on a pair, or None where there is none or it was withdrawn."""
    newest = select(_decision).where(_decision.c.pair_id == pair_id).order_by(_decision.c.id.desc()).limit(1)
    row = session.execute(newest).first()
    return None if row is None or row.grade is None else row


def _refusal(
    session: Session, project: Project, act: Act, pair: AnyRow | None, current: AnyRow | None, claim: AnyRow | None
) -> str | None:
    if project.state != "open":
        return "closed"
    if pair is None or (claim is None and current is None):
        return "not_held"
    if current is not None and current_decision(session, pair.id) is not None:
        return "settled"
    if act.kind == "undo":
        return None if current is not None and current.act_id == act.takes_back else "bad_act"
    if act.kind == "comment":
        return None if current is not None else "bad_act"
    if act.shown != pair_hash(pair.query_hash, pair.document_hash):
        return "changed_text"
    if not _fits_rubric(session, project, act, claim):
        return "old_rubric"
    scale = get_rubric(session, project.id).grades
    wrong_grade = (act.grade is not None and act.grade in scale) != (act.kind == "grade")
    wrong_reason = act.kind == "cannot_judge" and act.reason not in REASONS
    return "bad_act" if wrong_grade or wrong_reason else None


def _fits_rubric(session: Session, project: Project, act: Act, claim: AnyRow | None) -> bool:
    """The version on the screen was the one handed out with the pair, or is the newest."""
    newest = get_rubric(session, project.id).version
    return act.rubric_version == newest or (claim is not None and act.rubric_version == claim.version)


def _is_surplus(
    session: Session, rater: Rater, pair: AnyRow, current: AnyRow | None, claim: AnyRow | None, now: datetime
) -> bool:
    if current is not None and current.kind == "grade" and not current.surplus:
        return False  # a change of mind keeps its place; one that had none takes a place that became free
    if not _casts_vote(rater):
        return False
    taken = pair.vote_count
    if claim is None or claim.expires_at <= now:
        taken += _held_by_others(session, rater, pair.id, now)
    return bool(taken >= pair.overlap)


def _casts_vote(rater: Rater) -> bool:
    return rater.casts_vote and not rater.set_aside


def _append(
    session: Session,
    rater: Rater,
    act: Act,
    pair: AnyRow,
    current: AnyRow | None,
    claim: AnyRow | None,
    *,
    now: datetime,
    surplus: bool,
) -> None:
    position = claim.position if claim is not None else (current.position if current is not None else None)
    rubric = select(_rubric.c.id).join(_pair, _pair.c.project_id == _rubric.c.project_id).where(_pair.c.id == pair.id)
    undone = act.kind == "undo"
    rubric_id = (
        current.rubric_id
        if undone and current is not None
        else session.execute(rubric.where(_rubric.c.version == act.rubric_version)).scalar_one()
    )
    judgment_id = session.execute(
        insert(_judgment)
        .values(
            act_id=act.act_id,
            pair_id=pair.id,
            rater_id=rater.id,
            kind=act.kind,
            grade=act.grade if act.kind == "grade" else None,
            reason=act.reason if act.kind == "cannot_judge" else None,
            comment=act.comment,
            rubric_id=rubric_id,
            shown_hash=None if undone else act.shown,
            shown_at=act.shown_at,
            judged_at=now,
            seconds=act.seconds,
            position=position,
            surplus=surplus,
            takes_back=current.id if undone and current is not None else None,
        )
        .returning(_judgment.c.id)
    ).scalar_one()
    _point(session, pair.id, rater.id, None if undone else judgment_id)
    _count(session, rater, pair.id, before=current, counts=act.kind == "grade" and not surplus)
    session.execute(delete(_claim).where(_claim.c.pair_id == pair.id, _claim.c.rater_id == rater.id))
    if undone:
        _hold_again(session, rater, pair.id, rubric_id, position or 0, now)


def _point(session: Session, pair_id: int, rater_id: int, judgment_id: int | None) -> None:
    """Make a row of the ledger the one that counts now; None leaves the rater without one."""
    where = (_current.c.pair_id == pair_id, _current.c.rater_id == rater_id)
    if judgment_id is None:
        session.execute(delete(_current).where(*where))
    elif not insert_unless_present(
        session, _current, {"pair_id": pair_id, "rater_id": rater_id, "judgment_id": judgment_id}
    ):
        session.execute(update(_current).where(*where).values(judgment_id=judgment_id))


def _count(session: Session, rater: Rater, pair_id: int, *, before: AnyRow | None, counts: bool) -> None:
    counted = before is not None and before.kind == "grade" and not before.surplus
    change = (int(counts) - int(counted)) if _casts_vote(rater) else 0
    if change:
        session.execute(update(_pair).where(_pair.c.id == pair_id).values(vote_count=_pair.c.vote_count + change))


def _hold_again(session: Session, rater: Rater, pair_id: int, rubric_id: int, position: int, now: datetime) -> None:
    """After an undo the pair is the rater's again, unless others hold or fill its last place (after a skip)."""
    row = session.execute(select(_pair.c.overlap, _pair.c.vote_count).where(_pair.c.id == pair_id)).one()
    project = metadata.tables["project"]
    minutes = session.execute(select(project.c.claim_minutes).where(project.c.id == rater.project_id)).scalar_one()
    has_room = row.vote_count + _held_by_others(session, rater, pair_id, now) < row.overlap
    values = {"pair_id": pair_id, "rater_id": rater.id, "tab": "", "position": position, "rubric_id": rubric_id}
    expires = now + timedelta(minutes=minutes) if has_room else now
    session.execute(insert(_claim).values(**values, claimed_at=now, expires_at=expires))


def _held_by_others(session: Session, rater: Rater, pair_id: int, now: datetime) -> int:
    others = (_claim.c.pair_id == pair_id, _claim.c.rater_id != rater.id, _claim.c.expires_at > now)
    return int(session.execute(select(func.count()).where(*others)).scalar_one())


def _rewrite(session: Session, rater: Rater, act: Act, pair: AnyRow, current: AnyRow | None, now: datetime) -> Outcome:
    """A comment on a judgment that is stored: the same judgment again, with its comment, as a new row."""
    if current is None:
        return Outcome(act.act_id, "refused", "bad_act")
    kept = {
        name: getattr(current, name)
        for name in ("pair_id", "rater_id", "kind", "grade", "reason", "rubric_id", "shown_hash", "shown_at",
                     "seconds", "position", "surplus", "purpose")
    }  # fmt: skip
    values = {**kept, "act_id": act.act_id, "comment": act.comment, "judged_at": now}
    judgment_id = session.execute(insert(_judgment).values(**values).returning(_judgment.c.id)).scalar_one()
    _point(session, pair.id, rater.id, judgment_id)
    return Outcome(act.act_id, "saved", surplus=bool(current.surplus))


def list_history(session: Session, actor: Actor, project_id: int, *, limit: int | None = None) -> list[AnyRow]:
    """One's own current judgments, newest first.

    Columns: act_id, pair, kind, grade, reason, comment, judged_at, version, query_id, query, doc_id, title, text (its
    beginning), settled.
    """
    rater = get_rater(session, actor, project_id)
    if rater is None:
        return []
    newest = select(_decision.c.grade.is_not(None)).where(_decision.c.pair_id == _pair.c.id)
    settled = newest.order_by(_decision.c.id.desc()).limit(1).correlate(_pair).scalar_subquery()
    statement = (
        select(
            _judgment.c.act_id,
            _pair.c.id.label("pair"),
            _judgment.c.kind,
            _judgment.c.grade,
            _judgment.c.reason,
            _judgment.c.comment,
            _judgment.c.judged_at,
            _rubric.c.version,
            _query.c.query_id,
            _query.c.text.label("query"),
            _document.c.doc_id,
            _document.c.title,
            func.substr(_document.c.text, 1, 300).label("text"),
            settled.label("settled"),
        )
        .join(_current, _current.c.judgment_id == _judgment.c.id)
        .join(_pair, _pair.c.id == _judgment.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .join(_rubric, _rubric.c.id == _judgment.c.rubric_id)
        .where(_current.c.rater_id == rater.id)
        .order_by(_judgment.c.id.desc())
    )
    return list(session.execute(statement.limit(limit)))


def show_own_pair(session: Session, actor: Actor, project_id: int, pair_id: int) -> dict[str, Any]:
    """A pair that one has judged or holds, with one's own judgment, for a change of mind. NotFound otherwise."""
    get_project(session, actor, project_id)
    rater = get_rater(session, actor, project_id)
    pair = _pair_of(session, project_id, pair_id)
    current = _current_of(session, pair_id, rater.id) if rater is not None else None
    claim = _claim_of(session, pair_id, rater.id) if rater is not None else None
    if pair is None or (current is None and claim is None):
        raise NotFound("expected a pair that you have judged, found another")
    shown = show_pairs(session, [pair_id], get_rubric(session, project_id).version)[0]
    if current is not None:
        shown["mine"] = {name: getattr(current, name) for name in ("act_id", "kind", "grade", "reason", "comment")}
    return shown


def read_text(session: Session, actor: Actor, project_id: int, pair_id: int) -> str:
    """The whole text of the document of a pair that one has judged or holds. NotFound otherwise."""
    show_own_pair(session, actor, project_id, pair_id)
    text = select(_document.c.text).join(_pair, _pair.c.document_pk == _document.c.id).where(_pair.c.id == pair_id)
    return session.execute(text).scalar_one() or ""
