"""Votes as sorted arrays, the one form in which agreement, aggregation and draws read them.

Knows tables and arrays only: no database, no file, no page.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from labeling.errors import AssayError

__all__ = ["EncodedVotes", "IntArray", "check_scale", "encode_votes"]

IntArray = npt.NDArray[np.int64]

_COLUMNS = ("query_id", "doc_id", "rater", "grade")


@dataclass(frozen=True)
class EncodedVotes:
    """Votes as numbers: pairs, queries and raters are numbered in byte order of their ids, grades by their place in the scale.

    Votes are sorted by (pair, rater), so that nothing that is computed from them can follow the row order of the input.
    """

    grades: tuple[int, ...]
    query_ids: tuple[str, ...]
    rater_names: tuple[str, ...]
    pair_query: IntArray  # the query's number, for each pair
    pair_doc_ids: tuple[str, ...]  # the document's id, for each pair
    pair: IntArray
    rater: IntArray
    level: IntArray

    @property
    def pair_count(self) -> int:
        """How many pairs have a vote."""
        return len(self.pair_query)

    def pair_query_ids(self) -> list[str]:
        """The query's id, for each pair."""
        return [self.query_ids[number] for number in self.pair_query]

    def count_levels(self) -> IntArray:
        """Votes for each grade of the scale, for each pair: shape (pairs, levels)."""
        levels = len(self.grades)
        flat = np.bincount(self.pair * levels + self.level, minlength=self.pair_count * levels)
        return flat.reshape(self.pair_count, levels).astype(np.int64)


def check_scale(grades: Sequence[int]) -> tuple[int, ...]:
    """The grades as a tuple, refused unless they rise and are two at least."""
    scale = tuple(int(grade) for grade in grades)
    if len(scale) < 2 or any(low >= high for low, high in itertools.pairwise(scale)):
        raise AssayError(f"a scale: expected two or more grades in rising order, found {list(scale)}")
    return scale


def encode_votes(votes: pd.DataFrame, grades: Sequence[int]) -> EncodedVotes:
    """Number the votes; refuse a missing column, a grade outside the scale, and two votes of one rater on one pair."""
    scale = check_scale(grades)
    missing = [column for column in _COLUMNS if column not in votes.columns]
    if missing:
        raise AssayError(f"votes: expected columns {', '.join(_COLUMNS)}, found no {', '.join(missing)}")
    level = _levels(votes["grade"], scale)
    query, query_ids = _numbered(votes["query_id"])
    document, doc_ids = _numbered(votes["doc_id"])
    rater, rater_names = _numbered(votes["rater"])
    keys, pair = np.unique(query * max(len(doc_ids), 1) + document, return_inverse=True)
    order = np.lexsort((rater, pair))
    pair, rater, level = pair[order].astype(np.int64), rater[order], level[order]
    doc_count = max(len(doc_ids), 1)
    encoded = EncodedVotes(
        grades=scale,
        query_ids=query_ids,
        rater_names=rater_names,
        pair_query=(keys // doc_count).astype(np.int64),
        pair_doc_ids=tuple(np.asarray(doc_ids, dtype=object)[keys % doc_count].tolist()),
        pair=pair,
        rater=rater,
        level=level,
    )
    _refuse_repeats(encoded)
    return encoded


def _numbered(column: pd.Series) -> tuple[IntArray, tuple[str, ...]]:
    if column.isna().any():
        raise AssayError(f"votes: expected a {column.name} in every row, found {int(column.isna().sum())} rows without")
    codes, names = pd.factorize(column.astype(str), sort=True)
    return codes.astype(np.int64), tuple(names.to_numpy(dtype=object).tolist())


def _levels(column: pd.Series, scale: tuple[int, ...]) -> IntArray:
    if column.isna().any():
        raise AssayError(f"votes: expected a grade in every row, found {int(column.isna().sum())} rows without")
    values = column.to_numpy(dtype=np.float64)
    level = np.minimum(np.searchsorted(scale, values), len(scale) - 1).astype(np.int64)
    outside = np.asarray(scale, dtype=np.float64)[level] != values
    if outside.any():
        found, counts = np.unique(values[outside], return_counts=True)
        listed = ", ".join(f"{value:g} ({count} times)" for value, count in list(zip(found, counts, strict=True))[:5])
        raise AssayError(f"votes: expected grades of the scale {', '.join(map(str, scale))}, found {listed}")
    return level


def _refuse_repeats(votes: EncodedVotes) -> None:
    same = (votes.pair[1:] == votes.pair[:-1]) & (votes.rater[1:] == votes.rater[:-1])
    if same.any():
        first = int(np.flatnonzero(same)[0])
        pair = int(votes.pair[first])
        raise AssayError(
            "votes: expected at most one vote of a rater on a pair, "
            f"found {int(same.sum())} more, such as query {votes.query_ids[votes.pair_query[pair]]}, "
            f"document {votes.pair_doc_ids[pair]}, rater {votes.rater_names[votes.rater[first]]}"
        )
