"""Votes to many grade tables that are all plausible, and to the lowest and highest grade of each pair.

Knows tables of votes; what the draws do to the scores of runs is the business of metrics.disagreement, which itself draws
raters by panel, by query and by pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from labeling._votes import EncodedVotes, IntArray, encode_votes
from labeling.aggregation import SMOOTHING, fit_votes
from labeling.errors import AssayError

__all__ = ["GradeDraws", "draw_posteriors", "grade_bounds"]


@dataclass(frozen=True)
class GradeDraws:
    """pairs has query_id and doc_id in byte order; grades has shape (draws, pairs)."""

    pairs: pd.DataFrame
    grades: IntArray

    def qrels(self, draw: int) -> pd.DataFrame:
        """One draw as qrels: query_id, doc_id, relevance."""
        return self.pairs.assign(relevance=self.grades[draw])


def draw_posteriors(
    votes: pd.DataFrame,
    *,
    grades: Sequence[int] = (0, 1, 2, 3),
    draws: int = 1000,
    seed: int = 0,
    smoothing: float = SMOOTHING,
) -> GradeDraws:
    """Draw each pair's grade from what the raters' habits make of its votes.

    Where raters agree the draws hardly differ; where votes are few or their raters unreliable they spread. Unlike one rater's qrels these
    tables mix raters, so errors that a rater makes throughout are not repeated within one draw: prefer draws by query for the spread of a mean.

    Parameters
    ----------
    votes : DataFrame with query_id, doc_id, rater, grade
        At most one row for each rater and pair.
    grades : rising ints
        The whole scale.
    draws : int >= 1
    seed : int
        Same votes in any row order and same seed: same draws.
    smoothing : float > 0
        How many votes of each grade draw a rater's habits towards those of all; at 0 the model is overconfident and its draws mean nothing.

    Returns
    -------
    GradeDraws

    Raises
    ------
    AssayError
        As for encode_votes; draws below 1; smoothing not above 0.
    """
    if draws < 1 or not smoothing > 0.0:
        raise AssayError(f"draws: expected at least 1 draw and smoothing above 0, found {draws} and {smoothing}")
    encoded = encode_votes(votes, grades)
    reached = np.cumsum(fit_votes(encoded, smoothing).posteriors_, axis=1)
    chance = np.random.default_rng(seed).random((draws, encoded.pair_count))
    level = (chance[:, :, None] >= reached[None, :, :-1]).sum(axis=2)
    return GradeDraws(_pairs(encoded), np.asarray(encoded.grades, dtype=np.int64)[level])


def grade_bounds(votes: pd.DataFrame, *, grades: Sequence[int] = (0, 1, 2, 3)) -> pd.DataFrame:
    """The lowest and highest vote of each pair: query_id, doc_id, low, high, votes, in byte order.

    No choice of one vote for each pair gives a grade outside these bounds.
    """
    encoded = encode_votes(votes, grades)
    counts = encoded.count_levels()
    given, values = counts > 0, np.asarray(encoded.grades, dtype=np.int64)
    return _pairs(encoded).assign(
        low=values[given.argmax(axis=1)],
        high=values[given.shape[1] - 1 - given[:, ::-1].argmax(axis=1)],
        votes=counts.sum(axis=1),
    )


def _pairs(encoded: EncodedVotes) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query_id": pd.Series(encoded.pair_query_ids(), dtype="str"),
            "doc_id": pd.Series(encoded.pair_doc_ids, dtype="str"),
        }
    )
