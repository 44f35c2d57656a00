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

from metrics._sieve import Codes, encode, mark_texts, salt_queries, start_rows
from metrics._workers import at_once
from metrics.hits import JudgedHits

__all__ = ["JudgedPairs", "RankedHits", "as_plain", "rank_hits", "rank_query", "stack_hits"]

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

    @cached_property
    def sieve(self) -> tuple[NDArray[np.bool_], np.uint64]:
        """A table of marks that lets every judged pair pass and few others, and how far marks are shifted to index it."""
        bits = min(24, max(10, (64 * len(self.grades)).bit_length()))
        shift = np.uint64(64 - bits)
        sieve = np.zeros(1 << bits, dtype=bool)
        sieve[(mark_texts(self.documents)[self.document] ^ salt_queries(self.query)) >> shift] = True
        return sieve, shift

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


def rank_hits(
    columns: pa.Table, marks: NDArray[np.uint64], judged: JudgedPairs, *, single_precision: bool = False
) -> RankedHits:
    """Find the judged documents of a run and their ranks: score descending, ties by doc_id descending in byte order.

    Parameters
    ----------
    columns : pyarrow table
        query_id, doc_id, score; no (query_id, doc_id) twice.
    marks : array, shape (rows,)
        What mark_texts says of the documents.
    judged : JudgedPairs
    single_precision : bool
        Compare scores as trec_eval 9 does, as 32-bit numbers.

    Notes
    -----
    Pairs are sifted by a number made of their bytes, and only those that pass are looked up among the judged; a file
    that is sorted is not sorted again; ids are compared only within groups of equal scores that hold a judged document.
    """
    code, dictionary = encode(_whole(columns["query_id"]))
    documents = columns["doc_id"]
    scores = _whole(columns["score"]).to_numpy(zero_copy_only=False)
    if single_precision:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32)
    query_of_code = _positions(dictionary, pa.array(judged.queries, type=dictionary.type))
    hit, pair = _find_judged(code, query_of_code, documents, marks, judged)
    query = query_of_code[code[hit]]
    starts = start_rows(code)
    order = _sorted_order(code, starts, scores)
    if order is not None:
        code, scores = code[order], scores[order]
        starts = start_rows(code)
        position_of_row = np.empty(len(order), dtype=np.int64)
        position_of_row[order] = np.arange(len(order))
        hit = position_of_row[hit]
    hit = _settle_ties(hit, starts, scores, documents, order)
    rank = hit - starts[np.searchsorted(starts, hit, side="right") - 1] + 1
    found_order = np.lexsort((rank, query))
    lengths = np.diff(np.append(starts, len(code)))
    query_of_block = query_of_code[code[starts]]
    known = query_of_block >= 0
    retrieved = np.zeros(len(judged.queries), dtype=np.int64)
    np.add.at(retrieved, query_of_block[known], lengths[known])
    return RankedHits(
        query=query[found_order],
        rank=rank[found_order],
        pair=pair[found_order],
        retrieved=retrieved,
        other_queries=len(np.unique(code[starts][~known])),
        other_rows=int(lengths[~known].sum()),
    )


def _find_judged(
    code: Codes,
    query_of_code: Integers,
    documents: pa.ChunkedArray,
    marks: NDArray[np.uint64],
    judged: JudgedPairs,
) -> tuple[Integers, Integers]:
    """The rows that hold a judged pair, and the pair of each."""
    sieve, shift = judged.sieve
    salt = salt_queries(query_of_code)

    def sift(start: int) -> Integers:
        rows = slice(start, start + _BLOCK_ROWS)
        return np.flatnonzero(sieve[(marks[rows] ^ salt[code[rows]]) >> shift]) + start

    likely = np.concatenate([np.zeros(0, dtype=np.int64), *at_once(sift, range(0, len(code), _BLOCK_ROWS))])
    likely = likely[query_of_code[code[likely]] >= 0]
    document = _positions(_take(documents, likely), judged.documents.cast(documents.type))
    pair = judged.find(query_of_code[code[likely]], document)
    return likely[pair >= 0], pair[pair >= 0]


def _whole(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    # a column of one chunk would be copied
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        return whole.chunk(0) if whole.num_chunks else pa.array([], type=whole.type)
    return whole


def _take(texts: pa.ChunkedArray, rows: Integers) -> pa.Array:
    """The texts of some rows; arrow's own take would first copy all chunks into one."""
    if texts.num_chunks < 2:
        return _whole(texts).take(pa.array(rows))
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    offsets = np.cumsum([0, *map(len, texts.chunks)])
    cuts = np.searchsorted(ascending, offsets)
    found = pa.concat_arrays(
        chunk.take(pa.array(ascending[start:end] - offset))
        for chunk, offset, start, end in zip(texts.chunks, offsets[:-1], cuts[:-1], cuts[1:], strict=True)
    )
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = np.arange(len(rows))
    return found.take(pa.array(place))


def _positions(values: pa.Array, among: pa.Array) -> Integers:
    found = pc.index_in(values, value_set=among)
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _sorted_order(code: Codes, starts: Integers, scores: NDArray[np.floating]) -> Integers | None:
    """The order of rows by query and falling score; None where they stand so already."""
    if len(starts) == len(np.unique(code[starts])):
        rises = scores[1:] > scores[:-1]
        rises[starts[1:] - 1] = False
        if not rises.any():
            return None
    return np.asarray(np.lexsort((-scores, code)))


def _settle_ties(
    hit: Integers, starts: Integers, scores: NDArray[np.floating], documents: pa.ChunkedArray, order: Integers | None
) -> Integers:
    """Where hits stand once ties are broken by doc_id descending, in the groups where it matters."""
    tied = scores[1:] == scores[:-1]
    tied[starts[1:] - 1] = False
    (above,) = np.nonzero(tied)
    if not len(above) or not len(hit):
        return hit
    parted = above[1:] != above[:-1] + 1
    first = above[np.concatenate(([True], parted))]
    last = above[np.concatenate((parted, [True]))] + 1
    group = np.searchsorted(first, hit, side="right") - 1
    (touched,) = np.nonzero((group >= 0) & (hit <= last[group]))
    if not len(touched):
        return hit
    wanted = np.unique(group[touched])
    size = last[wanted] - first[wanted] + 1
    shift = first[wanted] - np.concatenate(([0], np.cumsum(size)[:-1]))
    rows = np.arange(int(size.sum())) + np.repeat(shift, size)
    ids = _take(documents, rows if order is None else order[rows])
    sequence = pc.sort_indices(
        pa.table({"g": np.repeat(wanted, size), "d": ids}), sort_keys=[("g", "ascending"), ("d", "descending")]
    ).to_numpy()
    # rows of a group stand together, so the sorted rows take the group's places in turn
    place = np.empty(len(rows), dtype=np.int64)
    place[sequence] = rows
    settled = hit.copy()
    settled[touched] = place[np.searchsorted(rows, hit[touched])]
    return settled


def as_plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column as one array that is no dictionary."""
    whole = _whole(column)
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


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
