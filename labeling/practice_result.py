"""How the grades of a practice set compare with the known ones: numbers in, numbers out.

Knows no database.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labeling._coefficients import cohen_kappa

__all__ = ["Boundary", "Result", "compare_with_reference"]


@dataclass(frozen=True)
class Boundary:
    """How often grade and reference lie on the same side of a boundary of the scale, at | at + 1."""

    at: int
    agreed: int
    higher: int
    lower: int


@dataclass(frozen=True)
class Result:
    """How the grades of a practice set compare with the known ones.

    kappa is Cohen's with quadratic weights over the pairs that were graded; where it is undefined, undefined says why
    and the share of equal grades decides. Fewer than half of the set graded never passes.
    """

    practice_set: int
    of: int
    graded: int
    equal: int
    kappa: float | None
    undefined: str | None
    boundaries: tuple[Boundary, ...]
    pass_mark: float
    passed: bool


def compare_with_reference(
    practice_set: int, graded: Sequence[tuple[int, int]], of: int, scale: tuple[int, ...], pass_mark: float
) -> Result:
    """The result of grades against known ones, as (grade, reference) of the pairs that were graded.

    Passed: kappa reaches the mark, or where it is undefined the share of equal grades does; and half of the set or more
    was graded.
    """
    counts = np.zeros((len(scale), len(scale)), dtype=np.int64)
    for grade, reference in graded:
        counts[scale.index(grade), scale.index(reference)] += 1
    equal = int(np.trace(counts))
    kappa = cohen_kappa(counts, scale, "quadratic") if graded else float("nan")
    undefined = None
    if not graded:
        undefined = "nothing_graded"
    elif np.isnan(kappa):
        undefined = "one_grade_only"
    value = (equal / len(graded) if graded else 0.0) if undefined else kappa
    boundaries = tuple(
        Boundary(
            at=low,
            agreed=sum((grade > low) == (known > low) for grade, known in graded),
            higher=sum(grade > low >= known for grade, known in graded),
            lower=sum(known > low >= grade for grade, known in graded),
        )
        for low in scale[:-1]
    )
    passed = bool(value >= pass_mark and 2 * len(graded) >= of and graded)
    found = None if undefined else float(kappa)
    return Result(practice_set, of, len(graded), equal, found, undefined, boundaries, pass_mark, passed)
