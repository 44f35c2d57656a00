"""The order rule, and the alignment of runs with qrels into arrays.

Knows tables of ids, grades and scores; nothing of files, measures or averages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metrics.hits import JudgedHits

__all__ = ["JudgedPairs", "RankedHits", "find_duplicate", "rank_hits", "rank_query", "stack_hits"]

Integers = NDArray[np.int64]
_BLOCK_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """The judged pairs of one or many qrels, in byte order of query, then document.

    Parameters
    ----------
    queries : tuple of str
        Queries in byte order.
    documents : pyarrow array of str
        Every judged document once.
    query, document : array of int, shape (pairs,)
        Positions in ``queries`` and ``documents``.
    grades : array of int, shape (pairs,)
    """

    queries: tuple[str, ...]
    documents: pa.Array
    query: Integers
    document: Integers
    grades: Integers

    @classmethod
    def of(cls, table: pd.DataFrame) -> "JudgedPairs":
        """Prepare a qrels table; every (query, document) stands in it once."""
        query_ids, doc_ids = as_arrow(table["query_id"]), as_arrow(table["doc_id"])
        order = pc.sort_indices(
            pa.table({"q": query_ids, "d": doc_ids}), sort_keys=[("q", "ascending"), ("d", "ascending")]
        )
        queries = query_ids.take(order).dictionary_encode()
        documents = doc_ids.take(order).dictionary_encode()
        grades = table["relevance"].to_numpy(dtype=np.int64)[order.to_numpy()]
        return cls(
            tuple(queries.dictionary.to_pylist()),
            documents.dictionary,
            queries.indices.to_numpy().astype(np.int64),
            documents.indices.to_numpy().astype(np.int64),
            grades,
        )

    @cached_property
    def doc_ids(self) -> NDArray[np.object_]:
        """The document of each pair."""
        return np.asarray(self.documents.to_pylist(), dtype=object)[self.document]

    @cached_property
    def _sorted_keys(self) -> tuple[Integers, Integers]:
        keys = self.query * max(len(self.documents), 1) + self.document
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def find(self, query: Integers, document: Integers) -> Integers:
        """The position of each (query, document) among the pairs, -1 where it is not judged."""
        keys, order = self._sorted_keys
        wanted = query * max(len(self.documents), 1) + document
        place = np.searchsorted(keys, wanted)
        place[place == len(keys)] = 0
        known = (keys[place] == wanted) if len(keys) else np.zeros(len(wanted), dtype=bool)
        return np.where(known & (query >= 0) & (document >= 0), order[place] if len(keys) else -1, -1)


@dataclass(frozen=True, eq=False)
class RankedHits:
    """The judged documents of one run.

    Parameters
    ----------
    query, rank, pair : array of int, shape (hits,)
        Sorted by query, then rank.
    retrieved : array of int, shape (queries,)
        Documents ranked for each query of the qrels.
    other_queries, other_rows : int
        Queries of the run that the qrels lack, and their rows.
    """

    query: Integers
    rank: Integers
    pair: Integers
    retrieved: Integers
    other_queries: int
    other_rows: int


def as_arrow(column: pd.Series) -> pa.Array:
    """A column of ids as one arrow array, not copied where it already is one."""
    array = pa.array(column, type=pa.large_string(), from_pandas=True)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _encode(queries: pa.Array) -> tuple[Integers, pa.Array]:
    encoded = queries if pa.types.is_dictionary(queries.type) else queries.dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary


def rank_hits(columns: pa.Table, judged: JudgedPairs, *, single_precision: bool = False) -> RankedHits:
    """Find the judged documents of a run and their ranks: score descending, ties by doc_id descending in byte order.

    Parameters
    ----------
    columns : pyarrow table
        query_id, doc_id, score; no (query_id, doc_id) twice.
    judged : JudgedPairs
    single_precision : bool
        Compare scores as trec_eval 9 does, as 32-bit numbers.

    Notes
    -----
    Ids are looked up among the judged ones only; a file that is sorted is not sorted again; ids are compared only
    within groups of equal scores that hold a judged document.
    """
    code, dictionary = _encode(_whole(columns["query_id"]))
    documents = _whole(columns["doc_id"])
    scores = _whole(columns["score"]).to_numpy(zero_copy_only=False)
    if single_precision:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32)
    known_queries = pa.array(judged.queries, type=dictionary.type)
    query_of_code = _positions(dictionary, known_queries)
    query = query_of_code[code] if len(code) else np.zeros(0, dtype=np.int64)
    order = _sorted_order(code, scores)
    document = _positions(documents, judged.documents.cast(documents.type))
    pair = judged.find(query, document)
    place = np.arange(len(code)) if order is None else order
    code, scores, query, pair = code[place], scores[place], query[place], pair[place]
    new_query = np.ones(len(code), dtype=bool)
    new_query[1:] = code[1:] != code[:-1]
    starts = np.flatnonzero(new_query)
    start_of_row = np.repeat(starts, np.diff(np.append(starts, len(code))))
    rank = np.arange(len(code)) - start_of_row + 1
    (hit,) = np.nonzero(pair >= 0)
    rank = _settle_ties(rank, hit, new_query, scores, documents, place)
    found_order = np.lexsort((rank[hit], query[hit]))
    hit = hit[found_order]
    retrieved = np.bincount(query[query >= 0], minlength=len(judged.queries)).astype(np.int64)
    (present,) = np.nonzero(np.bincount(code, minlength=len(dictionary)))
    return RankedHits(
        query=query[hit],
        rank=rank[hit],
        pair=pair[hit],
        retrieved=retrieved,
        other_queries=int((query_of_code[present] < 0).sum()),
        other_rows=int((query < 0).sum()),
    )


def _whole(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):
        return whole.chunk(0) if whole.num_chunks else pa.array([], type=whole.type)
    return whole


def _positions(values: pa.Array, among: pa.Array) -> Integers:
    found = pc.index_in(values, value_set=among)
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _sorted_order(code: Integers, scores: NDArray[np.floating]) -> Integers | None:
    """The order of rows by query and falling score; None where they stand so already."""
    same = code[1:] == code[:-1]
    together = (len(code) - int(np.count_nonzero(same))) == np.count_nonzero(np.bincount(code))
    if together and bool(np.all((scores[1:] <= scores[:-1]) | ~same)):
        return None
    return np.asarray(np.lexsort((-scores, code)))


def _settle_ties(
    rank: Integers,
    hit: Integers,
    new_query: NDArray[np.bool_],
    scores: NDArray[np.floating],
    documents: pa.Array,
    place: Integers,
) -> Integers:
    """Ranks with ties broken by doc_id descending, in the groups where it matters."""
    tied = np.zeros(len(rank) + 1, dtype=bool)
    tied[1:-1] = (scores[1:] == scores[:-1]) & ~new_query[1:]
    touched = hit[tied[hit] | tied[hit + 1]]
    if not len(touched):
        return rank
    group = np.cumsum(~tied[:-1]) - 1
    wanted = np.zeros(int(group[-1]) + 1, dtype=bool)
    wanted[group[touched]] = True
    (rows,) = np.nonzero(wanted[group])
    ids = documents.take(pa.array(place[rows]))
    order = pc.sort_indices(
        pa.table({"g": group[rows], "d": ids}), sort_keys=[("g", "ascending"), ("d", "descending")]
    ).to_numpy()
    settled = rank.copy()
    # rows of a group stand together, so the sorted rows take the group's ranks in turn
    settled[rows[order]] = rank[rows]
    return settled


def stack_hits(hits: Sequence[RankedHits], judged: JudgedPairs) -> JudgedHits:
    """All runs as one set of rows; row = run * queries + query."""
    queries = len(judged.queries)
    empty = np.zeros(0, dtype=np.int64)
    return JudgedHits(
        row=np.concatenate([empty, *(each.query + position * queries for position, each in enumerate(hits))]),
        rank=np.concatenate([empty, *(each.rank for each in hits)]),
        pair=np.concatenate([empty, *(each.pair for each in hits)]),
        retrieved=np.concatenate([empty, *(each.retrieved for each in hits)]),
        pair_query=judged.query,
        grades=judged.grades,
        queries=queries,
        runs=len(hits),
    )


def rank_query(
    columns: pa.Table, query_id: str, *, single_precision: bool = False
) -> tuple[list[str], NDArray[np.float64]]:
    """The documents of one query in order, with their scores."""
    queries = _whole(columns["query_id"])
    if pa.types.is_dictionary(queries.type):
        queries = queries.dictionary_decode()
    rows = columns.filter(pc.equal(queries, query_id))
    scores = _whole(rows["score"]).to_numpy(zero_copy_only=False)
    compared = scores.astype(np.float32) if single_precision else scores
    documents = _whole(rows["doc_id"])
    order = pc.sort_indices(
        pa.table({"s": compared, "d": documents}), sort_keys=[("s", "descending"), ("d", "descending")]
    )
    return documents.take(order).to_pylist(), scores[order.to_numpy()]


def find_duplicate(queries: pa.Array, documents: pa.Array) -> tuple[int, int] | None:
    """The first row whose (query, document) stood above already, as (earlier row, later row).

    Notes
    -----
    Ids are reduced to 64-bit numbers first; only rows with equal numbers are compared in full.
    """
    code, _ = _encode(queries)
    for start, end in _blocks_of_queries(code):
        found = _find_within(code[start:end], documents.slice(start, end - start))
        if found is not None:
            return start + found[0], start + found[1]
    return None


def _blocks_of_queries(code: Integers) -> list[tuple[int, int]]:
    """Row ranges that share no query, small enough for the processor's cache; one range where queries are scattered."""
    starts = (
        np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1]))) if len(code) else np.zeros(0, dtype=np.int64)
    )
    if len(starts) > np.count_nonzero(np.bincount(code)):
        return [(0, len(code))]
    cuts = [0]
    for start in starts.tolist():
        if start - cuts[-1] >= _BLOCK_ROWS:
            cuts.append(start)
    return list(zip(cuts, [*cuts[1:], len(code)], strict=True))


def _find_within(code: Integers, documents: pa.Array) -> tuple[int, int] | None:
    marks = _mark_texts(documents) ^ (code.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    index = pd.Index(marks)
    if index.is_unique:
        return None
    (rows,) = np.nonzero(index.duplicated(keep=False))
    texts = documents.take(pa.array(rows)).to_pylist()
    seen: dict[tuple[int, str], int] = {}
    for row, text in zip(rows.tolist(), texts, strict=True):
        key = (int(code[row]), text)
        if key in seen:
            return seen[key], row
        seen[key] = row
    return None


def _mark_texts(texts: pa.Array) -> NDArray[np.uint64]:
    """A 64-bit number for each text, made of its length and bytes: equal texts have equal numbers."""
    wide = pa.types.is_large_string(texts.type)
    _, offset_buffer, data_buffer = texts.buffers()
    kind = np.int64 if wide else np.int32
    offsets = np.frombuffer(offset_buffer, dtype=kind)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    length = offsets[1:] - offsets[:-1]
    mark = length.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    if data_buffer is None or not len(texts) or not data_buffer.size:
        return mark
    first, last = int(offsets[0]), int(offsets[-1])
    offsets = offsets - first
    data = np.frombuffer(data_buffer, dtype=np.uint8)[first:last]
    data = np.concatenate((data, np.zeros(8, dtype=np.uint8)))
    words = np.lib.stride_tricks.as_strided(data.view(np.uint8)[:8].view(np.uint64), (len(data) - 7,), (1,))
    shortest = int(length.min())
    for start in range(0, int(length.max()), 8):
        open_rows = slice(0, len(length)) if shortest > start else np.flatnonzero(length > start)
        left = np.minimum(length[open_rows] - start, 8).astype(np.uint64)
        word = words[offsets[open_rows] + start] << (np.uint64(64) - np.uint64(8) * left)
        mixed = (mark[open_rows] ^ word) * np.uint64(0xFF51AFD7ED558CCD)
        mark[open_rows] = mixed ^ (mixed >> np.uint64(32))
    return mark
