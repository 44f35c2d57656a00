"""How alike two orders of systems are: Kendall's tau-b, tau_AP and RBO.

Knows arrays of scores and lists of names; nothing of runs or qrels.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["rbo", "tau_ap", "tau_ap_b", "tau_b", "tau_matrix"]

Floats = NDArray[np.float64]
SAME = 1e-12
"""Scores nearer than this are the same score: sums of floats differ in their last digits."""


def tau_b(first: Floats, second: Floats) -> float:
    """Kendall's tau-b between the orders that two lists of scores give the same systems.

    1 is the same order, -1 the reverse. (agreeing pairs - opposed pairs) / sqrt(pairs not tied in the first * pairs not
    tied in the second).

    Parameters
    ----------
    first, second : array of float, shape (systems,)

    Returns
    -------
    float in [-1, 1], or nan where one of them is tied throughout

    Notes
    -----
    Scores nearer than 1e-12 are tied. Differs from: scipy.stats.kendalltau only in that. Source: Kendall 1945.

    Examples
    --------
    >>> tau_b(np.array([0.1, 0.2, 0.3]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    >>> tau_b(np.array([0.1, 0.1]), np.array([1.0, 2.0]))
    nan
    """
    return float(tau_matrix(np.stack([np.asarray(first, float), np.asarray(second, float)]))[0, 1])


def tau_matrix(scores: Floats) -> Floats:
    """Kendall's tau-b between every two rows.

    Parameters
    ----------
    scores : array of float, shape (orders, systems)

    Returns
    -------
    array of float, shape (orders, orders), nan where a row is tied throughout
    """
    orders, systems = scores.shape
    agreement = np.zeros((orders, orders))
    untied = np.zeros(orders)
    for system in range(systems - 1):
        step = scores[:, system + 1 :] - scores[:, system : system + 1]
        sign = np.where(np.abs(step) <= SAME, 0.0, np.sign(step)).astype(np.float32)
        agreement += sign @ sign.T
        untied += np.count_nonzero(sign, axis=1)
    scale = np.sqrt(np.outer(untied, untied))
    taus: Floats = np.full((orders, orders), np.nan)
    np.divide(agreement, scale, out=taus, where=scale > 0)
    return taus


def tau_ap(truth: Floats, estimate: Floats) -> float:
    """tau_AP: Kendall's tau that weighs the top of the estimated order more.

    1 is the same order, -1 the reverse. 2 / (n - 1) * sum over estimated ranks i >= 2 of (systems above i that the truth
    also puts above) / (i - 1), minus 1.

    Parameters
    ----------
    truth, estimate : array of float, shape (systems,)
        Higher is better.

    Returns
    -------
    float in [-1, 1], or nan for fewer than two systems

    Notes
    -----
    Not symmetric. Ties: with systems tied in the estimate, the mean over all orders of the tied ones, which is tau_AP,a of
    Urbano and Marrero; a pair tied in the truth counts half. Scores nearer than 1e-12 are tied. Source: Yilmaz, Aslam and
    Robertson 2008, A new rank correlation coefficient for information retrieval; Urbano and Marrero 2017, The treatment of
    ties in AP correlation.

    Examples
    --------
    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    1.0

    Two tied systems stand in either order equally often:

    >>> tau_ap(np.array([2.0, 1.0]), np.array([5.0, 5.0]))
    0.0
    >>> tau_ap(np.array([1.0]), np.array([1.0]))
    nan
    """
    true, guess = np.asarray(truth, float), np.asarray(estimate, float)
    systems = len(true)
    if systems < 2:
        return float("nan")
    total = 0.0
    for above, group in _groups(guess):
        step = true[above, None] - true[group]
        surplus = float((step > SAME).sum() - (step < -SAME).sum()) / len(group)
        # pairs within the group cancel out over all its orders
        total += surplus * sum(1.0 / rank for rank in range(max(len(above), 1), len(above) + len(group)))
    return total / (systems - 1)


def tau_ap_b(first: Floats, second: Floats) -> float:
    """tau_AP,b: how far two orders agree, the top weighing more, where neither is the truth and both may hold ties.

    1 is the same order with the same ties; -1 is reached by reversed orders without ties. The mean of two halves, one for
    either order: 2 * (mean over the systems below the order's first group of: share of the systems above its group that
    the other order puts above it too) - 1.

    Parameters
    ----------
    first, second : array of float, shape (systems,)
        Higher is better.

    Returns
    -------
    float in [-1, 1], or nan where one of them is tied throughout

    Notes
    -----
    Symmetric. Ties: systems of one group are not compared with each other; a pair parted here and tied there disagrees.
    Scores nearer than 1e-12 are tied. Source: Urbano and Marrero 2017, The treatment of ties in AP correlation, tau_AP,b.

    Examples
    --------
    >>> tau_ap_b(np.array([3.0, 2.0, 2.0]), np.array([9.0, 5.0, 5.0]))
    1.0

    The trap: a tie that only one of the orders has counts against them.

    >>> tau_ap_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 1.0]))
    0.75
    >>> tau_ap_b(np.array([1.0, 1.0]), np.array([2.0, 1.0]))
    nan
    """
    one, two = np.asarray(first, float), np.asarray(second, float)
    return 0.5 * (_half_tau_ap_b(one, two) + _half_tau_ap_b(two, one))


def _half_tau_ap_b(other: Floats, order: Floats) -> float:
    shares: list[float] = []
    for above, group in _groups(order):
        if len(above):
            shares += ((other[above, None] - other[group]) > SAME).mean(axis=0).tolist()
    return 2.0 * float(np.mean(shares)) - 1.0 if shares else float("nan")


def _groups(scores: Floats) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Groups of tied systems from the best on, each beside the systems above it."""
    order = np.argsort(-scores, kind="stable").astype(np.int64)
    ends = np.flatnonzero(np.append(-np.diff(scores[order]) > SAME, True)) + 1
    start = 0
    for end in ends.tolist() if len(order) else []:
        yield order[:start], order[start:end]
        start = end


def rbo(first: Sequence[str], second: Sequence[str], *, p: float = 0.9) -> float:
    """Rank-biased overlap of two lists, extrapolated: how alike they are, the top counting most.

    Parameters
    ----------
    first, second : sequence of str
        Best first, nothing twice; they may differ in length.
    p : float in (0, 1)
        Chance of looking one rank further: 0.9 puts 86 % of the weight on the first ten ranks.

    Returns
    -------
    float in [0, 1], or nan where both are empty

    Notes
    -----
    RBO_EXT, equation 32 of Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings.

    Examples
    --------
    >>> round(rbo(["a", "b", "c"], ["a", "b", "c"]), 12)
    1.0
    >>> rbo(["a"], ["b"])
    0.0
    """
    short, long = sorted((list(first), list(second)), key=len)
    s, depth = len(short), len(long)
    if depth == 0:
        return float("nan")
    if s == 0:
        return 0.0
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    overlap = np.zeros(depth + 1)
    for rank in range(1, depth + 1):
        seen_long.add(long[rank - 1])
        if rank <= s:
            seen_short.add(short[rank - 1])
        overlap[rank] = len(seen_short & seen_long)
    ranks = np.arange(1, depth + 1)
    weights = p**ranks
    head = float((overlap[1:] / ranks * weights).sum())
    beyond = np.arange(s + 1, depth + 1)
    tail = float((overlap[s] * (beyond - s) / (s * beyond) * p**beyond).sum())
    last = (overlap[depth] - overlap[s]) / depth + overlap[s] / s
    return float((1 - p) / p * (head + tail) + last * p**depth)
