"""How far nDCG could move if the unjudged documents at the top were judged.

Knows aligned runs; nothing of files or votes.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics.alignment import Alignment, mean_where
from metrics.gains import discount_at, gain_of
from metrics.hits import UNJUDGED, JudgedHits
from metrics.measure import Measure

__all__ = ["bound_ndcg"]

COLUMNS = ["run", "measure", "mean", "worst", "best", "unjudged"]


def bound_ndcg(alignment: Alignment, measure: Measure) -> pd.DataFrame:
    """The mean nDCG of each run if every unjudged document within the cutoff were worst, and if every one were best.

    Parameters
    ----------
    alignment : Alignment
    measure : Measure
        nDCG with any parameters.

    Returns
    -------
    DataFrame
        run, measure, mean, worst (all of grade 0), best (all of the highest grade in the qrels, which enter the ideal
        too), unjudged (documents within the cutoff, over all queries).

    Notes
    -----
    Both are scores under two extreme sets of judgments, not limits of all sets: a document judged relevant far down
    raises the ideal more than the score.
    """
    hits, judged = alignment.hits, alignment.judged
    discount = measure.text("discount")
    depth = np.minimum(hits.retrieved, measure.cutoff or int(hits.retrieved.max(initial=0)))
    sizes = np.bincount(judged.query, minlength=hits.queries)
    longest = int(hits.retrieved.max(initial=0) + sizes.max(initial=0))
    discounts = discount_at(discount, np.arange(1, longest + 1))
    if measure.cutoff is not None:
        discounts[measure.cutoff :] = 0.0
    down_to = np.concatenate(([0.0], np.cumsum(discounts)))
    known = hits.within_cutoff(measure.cutoff) & (hits.hit_grades != UNJUDGED)
    open_ranks = depth - hits.sum_rows(known)
    open_worth = down_to[depth] - hits.sum_rows(np.where(known, discounts[np.maximum(hits.rank, 1) - 1], 0.0))
    gains = gain_of(measure.text("gain"), judged.grades)
    top = float(gains.max(initial=0.0))
    found = hits.sum_rows(np.where(known, gains[hits.pair] * discounts[hits.rank - 1], 0.0))
    best_ideal = _ideal_with(gains, hits, np.asarray(open_ranks, dtype=np.int64), down_to)
    best = np.divide(found + top * open_worth, best_ideal, out=np.zeros(len(found)), where=best_ideal > 0)
    scores = alignment.score(measure)
    shape = scores.values.shape
    # an unjudged document without gain changes nothing, so the worst case is the score itself
    return pd.DataFrame(
        {
            "run": alignment.tags,
            "measure": str(measure),
            "mean": scores.means(),
            "worst": scores.means(),
            "best": mean_where(np.where(scores.missing, 0.0, best.reshape(shape)), scores.counted),
            "unjudged": open_ranks.reshape(shape).sum(axis=1).astype(np.int64),
        },
        columns=COLUMNS,
    )


def _ideal_with(
    gains: NDArray[np.float64], hits: JudgedHits, more: NDArray[np.int64], down_to: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Ideal DCG of each row when so many more documents had the highest gain."""
    ideal = np.zeros(len(more))
    below = 0.0
    for level in np.unique(gains[gains > 0]):
        number = np.asarray(hits.spread(hits.count_pairs(gains >= level)), dtype=np.int64)
        ideal += (level - below) * down_to[np.minimum(number + more, len(down_to) - 1)]
        below = float(level)
    return ideal
