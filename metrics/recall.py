"""R, SetR and SetF: the share of the relevant documents that was found.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import REL_ONLY, has_relevant, rel_measure, relevant_within
from metrics.hits import JudgedHits, divide, hits_of_ranking
from metrics.measure import BETA, RELEVANT, Declaration, Measure, declare

__all__ = ["recall", "set_f", "set_recall"]


def score_recall(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Recall of every row."""
    return divide(hits.sum_rows(relevant_within(hits, measure)), hits.count_relevant(measure.integer("rel")))


def score_set_f(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Weighted harmonic mean of set precision and set recall of every row."""
    found = hits.sum_rows(relevant_within(hits, measure))
    share_right = np.nan_to_num(divide(found, hits.retrieved))
    share_found = divide(found, hits.count_relevant(measure.integer("rel")))
    beta = measure.number("beta")
    mean = divide((beta + 1.0) * share_right * share_found, beta * share_right + share_found)
    return np.where(np.isnan(share_found), np.nan, np.nan_to_num(mean))


declare(
    Declaration(
        name="R",
        summary="The share of the relevant documents that stands in the top k",
        formula="relevant documents within k, divided by all relevant documents",
        score=score_recall,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="needed",
        trec_cut="recall",
        undefined="no relevant document",
        notes="All relevant documents of the qrels count, also when they are more than k.",
        source="Cleverdon 1967, The Cranfield tests",
    )
)
declare(
    Declaration(
        name="SetR",
        summary="The share of the relevant documents that was retrieved at all",
        formula="relevant documents retrieved, divided by all relevant documents",
        score=score_recall,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="none",
        trec_whole="set_recall",
        undefined="no relevant document",
        source="Cleverdon 1967",
    )
)
declare(
    Declaration(
        name="SetF",
        summary="Weighted harmonic mean of SetP and SetR",
        formula="(beta + 1) * P * R / (beta * P + R)",
        score=score_set_f,
        has_relevant=has_relevant,
        parameters=(BETA, RELEVANT),
        cutoff="none",
        trec_whole="set_F",
        undefined="no relevant document",
        notes="beta stands as in trec_eval's set_F, unsquared.",
        source="van Rijsbergen 1979, Information Retrieval",
    )
)


def recall(grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, cutoff: int, rel: int = 1) -> float:
    """The share of the relevant documents that stands in the top k.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    judged_grades : array of int, shape (m,)
        Grades of all judged documents of the query, retrieved or not.
    cutoff : int >= 1
        Ranks.
    rel : int >= 1
        The least relevant grade.

    Returns
    -------
    float in [0, 1], or nan where no judged document is relevant

    Notes
    -----
    Undefined: no relevant document. Unjudged: not relevant. Source: Cleverdon 1967.

    Examples
    --------
    >>> import numpy as np
    >>> recall(np.array([2, 0, 3]), np.array([3, 2, 1, 1, 1]), cutoff=3)
    Traceback (most recent call last):
    ...
    ValueError: the ranking holds grade 0 1 times, the judged grades 0 times

    A document without a judgment is not a judged 0:

    >>> from metrics.hits import UNJUDGED
    >>> recall(np.array([2, UNJUDGED, 3]), np.array([3, 2, 1, 1, 1]), cutoff=3)
    0.4
    """
    return float(score_recall(hits_of_ranking(grades, judged_grades), rel_measure("R", cutoff, rel))[0])


def set_recall(grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, rel: int = 1) -> float:
    """The share of the relevant documents that was retrieved at all.

    Parameters
    ----------
    grades, judged_grades, rel
        As for :func:`recall`.

    Returns
    -------
    float in [0, 1], or nan where no judged document is relevant

    Examples
    --------
    >>> import numpy as np
    >>> set_recall(np.array([1]), np.array([1, 1]))
    0.5
    """
    return float(score_recall(hits_of_ranking(grades, judged_grades), rel_measure("SetR", None, rel))[0])


def set_f(grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, rel: int = 1, beta: float = 1.0) -> float:
    """Weighted harmonic mean of set precision and set recall.

    Parameters
    ----------
    grades, judged_grades, rel
        As for :func:`recall`.
    beta : float > 0
        Weight of recall, unsquared, as in trec_eval.

    Returns
    -------
    float in [0, 1], or nan where no judged document is relevant

    Examples
    --------
    >>> import numpy as np
    >>> set_f(np.array([1, 0]), np.array([1, 0]))
    0.6666666666666666
    """
    measure = Measure("SetF", None, (("beta", beta), ("rel", rel)))
    return float(score_set_f(hits_of_ranking(grades, judged_grades), measure)[0])
