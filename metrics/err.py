"""ERR: the reciprocal rank at which a reader is expected to be satisfied.

Knows rankings as arrays of grades; nothing of files, ids or averages over queries.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.errors import MeasureError
from metrics.hits import JudgedHits, hits_of_ranking
from metrics.measure import TOP_GRADE, Declaration, Measure, declare

__all__ = ["expected_reciprocal_rank"]


def score_err(hits: JudgedHits, measure: Measure) -> NDArray[np.float64]:
    """ERR of every row."""
    top = measure.integer("max")
    found = int(hits.grades.max(initial=0))
    if found > top:
        raise MeasureError(f"{measure}: grade {found} is above the top grade max={top}")
    counted = (hits.hit_grades > 0) & hits.within_cutoff(measure.cutoff)
    row, rank = hits.row[counted], hits.rank[counted]
    chance = (np.exp2(hits.hit_grades[counted]) - 1.0) / 2.0**top
    place = hits.count_so_far(counted)[counted] - 1
    # one line a row, one column a document with a chance: the chances of going on multiply along the line
    lines, line_of = np.unique(row, return_inverse=True)
    going_on = np.ones((len(lines), int(place.max(initial=-1)) + 2))
    going_on[line_of, place + 1] = 1.0 - chance
    reached = np.cumprod(going_on, axis=1)[line_of, place]
    return np.bincount(row, weights=reached * chance / rank, minlength=hits.rows).astype(np.float64)


def _has_positive(hits: JudgedHits, _: Measure) -> NDArray[np.bool_]:
    return np.asarray(hits.count_pairs(hits.grades > 0) > 0)


declare(
    Declaration(
        name="ERR",
        summary="Expected reciprocal rank at which a reader stops satisfied",
        formula="sum over ranks r <= k of 1/r * chance(r) * product over s < r of (1 - chance(s)); chance = (2^grade - 1) / 2^max",
        score=score_err,
        has_relevant=_has_positive,
        parameters=(TOP_GRADE,),
        undefined="never",
        notes="max is 4 unless given, as in gdeval and ir_measures; write ERR(max=3) for a scale of 0 to 3. gdeval prints 5 decimals.",
        source="Chapelle, Metzler, Zhang and Grinspan 2009, Expected reciprocal rank for graded relevance",
    )
)


def expected_reciprocal_rank(grades: NDArray[np.integer], *, top_grade: int = 4, cutoff: int | None = None) -> float:
    """Expected reciprocal rank at which a reader stops satisfied.

    A document satisfies with chance (2^grade - 1) / 2^top_grade; a reader who is satisfied reads no further.

    Parameters
    ----------
    grades : array of int, shape (n,)
        Grades in rank order, best rank first; UNJUDGED where there is no judgment.
    top_grade : int >= 1
        The scale's top grade; gdeval and ir_measures fix it at 4.
    cutoff : int >= 1, optional
        Ranks; None counts the whole ranking.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    MeasureError
        When a grade is above the top grade.

    Notes
    -----
    Undefined: never. Unjudged: never satisfies. Source: Chapelle, Metzler, Zhang and Grinspan 2009.

    Examples
    --------
    >>> import numpy as np
    >>> expected_reciprocal_rank(np.array([3, 0]), top_grade=3)
    0.875
    """
    hits = hits_of_ranking(grades, np.asarray(grades))
    return float(score_err(hits, Measure("ERR", cutoff, (("max", top_grade),)))[0])
