"""The places of a pair, its overlap: which grades hold one, and what happens when one becomes free or is taken back.

Knows the ledger; no page. A row of the ledger is never changed: a grade that gains or loses its place is written again,
word for word, as a new row of the same moment that says so.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import and_, exists, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.database import AnyRow, lock_project
from labeling.schema import metadata
from labeling.votes import COUNTS_AS_VOTE, count_votes_again, select_current

__all__ = ["MOST_OVERLAP", "count_reopened", "fill_free_places", "list_surplus_for_free_places", "take_back_places"]

_pair = metadata.tables["pair"]
_claim = metadata.tables["claim"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rater = metadata.tables["rater"]

MOST_OVERLAP = 20
_WRITTEN_AGAIN = "place:"  # how the id of such a row begins; the number of the row that it repeats follows


def _votes_of_others(rater_id: int) -> Any:
    """How many votes a pair has without those of one rater."""
    counted = _judgment.alias("counted")
    current, rater = _current.alias("other_current"), _rater.alias("other_rater")
    return (
        select(func.count())
        .select_from(current)
        .join(counted, counted.c.id == current.c.judgment_id)
        .join(rater, rater.c.id == current.c.rater_id)
        .where(current.c.pair_id == _pair.c.id, current.c.rater_id != rater_id)
        .where(counted.c.kind == "grade", counted.c.purpose == "production", ~counted.c.surplus)
        .where(rater.c.casts_vote, ~rater.c.set_aside)
        .correlate(_pair)
        .scalar_subquery()
    )


def count_reopened(session: Session, project_id: int, rater_id: int) -> tuple[int, int]:
    """What it would mean to take a rater's votes away: pairs that would lack votes again, and surplus votes for them."""
    mine = exists(
        select(_current.c.judgment_id)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_rater, _rater.c.id == _current.c.rater_id)
        .where(_current.c.pair_id == _pair.c.id, _current.c.rater_id == rater_id, COUNTS_AS_VOTE)
        .correlate(_pair)
    )
    others = _votes_of_others(rater_id)
    lacking = (_pair.c.project_id == project_id, mine, _pair.c.vote_count >= _pair.c.overlap, others < _pair.c.overlap)
    pairs = session.execute(select(func.count()).select_from(_pair).where(*lacking)).scalar_one()
    surplus = select_current(func.count(_pair.c.id.distinct())).where(*lacking, _waits_for_place(rater_id))
    return int(pairs), int(session.execute(surplus).scalar_one())


def _waits_for_place(without_rater: int = 0) -> Any:
    return and_(
        _judgment.c.kind == "grade",
        _judgment.c.purpose == "production",
        _judgment.c.surplus,
        _rater.c.casts_vote,
        ~_rater.c.set_aside,
        _rater.c.id != without_rater,
    )


def list_surplus_for_free_places(session: Session, project_id: int, *, now: datetime) -> list[AnyRow]:
    """Surplus grades whose pair has a free place that nobody holds; the one judged first comes first."""
    held = (
        select(func.count())
        .where(_claim.c.pair_id == _pair.c.id, _claim.c.purpose == "production", _claim.c.expires_at > now)
        .where(_claim.c.rater_id != _current.c.rater_id)
        .correlate(_pair, _current)
        .scalar_subquery()
    )
    free = (_pair.c.overlap - _pair.c.vote_count - held).label("free")
    statement = (
        select_current(_judgment.c.id, _judgment.c.pair_id, free)
        .where(_pair.c.project_id == project_id, _pair.c.vote_count < _pair.c.overlap, _waits_for_place())
        .order_by(_judgment.c.judged_at, _judgment.c.id)
    )
    taken: dict[int, int] = {}
    found = []
    for row in session.execute(statement):
        if row.free > taken.get(row.pair_id, 0):
            taken[row.pair_id] = taken.get(row.pair_id, 0) + 1
            found.append(row)
    return found


def fill_free_places(session: Session, project_id: int, *, now: datetime) -> int:
    """Give surplus grades the places that became free; says how many became votes.

    A place that somebody holds is left to them. Counts each pair's votes again, in the same transaction.
    """
    lock_project(session, project_id)
    count_votes_again(session, project_id)
    rows = list_surplus_for_free_places(session, project_id, now=now)
    _write_again(session, (row.id for row in rows), surplus=False)
    if rows:
        count_votes_again(session, project_id)
    return len(rows)


def take_back_places(session: Session, project_id: int, rater_id: int, *, since: datetime) -> tuple[int, int]:
    """Make room where a rater's votes come back to pairs that others have filled since; never beyond the overlap.

    First the surplus grades that had taken a free place give it back; where newer votes have filled the pair, the
    rater's own grade becomes surplus. Votes that were more than the overlap before (from files) stay. Says how many of each.
    """
    count_votes_again(session, project_id)
    known = select(func.coalesce(func.max(_judgment.c.id), 0)).where(_judgment.c.judged_at <= since)
    last = session.execute(known.where(~_judgment.c.act_id.startswith(_WRITTEN_AGAIN))).scalar_one()
    full = (_pair.c.project_id == project_id, _pair.c.vote_count > _pair.c.overlap)
    own = _current.alias("own")
    touched = exists().where(own.c.pair_id == _pair.c.id, own.c.rater_id == rater_id)
    filled = select_current(
        _judgment.c.id, _pair.c.id.label("pair"), (_pair.c.vote_count - _pair.c.overlap).label("over")
    )
    newer = (touched, _current.c.rater_id != rater_id, _judgment.c.id > last, COUNTS_AS_VOTE)
    promoted = filled.where(*full, *newer, _judgment.c.act_id.startswith(_WRITTEN_AGAIN))
    given_back = _at_most_over(session.execute(promoted.order_by(_judgment.c.id.desc())).all())
    _write_again(session, given_back, surplus=True)
    count_votes_again(session, project_id)
    others = _judgment.alias("newer")
    current = _current.alias("newer_current")
    filled_since = exists(
        select(current.c.pair_id)
        .join(others, others.c.id == current.c.judgment_id)
        .where(current.c.pair_id == _pair.c.id, current.c.rater_id != rater_id, others.c.id > last)
        .where(others.c.kind == "grade", ~others.c.surplus)
        .correlate(_pair)
    )
    mine = filled.where(*full, _current.c.rater_id == rater_id, COUNTS_AS_VOTE, filled_since)
    lost = [row.id for row in session.execute(mine)]
    _write_again(session, lost, surplus=True)
    count_votes_again(session, project_id)
    return len(given_back), len(lost)


def _at_most_over(rows: Iterable[AnyRow]) -> list[int]:
    """Of each pair, as many rows as it has votes too many."""
    taken: dict[int, int] = {}
    chosen = []
    for row in rows:
        if taken.get(row.pair, 0) < row.over:
            taken[row.pair] = taken.get(row.pair, 0) + 1
            chosen.append(row.id)
    return chosen


def _write_again(session: Session, ids: Iterable[int], *, surplus: bool) -> None:
    """The same judgments as new rows that hold a place, or none; they are what counts from now on."""
    kept = [column.name for column in _judgment.columns if column.name not in ("id", "act_id", "surplus")]
    for number in ids:
        row = session.execute(select(_judgment).where(_judgment.c.id == number)).one()
        values = {name: getattr(row, name) for name in kept}
        values |= {"act_id": f"{_WRITTEN_AGAIN}{number}", "surplus": surplus}
        again = session.execute(insert(_judgment).values(**values).returning(_judgment.c.id)).scalar_one()
        where = (_current.c.pair_id == row.pair_id, _current.c.rater_id == row.rater_id)
        session.execute(update(_current).where(*where).values(judgment_id=again))
