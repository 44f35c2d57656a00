"""How well raters agree: coefficients with intervals, couples of raters, confusions, grade shares, cautions.

Knows tables of votes; knows no database, no file and no page.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from labeling._cautions import Caution, find_cautions
from labeling._coefficients import (
    FloatArray,
    Sums,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    sum_over,
    sums_of_counts,
)
from labeling._votes import EncodedVotes, IntArray, encode_votes
from labeling.errors import AssayError, NotFound

__all__ = [
    "AgreementReport",
    "Caution",
    "Coefficient",
    "RaterPair",
    "count_confusions",
    "count_grades",
    "cut_confusions",
    "measure_agreement",
    "overlap_of_relevant",
]

NO_VOTES = "there are no votes"
ONE_RATER = "there is only one rater"
NO_DOUBLE_VOTES = "no pair has two votes"
ONE_GRADE = "every vote on pairs with two votes is the same grade"
BOTH_ONE_GRADE = "both raters gave one and the same grade throughout"

Resample = Literal["query", "pair"]


@dataclass(frozen=True)
class Coefficient:
    """One coefficient over all votes.

    name and level say which: krippendorff_alpha at nominal, ordinal or interval, gwet_ac2 at linear or quadratic, and so
    on. value is nan where undefined says why, else undefined is None. low and high bound the bootstrap's middle 95 %; nan
    where there are fewer than two queries (or pairs) to resample. n counts the pairs with two votes or more.
    """

    name: str
    level: str
    value: float
    low: float
    high: float
    n: int
    undefined: str | None


@dataclass(frozen=True)
class RaterPair:
    """Two raters on the n pairs that both voted on; the kappas are nan where undefined says why."""

    raters: tuple[str, str]
    n: int
    agreement: float
    cohen_kappa: float
    cohen_kappa_linear: float
    cohen_kappa_quadratic: float
    undefined: str | None


@dataclass(frozen=True)
class AgreementReport:
    """What measure_agreement found; counts are of pairs, raters, votes, and pairs with two votes or more."""

    pairs: int
    raters: int
    votes: int
    paired: int
    coefficients: tuple[Coefficient, ...]
    rater_pairs: tuple[RaterPair, ...]
    warnings: tuple[Caution, ...]
    definition: Mapping[str, Any]

    def coefficient(self, name: str, level: str = "nominal") -> Coefficient:
        """The coefficient of that name and level; AssayError where there is none."""
        for found in self.coefficients:
            if (found.name, found.level) == (name, level):
                return found
        raise AssayError(f"no coefficient {name} at level {level}")

    def to_json(self) -> dict[str, Any]:
        """The report as plain values, ready for json.dumps; undefined values are null."""
        return {
            "definition": dict(self.definition),
            "pairs": self.pairs,
            "raters": self.raters,
            "votes": self.votes,
            "paired": self.paired,
            "coefficients": [_plain(vars(found)) for found in self.coefficients],
            "rater_pairs": [_plain(vars(found) | {"raters": list(found.raters)}) for found in self.rater_pairs],
            "warnings": [{"code": caution.code, **caution.params, "text": str(caution)} for caution in self.warnings],
        }


def measure_agreement(
    votes: pd.DataFrame,
    *,
    grades: Sequence[int] = (0, 1, 2, 3),
    draws: int = 1000,
    seed: int = 0,
    resample: Resample = "query",
) -> AgreementReport:
    """Say how far the raters agree, as a whole and two by two.

    1 is perfect agreement, 0 what chance would give, less than 0 is worse than chance. No coefficient is enough alone: where
    one grade is rare, kappa and alpha are low in spite of many equal grades, so read them beside the share of equal grades,
    Gwet's AC1 and the grade shares.

    Parameters
    ----------
    votes : DataFrame with query_id, doc_id, rater, grade
        At most one row for each rater and pair.
    grades : rising ints
        The whole scale, used or not: weights and distances are those of the scale, never of the grades that happen to occur.
    draws : int >= 0
        Bootstrap resamples; 0 leaves the intervals out.
    seed : int
        Same votes in any row order and same seed: same intervals.
    resample : "query" or "pair"
        What the bootstrap draws. Pairs of a query go together, so by pair the interval comes out too narrow.

    Returns
    -------
    AgreementReport

    Raises
    ------
    AssayError
        A column is missing, a grade lies outside the scale, or a rater has two votes on one pair.

    Notes
    -----
    Undefined: value is nan and undefined says why: no votes, only one rater, no pair with two votes, one grade throughout. The share of equal
    grades and AC1, AC2 stay defined where every grade is the same. Pairs with one vote count for the shares of Fleiss and Gwet, not for
    alpha. Differs from scikit-learn: weighted kappa runs over the whole scale, as with its labels=grades. Sources: Krippendorff (2011),
    Computing Krippendorff's Alpha-Reliability; Cohen (1960, 1968); Fleiss (1971); Gwet (2008, 2014).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("q1", "d1", "ann", 3), ("q1", "d1", "bob", 3), ("q2", "d2", "ann", 0), ("q2", "d2", "bob", 1)]
    >>> votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])
    >>> report = measure_agreement(votes, draws=0)
    >>> round(report.coefficient("krippendorff_alpha", "ordinal").value, 3)
    0.833

    One grade everywhere has no variation to agree about:

    >>> report = measure_agreement(votes.assign(grade=0), draws=0)
    >>> report.coefficient("krippendorff_alpha", "ordinal").undefined
    'every vote on pairs with two votes is the same grade'
    """
    encoded = encode_votes(votes, grades)
    if resample not in ("query", "pair"):
        raise AssayError(f"resample: expected query or pair, found {resample}")
    counts = encoded.count_levels()
    rater_pairs = _rater_pairs(encoded)
    return AgreementReport(
        pairs=encoded.pair_count,
        raters=len(encoded.rater_names),
        votes=len(encoded.pair),
        paired=int((counts.sum(axis=1) >= 2).sum()),
        coefficients=_coefficients(encoded, counts, draws, seed, resample),
        rater_pairs=tuple(found for found, _ in rater_pairs),
        warnings=find_cautions(encoded, counts, [(found.raters, table) for found, table in rater_pairs]),
        definition={
            "grades": list(encoded.grades),
            "interval": f"bootstrap, {draws} resamples by {resample}, 2.5 to 97.5 percent" if draws else None,
            "seed": seed,
        },
    )


def count_confusions(votes: pd.DataFrame, a: str, b: str, grades: Sequence[int]) -> IntArray:
    """How often b gave each grade where a gave each grade.

    Mass off the diagonal on one side only says that one of the two is harsher.

    Returns
    -------
    array of int, shape (len(grades), len(grades)); rows are a's grades, columns b's. Zeros where the two share no pair.

    Raises
    ------
    NotFound
        One of the two has no vote here.
    """
    encoded = encode_votes(votes, grades)
    levels = len(encoded.grades)
    first, second = _votes_of(encoded, a), _votes_of(encoded, b)
    _, of_a, of_b = np.intersect1d(encoded.pair[first], encoded.pair[second], return_indices=True)
    cells = encoded.level[first][of_a] * levels + encoded.level[second][of_b]
    return np.bincount(cells, minlength=levels * levels).reshape(levels, levels).astype(np.int64)


def count_grades(votes: pd.DataFrame, grades: Sequence[int]) -> pd.DataFrame:
    """How often each rater gave each grade: index rater in byte order, columns grades; also those never given."""
    encoded = encode_votes(votes, grades)
    levels, raters = len(encoded.grades), len(encoded.rater_names)
    table = np.bincount(encoded.rater * levels + encoded.level, minlength=levels * raters).reshape(raters, levels)
    index = pd.Index(encoded.rater_names, name="rater", dtype="str")
    return pd.DataFrame(table.astype(np.int64), index=index, columns=list(encoded.grades))


def cut_confusions(confusions: IntArray, grades: Sequence[int], at: int) -> IntArray:
    """The 2 x 2 table of "below at" and "at or above": which clause of the rubric fails shows at its own cut."""
    above = np.asarray(list(grades)) >= at
    side = np.stack([~above, above]).astype(np.int64)
    return side @ confusions @ side.T


def overlap_of_relevant(confusions: IntArray, grades: Sequence[int], at: int) -> float:
    """Intersection over union of the two raters' relevant pairs, those graded at or above `at`; nan where neither has one."""
    (_, only_b), (only_a, both) = cut_confusions(confusions, grades, at)
    union = int(only_a + only_b + both)
    return int(both) / union if union else math.nan


def _votes_of(encoded: EncodedVotes, rater: str) -> IntArray:
    if rater not in encoded.rater_names:
        raise NotFound(f"no rater {rater} among these votes")
    return np.flatnonzero(encoded.rater == encoded.rater_names.index(rater)).astype(np.int64)


def _coefficients(
    encoded: EncodedVotes, counts: IntArray, draws: int, seed: int, resample: Resample
) -> tuple[Coefficient, ...]:
    patterns, pattern = _patterns(counts)
    rows = sums_of_counts(patterns)
    occurrences = np.bincount(pattern, minlength=len(patterns)).astype(np.float64)
    found = _values(sum_over(occurrences[None, :], rows), encoded.grades)
    generator = np.random.default_rng(seed)
    if draws == 0 or encoded.pair_count == 0:
        drawn = {key: np.empty(0) for key in found}
    elif resample == "pair":
        weights = generator.multinomial(encoded.pair_count, occurrences / encoded.pair_count, size=draws)
        drawn = _values(sum_over(weights.astype(np.float64), rows), encoded.grades) if encoded.pair_count > 1 else {}
    else:
        queries = len(encoded.query_ids)
        weights = generator.multinomial(queries, np.full(queries, 1.0 / queries), size=draws)
        by_query = _sums_by_query(rows, pattern, encoded.pair_query, queries)
        drawn = _values(sum_over(weights.astype(np.float64), by_query), encoded.grades) if queries > 1 else {}
    paired = int((counts.sum(axis=1) >= 2).sum())
    return tuple(
        _coefficient(name, level, float(values[0]), drawn.get((name, level)), paired, _reason(encoded, paired))
        for (name, level), values in found.items()
    )


def _values(sums: Sums, grades: tuple[int, ...]) -> dict[tuple[str, str], FloatArray]:
    return {
        ("percent_agreement", "nominal"): percent_agreement(sums),
        ("krippendorff_alpha", "nominal"): krippendorff_alpha(sums, grades, "nominal"),
        ("krippendorff_alpha", "ordinal"): krippendorff_alpha(sums, grades, "ordinal"),
        ("krippendorff_alpha", "interval"): krippendorff_alpha(sums, grades, "interval"),
        ("fleiss_kappa", "nominal"): fleiss_kappa(sums),
        ("gwet_ac1", "nominal"): gwet_ac(sums, grades, "none"),
        ("gwet_ac2", "linear"): gwet_ac(sums, grades, "linear"),
        ("gwet_ac2", "quadratic"): gwet_ac(sums, grades, "quadratic"),
    }


def _reason(encoded: EncodedVotes, paired: int) -> str:
    if encoded.pair_count == 0:
        return NO_VOTES
    if len(encoded.rater_names) == 1:
        return ONE_RATER
    return NO_DOUBLE_VOTES if paired == 0 else ONE_GRADE


def _coefficient(name: str, level: str, value: float, drawn: FloatArray | None, n: int, reason: str) -> Coefficient:
    undefined = reason if math.isnan(value) else None
    low = high = math.nan
    defined = drawn[~np.isnan(drawn)] if drawn is not None else np.empty(0)
    # An interval over a minority of the resamples would speak for a sample that was not drawn.
    if undefined is None and drawn is not None and 2 * len(defined) > len(drawn):
        low, high = (float(bound) for bound in np.percentile(defined, [2.5, 97.5]))
    return Coefficient(name=name, level=level, value=value, low=low, high=high, n=n, undefined=undefined)


def _patterns(counts: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows of counts, and which of them each row is."""
    base = int(counts.max(initial=0)) + 1
    if base ** counts.shape[1] < 2**62:
        # One number a row sorts a hundred times faster than whole rows.
        codes = counts @ (base ** np.arange(counts.shape[1], dtype=np.int64))
        _, first, pattern = np.unique(codes, return_index=True, return_inverse=True)
        return counts[first], pattern.astype(np.int64)
    patterns, pattern = np.unique(counts, axis=0, return_inverse=True)
    return patterns, pattern.reshape(-1).astype(np.int64)


def _sums_by_query(rows: Sums, pattern: IntArray, query: IntArray, queries: int) -> Sums:
    def added(values: FloatArray) -> FloatArray:
        flat = values.reshape(len(values), -1)
        columns = [np.bincount(query, weights=column[pattern], minlength=queries) for column in flat.T]
        return np.stack(columns, axis=1).reshape((queries, *values.shape[1:]))

    return Sums(
        added(rows.pairs), added(rows.paired), added(rows.shares), added(rows.coincidences), added(rows.pairings)
    )


def _rater_pairs(encoded: EncodedVotes) -> list[tuple[RaterPair, IntArray]]:
    """Every two raters with a pair in common, in byte order, with their table of confusions."""
    raters, levels = len(encoded.rater_names), len(encoded.grades)
    couples: list[IntArray] = [np.empty(0, dtype=np.int64)]
    cells: list[IntArray] = [np.empty(0, dtype=np.int64)]
    widest = int(np.bincount(encoded.pair).max(initial=0)) if len(encoded.pair) else 0
    for step in range(1, widest):
        same = encoded.pair[step:] == encoded.pair[:-step]
        couples.append((encoded.rater[:-step] * raters + encoded.rater[step:])[same])
        cells.append((encoded.level[:-step] * levels + encoded.level[step:])[same])
    codes, couple = np.unique(np.concatenate(couples), return_inverse=True)
    size = levels * levels
    flat = np.bincount(couple * size + np.concatenate(cells), minlength=len(codes) * size)
    tables = flat.reshape(len(codes), levels, levels).astype(np.int64)
    return [
        (
            _rater_pair(
                (encoded.rater_names[code // raters], encoded.rater_names[code % raters]), table, encoded.grades
            ),
            table,
        )
        for code, table in zip(codes.tolist(), tables, strict=True)
    ]


def _rater_pair(raters: tuple[str, str], table: IntArray, grades: tuple[int, ...]) -> RaterPair:
    n = int(table.sum())
    kappa = cohen_kappa(table, grades, "none")
    return RaterPair(
        raters=raters,
        n=n,
        agreement=int(np.trace(table)) / n,
        cohen_kappa=kappa,
        cohen_kappa_linear=cohen_kappa(table, grades, "linear"),
        cohen_kappa_quadratic=cohen_kappa(table, grades, "quadratic"),
        undefined=BOTH_ONE_GRADE if math.isnan(kappa) else None,
    )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}
    json.dumps(kept, allow_nan=False)
    return kept
