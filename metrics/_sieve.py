"""Ids as 64-bit numbers, so that millions of rows are compared, sifted and searched for repeats at once.

Knows columns of text and of codes; nothing of runs, scores or grades.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from metrics._workers import at_once

__all__ = ["Codes", "encode", "encode_runs", "find_duplicate", "mark_texts", "salt_queries", "start_rows"]

Integers = NDArray[np.int64]
Codes = NDArray[np.signedinteger]
_BLOCK_ROWS = 50_000
_MARK_ROWS = 8_192
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def encode(texts: pa.Array) -> tuple[Codes, pa.Array]:
    """The code of each row and the texts that the codes stand for."""
    encoded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary


def encode_runs(texts: pa.Array) -> pa.DictionaryArray:
    """Texts that come in runs of equal ones, as a dictionary: only the first of each run is looked up."""
    starts = np.concatenate(([0], np.flatnonzero(~_repeats_above(texts)) + 1)) if len(texts) else np.zeros(0, np.int64)
    if 4 * len(starts) > len(texts):
        return texts.dictionary_encode()
    firsts = texts.take(pa.array(starts)).dictionary_encode()
    codes = np.repeat(firsts.indices.to_numpy(), np.diff(np.append(starts, len(texts))))
    return pa.DictionaryArray.from_arrays(pa.array(codes), firsts.dictionary)


def _repeats_above(texts: pa.Array) -> NDArray[np.bool_]:
    """For each text but the first, whether it equals the one above, byte for byte."""
    same = np.ones(max(len(texts) - 1, 0), dtype=bool)
    # small blocks, so that the arrays between stay in the processor's cache; each begins with the last row of the one before
    for start in range(0, len(same), _MARK_ROWS):
        block = texts.slice(start, _MARK_ROWS + 1)
        part = same[start : start + len(block) - 1]
        letters, offsets = _letters(block)
        size = int(offsets[1] - offsets[0])
        if size and int(offsets[-1] - offsets[0]) == size * len(block) and not np.any(np.diff(offsets) != size):
            # texts of one length stand in steps of it: a letter that differs from the one a step before parts two of them
            part[np.flatnonzero(letters[size:] != letters[:-size]) // size] = False
            continue
        starts, length, words = _words(block)
        equal = length[1:] == length[:-1]
        for begin in range(0, int(length.max()), 8):
            left = length - begin
            word = words[np.where(left > 0, starts + begin, 0)]
            word <<= np.clip(64 - 8 * left, 0, 63).view(np.uint64)
            word[left <= 0] = 0
            equal &= word[1:] == word[:-1]
        part &= equal
    return same


def _letters(texts: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.signedinteger]]:
    """The bytes of all texts, and where in the array's buffer each begins and the last one ends."""
    _, offset_buffer, data_buffer = texts.buffers()
    kind: type[np.signedinteger] = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    every: NDArray[np.signedinteger] = np.frombuffer(offset_buffer, dtype=kind)
    offsets = every[texts.offset : texts.offset + len(texts) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    if data_buffer is None or first == last:
        return np.zeros(0, dtype=np.uint8), offsets
    return np.frombuffer(data_buffer, dtype=np.uint8, count=last - first, offset=first), offsets


def _words(texts: pa.Array) -> tuple[Integers, Integers, NDArray[np.uint64]]:
    """Where each text begins, its length, and the eight bytes from every byte on as a number."""
    letters, found = _letters(texts)
    offsets = found.astype(np.int64)
    data = np.zeros(len(letters) + 8, dtype=np.uint8)
    data[:-8] = letters
    words = np.ndarray((len(data) - 7,), dtype=np.uint64, buffer=data, strides=(1,))
    return offsets[:-1] - offsets[0], np.diff(offsets), words


def start_rows(code: Codes) -> Integers:
    """The rows whose code differs from that of the row above."""
    if not len(code):
        return np.zeros(0, dtype=np.int64)
    return np.concatenate(([0], np.flatnonzero(code[1:] != code[:-1]) + 1))


def salt_queries(query: Codes) -> NDArray[np.uint64]:
    """A number for each query that keeps the marks of its documents apart from those of other queries."""
    return np.asarray(query).astype(np.uint64) * _SPREAD


def find_duplicate(
    queries: pa.Array, documents: pa.Array | pa.ChunkedArray, marks: NDArray[np.uint64]
) -> tuple[int, int] | None:
    """The first row whose (query, document) stood above already, as (earlier row, later row).

    Parameters
    ----------
    queries, documents : pyarrow array of str, shape (rows,)
    marks : array, shape (rows,)
        What :func:`mark_texts` says of the documents.

    Notes
    -----
    Only rows with equal marks are compared in full.
    """
    code = encode(queries)[0]

    def look(block: tuple[int, int]) -> tuple[int, int] | None:
        start, end = block
        found = _find_within(code[start:end], documents.slice(start, end - start), marks[start:end])
        return None if found is None else (start + found[0], start + found[1])

    return next((found for found in at_once(look, _blocks_of_queries(code)) if found is not None), None)


def _blocks_of_queries(code: Codes) -> list[tuple[int, int]]:
    """Row ranges that share no query, small enough for the processor's cache; one range where queries are scattered."""
    starts = start_rows(code)
    if len(starts) > len(np.unique(code[starts])):
        return [(0, len(code))]
    cuts = [0]
    for start in starts.tolist():
        if start - cuts[-1] >= _BLOCK_ROWS:
            cuts.append(start)
    return list(zip(cuts, [*cuts[1:], len(code)], strict=True))


def _find_within(code: Codes, documents: pa.Array, marks: NDArray[np.uint64]) -> tuple[int, int] | None:
    index = pd.Index(marks ^ salt_queries(code))
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


def mark_texts(texts: pa.Array) -> NDArray[np.uint64]:
    """A 64-bit number for each text, made of its length and bytes: equal texts have equal numbers."""
    marks = np.empty(len(texts), dtype=np.uint64)
    # small blocks, so that the arrays between stay in the processor's cache
    for start in range(0, len(texts), _MARK_ROWS):
        block = texts.slice(start, _MARK_ROWS)
        marks[start : start + len(block)] = _mark_block(block)
    return marks


def _mark_block(texts: pa.Array) -> NDArray[np.uint64]:
    starts, length, words = _words(texts)
    mark = length.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    shortest = int(length.min())
    for begin in range(0, int(length.max()), 8):
        open_rows = slice(None) if shortest > begin else np.flatnonzero(length > begin)
        shift = np.maximum(64 - 8 * (length[open_rows] - begin), 0).view(np.uint64)
        mixed = words[starts[open_rows] + begin]
        mixed <<= shift
        mixed ^= mark[open_rows]
        mixed *= np.uint64(0xFF51AFD7ED558CCD)
        mark[open_rows] = mixed ^ (mixed >> np.uint64(32))
    return mark
