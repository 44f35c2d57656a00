"""Each rater's habits: how likely they give each grade where each grade is right, estimated without known grades.

Knows tables of grades; no database, no page.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from labeling._coefficients import FloatArray
from labeling._dawid_skene import Answers, common_habits, estimate_habits
from labeling._votes import EncodedVotes, encode_votes
from labeling.aggregation import SMOOTHING, fit_votes

__all__ = ["fit_habits"]


def fit_habits(graded: pd.DataFrame, grades: Sequence[int]) -> Mapping[str, FloatArray]:
    """Dawid and Skene's confusion matrix of each rater: rows the grade held to be right, columns the grade given.

    What is right is estimated from the votes alone (rows with is_vote; from everything where nothing votes), then every
    rater is held against it: many models that copy one another cannot outvote people. Each matrix is smoothed towards that of all raters
    together by one vote of each grade.

    Parameters
    ----------
    graded : DataFrame with query_id, doc_id, rater, grade, is_vote

    Returns
    -------
    rater to array of shape (len(grades), len(grades)); rows add up to 1. Raters without a grade on a pair with votes are left out.
    """
    voting = graded[graded["is_vote"]] if graded["is_vote"].any() else graded
    if voting.empty:
        return {}
    columns = ["query_id", "doc_id", "rater", "grade"]
    keys = voting[["query_id", "doc_id"]].drop_duplicates()
    votes = encode_votes(voting[columns], grades)
    everybody = encode_votes(graded[columns].merge(keys, on=["query_id", "doc_id"]), grades)
    posteriors = fit_votes(votes).posteriors_
    _, rates = estimate_habits(_answers(everybody), posteriors, common_habits(_answers(votes), SMOOTHING))
    return dict(zip(everybody.rater_names, rates, strict=True))


def _answers(votes: EncodedVotes) -> Answers:
    # The same pairs in both tables, so that an item's number means the same pair.
    return Answers(votes.pair, votes.rater, votes.level, votes.pair_count, len(votes.rater_names), len(votes.grades))
