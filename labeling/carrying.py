"""One grade for a group of near-duplicates: what a rater said of one text goes on to its copies, marked as carried.

Knows the ledger and the groups; not who asked. A carried row names the judgment it comes from and no shown text.
"""

from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from labeling.database import AnyRow
from labeling.ledger import casts_vote, count_votes, current_decision, held_by_others, point_to
from labeling.raters import Rater
from labeling.schema import metadata

__all__ = ["carry_on"]

_pair = metadata.tables["pair"]
_claim = metadata.tables["claim"]
_twin = metadata.tables["twin"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]


def carry_on(session: Session, rater: Rater, row: AnyRow, *, now: datetime) -> int:
    """Bring the copies of a pair up to what its rater just did there: how many rows were written.

    A grade goes to each copy that this rater has not judged, that nobody has settled and that has a place free; a copy
    that carries an earlier grade of the pair takes the new one. When the grade is taken back, or the pair turns out not
    to be one that can be judged, what it carried is taken back too. A grade that the rater gave to a copy stays.
    """
    written = 0
    for copy in _copies_of(session, row.pair_id):
        current = _current_of(session, copy.id, rater.id)
        if current is not None and not _comes_from(session, current, row.pair_id):
            continue
        if current_decision(session, copy.id) is not None:
            continue
        if row.kind == "grade":
            written += _carry(session, rater, row, copy, current, now)
        elif current is not None:
            _append(session, rater, row, copy, current, now=now)
            written += 1
    return written


def _copies_of(session: Session, pair_id: int) -> list[AnyRow]:
    group = select(_twin.c.group_number, _twin.c.project_id).where(_twin.c.pair_id == pair_id)
    found = session.execute(group).first()
    if found is None:
        return []
    statement = (
        select(_pair.c.id, _pair.c.overlap, _pair.c.vote_count)
        .join(_twin, _twin.c.pair_id == _pair.c.id)
        .where(_twin.c.project_id == found.project_id, _twin.c.group_number == found.group_number)
        .where(_pair.c.id != pair_id, _pair.c.overlap > 0)
        .order_by(_pair.c.id)
    )
    return list(session.execute(statement))


def _current_of(session: Session, pair_id: int, rater_id: int) -> AnyRow | None:
    statement = (
        select(_judgment)
        .join(_current, _current.c.judgment_id == _judgment.c.id)
        .where(_current.c.pair_id == pair_id, _current.c.rater_id == rater_id)
    )
    return session.execute(statement).first()


def _comes_from(session: Session, current: AnyRow, pair_id: int) -> bool:
    if current.carried_from is None:
        return False
    source = select(_judgment.c.pair_id).where(_judgment.c.id == current.carried_from)
    return bool(session.execute(source).scalar_one() == pair_id)


def _carry(session: Session, rater: Rater, row: AnyRow, copy: AnyRow, current: AnyRow | None, now: datetime) -> int:
    taken = copy.vote_count + held_by_others(session, rater, copy.id, now)
    if current is None and taken >= copy.overlap and casts_vote(rater):
        return 0
    _append(session, rater, row, copy, current, now=now)
    return 1


def _append(
    session: Session, rater: Rater, row: AnyRow, copy: AnyRow, current: AnyRow | None, *, now: datetime
) -> None:
    """The grade of the row on its copy; for anything but a grade, what the copy carried is taken back."""
    graded = row.kind == "grade"
    number = session.execute(
        insert(_judgment)
        .values(
            act_id=f"carried:{row.id}:{copy.id}",
            pair_id=copy.id,
            rater_id=rater.id,
            kind="grade" if graded else "undo",
            grade=row.grade if graded else None,
            answers=row.answers if graded else None,
            rubric_id=row.rubric_id,
            judged_at=now,
            takes_back=None if graded or current is None else current.id,
            carried_from=row.id,
        )
        .returning(_judgment.c.id)
    ).scalar_one()
    point_to(session, rater, copy.id, "production", number if graded else None)
    count_votes(session, rater, copy.id, before=current, counts=graded)
    session.execute(delete(_claim).where(_claim.c.pair_id == copy.id, _claim.c.rater_id == rater.id))
