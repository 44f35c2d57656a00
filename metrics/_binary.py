"""What the measures of relevant and not relevant share.

Knows arrays of grades only.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.hits import JudgedHits
from metrics.measure import RELEVANT, Measure

__all__ = ["REL_ONLY", "has_relevant", "rel_measure", "relevant_within"]

REL_ONLY = (RELEVANT,)


def has_relevant(hits: JudgedHits, measure: Measure) -> NDArray[np.bool_]:
    """For each query, whether any judged document is relevant at the measure's level."""
    return np.asarray(hits.count_pairs(hits.grades >= measure.integer("rel")) > 0)


def relevant_within(hits: JudgedHits, measure: Measure) -> NDArray[np.bool_]:
    """Which hits are relevant and stand within the cutoff."""
    return np.asarray((hits.hit_grades >= measure.integer("rel")) & hits.within_cutoff(measure.cutoff))


def rel_measure(name: str, cutoff: int | None, rel: int) -> Measure:
    """A measure whose only parameter is the least relevant grade."""
    return Measure(name, cutoff, (("rel", rel),))
