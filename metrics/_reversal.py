"""The smallest set of disputed pairs whose settlement reverses the winner: proven where that takes few trials, else a bound.

Knows hits of two runs and the grades that votes give; nothing of ids or files.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice, product

import numpy as np
from numpy.typing import NDArray

from metrics.alignment import score_hits
from metrics.correlation import SAME
from metrics.hits import JudgedHits
from metrics.measure import Measure
from metrics.options import Options

__all__ = ["ADDITIVE", "QueryPart", "Reversal", "find_reversal", "restrict"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Change = tuple[int, int]
_MOST_TRIALS = 50_000
_CELLS = 200_000
ADDITIVE = {"P", "DCG", "RBP"}
"""Measures without an ideal: a pair adds the same whatever the other pairs' grades are."""


@dataclass(frozen=True)
class Reversal:
    """Pairs to settle, with their grades and the difference after each; empty where none was found.

    Parameters
    ----------
    changes : list of (pair, grade, difference)
    at_least : int
        No set of fewer pairs reverses the winner; proven.
    exact : bool
        Whether the set is a smallest one or, where there is none, that none exists.
    """

    changes: list[tuple[int, int, float]]
    at_least: int
    exact: bool


@dataclass(eq=False)
class QueryPart:
    """One query of the two runs: its hits, where its pairs begin, and what each disputed pair may be instead."""

    hits: JudgedHits
    first: int
    others: dict[int, list[int]]
    measure: Measure
    options: Options
    towards: float = 1.0
    gap: float = 0.0
    best: list[tuple[float, tuple[Change, ...]]] = field(default_factory=lambda: [(0.0, ())])

    def gaps(self, trials: list[tuple[Change, ...]]) -> Floats:
        """A - B under each trial's changes of grades."""
        found: list[Floats] = []
        block = max(1, _CELLS // max(len(self.hits.grades), 1))
        for start in range(0, len(trials), block):
            part = trials[start : start + block]
            grades = np.tile(self.hits.grades, (len(part), 1))
            for row, changes in enumerate(part):
                for pair, grade in changes:
                    grades[row, pair - self.first] = grade
            values = score_hits(_repeat(self.hits, grades), self.measure, self.options).values
            found.append(values[0] - values[1])
        return np.concatenate(found) if found else np.zeros(0)

    def trials(self, size: int) -> Iterator[tuple[Change, ...]]:
        """Every way to change exactly so many disputed pairs."""
        for pairs in combinations(self.others, size):
            for grades in product(*(self.others[pair] for pair in pairs)):
                yield tuple(zip(pairs, grades, strict=True))

    def extend(self, size: int, most: int) -> int | None:
        """Find the best changes of so many pairs; how many trials that took, or None where it takes more than ``most``."""
        trials = list(islice(self.trials(size), most + 1))
        if len(trials) > most:
            return None
        moved = self.towards * (self.gaps(trials) - self.gap)
        place = int(np.argmax(moved)) if len(moved) else -1
        better = place >= 0 and moved[place] > self.best[-1][0] + SAME
        self.best.append((float(moved[place]), trials[place]) if better else self.best[-1])
        return len(trials)


def _repeat(part: JudgedHits, grades: Integers) -> JudgedHits:
    """The same two rankings once for each row of grades, as so many queries."""
    trials, pairs = grades.shape
    number = np.arange(trials)
    rows, ranks, places = [], [], []
    for run in range(part.runs):
        own = part.row == run
        rows.append(np.repeat(run * trials + number, int(own.sum())))
        ranks.append(np.tile(part.rank[own], trials))
        places.append((part.pair[own][None, :] + number[:, None] * pairs).ravel())
    return JudgedHits(
        row=np.concatenate(rows).astype(np.int64),
        rank=np.concatenate(ranks),
        pair=np.concatenate(places).astype(np.int64),
        retrieved=np.repeat(part.retrieved, trials),
        pair_query=np.repeat(number, pairs).astype(np.int64),
        grades=grades.ravel(),
        queries=trials,
        runs=part.runs,
    )


def find_reversal(
    hits: JudgedHits,
    runs: tuple[int, int],
    pairs: Integers,
    grades: Integers,
    measure: Measure,
    options: Options,
    most: int,
) -> Reversal:
    """Find the fewest disputed pairs whose settlement makes the other run win.

    Parameters
    ----------
    hits : JudgedHits
        Under the settled grades.
    runs : (int, int)
        Places of A and B.
    pairs, grades : array of int, shape (alternatives,)
        Grades that votes give and the settlement does not.
    most : int
        Pairs to settle at most.

    Notes
    -----
    A score of a query depends on that query's pairs only. So the best that n pairs can do is found query by query, by
    trying every set, and put together over the queries; where that would take more than 50,000 trials, the strongest pair
    is settled time after time, which gives an upper bound.
    """
    queries = [restrict(hits, runs, query, pairs, grades, measure, options) for query in range(hits.queries)]
    for query in queries:
        query.gap = float(query.gaps([()])[0])
    difference = sum(query.gap for query in queries)
    if abs(difference) <= SAME * hits.queries:
        return Reversal([], 0, exact=False)
    towards = -1.0 if difference > 0 else 1.0
    for query in queries:
        query.towards = towards
    needed, disputed = abs(difference) + SAME * hits.queries, sum(len(query.others) for query in queries)
    greedy = _settle_strongest(queries, needed, most)
    if measure.name in ADDITIVE and options.unjudged == "nonrelevant":
        complete = len(greedy) if greedy is not None else 1 + min(most, disputed)
        return _report(queries, greedy or [], complete, exact=greedy is not None or most >= disputed)
    size, trials = 0, _MOST_TRIALS
    while size < min(most, disputed) and (greedy is None or size + 1 < len(greedy)):
        size += 1
        for query in queries:
            used = query.extend(size, trials)
            if used is None:
                return _report(queries, greedy or [], size, exact=False)
            trials -= used
        move, changes = _best_together(queries, size)
        if move > needed:
            return _report(queries, list(changes), size, exact=True)
    return _report(queries, greedy or [], size + 1, exact=greedy is not None or size >= disputed)


def restrict(
    hits: JudgedHits,
    runs: tuple[int, int],
    query: int,
    pairs: Integers,
    grades: Integers,
    measure: Measure,
    options: Options,
) -> QueryPart:
    """Two runs and one query."""
    first, last = np.searchsorted(hits.pair_query, [query, query + 1]).tolist()
    bounds = [np.searchsorted(hits.row, [run * hits.queries + query, run * hits.queries + query + 1]) for run in runs]
    kept = np.concatenate([np.arange(start, end) for start, end in bounds])
    small = JudgedHits(
        row=np.repeat(np.arange(2), [end - start for start, end in bounds]).astype(np.int64),
        rank=hits.rank[kept],
        pair=hits.pair[kept] - first,
        retrieved=hits.retrieved[[run * hits.queries + query for run in runs]],
        pair_query=np.zeros(last - first, dtype=np.int64),
        grades=hits.grades[first:last],
        queries=1,
        runs=2,
    )
    others: dict[int, list[int]] = {}
    for place in np.flatnonzero((pairs >= first) & (pairs < last)).tolist():
        others.setdefault(int(pairs[place]), []).append(int(grades[place]))
    return QueryPart(small, first, others, measure, options)


def _settle_strongest(queries: list[QueryPart], needed: float, most: int) -> list[Change] | None:
    """Settle, time after time, the pair that brings the two runs nearest to changing places; None where that ends short."""
    settled: list[tuple[Change, ...]] = [()] * len(queries)
    moved = np.zeros(len(queries))
    found: list[Change] = []
    offers: list[tuple[float, Change | None]] = [_strongest(query, ()) for query in queries]
    while len(found) < most:
        place = max(range(len(queries)), key=lambda each: offers[each][0] - moved[each])
        total, change = offers[place]
        if change is None or total - moved[place] <= SAME:
            return None
        settled[place] = (*settled[place], change)
        moved[place] = total
        found.append(change)
        if moved.sum() > needed:
            return found
        offers[place] = _strongest(queries[place], settled[place])
    return None


def _strongest(query: QueryPart, settled: tuple[Change, ...]) -> tuple[float, Change | None]:
    """The further change of this query that moves the difference most, and how far all its changes then move it."""
    used = {pair for pair, _ in settled}
    offers = [(pair, grade) for pair, given in query.others.items() if pair not in used for grade in given]
    moved = query.towards * (query.gaps([(*settled, offer) for offer in offers]) - query.gap)
    if not len(moved):
        return -np.inf, None
    place = int(np.argmax(moved))
    return float(moved[place]), offers[place]


def _best_together(queries: list[QueryPart], size: int) -> tuple[float, tuple[Change, ...]]:
    """The most that so many pairs of all queries together can move, and which."""
    together: list[tuple[float, tuple[Change, ...]]] = [(0.0, ())] * (size + 1)
    for query in queries:
        together = [
            max(
                (
                    (together[total - own][0] + query.best[own][0], (*together[total - own][1], *query.best[own][1]))
                    for own in range(total + 1)
                ),
                key=lambda each: each[0],
            )
            for total in range(size + 1)
        ]
    return together[size]


def _report(queries: list[QueryPart], changes: list[Change], at_least: int, *, exact: bool) -> Reversal:
    """The changes in order, with the mean difference after each."""
    gap_of = np.array([query.gap for query in queries])
    firsts = np.array([query.first for query in queries])
    made: list[list[Change]] = [[] for _ in queries]
    told = []
    for pair, grade in changes:
        place = int(np.searchsorted(firsts, pair, side="right")) - 1
        made[place].append((pair, grade))
        gap_of[place] = queries[place].gaps([tuple(made[place])])[0]
        told.append((pair, grade, float(gap_of.mean())))
    return Reversal(told, at_least, exact)
