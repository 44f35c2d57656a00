"""Every two raters with pairs in common: their tables of confusions, their kappas, and the bootstrap of these.

Knows encoded votes and arrays; what is said about them stands in agreement.py.
"""

import math
from dataclasses import dataclass

import numpy as np

from labeling._coefficients import FloatArray, Weighting, cohen_kappas
from labeling._votes import EncodedVotes, IntArray

__all__ = [
    "FEWEST_UNITS",
    "WEIGHTINGS",
    "Couples",
    "RaterPair",
    "count_units",
    "describe_couples",
    "draw_kappas",
    "find_couples",
    "mean_kappa",
]

BOTH_ONE_GRADE = "both raters gave one and the same grade throughout"
WEIGHTINGS: tuple[Weighting, ...] = ("none", "linear", "quadratic")
FEWEST_UNITS = 5  # queries or pairs of two raters, below which a bootstrap interval misleads
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class RaterPair:
    """Two raters on the n pairs that both voted on; the kappas are nan where undefined says why.

    cohen_kappa_low and cohen_kappa_high bound the bootstrap's middle 95 % of the unweighted kappa; nan without one.
    """

    raters: tuple[str, str]
    n: int
    agreement: float
    cohen_kappa: float
    cohen_kappa_low: float
    cohen_kappa_high: float
    cohen_kappa_linear: float
    cohen_kappa_quadratic: float
    undefined: str | None


@dataclass(frozen=True)
class Couples:
    """Couples of raters in byte order of their names, and each time that both voted on a pair.

    tables has shape (couples, levels, levels), the first rater's grades in the rows. pair, couple and cell describe the
    common pairs one by one; a cell is row * levels + column.
    """

    raters: tuple[tuple[str, str], ...]
    tables: IntArray
    pair: IntArray
    couple: IntArray
    cell: IntArray


def find_couples(votes: EncodedVotes) -> Couples:
    """Every two raters with a pair in common."""
    raters, levels = len(votes.rater_names), len(votes.grades)
    pairs, codes, cells = ([np.empty(0, dtype=np.int64)] for _ in range(3))
    widest = int(np.bincount(votes.pair).max(initial=0)) if len(votes.pair) else 0
    for step in range(1, widest):
        same = votes.pair[step:] == votes.pair[:-step]
        pairs.append(votes.pair[step:][same])
        codes.append((votes.rater[:-step] * raters + votes.rater[step:])[same])
        cells.append((votes.level[:-step] * levels + votes.level[step:])[same])
    code, cell = np.concatenate(codes), np.concatenate(cells)
    # Raters are few: a table over every code is quicker than sorting the codes.
    used = np.flatnonzero(np.bincount(code, minlength=raters * raters))
    place = np.zeros(raters * raters, dtype=np.int64)
    place[used] = np.arange(len(used))
    couple, size = place[code], levels * levels
    tables = np.bincount(couple * size + cell, minlength=len(used) * size).reshape(len(used), levels, levels)
    names = tuple((votes.rater_names[one // raters], votes.rater_names[one % raters]) for one in used.tolist())
    return Couples(names, tables.astype(np.int64), np.concatenate(pairs), couple, cell)


def draw_kappas(
    couples: Couples, grades: tuple[int, ...], weights: FloatArray, unit: IntArray
) -> dict[Weighting, tuple[FloatArray, FloatArray]]:
    """Each couple's kappa in each resample, shape (draws, couples), and the mean kappa of each resample, shape (draws,).

    weights has shape (draws, units); unit says of each pair which unit it belongs to.
    """
    units, size = weights.shape[1], len(grades) ** 2
    step = max(1, _CELLS_AT_ONCE // max(1, units * size))
    found: dict[Weighting, list[FloatArray]] = {weighting: [] for weighting in WEIGHTINGS}
    sizes = []
    # One number says unit and cell of a common pair, so that each chunk of couples is one count and one matrix product.
    place = unit[couples.pair] * size + couples.cell
    order = np.argsort(couples.couple, kind="stable")
    ends = np.searchsorted(couples.couple[order], np.arange(0, len(couples.raters) + step, step))
    for number, first in enumerate(range(0, len(couples.raters), step)):
        here = order[ends[number] : ends[number + 1]]
        wide = min(step, len(couples.raters) - first)
        codes = (couples.couple[here] - first) * (units * size) + place[here]
        counts = np.bincount(codes, minlength=wide * units * size).reshape(wide, units, size)
        drawn = np.einsum("du,cus->dcs", weights, counts.astype(np.float64), optimize=True)
        tables = drawn.reshape(len(weights), wide, len(grades), len(grades))
        sizes.append(tables.sum(axis=(2, 3)))
        for weighting in WEIGHTINGS:
            found[weighting].append(cohen_kappas(tables, grades, weighting))
    n = np.concatenate(sizes, axis=1) if sizes else np.zeros((len(weights), 0))
    joined = {weighting: np.concatenate(parts, axis=1) if parts else n for weighting, parts in found.items()}
    return {weighting: (kappas, mean_kappa(kappas, n)) for weighting, kappas in joined.items()}


def mean_kappa(kappas: FloatArray, n: FloatArray) -> FloatArray:
    """The mean over couples, each weighing as many as its common pairs; couples whose kappa is undefined are left out."""
    defined = ~np.isnan(kappas)
    total = np.where(defined, n, 0.0).sum(axis=-1)
    mean: FloatArray = np.full(np.shape(total), np.nan)
    np.divide(np.where(defined, kappas * n, 0.0).sum(axis=-1), total, out=mean, where=total > 0.0)
    return mean


def count_units(couples: Couples, unit: IntArray) -> IntArray:
    """How many units (queries or pairs) each couple's common pairs come from."""
    units = int(unit.max(initial=-1)) + 1
    counts = np.bincount(couples.couple * units + unit[couples.pair], minlength=len(couples.raters) * units)
    found: IntArray = (counts.reshape(len(couples.raters), units) > 0).sum(axis=1).astype(np.int64)
    return found


def describe_couples(
    couples: Couples, grades: tuple[int, ...], drawn: FloatArray | None, units: IntArray
) -> tuple[RaterPair, ...]:
    """Each couple in numbers.

    drawn holds the unweighted kappas of the resamples, shape (draws, couples); units how many units each couple has: what
    varies between a handful of them says nothing about what others would give, so that there is no interval then.
    """
    kappas = {weighting: cohen_kappas(couples.tables, grades, weighting).tolist() for weighting in WEIGHTINGS}
    described = []
    for place, (raters, table) in enumerate(zip(couples.raters, couples.tables, strict=True)):
        n, kappa = int(table.sum()), kappas["none"][place]
        told = drawn is not None and not math.isnan(kappa) and units[place] >= FEWEST_UNITS
        low, high = middle_of(drawn[:, place] if drawn is not None and told else None)
        described.append(
            RaterPair(
                raters=raters,
                n=n,
                agreement=int(np.trace(table)) / n,
                cohen_kappa=kappa,
                cohen_kappa_low=low,
                cohen_kappa_high=high,
                cohen_kappa_linear=kappas["linear"][place],
                cohen_kappa_quadratic=kappas["quadratic"][place],
                undefined=BOTH_ONE_GRADE if math.isnan(kappa) else None,
            )
        )
    return tuple(described)


def middle_of(drawn: FloatArray | None) -> tuple[float, float]:
    """The middle 95 % of the resamples; nan where there are none, or most of them are undefined."""
    defined = drawn[~np.isnan(drawn)] if drawn is not None else np.empty(0)
    # An interval over a minority of the resamples would speak for a sample that was not drawn.
    if drawn is None or 2 * len(defined) <= len(drawn):
        return math.nan, math.nan
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)
