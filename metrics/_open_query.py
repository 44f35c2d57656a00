"""One query of two runs with open pairs: the lowest and the highest difference that their grades allow.

Knows hits of two runs and possible grades; nothing of ids beyond names to carry along.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from metrics._reversal import ADDITIVE, QueryPart
from metrics.gains import gain_of
from metrics.measure import parse_measure
from metrics.ndcg import ideal_dcg

__all__ = ["OpenQuery", "open_query"]

Floats = NDArray[np.float64]
_MOST = 4096
"""Completions of one query that are tried."""


@dataclass(eq=False)
class OpenQuery:
    """The open pairs of one query and what their completions do.

    Parameters
    ----------
    query_id : str
    keys : dict of (query_id, doc_id) to int
        The open pairs.
    gap, lowest, highest, reached_lowest, reached_highest : float
        A - B now, its bounds, and what was reached.
    whole : bool
        Whether every completion was tried, or the measure adds up pair by pair.
    alone : dict
        For each open pair, A - B under each of its other grades, the other pairs staying as they are.
    """

    query_id: str
    keys: dict[tuple[str, str], int]
    gap: float
    alone: dict[int, dict[int, float]]
    lowest: float = 0.0
    highest: float = 0.0
    reached_lowest: float = 0.0
    reached_highest: float = 0.0
    whole: bool = True
    seen: list[int] = field(default_factory=list)
    same: list[list[int]] = field(default_factory=list)
    tried: list[tuple[tuple[int, ...], tuple[Counter[int], ...]]] = field(default_factory=list)
    gaps: Floats = field(default_factory=lambda: np.zeros(0))

    def range_given(self, settled: Mapping[int, int]) -> tuple[float, float]:
        """The bounds once some of the open pairs have a grade."""
        if not settled or not self.whole:
            return self.lowest, self.highest
        if not self.tried:  # pairs add up
            now = self.gap + sum(self._step(pair, grade) for pair, grade in settled.items())
            rest = [[0.0, *self._steps(pair)] for pair in self.alone if pair not in settled]
            return now + sum(map(min, rest)), now + sum(map(max, rest))
        kept = np.ones(len(self.gaps), dtype=bool)
        for place, pair in enumerate(self.seen):
            if pair in settled:
                kept &= self._seen_grades[:, place] == settled[pair]
        for place, group in enumerate(self.same):
            for grade, number in Counter(settled[pair] for pair in group if pair in settled).items():
                kept &= self._counts(place, grade) >= number
        return float(self.gaps[kept].min()), float(self.gaps[kept].max())

    def _step(self, pair: int, grade: int) -> float:
        return self.alone[pair].get(grade, self.gap) - self.gap

    def _steps(self, pair: int) -> list[float]:
        return [value - self.gap for value in self.alone[pair].values()]

    @cached_property
    def _seen_grades(self) -> NDArray[np.int64]:
        return np.array([seen for seen, _ in self.tried], np.int64).reshape(len(self.tried), -1)

    @cached_property
    def _known_counts(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        return {}

    def _counts(self, place: int, grade: int) -> NDArray[np.int64]:
        """For each completion, how many pairs of a group take a grade."""
        if (place, grade) not in self._known_counts:
            found = np.array([counts[place][grade] for _, counts in self.tried], np.int64)
            self._known_counts[place, grade] = found
        return self._known_counts[place, grade]


def open_query(part: QueryPart, query_id: str, doc_ids: list[str]) -> OpenQuery:
    """Work out one query: every completion where they are few, else its bounds."""
    keys = {(query_id, str(doc_ids[pair])): pair for pair in part.others}
    singles = [(pair, grade) for pair, grades in part.others.items() for grade in grades]
    values = part.gaps([(), *(((pair, grade),) for pair, grade in singles)])
    alone: dict[int, dict[int, float]] = {pair: {} for pair in part.others}
    for (pair, grade), value in zip(singles, values[1:].tolist(), strict=True):
        alone[pair][grade] = value
    found = OpenQuery(query_id, keys, float(values[0]), alone)
    if part.measure.name in ADDITIVE:
        low, high = _add_up(found)
        found.lowest, found.highest, found.reached_lowest, found.reached_highest = low, high, low, high
        return found
    found.seen, found.same = _sort_out(part)
    if _count(part, found) <= _MOST:
        _try_all(part, found)
    else:
        _bound(part, found)
    return found


def _options(part: QueryPart, pair: int) -> list[int]:
    return sorted([int(part.hits.grades[pair - part.first]), *part.others[pair]])


def _sort_out(part: QueryPart) -> tuple[list[int], list[list[int]]]:
    """Pairs within the cutoff of a run, and groups of others with the same possible grades, of which only the number counts."""
    shown = set((part.hits.pair[part.hits.within_cutoff(part.measure.cutoff)] + part.first).tolist())
    groups: dict[tuple[int, ...], list[int]] = {}
    for pair in part.others:
        if pair not in shown:
            groups.setdefault(tuple(_options(part, pair)), []).append(pair)
    return [pair for pair in part.others if pair in shown], list(groups.values())


def _count(part: QueryPart, found: OpenQuery) -> int:
    seen = math.prod(len(_options(part, pair)) for pair in found.seen)
    same = (math.comb(len(group) + len(_options(part, group[0])) - 1, len(group)) for group in found.same)
    return seen * math.prod(same)


def _completions(part: QueryPart, found: OpenQuery) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]:
    seen = product(*(_options(part, pair) for pair in found.seen))
    same = [list(combinations_with_replacement(_options(part, group[0]), len(group))) for group in found.same]
    yield from product(seen, product(*same))


def _try_all(part: QueryPart, found: OpenQuery) -> None:
    trials = []
    for seen, same in _completions(part, found):
        changes = list(zip(found.seen, seen, strict=True))
        for group, grades in zip(found.same, same, strict=True):
            changes += zip(group, grades, strict=True)
        trials.append(tuple(changes))
        found.tried.append((seen, tuple(Counter(grades) for grades in same)))
    found.gaps = part.gaps(trials)
    found.lowest = found.reached_lowest = float(found.gaps.min())
    found.highest = found.reached_highest = float(found.gaps.max())


def _add_up(found: OpenQuery) -> tuple[float, float]:
    steps = [[0.0, *(value - found.gap for value in values.values())] for values in found.alone.values()]
    return found.gap + sum(map(min, steps)), found.gap + sum(map(max, steps))


def _bound(part: QueryPart, found: OpenQuery) -> None:
    found.whole = False
    found.reached_lowest, found.reached_highest = _climb(part, found, -1.0), _climb(part, found, 1.0)
    found.lowest, found.highest = _ndcg_bounds(part) if part.measure.name == "nDCG" else (-1.0, 1.0)


def _climb(part: QueryPart, found: OpenQuery, towards: float) -> float:
    """What is reached by giving every pair the grade that is best alone, then one shown pair after the other its best."""
    grades = {
        pair: max(values, key=lambda grade: towards * values[grade])
        for pair, values in found.alone.items()
        if towards * (max(values.values(), key=lambda value: towards * value) - found.gap) > 0
    }
    best = float(part.gaps([tuple(grades.items())])[0])
    if towards * (best - found.gap) < 0:
        grades, best = {}, found.gap
    for pair in found.seen:
        offers = _options(part, pair)
        values = part.gaps([tuple({**grades, pair: grade}.items()) for grade in offers])
        place = int(np.argmax(towards * values))
        if towards * (values[place] - best) > 0:
            grades[pair], best = offers[place], float(values[place])
    return best


def _ndcg_bounds(part: QueryPart) -> tuple[float, float]:
    """The extremes of the difference of the DCGs over the extremes of the ideal; never tighter than the truth."""
    plain = parse_measure(str(part.measure).removeprefix("n"))
    doc_ids = [""] * (part.first + len(part.hits.grades))
    adding = open_query(QueryPart(part.hits, part.first, part.others, plain, part.options), "", doc_ids)
    small, large = _ideal(part, min), _ideal(part, max)
    if small <= 0:
        return -1.0, 1.0
    high = adding.highest / (small if adding.highest > 0 else large)
    low = adding.lowest / (small if adding.lowest < 0 else large)
    return max(low, -1.0), min(high, 1.0)


def _ideal(part: QueryPart, pick: Callable[..., int]) -> float:
    """The ideal DCG where every open pair has the grade of the lowest, or of the highest, gain."""
    gain = part.measure.text("gain")
    grades = part.hits.grades.copy()
    for pair in part.others:
        grades[pair - part.first] = pick(
            _options(part, pair), key=lambda grade: float(gain_of(gain, np.array([grade]))[0])
        )
    return float(ideal_dcg(part.hits.with_grades(grades), part.measure)[0])
