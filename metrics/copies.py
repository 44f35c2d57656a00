"""Copies of a text in a ranking: the later ones gain nothing, given a table of near-duplicates.

Knows groups of documents and ranked hits; nothing of measures.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics._layout import DOCUMENT_NAMES
from metrics._source import Source, load_source
from metrics.errors import InputError
from metrics.ranking import JudgedPairs, RankedHits, as_plain

__all__ = ["Copies", "drop_later_copies", "later_copies", "read_copies"]

Copies = Sequence[Sequence[str]]
"""(doc_id, group) of every document that has near-duplicates."""

_GROUP_NAMES = ("group", "cluster", "group_id", "cluster_id")


def read_copies(source: Source, *, name: str | None = None) -> Copies:
    r"""Read near-duplicates: CSV or TSV with the columns doc_id and group.

    Raises
    ------
    InputError
        When a column is absent, a line has too few fields, or a document stands in two groups.

    Examples
    --------
    >>> read_copies(b"doc_id,group\nd1,g\nd7,g\n")
    (('d1', 'g'), ('d7', 'g'))
    """
    text, called = load_source(source, name)
    separator = max("\t,;", key=text.split(b"\n", 1)[0].decode().count)
    rows = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=separator)
    header = [field.strip().lower() for field in next(rows)]
    places = [
        next((header.index(each) for each in names if each in header), None) for names in (DOCUMENT_NAMES, _GROUP_NAMES)
    ]
    doc_place, group_place = places
    if doc_place is None or group_place is None:
        raise InputError(called, 1, "the columns doc_id and group", ", ".join(header))
    group_of: dict[str, str] = {}
    for parts in rows:
        if not any(parts):
            continue
        if len(parts) != len(header):
            raise InputError(called, rows.line_num, f"{len(header)} fields, as in the header", f"{len(parts)}")
        doc_id, group = parts[doc_place], parts[group_place]
        if group_of.setdefault(doc_id, group) != group:
            raise InputError(called, rows.line_num, "one group a document", f"{doc_id!r} in {group_of[doc_id]!r} too")
    return tuple(group_of.items())


def later_copies(doc_ids: list[str], copies: Copies) -> list[int]:
    """The places of one ranking that hold a text again."""
    group_of = {doc_id: group for doc_id, group in copies}  # noqa: C416 -- pairs of any sequence
    seen: set[str] = set()
    again = []
    for place, doc_id in enumerate(doc_ids):
        group = group_of.get(doc_id)
        if group in seen:
            again.append(place)
        elif group is not None:
            seen.add(group)
    return again


def drop_later_copies(
    columns: pa.Table, judged: JudgedPairs, hits: RankedHits, copies: Copies, *, single_precision: bool = False
) -> RankedHits:
    """The hits without those that repeat a text above them; the documents keep their ranks, and their copies too."""
    documents = as_plain(columns["doc_id"])
    listed = pa.array([doc_id for doc_id, _ in copies], type=documents.type)
    place = pc.index_in(documents, value_set=listed)
    rows = pc.indices_nonzero(pc.is_valid(place))
    scores = as_plain(columns["score"]).take(rows).to_numpy(zero_copy_only=False)
    if single_precision:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32)
    ranked = pa.table({"q": as_plain(columns["query_id"]).take(rows), "s": scores, "d": documents.take(rows)})
    order = pc.sort_indices(ranked, sort_keys=[("q", "ascending"), ("s", "descending"), ("d", "descending")])
    _, group_of_place = np.unique(np.array([group for _, group in copies], dtype=object), return_inverse=True)
    ordered = ranked.take(order)
    query = pc.index_in(as_plain(ordered["q"]), value_set=pa.array(judged.queries, type=documents.type))
    query = query.fill_null(-1).to_numpy().astype(np.int64)
    group = group_of_place[place.take(rows).take(order).to_numpy()].astype(np.int64)
    _, first = np.unique(query * len(copies) + group, return_index=True)
    again = np.setdiff1d(np.arange(len(query)), first)
    document = pc.index_in(as_plain(ordered["d"]), value_set=judged.documents.cast(documents.type))
    document = document.fill_null(-1).to_numpy().astype(np.int64)
    kept = ~np.isin(hits.pair, judged.find(query[again], document[again]))
    return replace(hits, query=hits.query[kept], rank=hits.rank[kept], pair=hits.pair[kept])
