"""Which row of the ledger counts now, and how many votes a pair has: written in the transaction of the row itself.

Knows no act and no request; judgments.py says what is written, carrying.py what goes on to near-duplicates.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ScalarSelect, Select, delete, func, select, update
from sqlalchemy.orm import Session

from labeling.database import AnyRow, insert_unless_present
from labeling.raters import Rater
from labeling.schema import metadata

__all__ = [
    "casts_vote",
    "count_votes",
    "current_decision",
    "held_by_others",
    "is_settled",
    "newest_decisions",
    "point_to",
    "settled_pairs",
]

_pair = metadata.tables["pair"]
_claim = metadata.tables["claim"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_decision = metadata.tables["decision"]


def point_to(session: Session, rater: Rater, pair_id: int, purpose: str, judgment_id: int | None) -> None:
    """Make a row of the ledger the one that counts now for its purpose; None leaves the rater without one."""
    keys: dict[str, Any] = {"pair_id": pair_id, "rater_id": rater.id}
    table = _current
    if purpose != "production":
        table, keys = _check, {**keys, "purpose": purpose}
    where = [table.c[name] == value for name, value in keys.items()]
    if judgment_id is None:
        session.execute(delete(table).where(*where))
    elif not insert_unless_present(session, table, {**keys, "judgment_id": judgment_id}):
        session.execute(update(table).where(*where).values(judgment_id=judgment_id))


def count_votes(session: Session, rater: Rater, pair_id: int, *, before: AnyRow | None, counts: bool) -> None:
    """Bring the pair's number of votes up to a row that took the place of another."""
    counted = before is not None and before.kind == "grade" and not before.surplus
    change = (int(counts) - int(counted)) if casts_vote(rater) else 0
    if change:
        session.execute(update(_pair).where(_pair.c.id == pair_id).values(vote_count=_pair.c.vote_count + change))


def held_by_others(session: Session, rater: Rater, pair_id: int, now: datetime) -> int:
    """How many others hold a pair to vote on it."""
    others = (_claim.c.pair_id == pair_id, _claim.c.rater_id != rater.id, _claim.c.purpose == "production")
    return int(session.execute(select(func.count()).where(*others, _claim.c.expires_at > now)).scalar_one())


def casts_vote(rater: Rater) -> bool:
    """Whether a rater's grades count as votes."""
    return rater.casts_vote and not rater.set_aside


def current_decision(session: Session, pair_id: int) -> AnyRow | None:
    """The newest decision on a pair, or None where there is none or it was withdrawn."""
    newest = select(_decision).where(_decision.c.pair_id == pair_id).order_by(_decision.c.id.desc()).limit(1)
    row = session.execute(newest).first()
    return None if row is None or row.grade is None else row


def newest_decisions(project_id: int) -> Select[tuple[int]]:
    """The number of the newest decision on each pair of a project; one that was withdrawn has no grade."""
    return (
        select(func.max(_decision.c.id))
        .join(_pair, _pair.c.id == _decision.c.pair_id)
        .where(_pair.c.project_id == project_id)
        .group_by(_decision.c.pair_id)
    )


def settled_pairs(session: Session, project_id: int) -> dict[int, int]:
    """The settled grade of every pair of a project that has one."""
    statement = select(_decision.c.pair_id, _decision.c.grade).where(
        _decision.c.id.in_(newest_decisions(project_id)), _decision.c.grade.is_not(None)
    )
    return {row.pair_id: row.grade for row in session.execute(statement)}


def is_settled() -> ScalarSelect[bool]:
    """Whether the pair of a statement is settled; null where nobody ever decided on it."""
    decided = select(_decision.c.grade.is_not(None)).where(_decision.c.pair_id == _pair.c.id)
    return decided.order_by(_decision.c.id.desc()).limit(1).correlate(_pair).scalar_subquery()
