"""Bpref: how often relevant documents stand above those judged not relevant.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import REL_ONLY, has_relevant, rel_measure
from metrics.hits import JudgedHits, divide, hits_of_ranking
from metrics.measure import Declaration, Measure, declare

__all__ = ["bpref"]


def score_bpref(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Bpref of every row."""
    rel = measure.integer("rel")
    relevant = hits.hit_grades >= rel
    in_all = hits.count_relevant(rel)
    rejected_in_all = hits.count_pairs((hits.grades >= 0) & (hits.grades < rel))
    most = np.minimum(np.asarray(hits.spread(rejected_in_all), dtype=np.float64), in_all)
    rejected = hits.count_so_far((hits.hit_grades >= 0) & (hits.hit_grades < rel))
    lost = np.nan_to_num(divide(np.minimum(rejected, in_all[hits.row]), most[hits.row]))
    return divide(hits.sum_rows(np.where(relevant, 1.0 - lost, 0.0)), in_all)


declare(
    Declaration(
        name="Bpref",
        summary="How often relevant documents stand above documents judged not relevant; unjudged ones do not count",
        formula="1/R * sum over relevant found of 1 - min(judged not relevant above, R) / min(judged not relevant, R)",
        score=score_bpref,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="none",
        trec_whole="bpref",
        undefined="no relevant document",
        notes="Negative grades count as unjudged, as in trec_eval.",
        source="Buckley and Voorhees 2004, Retrieval evaluation with incomplete information",
    )
)


def bpref(grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, rel: int = 1) -> float:
    """How often relevant documents stand above documents judged not relevant.

    1 says that no judged document that is not relevant stands above a relevant one; unjudged documents do not matter.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    judged_grades : array of int, shape (m,)
        Grades of all judged documents of the query, retrieved or not.
    rel : int >= 1
        The least relevant grade.

    Returns
    -------
    float in [0, 1], or nan where no judged document is relevant

    Notes
    -----
    Undefined: no relevant document. Unjudged, and negative grades: left out. Source: Buckley and Voorhees 2004.

    Examples
    --------
    >>> import numpy as np
    >>> bpref(np.array([1, 0, 1]), np.array([1, 0, 1]))
    0.5
    """
    return float(score_bpref(hits_of_ranking(grades, judged_grades), rel_measure("Bpref", None, rel))[0])
