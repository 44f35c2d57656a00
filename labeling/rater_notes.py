"""What a lead does about a rater: a message, setting aside and bringing back, giving their pairs to others.

Knows raters, claims and places; no page. Every act leaves a row among the rater's notes.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import count_changed, lock_project, storable
from labeling.errors import AssayError, NotFound
from labeling.places import count_reopened, fill_free_places, take_back_places
from labeling.projects import get_project
from labeling.raters import Rater, get_rater_by_id
from labeling.schema import metadata
from labeling.votes import count_votes_again

__all__ = [
    "Effect",
    "Message",
    "Note",
    "bring_back_rater",
    "dismiss_message",
    "let_rater_vote",
    "list_messages",
    "list_notes",
    "preview_effect",
    "reassign_pairs",
    "send_message",
    "set_aside_rater",
]

LONGEST_MESSAGE = 2000

_note = metadata.tables["rater_note"]
_rater = metadata.tables["rater"]
_account = metadata.tables["account"]
_project = metadata.tables["project"]
_claim = metadata.tables["claim"]
_current = metadata.tables["current_judgment"]
_judgment = metadata.tables["judgment"]


@dataclass(frozen=True)
class Effect:
    """What an act changes.

    votes stop or start to count; opened pairs lack votes again; promoted surplus grades take, or give back, a place;
    surplus grades of the rater find their place taken; released pairs were held by the rater.
    """

    votes: int = 0
    opened: int = 0
    promoted: int = 0
    surplus: int = 0
    released: int = 0


@dataclass(frozen=True)
class Note:
    """One thing that was done about a rater: message, calibrate, set_aside, bring_back or reassign."""

    kind: str
    text: str
    written_by: str
    written_at: datetime
    read_at: datetime | None


@dataclass(frozen=True)
class Message:
    """A message to the person who looks, not yet dismissed."""

    id: int
    project_id: int
    project: str
    text: str
    written_by: str
    written_at: datetime


def preview_effect(session: Session, actor: Actor, project_id: int, rater_id: int, *, now: datetime) -> Effect:
    """What setting this rater aside would change, in numbers; changes nothing."""
    actor.require("lead")
    rater = _rater_here(session, actor, project_id, rater_id)
    opened, promoted = count_reopened(session, project_id, rater.id)
    return Effect(_count_grades(session, rater), opened - promoted, promoted, 0, _count_held(session, rater.id, now))


def set_aside_rater(
    session: Session, actor: Actor, project_id: int, rater_id: int, *, text: str = "", now: datetime | None = None
) -> Effect:
    """Let a rater's votes count no longer; they stay in the ledger, and bring_back_rater undoes it.

    What the rater holds is free for others, surplus grades of others take the places that became free, and pairs that
    lack votes then are open again. Doing it twice changes nothing more.
    """
    actor.require("lead")
    moment = now or datetime.now(UTC)
    lock_project(session, project_id)
    rater = _rater_here(session, actor, project_id, rater_id)
    if rater.set_aside:
        return Effect()
    before = preview_effect(session, actor, project_id, rater_id, now=moment)
    session.execute(update(_rater).where(_rater.c.id == rater.id).values(set_aside=True))
    released = _release(session, rater.id, moment)
    promoted = fill_free_places(session, project_id, now=moment)
    _write(session, actor, rater.id, "set_aside", text, moment)
    opened = max(0, before.opened + before.promoted - promoted)
    return Effect(before.votes, opened, promoted, 0, released)


def bring_back_rater(
    session: Session, actor: Actor, project_id: int, rater_id: int, *, now: datetime | None = None
) -> Effect:
    """Let the votes of a rater who was set aside count again, as far as their places are still free.

    Surplus grades that had moved up give their place back; where others have judged the pair since, the rater's grade
    stays as surplus. Doing it twice changes nothing more.
    """
    actor.require("lead")
    moment = now or datetime.now(UTC)
    lock_project(session, project_id)
    rater = _rater_here(session, actor, project_id, rater_id)
    if not rater.set_aside:
        return Effect()
    since = session.execute(
        select(func.max(_note.c.written_at)).where(_note.c.rater_id == rater.id, _note.c.kind == "set_aside")
    ).scalar_one_or_none()
    session.execute(update(_rater).where(_rater.c.id == rater.id).values(set_aside=False))
    promoted, lost = take_back_places(session, project_id, rater.id, since=since or moment)
    _write(session, actor, rater.id, "bring_back", "", moment)
    return Effect(votes=_count_grades(session, rater), promoted=promoted, surplus=lost)


def let_rater_vote(
    session: Session, actor: Actor, project_id: int, rater_id: int, *, votes: bool, now: datetime | None = None
) -> Effect:
    """Say whether the grades of a model count as votes; says how many do from now on, or did until now."""
    actor.require("lead")
    moment = now or datetime.now(UTC)
    lock_project(session, project_id)
    rater = _rater_here(session, actor, project_id, rater_id)
    if not rater.is_model:
        raise AssayError(f"expected a model, found {rater.name}, a person: set a person aside instead")
    if rater.casts_vote == votes:
        return Effect()
    session.execute(update(_rater).where(_rater.c.id == rater.id).values(casts_vote=votes))
    promoted = 0 if votes else fill_free_places(session, project_id, now=moment)
    count_votes_again(session, project_id)
    _write(session, actor, rater.id, "bring_back" if votes else "set_aside", "casts_vote", moment)
    return Effect(votes=_count_grades(session, rater), promoted=promoted)


def reassign_pairs(
    session: Session, actor: Actor, project_id: int, rater_id: int, *, now: datetime | None = None
) -> Effect:
    """Give the pairs that a rater holds back to everybody; a grade that is on its way is still kept."""
    actor.require("lead")
    moment = now or datetime.now(UTC)
    lock_project(session, project_id)
    rater = _rater_here(session, actor, project_id, rater_id)
    released = _release(session, rater.id, moment)
    promoted = fill_free_places(session, project_id, now=moment)
    _write(session, actor, rater.id, "reassign", "", moment)
    return Effect(released=released, promoted=promoted)


def send_message(
    session: Session, actor: Actor, project_id: int, rater_id: int, *, text: str, now: datetime | None = None
) -> None:
    """Write to a rater, who sees it where they judge until they dismiss it.

    Raises AssayError for an empty or endless text, and for a rater without an account, who would never see it.
    """
    actor.require("lead")
    rater = _rater_here(session, actor, project_id, rater_id)
    if rater.account_id is None:
        raise AssayError(
            f"expected a rater with an account, found {rater.name}, who came with a file and reads nothing here"
        )
    if not 1 <= len(text.strip()) <= LONGEST_MESSAGE:
        raise AssayError(f"expected a message of 1 to {LONGEST_MESSAGE:,} characters, found {len(text.strip()):,}")
    _write(session, actor, rater.id, "message", text, now or datetime.now(UTC))


def list_messages(session: Session, actor: Actor, project_id: int | None = None) -> list[Message]:
    """The messages to this person that they have not dismissed, oldest first; of one project, or of all."""
    statement = (
        select(_note.c.id, _project.c.id, _project.c.name, _note.c.text, _account.c.name, _note.c.written_at)
        .join(_rater, _rater.c.id == _note.c.rater_id)
        .join(_project, _project.c.id == _rater.c.project_id)
        .outerjoin(_account, _account.c.id == _note.c.written_by)
        .where(_rater.c.account_id == actor.account_id, _note.c.kind == "message", _note.c.read_at.is_(None))
        .order_by(_note.c.id)
    )
    if actor.account_id is None:
        return []
    if project_id is not None:
        statement = statement.where(_project.c.id == project_id)
    return [Message(row[0], row[1], row[2], row[3], row[4] or "", row[5]) for row in session.execute(statement)]


def dismiss_message(session: Session, actor: Actor, note_id: int, *, now: datetime | None = None) -> None:
    """Say that one has read a message; NotFound for a message to somebody else."""
    mine = select(_rater.c.id).where(_rater.c.account_id == actor.account_id)
    where = (_note.c.id == note_id, _note.c.kind == "message", _note.c.rater_id.in_(mine))
    if session.execute(select(_note.c.id).where(*where)).first() is None:
        raise NotFound(f"no message {note_id} to {actor.name}")
    session.execute(update(_note).where(*where, _note.c.read_at.is_(None)).values(read_at=now or datetime.now(UTC)))


def list_notes(session: Session, actor: Actor, project_id: int, rater_id: int) -> list[Note]:
    """What was done about a rater, and when they read what was written to them; newest first."""
    actor.require("lead")
    rater = _rater_here(session, actor, project_id, rater_id)
    statement = (
        select(_note.c.kind, _note.c.text, _account.c.name, _note.c.written_at, _note.c.read_at)
        .outerjoin(_account, _account.c.id == _note.c.written_by)
        .where(_note.c.rater_id == rater.id)
        .order_by(_note.c.id.desc())
    )
    return [Note(row[0], row[1], row[2] or "", row[3], row[4]) for row in session.execute(statement)]


def _rater_here(session: Session, actor: Actor, project_id: int, rater_id: int) -> Rater:
    get_project(session, actor, project_id)
    return get_rater_by_id(session, project_id, rater_id)


def _write(session: Session, actor: Actor, rater_id: int, kind: str, text: str, now: datetime) -> None:
    values = {"kind": kind, "text": storable(text.strip()), "written_by": actor.account_id, "written_at": now}
    session.execute(insert(_note).values(rater_id=rater_id, **values))


def _count_grades(session: Session, rater: Rater) -> int:
    statement = (
        select(func.count())
        .select_from(_current)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .where(_current.c.rater_id == rater.id, _judgment.c.kind == "grade", ~_judgment.c.surplus)
    )
    return int(session.execute(statement).scalar_one())


def _held(rater_id: int, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (_claim.c.rater_id == rater_id, _claim.c.expires_at > now)


def _count_held(session: Session, rater_id: int, now: datetime) -> int:
    return int(session.execute(select(func.count()).where(*_held(rater_id, now))).scalar_one())


def _release(session: Session, rater_id: int, now: datetime) -> int:
    """End the claims of a rater; they stay as ended ones, so that a grade on its way finds its pair."""
    return count_changed(session, update(_claim).where(*_held(rater_id, now)).values(expires_at=now))
