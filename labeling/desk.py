"""What a rater's card needs to know of where it is: who judges, what still lacks votes, what is held, how far one is.

Reads only; what is handed out is decided in queue.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from statistics import median
from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, or_, select, union_all
from sqlalchemy.orm import Session

from labeling.projects import Project
from labeling.raters import Rater
from labeling.rubrics import Rubric
from labeling.schema import metadata

__all__ = ["Desk", "End", "Progress", "count_lacking", "count_progress", "find_end", "last_position", "own_claims"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_claim = metadata.tables["claim"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_judgment = metadata.tables["judgment"]


@dataclass(frozen=True)
class Progress:
    """Where a rater is; left counts the pairs that this rater can still judge."""

    done: int
    left: int
    batch_done: int
    batch_size: int
    seconds_per_pair: float | None


@dataclass(frozen=True)
class End:
    """Why no further pair comes.

    done, waiting (others hold the last ones), complete, closed, set_aside (by a lead), calibration (not passed).
    """

    kind: str
    others_hold: int = 0
    until: datetime | None = None
    skipped: int = 0


@dataclass(frozen=True)
class Desk:
    """One rater at one card, now."""

    session: Session
    project: Project
    rater: Rater
    rubric: Rubric
    tab: str
    now: datetime

    def others_claims(self) -> ColumnElement[int]:
        """How many others hold a pair to vote on it; a repeat takes nobody's place."""
        count = select(func.count()).where(
            _claim.c.pair_id == _pair.c.id,
            _claim.c.expires_at > self.now,
            _claim.c.rater_id != self.rater.id,
            _claim.c.purpose == "production",
        )
        return count.correlate(_pair).scalar_subquery()

    def mine(self) -> ColumnElement[bool]:
        """This rater has judged the pair, or put it off."""
        return exists().where(_current.c.pair_id == _pair.c.id, _current.c.rater_id == self.rater.id)

    def claimed_by_me(self) -> ColumnElement[bool]:
        """This rater holds the pair now."""
        held = exists().where(_claim.c.pair_id == _pair.c.id, _claim.c.rater_id == self.rater.id)
        return held.where(_claim.c.expires_at > self.now)

    def skipped(self) -> ColumnElement[bool]:
        """This rater has put the pair off."""
        return exists().where(
            _current.c.pair_id == _pair.c.id,
            _current.c.rater_id == self.rater.id,
            _judgment.c.id == _current.c.judgment_id,
            _judgment.c.kind == "skip",
        )

    def with_texts(self) -> tuple[ColumnElement[bool], ...]:
        """The project's pairs that have texts to show; those of imported ids have none."""
        return (
            _pair.c.project_id == self.project.id,
            exists().where(_document.c.id == _pair.c.document_pk, _document.c.text.is_not(None)),
            exists().where(_query.c.id == _pair.c.query_pk, _query.c.text.is_not(None)),
        )

    def lacking(self) -> tuple[ColumnElement[bool], ...]:
        """The project's pairs that still need votes and have texts to show."""
        return (*self.with_texts(), _pair.c.vote_count < _pair.c.overlap)

    def expiry(self) -> datetime:
        """Until when a pair that is handed out now is held."""
        return self.now + timedelta(minutes=self.project.claim_minutes)

    def order(self, kind: str, number: int) -> bytes:
        """The place of a row in this rater's own random order."""
        return blake2b(f"{self.project.seed}:{self.rater.id}:{kind}:{number}".encode(), digest_size=8).digest()

    @property
    def rates(self) -> dict[str, int]:
        """One in how many pairs is gold, one in how many a repeat; 0 is none."""
        return {"gold": self.project.gold_every, "repeat": self.project.repeat_every}


def own_claims(desk: Desk, *purposes: str, same_tab: bool) -> list[int]:
    """The pairs that a rater holds for these purposes, in their order, in this tab or in others."""
    statement = (
        select(_claim.c.pair_id)
        .join(_pair, _pair.c.id == _claim.c.pair_id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.rater_id == desk.rater.id)
        .where(_claim.c.expires_at > desk.now, _claim.c.purpose.in_(purposes))
        .where(_claim.c.tab == desk.tab if same_tab else _claim.c.tab != desk.tab)
        .order_by(_claim.c.position)
    )
    return list(desk.session.execute(statement).scalars())


def last_position(desk: Desk) -> int:
    """The place in a rater's queue of the last pair that was handed out."""
    last = select(func.coalesce(func.max(_judgment.c.position), 0)).where(_judgment.c.rater_id == desk.rater.id)
    held = select(func.coalesce(func.max(_claim.c.position), 0)).where(_claim.c.rater_id == desk.rater.id)
    return max(int(desk.session.execute(one).scalar_one()) for one in (last, held))


def count_lacking(desk: Desk) -> tuple[int, int]:
    """How many votes the project still wants, and how many of the pairs that lack them this rater can still judge."""
    mine_to_do = case((~desk.mine() | desk.skipped(), 1), else_=0)
    sums = (func.sum(_pair.c.overlap - _pair.c.vote_count), func.sum(mine_to_do))
    places, left = desk.session.execute(select(*sums).where(*desk.lacking())).one()
    return int(places or 0), int(left or 0)


def count_progress(desk: Desk, left: int) -> Progress:
    """What is done, gold and repeats included, as a rater counts it; left is given."""
    current = select(_current.c.judgment_id).where(_current.c.rater_id == desk.rater.id)
    checks = select(_check.c.judgment_id).where(
        _check.c.rater_id == desk.rater.id, _check.c.purpose.in_(("gold", "repeat"))
    )
    mine = (
        select(_judgment.c.seconds)
        .where(_judgment.c.id.in_(union_all(current, checks)), _judgment.c.kind.in_(("grade", "cannot_judge")))
        .order_by(_judgment.c.id.desc())
    )
    seconds: Sequence[Any] = list(desk.session.execute(mine).scalars())
    known = [value for value in seconds[:50] if value is not None]
    done, size = len(seconds), desk.project.batch_size
    return Progress(
        done=done,
        left=left,
        batch_done=done % size,
        batch_size=size,
        seconds_per_pair=round(median(known), 1) if known else None,
    )


def find_end(desk: Desk) -> End:
    """Which of the ends of a queue this is; what the rater skipped is offered again before it is called done."""
    lacking = desk.lacking()
    full = _pair.c.vote_count + desk.others_claims() >= _pair.c.overlap
    for_me = or_(~desk.mine(), desk.skipped() & full)  # what was put off comes back too, once others let it go
    waiting = select(func.count()).where(*lacking, for_me, ~desk.claimed_by_me())
    held = int(desk.session.execute(waiting).scalar_one())
    skipped = int(desk.session.execute(select(func.count()).where(*lacking, desk.skipped())).scalar_one())
    if held:
        until = (
            select(func.min(_claim.c.expires_at))
            .join(_pair, _pair.c.id == _claim.c.pair_id)
            .where(*lacking, for_me, _claim.c.rater_id != desk.rater.id, _claim.c.expires_at > desk.now)
            .where(_claim.c.purpose == "production")
        )
        return End("waiting", held, desk.session.execute(until).scalar_one_or_none(), skipped)
    anything = desk.session.execute(select(func.count()).where(*lacking)).scalar_one()
    return End("done" if anything else "complete", skipped=skipped)
