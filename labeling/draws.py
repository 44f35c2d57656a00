"""Votes to many grade tables that are all plausible, and to the lowest and highest grade of each pair.

Knows tables of votes; what the draws do to the scores of runs is the business of metrics.disagreement, which itself draws
raters by panel, by query and by pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labeling._coefficients import FloatArray
from labeling._votes import EncodedVotes, IntArray, encode_votes
from labeling.aggregation import SMOOTHING, fit_votes
from labeling.errors import AssayError

__all__ = [
    "WAYS",
    "GradeDraws",
    "draw_posteriors",
    "grade_bounds",
    "posterior_distributions",
    "tell_way",
    "vote_shares",
]

WAYS = ("panel", "query", "pair", "ties", "bounds", "dawid-skene")


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


def posterior_distributions(
    votes: pd.DataFrame, *, grades: Sequence[int] = (0, 1, 2, 3), smoothing: float = SMOOTHING
) -> pd.DataFrame:
    """The probability of every grade of each pair under the raters' estimated habits: query_id, doc_id, grade, probability.

    What metrics.disagreement draws from with by="distribution". Rows come in byte order of query and document.
    """
    encoded = encode_votes(votes, grades)
    return _long(encoded, fit_votes(encoded, smoothing).posteriors_)


def tell_way(way: str, votes: pd.DataFrame, *, grades: Sequence[int] = (0, 1, 2, 3)) -> dict[str, Any]:
    """How metrics.disagreement is asked for one of WAYS to make sets of qrels of these votes."""
    if way != "dawid-skene":
        return {"by": way}
    return {"by": "distribution", "distributions": posterior_distributions(votes, grades=grades)}


def vote_shares(votes: pd.DataFrame, *, grades: Sequence[int] = (0, 1, 2, 3)) -> pd.DataFrame:
    """The share of each pair's votes that each grade has: query_id, doc_id, grade, probability; also grades without a vote."""
    encoded = encode_votes(votes, grades)
    counts = encoded.count_levels().astype(np.float64)
    return _long(encoded, counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))


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


def _long(encoded: EncodedVotes, probabilities: FloatArray) -> pd.DataFrame:
    levels = len(encoded.grades)
    repeated = _pairs(encoded).loc[lambda table: table.index.repeat(levels)].reset_index(drop=True)
    return repeated.assign(grade=np.tile(encoded.grades, encoded.pair_count), probability=probabilities.reshape(-1))
