"""What the judgments say of each rater: habits, agreement, gold, repeats, pace, and what needs a lead's attention.

Knows tables; no database, no page. It describes work for a lead who talks to people; it is no ranking.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from labeling._cautions import Caution
from labeling._coefficients import FloatArray, cohen_kappas
from labeling._couples import FEWEST_UNITS, draw_kappas, find_couples, mean_kappa, middle_of
from labeling._drift import find_drifts, tell_time
from labeling._habits import fit_habits
from labeling._pace import FAST_SECONDS, Series, find_fast_series
from labeling._votes import encode_votes

__all__ = [
    "Estimate",
    "RaterReport",
    "RaterState",
    "describe_raters",
    "fit_habits",
    "trend_of",
    "wilson_interval",
]

_NEEDED = ("query_id", "doc_id", "rater", "grade", "kind", "is_vote", "judged_at", "seconds")
ENOUGH = 30  # pairs in common; below it intervals say next to nothing
NOTABLE_DIFFERENCE = 0.25  # grades
NOTABLE_GAP = 0.1  # of the share of equal grades
LOW_ACCURACY = 0.8
LOW_CONSISTENCY = 0.7
HIGH_REFUSALS = 0.2
ENOUGH_CHECKS = 10


@dataclass(frozen=True)
class RaterState:
    """Who a rater is and what their grades count for."""

    name: str
    is_model: bool = False
    casts_vote: bool = True
    set_aside: bool = False


@dataclass(frozen=True)
class Estimate:
    """A value over n observations with the bounds of its 95 % interval; nan where there is none."""

    value: float
    low: float
    high: float
    n: int

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


@dataclass(frozen=True)
class RaterReport:
    """One rater in numbers.

    judged counts current production judgments; graded, cannot_judge, skipped are its parts. share is that of all votes. difference is
    the mean of grade minus the partners' mean grade on the same pair, equal the mean share of partners' votes with the same
    grade, kappa Cohen's with quadratic weights, mean over partners by common pairs; these three with bootstrap intervals by
    query. accuracy (gold) and consistency (repeats) are shares of equal grades with Wilson intervals. own and partners count
    grades on the shared pairs; partners adds up to as many, each pair's votes sharing one.
    """

    state: RaterState
    judged: int
    graded: int
    votes: int
    share: float
    cannot_judge: int
    skipped: int
    difference: Estimate
    equal: Estimate
    kappa: Estimate
    accuracy: Estimate
    consistency: Estimate
    seconds: float
    fast: tuple[Series, ...]
    own: tuple[int, ...]
    partners: tuple[float, ...]
    attention: tuple[Caution, ...]


def describe_raters(
    judgments: pd.DataFrame,
    states: Sequence[RaterState],
    grades: Sequence[int],
    *,
    gold: pd.DataFrame | None = None,
    repeats: pd.DataFrame | None = None,
    fast_seconds: float = FAST_SECONDS,
    draws: int = 1000,
    seed: int = 0,
) -> list[RaterReport]:
    """Describe each rater, in the order of states.

    Partners are the other raters whose grades count as votes; so a model, or a rater who is set aside, is compared with
    those who vote and counts for nobody else.

    Parameters
    ----------
    judgments : DataFrame with query_id, doc_id, rater, grade, kind, purpose, is_vote, judged_at, seconds
        The current judgment of each rater and pair.
    gold : DataFrame with rater, grade, reference, optional
    repeats : DataFrame with rater, first_grade, second_grade, optional
    """
    production = judgments.loc[judgments["purpose"] == "production", list(_NEEDED)]
    compared = _compare(production, grades)
    by_rater, compared_by_rater = _by_rater(production), _by_rater(compared)
    statistics = _Statistics(compared, production, grades, draws, seed)
    total = int(production["is_vote"].sum())
    drifting = {one.params["rater"]: one for one in (find_drifts(compared) if len(compared) else [])}
    reports = []
    for state in states:
        own = by_rater.get(state.name, production.iloc[:0])
        kinds = own["kind"].value_counts()
        votes = int(own["is_vote"].sum())
        shared = compared_by_rater.get(state.name, compared.iloc[:0])
        seconds = own.loc[own["kind"].isin(("grade", "cannot_judge")), "seconds"].dropna()
        report = RaterReport(
            state=state,
            judged=len(own),
            graded=int(kinds.get("grade", 0)),
            votes=votes,
            share=votes / total if total else math.nan,
            cannot_judge=int(kinds.get("cannot_judge", 0)),
            skipped=int(kinds.get("skip", 0)),
            difference=statistics.difference(state.name),
            equal=statistics.equal(state.name),
            kappa=statistics.kappa(state.name),
            accuracy=_share_equal(gold, state.name, "grade", "reference"),
            consistency=_share_equal(repeats, state.name, "first_grade", "second_grade"),
            seconds=float(seconds.median()) if len(seconds) else math.nan,
            fast=find_fast_series(own, fast_seconds),
            own=tuple(int((shared["grade"] == grade).sum()) for grade in grades),
            partners=tuple(float(shared[f"_{grade}"].sum()) for grade in grades),
            attention=(),
        )
        found = _attention(report, own, statistics.equal_of_others(state.name), drifting.get(state.name))
        reports.append(replace(report, attention=tuple(found)))
    return reports


def _by_rater(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {str(rater): part for rater, part in table.groupby("rater", sort=False)}


def _compare(production: pd.DataFrame, grades: Sequence[int]) -> pd.DataFrame:
    """Each graded judgment on a pair with a vote of somebody else: its difference to these votes, and their shares of grades."""
    graded = production[(production["kind"] == "grade") & production["grade"].isin(list(grades))]
    graded = graded.assign(grade=graded["grade"].astype("int64"))
    keys = ["query_id", "doc_id"]
    votes = graded[graded["is_vote"]]
    counts = pd.crosstab([votes["query_id"], votes["doc_id"]], votes["grade"]).reindex(
        columns=list(grades), fill_value=0
    )
    joined = graded.merge(counts.rename(columns={grade: f"_{grade}" for grade in grades}), on=keys, how="inner")
    for grade in grades:
        joined[f"_{grade}"] -= ((joined["grade"] == grade) & joined["is_vote"]).astype("int64")
    names = [f"_{grade}" for grade in grades]
    others = joined[names].sum(axis=1)
    joined, others = joined[others > 0].reset_index(drop=True), others[others > 0].reset_index(drop=True)
    joined[names] = joined[names].div(others, axis=0)
    partners = joined[names].to_numpy() @ np.asarray(list(grades), dtype=np.float64)
    place = joined["grade"].map({grade: number for number, grade in enumerate(grades)}).to_numpy(dtype=np.int64)
    equal = joined[names].to_numpy()[np.arange(len(joined)), place] if len(joined) else np.empty(0)
    return joined.assign(partners=partners, difference=joined["grade"] - partners, equal=equal)


class _Statistics:
    """Means per rater and their bootstrap by query, all raters in the same resamples."""

    def __init__(
        self, compared: pd.DataFrame, production: pd.DataFrame, grades: Sequence[int], draws: int, seed: int
    ) -> None:
        self._of = _by_rater(compared)
        self._queries_of = {rater: len(set(part["query_id"])) for rater, part in self._of.items()}
        voted = compared[compared["is_vote"]].groupby("rater")["equal"].agg(["sum", "size"])
        self._equal_votes = {str(rater): (float(row["sum"]), int(row["size"])) for rater, row in voted.iterrows()}
        queries = sorted(compared["query_id"].unique())
        self._queries = {query: number for number, query in enumerate(queries)}
        count = len(queries)
        self._weights = (
            np.random.default_rng(seed).multinomial(count, np.full(count, 1.0 / count), size=draws).astype(np.float64)
            if draws and count > 1
            else None
        )
        self._kappas = self._all_kappas(production, grades)

    def difference(self, rater: str) -> Estimate:
        return self._mean(rater, "difference")

    def equal(self, rater: str) -> Estimate:
        return self._mean(rater, "equal")

    def equal_of_others(self, rater: str) -> float:
        """The mean share of equal grades among the votes of everybody else."""
        others = [found for name, found in self._equal_votes.items() if name != rater]
        n = sum(size for _, size in others)
        return sum(total for total, _ in others) / n if n else math.nan

    def kappa(self, rater: str) -> Estimate:
        return self._kappas.get(rater, Estimate(math.nan, math.nan, math.nan, 0))

    def _mean(self, rater: str, column: str) -> Estimate:
        own = self._of.get(rater)
        if own is None:
            return Estimate(math.nan, math.nan, math.nan, 0)
        query = own["query_id"].map(self._queries).to_numpy(dtype=np.int64)
        sums = np.bincount(query, weights=own[column], minlength=len(self._queries))
        sizes = np.bincount(query, minlength=len(self._queries)).astype(np.float64)
        low, high = math.nan, math.nan
        if self._weights is not None and (sizes > 0).sum() >= FEWEST_UNITS:
            total = self._weights @ sizes
            drawn = np.divide(self._weights @ sums, total, out=np.full(len(total), np.nan), where=total > 0)
            low, high = middle_of(drawn)
        return Estimate(float(own[column].mean()), low, high, len(own))

    def _all_kappas(self, production: pd.DataFrame, grades: Sequence[int]) -> dict[str, Estimate]:
        graded = production[(production["kind"] == "grade") & production["grade"].isin(list(grades))]
        encoded = encode_votes(graded[["query_id", "doc_id", "rater", "grade"]].astype({"grade": "int64"}), grades)
        couples = find_couples(encoded)
        voting = set(graded.loc[graded["is_vote"], "rater"])
        n = couples.tables.sum(axis=(1, 2)).astype(np.float64)
        values = cohen_kappas(couples.tables, encoded.grades, "quadratic")
        drawn: FloatArray | None = None
        if self._weights is not None:
            known = np.asarray([self._queries.get(query, -1) for query in encoded.query_ids], dtype=np.int64)
            # A query where nobody has a partner adds nothing to any couple of one that has.
            weights = np.where(known >= 0, self._weights[:, known], 0.0)
            drawn = draw_kappas(couples, encoded.grades, weights, encoded.pair_query)["quadratic"][0]
        found = {}
        for rater in encoded.rater_names:
            mine = [
                place for place, pair in enumerate(couples.raters) if rater in pair and set(pair) - {rater} <= voting
            ]
            value = float(mean_kappa(values[mine], n[mine]))
            told = drawn is not None and not math.isnan(value) and self._queries_of.get(rater, 0) >= FEWEST_UNITS
            low, high = middle_of(mean_kappa(drawn[:, mine], n[mine]) if drawn is not None and told else None)
            found[rater] = Estimate(value, low, high, int(n[mine].sum()))
        return found


def _share_equal(table: pd.DataFrame | None, rater: str, first: str, second: str) -> Estimate:
    own = None if table is None else table[table["rater"] == rater]
    if own is None or own.empty:
        return Estimate(math.nan, math.nan, math.nan, 0)
    n, equal = len(own), int((own[first] == own[second]).sum())
    low, high = wilson_interval(equal, n)
    return Estimate(equal / n, low, high, n)


def wilson_interval(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson (1927): never below 0 or above 1, and sound for few observations."""
    z = 1.959963984540054
    share, room = count / n, z * z / n
    middle = (share + room / 2) / (1 + room)
    half = z * math.sqrt(share * (1 - share) / n + room / (4 * n)) / (1 + room)
    return max(0.0, middle - half), min(1.0, middle + half)


def trend_of(judgments: pd.DataFrame, rater: str, grades: Sequence[int]) -> pd.DataFrame:
    """A rater's work in ten parts of equal length, in the order of time.

    Columns: part (1 to 10), first_at, last_at, n, difference (mean of grade minus the partners' mean), equal (mean share of
    partners' votes with the same grade), seconds (median). Fewer parts where there are fewer than 50 shared pairs.
    """
    columns = ["part", "first_at", "last_at", "n", "difference", "equal", "seconds"]
    compared = _compare(judgments[judgments["purpose"] == "production"], grades)
    own = compared[(compared["rater"] == rater) & compared["judged_at"].notna()]
    if own.empty:
        return pd.DataFrame(columns=columns)
    moment = pd.to_datetime(own["judged_at"], utc=True, format="ISO8601", errors="coerce")
    if not tell_time(moment):
        return pd.DataFrame(columns=columns)
    own = own.assign(moment=moment).sort_values(["moment", "query_id", "doc_id"]).reset_index(drop=True)
    parts = max(1, min(10, len(own) // 5))
    seconds = pd.to_numeric(own["seconds"], errors="coerce").astype("float64")
    grouped = own.assign(seconds=seconds).groupby(own.index * parts // len(own))
    table = grouped.agg(
        first_at=("moment", "first"),
        last_at=("moment", "last"),
        n=("grade", "size"),
        difference=("difference", "mean"),
        equal=("equal", "mean"),
        seconds=("seconds", "median"),
    )
    return table.assign(part=table.index + 1)[columns].reset_index(drop=True)


def _attention(report: RaterReport, own: pd.DataFrame, others: float, drift: Caution | None) -> list[Caution]:
    found = []
    difference, equal = report.difference, report.equal
    if difference.n < ENOUGH:
        found.append(Caution("few", {"n": difference.n}))
    elif not math.isnan(difference.low):
        notable = abs(difference.value) >= NOTABLE_DIFFERENCE and not difference.low <= 0.0 <= difference.high
        if notable:
            code = "lenient" if difference.value > 0 else "harsh"
            found.append(Caution(code, {"difference": f"{abs(difference.value):.2f}"}))
        if equal.value < others - NOTABLE_GAP and not equal.high >= others:
            found.append(Caution("low_agreement", {"share": f"{equal.value:.0%}", "others": f"{others:.0%}"}))
    if report.accuracy.n >= ENOUGH_CHECKS and report.accuracy.value < LOW_ACCURACY:
        n = report.accuracy.n
        found.append(Caution("low_accuracy", {"right": round(report.accuracy.value * n), "n": n}))
    if report.consistency.n >= ENOUGH_CHECKS and report.consistency.value < LOW_CONSISTENCY:
        n = report.consistency.n
        found.append(Caution("inconsistent", {"same": round(report.consistency.value * n), "n": n}))
    if report.fast:
        found.append(Caution("fast", {"series": len(report.fast), "acts": sum(one.acts for one in report.fast)}))
    refused = report.cannot_judge + report.skipped
    if report.judged >= ENOUGH and refused / report.judged > HIGH_REFUSALS:
        found.append(Caution("refuses", {"share": f"{refused / report.judged:.0%}"}))
    given = own.loc[own["kind"] == "grade", "grade"]
    if len(given) >= ENOUGH and (given == given.iloc[0]).all():
        found.append(Caution("one_grade", {"grade": int(given.iloc[0]), "n": len(given)}))
    if drift is not None:
        found.append(Caution("drifts", {"first": drift.params["first"], "last": drift.params["last"]}))
    return found
