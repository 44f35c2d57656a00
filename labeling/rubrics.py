"""The written rule for the grades, version by version.

Knows no judgment: who judged under which version stands with the judgments. A version is never changed, only followed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow
from labeling.errors import AssayError, NotFound
from labeling.schema import metadata

__all__ = ["TEMPLATES", "Level", "Rubric", "get_rubric", "levels_of", "list_rubrics", "publish_rubric"]

_rubric = metadata.tables["rubric"]


@dataclass(frozen=True)
class Level:
    """One grade of the scale: its number, its word, what it means, and pairs that show it."""

    grade: int
    label: str
    definition: str
    examples: str = ""


@dataclass(frozen=True)
class Rubric:
    """One version of a project's rubric; text and examples are markdown."""

    id: int
    project_id: int
    version: int
    text: str
    levels: tuple[Level, ...]
    note: str
    created_at: datetime

    @property
    def grades(self) -> tuple[int, ...]:
        """The scale, lowest grade first."""
        return tuple(level.grade for level in self.levels)


TEMPLATES: Mapping[str, tuple[str, tuple[Level, ...]]] = {
    "passages": (
        (
            "Judge whether this text answers what the asker needs, as the narrative says. "
            "Do not reward a text for being well written, nor for sharing words with the query."
        ),
        (
            Level(0, "Not relevant", "The text has nothing to do with the query."),
            Level(1, "Related", "The text is on the subject but does not answer the query."),
            Level(
                2, "Highly relevant", "The text has an answer, which is unclear, partial or hidden among other matter."
            ),
            Level(3, "Perfectly relevant", "The text is about the query and holds the exact answer."),
        ),
    ),
    "products": (
        "Judge whether a shopper who typed this query would want to see this product.",
        (
            Level(0, "Irrelevant", "Another kind of product."),
            Level(1, "Complement", "Goes with what was asked for, such as an accessory."),
            Level(2, "Substitute", "The right kind of product, with some wish of the query not met."),
            Level(3, "Exact", "Meets every wish that the query names."),
        ),
    ),
    "sources": (
        "Judge whether an answer to the question could be written from this text alone.",
        (
            Level(0, "No use", "Nothing in the text helps to answer."),
            Level(1, "Background", "Helps to understand the question, holds no part of the answer."),
            Level(2, "Part of the answer", "Holds facts that a complete answer needs, but not all of them."),
            Level(3, "Whole answer", "A complete and correct answer can be written from this text alone."),
        ),
    ),
}


def levels_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Level, ...]:
    """Levels from rows with grade, label, definition and examples; checked.

    Raises AssayError unless there are 2 to 11 levels, graded 0, 1, 2 ... in order, each with a word and a definition.
    """
    texts = ("label", "definition", "examples")
    levels = tuple(Level(int(row["grade"]), *(str(row.get(key) or "").strip() for key in texts)) for row in rows)
    if not 2 <= len(levels) <= 11:
        raise AssayError(f"expected a scale of 2 to 11 grades, found {len(levels)}")
    if [level.grade for level in levels] != list(range(len(levels))):
        raise AssayError(f"expected the grades 0 to {len(levels) - 1} in order, found {[x.grade for x in levels]}")
    for level in levels:
        if not level.label or not level.definition:
            raise AssayError(f"expected a word and a definition for grade {level.grade}, found an empty one")
    return levels


def publish_rubric(
    session: Session, actor: Actor, project_id: int, *, text: str, levels: Sequence[Level], note: str = ""
) -> Rubric:
    """Store the next version of a project's rubric; pairs handed out from now on name it.

    The scale of a project that has judgments cannot lose or gain grades (AssayError): old grades would change meaning.
    """
    actor.require("lead")
    levels = levels_of([asdict(level) for level in levels])
    newest = session.execute(
        select(func.max(_rubric.c.version)).where(_rubric.c.project_id == project_id)
    ).scalar_one_or_none()
    if newest is not None:
        before = get_rubric(session, project_id)
        if before.grades != tuple(level.grade for level in levels):
            raise AssayError(f"expected the scale 0 to {before.grades[-1]} of the earlier version, found another")
    session.execute(
        insert(_rubric).values(
            project_id=project_id,
            version=(newest or 0) + 1,
            text=text.strip(),
            levels=[asdict(level) for level in levels],
            note=note.strip(),
            created_by=actor.account_id,
            created_at=datetime.now(UTC),
        )
    )
    return get_rubric(session, project_id)


def get_rubric(session: Session, project_id: int, version: int | None = None) -> Rubric:
    """A version of a project's rubric, the newest by default. NotFound where there is none."""
    statement = select(_rubric).where(_rubric.c.project_id == project_id).order_by(_rubric.c.version.desc())
    if version is not None:
        statement = statement.where(_rubric.c.version == version)
    row = session.execute(statement.limit(1)).first()
    if row is None:
        raise NotFound(f"no rubric{'' if version is None else f' version {version}'} in project {project_id}")
    return _rubric_of(row)


def list_rubrics(session: Session, project_id: int) -> list[Rubric]:
    """Every version, newest first."""
    statement = select(_rubric).where(_rubric.c.project_id == project_id).order_by(_rubric.c.version.desc())
    return [_rubric_of(row) for row in session.execute(statement)]


def _rubric_of(row: AnyRow) -> Rubric:
    levels = tuple(Level(**level) for level in row.levels)
    return Rubric(row.id, row.project_id, row.version, row.text, levels, row.note, row.created_at)
