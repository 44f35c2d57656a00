"""A project's queries, documents and runs, as stored.

Knows tables, not files' formats: exchange and metrics.trec read those. Nothing here touches a judgment.
"""

import gzip
import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd
from sqlalchemy import Table, bindparam, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow, insert_rows
from labeling.errors import Conflict, NotFound
from labeling.schema import metadata
from metrics import Run, read_run

__all__ = [
    "Stored",
    "add_documents",
    "add_queries",
    "add_run",
    "ensure_documents",
    "ensure_queries",
    "hashes_of",
    "import_runs",
    "list_imports",
    "list_narratives",
    "list_runs",
    "read_documents_table",
    "read_queries_table",
    "read_runs",
    "record_import",
    "shown_hash",
    "write_narrative",
]

_query = metadata.tables["query"]
_document = metadata.tables["document"]
_run = metadata.tables["run"]
_import = metadata.tables["import_batch"]

_parsed_runs: dict[str, Run] = {}
_parsing = threading.Lock()
KEPT_RUNS = 400  # parsed runs kept in memory; a run's hash is its key, so what is kept is never stale


@dataclass(frozen=True)
class Stored:
    """What an import did: rows that are new, that filled a gap or replaced a text, and that were there already."""

    added: int
    changed: int
    unchanged: int


def shown_hash(*texts: str | None) -> str:
    """The hash of what a rater is shown of a query or a document; None and "" differ from each other."""
    joined = "\x1f".join("\x00" if text is None else text for text in texts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()


def record_import(
    session: Session, actor: Actor, project_id: int, kind: str, files: Sequence[str], report: Mapping[str, Any]
) -> int:
    """Keep what was imported by whom and what was left out; the import's number."""
    values = {
        "project_id": project_id,
        "kind": kind,
        "files": list(files),
        "report": dict(report),
        "created_by": actor.account_id,
        "created_at": datetime.now(UTC),
    }
    return int(session.execute(insert(_import).values(**values).returning(_import.c.id)).scalar_one())


def hashes_of(files: Sequence[tuple[str, bytes]]) -> dict[str, str]:
    """The SHA-256 of each file by its name, as an import's report keeps it."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in files}


def list_imports(session: Session, actor: Actor, project_id: int) -> list[AnyRow]:
    """What was imported into a project, oldest first: kind, files, report, created_at."""
    actor.require("lead")
    columns = (_import.c.kind, _import.c.files, _import.c.report, _import.c.created_at)
    return list(session.execute(select(*columns).where(_import.c.project_id == project_id).order_by(_import.c.id)))


def add_queries(
    session: Session, actor: Actor, project_id: int, table: pd.DataFrame, *, replace: bool = False
) -> Stored:
    """Store queries: columns query_id, text, narrative and any others, which become slices.

    Raises Conflict, and stores nothing, when a query is there with another text and replace is false.
    """
    actor.require("lead")
    others = [name for name in table.columns if name not in ("query_id", "text", "narrative")]
    rows = [
        {
            "project_id": project_id,
            "query_id": row["query_id"],
            "text": row["text"],
            "narrative": row.get("narrative") or "",
            "columns": {name: str(row[name]) for name in others if row[name] is not None and row[name] == row[name]},
            "shown_hash": shown_hash(row["text"], row.get("narrative") or ""),
        }
        for row in table.to_dict("records")
    ]
    return _store(session, _query, "query_id", ("text", "narrative", "columns", "shown_hash"), rows, replace=replace)


def add_documents(
    session: Session,
    actor: Actor,
    project_id: int,
    table: pd.DataFrame,
    *,
    replace: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Stored:
    """Store documents: columns doc_id, title, text, url. progress is told how many of how many are stored.

    Raises Conflict, and stores nothing, when a document is there with another text and replace is false.
    """
    actor.require("lead")
    columns = [table[name].tolist() for name in ("doc_id", "title", "text", "url")]
    total = Stored(0, 0, 0)
    for start in range(0, len(table), 10_000):
        rows = [
            {
                "project_id": project_id,
                "doc_id": doc_id,
                "title": title or "",
                "text": text,
                "url": url or "",
                "shown_hash": shown_hash(title or "", text, url or ""),
            }
            for doc_id, title, text, url in zip(*(part[start : start + 10_000] for part in columns), strict=True)
        ]
        stored = _store(session, _document, "doc_id", ("title", "text", "url", "shown_hash"), rows, replace=replace)
        total = Stored(*(a + b for a, b in zip(_numbers(total), _numbers(stored), strict=True)))
        if progress is not None:
            progress(min(start + 10_000, len(table)), len(table))
    return total


def _numbers(stored: Stored) -> tuple[int, int, int]:
    return stored.added, stored.changed, stored.unchanged


def _store(
    session: Session, table: Table, key: str, fields: Sequence[str], rows: list[dict[str, Any]], *, replace: bool
) -> Stored:
    if not rows:
        return Stored(0, 0, 0)
    project_id = rows[0]["project_id"]
    there = _hashes(session, table, key, project_id, [row[key] for row in rows])
    new = [row for row in rows if row[key] not in there]
    other = [row for row in rows if row[key] in there and there[row[key]][0] != row["shown_hash"]]
    gaps = [row for row in other if not there[row[key]][1]]
    differing = [row for row in other if there[row[key]][1]]
    if differing and not replace:
        examples = ", ".join(repr(row[key]) for row in differing[:3])
        raise Conflict(
            f"expected new {key}s or the same text, found {len(differing)} that are stored with another text "
            f"({examples}): choose to replace them, or leave them out"
        )
    insert_rows(session, table, new)
    changing = gaps + differing
    if changing:
        statement = (
            update(table)
            .where(table.c.project_id == bindparam("b_project"), table.c[key] == bindparam("b_key"))
            .values({field: bindparam(f"b_{field}") for field in fields})
        )
        bound = [
            {"b_project": project_id, "b_key": row[key], **{f"b_{field}": row[field] for field in fields}}
            for row in changing
        ]
        session.connection().execute(statement, bound)
    return Stored(len(new), len(changing), len(rows) - len(new) - len(changing))


def _hashes(
    session: Session, table: Table, key: str, project_id: int, ids: Sequence[str]
) -> dict[str, tuple[str, bool]]:
    """The hash of each id that is stored, and whether it has a text."""
    found: dict[str, tuple[str, bool]] = {}
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        statement = select(table.c[key], table.c.shown_hash, table.c.text.is_not(None)).where(
            table.c.project_id == project_id, table.c[key].in_(part)
        )
        found.update({row[0]: (row[1], bool(row[2])) for row in session.execute(statement)})
    return found


def ensure_queries(session: Session, project_id: int, ids: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """The row numbers of queries by their ids, and the ids that had to be added without a text."""
    empty: dict[str, Any] = {"text": None, "narrative": "", "columns": {}, "shown_hash": shown_hash(None, "")}
    return _ensure(session, _query, "query_id", project_id, ids, empty)


def ensure_documents(session: Session, project_id: int, ids: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """The row numbers of documents by their ids, and the ids that had to be added without a text."""
    empty = {"title": "", "text": None, "url": "", "shown_hash": shown_hash("", None, "")}
    return _ensure(session, _document, "doc_id", project_id, ids, empty)


def _ensure(
    session: Session, table: Table, key: str, project_id: int, ids: Sequence[str], empty: dict[str, Any]
) -> tuple[dict[str, int], list[str]]:
    numbers = _row_numbers(session, table, key, project_id)
    missing = sorted({value for value in ids if value not in numbers})
    if missing:
        insert_rows(session, table, [{"project_id": project_id, key: value, **empty} for value in missing])
        numbers = _row_numbers(session, table, key, project_id)
    return numbers, missing


def _row_numbers(session: Session, table: Table, key: str, project_id: int) -> dict[str, int]:
    statement = select(table.c[key], table.c.id).where(table.c.project_id == project_id)
    return {row[0]: row[1] for row in session.execute(statement)}


def read_queries_table(session: Session, project_id: int) -> pd.DataFrame:
    """The project's queries: query_id, text, narrative and each further column of the files, as text."""
    statement = (
        select(_query.c.query_id, _query.c.text, _query.c.narrative, _query.c.columns)
        .where(_query.c.project_id == project_id)
        .order_by(_query.c.id)
    )
    rows = [
        {"query_id": row.query_id, "text": row.text, "narrative": row.narrative, **row.columns}
        for row in session.execute(statement)
    ]
    return pd.DataFrame(rows, columns=None if rows else ["query_id", "text", "narrative"], dtype=object)


def read_documents_table(session: Session, project_id: int, limit: int | None = None) -> pd.DataFrame:
    """The project's documents: doc_id, title, text, url; the first of them when a limit is given."""
    names = ["doc_id", "title", "text", "url"]
    statement = select(*(_document.c[name] for name in names)).where(_document.c.project_id == project_id)
    rows = session.execute(statement.order_by(_document.c.id).limit(limit)).all()
    return pd.DataFrame([tuple(row) for row in rows], columns=names, dtype=object)


def list_narratives(session: Session, project_id: int) -> list[AnyRow]:
    """Every query that has a text, in the order they came: query_id, text, narrative."""
    columns = (_query.c.query_id, _query.c.text, _query.c.narrative)
    statement = select(*columns).where(_query.c.project_id == project_id, _query.c.text.is_not(None))
    return list(session.execute(statement.order_by(_query.c.id)))


def write_narrative(session: Session, actor: Actor, project_id: int, query_id: str, narrative: str) -> None:
    """Write what the asker of a query needs; pairs shown before it name the earlier text by their hash."""
    actor.require("lead")
    where = (_query.c.project_id == project_id, _query.c.query_id == query_id)
    row = session.execute(select(_query.c.id, _query.c.text).where(*where)).first()
    if row is None:
        raise NotFound(f"expected a query of the project, found none called {query_id!r}")
    values = {"narrative": narrative.strip(), "shown_hash": shown_hash(row.text, narrative.strip())}
    session.execute(update(_query).where(_query.c.id == row.id).values(**values))


def import_runs(session: Session, actor: Actor, project_id: int, files: Sequence[tuple[str, bytes]]) -> list[Run]:
    """Store runs, named by their files, and keep what was imported; raises as :func:`add_run`."""
    runs = [add_run(session, actor, project_id, content, name) for name, content in files]
    report = {"runs": len(files), "sha256": hashes_of(files)}
    record_import(session, actor, project_id, "runs", [name for name, _ in files], report)
    return runs


def add_run(session: Session, actor: Actor, project_id: int, content: bytes, file_name: str) -> Run:
    """Store a run after reading it; the same file again changes nothing.

    Raises InputError for a file that is no run, Conflict when another run has its tag.
    """
    actor.require("lead")
    run = read_run(content, name=file_name)
    digest = hashlib.sha256(content).hexdigest()
    there = session.execute(
        select(_run.c.sha256).where(_run.c.project_id == project_id, _run.c.tag == run.tag)
    ).scalar_one_or_none()
    if there == digest:
        return run
    if there is not None:
        raise Conflict(f"{file_name}: expected a tag that no other run has, found {run.tag!r} again in another file")
    packed = content if content[:2] == b"\x1f\x8b" else gzip.compress(content, 6, mtime=0)
    session.execute(
        insert(_run).values(
            project_id=project_id,
            tag=run.tag,
            file_name=file_name,
            sha256=digest,
            rows=len(run.table),
            queries=int(run.table["query_id"].nunique()),
            content=packed,
            created_at=datetime.now(UTC),
        )
    )
    return run


def list_runs(session: Session, project_id: int) -> list[AnyRow]:
    """The project's runs by tag: id, tag, file_name, sha256, rows, queries, created_at."""
    names = ("id", "tag", "file_name", "sha256", "rows", "queries", "created_at")
    statement = select(*(_run.c[name] for name in names)).where(_run.c.project_id == project_id)
    return list(session.execute(statement.order_by(_run.c.tag)))


def read_runs(session: Session, project_id: int, tags: Sequence[str] | None = None) -> list[Run]:
    """The project's runs, read; in the order of their tags."""
    wanted = [row for row in list_runs(session, project_id) if tags is None or row.tag in tags]
    return [_parsed(session, row) for row in wanted]


def _parsed(session: Session, row: AnyRow) -> Run:
    with _parsing:
        kept = _parsed_runs.get(row.sha256)
    if kept is None:
        content = session.execute(select(_run.c.content).where(_run.c.id == row.id)).scalar_one()
        kept = read_run(content, name=row.file_name)
        with _parsing:
            while len(_parsed_runs) >= KEPT_RUNS:
                _parsed_runs.pop(next(iter(_parsed_runs)))
            _parsed_runs[row.sha256] = kept
    return kept
