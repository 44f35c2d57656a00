"""Whether a rater's grades move away from those of the partners on the same pairs as time goes by.

Knows tables of votes with the moment of each; no database, no page.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from labeling._cautions import Caution

__all__ = ["differences_to_partners", "find_drifts", "tell_time"]

LEAST_SECONDS = 0.5  # on average for a vote; rows that an import stamped with its own moment are closer together

FEWEST_STRETCHES = 10
CHANCE = 0.01  # shared by all raters that are tested
LEAST_CHANGE = 0.2  # grades; less is no reason to doubt anybody


def differences_to_partners(votes: pd.DataFrame) -> pd.DataFrame:
    """Each vote on a pair with two votes or more, beside the mean of the other votes on it.

    The votes' rows and columns, with partners (that mean) and difference (grade - partners) added.
    """
    pairs = votes.groupby(["query_id", "doc_id"], sort=False)["grade"]
    total, count = pairs.transform("sum"), pairs.transform("count")
    shared = votes[count >= 2]
    partners = (total - votes["grade"])[count >= 2] / (count[count >= 2] - 1)
    return shared.assign(partners=partners.astype(float), difference=(shared["grade"] - partners).astype(float))


def find_drifts(votes: pd.DataFrame) -> list[Caution]:
    """A caution for each rater whose mean difference to partners rises or falls with time.

    A rater's votes are put in the order of judged_at and cut into stretches, one for each query in hand (ten of equal
    length where that makes fewer than ten): votes on one query go together and must not count as many. Tested is the
    slope of the stretches' mean difference over their order, weighted by their votes. Named is a rater with p below 0.01
    shared by all raters tested, and a change from the first to the last third of 0.2 grades or more.
    """
    timed = differences_to_partners(votes.dropna(subset=["judged_at"]))
    tested = []
    for rater, own in timed.groupby("rater", sort=True):
        moments = pd.to_datetime(own["judged_at"], utc=True, format="ISO8601")
        if tell_time(moments):
            ordered = own.assign(moment=moments).sort_values(["moment", "query_id", "doc_id"])
            tested += [(str(rater), *found) for found in _test_slope(ordered)]
    return [
        Caution(
            "drifting_rater",
            {"rater": rater, "first": f"{first:+.2f}", "last": f"{last:+.2f}", "n": n, "p": f"{p:.2g}"},
        )
        for rater, n, first, last, p in tested
        if p < CHANCE / len(tested) and abs(last - first) >= LEAST_CHANGE
    ]


def tell_time(moments: pd.Series) -> bool:
    """Whether these can be the moments of judging, and not those of an import that stamped its rows one after the other."""
    return len(moments) > 1 and (moments.max() - moments.min()).total_seconds() >= LEAST_SECONDS * len(moments)


def _test_slope(ordered: pd.DataFrame) -> Iterator[tuple[int, float, float, float]]:
    """Votes, mean difference in the first and the last third, and p; nothing where there are too few votes to test."""
    difference = ordered["difference"].to_numpy()
    query = ordered["query_id"].to_numpy()
    stretch = np.concatenate([[0], np.cumsum(query[1:] != query[:-1])])
    if stretch[-1] + 1 < FEWEST_STRETCHES:
        stretch = np.arange(len(difference)) * FEWEST_STRETCHES // len(difference)
    votes = np.bincount(stretch).astype(float)
    if len(votes) < FEWEST_STRETCHES or len(difference) < 5 * FEWEST_STRETCHES:
        return
    means = np.bincount(stretch, weights=difference) / votes
    third = len(difference) // 3
    yield (
        len(difference),
        float(difference[:third].mean()),
        float(difference[-third:].mean()),
        _weighted_slope_chance(np.arange(len(votes), dtype=float), means, votes),
    )


def _weighted_slope_chance(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    """The two-sided p of the slope of a weighted least-squares line."""
    from scipy import stats  # noqa: PLC0415 -- a second at every start otherwise

    share = weights / weights.sum()
    x, y = x - share @ x, y - share @ y
    spread = share @ x**2
    slope = (share @ (x * y)) / spread
    rest = share @ (y - slope * x) ** 2
    if rest <= 1e-12 * max(1.0, float(share @ y**2)):
        return 0.0 if abs(slope) > 1e-9 else 1.0
    t = slope * np.sqrt(spread * (len(x) - 2) / rest)
    return float(2.0 * stats.t.sf(abs(t), len(x) - 2))
