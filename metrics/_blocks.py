"""A large plain run file, read block by block on every processor: less memory at a time, and no processor waits.

Knows where lines end; what they hold is told by _lines. Whatever is not plain is left to the reader of whole files.
"""

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metrics._json import is_json
from metrics._layout import Layout, recognise
from metrics._lines import is_odd, read_fast, whole
from metrics._noticing import count_against
from metrics._sieve import encode_runs, mark_texts
from metrics._source import Source
from metrics._workers import at_once
from metrics.errors import InputError

__all__ = ["Blocks", "read_in_blocks"]

COLUMNS = ("query_id", "", "doc_id", "rank", "score", "tag")
_LEAST_BYTES = 1 << 24
_BLOCK_BYTES = 1 << 22
_LONGEST_LINE = 1 << 14


@dataclass(frozen=True)
class Blocks:
    """The rows of a run, block by block.

    Parameters
    ----------
    columns : list of dict of str to pyarrow array
        query_id (codes into one dictionary), doc_id and score of each block.
    ends : list of (int, int)
        The ranks of the first and the last row of each block; within it no rank contradicts the scores.
    tags : list of str
        The tags, in the order in which they come.
    marks : array of int, shape (rows,)
        What mark_texts says of the document ids.
    comments : int
    """

    columns: list[dict[str, pa.Array]]
    ends: list[tuple[int, int]]
    tags: list[str]
    marks: NDArray[np.uint64]
    comments: int

    def join(self, *names: str) -> dict[str, pa.Array]:
        """Columns, each as one array."""
        parts = [pa.chunked_array([columns[name] for columns in self.columns]) for name in names]
        return dict(zip(names, at_once(whole, parts), strict=True))

    @property
    def documents(self) -> pa.ChunkedArray:
        """The document ids as they were read, not copied."""
        return pa.chunked_array([columns["doc_id"] for columns in self.columns])


def read_in_blocks(source: Source, types: dict[str, pa.DataType]) -> Blocks | None:
    """Read a run file of TREC's six columns in ASCII; None for any other, and where a line or the order of ranks is odd."""
    if not isinstance(source, str | Path) or str(source) == "-" or not Path(source).is_file():
        return None
    with Path(source).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        layout = _plain_layout(os.pread(file.fileno(), _BLOCK_BYTES, 0)) if size >= _LEAST_BYTES else None
        cuts = None if layout is None else _cut_at_line_ends(file.fileno(), size)
        if layout is None or cuts is None:
            return None

        def read(part: tuple[int, int]) -> Blocks | None:
            return _read_block(_read_bytes(file.fileno(), *part), layout, types)

        blocks = at_once(read, pairwise(cuts))
    found = [block for block in blocks if block is not None]
    return _join(found) if len(found) == len(blocks) else None


def _plain_layout(beginning: bytes) -> Layout | None:
    if not _is_plain(beginning) or is_json(beginning):
        return None
    try:
        layout = recognise(beginning, "run", "")
    except InputError:
        return None
    return layout if layout.columns == COLUMNS and not layout.header and not layout.quoted else None


def _is_plain(text: bytes) -> bool:
    return text.isascii() and b"\x00" not in text and b"\r" not in text and text[:2] != b"\x1f\x8b"


def _cut_at_line_ends(file: int, size: int) -> list[int] | None:
    cuts = [0]
    for near in range(_BLOCK_BYTES, size - _LONGEST_LINE, _BLOCK_BYTES):
        end = os.pread(file, _LONGEST_LINE, near).find(b"\n")
        if end < 0:
            return None
        cuts.append(near + end + 1)
    return [*cuts, size]


def _read_bytes(file: int, start: int, end: int) -> bytes:
    return os.pread(file, end - start, start)


def _read_block(text: bytes, layout: Layout, types: dict[str, pa.DataType]) -> Blocks | None:
    if not _is_plain(text):
        return None
    found = read_fast(text, layout, types)
    if found is None or is_odd(found[0], text, layout):
        return None
    table, comments = found
    columns = {name: whole(table[name]) for name in table.column_names}
    columns["query_id"] = encode_runs(columns["query_id"])
    tags = pc.unique(encode_runs(columns.pop("tag")).dictionary).to_pylist()
    # ranks are looked at here and not kept: a third less to hold and to join
    rank = columns.pop("rank").to_numpy()
    if count_against(columns["query_id"].indices.to_numpy(), rank, columns["score"].to_numpy()):
        return None
    return Blocks([columns], [(int(rank[0]), int(rank[-1]))], tags, mark_texts(columns["doc_id"]), comments)


def _join(blocks: list[Blocks]) -> Blocks | None:
    columns = [block.columns[0] for block in blocks]
    queries = pa.chunked_array([each["query_id"] for each in columns]).unify_dictionaries()
    for each, chunk in zip(columns, queries.chunks, strict=True):
        each["query_id"] = chunk
    ends = [end for block in blocks for end in block.ends]
    if _contradicts(columns, ends):
        return None
    tags = list(dict.fromkeys(tag for block in blocks for tag in block.tags))
    marks = np.concatenate([block.marks for block in blocks])
    return Blocks(columns, ends, tags, marks, sum(block.comments for block in blocks))


def _contradicts(columns: list[dict[str, pa.Array]], ends: list[tuple[int, int]]) -> bool:
    """Whether ranks and scores part where two blocks meet; each block is its first and its last row here.

    A block whose ends part although its neighbouring rows do not is counted too; that only costs the quick way.
    """
    places = [(each, row) for each in columns for row in (0, -1)]
    code = np.array([each["query_id"].indices[row].as_py() for each, row in places])
    score = np.array([each["score"][row].as_py() for each, row in places])
    return count_against(code, np.array(ends).ravel(), score) > 0
