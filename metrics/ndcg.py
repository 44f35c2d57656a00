"""nDCG and DCG: the gains found, discounted by rank, beside the best possible order.

Knows rankings as arrays of grades; nothing of files, ids or averages.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.gains import discount_at, gain_of, read_discount, read_gain
from metrics.hits import JudgedHits, divide, hits_of_ranking
from metrics.measure import DISCOUNT, GAIN, Declaration, Measure, declare

__all__ = ["dcg", "ideal_dcg", "ndcg"]


def score_dcg(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """DCG of every row."""
    counted = hits.within_cutoff(measure.cutoff)
    gains = gain_of(measure.text("gain"), hits.hit_grades)
    return hits.sum_rows(np.where(counted, gains * discount_at(measure.text("discount"), hits.rank), 0.0))


def ideal_dcg(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """DCG of the best order of each query's judged documents, cut where the measure is cut."""
    gains = gain_of(measure.text("gain"), hits.grades)
    (worth,) = np.nonzero(gains > 0)
    query = hits.pair_query[worth]
    order = np.lexsort((-gains[worth], query))
    query, best = query[order], gains[worth][order]
    rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
    counted = rank <= (measure.cutoff or len(rank))
    discounted = best[counted] * discount_at(measure.text("discount"), rank[counted])
    return np.bincount(query[counted], weights=discounted, minlength=hits.queries).astype(np.float64)


def score_ndcg(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """nDCG of every row."""
    return divide(score_dcg(hits, measure), hits.spread(ideal_dcg(hits, measure)))


def _has_gain(hits: JudgedHits, measure: Measure) -> NDArray[np.bool_]:
    return np.asarray(hits.count_pairs(gain_of(measure.text("gain"), hits.grades) > 0) > 0)


_NOTES = (
    "As trec_eval: ties by doc_id descending, unjudged and negative grades gain nothing, the ideal is cut at the same rank. "
    "scikit-learn averages over ties; ranx and gdeval use exponential gain."
)
_PARAMETERS = (DISCOUNT, GAIN)

NDCG = declare(
    Declaration(
        name="nDCG",
        summary="How near the ranking comes to the best possible order of the judged documents",
        formula="DCG / ideal DCG; DCG = sum over ranks of gain(grade) * discount(rank)",
        score=score_ndcg,
        has_relevant=_has_gain,
        parameters=_PARAMETERS,
        trec_cut="ndcg_cut",
        trec_whole="ndcg",
        undefined="no judged document has a gain",
        notes=_NOTES,
        source="Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; discount of Burges et al. 2005",
    )
)
DCG = declare(
    Declaration(
        name="DCG",
        summary="The gains found, discounted by rank, on an open scale",
        formula="sum over ranks of gain(grade) * discount(rank)",
        score=score_dcg,
        has_relevant=_has_gain,
        parameters=_PARAMETERS,
        undefined="never",
        notes="Not comparable between queries with different numbers of relevant documents.",
        source="Järvelin and Kekäläinen 2002",
    )
)


def _measure(name: str, cutoff: int | None, gain: str, discount: str) -> Measure:
    return Measure(name, cutoff, (("discount", read_discount(discount)), ("gain", read_gain(gain))))


def ndcg(
    grades: NDArray[np.integer],
    judged_grades: NDArray[np.integer],
    *,
    cutoff: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
) -> float:
    """How near one ranking comes to the best possible order of the judged documents.

    1 says that no order of the judged documents does better down to the cutoff; 0 that nothing of worth was found.
    DCG / ideal DCG, where DCG is the sum over ranks of gain(grade) * discount(rank).

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    judged_grades : array of int, shape (m,)
        Grades of all judged documents of the query, retrieved or not.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.
    gain, discount : str
        See :mod:`metrics.gains`.

    Returns
    -------
    float in [0, 1], or nan where no judged document has a gain

    Raises
    ------
    ValueError
        When the ranking holds a grade oftener than the judged documents do.
    MeasureError
        When gain or discount is not understood, or a table has no gain for a grade.

    Notes
    -----
    Undefined: no judged document has a gain. Ties: the caller's order. Unjudged: no gain, but they take a rank. Differs
    from: scikit-learn, whose ideal knows only the documents given; ranx and gdeval, whose gain is exponential. Source:
    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> round(ndcg(np.array([3, 2, 3, 0, 1]), np.array([3, 3, 2, 1, 0]), gain="exp2"), 4)
    0.9575

    The trap: relevant documents that were not retrieved count in the ideal.

    >>> round(ndcg(np.array([3, 2, 3, 0, 1]), np.array([3, 3, 3, 3, 2, 1, 0]), gain="exp2"), 4)
    0.6571

    Undefined:

    >>> ndcg(np.array([0, 0]), np.array([0, 0]))
    nan
    """
    hits = hits_of_ranking(grades, judged_grades)
    return float(score_ndcg(hits, _measure("nDCG", cutoff, gain, discount))[0])


def dcg(
    grades: NDArray[np.integer], *, cutoff: int | None = None, gain: str = "linear", discount: str = "log2"
) -> float:
    """The gains found by one ranking, discounted by rank.

    The sum over ranks of gain(grade) * discount(rank): the more, the better, on a scale that differs by query.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.
    gain, discount : str
        See :mod:`metrics.gains`.

    Returns
    -------
    float >= 0

    Notes
    -----
    Undefined: never. Unjudged: no gain. Source: Järvelin and Kekäläinen 2002.

    Examples
    --------
    >>> import numpy as np
    >>> round(dcg(np.array([3, 2, 3, 0, 1]), gain="exp2"), 4)
    12.7796
    >>> dcg(np.array([], dtype=int))
    0.0
    """
    hits = hits_of_ranking(grades, np.asarray(grades))
    return float(score_dcg(hits, _measure("DCG", cutoff, gain, discount))[0])
