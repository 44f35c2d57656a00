"""Whether what is derived from the ledger still says what the ledger says; and the same, set right.

Knows the tables of the ledger only. The ledger itself is never touched.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, delete, func, select
from sqlalchemy.orm import Session

from labeling.database import insert_rows
from labeling.schema import metadata
from labeling.votes import count_votes_again

__all__ = ["Findings", "set_derived_right"]

_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_project = metadata.tables["project"]

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Findings:
    """How many derived rows were wrong, and are right now."""

    judgments: int
    wrong_current: int
    wrong_counts: int


def set_derived_right(session: Session) -> Findings:
    """Rebuild which judgment counts for each purpose and how many votes each pair has, from the ledger alone."""
    wanted = _newest_rows(session)
    votes = {row[:2] + row[3:] for row in wanted if row[2] == "production"}
    wrong = _rebuild(session, _current, votes)
    wrong |= _rebuild(session, _check, {row for row in wanted if row[2] != "production"})
    projects = session.execute(select(_project.c.id)).scalars().all()
    counts = sum(count_votes_again(session, project) for project in projects)
    judgments = session.execute(select(func.count()).select_from(_judgment)).scalar_one()
    return Findings(judgments=judgments, wrong_current=len(wrong), wrong_counts=counts)


def _newest_rows(session: Session) -> set[Row]:
    """Pair, rater, purpose and number of the newest row of each, those taken back left out."""
    keys = (_judgment.c.pair_id, _judgment.c.rater_id, _judgment.c.purpose)
    newest = select(func.max(_judgment.c.id)).group_by(*keys)
    statement = select(*keys, _judgment.c.id).where(_judgment.c.id.in_(newest), _judgment.c.kind != "undo")
    return {tuple(row) for row in session.execute(statement)}


def _rebuild(session: Session, table: Table, wanted: set[Row]) -> set[Row]:
    """Make a derived table hold these rows; the keys of those that were wrong come back."""
    found = {tuple(row) for row in session.execute(select(table))}
    wrong = wanted ^ found
    if wrong:
        session.execute(delete(table))
        insert_rows(session, table, [dict(zip(table.c.keys(), row, strict=True)) for row in sorted(wanted)])
    return {row[:-1] for row in wrong}
