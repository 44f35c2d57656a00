"""Equally valid sets of qrels out of votes: which rater's grades each set takes, drawn or listed whole.

Knows votes as arrays; nothing of runs or measures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics.errors import MeasureError
from metrics.hits import UNJUDGED
from metrics.ranking import JudgedPairs

__all__ = [
    "GradeDraws",
    "RaterDraws",
    "VoteGrid",
    "draw_pairs",
    "draw_raters",
    "draw_ties",
    "grid_votes",
    "list_bounds",
]

Integers = NDArray[np.int64]
_LONGEST_LABEL = 12
RULES = ("majority", "median", "mean")
"""Rules that can hold two grades of a pair equally good."""


@dataclass(frozen=True, eq=False)
class VoteGrid:
    """Votes by pair.

    Parameters
    ----------
    judged : JudgedPairs
        Every pair with a vote; its grades are no more than a place.
    raters : tuple of str
        In byte order.
    pair, rater, grade : array of int, shape (votes,)
        Sorted by pair, then rater.
    raters_of_query : tuple of tuple of int
        Who judged each query: who graded at least half as many of its pairs as the rater who graded most.
    stray : int
        Votes of raters on queries that they did not judge in this sense.
    """

    judged: JudgedPairs
    raters: tuple[str, ...]
    pair: Integers
    rater: Integers
    grade: Integers
    raters_of_query: tuple[tuple[int, ...], ...]
    stray: int

    def panels(self) -> list[tuple[tuple[int, ...], list[int]]]:
        """Sets of raters with the queries that they judged, in order of the raters' names."""
        found: dict[tuple[int, ...], list[int]] = {}
        for query, raters in enumerate(self.raters_of_query):
            found.setdefault(raters, []).append(query)
        return sorted(found.items())


@dataclass(frozen=True, eq=False)
class RaterDraws:
    """Sets of qrels that take one rater for each query.

    Parameters
    ----------
    grades : array of int, shape (seats, pairs)
        Grades of the first, second, ... rater of each pair's query; UNJUDGED where that rater gave none.
    seat : array of int, shape (draws, queries)
        Which rater of the query each set takes.
    labels : tuple of str
    whole : bool
        Whether these are all the sets there are.
    """

    grades: Integers
    seat: Integers
    labels: tuple[str, ...]
    whole: bool

    def __len__(self) -> int:
        return len(self.seat)


@dataclass(frozen=True, eq=False)
class GradeDraws:
    """Sets of qrels given grade by grade: array of int, shape (draws, pairs)."""

    grades: Integers
    labels: tuple[str, ...]
    whole: bool

    def __len__(self) -> int:
        return len(self.grades)


def grid_votes(votes: pd.DataFrame) -> VoteGrid:
    """Arrange votes by pair; their order in the table does not matter."""
    pairs = votes[["query_id", "doc_id"]].drop_duplicates()
    judged = JudgedPairs.of(pairs.assign(relevance=0))
    raters = tuple(sorted(set(votes["rater"]), key=str.encode))
    query_code = {query: place for place, query in enumerate(judged.queries)}
    doc_code = {doc: place for place, doc in enumerate(judged.documents.to_pylist())}
    rater_code = {rater: place for place, rater in enumerate(raters)}
    pair = judged.find(
        np.array([query_code[each] for each in votes["query_id"]], dtype=np.int64),
        np.array([doc_code[each] for each in votes["doc_id"]], dtype=np.int64),
    )
    rater = np.array([rater_code[each] for each in votes["rater"]], dtype=np.int64)
    order = np.lexsort((rater, pair))
    grade = votes["grade"].to_numpy(dtype=np.int64)[order]
    pair, rater = pair[order], rater[order]
    number = np.zeros((len(judged.queries), len(raters)), dtype=np.int64)
    np.add.at(number, (judged.query[pair], rater), 1)
    # a rater who saw a handful of a query's pairs cannot give its qrels: 4 of 301 would call the rest unjudged
    belongs = (number > 0) & (2 * number >= number.max(axis=1, keepdims=True))
    who = tuple(tuple(np.flatnonzero(row).tolist()) for row in belongs)
    return VoteGrid(judged, raters, pair, rater, grade, who, int(number[~belongs].sum()))


def draw_raters(grid: VoteGrid, *, by: str, draws: int, generator: np.random.Generator) -> RaterDraws:
    """One rater for each panel's queries, or for each query: all sets when they are at most ``draws``, else sampled."""
    queries = len(grid.judged.queries)
    groups = grid.panels() if by == "panel" else [(who, [query]) for query, who in enumerate(grid.raters_of_query)]
    sizes = [len(who) for who, _ in groups]
    whole = prod(sizes) <= draws
    if whole:
        chosen = np.array(list(product(*(range(size) for size in sizes))), dtype=np.int64)
        chosen = chosen.reshape(prod(sizes), len(groups))
    else:
        chosen = np.stack([generator.integers(size, size=draws) for size in sizes], axis=1).astype(np.int64)
    group_of_query = np.zeros(queries, dtype=np.int64)
    for place, (_, members) in enumerate(groups):
        group_of_query[members] = place
    seats = max((len(who) for who in grid.raters_of_query), default=1)
    seat_of = np.full((queries, len(grid.raters)), -1, dtype=np.int64)
    for query, who in enumerate(grid.raters_of_query):
        seat_of[query, list(who)] = np.arange(len(who))
    grades = np.full((seats, len(grid.judged.grades)), UNJUDGED, dtype=np.int64)
    seat = seat_of[grid.judged.query[grid.pair], grid.rater]
    grades[seat[seat >= 0], grid.pair[seat >= 0]] = grid.grade[seat >= 0]
    return RaterDraws(grades, chosen[:, group_of_query], _label(chosen, groups, grid.raters), whole)


def _label(chosen: Integers, groups: Sequence[tuple[tuple[int, ...], Any]], raters: tuple[str, ...]) -> tuple[str, ...]:
    if len(groups) > _LONGEST_LABEL:
        return tuple(f"draw {number}" for number in range(1, len(chosen) + 1))
    return tuple(
        "+".join(raters[who[seat]] for seat, (who, _) in zip(row, groups, strict=True)) for row in chosen.tolist()
    )


def draw_pairs(grid: VoteGrid, *, draws: int, generator: np.random.Generator) -> GradeDraws:
    """One vote for each pair: all sets when they are at most ``draws``, else sampled."""
    return _draw_among(grid.pair, grid.grade, len(grid.judged.grades), draws, generator)


def draw_ties(grid: VoteGrid, *, rule: str, draws: int, generator: np.random.Generator) -> GradeDraws:
    """The grade that a rule gives each pair; where it ties, one of the tied grades: all sets, or sampled."""
    pair, grade = list_candidates(grid, rule)
    return _draw_among(pair, grade, len(grid.judged.grades), draws, generator)


def list_candidates(grid: VoteGrid, rule: str) -> tuple[Integers, Integers]:
    """The grades that a rule holds equally good for each pair, as (pair, grade) in order of both.

    Raises
    ------
    MeasureError
        When the rule is none of RULES.
    """
    if rule not in RULES:
        raise MeasureError(f"rule is one of {', '.join(RULES)} (other rules have no ties), found {rule!r}")
    pairs = len(grid.judged.grades)
    if rule == "majority":
        given, count = np.unique(np.stack([grid.pair, grid.grade], axis=1), axis=0, return_counts=True)
        most = np.zeros(pairs, dtype=np.int64)
        np.maximum.at(most, given[:, 0], count)
        kept = given[count == most[given[:, 0]]]
        return kept[:, 0], kept[:, 1]
    size = np.bincount(grid.pair, minlength=pairs)
    if rule == "median":
        ordered = grid.grade[np.lexsort((grid.grade, grid.pair))]
        starts = np.cumsum(size) - size
        low, high = ordered[starts + (size - 1) // 2], ordered[starts + size // 2]
    else:
        total = np.zeros(pairs, dtype=np.int64)
        np.add.at(total, grid.pair, grid.grade)
        # whole numbers throughout: halfway is exactly halfway
        low, high = -((size - 2 * total) // (2 * size)), (2 * total + size) // (2 * size)
    both = np.stack([np.repeat(np.arange(pairs), 2), np.stack([low, high], axis=1).ravel()], axis=1)
    found = np.unique(both, axis=0)
    return found[:, 0], found[:, 1]


def _draw_among(pair: Integers, grade: Integers, pairs: int, draws: int, generator: np.random.Generator) -> GradeDraws:
    """One of the grades listed for each pair, all equally likely."""
    starts = np.searchsorted(pair, np.arange(pairs))
    sizes = np.diff(np.append(starts, len(pair)))
    number = _count_sets(sizes, draws)
    if number is not None:
        chosen = np.array(list(product(*(range(size) for size in sizes.tolist()))), dtype=np.int64).reshape(
            number, len(sizes)
        )
    else:
        chosen = (generator.random((draws, len(sizes))) * sizes).astype(np.int64)
    grades = grade[starts + chosen]
    return GradeDraws(grades, tuple(f"draw {each}" for each in range(1, len(grades) + 1)), number is not None)


def _count_sets(sizes: Integers, most: int) -> int | None:
    number = 1
    for size in sizes.tolist():
        number *= size
        if number > most:
            return None
    return number


def list_bounds(grid: VoteGrid) -> GradeDraws:
    """Two sets: each pair's lowest vote, and each pair's highest."""
    starts = np.searchsorted(grid.pair, np.arange(len(grid.judged.grades)))
    low, high = np.minimum.reduceat(grid.grade, starts), np.maximum.reduceat(grid.grade, starts)
    return GradeDraws(np.stack([low, high]), ("lowest", "highest"), whole=True)


def draw_distribution(
    judged: JudgedPairs, table: pd.DataFrame, *, draws: int, generator: np.random.Generator
) -> GradeDraws:
    """Grades drawn from each pair's own distribution: a table query_id, doc_id, grade, probability."""
    query_code = {query: place for place, query in enumerate(judged.queries)}
    doc_code = {doc: place for place, doc in enumerate(judged.documents.to_pylist())}
    pair = judged.find(
        np.array([query_code[each] for each in table["query_id"]], dtype=np.int64),
        np.array([doc_code[each] for each in table["doc_id"]], dtype=np.int64),
    )
    chance = table["probability"].to_numpy(dtype=float)
    grade = table["grade"].to_numpy(dtype=np.int64)
    order = np.lexsort((grade, pair))
    pair, chance, grade = pair[order], chance[order], grade[order]
    total = np.bincount(pair, weights=chance, minlength=len(judged.grades))
    if (chance < 0).any() or not np.allclose(total, 1.0, atol=1e-6):
        raise MeasureError("the probabilities of a pair's grades are 0 or more and add up to 1")
    upper = np.cumsum(chance) - np.concatenate(([0.0], np.cumsum(total)))[pair]
    grades = np.empty((draws, len(judged.grades)), dtype=np.int64)
    starts = np.searchsorted(pair, np.arange(len(judged.grades)))
    last = np.append(starts[1:], len(pair)) - 1
    for draw in range(draws):
        point = generator.random(len(judged.grades))
        passed = np.bincount(pair, weights=upper <= point[pair], minlength=len(judged.grades)).astype(np.int64)
        grades[draw] = grade[np.minimum(starts + passed, last)]
    return GradeDraws(grades, tuple(f"draw {each}" for each in range(1, draws + 1)), whole=False)


def in_blocks(draws: GradeDraws, size: int) -> Iterator[tuple[int, Integers]]:
    """The sets, a block at a time, so that memory stays small."""
    for start in range(0, len(draws), size):
        yield start, draws.grades[start : start + size]
