"""What settling disputes can still do to a comparison: whether the winner is certain, and after how many pairs it would be.

Knows votes, runs and the open disputes; no database and no page. The bounds come from metrics.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd

from metrics import Run
from metrics.completions import Completions, find_completions

__all__ = ["Certainty", "find_certainty"]

Key = tuple[str, str]


@dataclass(frozen=True)
class Certainty:
    """How certain the winner of two runs is while disputes are open.

    Parameters
    ----------
    ahead : str or None
        The run that is ahead with every open dispute at the lower median of its votes; None where they are level.
    open : int
        Open disputes.
    lowest, highest : float
        A - B never leaves these limits, whichever grades between their lowest and highest vote the open disputes take.
    certain : bool
        Whether the same run is ahead within the limits: settling more changes nothing about that.
    first : tuple of (query_id, doc_id)
        Open disputes, strongest first, such that the winner is certain once they are settled at the lower median of
        their votes, whatever the others become; empty where it is certain already, or where only all together would do.
    """

    ahead: str | None
    open: int
    lowest: float
    highest: float
    certain: bool
    first: tuple[Key, ...]


def find_certainty(
    votes: pd.DataFrame,
    disputes: Collection[Key],
    scale: Sequence[int],
    runs: Sequence[Run],
    measure: str,
    a: str,
    b: str,
) -> Certainty:
    """Find out whether settling the open disputes can change which of two runs is ahead.

    Parameters
    ----------
    votes : DataFrame
        query_id, doc_id, rater, grade; of a settled pair the decision alone.
    disputes : collection of (query_id, doc_id)
        The open ones; every other pair keeps the lower median of its votes.
    """
    possible = _possible(votes, set(disputes))
    two = [run for run in runs if run.tag in (a, b)]

    def complete(settled: Collection[Key]) -> Completions:
        keys = pd.MultiIndex.from_frame(possible[["query_id", "doc_id"]])
        fixed = pd.Series(keys.isin(list(settled)), index=possible.index)
        limits = {
            name: possible[name].where(~fixed, possible["grade"]) if settled else possible[name]
            for name in ("lowest", "highest")
        }
        return find_completions(possible.assign(**limits), tuple(scale), two, measure, a, b, most=1)

    now = complete([])
    order = list(zip(now.pairs["query_id"], now.pairs["doc_id"], strict=True))
    count = sum(possible["lowest"] < possible["highest"])
    ahead = None if now.difference == 0 else (a if now.difference > 0 else b)
    few, many = 1, len(order)
    while not now.fixed and few < many:
        middle = (few + many) // 2
        if complete(order[:middle]).fixed:
            many = middle
        else:
            few = middle + 1
    first = () if now.fixed or few >= len(order) else tuple(order[:few])
    return Certainty(ahead, int(count), now.lowest, now.highest, now.fixed, first)


def _possible(votes: pd.DataFrame, open_ones: set[Key]) -> pd.DataFrame:
    grouped = votes.groupby(["query_id", "doc_id"], sort=True)["grade"]
    table = grouped.agg(
        grade=lambda grades: grades.sort_values().iloc[(len(grades) - 1) // 2], lowest="min", highest="max"
    ).reset_index()
    fixed = ~pd.MultiIndex.from_frame(table[["query_id", "doc_id"]]).isin(list(open_ones))
    for name in ("lowest", "highest"):
        table[name] = table[name].where(~fixed, table["grade"])
    return table
