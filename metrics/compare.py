"""Which of two systems is better, and whether these queries can tell: paired tests, intervals, orders.

Knows evaluations; nothing of files or votes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics._significance import (
    adjust_holm,
    bootstrap_intervals,
    detectable,
    randomization_test,
    t_test,
    tukey_test,
    wilcoxon_test,
)
from metrics.alignment import Runs
from metrics.correlation import SAME, rbo, tau_ap, tau_ap_b, tau_b
from metrics.errors import InputError, MeasureError
from metrics.evaluate import DEFAULT_MEASURES, Evaluation, evaluate, records, remark_record
from metrics.measure import Measure
from metrics.options import Options
from metrics.tables import Qrels, Remark

__all__ = ["Comparison", "compare", "compare_evaluated", "compare_scores"]

COLUMNS = (
    "a", "b", "measure", "mean_a", "mean_b", "difference", "low", "high", "queries", "won", "tied", "lost", "p_t",
    "p_wilcoxon", "p_randomization", "p_t_holm", "p_randomization_holm", "p_tukey", "detectable", "undefined",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every two systems compared on the same queries.

    Parameters
    ----------
    evaluation : Evaluation
    differences : DataFrame
        a, b, measure, mean_a, mean_b, difference, low, high, queries, won, tied, lost, p_t, p_wilcoxon,
        p_randomization, p_t_holm, p_randomization_holm, p_tukey, detectable, undefined. ``a`` is the system with the
        higher mean; ``low`` and ``high`` bound the bootstrapped middle 95 % of the difference; ``detectable`` is the
        smallest true difference that a t test on these queries finds in 4 of 5 cases; ``undefined`` says why a p is
        missing.
    draws, seed : int
    remarks : tuple of Remark
    """

    evaluation: Evaluation
    differences: pd.DataFrame
    draws: int
    seed: int
    baseline: str | None
    remarks: tuple[Remark, ...]

    @cached_property
    def orders(self) -> pd.DataFrame:
        """measure_a, measure_b, tau_b, tau_ap, tau_ap_b, rbo: how alike two measures order the systems.

        ``tau_ap`` takes the order under ``measure_a`` for the truth; ``tau_ap_b`` takes neither.
        """
        means = {str(each): self.evaluation.scores[str(each)].means() for each in self.evaluation.measures}
        tags = np.array(self.evaluation.tags, dtype=object)
        rows = [
            {
                "measure_a": a,
                "measure_b": b,
                "tau_b": tau_b(means[a], means[b]),
                "tau_ap": tau_ap(means[a], means[b]),
                "tau_ap_b": tau_ap_b(means[a], means[b]),
                "rbo": rbo(*(tags[np.argsort(-means[each], kind="stable")].tolist() for each in (a, b))),
            }
            for a, b in combinations(means, 2)
        ]
        return pd.DataFrame(rows, columns=["measure_a", "measure_b", "tau_b", "tau_ap", "tau_ap_b", "rbo"])

    @cached_property
    def definition(self) -> dict[str, Any]:
        """Everything that fixes these numbers."""
        return self.evaluation.definition | {
            "tests": "paired over queries, two-sided: Student's t, Wilcoxon signed ranks, randomization (1 + as extreme) / (draws + 1)",
            "corrections": "Holm over all pairs of a measure; Tukey HSD by randomization over all systems",
            "interval": "bootstrap over queries, 2.5 and 97.5 percentiles",
            "detectable": "paired t test, level 0.05, power 0.8",
            "draws": self.draws,
            "seed": self.seed,
            "baseline": self.baseline,
        }

    def to_json(self) -> dict[str, Any]:
        """The answer as programs read it; undefined numbers are None."""
        return {
            "definition": self.definition,
            "means": records(self.evaluation.means),
            "comparisons": records(self.differences),
            "orders": records(self.orders),
            "remarks": [remark_record(remark) for remark in self.remarks],
        }


def compare(
    qrels: Qrels | pd.DataFrame,
    runs: Runs,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    baseline: str | None = None,
    draws: int = 10_000,
    seed: int = 0,
    options: Options | None = None,
) -> Comparison:
    """Compare every two runs on the same queries.

    Parameters
    ----------
    qrels, runs, measures, options
        As for :func:`evaluate`.
    baseline : str, optional
        Compare every run with this one only; Holm then counts those comparisons.
    draws : int >= 1
        Of the randomization tests and of the bootstrap.
    seed : int

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        When there are fewer than two runs, or the baseline is not among them.
    """
    return compare_evaluated(
        evaluate(qrels, runs, measures, options=options), baseline=baseline, draws=draws, seed=seed
    )


def compare_evaluated(
    evaluation: Evaluation, *, baseline: str | None = None, draws: int = 10_000, seed: int = 0
) -> Comparison:
    """Compare every two runs of an evaluation."""
    if len(evaluation.tags) < 2:
        raise InputError("runs", None, "at least two runs", str(len(evaluation.tags)))
    if baseline is not None and baseline not in evaluation.tags:
        raise InputError("runs", None, f"a run named {baseline!r}", ", ".join(evaluation.tags))
    if draws < 1:
        raise MeasureError(f"draws is 1 or more, found {draws}")
    remarks = list(evaluation.remarks)
    parts = []
    for measure in evaluation.measures:
        scores = evaluation.scores[str(measure)]
        shared = scores.counted.all(axis=0)
        if (scores.counted.any(axis=0) & ~shared).any():
            lost = int((scores.counted.any(axis=0) & ~shared).sum())
            said = f"{measure}: {lost} queries do not count for every run; the tests use the other {int(shared.sum())}"
            remarks.append(Remark.of("queries_not_shared", lost, said))
        table = compare_scores(scores.values[:, shared], evaluation.tags, baseline=baseline, draws=draws, seed=seed)
        parts.append(table.assign(measure=str(measure)))
    table = pd.concat(parts, ignore_index=True)[list(COLUMNS)]
    remarks += _notice_cutoffs(evaluation.measures)
    return Comparison(evaluation, table, draws, seed, baseline, tuple(remarks))


def compare_scores(
    scores: NDArray[np.float64], tags: list[str], *, baseline: str | None = None, draws: int = 10_000, seed: int = 0
) -> pd.DataFrame:
    """Compare systems by their scores on the same queries.

    Parameters
    ----------
    scores : array of float, shape (systems, queries)
    tags : list of str
    baseline, draws, seed
        As for :func:`compare`.

    Returns
    -------
    DataFrame
        As ``Comparison.differences``, without ``measure``.
    """
    systems, queries = scores.shape
    means = scores.mean(axis=1) if queries else np.full(systems, np.nan)
    order = np.argsort(-means, kind="stable")
    pairs = [
        (int(a), int(b))
        for a, b in combinations(order, 2)
        if baseline is None or baseline in {tags[int(a)], tags[int(b)]}
    ]
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    differences = scores[a] - scores[b]
    # independent streams, so that one test's draws do not depend on another's
    flips, shuffles, resamples = (np.random.default_rng([seed, stream]) for stream in range(3))
    low, high = bootstrap_intervals(differences, draws, resamples)
    p_t, p_random = t_test(differences), randomization_test(differences, draws, flips)
    tukey = tukey_test(scores, draws, shuffles)[a, b]
    same = np.abs(differences) <= SAME
    return pd.DataFrame(
        {
            "a": [tags[each] for each in a],
            "b": [tags[each] for each in b],
            "mean_a": means[a],
            "mean_b": means[b],
            "difference": means[a] - means[b],
            "low": low,
            "high": high,
            "queries": queries,
            "won": ((differences > 0) & ~same).sum(axis=1),
            "tied": same.sum(axis=1),
            "lost": ((differences < 0) & ~same).sum(axis=1),
            "p_t": p_t,
            "p_wilcoxon": wilcoxon_test(differences),
            "p_randomization": p_random,
            "p_t_holm": adjust_holm(p_t),
            "p_randomization_holm": adjust_holm(p_random),
            "p_tukey": tukey,
            "detectable": detectable(differences),
            "undefined": [_why_undefined(queries, bool(each)) for each in np.asarray(same.all(axis=1))],
        }
    )


def _why_undefined(queries: int, nothing_differs: bool) -> str:
    if queries < 2:
        return "fewer than two queries"
    return "no query differs" if nothing_differs else ""


def _notice_cutoffs(measures: tuple[Measure, ...]) -> list[Remark]:
    cutoffs: dict[tuple[str, object], list[str]] = {}
    for measure in measures:
        cutoffs.setdefault((measure.name, measure.parameters), []).append(str(measure))
    return [
        Remark.of(
            "several_cutoffs",
            len(texts),
            f"{len(texts)} cutoffs of {name} were looked at on the same data ({', '.join(texts)}): choose one before comparing, or say that all were looked at",
            texts,
        )
        for (name, _), texts in cutoffs.items()
        if len(texts) > 1
    ]
