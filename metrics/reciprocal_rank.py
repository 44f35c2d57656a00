"""RR: one over the rank of the first relevant document.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import REL_ONLY, has_relevant, rel_measure, relevant_within
from metrics.hits import JudgedHits, hits_of_ranking
from metrics.measure import Declaration, Measure, declare

__all__ = ["reciprocal_rank"]


def score_reciprocal_rank(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """RR of every row."""
    relevant = relevant_within(hits, measure)
    first = relevant & (hits.count_so_far(relevant) == 1)
    return hits.sum_rows(np.where(first, 1.0 / np.maximum(hits.rank, 1), 0.0))


declare(
    Declaration(
        name="RR",
        summary="One over the rank of the first relevant document; its mean over queries is MRR",
        formula="1 / rank of the first relevant document, 0 where there is none within the cutoff",
        score=score_reciprocal_rank,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        trec_whole="recip_rank",
        undefined="never",
        notes="ir_measures sends RR@k to a scorer that breaks ties by doc_id ascending; here, and in trec_eval, descending.",
        source="Kantor and Voorhees 2000, The TREC-5 confusion track",
    )
)


def reciprocal_rank(grades: NDArray[np.integer], *, rel: int = 1, cutoff: int | None = None) -> float:
    """One over the rank of the first relevant document.

    1 says that the first document is relevant, 0.1 that the tenth is the first relevant one, 0 that none was found.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    rel : int >= 1
        The least relevant grade.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    Undefined: never. Unjudged: not relevant. Source: Kantor and Voorhees 2000.

    Examples
    --------
    >>> import numpy as np
    >>> reciprocal_rank(np.array([0, 1, 1]))
    0.5
    >>> reciprocal_rank(np.array([0, 1, 1]), rel=2)
    0.0
    """
    hits = hits_of_ranking(grades, np.asarray(grades))
    return float(score_reciprocal_rank(hits, rel_measure("RR", cutoff, rel))[0])
