"""P, SetP and Rprec: the share of relevant documents at the top.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import REL_ONLY, has_relevant, rel_measure, relevant_within
from metrics.hits import JudgedHits, divide, hits_of_ranking
from metrics.measure import Declaration, Measure, declare

__all__ = ["precision", "r_precision", "set_precision"]


def score_precision(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """P@k of every row; the cutoff divides, however few documents were retrieved."""
    return hits.sum_rows(relevant_within(hits, measure)) / float(measure.cutoff or 1)


def score_set_precision(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Relevant share of everything retrieved; 0 where nothing was retrieved, as in trec_eval."""
    return np.nan_to_num(divide(hits.sum_rows(relevant_within(hits, measure)), hits.retrieved))


def score_r_precision(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """Precision at rank R of every row, R being the number of relevant documents."""
    relevant_in_all = hits.count_relevant(measure.integer("rel"))
    found = (hits.hit_grades >= measure.integer("rel")) & (hits.rank <= relevant_in_all[hits.row])
    return divide(hits.sum_rows(found), relevant_in_all)


declare(
    Declaration(
        name="P",
        summary="The share of the top k that is relevant",
        formula="relevant documents within k, divided by k",
        score=score_precision,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="needed",
        trec_cut="P",
        undefined="never",
        notes="Always divided by k, however few documents were retrieved, as in trec_eval.",
        source="Cleverdon 1967, The Cranfield tests",
    )
)
declare(
    Declaration(
        name="SetP",
        summary="The share of everything retrieved that is relevant",
        formula="relevant documents retrieved, divided by documents retrieved",
        score=score_set_precision,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="none",
        trec_whole="set_P",
        undefined="never: 0 where nothing was retrieved, as in trec_eval",
        source="Cleverdon 1967",
    )
)
declare(
    Declaration(
        name="Rprec",
        summary="Precision at rank R, where R is the number of relevant documents",
        formula="relevant documents within R, divided by R",
        score=score_r_precision,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="none",
        trec_whole="Rprec",
        undefined="no relevant document",
        source="Buckley and Voorhees 2005",
    )
)


def precision(grades: NDArray[np.integer], *, cutoff: int, rel: int = 1) -> float:
    """The share of the top k that is relevant.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    cutoff : int >= 1
        Ranks; also what is divided by.
    rel : int >= 1
        The least relevant grade.

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    Undefined: never. Unjudged: not relevant. Differs from: tools that divide by the documents retrieved. Source:
    Cleverdon 1967.

    Examples
    --------
    >>> import numpy as np
    >>> precision(np.array([1, 0, 1, 1, 0]), cutoff=5)
    0.6

    The trap: two documents retrieved, both relevant.

    >>> precision(np.array([1, 1]), cutoff=10)
    0.2
    """
    return float(score_precision(hits_of_ranking(grades, np.asarray(grades)), rel_measure("P", cutoff, rel))[0])


def set_precision(grades: NDArray[np.integer], *, rel: int = 1) -> float:
    """The share of everything retrieved that is relevant.

    Parameters
    ----------
    grades, rel
        As for :func:`precision`.

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    Undefined: never; 0 where nothing was retrieved, as in trec_eval.

    Examples
    --------
    >>> import numpy as np
    >>> set_precision(np.array([1, 0]))
    0.5
    """
    return float(score_set_precision(hits_of_ranking(grades, np.asarray(grades)), rel_measure("SetP", None, rel))[0])


def r_precision(grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, rel: int = 1) -> float:
    """Precision at rank R, where R is the number of relevant documents: there precision and recall are equal.

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
    Undefined: no relevant document. Unjudged: not relevant. Source: Buckley and Voorhees 2005.

    Examples
    --------
    >>> import numpy as np
    >>> r_precision(np.array([1, 0, 1]), np.array([1, 0, 1]))
    0.5
    """
    return float(score_r_precision(hits_of_ranking(grades, judged_grades), rel_measure("Rprec", None, rel))[0])
