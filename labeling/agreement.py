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
    cohen_kappas,
    find_patterns,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    overlap_of_sets,
    percent_agreement,
    scott_pi,
    sum_over,
    sums_by_group,
    sums_of_counts,
)
from labeling._couples import (
    WEIGHTINGS,
    Couples,
    RaterPair,
    count_units,
    describe_couples,
    draw_kappas,
    find_couples,
    mean_kappa,
    middle_of,
)
from labeling._drift import find_drifts
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
NO_RELEVANT = "no vote on a pair with two votes reaches this grade"
NO_KAPPA = "every two raters with common pairs gave them one and the same grade"
BELOW_ZERO = "the ratio level needs grades of 0 or more"

_MOST_WEIGHTS = 20_000_000  # numbers that the resamples of couples may take

Resample = Literal["query", "pair"]


@dataclass(frozen=True)
class Coefficient:
    """One coefficient over all votes.

    name and level say which: krippendorff_alpha at nominal, ordinal, interval or ratio, gwet_ac2 and cohen_kappa at linear or
    quadratic, overlap_of_relevant at each grade above the lowest. cohen_kappa is Cohen's for two raters; for more, the mean
    over every two raters, each couple weighing as many as its common pairs. value is nan where undefined says why, else undefined is None. low and high bound the bootstrap's middle 95 %; nan
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
    AgreementReport; where the votes have a column judged_at, its warnings name raters whose grades drift

    Raises
    ------
    AssayError
        A column is missing, a grade lies outside the scale, or a rater has two votes on one pair.

    Notes
    -----
    Undefined: value is nan and undefined says why: no votes, only one rater, no pair with two votes, one grade throughout. The share of equal
    grades and AC1, AC2 stay defined where every grade is the same. Pairs with one vote count for the shares of Fleiss and Gwet, not for
    alpha. Differs from scikit-learn: weighted kappa runs over the whole scale, as with its labels=grades. Sources: Krippendorff (2011),
    Computing Krippendorff's Alpha-Reliability; Scott (1955); Cohen (1960, 1968); Fleiss (1971); Gwet (2008, 2014).

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
    couples = find_couples(encoded)
    generator = np.random.default_rng(seed)
    coefficients, weights = _coefficients(encoded, counts, draws, generator, resample)
    kappas, drawn = _kappas(encoded, couples, weights, draws, generator, resample)
    units = count_units(couples, encoded.pair_query) if resample == "query" else couples.tables.sum(axis=(1, 2))
    rater_pairs = describe_couples(couples, encoded.grades, drawn, units)
    cautions = find_cautions(encoded, counts, list(zip(couples.raters, couples.tables, strict=True)))
    return AgreementReport(
        pairs=encoded.pair_count,
        raters=len(encoded.rater_names),
        votes=len(encoded.pair),
        paired=int((counts.sum(axis=1) >= 2).sum()),
        coefficients=(*coefficients, *kappas),
        rater_pairs=rater_pairs,
        warnings=(*cautions, *(find_drifts(votes) if "judged_at" in votes.columns else ())),
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
    encoded: EncodedVotes, counts: IntArray, draws: int, generator: np.random.Generator, resample: Resample
) -> tuple[list[Coefficient], FloatArray | None]:
    """The coefficients that are sums over pairs; and how often each resample drew each query, where queries were drawn."""
    patterns, pattern = find_patterns(counts)
    rows = sums_of_counts(patterns)
    occurrences = np.bincount(pattern, minlength=len(patterns)).astype(np.float64)
    found = _values(sum_over(occurrences[None, :], rows), encoded.grades)
    drawn, weights = None, None
    if resample == "pair" and draws and encoded.pair_count > 1:
        drawn = _weights(generator, encoded.pair_count, occurrences, draws)
        drawn_sums = sum_over(drawn, rows)
    elif resample == "query" and draws and len(encoded.query_ids) > 1:
        queries = len(encoded.query_ids)
        weights = drawn = _weights(generator, queries, np.ones(queries), draws)
        drawn_sums = sum_over(drawn, sums_by_group(rows, pattern, encoded.pair_query, queries))
    values = {} if drawn is None else _values(drawn_sums, encoded.grades)
    paired = int((counts.sum(axis=1) >= 2).sum())
    return [
        _coefficient(
            name, level, float(one[0]), values.get((name, level)), paired, _reason(encoded, paired, name, level)
        )
        for (name, level), one in found.items()
    ], weights


def _weights(generator: np.random.Generator, count: int, occurrences: FloatArray, draws: int) -> FloatArray:
    return generator.multinomial(count, occurrences / occurrences.sum(), size=draws).astype(np.float64)


def _values(sums: Sums, grades: tuple[int, ...]) -> dict[tuple[str, str], FloatArray]:
    nothing = np.full(len(sums.pairs), np.nan)
    return {
        ("percent_agreement", "nominal"): percent_agreement(sums),
        ("krippendorff_alpha", "nominal"): krippendorff_alpha(sums, grades, "nominal"),
        ("krippendorff_alpha", "ordinal"): krippendorff_alpha(sums, grades, "ordinal"),
        ("krippendorff_alpha", "interval"): krippendorff_alpha(sums, grades, "interval"),
        ("krippendorff_alpha", "ratio"): nothing if grades[0] < 0 else krippendorff_alpha(sums, grades, "ratio"),
        ("scott_pi", "nominal"): scott_pi(sums),
        ("fleiss_kappa", "nominal"): fleiss_kappa(sums),
        ("gwet_ac1", "nominal"): gwet_ac(sums, grades, "none"),
        ("gwet_ac2", "linear"): gwet_ac(sums, grades, "linear"),
        ("gwet_ac2", "quadratic"): gwet_ac(sums, grades, "quadratic"),
        **{
            ("overlap_of_relevant", str(grade)): overlap_of_sets(sums, place)
            for place, grade in enumerate(grades)
            if place
        },
    }


def _kappas(
    encoded: EncodedVotes,
    couples: Couples,
    weights: FloatArray | None,
    draws: int,
    generator: np.random.Generator,
    resample: Resample,
) -> tuple[list[Coefficient], FloatArray | None]:
    """Cohen's kappa at each weighting; and the unweighted kappa of each couple in each resample."""
    unit = encoded.pair_query
    if resample == "pair" and draws and encoded.pair_count > 1:
        unit = _patterns_of_couples(encoded)
        occurrences = np.bincount(unit).astype(np.float64)
        fewer = max(1, min(draws, _MOST_WEIGHTS // len(occurrences)))
        # A pattern's pairs are counted together below, so each resample says how often it drew one of them.
        weights = _weights(generator, encoded.pair_count, occurrences, fewer) / occurrences
    drawn = None if weights is None else draw_kappas(couples, encoded.grades, weights, unit)
    n = couples.tables.sum(axis=(1, 2)).astype(np.float64)
    paired = int((np.bincount(encoded.pair, minlength=1) >= 2).sum())
    found = []
    for weighting in WEIGHTINGS:
        value = float(mean_kappa(cohen_kappas(couples.tables, encoded.grades, weighting), n))
        level = "nominal" if weighting == "none" else weighting
        resampled = None if drawn is None else drawn[weighting][1]
        reason = _reason(encoded, paired, "cohen_kappa", level)
        found.append(_coefficient("cohen_kappa", level, value, resampled, paired, reason))
    return found, None if drawn is None else drawn["none"][0]


def _patterns_of_couples(encoded: EncodedVotes) -> IntArray:
    """For each pair, a number that pairs share where the same raters gave them the same grades."""
    base = len(encoded.grades) + 1
    if base ** len(encoded.rater_names) >= 2**62:
        return np.arange(encoded.pair_count)
    powers = base ** np.arange(len(encoded.rater_names), dtype=np.int64)
    codes = np.zeros(encoded.pair_count, dtype=np.int64)
    np.add.at(codes, encoded.pair, (encoded.level + 1) * powers[encoded.rater])
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _reason(encoded: EncodedVotes, paired: int, name: str, level: str) -> str:
    if encoded.pair_count == 0:
        return NO_VOTES
    if len(encoded.rater_names) == 1:
        return ONE_RATER
    if paired == 0:
        return NO_DOUBLE_VOTES
    if level == "ratio" and encoded.grades[0] < 0:
        return BELOW_ZERO
    return {"overlap_of_relevant": NO_RELEVANT, "cohen_kappa": NO_KAPPA}.get(name, ONE_GRADE)


def _coefficient(name: str, level: str, value: float, drawn: FloatArray | None, n: int, reason: str) -> Coefficient:
    undefined = reason if math.isnan(value) else None
    low, high = middle_of(drawn if undefined is None else None)
    return Coefficient(name=name, level=level, value=value, low=low, high=high, n=n, undefined=undefined)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}
    json.dumps(kept, allow_nan=False)
    return kept
