"""The mean of every system under every set of qrels at once, and under resampled queries.

Knows hits, draws and measures; nothing of tables or verdicts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from metrics._draws import GradeDraws, RaterDraws, in_blocks
from metrics.alignment import score_hits
from metrics.gains import discount_at, gain_of
from metrics.hits import JudgedHits
from metrics.measure import Measure
from metrics.options import Options

__all__ = ["DrawScores", "score_draws"]

Floats = NDArray[np.float64]
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class DrawScores:
    """Means of one measure.

    Parameters
    ----------
    means : array of float, shape (systems, draws)
        The mean of every system under every set of qrels.
    by_query : array of float, shape (systems, resamples)
        The same under resampled queries, each score being the mean over the sets of qrels.
    by_both : array of float, shape (systems, resamples)
        Under a drawn set of qrels and resampled queries together.
    per_query : array of float, shape (systems, queries)
        The mean over the sets of qrels.
    no_relevant : float
        Queries without anything relevant, on average over the sets.
    """

    means: Floats
    by_query: Floats
    by_both: Floats
    per_query: Floats
    no_relevant: float


def score_draws(
    hits: JudgedHits,
    draws: RaterDraws | GradeDraws,
    measure: Measure,
    options: Options,
    generator: np.random.Generator,
    resamples: int,
) -> DrawScores:
    """Score every system under every set of qrels."""
    shares = np.full(max(hits.queries, 1), 1.0 / max(hits.queries, 1))
    weights = generator.multinomial(hits.queries, shares, size=resamples)[:, : hits.queries].astype(np.float64)
    which = generator.integers(len(draws), size=resamples)
    if isinstance(draws, RaterDraws):
        return _score_raters(hits, draws, measure, options, weights, which)
    return _score_grades(hits, draws, measure, options, weights, which)


def _score_raters(
    hits: JudgedHits, draws: RaterDraws, measure: Measure, options: Options, weights: Floats, which: NDArray[np.int64]
) -> DrawScores:
    """A set's scores of a query depend only on that query's rater: score each rater once, then add up."""
    runs = hits.runs
    total, number = np.zeros((2, runs, len(draws))), np.zeros((2, runs, len(weights)))
    share, counted_share = np.zeros((2, runs, hits.queries))
    empty = 0.0
    for seat, grades in enumerate(draws.grades):
        scores = score_hits(hits.with_grades(grades), measure, options)
        taken = (draws.seat == seat).astype(np.float64)
        counted = scores.counted.astype(np.float64)
        values = scores.values * counted
        total += np.stack([values @ taken.T, counted @ taken.T])
        drawn = taken[which] * weights
        number += np.stack([values @ drawn.T, counted @ drawn.T])
        often = taken.mean(axis=0)
        share, counted_share = share + values * often, counted_share + counted * often
        empty += float((often * scores.no_relevant).sum())
    resampled = _divide(share @ weights.T, counted_share @ weights.T)
    return DrawScores(_divide(*total), resampled, _divide(*number), _divide(share, counted_share), empty)


def _score_grades(
    hits: JudgedHits, draws: GradeDraws, measure: Measure, options: Options, weights: Floats, which: NDArray[np.int64]
) -> DrawScores:
    runs = hits.runs
    means, both = np.zeros((runs, len(draws))), np.zeros((runs, len(weights)))
    share, counted_share = np.zeros((2, runs, hits.queries))
    empty = 0.0
    for start, values, counted, no_relevant in _score_blocks(hits, draws, measure, options):
        block = slice(start, start + len(values))
        means[:, block] = _divide((values * counted).sum(axis=2), counted.sum(axis=2)).T
        share, counted_share = share + (values * counted).sum(axis=0), counted_share + counted.sum(axis=0)
        empty += float(no_relevant.sum())
        for place in np.flatnonzero((which >= start) & (which < start + len(values))):
            score, count, weight = values[which[place] - start], counted[which[place] - start], weights[place]
            both[:, place] = _divide((score * count) @ weight, count @ weight)
    resampled = _divide(share @ weights.T, counted_share @ weights.T)
    return DrawScores(means, resampled, both, _divide(share, counted_share), empty / max(len(draws), 1))


def _divide(above: Floats, below: Floats) -> Floats:
    shares: Floats = np.full(above.shape, np.nan)
    np.divide(above, below, out=shares, where=below > 0)
    return shares


Block = tuple[int, Floats, Floats, NDArray[np.bool_]]


def _score_blocks(hits: JudgedHits, draws: GradeDraws, measure: Measure, options: Options) -> Iterator[Block]:
    """For blocks of sets: (first, values (sets, runs, queries), counted, no_relevant (sets, queries))."""
    runs = hits.runs
    form = _LINEAR.get(measure.name) if options.unjudged == "nonrelevant" else None
    if form is None:
        for start, grades in in_blocks(draws, _BLOCK):
            scored = [score_hits(hits.with_grades(each), measure, options) for each in grades]
            yield (
                start,
                np.stack([each.values for each in scored]),
                np.stack([each.counted for each in scored]).astype(np.float64),
                np.stack([each.no_relevant for each in scored]),
            )
        return
    weight, worth, best = form
    inside = hits.within_cutoff(measure.cutoff)
    matrix = sparse.csr_array(
        (weight(hits.rank[inside], measure), (hits.row[inside], hits.pair[inside])), shape=(hits.rows, len(hits.grades))
    )
    missing = hits.retrieved.reshape(runs, hits.queries) == 0
    for start, grades in in_blocks(draws, _BLOCK):
        gains = worth(grades, measure)
        found = np.asarray(matrix @ gains.T).T.reshape(len(grades), runs, hits.queries)
        ideal, no_relevant = best(gains, hits, measure)
        values = found if ideal is None else np.nan_to_num(_divide(found, np.broadcast_to(ideal[:, None], found.shape)))
        counted = np.ones(values.shape)
        if options.missing == "exclude":
            counted *= ~missing
        if options.no_relevant == "exclude":
            counted *= ~no_relevant[:, None]
        yield start, values, counted, no_relevant


def _gains(grades: NDArray[np.int64], measure: Measure) -> Floats:
    return gain_of(measure.text("gain"), grades)


def _relevant(grades: NDArray[np.int64], measure: Measure) -> Floats:
    return (grades >= measure.integer("rel")).astype(np.float64)


def _sum_by_query(values: Floats, hits: JudgedHits) -> Floats:
    starts = np.searchsorted(hits.pair_query, np.arange(hits.queries))
    return np.add.reduceat(values, starts, axis=1)


def _best_dcg(gains: Floats, hits: JudgedHits, measure: Measure) -> tuple[Floats, NDArray[np.bool_]]:
    """Ideal DCG by counting: sum over gain levels of (level - level below) * discounts down to min(k, pairs worth as much)."""
    sizes = np.bincount(hits.pair_query, minlength=hits.queries)
    ranks = np.arange(1, int(sizes.max(initial=0)) + 1)
    discounts = discount_at(measure.text("discount"), ranks)
    if measure.cutoff is not None:
        discounts[measure.cutoff :] = 0.0
    down_to = np.concatenate(([0.0], np.cumsum(discounts)))
    ideal = np.zeros((len(gains), hits.queries))
    below = 0.0
    for level in np.unique(gains[gains > 0]):
        number = _sum_by_query((gains >= level).astype(np.float64), hits).astype(np.int64)
        ideal += (level - below) * down_to[number]
        below = float(level)
    return ideal, _sum_by_query((gains > 0).astype(np.float64), hits) == 0


def _none_dcg(gains: Floats, hits: JudgedHits, _: Measure) -> tuple[None, NDArray[np.bool_]]:
    return None, _sum_by_query((gains > 0).astype(np.float64), hits) == 0


def _all_relevant(gains: Floats, hits: JudgedHits, _: Measure) -> tuple[Floats, NDArray[np.bool_]]:
    number = _sum_by_query(gains, hits)
    return number, number == 0


Weight = Callable[[NDArray[np.int64], Measure], Floats]
Worth = Callable[[NDArray[np.int64], Measure], Floats]
Best = Callable[[Floats, JudgedHits, Measure], tuple[Floats | None, NDArray[np.bool_]]]
_LINEAR: dict[str, tuple[Weight, Worth, Best]] = {
    "nDCG": (lambda rank, measure: discount_at(measure.text("discount"), rank), _gains, _best_dcg),
    "DCG": (lambda rank, measure: discount_at(measure.text("discount"), rank), _gains, _none_dcg),
    "P": (lambda rank, measure: np.full(len(rank), 1.0 / (measure.cutoff or 1)), _relevant, _none_dcg),
    "R": (lambda rank, _: np.ones(len(rank)), _relevant, _all_relevant),
    "SetR": (lambda rank, _: np.ones(len(rank)), _relevant, _all_relevant),
    "RBP": (
        lambda rank, measure: np.asarray((1 - measure.number("p")) * measure.number("p") ** (rank - 1.0)),
        _relevant,
        _none_dcg,
    ),
}
