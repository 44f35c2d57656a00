"""Near-duplicate documents of a query: which pairs carry the same text, and where their grades differ.

Knows no page. What counts as the same text is told by near_duplicates.py; what a rater meets of it by queue.py.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import insert_rows, lock_project, reading, writing
from labeling.near_duplicates import Shingles, group_near_duplicates
from labeling.projects import get_project
from labeling.schema import metadata
from labeling.votes import COUNTS_AS_VOTE

__all__ = [
    "TwinConflict",
    "TwinCounts",
    "count_twins",
    "find_twins",
    "list_twin_conflicts",
    "list_twins",
    "read_document_copies",
    "read_own_twins",
    "read_twin_numbers",
    "refresh_twins",
    "store_twins",
]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_twin = metadata.tables["twin"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rater = metadata.tables["rater"]


@dataclass(frozen=True)
class TwinCounts:
    """How many groups of near-duplicates a project has, and how many of its pairs stand in them."""

    groups: int
    pairs: int


@dataclass(frozen=True)
class TwinConflict:
    """A group whose pairs have different grades; grades by pair, each vote that was given and not carried."""

    group: int
    query_id: str
    query: str
    pairs: tuple[int, ...]
    doc_ids: tuple[str, ...]
    grades: tuple[tuple[int, ...], ...]
    same_rater: tuple[str, ...]

    @property
    def spread(self) -> int:
        """Highest less lowest grade of the group."""
        every = [grade for grades in self.grades for grade in grades]
        return max(every) - min(every)


def refresh_twins(actor: Actor, project_id: int) -> TwinCounts:
    """Find the near-duplicates of a project again and store them; the search itself holds nobody up.

    Call it when pairs or texts were added. Raises NotAllowed below lead.
    """
    with reading() as session:
        found = find_twins(session, actor, project_id)
    with writing() as session:
        lock_project(session, project_id)
        return store_twins(session, actor, project_id, found)


def find_twins(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """The pairs that carry the same text as another of their query: pair_id, group_number (from 1), similarity."""
    actor.require("lead")
    project = get_project(session, actor, project_id)
    statement = (
        select(_pair.c.id, _pair.c.query_pk, _pair.c.document_pk, _document.c.doc_id)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id, _document.c.text.is_not(None))
    )
    rows = sorted(session.execute(statement), key=lambda row: (row.query_pk, row.doc_id))
    numbers = {number: place for place, number in enumerate(sorted({row.document_pk for row in rows}))}
    texts = select(_document.c.id, _document.c.text).where(_document.c.project_id == project_id)
    text_of = {row.id: row.text or "" for row in session.execute(texts) if row.id in numbers}
    shingles = Shingles([text_of[number] for number in numbers])
    by_query: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        by_query[row.query_pk].append((row.id, numbers[row.document_pk]))
    found, last = [], 0
    for pairs in by_query.values():
        groups = group_near_duplicates(shingles, [place for _, place in pairs], similarity=project.twin_similarity)
        for (pair_id, _), group, similarity in zip(pairs, groups.group, groups.similarity, strict=True):
            if group >= 0:
                found.append((pair_id, last + int(group) + 1, float(similarity)))
        last += int(groups.group.max(initial=-1)) + 1
    return pd.DataFrame(found, columns=["pair_id", "group_number", "similarity"])


def store_twins(session: Session, actor: Actor, project_id: int, found: pd.DataFrame) -> TwinCounts:
    """Replace the project's groups by those found; no judgment changes."""
    actor.require("lead")
    session.execute(delete(_twin).where(_twin.c.project_id == project_id))
    rows = [
        {"pair_id": pair, "project_id": project_id, "group_number": group, "similarity": similarity}
        for pair, group, similarity in found.itertuples(index=False)
    ]
    if rows:
        insert_rows(session, _twin, rows)
    return count_twins(session, actor, project_id)


def count_twins(session: Session, actor: Actor, project_id: int) -> TwinCounts:
    """How many groups there are, and the pairs in them."""
    actor.require("lead")
    counts = select(func.count(_twin.c.group_number.distinct()), func.count()).where(_twin.c.project_id == project_id)
    groups, pairs = session.execute(counts).one()
    return TwinCounts(int(groups), int(pairs))


def list_twins(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """Every pair that has a twin: group_number, pair_id, query_id, query, doc_id, title, text (its beginning), similarity."""
    actor.require("lead")
    names = ["group_number", "pair_id", "query_id", "query", "doc_id", "title", "text", "similarity"]
    statement = (
        select(
            _twin.c.group_number,
            _twin.c.pair_id,
            _query.c.query_id,
            _query.c.text,
            _document.c.doc_id,
            _document.c.title,
            func.substr(_document.c.text, 1, 300),
            _twin.c.similarity,
        )
        .join(_pair, _pair.c.id == _twin.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_twin.c.project_id == project_id)
        .order_by(_twin.c.group_number, _twin.c.similarity.desc(), _document.c.doc_id)
    )
    return pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=names)


def read_twin_numbers(session: Session, project_id: int, pair_ids: Iterable[int] | None = None) -> dict[int, int]:
    """The group of each pair that has twins; of some pairs, or of all."""
    statement = select(_twin.c.pair_id, _twin.c.group_number).where(_twin.c.project_id == project_id)
    if pair_ids is not None:
        statement = statement.where(_twin.c.pair_id.in_(list(pair_ids)))
    return {row.pair_id: row.group_number for row in session.execute(statement)}


def read_own_twins(
    session: Session, project_id: int, rater_id: int, pair_ids: Iterable[int]
) -> dict[int, dict[str, int | None]]:
    """The group of each of these pairs, and the grade that a rater gave last to another pair of it (None: no grade yet)."""
    groups = read_twin_numbers(session, project_id, pair_ids)
    statement = (
        select(_twin.c.group_number, _twin.c.pair_id, _judgment.c.grade)
        .join(_current, _current.c.pair_id == _twin.c.pair_id)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .where(_current.c.rater_id == rater_id, _judgment.c.kind == "grade")
        .where(_twin.c.project_id == project_id, _twin.c.group_number.in_(set(groups.values())))
        .order_by(_judgment.c.id)
    )
    given = list(session.execute(statement)) if groups else []
    return {
        pair: {
            "group": group,
            "grade": next(
                (row.grade for row in reversed(given) if row.group_number == group and row.pair_id != pair), None
            ),
        }
        for pair, group in groups.items()
    }


def read_document_copies(session: Session, project_id: int) -> tuple[tuple[str, str], ...]:
    """(doc_id, group) of every document with a near-duplicate, as metrics.Options takes them.

    A document that has twins under several queries joins their groups into one.
    """
    statement = (
        select(_twin.c.group_number, _document.c.doc_id)
        .join(_pair, _pair.c.id == _twin.c.pair_id)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_twin.c.project_id == project_id)
        .order_by(_document.c.doc_id, _twin.c.group_number)
    )
    rows = [(row.group_number, row.doc_id) for row in session.execute(statement)]
    if not rows:
        return ()
    groups, group = np.unique([number for number, _ in rows], return_inverse=True)
    doc_ids = list(dict.fromkeys(doc_id for _, doc_id in rows))
    place = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    document = np.array([place[doc_id] for _, doc_id in rows])
    size = len(doc_ids) + len(groups)
    links = coo_matrix((np.ones(len(rows)), (document, len(doc_ids) + group)), shape=(size, size))
    _, part = connected_components(links, directed=False)
    first = dict(reversed(list(zip(part.tolist(), doc_ids, strict=False))))
    return tuple((doc_id, first[int(part[place[doc_id]])]) for doc_id in doc_ids)


def list_twin_conflicts(session: Session, actor: Actor, project_id: int) -> list[TwinConflict]:
    """The groups whose pairs have different grades, widest first; carried grades are left out, they are no second look."""
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = (
        select(
            _twin.c.group_number,
            _twin.c.pair_id,
            _query.c.query_id,
            _query.c.text.label("query"),
            _document.c.doc_id,
            _rater.c.name.label("rater"),
            _judgment.c.grade,
        )
        .join(_pair, _pair.c.id == _twin.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .join(_current, _current.c.pair_id == _pair.c.id)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_rater, _rater.c.id == _current.c.rater_id)
        .where(_twin.c.project_id == project_id, COUNTS_AS_VOTE, _judgment.c.carried_from.is_(None))
    )
    columns = ["group", "pair", "query_id", "query", "doc_id", "rater", "grade"]
    votes = pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=columns)
    found = [_conflict_of(rows) for _, rows in votes.groupby("group")]
    kept = [conflict for conflict in found if conflict is not None]
    return sorted(kept, key=lambda one: (-one.spread, -len(one.same_rater), one.query_id, one.doc_ids))


def _conflict_of(votes: pd.DataFrame) -> TwinConflict | None:
    """A conflict where the grades of two of the pairs differ; None where only the raters of one pair do."""
    by_pair: dict[tuple[str, int], list[int]] = defaultdict(list)
    by_rater: dict[str, set[int]] = defaultdict(set)
    ordered = votes.sort_values(["doc_id", "grade"])
    for doc_id, pair, rater, grade in ordered[["doc_id", "pair", "rater", "grade"]].itertuples(index=False):
        by_pair[doc_id, int(pair)].append(int(grade))
        by_rater[rater].add(int(grade))
    grades = list(by_pair.values())
    if all(each == grades[0] for each in grades):
        return None
    first = votes.iloc[0]
    return TwinConflict(
        group=int(first["group"]),
        query_id=first["query_id"],
        query=first["query"] or "",
        pairs=tuple(pair for _, pair in by_pair),
        doc_ids=tuple(doc_id for doc_id, _ in by_pair),
        grades=tuple(tuple(each) for each in grades),
        same_rater=tuple(sorted(rater for rater, given in by_rater.items() if len(given) > 1)),
    )
