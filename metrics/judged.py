"""Judged: how much of what was retrieved carries a judgment.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.hits import UNJUDGED, JudgedHits, divide, hits_of_ranking
from metrics.measure import Declaration, Measure, declare

__all__ = ["judged"]


def score_judged(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Judged share of every row; 0 where nothing was retrieved."""
    counted = (hits.hit_grades != UNJUDGED) & hits.within_cutoff(measure.cutoff)
    shown = hits.retrieved if measure.cutoff is None else np.minimum(hits.retrieved, measure.cutoff)
    return np.nan_to_num(divide(hits.sum_rows(counted), shown))


def _has_judgment(hits: JudgedHits, _: Measure) -> NDArray[np.bool_]:
    return np.asarray(hits.count_pairs(hits.grades != UNJUDGED) > 0)


declare(
    Declaration(
        name="Judged",
        summary="The share of the retrieved top k that has a judgment, whatever the grade",
        formula="judged documents within k, divided by min(k, documents retrieved)",
        score=score_judged,
        has_relevant=_has_judgment,
        undefined="never: 0 where nothing was retrieved",
        notes="trec_eval 10 counts the unjudged (unj) and divides by k. A negative grade in the qrels is a judgment here.",
        source="ir_measures",
    )
)


def judged(grades: NDArray[np.integer], *, cutoff: int | None = None) -> float:
    """The share of the retrieved top k that has a judgment.

    A low value says that the other scores of this ranking rest on few judgments.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    Undefined: never; 0 where nothing was retrieved. Differs from: trec_eval, which divides by k.

    Examples
    --------
    >>> import numpy as np
    >>> judged(np.array([1, UNJUDGED, 0, 0]), cutoff=2)
    0.5
    """
    ranked = np.asarray(grades, dtype=np.int64)
    return float(score_judged(hits_of_ranking(ranked, ranked[ranked != UNJUDGED]), Measure("Judged", cutoff))[0])
