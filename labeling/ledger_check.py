"""Whether what is derived from the ledger still says what the ledger says; and the same, set right.

Knows the tables of the ledger only. The ledger itself is never touched.
"""

from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from labeling.database import insert_rows
from labeling.schema import metadata
from labeling.votes import count_votes_again

__all__ = ["Findings", "set_derived_right"]

_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_project = metadata.tables["project"]


@dataclass(frozen=True)
class Findings:
    """How many derived rows were wrong, and are right now."""

    judgments: int
    wrong_current: int
    wrong_counts: int


def set_derived_right(session: Session) -> Findings:
    """Rebuild which judgment counts and how many votes each pair has, from the ledger alone."""
    newest = (
        select(_judgment.c.pair_id, _judgment.c.rater_id, func.max(_judgment.c.id).label("judgment_id"))
        .group_by(_judgment.c.pair_id, _judgment.c.rater_id)
        .subquery()
    )
    wanted = {
        (row.pair_id, row.rater_id, row.id)
        for row in session.execute(
            select(_judgment.c.pair_id, _judgment.c.rater_id, _judgment.c.id)
            .join(newest, newest.c.judgment_id == _judgment.c.id)
            .where(_judgment.c.kind != "undo")
        )
    }
    found = {tuple(row) for row in session.execute(select(_current))}
    wrong = wanted ^ found
    if wrong:
        session.execute(delete(_current))
        names = ("pair_id", "rater_id", "judgment_id")
        insert_rows(session, _current, [dict(zip(names, row, strict=True)) for row in sorted(wanted)])
    projects = session.execute(select(_project.c.id)).scalars().all()
    counts = sum(count_votes_again(session, project) for project in projects)
    judgments = session.execute(select(func.count()).select_from(_judgment)).scalar_one()
    return Findings(judgments=judgments, wrong_current=len({row[:2] for row in wrong}), wrong_counts=counts)
