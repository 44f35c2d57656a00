"""The formulas of agreement: sums over pairs in, coefficients out, for one sample or for a thousand resamples at once.

Knows arrays only; what a pair or a rater is called is known in agreement.py.

Every coefficient here is a function of sums over pairs. So a resample is a weighting of the pairs, pairs with the same
count of votes for each grade are one *pattern*, and a thousand resamples are one matrix product.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from labeling._votes import IntArray

__all__ = [
    "FloatArray",
    "Level",
    "Sums",
    "Weighting",
    "cohen_kappa",
    "cohen_kappas",
    "find_patterns",
    "fleiss_kappa",
    "gwet_ac",
    "krippendorff_alpha",
    "overlap_of_sets",
    "percent_agreement",
    "scott_pi",
    "specific_agreement",
    "sum_over",
    "sums_by_group",
    "sums_of_counts",
]

FloatArray = npt.NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weighting = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True)
class Sums:
    """What the coefficients need to know of a sample of pairs; the first axis counts pairs or resamples.

    coincidences and pairings differ in how much a pair with many votes weighs: coincidences counts each vote once
    (Krippendorff), pairings counts each pair once (Fleiss, Gwet).
    """

    pairs: FloatArray  # (n,) pairs with a vote
    paired: FloatArray  # (n,) pairs with two votes or more
    shares: FloatArray  # (n, levels) sum over pairs of each grade's share of the pair's votes
    coincidences: FloatArray  # (n, levels, levels)
    pairings: FloatArray  # (n, levels, levels)


def sums_of_counts(counts: IntArray) -> Sums:
    """The sums of each row alone; counts has shape (pairs, levels)."""
    values = counts.astype(np.float64)
    votes = values.sum(axis=1)
    paired = votes >= 2
    ordered = values[:, :, None] * values[:, None, :]
    diagonal = np.arange(counts.shape[1])
    ordered[:, diagonal, diagonal] -= values
    ordered[~paired] = 0.0
    others = np.where(paired, votes - 1, 1.0)[:, None, None]
    return Sums(
        pairs=(votes >= 1).astype(np.float64),
        paired=paired.astype(np.float64),
        shares=values / np.maximum(votes, 1.0)[:, None],
        coincidences=ordered / others,
        pairings=ordered / (others * np.maximum(votes, 1.0)[:, None, None]),
    )


def find_patterns(counts: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows of counts, and which of them each row is."""
    base = int(counts.max(initial=0)) + 1
    if base ** counts.shape[1] < 2**62:
        # One number a row sorts a hundred times faster than whole rows.
        codes = counts @ (base ** np.arange(counts.shape[1], dtype=np.int64))
        _, first, pattern = np.unique(codes, return_index=True, return_inverse=True)
        return counts[first], pattern.astype(np.int64)
    patterns, pattern = np.unique(counts, axis=0, return_inverse=True)
    return patterns, pattern.reshape(-1).astype(np.int64)


def sums_by_group(rows: Sums, pattern: IntArray, group: IntArray, groups: int) -> Sums:
    """The sums of each group of pairs; pattern says which of the rows each pair is, group which group it is of."""

    def added(values: FloatArray) -> FloatArray:
        flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
        columns = [np.bincount(group, weights=column[pattern], minlength=groups) for column in flat.T]
        return np.stack(columns, axis=1).reshape((groups, *values.shape[1:]))

    return Sums(
        added(rows.pairs), added(rows.paired), added(rows.shares), added(rows.coincidences), added(rows.pairings)
    )


def sum_over(weights: FloatArray, rows: Sums) -> Sums:
    """The sums of each weighting of the rows; weights has shape (resamples, rows)."""
    count, levels = rows.shares.shape
    return Sums(
        pairs=weights @ rows.pairs,
        paired=weights @ rows.paired,
        shares=weights @ rows.shares,
        coincidences=(weights @ rows.coincidences.reshape(count, levels * levels)).reshape(
            len(weights), levels, levels
        ),
        pairings=(weights @ rows.pairings.reshape(count, levels * levels)).reshape(len(weights), levels, levels),
    )


def percent_agreement(sums: Sums) -> FloatArray:
    """Share of equal grades: the mean, over pairs with two votes or more, of the share of equal couples of votes."""
    return _divided(np.trace(sums.pairings, axis1=1, axis2=2), sums.paired)


def krippendorff_alpha(sums: Sums, grades: tuple[int, ...], level: Level) -> FloatArray:
    """1 - observed / expected disagreement, from the coincidence matrix; nan where every vote is the same grade."""
    marginal = sums.coincidences.sum(axis=2)
    total = marginal.sum(axis=1)
    distance = _distances(marginal, grades, level)
    observed = (sums.coincidences * distance).sum(axis=(1, 2))
    expected = np.einsum("nc,nck,nk->n", marginal, distance, marginal)
    return 1.0 - _divided(observed * np.maximum(total - 1.0, 0.0), expected)


def fleiss_kappa(sums: Sums) -> FloatArray:
    """Agreement beyond that of votes drawn from the common shares of all votes, those on pairs with one vote included."""
    return _beyond_chance(sums, sums.shares / np.maximum(sums.pairs, 1.0)[:, None])


def scott_pi(sums: Sums) -> FloatArray:
    """Agreement beyond that of votes drawn from the shares of the votes that were compared.

    Scott's for two raters; for more, every couple of votes on a pair is taken as two raters, and pairs weigh the same.
    """
    return _beyond_chance(sums, sums.pairings.sum(axis=2) / np.maximum(sums.paired, 1.0)[:, None])


def _beyond_chance(sums: Sums, shares: FloatArray) -> FloatArray:
    chance = (shares**2).sum(axis=1)
    # Shares that add up to 1 within rounding must not make an undefined value look like a large one.
    room = np.where(chance > 1.0 - 1e-12, 0.0, 1.0 - chance)
    return _divided(percent_agreement(sums) - chance, room)


def overlap_of_sets(sums: Sums, at: int) -> FloatArray:
    """Intersection over union of what two votes on a pair call relevant: the levels from place `at` of the scale on."""
    both = sums.pairings[:, at:, at:].sum(axis=(1, 2))
    neither = sums.pairings[:, :at, :at].sum(axis=(1, 2))
    # What rounding leaves of an empty union is no union.
    union = sums.pairings.sum(axis=(1, 2)) - neither
    return _divided(both, np.where(union > 1e-9, union, 0.0))


def specific_agreement(sums: Sums) -> FloatArray:
    """For each grade: where one vote gave it, how often another vote on the pair did too; shape (n, levels)."""
    return _divided(np.diagonal(sums.coincidences, axis1=1, axis2=2), sums.coincidences.sum(axis=2))


def gwet_ac(sums: Sums, grades: tuple[int, ...], weighting: Weighting) -> FloatArray:
    """Gwet's AC1 (weighting none) or AC2: agreement beyond chance, chance counted among hard pairs only."""
    weights = agreement_weights(grades, weighting)
    levels = len(grades)
    shares = sums.shares / np.maximum(sums.pairs, 1.0)[:, None]
    chance = weights.sum() * (shares * (1.0 - shares)).sum(axis=1) / (levels * (levels - 1))
    found = _divided((sums.pairings * weights).sum(axis=(1, 2)), sums.paired)
    return _divided(found - chance, 1.0 - chance)


def cohen_kappa(confusions: IntArray, grades: tuple[int, ...], weighting: Weighting) -> float:
    """Cohen's kappa of a square table of counts; nan where both raters gave one and the same grade throughout."""
    return float(cohen_kappas(confusions[None, :, :], grades, weighting)[0])


def cohen_kappas(confusions: npt.NDArray[np.number], grades: tuple[int, ...], weighting: Weighting) -> FloatArray:
    """Cohen's kappa of many tables, shape (..., levels, levels) to (...)."""
    values = confusions.astype(np.float64)
    disagreement = 1.0 - agreement_weights(grades, weighting)
    observed = (values * disagreement).sum(axis=(-2, -1)) * values.sum(axis=(-2, -1))
    expected = ((values.sum(axis=-1) @ disagreement) * values.sum(axis=-2)).sum(axis=-1)
    return 1.0 - _divided(observed, expected)


def agreement_weights(grades: tuple[int, ...], weighting: Weighting) -> FloatArray:
    """1 on the diagonal, falling to 0 with the distance of the grades' values, over the whole scale."""
    if weighting == "none":
        return np.eye(len(grades))
    values = np.asarray(grades, dtype=np.float64)
    distance = np.abs(values[:, None] - values[None, :]) / (values.max() - values.min())
    weights: FloatArray = 1.0 - (distance if weighting == "linear" else distance**2)
    return weights


def _distances(marginal: FloatArray, grades: tuple[int, ...], level: Level) -> FloatArray:
    values = np.asarray(grades, dtype=np.float64)
    if level == "nominal":
        return (1.0 - np.eye(len(grades)))[None, :, :]
    if level == "ratio":
        total = values[:, None] + values[None, :]
        difference = values[:, None] - values[None, :]
        return (np.divide(difference, total, out=np.zeros_like(total), where=total != 0.0) ** 2)[None, :, :]
    # The ordinal distance is the interval distance between the mid-ranks of the grades.
    positions: FloatArray = np.cumsum(marginal, axis=1) - marginal / 2.0 if level == "ordinal" else values[None, :]
    distance: FloatArray = (positions[:, :, None] - positions[:, None, :]) ** 2
    return distance


def _divided(above: FloatArray, below: FloatArray) -> FloatArray:
    out: FloatArray = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=out, where=below > 0.0)
    return out
