"""A rater's own judgments that were made under an older version of the rubric, and what has changed in it since.

Reads only; a judgment is confirmed or changed by an act like any other, under the version in force.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.history import select_counting
from labeling.ledger import is_settled
from labeling.projects import get_project
from labeling.raters import get_rater
from labeling.rubrics import Rubric, get_rubric
from labeling.schema import metadata
from labeling.shown import show_pairs

__all__ = ["Change", "OlderCounts", "compare_rubrics", "count_older", "show_older"]

AT_ONCE = 20

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_judgment = metadata.tables["judgment"]
_rubric = metadata.tables["rubric"]


@dataclass(frozen=True)
class OlderCounts:
    """How many judgments wait for a look, how many were settled since and are left out, and the versions of those that wait."""

    waiting: int
    settled: int
    versions: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """A part of the rubric that reads otherwise now; grade is None for what raters read first."""

    grade: int | None
    part: str
    before: str
    after: str


def compare_rubrics(before: Rubric, after: Rubric) -> list[Change]:
    """What reads otherwise in the later version: text, and each grade's word, definition and examples."""
    changes = [Change(None, "text", before.text, after.text)] if before.text != after.text else []
    earlier = {level.grade: level for level in before.levels}
    for level in after.levels:
        old = earlier.get(level.grade)
        for part in ("label", "definition", "examples"):
            was, now = (getattr(old, part) if old is not None else ""), getattr(level, part)
            if was != now:
                changes.append(Change(level.grade, part, was, now))
    return changes


def count_older(session: Session, actor: Actor, project_id: int) -> OlderCounts:
    """One's own judgments under older versions: those to look at again, and those that are settled."""
    found = _select_older(session, actor, project_id)
    if found is None:
        return OlderCounts(0, 0, ())
    rows = list(session.execute(found))
    waiting = [row for row in rows if not row.settled]
    return OlderCounts(len(waiting), len(rows) - len(waiting), tuple(sorted({row.version for row in waiting})))


def show_older(session: Session, actor: Actor, project_id: int, *, without: Collection[int] = ()) -> dict[str, Any]:
    """The next pairs to confirm or change, as the card takes them, each with one's own judgment; and how many wait.

    Oldest judgment first. Pairs of `without` are those that the card has or is done with. What was carried over from a
    near-duplicate is left out: it follows the judgment that it comes from.
    """
    get_project(session, actor, project_id)
    found = _select_older(session, actor, project_id)
    rows = [] if found is None else [row for row in session.execute(found) if not row.settled]
    some = [row for row in rows if row.pair not in set(without)][:AT_ONCE]
    shown = show_pairs(session, [row.pair for row in some], get_rubric(session, project_id).version)
    names = ("act_id", "kind", "grade", "reason", "comment", "answers", "version")
    for pair, row in zip(shown, some, strict=True):
        pair["mine"] = {name: getattr(row, name) for name in names}
    return {"pairs": shown, "waiting": len(rows)}


def _select_older(session: Session, actor: Actor, project_id: int) -> Select[Any] | None:
    rater = get_rater(session, actor, project_id)
    newest = get_rubric(session, project_id).version
    if rater is None or newest == 1:
        return None
    names = ("act_id", "kind", "grade", "reason", "comment", "answers")
    return (
        select(
            _pair.c.id.label("pair"),
            *(_judgment.c[name] for name in names),
            _rubric.c.version,
            func.coalesce(is_settled(), False).label("settled"),
        )
        .join(_pair, _pair.c.id == _judgment.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .join(_rubric, _rubric.c.id == _judgment.c.rubric_id)
        .where(_judgment.c.id.in_(select_counting(rater.id)), _judgment.c.kind.in_(("grade", "cannot_judge")))
        .where(_rubric.c.version < newest, _judgment.c.carried_from.is_(None))
        .where(_query.c.text.is_not(None), _document.c.text.is_not(None))
        .order_by(_judgment.c.id)
    )
