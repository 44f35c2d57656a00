"""Where agreement breaks: by boundary of the scale, by grade, by query, by version of the rubric, by slice, over time.

Knows tables of votes; no database, no file, no page.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from labeling._coefficients import (
    FloatArray,
    Sums,
    find_patterns,
    krippendorff_alpha,
    percent_agreement,
    specific_agreement,
    sum_over,
    sums_by_group,
    sums_of_counts,
)
from labeling._couples import middle_of
from labeling._votes import EncodedVotes, IntArray, encode_votes
from labeling.agreement import NO_DOUBLE_VOTES, ONE_GRADE, AgreementReport, Resample, measure_agreement

__all__ = ["by_boundary", "by_grade", "by_group", "by_query", "by_time"]

NEVER_GIVEN = "nobody gave this grade to a pair with two votes"
MOST_DAYS = 31
_COLUMNS = [
    "part",
    "votes",
    "pairs",
    "equal",
    "equal_low",
    "equal_high",
    "alpha",
    "alpha_low",
    "alpha_high",
    "undefined",
]


def by_boundary(
    votes: pd.DataFrame, grades: Sequence[int], *, draws: int = 1000, seed: int = 0, resample: Resample = "query"
) -> pd.DataFrame:
    """Agreement on which side of each boundary a pair lies: which step of the rubric fails.

    Each boundary is the scale cut in two, below and at or above a grade. Columns: part ("1|2"), votes, pairs (with two votes or more), equal
    and alpha (Krippendorff's, nominal) with the bounds of their bootstrap, kappa (Cohen's, mean over every two raters), ac1
    (Gwet's), undefined (why alpha is, else None).
    """
    rows = []
    for below, at in itertools.pairwise(grades):
        cut = votes.assign(grade=(votes["grade"] >= at).astype("int64"))
        report = measure_agreement(
            cut.drop(columns="judged_at", errors="ignore"), grades=(0, 1), draws=draws, seed=seed, resample=resample
        )
        more = (report.coefficient("cohen_kappa").value, report.coefficient("gwet_ac1").value)
        rows.append((*_part(f"{below}|{at}", report, "nominal"), *more))
    return pd.DataFrame(rows, columns=[*_COLUMNS, "kappa", "ac1"])


def by_group(
    votes: pd.DataFrame,
    groups: pd.Series,
    grades: Sequence[int],
    *,
    draws: int = 1000,
    seed: int = 0,
    resample: Resample = "query",
) -> pd.DataFrame:
    """Agreement within each group of votes; groups is a label for each row of votes, in rising order of labels.

    Columns as by_boundary without kappa and ac1; alpha is the ordinal one. Votes without a label take part in no group.
    """
    rows = []
    for label, part in votes.drop(columns="judged_at", errors="ignore").groupby(groups.to_numpy(), sort=True):
        report = measure_agreement(part, grades=grades, draws=draws, seed=seed, resample=resample)
        rows.append(_part(label, report, "ordinal"))
    return pd.DataFrame(rows, columns=_COLUMNS)


def by_time(
    votes: pd.DataFrame,
    grades: Sequence[int],
    *,
    step: Literal["day", "tenth"] = "day",
    draws: int = 1000,
    seed: int = 0,
    resample: Resample = "query",
) -> pd.DataFrame:
    """Agreement as time went by; a pair belongs to the moment of its last vote, so that its votes stay together.

    step "day" makes a part of each day (UTC), as long as they are 31 at most; "tenth", or more days, ten parts with equally many pairs.
    Pairs of one and the same moment, as those of a file that tells none, stay together: there are fewer parts then, and each says
    which share of the pairs it holds. Columns as by_group. Votes without a moment take part in none.
    """
    moments = pd.to_datetime(votes["judged_at"], utc=True, format="ISO8601", errors="coerce")
    timed = votes[moments.notna()]
    if timed.empty:
        return pd.DataFrame(columns=_COLUMNS)
    last = moments[moments.notna()].groupby([timed["query_id"], timed["doc_id"]], sort=False).transform("max")
    days = last.dt.strftime("%Y-%m-%d")
    if step == "tenth" or days.nunique() > MOST_DAYS:
        place = last.groupby([timed["query_id"], timed["doc_id"]], sort=False).ngroup()
        part, names = _tenths(last.groupby(place).first())
        table = by_group(timed, place.map(part), grades, draws=draws, seed=seed, resample=resample)
        return table.assign(part=table["part"].map(names))
    return by_group(timed, days, grades, draws=draws, seed=seed, resample=resample)


def _tenths(moments: pd.Series) -> tuple[pd.Series, dict[int, str]]:
    """The part of each pair by its moment, and what each part is called."""
    part = (moments.rank(method="min").astype("int64") - 1) * 10 // len(moments)
    sizes = part.value_counts().sort_index()
    if len(sizes) == 10 and sizes.max() - sizes.min() <= 1:
        return part, {number: f"{10 * number}-{10 * (number + 1)} %" for number in range(10)}
    ends = (100 * sizes.cumsum() / len(moments)).round().astype(int).tolist()
    return part, {
        int(number): f"{low}-{high} %" for number, low, high in zip(sizes.index, [0, *ends], ends, strict=False)
    }


def by_query(votes: pd.DataFrame, grades: Sequence[int]) -> pd.DataFrame:
    """Agreement on each query, the worst first.

    Columns: query_id, votes, pairs (with two votes or more), equal, distance (mean difference of two votes in grades), alpha
    (ordinal), undefined (why alpha is, else None). Queries without a pair of two votes come last.
    """
    encoded = encode_votes(votes, grades)
    if not encoded.pair_count:
        return pd.DataFrame(columns=["query_id", "votes", "pairs", "equal", "distance", "alpha", "undefined"])
    _, sums = _sums(encoded)
    values = np.asarray(encoded.grades, dtype=np.float64)
    apart = np.abs(values[:, None] - values[None, :])
    alpha = krippendorff_alpha(sums, encoded.grades, "ordinal")
    paired = sums.paired.astype(np.int64)
    mean_apart = (sums.pairings * apart).sum(axis=(1, 2)) / np.where(paired > 0, paired, np.nan)
    reasons = [
        None if not math.isnan(value) else ONE_GRADE if n else NO_DOUBLE_VOTES
        for value, n in zip(alpha.tolist(), paired.tolist(), strict=True)
    ]
    table = pd.DataFrame(
        {
            "query_id": list(encoded.query_ids),
            "votes": np.bincount(encoded.pair_query[encoded.pair], minlength=len(encoded.query_ids)),
            "pairs": paired,
            "equal": percent_agreement(sums),
            "distance": mean_apart,
            "alpha": alpha,
            "undefined": pd.Series(reasons, dtype=object),
        }
    )
    return table.sort_values(["equal", "distance", "query_id"], ascending=[True, False, True]).reset_index(drop=True)


def by_grade(votes: pd.DataFrame, grades: Sequence[int], *, draws: int = 1000, seed: int = 0) -> pd.DataFrame:
    """Specific agreement: where one vote gave a grade, how often another vote on the same pair gave it too.

    Columns: grade, votes (on pairs with two votes or more), agreement, low, high (bootstrap by query), undefined. Source:
    Cicchetti and Feinstein (1990), for any number of raters as in the coincidences of Krippendorff.
    """
    encoded = encode_votes(votes, grades)
    counts, by_each = _sums(encoded)
    weights = _query_weights(len(encoded.query_ids), draws, seed)
    total = sum_over(np.ones((1, len(encoded.query_ids))), by_each) if encoded.pair_count else None
    given = counts[counts.sum(axis=1) >= 2].sum(axis=0)
    values = specific_agreement(total)[0] if total is not None else np.full(len(encoded.grades), np.nan)
    drawn = None if weights is None else specific_agreement(sum_over(weights, by_each))
    rows = []
    for place, grade in enumerate(encoded.grades):
        value = float(values[place])
        low, high = middle_of(drawn[:, place] if drawn is not None and not math.isnan(value) else None)
        rows.append((grade, int(given[place]), value, low, high, NEVER_GIVEN if math.isnan(value) else None))
    return pd.DataFrame(rows, columns=["grade", "votes", "agreement", "low", "high", "undefined"])


def _part(label: object, report: AgreementReport, level: str) -> tuple[object, ...]:
    equal, alpha = report.coefficient("percent_agreement"), report.coefficient("krippendorff_alpha", level)
    found = (equal.value, equal.low, equal.high, alpha.value, alpha.low, alpha.high, alpha.undefined)
    return (label, report.votes, report.paired, *found)


def _sums(encoded: EncodedVotes) -> tuple[IntArray, Sums]:
    """The counts of each pair, and the sums of each query."""
    counts = encoded.count_levels()
    patterns, pattern = find_patterns(counts)
    return counts, sums_by_group(sums_of_counts(patterns), pattern, encoded.pair_query, len(encoded.query_ids))


def _query_weights(queries: int, draws: int, seed: int) -> FloatArray | None:
    if queries < 2 or not draws:
        return None
    drawn = np.random.default_rng(seed).multinomial(queries, np.full(queries, 1.0 / queries), size=draws)
    return drawn.astype(np.float64)
