"""The judged documents that runs retrieved, as sparse arrays: all that a measure needs.

Knows rows, ranks and grades; neither ids nor files. A row is one query of one run.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNJUDGED", "JudgedHits", "hits_of_ranking"]

UNJUDGED: Final = -(2**31)
"""Stands for "no judgment" in an array of grades."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JudgedHits:
    """The judged documents of many rankings, with one set of grades.

    Parameters
    ----------
    row, rank, pair : array of int, shape (hits,)
        Sorted by row, then rank. ``row`` is run * queries + query, ``rank`` begins at 1, ``pair`` points into ``grades``.
    retrieved : array of int, shape (rows,)
        Documents in each ranking.
    pair_query : array of int, shape (pairs,)
        The query of each pair, not descending.
    grades : array of int, shape (pairs,)
        The grade of each pair; UNJUDGED where this set of qrels has none.
    queries, runs : int
    """

    row: Integers
    rank: Integers
    pair: Integers
    retrieved: Integers
    pair_query: Integers
    grades: Integers
    queries: int
    runs: int

    @property
    def rows(self) -> int:
        return len(self.retrieved)

    @cached_property
    def hit_grades(self) -> Integers:
        """The grade of each hit."""
        return self.grades[self.pair]

    @cached_property
    def _row_starts(self) -> Integers:
        return np.searchsorted(self.row, np.arange(self.rows)).astype(np.int64)

    def sum_rows(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> Floats:
        """Sum of a value over the hits of each row."""
        return np.bincount(self.row, weights=values, minlength=self.rows).astype(np.float64)

    def within_cutoff(self, cutoff: int | None) -> NDArray[np.bool_]:
        """Which hits stand at or above the cutoff."""
        return np.ones(len(self.rank), dtype=bool) if cutoff is None else self.rank <= cutoff

    def count_so_far(self, chosen: NDArray[np.bool_]) -> Integers:
        """For each hit, how many chosen hits its ranking holds down to it, itself included."""
        total = np.cumsum(chosen, dtype=np.int64)
        before = np.concatenate(([0], total))[self._row_starts[self.row]]
        return np.asarray(total - before)

    def count_pairs(self, chosen: NDArray[np.bool_]) -> Integers:
        """Chosen pairs of each query, retrieved or not."""
        return np.bincount(self.pair_query[chosen], minlength=self.queries).astype(np.int64)

    def spread(self, per_query: NDArray[np.generic]) -> NDArray[np.generic]:
        """A value of each query, repeated for every run."""
        return np.tile(per_query, self.runs)

    def count_relevant(self, rel: int) -> Floats:
        """For each row, the relevant documents of its query, retrieved or not."""
        return np.asarray(self.spread(self.count_pairs(self.grades >= rel)), dtype=np.float64)

    def with_grades(self, grades: Integers) -> "JudgedHits":
        """The same rankings under another set of grades."""
        return replace(self, grades=grades)

    def condensed(self) -> "JudgedHits":
        """The rankings as they are once every document without a grade of 0 or more is taken out (trec_eval -J)."""
        kept = self.hit_grades >= 0
        rank = self.count_so_far(kept)[kept]
        retrieved = np.bincount(self.row[kept], minlength=self.rows).astype(np.int64)
        return replace(self, row=self.row[kept], rank=rank, pair=self.pair[kept], retrieved=retrieved)


def divide(above: NDArray[np.generic], below: NDArray[np.generic]) -> Floats:
    """A share; nan where there is nothing to take a share of."""
    top, bottom = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    shares: Floats = np.full(np.broadcast_shapes(top.shape, bottom.shape), np.nan)
    np.divide(top, bottom, out=shares, where=bottom > 0)
    return shares


def hits_of_ranking(grades: NDArray[np.integer], judged_grades: NDArray[np.integer]) -> JudgedHits:
    """One ranking given by its grades, for the function of a single measure.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order; UNJUDGED where there is no judgment.
    judged_grades : array of int, shape (m,)
        The grades of all judged documents of the query, retrieved or not.

    Raises
    ------
    ValueError
        When ``grades`` holds a judged grade oftener than ``judged_grades`` does.
    """
    ranked, judged = np.asarray(grades, dtype=np.int64), np.sort(np.asarray(judged_grades, dtype=np.int64))
    (place,) = np.nonzero(ranked != UNJUDGED)
    pair = np.zeros(len(place), dtype=np.int64)
    for grade in np.unique(ranked[place]):
        (same,) = np.nonzero(judged == grade)
        (wanted,) = np.nonzero(ranked[place] == grade)
        if len(wanted) > len(same):
            raise ValueError(
                f"the ranking holds grade {grade} {len(wanted)} times, the judged grades {len(same)} times"
            )
        pair[wanted] = same[: len(wanted)]
    return JudgedHits(
        row=np.zeros(len(place), dtype=np.int64),
        rank=place.astype(np.int64) + 1,
        pair=pair,
        retrieved=np.array([len(ranked)], dtype=np.int64),
        pair_query=np.zeros(len(judged), dtype=np.int64),
        grades=judged,
        queries=1,
        runs=1,
    )
