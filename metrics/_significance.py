"""Paired tests over queries, as arrays: all pairs of systems at once.

Knows arrays of scores; nothing of runs, qrels or tables.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "adjust_holm",
    "bootstrap_intervals",
    "detectable",
    "randomization_test",
    "t_test",
    "tukey_test",
    "wilcoxon_test",
]

Floats = NDArray[np.float64]
_EPSILON = 1e-12
_CELLS = 8_000_000
"""Numbers held at once by a test that draws; more draws are done in turns."""


def t_test(differences: Floats) -> Floats:
    """Two-sided p of Student's paired t; nan for fewer than two queries or where no query differs.

    Parameters
    ----------
    differences : array of float, shape (pairs, queries)
    """
    from scipy import stats  # noqa: PLC0415 -- a second at every start otherwise

    queries = differences.shape[1]
    if queries < 2:
        return np.full(len(differences), np.nan)
    error = differences.std(axis=1, ddof=1) / np.sqrt(queries)
    t = np.full(len(differences), np.nan)
    np.divide(differences.mean(axis=1), error, out=t, where=error > _EPSILON)
    # the same difference on every query: no error, and no doubt
    t[(error <= _EPSILON) & (np.abs(differences.mean(axis=1)) > _EPSILON)] = np.inf
    return np.asarray(2 * stats.t.sf(np.abs(t), queries - 1), dtype=np.float64)


def wilcoxon_test(differences: Floats) -> Floats:
    """Two-sided p of Wilcoxon's signed-rank test, as scipy; nan where no query differs."""
    from scipy import stats  # noqa: PLC0415 -- a second at every start otherwise

    found = np.full(len(differences), np.nan)
    for row, values in enumerate(differences):
        known = np.where(np.abs(values) <= _EPSILON, 0.0, values)
        if np.any(known):
            found[row] = stats.wilcoxon(known).pvalue
    return found


def randomization_test(differences: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """Two-sided p when the two systems' scores change places at random on each query.

    (1 + draws at least as far from 0) / (draws + 1): never 0, and honest about the number of draws.
    """
    pairs, queries = differences.shape
    if not queries:
        return np.full(pairs, np.nan)
    seen = np.abs(differences.sum(axis=1)) - _EPSILON * queries
    reached = np.zeros(pairs)
    for block in _blocks(draws, pairs + queries):
        signs = generator.integers(0, 2, size=(block, queries), dtype=np.int8) * 2.0 - 1.0
        reached += (np.abs(signs @ differences.T) >= seen).sum(axis=0)
    return (1 + reached) / (draws + 1)


def tukey_test(scores: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """P of every two systems by randomized Tukey HSD: on each query all systems' scores change places at random.

    Parameters
    ----------
    scores : array of float, shape (systems, queries)

    Returns
    -------
    array of float, shape (systems, systems)

    Notes
    -----
    Corrects for the number of systems, and knows that they share queries. Source: Carterette 2012, Multiple testing in
    statistical analysis of systems-based information retrieval experiments.
    """
    systems, queries = scores.shape
    means = scores.mean(axis=1) if queries else np.full(systems, np.nan)
    spread = np.empty(draws)
    start = 0
    for block in _blocks(draws, systems * queries):
        shuffled = generator.permuted(np.broadcast_to(scores.T, (block, queries, systems)), axis=2)
        drawn = shuffled.mean(axis=1) if queries else np.zeros((block, systems))
        spread[start : start + block] = drawn.max(axis=1) - drawn.min(axis=1)
        start += block
    spread.sort()
    difference = np.abs(means[:, None] - means[None, :])
    reached = draws - np.searchsorted(spread, difference - _EPSILON)
    return np.where(np.isnan(difference), np.nan, (1 + reached) / (draws + 1))


def bootstrap_intervals(differences: Floats, draws: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Ends of the middle 95 % of the mean difference when queries are drawn again with replacement."""
    pairs, queries = differences.shape
    if not queries:
        return np.full(pairs, np.nan), np.full(pairs, np.nan)
    weights = generator.multinomial(queries, np.full(queries, 1 / queries), size=draws) / queries
    low, high = np.empty(pairs), np.empty(pairs)
    start = 0
    for block in _blocks(pairs, draws):
        part = slice(start, start + block)
        low[part], high[part] = np.quantile(weights @ differences[part].T, [0.025, 0.975], axis=0)
        start += block
    return low, high


def detectable(differences: Floats, *, level: float = 0.05, power: float = 0.8) -> Floats:
    """The smallest true difference that a paired t test on so many queries would find with this power."""
    from scipy import stats  # noqa: PLC0415 -- a second at every start otherwise

    queries = differences.shape[1]
    if queries < 2:
        return np.full(len(differences), np.nan)
    error = differences.std(axis=1, ddof=1) / np.sqrt(queries)
    reach = stats.t.ppf(1 - level / 2, queries - 1) + stats.t.ppf(power, queries - 1)
    return np.asarray(reach * error, dtype=np.float64)


def adjust_holm(p: Floats) -> Floats:
    """Holm's correction for having made so many tests; undefined tests are not counted."""
    adjusted = np.full(len(p), np.nan)
    (known,) = np.nonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _blocks(number: int, cells_each: int) -> list[int]:
    size = max(1, min(number, _CELLS // max(cells_each, 1)))
    whole, rest = divmod(number, size)
    return [size] * whole + ([rest] if rest else [])
