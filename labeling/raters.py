"""Who judges in a project: people with accounts, names from files, models.

Knows no grade. A rater belongs to one project; an account becomes one when it first judges there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow
from labeling.errors import Conflict, NotAllowed, NotFound
from labeling.schema import metadata

__all__ = ["Rater", "ensure_rater", "ensure_raters_by_name", "get_rater", "get_rater_by_id", "list_raters"]

_rater = metadata.tables["rater"]


@dataclass(frozen=True)
class Rater:
    """One rater of one project."""

    id: int
    project_id: int
    account_id: int | None
    name: str
    is_model: bool
    casts_vote: bool
    set_aside: bool


def _rater_of(row: AnyRow) -> Rater:
    return Rater(**{field: getattr(row, field) for field in Rater.__dataclass_fields__})


def get_rater(session: Session, actor: Actor, project_id: int) -> Rater | None:
    """The rater that a person is in a project, or None before the first judgment there."""
    where = (_rater.c.project_id == project_id, _rater.c.account_id == actor.account_id)
    row = session.execute(select(_rater).where(*where)).first() if actor.account_id is not None else None
    return None if row is None else _rater_of(row)


def get_rater_by_id(session: Session, project_id: int, rater_id: int) -> Rater:
    """A rater of a project by number; NotFound where the project has none of it."""
    where = (_rater.c.project_id == project_id, _rater.c.id == rater_id)
    row = session.execute(select(_rater).where(*where)).first()
    if row is None:
        raise NotFound(f"expected a rater of the project, found none numbered {rater_id}")
    return _rater_of(row)


def ensure_rater(session: Session, actor: Actor, project_id: int) -> Rater:
    """The rater that a person is in a project, made when there is none.

    A name that a file brought is never taken over: the new rater's name then carries a number.
    """
    actor.require("rater")
    if actor.account_id is None:
        raise NotAllowed("expected a person with an account to judge, found the command line")
    found = get_rater(session, actor, project_id)
    if found is not None:
        return found
    taken = {rater.name for rater in list_raters(session, project_id)}
    names = (actor.name if number == 1 else f"{actor.name} ({number})" for number in range(1, len(taken) + 2))
    name = next(name for name in names if name not in taken)
    values = {"project_id": project_id, "account_id": actor.account_id, "name": name, "created_at": datetime.now(UTC)}
    session.execute(insert(_rater).values(**values))
    return next(rater for rater in list_raters(session, project_id) if rater.name == name)


def ensure_raters_by_name(
    session: Session, actor: Actor, project_id: int, names: Iterable[str], *, models: Iterable[str] = ()
) -> dict[str, Rater]:
    """The raters of these names, made when there are none; models cast no vote until a lead says so.

    Raises Conflict for the name of a person who judges here with an account: a file never speaks for them.
    """
    actor.require("lead")
    names, models = set(names), set(models)
    known = list_raters(session, project_id)
    there = {rater.name for rater in known}
    people = sorted(rater.name for rater in known if rater.account_id is not None and rater.name in names)
    if people:
        raise Conflict(
            f"expected raters who do not judge in this project, found {', '.join(people[:3])}, who judges here with an "
            "account: give the file's rater another name"
        )
    rows = [
        {
            "project_id": project_id,
            "name": name,
            "is_model": name in models,
            "casts_vote": name not in models,
            "created_at": datetime.now(UTC),
        }
        for name in sorted(names - there)
    ]
    if rows:
        session.execute(insert(_rater), rows)
    return {rater.name: rater for rater in list_raters(session, project_id)}


def list_raters(session: Session, project_id: int) -> list[Rater]:
    """Every rater of a project, by name."""
    statement = select(_rater).where(_rater.c.project_id == project_id).order_by(_rater.c.name)
    return [_rater_of(row) for row in session.execute(statement)]
