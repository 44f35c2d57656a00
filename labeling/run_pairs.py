"""The unjudged first documents of runs: how much of them is judged, and adding the rest to what is judged.

Knows runs and pairs; the pool of all runs at once stands in pool.py.
"""

from dataclasses import dataclass

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.collection import read_runs
from labeling.database import lock_project
from labeling.errors import AssayError, NotFound
from labeling.pool import add_pairs, choose_pairs
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = ["RunTop", "add_unjudged", "preview_unjudged"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_decision = metadata.tables["decision"]


@dataclass(frozen=True)
class RunTop:
    """The first ranks of some runs beside what is judged.

    runs holds a row a run: run, now (judged@k: the mean over its queries of the share of the first k that has a vote or a
    decision), queued (the same once every pair of the project is judged), after (once the new pairs are, too). new holds
    the pairs that would be added; waiting counts pairs that are there and lack any judgment. Left out, with their reason: pairs of
    queries and of documents that have no text here.
    """

    depth: int
    runs: pd.DataFrame
    new: pd.DataFrame
    waiting: int
    votes: int
    without_query: pd.DataFrame
    without_text: pd.DataFrame


def preview_unjudged(session: Session, actor: Actor, project_id: int, tags: tuple[str, ...], depth: int) -> RunTop:
    """What adding the unjudged first documents of these runs would mean; changes nothing.

    Raises AssayError for a depth outside 1 to 1000, NotFound for a run that the project does not have.
    """
    actor.require("lead")
    project = get_project(session, actor, project_id)
    if not 1 <= depth <= 1000:
        raise AssayError(f"expected the first 1 to 1000 ranks, found {depth}")
    runs = read_runs(session, project_id)
    unknown = sorted(set(tags) - {run.tag for run in runs})
    if unknown or not tags:
        raise NotFound(f"expected runs of the project, found {unknown[0] if unknown else 'none'}")
    tops = {run.tag: choose_pairs([run], depth) for run in runs if run.tag in tags}
    there, judged = _known_pairs(session, project_id)
    chosen = pd.concat(tops.values()).drop_duplicates().sort_values(["query_id", "doc_id"], ignore_index=True)
    has_query = chosen["query_id"].isin(_with_text(session, _query.c.query_id, _query, project_id))
    has_text = chosen["doc_id"].isin(_with_text(session, _document.c.doc_id, _document, project_id))
    is_there = _member(chosen, there)
    new = chosen[has_query & has_text & ~is_there].reset_index(drop=True)
    rows = [
        (tag, _share(top, judged), _share(top, there), _share(top, there | set(new.itertuples(index=False, name=None))))
        for tag, top in tops.items()
    ]
    return RunTop(
        depth=depth,
        runs=pd.DataFrame(rows, columns=["run", "now", "queued", "after"]),
        new=new,
        waiting=int((is_there & ~_member(chosen, judged)).sum()),
        votes=len(new) * project.overlap,
        without_query=chosen[~has_query & ~is_there].reset_index(drop=True),
        without_text=chosen[has_query & ~has_text & ~is_there].reset_index(drop=True),
    )


def add_unjudged(session: Session, actor: Actor, project_id: int, tags: tuple[str, ...], depth: int) -> RunTop:
    """Add the unjudged first documents of these runs to the pairs that raters are given; says what was added and left out.

    Near-duplicates among the new pairs are found by twins.refresh_twins, after this transaction.
    """
    actor.require("lead")
    lock_project(session, project_id)
    found = preview_unjudged(session, actor, project_id, tags, depth)
    add_pairs(session, actor, project_id, found.new)
    return found


def _member(pairs: pd.DataFrame, known: set[tuple[str, str]]) -> pd.Series:
    flags = [pair in known for pair in pairs.itertuples(index=False, name=None)]
    return pd.Series(flags, index=pairs.index, dtype=bool)


def _share(top: pd.DataFrame, known: set[tuple[str, str]]) -> float | None:
    """The mean over queries of the share of the ranking's first documents that is known; None for an empty run."""
    return float(_member(top, known).groupby(top["query_id"]).mean().mean()) if len(top) else None


def _with_text(session: Session, column: object, table: object, project_id: int) -> set[str]:
    statement = select(column).where(table.c.project_id == project_id, table.c.text.is_not(None))  # type: ignore[call-overload,attr-defined]
    return set(session.execute(statement).scalars())


def _known_pairs(session: Session, project_id: int) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The pairs of the project, and those of them with a vote or a decision."""
    decided = select(_decision.c.pair_id).where(_decision.c.pair_id == _pair.c.id).exists()
    statement = (
        select(_query.c.query_id, _document.c.doc_id, (_pair.c.vote_count > 0) | decided)
        .select_from(_pair)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id)
    )
    rows = session.execute(statement).all()
    return {(row[0], row[1]) for row in rows}, {(row[0], row[1]) for row in rows if row[2]}
