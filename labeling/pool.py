"""Which pairs are judged: the union of the top documents of the runs.

Knows no rater and no vote; what is in the pool is handed out by queue.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.collection import ensure_documents, ensure_queries, read_runs
from labeling.database import insert_rows
from labeling.errors import AssayError
from labeling.projects import get_project
from labeling.schema import metadata
from metrics import Run

__all__ = ["PoolPreview", "add_pairs", "build_pool", "choose_pairs", "preview_pool"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]


@dataclass(frozen=True)
class PoolPreview:
    """What a depth and an overlap would mean, before anything is written.

    pairs counts what can be judged; judgments is what they cost. Left out, with their reason: pairs of queries the
    project does not have, and pairs of documents without a text.
    """

    pairs: int
    judgments: int
    queries: int
    fewest: int
    most: int
    new_pairs: int
    unknown_queries: tuple[str, ...]
    pairs_of_unknown_queries: int
    documents_without_text: tuple[str, ...]
    pairs_without_text: int


def choose_pairs(runs: Sequence[Run], depth: int) -> pd.DataFrame:
    """The union of the top documents of runs: query_id, doc_id, sorted; ranked as trec_eval ranks."""
    tops = []
    for run in runs:
        ordered = run.table[["query_id", "doc_id", "score"]].sort_values(
            ["query_id", "score", "doc_id"], ascending=[True, False, False]
        )
        tops.append(ordered.groupby("query_id", sort=False).head(depth)[["query_id", "doc_id"]])
    if not tops:
        return pd.DataFrame({"query_id": [], "doc_id": []}, dtype=object)
    pairs = pd.concat(tops).drop_duplicates()
    return pairs.sort_values(["query_id", "doc_id"]).reset_index(drop=True)


def preview_pool(session: Session, actor: Actor, project_id: int, *, depth: int, overlap: int) -> PoolPreview:
    """How many pairs and judgments the project's runs make at a depth and an overlap, and what is left out."""
    preview, _ = _plan(session, actor, project_id, depth, overlap)
    return preview


def _plan(
    session: Session, actor: Actor, project_id: int, depth: int, overlap: int
) -> tuple[PoolPreview, pd.DataFrame]:
    actor.require("lead")
    if not (1 <= depth <= 1000 and 1 <= overlap <= 20):
        raise AssayError(f"expected a depth from 1 to 1000 and an overlap from 1 to 20, found {depth} and {overlap}")
    chosen = choose_pairs(read_runs(session, project_id), depth)
    known = _known(session, _query.c.query_id, _query, project_id)
    with_text = _known(session, _document.c.doc_id, _document, project_id)
    has_query = chosen["query_id"].isin(known)
    has_text = chosen["doc_id"].isin(with_text)
    kept = chosen[has_query & has_text].reset_index(drop=True)
    there = _existing(session, project_id)
    new = sum((q, d) not in there for q, d in zip(kept["query_id"], kept["doc_id"], strict=True))
    sizes = kept.groupby("query_id").size()
    preview = PoolPreview(
        pairs=len(kept),
        judgments=len(kept) * overlap,
        queries=len(sizes),
        fewest=int(sizes.min()) if len(sizes) else 0,
        most=int(sizes.max()) if len(sizes) else 0,
        new_pairs=new,
        unknown_queries=tuple(sorted(set(chosen.loc[~has_query, "query_id"]))),
        pairs_of_unknown_queries=int((~has_query).sum()),
        documents_without_text=tuple(sorted(set(chosen.loc[has_query & ~has_text, "doc_id"]))),
        pairs_without_text=int((has_query & ~has_text).sum()),
    )
    return preview, kept


def _known(session: Session, column: object, table: object, project_id: int) -> set[str]:
    statement = select(column).where(table.c.project_id == project_id, table.c.text.is_not(None))  # type: ignore[call-overload,attr-defined]
    return set(session.execute(statement).scalars())


def _existing(session: Session, project_id: int) -> set[tuple[str, str]]:
    statement = (
        select(_query.c.query_id, _document.c.doc_id)
        .select_from(_pair)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id)
    )
    return {(row[0], row[1]) for row in session.execute(statement)}


def build_pool(session: Session, actor: Actor, project_id: int, *, depth: int, overlap: int) -> PoolPreview:
    """Add the pairs of the runs' top documents to the project and keep depth and overlap as its settings.

    Pairs that are there stay, with their judgments, and take the overlap. The preview says what was done.
    """
    preview, kept = _plan(session, actor, project_id, depth, overlap)
    project = metadata.tables["project"]
    session.execute(update(project).where(project.c.id == project_id).values(depth=depth, overlap=overlap))
    wanted = (_pair.c.project_id == project_id, _pair.c.overlap > 0)  # practice and gold want no vote
    session.execute(update(_pair).where(*wanted).values(overlap=overlap))
    add_pairs(session, actor, project_id, kept)
    return preview


def add_pairs(session: Session, actor: Actor, project_id: int, pairs: pd.DataFrame) -> dict[tuple[str, str], int]:
    """Make sure that pairs (query_id, doc_id) are in the project; the row number of each.

    Queries and documents that the project does not have are added without a text: such pairs are never handed out.
    """
    actor.require("lead")
    project = get_project(session, actor, project_id)
    queries, _ = ensure_queries(session, project_id, pairs["query_id"].tolist())
    documents, _ = ensure_documents(session, project_id, pairs["doc_id"].tolist())
    wanted = {(queries[q], documents[d]): (q, d) for q, d in zip(pairs["query_id"], pairs["doc_id"], strict=True)}
    numbers = _pair_numbers(session, project_id)
    rows = [
        {"project_id": project_id, "query_pk": query, "document_pk": document, "overlap": project.overlap}
        for query, document in wanted
        if (query, document) not in numbers
    ]
    if rows:
        insert_rows(session, _pair, rows)
        numbers = _pair_numbers(session, project_id)
    return {ids: numbers[key] for key, ids in wanted.items()}


def _pair_numbers(session: Session, project_id: int) -> dict[tuple[int, int], int]:
    statement = select(_pair.c.query_pk, _pair.c.document_pk, _pair.c.id).where(_pair.c.project_id == project_id)
    return {(row[0], row[1]): row[2] for row in session.execute(statement)}


def count_pairs(session: Session, project_id: int) -> int:
    """How many pairs the project has."""
    return int(session.execute(select(func.count()).where(_pair.c.project_id == project_id)).scalar_one())
