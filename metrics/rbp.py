"""RBP: what a reader finds who goes on to the next rank with a fixed chance.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics._binary import has_relevant, relevant_within
from metrics.hits import UNJUDGED, JudgedHits, hits_of_ranking
from metrics.measure import PERSISTENCE, RELEVANT, Declaration, Measure, declare

__all__ = ["rank_biased_precision", "rbp_residual"]


def score_rbp(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """RBP of every row: what is certain."""
    p = measure.number("p")
    return hits.sum_rows(np.where(relevant_within(hits, measure), (1 - p) * p ** (hits.rank - 1.0), 0.0))


def score_residual(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """RBP's residual of every row: what unjudged ranks, and ranks beyond the last, could add."""
    p = measure.number("p")
    known = (hits.hit_grades != UNJUDGED) & hits.within_cutoff(measure.cutoff)
    return np.maximum(1.0 - hits.sum_rows(np.where(known, (1 - p) * p ** (hits.rank - 1.0), 0.0)), 0.0)


_PARAMETERS = (PERSISTENCE, RELEVANT)
declare(
    Declaration(
        name="RBP",
        summary="Rate at which a reader finds relevant documents who goes on to the next rank with chance p",
        formula="(1 - p) * sum over relevant ranks r <= k of p^(r-1)",
        score=score_rbp,
        has_relevant=has_relevant,
        parameters=_PARAMETERS,
        undefined="never",
        notes="A lower bound; RBPres is how much the unjudged could add. ir_measures without rel uses graded relevance; here rel=1.",
        source="Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness",
    )
)
declare(
    Declaration(
        name="RBPres",
        summary="RBP's residual: how much unjudged documents, and ranks beyond the last, could add to RBP",
        formula="1 - (1 - p) * sum over judged ranks r <= k of p^(r-1)",
        score=score_residual,
        has_relevant=has_relevant,
        parameters=_PARAMETERS,
        undefined="never",
        source="Moffat and Zobel 2008",
    )
)


def _measure(name: str, cutoff: int | None, p: float, rel: int) -> Measure:
    return Measure(name, cutoff, (("p", p), ("rel", rel)))


def rank_biased_precision(
    grades: NDArray[np.integer], *, p: float = 0.8, rel: int = 1, cutoff: int | None = None
) -> float:
    """Rate at which a reader finds relevant documents who goes on to the next rank with chance p.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    p : float in (0, 1)
        Persistence.
    rel : int >= 1
        The least relevant grade.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    Undefined: never. Unjudged: no gain; :func:`rbp_residual` says what they could add. Source: Moffat and Zobel 2008.

    Examples
    --------
    >>> import numpy as np
    >>> round(rank_biased_precision(np.array([1, 0, 1]), p=0.5), 3)
    0.625
    """
    hits = hits_of_ranking(grades, np.asarray(grades))
    return float(score_rbp(hits, _measure("RBP", cutoff, p, rel))[0])


def rbp_residual(grades: NDArray[np.integer], *, p: float = 0.8, cutoff: int | None = None) -> float:
    """How much unjudged documents, and ranks beyond the last, could add to RBP.

    Parameters
    ----------
    grades, p, cutoff
        As for :func:`rank_biased_precision`.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> rbp_residual(np.array([1, UNJUDGED, 0]), p=0.5)
    0.375
    """
    ranked = np.asarray(grades, dtype=np.int64)
    hits = hits_of_ranking(ranked, ranked[ranked != UNJUDGED])
    return float(score_residual(hits, _measure("RBPres", cutoff, p, 1))[0])
