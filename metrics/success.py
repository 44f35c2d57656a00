"""Success: whether anything relevant stands at the top.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import REL_ONLY, has_relevant, rel_measure, relevant_within
from metrics.hits import JudgedHits, hits_of_ranking
from metrics.measure import Declaration, Measure, declare

__all__ = ["success"]


def score_success(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Success of every row."""
    return np.minimum(hits.sum_rows(relevant_within(hits, measure)), 1.0)


declare(
    Declaration(
        name="Success",
        summary="Whether any relevant document stands in the top k; its mean is the hit rate",
        formula="1 where a relevant document stands within k, else 0",
        score=score_success,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="needed",
        trec_cut="success",
        undefined="never",
        source="trec_eval, m_success.c",
    )
)


def success(grades: NDArray[np.integer], *, cutoff: int, rel: int = 1) -> float:
    """Whether any relevant document stands in the top k.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    cutoff : int >= 1
        Ranks.
    rel : int >= 1
        The least relevant grade.

    Returns
    -------
    float
        1.0 or 0.0.

    Examples
    --------
    >>> import numpy as np
    >>> success(np.array([0, 0, 1]), cutoff=3), success(np.array([0, 0, 1]), cutoff=2)
    (1.0, 0.0)
    """
    return float(score_success(hits_of_ranking(grades, np.asarray(grades)), rel_measure("Success", cutoff, rel))[0])
