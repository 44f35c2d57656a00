"""AP and infAP: precision at every relevant document, averaged over all relevant documents.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import REL_ONLY, has_relevant, rel_measure, relevant_within
from metrics.hits import UNJUDGED, JudgedHits, divide, hits_of_ranking
from metrics.measure import Declaration, Measure, declare

__all__ = ["average_precision", "inferred_average_precision"]

_EPSILON = 0.00001


def score_average_precision(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """AP of every row."""
    relevant = relevant_within(hits, measure)
    precision = np.where(relevant, hits.count_so_far(relevant) / np.maximum(hits.rank, 1), 0.0)
    return divide(hits.sum_rows(precision), hits.count_relevant(measure.integer("rel")))


def score_inferred(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """InfAP of every row; a negative grade says "in the pool, but not judged"."""
    rel = measure.integer("rel")
    grades = hits.hit_grades
    relevant = grades >= rel
    above = hits.count_so_far(relevant) - 1.0
    rejected = hits.count_so_far((grades >= 0) & (grades < rel))
    waiting = hits.count_so_far((grades < 0) & (grades != UNJUDGED))
    before = hits.rank - 1.0
    pooled = divide(above + rejected + waiting, before)
    expected = 1.0 / hits.rank + before / hits.rank * np.nan_to_num(pooled) * (
        (above + _EPSILON) / (above + rejected + 2 * _EPSILON)
    )
    return divide(hits.sum_rows(np.where(relevant, expected, 0.0)), hits.count_relevant(rel))


declare(
    Declaration(
        name="AP",
        summary="Precision at each relevant document, averaged over all relevant documents; its mean over queries is MAP",
        formula="sum over relevant ranks r <= k of P@r, divided by all relevant documents R",
        score=score_average_precision,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        trec_cut="map_cut",
        trec_whole="map",
        undefined="no relevant document",
        notes="R counts relevant documents that were not retrieved too, with a cutoff as well, as in trec_eval.",
        source="Buckley and Voorhees 2005, Retrieval system evaluation (TREC)",
    )
)
declare(
    Declaration(
        name="infAP",
        summary="AP estimated where only a sample of the pool was judged (negative grades say: in the pool, not judged)",
        formula="at each relevant rank r: 1/r + (r-1)/r * (in pool above r)/(r-1) * (relevant above + e)/(judged above + 2e), averaged over R; e = 0.00001",
        score=score_inferred,
        has_relevant=has_relevant,
        parameters=REL_ONLY,
        cutoff="none",
        trec_whole="infAP",
        undefined="no relevant document",
        notes="trec_eval 9 works in single precision: equal to 7 digits. trec_eval 10 works in double, as here.",
        source="Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments",
    )
)


def average_precision(
    grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, rel: int = 1, cutoff: int | None = None
) -> float:
    """Precision at each relevant document, averaged over all relevant documents.

    1 says that all relevant documents stand first; relevant documents that were not found count as precision 0.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    judged_grades : array of int, shape (m,)
        Grades of all judged documents of the query, retrieved or not.
    rel : int >= 1
        The least relevant grade.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.

    Returns
    -------
    float in [0, 1], or nan where no judged document is relevant

    Raises
    ------
    ValueError
        When the ranking holds a grade oftener than the judged documents do.

    Notes
    -----
    Undefined: no relevant document. Unjudged: not relevant. Differs from: tools that divide by the relevant documents
    *found*, or by min(R, k). Source: Buckley and Voorhees 2005.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = np.array([1, 0, 1, 0, 1])
    >>> round(average_precision(ranking, ranking), 3)
    0.756

    The trap: seven more relevant documents that were not found.

    >>> round(average_precision(ranking, np.append(ranking, [1] * 7)), 3)
    0.227
    >>> average_precision(np.array([0]), np.array([0]))
    nan
    """
    hits = hits_of_ranking(grades, judged_grades)
    return float(score_average_precision(hits, rel_measure("AP", cutoff, rel))[0])


def inferred_average_precision(
    grades: NDArray[np.integer], judged_grades: NDArray[np.integer], *, rel: int = 1
) -> float:
    """AP estimated where only a sample of the pool was judged.

    Where everything was judged it is AP, to 5 digits. A negative grade says: in the pool, but not judged.

    Parameters
    ----------
    grades, judged_grades, rel
        As for :func:`average_precision`.

    Returns
    -------
    float >= 0, or nan where no judged document is relevant

    Notes
    -----
    Undefined: no relevant document. Unjudged: outside the pool, counts as not relevant. Source: Yilmaz and Aslam 2006.

    Examples
    --------
    >>> import numpy as np
    >>> round(inferred_average_precision(np.array([1, 0, 1]), np.array([1, 0, 1])), 4)
    0.8333
    """
    hits = hits_of_ranking(grades, judged_grades)
    return float(score_inferred(hits, rel_measure("infAP", None, rel))[0])
