"""Which disputed pairs matter: what each could do to a comparison, and which few could reverse it.

Knows votes, aligned runs and measures; nothing of files.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics._draws import VoteGrid, grid_votes
from metrics.alignment import Runs, align_pairs, score_hits
from metrics.correlation import SAME
from metrics.disagreement import leave_out
from metrics.errors import InputError
from metrics.evaluate import records
from metrics.hits import JudgedHits
from metrics.measure import Measure, parse_measure
from metrics.options import Options
from metrics.votes import Votes, as_votes

__all__ = ["Influence", "find_influence"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influence:
    """What each disputed pair can do to the difference between two runs.

    Parameters
    ----------
    a, b : str
        The two runs.
    measure : Measure
    difference : float
        A - B when every pair has the lower median of its votes.
    pairs : DataFrame
        query_id, doc_id, votes, grade, lowest, highest, swing, reverses, swaps, variance, remaining. ``lowest`` and
        ``highest`` are A - B over the pair's possible grades, the other pairs staying as they are; ``swaps`` is the
        most pairs of systems that change places; ``variance`` is that of A - B when the pair's votes are drawn;
        ``remaining`` is the share of all pairs' variances left once this pair and those above it are settled. Sorted
        by swing.
    reversal : DataFrame
        query_id, doc_id, grade, difference: a small set of disputed pairs whose settlement reverses the winner, found
        by taking the strongest pair each time; empty where none was found.
    """

    a: str
    b: str
    measure: Measure
    difference: float
    pairs: pd.DataFrame
    reversal: pd.DataFrame

    def to_json(self) -> dict[str, Any]:
        """The answer as programs read it."""
        return {
            "a": self.a,
            "b": self.b,
            "definition": self.measure.definition(),
            "difference": self.difference,
            "pairs": records(self.pairs),
            "reversal": records(self.reversal),
        }


@dataclass(frozen=True)
class _Disputes:
    """Alternatives to the settled grades: one entry a pair and grade that a vote gives and the median does not."""

    pair: Integers
    grade: Integers


def find_influence(
    votes: Votes | pd.DataFrame,
    runs: Runs,
    measure: str | Measure,
    a: str,
    b: str,
    *,
    exclude_queries: Collection[str] = (),
    options: Options | None = None,
    most: int = 100,
) -> Influence:
    """Find out which disputed pairs matter to the comparison of two runs.

    Parameters
    ----------
    votes, runs, exclude_queries, options
        As for :func:`disagreement`; missing queries and queries without relevant documents score 0 here.
    measure : str or Measure
    a, b : str
        Tags of the two runs.
    most : int
        Pairs to try for a reversal.

    Raises
    ------
    InputError
        When a tag is not among the runs.
    """
    parsed, known = parse_measure(measure), as_votes(votes)
    table, _ = leave_out(known, exclude_queries)
    grid = grid_votes(table)
    given = options or Options()
    plain = Options(unjudged=given.unjudged, precision=given.precision)
    alignment = align_pairs(grid.judged, runs, plain, (), known.name)
    for tag in (a, b):
        if tag not in alignment.tags:
            raise InputError("runs", None, f"one of {', '.join(alignment.tags)}", repr(tag))
    place = (alignment.tags.index(a), alignment.tags.index(b))
    settled = _lower_median(grid)
    hits = alignment.hits.with_grades(settled)
    base = score_hits(hits, parsed, plain).values
    disputes = _list_disputes(grid, settled)
    changes = _score_alternatives(hits, disputes, parsed, plain, base)
    difference = float((base[place[0]] - base[place[1]]).mean())
    moved = difference + (changes[:, place[0]] - changes[:, place[1]]) / hits.queries
    pairs = _pair_table(grid, settled, disputes, moved, difference)
    pairs["swaps"] = _count_swaps(base.mean(axis=1), changes / hits.queries, disputes)
    pairs = pairs.sort_values(["swing", "query_id", "doc_id"], ascending=[False, True, True], ignore_index=True)
    total = pairs["variance"].sum()
    pairs["remaining"] = np.maximum(1 - pairs["variance"].cumsum() / total, 0.0) if total > 0 else 0.0
    reversal = _find_reversal(hits, place, disputes, parsed, plain, most)
    reversal_table = pd.DataFrame(
        [(*_name(grid, pair), grade, after) for pair, grade, after in reversal],
        columns=["query_id", "doc_id", "grade", "difference"],
    )
    return Influence(a, b, parsed, difference, pairs, reversal_table)


def _lower_median(grid: VoteGrid) -> Integers:
    order = np.lexsort((grid.grade, grid.pair))
    starts = np.searchsorted(grid.pair, np.arange(len(grid.judged.grades)))
    sizes = np.diff(np.append(starts, len(grid.pair)))
    return np.asarray(grid.grade[order][starts + (sizes - 1) // 2])


def _list_disputes(grid: VoteGrid, settled: Integers) -> _Disputes:
    given = np.unique(np.stack([grid.pair, grid.grade], axis=1), axis=0)
    other = given[given[:, 1] != settled[given[:, 0]]]
    return _Disputes(other[:, 0], other[:, 1])


def _score_alternatives(
    hits: JudgedHits, disputes: _Disputes, measure: Measure, options: Options, base: Floats
) -> Floats:
    """What each alternative adds to its query's score of every run: array (alternatives, runs).

    A score of a query depends on that query's pairs only, so one evaluation tries one alternative of every query.
    """
    query = hits.pair_query[disputes.pair]
    turn = np.arange(len(query)) - np.searchsorted(query, query)
    changes = np.zeros((len(query), hits.runs))
    for number in range(int(turn.max(initial=-1)) + 1):
        (now,) = np.nonzero(turn == number)
        grades = hits.grades.copy()
        grades[disputes.pair[now]] = disputes.grade[now]
        values = score_hits(hits.with_grades(grades), measure, options).values
        changes[now] = (values - base)[:, query[now]].T
    return changes


def _name(grid: VoteGrid, pair: int) -> tuple[str, str]:
    return grid.judged.queries[grid.judged.query[pair]], str(grid.judged.doc_ids[pair])


def _pair_table(
    grid: VoteGrid, settled: Integers, disputes: _Disputes, moved: Floats, difference: float
) -> pd.DataFrame:
    starts = np.searchsorted(grid.pair, np.arange(len(settled) + 1))
    rows = []
    for pair in np.unique(disputes.pair).tolist():
        own = np.flatnonzero(disputes.pair == pair)
        value_of = {int(settled[pair]): difference} | dict(
            zip(disputes.grade[own].tolist(), moved[own].tolist(), strict=True)
        )
        cast = sorted(grid.grade[starts[pair] : starts[pair + 1]].tolist())
        low, high = min(value_of.values()), max(value_of.values())
        rows.append(
            {
                "query_id": _name(grid, pair)[0],
                "doc_id": _name(grid, pair)[1],
                "votes": ",".join(map(str, cast)),
                "grade": int(settled[pair]),
                "lowest": low,
                "highest": high,
                "swing": high - low,
                "reverses": bool(low * difference < 0 or high * difference < 0),
                "variance": float(np.var([value_of[grade] for grade in cast])),
            }
        )
    columns = ["query_id", "doc_id", "votes", "grade", "lowest", "highest", "swing", "reverses", "variance"]
    return pd.DataFrame(rows, columns=columns)


def _count_swaps(means: Floats, changes: Floats, disputes: _Disputes) -> list[int]:
    """For each disputed pair, the most pairs of systems that change places under one of its grades."""
    upper = np.triu_indices(len(means), 1)

    def order(values: Floats) -> Floats:
        step = values[upper[0]] - values[upper[1]]
        return np.where(np.abs(step) <= SAME, 0.0, np.sign(step))

    before = order(means)
    most: dict[int, int] = {}
    for pair, change in zip(disputes.pair.tolist(), changes, strict=True):
        swapped = int((order(means + change) != before).sum())
        most[pair] = max(most.get(pair, 0), swapped)
    return [most[pair] for pair in sorted(most)]


def _restrict(hits: JudgedHits, runs: tuple[int, int], query: int) -> tuple[JudgedHits, int]:
    """Two runs and one query, and where its pairs begin."""
    first, last = np.searchsorted(hits.pair_query, [query, query + 1])
    parts = [np.flatnonzero(hits.row == run * hits.queries + query) for run in runs]
    kept = np.concatenate(parts)
    rows = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    small = JudgedHits(
        row=rows.astype(np.int64),
        rank=hits.rank[kept],
        pair=hits.pair[kept] - first,
        retrieved=hits.retrieved[[run * hits.queries + query for run in runs]],
        pair_query=np.zeros(last - first, dtype=np.int64),
        grades=hits.grades[first:last],
        queries=1,
        runs=len(parts),
    )
    return small, int(first)


def _find_reversal(
    hits: JudgedHits, runs: tuple[int, int], disputes: _Disputes, measure: Measure, options: Options, most: int
) -> list[tuple[int, int, float]]:
    """Settle, time after time, the pair that brings the two runs nearest to changing places."""
    parts = [_restrict(hits, runs, query) for query in range(hits.queries)]
    grades = [part.grades.copy() for part, _ in parts]
    query_of = hits.pair_query[disputes.pair]
    current = np.array([_gap(part, own, measure, options) for (part, _), own in zip(parts, grades, strict=True)])
    towards = -1.0 if current.sum() > 0 else 1.0
    if abs(current.mean()) <= SAME:
        return []
    gain = np.full(len(query_of), -np.inf)
    stale, used, found = set(range(hits.queries)), set(), []
    for _ in range(most):
        for place in np.flatnonzero(np.isin(query_of, list(stale))).tolist():
            pair, query = int(disputes.pair[place]), int(query_of[place])
            trial = grades[query].copy()
            trial[pair - parts[query][1]] = disputes.grade[place]
            gap = _gap(parts[query][0], trial, measure, options)
            gain[place] = -np.inf if pair in used else towards * (gap - current[query])
        best = int(np.argmax(gain)) if len(gain) else -1
        if best < 0 or gain[best] <= SAME:
            return []
        pair, query = int(disputes.pair[best]), int(query_of[best])
        grades[query][pair - parts[query][1]] = disputes.grade[best]
        current[query] = _gap(parts[query][0], grades[query], measure, options)
        used.add(pair)
        stale = {query}
        found.append((pair, int(disputes.grade[best]), float(current.mean())))
        if towards * current.mean() > SAME:
            return found
    return []


def _gap(part: JudgedHits, grades: Integers, measure: Measure, options: Options) -> float:
    values = score_hits(part.with_grades(grades), measure, options).values
    return float(values[0, 0] - values[1, 0])
