"""A campaign of judging: its name, its settings, and how far it is.

Knows neither files nor pages. Its queries, documents and runs stand in collection.py, its pairs in pool.py.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import case, func, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor, name_key
from labeling.database import AnyRow, count_changed, insert_unless_present
from labeling.errors import AssayError, Conflict, NotFound
from labeling.rubrics import TEMPLATES, publish_rubric
from labeling.rules import parse_rule
from labeling.schema import metadata

__all__ = [
    "DISPUTE_RULES",
    "TWIN_MODES",
    "Counts",
    "Project",
    "change_project",
    "close_project",
    "count_project",
    "create_project",
    "get_project",
    "get_project_by_name",
    "list_projects",
    "open_project",
]

DISPUTE_RULES = ("any", "two_apart", "threshold")
TWIN_MODES = ("all", "show", "carry")
CHANGEABLE = (
    "name", "note", "depth", "overlap", "claim_minutes", "batch_size", "dispute_rule", "relevant_from", "rule", "ties",
    "calibration", "pass_mark", "gold_every", "repeat_every", "twins", "twin_similarity", "decision_reasons",
)  # fmt: skip

_project = metadata.tables["project"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_run = metadata.tables["run"]
_pair = metadata.tables["pair"]


@dataclass(frozen=True)
class Project:
    """A project's settings as they stand."""

    id: int
    name: str
    note: str
    state: str
    depth: int
    overlap: int
    claim_minutes: int
    batch_size: int
    seed: int
    dispute_rule: str
    relevant_from: int
    rule: str
    ties: str
    calibration: bool
    pass_mark: float
    gold_every: int
    repeat_every: int
    twins: str
    twin_similarity: float
    decision_reasons: list[str] | None
    is_demo: bool


@dataclass(frozen=True)
class Counts:
    """How much there is and how far it is; wanted and votes are sums over pairs, votes at most the wanted of each."""

    queries: int
    documents: int
    runs: int
    pairs: int
    wanted: int
    votes: int
    complete: int


def create_project(
    session: Session, actor: Actor, *, name: str, note: str = "", is_demo: bool = False, seed: int | None = None
) -> Project:
    """Make a draft with the default settings and the first rubric template as version 1.

    Raises NotAllowed below lead, Conflict when the name is taken, AssayError when it is empty or too long.
    """
    actor.require("lead")
    name = " ".join(name.split())
    if not name or len(name) > 200:
        raise AssayError(f"expected a project name of 1 to 200 characters, found {len(name)}")
    values = {
        "name": name,
        "name_key": name_key(name),
        "note": note.strip(),
        "state": "draft",
        "depth": 10,
        "overlap": 2,
        "seed": _next_seed(session) if seed is None else seed,
        "is_demo": is_demo,
        "created_by": actor.account_id,
        "created_at": datetime.now(UTC),
    }
    if not insert_unless_present(session, _project, values):
        raise Conflict(f"expected a new project name, found a project called {name}")
    project = get_project_by_name(session, actor, name)
    text, levels = TEMPLATES["passages"]
    publish_rubric(session, actor, project.id, text=text, levels=levels)
    return project


def _next_seed(session: Session) -> int:
    return 1 + int(session.execute(select(func.coalesce(func.max(_project.c.id), 0))).scalar_one())


def get_project(session: Session, actor: Actor, project_id: int) -> Project:
    """A project by its number; a draft is found by leads only. NotFound otherwise."""
    return _found(session.execute(select(_project).where(_project.c.id == project_id)).first(), actor, str(project_id))


def get_project_by_name(session: Session, actor: Actor, name: str) -> Project:
    """A project by its name, whatever its case; NotFound where there is none."""
    row = session.execute(select(_project).where(_project.c.name_key == name_key(name))).first()
    return _found(row, actor, repr(name))


def _found(row: AnyRow | None, actor: Actor, asked: str) -> Project:
    if row is None or (row.state == "draft" and not actor.may("lead")):
        raise NotFound(f"expected a project, found none called {asked}")
    return _project_of(row)


def _project_of(row: AnyRow) -> Project:
    return Project(**{field: getattr(row, field) for field in Project.__dataclass_fields__})


def list_projects(session: Session, actor: Actor) -> list[Project]:
    """The projects that a person may open, newest first, the demo last."""
    statement = select(_project).order_by(_project.c.is_demo, _project.c.id.desc())
    if not actor.may("lead"):
        statement = statement.where(_project.c.state != "draft")
    return [_project_of(row) for row in session.execute(statement)]


def change_project(session: Session, actor: Actor, project_id: int, **changes: Any) -> Project:
    """Change settings by name; the overlap goes to every pair of the project that wants votes.

    Raises AssayError for a setting that does not exist, a value outside its range, calibration without a practice set.
    """
    actor.require("lead")
    project = get_project(session, actor, project_id)
    _check_changes(changes)
    if changes.get("calibration") and not _has_practice(session, project_id):
        raise AssayError("expected a practice set before calibration is switched on, found none: import one first")
    if "name" in changes:
        changes["name_key"] = name_key(changes["name"])
        taken = select(_project.c.id).where(_project.c.name_key == changes["name_key"], _project.c.id != project_id)
        if session.execute(taken).first():
            raise Conflict(f"expected a new project name, found a project called {changes['name']}")
    if changes:
        session.execute(update(_project).where(_project.c.id == project_id).values(**changes))
    if changes.get("overlap", project.overlap) != project.overlap:
        wanted = (_pair.c.project_id == project_id, _pair.c.overlap > 0)  # practice and gold want no vote
        session.execute(update(_pair).where(*wanted).values(overlap=changes["overlap"]))
    return get_project(session, actor, project_id)


def _has_practice(session: Session, project_id: int) -> bool:
    reference = metadata.tables["reference"]
    statement = select(reference.c.pair_id).join(_pair, _pair.c.id == reference.c.pair_id)
    practice = statement.where(_pair.c.project_id == project_id, reference.c.purpose == "practice")
    return session.execute(practice.limit(1)).first() is not None


def _check_changes(changes: dict[str, Any]) -> None:
    limits = {"depth": 1000, "overlap": 20, "claim_minutes": 24 * 60, "batch_size": 500}
    from_zero = {"gold_every": 1000, "repeat_every": 1000, "pass_mark": 1, "twin_similarity": 1}
    for name, value in changes.items():
        if name not in CHANGEABLE:
            raise AssayError(f"expected a setting of {', '.join(CHANGEABLE)}, found {name}")
        if name in limits and not 1 <= int(value) <= limits[name]:
            raise AssayError(f"expected {name} from 1 to {limits[name]}, found {value}")
        if name in from_zero and not 0 <= value <= from_zero[name]:
            raise AssayError(f"expected {name} from 0 to {from_zero[name]}, found {value}")
        if name in ("gold_every", "repeat_every") and value == 1:
            raise AssayError(f"expected {name} 0 or 2 and more, found 1: no pair would be left to vote on")
        if name == "twins" and value not in TWIN_MODES:
            raise AssayError(f"expected twins as one of {', '.join(TWIN_MODES)}, found {value}")
        if name == "dispute_rule" and value not in DISPUTE_RULES:
            raise AssayError(f"expected a dispute rule of {', '.join(DISPUTE_RULES)}, found {value}")
        if name == "rule" and len(str(parse_rule(value))) > 220:
            raise AssayError("expected a rule of 220 characters at most: name fewer raters")
        if name == "name" and not 1 <= len(str(value).strip()) <= 200:
            raise AssayError("expected a project name of 1 to 200 characters")


def open_project(session: Session, actor: Actor, project_id: int) -> Project:
    """Let raters in. AssayError while there is no pair to judge."""
    actor.require("lead")
    if not count_project(session, actor, project_id).pairs:
        raise AssayError("expected pairs to judge, found none: add queries, documents and runs, then build the pool")
    return _set_state(session, actor, project_id, "open")


def close_project(session: Session, actor: Actor, project_id: int) -> Project:
    """Take no further judgments; everything stays readable and can be opened again."""
    actor.require("lead")
    return _set_state(session, actor, project_id, "closed")


def _set_state(session: Session, actor: Actor, project_id: int, state: str) -> Project:
    if not count_changed(session, update(_project).where(_project.c.id == project_id).values(state=state)):
        raise NotFound(f"expected a project, found none called {project_id}")
    return get_project(session, actor, project_id)


def count_project(session: Session, actor: Actor, project_id: int) -> Counts:
    """How many queries, documents, runs and pairs to judge there are, and how many votes are wanted and given."""
    get_project(session, actor, project_id)
    several = [
        session.execute(select(func.count()).where(table.c.project_id == project_id)).scalar_one()
        for table in (_query, _document, _run)
    ]
    full = _pair.c.vote_count >= _pair.c.overlap
    pairs = session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(_pair.c.overlap), 0),
            func.coalesce(func.sum(case((full, _pair.c.overlap), else_=_pair.c.vote_count)), 0),
            func.coalesce(func.sum(case((full, 1), else_=0)), 0),
        ).where(_pair.c.project_id == project_id, _pair.c.overlap > 0)
    ).one()
    return Counts(*several, *(int(value) for value in pairs))
