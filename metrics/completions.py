"""What further votes can still change: the difference of two runs under every grade that open pairs may take.

Knows possible grades, aligned runs and measures; nothing of files or of who judges.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics._open_query import OpenQuery, open_query
from metrics._reversal import find_reversal, restrict
from metrics.alignment import Runs, align_pairs
from metrics.correlation import SAME
from metrics.errors import InputError
from metrics.measure import Measure, parse_measure
from metrics.options import Options
from metrics.ranking import JudgedPairs

__all__ = ["Completions", "Expectation", "find_completions"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
_COLUMNS = ["query_id", "doc_id", "grade", "lowest", "highest"]


@dataclass(frozen=True)
class Expectation:
    """How many open pairs have to be settled until the winner is fixed, over draws of their grades.

    Parameters
    ----------
    pairs, low, high : float
        The mean, and the middle 95 % of the draws.
    costs : float
        The mean of what these pairs cost.
    draws, seed : int
    """

    pairs: float
    low: float
    high: float
    costs: float
    draws: int
    seed: int


@dataclass(frozen=True, eq=False)
class Completions:
    """Every difference A - B that is still possible.

    Parameters
    ----------
    a, b : str
    measure : Measure
    difference : float
        A - B as the grades stand now.
    lowest, highest : float
        No completion gives less or more.
    reached_lowest, reached_highest : float
        The lowest and the highest that a completion was found for; equal to ``lowest`` and ``highest`` where every query
        was worked out whole.
    queries : int
        Over which the mean runs.
    bounded : tuple of str
        Queries with too many completions to try them all: their part of ``lowest`` and ``highest`` is a bound.
    pairs : DataFrame
        Open pairs: query_id, doc_id, grade (now), lowest, highest (A - B over the pair's possible grades, the others
        staying as they are), swing, reverses. Sorted by swing.
    reversal : DataFrame
        query_id, doc_id, grade, difference: few open pairs that reverse the winner; empty where none was found.
    reversal_at_least : int
        No set of fewer open pairs does; proven.
    reversal_exact : bool
        Whether ``reversal`` is a smallest set, or none exists where it is empty.
    """

    a: str
    b: str
    measure: Measure
    difference: float
    lowest: float
    highest: float
    reached_lowest: float
    reached_highest: float
    queries: int
    bounded: tuple[str, ...]
    pairs: pd.DataFrame
    reversal: pd.DataFrame
    reversal_at_least: int
    reversal_exact: bool
    parts: tuple[OpenQuery, ...] = ()

    @property
    def fixed(self) -> bool:
        """Whether no completion changes who is ahead, a draw included."""
        return _is_fixed(self.lowest, self.highest)

    @property
    def open(self) -> bool:
        """Whether completions were found that differ in who is ahead."""
        return not _is_fixed(self.reached_lowest, self.reached_highest)

    @property
    def winner(self) -> str | None:
        """The run that stays ahead whatever the open pairs become; None where that is not fixed, or they stay level."""
        if not self.fixed or self.highest <= SAME:
            return self.b if self.fixed and self.highest < -SAME else None
        return self.a

    def expect(
        self, chances: Mapping[tuple[str, str], Mapping[int, float]], costs: Mapping[tuple[str, str], float],
        *, draws: int = 200, seed: int = 0,
    ) -> Expectation | None:  # fmt: skip
        """How many open pairs, in the table's order, have to be settled until the winner is fixed.

        Parameters
        ----------
        chances : mapping of (query_id, doc_id) to {grade: probability}
            How likely each possible grade of an open pair is.
        costs : mapping of (query_id, doc_id) to float
            What it takes to settle a pair, such as votes.

        Returns
        -------
        Expectation or None
            None where some query has too many completions to be followed.
        """
        if self.bounded:
            return None
        order = list(zip(self.pairs["query_id"], self.pairs["doc_id"], strict=True))
        place = {key: (number, pair) for number, part in enumerate(self.parts) for key, pair in part.keys.items()}
        settle = [place[key] for key in order]
        generator = np.random.default_rng(seed)
        needed = []
        for _ in range(draws):
            grades = [_draw(chances[key], generator) for key in order]
            needed.append(self._needed(settle, grades))
        paid = np.concatenate(([0.0], np.cumsum([costs[key] for key in order])))
        low, high = np.quantile(needed, [0.025, 0.975]).tolist()
        return Expectation(float(np.mean(needed)), low, high, float(paid[needed].mean()), draws, seed)

    def _needed(self, settle: list[tuple[int, int]], grades: list[int]) -> int:
        """The shortest beginning of the list that fixes the winner; being fixed, it stays so."""
        few, many = 0, len(settle)
        while few < many:
            middle = (few + many) // 2
            if self._fixed_by(settle[:middle], grades):
                many = middle
            else:
                few = middle + 1
        return few

    def _fixed_by(self, settle: list[tuple[int, int]], grades: list[int]) -> bool:
        settled: dict[int, dict[int, int]] = {}
        for (part, pair), grade in zip(settle, grades, strict=False):
            settled.setdefault(part, {})[pair] = grade
        ranges = [part.range_given(settled.get(number, {})) for number, part in enumerate(self.parts)]
        low, high = np.array(ranges).sum(axis=0) / self.queries
        return _is_fixed(float(low), float(high))


def _draw(chances: Mapping[int, float], generator: np.random.Generator) -> int:
    grades, weights = np.array(list(chances)), np.array(list(chances.values()), dtype=float)
    return int(generator.choice(grades, p=weights / weights.sum()))


def _is_fixed(low: float, high: float) -> bool:
    return low > SAME or high < -SAME or max(abs(low), abs(high)) <= SAME


def find_completions(
    possible: pd.DataFrame,
    scale: tuple[int, ...],
    runs: Runs,
    measure: str | Measure,
    a: str,
    b: str,
    *,
    most: int = 30,
) -> Completions:
    """Work out which differences of two runs are still possible.

    Parameters
    ----------
    possible : DataFrame
        query_id, doc_id, grade (now), lowest, highest: every pair, with the grades of the scale that it may still take;
        a pair whose grade is settled has the same three times.
    scale : tuple of int
    runs : the two runs among others, as for :func:`evaluate`
    measure : str or Measure
    a, b : str
        Tags of the two runs.
    most : int
        Pairs that a reversal may hold at most.

    Notes
    -----
    The mean runs over the queries of ``possible``; missing queries and those without relevant documents score 0. A score
    of a query depends on that query's pairs only, so the extremes of the mean are the means of the queries' extremes.
    A query's are found by trying every completion, pairs that neither run has within the cutoff only by how many of them
    take each grade. Where that is more than 4,096, additive measures (P, DCG, RBP) are exact pair by pair; nDCG is bounded by
    the extremes of its parts, other measures by -1 and 1.

    Raises
    ------
    InputError
        When a column is lacking, or a tag is not among the runs.
    """
    lacking = [name for name in _COLUMNS if name not in possible.columns]
    if lacking:
        raise InputError("possible grades", None, f"the columns {', '.join(_COLUMNS)}", f"no {', '.join(lacking)}")
    parsed, options = parse_measure(measure), Options()
    judged = JudgedPairs.of(possible.rename(columns={"grade": "relevance"}))
    alignment = align_pairs(judged, runs, options)
    for tag in (a, b):
        if tag not in alignment.tags:
            raise InputError("runs", None, f"one of {', '.join(alignment.tags)}", repr(tag))
    table = possible.assign(
        _q=possible["query_id"].str.encode("utf-8"), _d=possible["doc_id"].str.encode("utf-8")
    ).sort_values(["_q", "_d"], ignore_index=True)
    pair, grade = _alternatives(table, scale)
    places = (alignment.tags.index(a), alignment.tags.index(b))
    hits = alignment.hits
    parts = []
    for query in range(hits.queries):
        part = restrict(hits, places, query, pair, grade, parsed, options)
        parts.append(open_query(part, judged.queries[query], judged.doc_ids.tolist()))
    reversal = find_reversal(hits, places, pair, grade, parsed, options, most)
    names = list(zip(table["query_id"], table["doc_id"], strict=True))
    rows = [(*names[one], value, after) for one, value, after in reversal.changes]
    ranges = [(one.gap, one.lowest, one.highest, one.reached_lowest, one.reached_highest) for one in parts]
    difference, lowest, highest, reached_lowest, reached_highest = np.array(ranges).mean(axis=0).tolist()
    return Completions(
        a,
        b,
        parsed,
        difference,
        lowest,
        highest,
        reached_lowest,
        reached_highest,
        queries=hits.queries,
        bounded=tuple(each.query_id for each in parts if not each.whole),
        pairs=_pair_table(parts, hits.queries, table),
        reversal=pd.DataFrame(rows, columns=["query_id", "doc_id", "grade", "difference"]),
        reversal_at_least=reversal.at_least,
        reversal_exact=reversal.exact,
        parts=tuple(parts),
    )


def _alternatives(table: pd.DataFrame, scale: tuple[int, ...]) -> tuple[Integers, Integers]:
    """One entry a pair and grade that it may take instead of the one it has now."""
    found = [
        (place, grade)
        for place, (now, low, high) in enumerate(table[["grade", "lowest", "highest"]].itertuples(index=False))
        for grade in scale
        if low <= grade <= high and grade != now
    ]
    return np.array([one for one, _ in found], np.int64), np.array([one for _, one in found], np.int64)


def _pair_table(parts: list[OpenQuery], queries: int, table: pd.DataFrame) -> pd.DataFrame:
    difference = sum(part.gap for part in parts) / queries
    rows: list[dict[str, Any]] = []
    for part in parts:
        for (query_id, doc_id), pair in part.keys.items():
            moved = [0.0, *(gap - part.gap for gap in part.alone[pair].values())]
            low, high = difference + min(moved) / queries, difference + max(moved) / queries
            crosses = min(low, high) * difference < 0 or max(low, high) * difference < 0
            rows.append(
                {
                    "query_id": query_id,
                    "doc_id": doc_id,
                    "grade": int(table["grade"][pair]),
                    "lowest": low,
                    "highest": high,
                    "swing": high - low,
                    "reverses": bool(crosses),
                }
            )
    columns = ["query_id", "doc_id", "grade", "lowest", "highest", "swing", "reverses"]
    found = pd.DataFrame(rows, columns=columns)
    return found.sort_values(["swing", "query_id", "doc_id"], ascending=[False, True, True], ignore_index=True)
