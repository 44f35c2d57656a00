"""What a project asks of a pair beside its grade: short questions with a few labels, in the project's order.

Knows no judgment: the answers stand in the judgment's own row. A label never changes once it can have been chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow, insert_unless_present, storable
from labeling.errors import AssayError, Conflict, NotFound
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = [
    "NOT_APPLICABLE",
    "YES_NO",
    "SecondQuestion",
    "add_second_question",
    "are_known",
    "change_second_question",
    "list_second_questions",
    "move_second_question",
]

YES_NO = ("yes", "no")
NOT_APPLICABLE = "-"
MOST_ACTIVE = 5

_second = metadata.tables["second_question"]


@dataclass(frozen=True)
class SecondQuestion:
    """One question; name is what exports call it, text is what raters read, labels are in the order of their keys."""

    id: int
    name: str
    text: str
    labels: tuple[str, ...]
    active: bool


def list_second_questions(session: Session, project_id: int, *, active: bool | None = None) -> list[SecondQuestion]:
    """A project's second questions in their order; only those that are asked, or not, when active is given."""
    statement = select(_second).where(_second.c.project_id == project_id)
    if active is not None:
        statement = statement.where(_second.c.active == active)
    return [_of(row) for row in session.execute(statement.order_by(_second.c.position, _second.c.id))]


def _of(row: AnyRow) -> SecondQuestion:
    return SecondQuestion(row.id, row.name, row.text, tuple(row.labels), bool(row.active))


def add_second_question(
    session: Session, actor: Actor, project_id: int, *, name: str, text: str, labels: Sequence[str] = YES_NO
) -> SecondQuestion:
    """Ask one more question after each grade, from the next pairs on; it stands after the others.

    Raises AssayError unless there are a name, a text and 2 to 5 different labels; Conflict for a name that is taken.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    values = {
        "project_id": project_id,
        "name": _line(name, "a name", 80),
        "text": _line(text, "a question", 200),
        "labels": _labels(labels),
        "position": 1 + _last_position(session, project_id),
        "created_at": datetime.now(UTC),
    }
    _check_room(session, project_id)
    if not insert_unless_present(session, _second, values):
        raise Conflict(f"expected a new name, found a second question called {values['name']}")
    return next(one for one in list_second_questions(session, project_id) if one.name == values["name"])


def change_second_question(
    session: Session,
    actor: Actor,
    project_id: int,
    question_id: int,
    *,
    text: str | None = None,
    active: bool | None = None,
) -> None:
    """Word a question anew, or ask it no longer; name and labels stay, as answers name them."""
    actor.require("lead")
    found = _question_here(session, project_id, question_id)
    values: dict[str, Any] = {} if text is None else {"text": _line(text, "a question", 200)}
    if active is not None:
        if active and not found.active:
            _check_room(session, project_id)
        values["active"] = active
    if values:
        session.execute(update(_second).where(_second.c.id == question_id).values(**values))


def move_second_question(session: Session, actor: Actor, project_id: int, question_id: int, steps: int) -> None:
    """Move a question up (negative) or down among the project's."""
    actor.require("lead")
    _question_here(session, project_id, question_id)
    order = [one.id for one in list_second_questions(session, project_id)]
    place = order.index(question_id)
    order.insert(max(0, place + steps), order.pop(place))
    for position, number in enumerate(order, start=1):
        session.execute(update(_second).where(_second.c.id == number).values(position=position))


def are_known(session: Session, project_id: int, answers: Mapping[str, str]) -> bool:
    """Whether all answers are to questions of the project, with labels of theirs.

    A question that was switched off after the card showed it is known too: an answer on its way is not lost.
    """
    if not answers:
        return True
    labels = {one.name: (*one.labels, NOT_APPLICABLE) for one in list_second_questions(session, project_id)}
    return all(label in labels.get(name, ()) for name, label in answers.items())


def _line(text: str, what: str, longest: int) -> str:
    line = storable(" ".join(text.split()))
    if not 1 <= len(line) <= longest:
        raise AssayError(f"expected {what} of 1 to {longest} characters, found {len(line)}")
    return line


def _labels(labels: Sequence[str]) -> list[str]:
    words = [_line(label, "a label", 40) for label in labels if label.strip()]
    if not 2 <= len(words) <= 5 or len({word.casefold() for word in words}) < len(words):
        raise AssayError(f"expected 2 to 5 different labels, found {', '.join(words) or 'none'}")
    if NOT_APPLICABLE in words:
        raise AssayError(f"expected labels other than {NOT_APPLICABLE}, which means that a question does not apply")
    return words


def _last_position(session: Session, project_id: int) -> int:
    statement = select(func.coalesce(func.max(_second.c.position), 0)).where(_second.c.project_id == project_id)
    return int(session.execute(statement).scalar_one())


def _check_room(session: Session, project_id: int) -> None:
    if len(list_second_questions(session, project_id, active=True)) >= MOST_ACTIVE:
        raise AssayError(f"expected at most {MOST_ACTIVE} questions after a grade, found one more: switch another off")


def _question_here(session: Session, project_id: int, question_id: int) -> SecondQuestion:
    where = (_second.c.id == question_id, _second.c.project_id == project_id)
    row = session.execute(select(_second).where(*where)).first()
    if row is None:
        raise NotFound(f"expected a second question of the project, found none with number {question_id}")
    return _of(row)
