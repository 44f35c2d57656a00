"""Judgments that were made elsewhere, into the ledger: all of a file, or nothing.

Knows tables, not formats: labeling.exchange reads those. Rows are added, never changed; the newest of a rater and a
pair counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd
from sqlalchemy import delete, func, insert, literal, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.collection import ensure_documents, ensure_queries, record_import
from labeling.database import insert_rows
from labeling.errors import AssayError, InputError
from labeling.pool import add_pairs
from labeling.projects import get_project
from labeling.raters import ensure_raters_by_name
from labeling.rubrics import list_rubrics
from labeling.schema import metadata
from labeling.votes import count_votes_again

__all__ = ["ImportedJudgments", "count_stored", "import_judgments"]

_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]

STORED_KINDS = ("grade", "cannot_judge", "skip", "failed")


@dataclass(frozen=True)
class ImportedJudgments:
    """What an import of judgments did, in numbers."""

    judgments: int
    votes: int
    raters: tuple[str, ...]
    pairs: int
    new_pairs: int
    queries_without_text: tuple[str, ...]
    documents_without_text: tuple[str, ...]


def count_stored(table: pd.DataFrame) -> int:
    """How many of these rows an import stores: an empty label is no judgment."""
    return int(_is_stored(table).sum())


def _is_stored(table: pd.DataFrame) -> pd.Series:
    return table["kind"].isin(STORED_KINDS)


def import_judgments(
    session: Session,
    actor: Actor,
    project_id: int,
    table: pd.DataFrame,
    *,
    files: Sequence[str],
    report: Mapping[str, Any] | None = None,
    models: Sequence[str] = (),
    now: datetime | None = None,
) -> ImportedJudgments:
    """Add judgments (columns query_id, doc_id, rater, grade, kind and the optional ones) to a project's ledger.

    Raters are made by name, pairs where they are missing. Pairs of queries or documents that the project does not have
    are kept and counted: they take part in agreement and scores and are not handed out. Raises InputError for a grade
    outside the project's scale, Conflict for a rater's name that a person who judges here bears; nothing is stored then.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    table = table[_is_stored(table)].reset_index(drop=True)
    if table.empty:
        raise AssayError("expected judgments to import, found none")
    rubrics = {rubric.version: rubric for rubric in list_rubrics(session, project_id)}
    newest = rubrics[max(rubrics)]
    _check_scale(table, newest.grades, files)
    _, no_query = ensure_queries(session, project_id, table["query_id"].tolist())
    _, no_document = ensure_documents(session, project_id, table["doc_id"].tolist())
    raters = ensure_raters_by_name(session, actor, project_id, table["rater"].unique().tolist(), models=models)
    before = session.execute(_count_pairs(project_id)).scalar_one()
    pairs = add_pairs(session, actor, project_id, table[["query_id", "doc_id"]].drop_duplicates())
    after = session.execute(_count_pairs(project_id)).scalar_one()
    import_id = record_import(session, actor, project_id, "judgments", files, report or {})
    versions = {version: rubric.id for version, rubric in rubrics.items()}
    rows = [
        {
            "act_id": f"import:{import_id}:{number}",
            "pair_id": pairs[(row["query_id"], row["doc_id"])],
            "rater_id": raters[row["rater"]].id,
            "kind": row["kind"],
            "grade": int(row["grade"]) if row["kind"] == "grade" else None,
            "reason": _text(row.get("reason")) or ("other" if row["kind"] == "cannot_judge" else None),
            "comment": _text(row.get("comment")) or "",
            "rubric_id": versions.get(_number(row.get("rubric_version")) or newest.version, newest.id),
            "judged_at": _moment(row.get("judged_at"), now),
            "seconds": _seconds(row.get("seconds")),
            "import_id": import_id,
        }
        for number, row in enumerate(table.to_dict("records"), start=1)
    ]
    insert_rows(session, _judgment, rows)
    _make_current(session, import_id)
    count_votes_again(session, project_id)
    return ImportedJudgments(
        judgments=len(rows),
        votes=int((table["kind"] == "grade").sum()),
        raters=tuple(sorted(table["rater"].unique())),
        pairs=len(pairs),
        new_pairs=after - before,
        queries_without_text=tuple(no_query),
        documents_without_text=tuple(no_document),
    )


def _count_pairs(project_id: int) -> Any:
    pair = metadata.tables["pair"]
    return select(func.count()).where(pair.c.project_id == project_id)


def _check_scale(table: pd.DataFrame, grades: Sequence[int], files: Sequence[str]) -> None:
    graded = table[table["kind"] == "grade"]
    outside = graded[~graded["grade"].isin(list(grades))]
    if not outside.empty:
        row = outside.iloc[0]
        found = f"{len(outside)} outside it, the first {row['grade']} for {row['query_id']} {row['doc_id']}"
        raise InputError(", ".join(files), None, f"grades from {grades[0]} to {grades[-1]}", found)


def _make_current(session: Session, import_id: int) -> None:
    """Let the newest imported row of each pair and rater be the one that counts, in place of any earlier one."""
    newest = (
        select(_judgment.c.pair_id, _judgment.c.rater_id, func.max(_judgment.c.id).label("judgment_id"))
        .where(_judgment.c.import_id == literal(import_id))
        .group_by(_judgment.c.pair_id, _judgment.c.rater_id)
        .subquery()
    )
    same = (_current.c.pair_id == newest.c.pair_id) & (_current.c.rater_id == newest.c.rater_id)
    session.execute(delete(_current).where(select(newest.c.judgment_id).where(same).exists()))
    columns = ["pair_id", "rater_id", "judgment_id"]
    session.execute(insert(_current).from_select(columns, select(*(newest.c[name] for name in columns))))


def _text(value: Any) -> str:
    return "" if value is None or value != value or value is pd.NA else str(value)  # noqa: PLR0124 - nan


def _number(value: Any) -> int | None:
    try:
        return int(float(_text(value)))
    except (ValueError, OverflowError):
        return None


def _seconds(value: Any) -> float | None:
    text = _text(value)
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _moment(value: Any, now: datetime | None) -> datetime:
    try:
        parsed = value if isinstance(value, datetime) else datetime.fromisoformat(_text(value))
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # no moment at all, or none that is left in UTC
        return now or datetime.now(UTC)
