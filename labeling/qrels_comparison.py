"""Two sets of qrels side by side: which pairs came, went and changed, and what that did to the scores of runs.

Knows tables and runs; no database, no file, no page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labeling.errors import AssayError, InputError
from metrics import Measure, Options, Qrels, Run, evaluate, tau_b

__all__ = [
    "ALL_TIED",
    "NO_GRADES",
    "ONE_RUN",
    "QrelsChange",
    "ScoreChange",
    "compare_qrels",
    "compare_scores",
    "measure_means",
    "tau_or_reason",
]

KINDS = ("added", "removed", "changed")

ONE_RUN = "an order needs two runs or more"
ALL_TIED = "all runs have the same mean in one of the two"
NO_GRADES = "one of the two has no grades"


@dataclass(frozen=True)
class QrelsChange:
    """What differs between two sets of qrels.

    table has a row for each pair that differs: query_id, doc_id, before and after (Int64, NA where the pair is not there) and change
    ("added", "removed" or "changed"), in byte order. moves counts the pairs that are in both: before, after, pairs. counts has before, after,
    same, added, removed and changed.
    """

    table: pd.DataFrame
    moves: pd.DataFrame
    counts: Mapping[str, int]


@dataclass(frozen=True)
class ScoreChange:
    """What a change of qrels does to the means of runs.

    table has a row for each run, best first after the change: run, before, after, difference, place_before, place_after. tau is Kendall's tau-b
    between the two orders, nan where undefined says why. definition fixes the numbers.
    """

    table: pd.DataFrame
    tau: float
    undefined: str | None
    swapped: int
    definition: Mapping[str, Any]


def compare_qrels(before: pd.DataFrame, after: pd.DataFrame) -> QrelsChange:
    """Say which pairs two sets of qrels (query_id, doc_id, relevance; one row a pair) do not share, or grade otherwise.

    Examples
    --------
    >>> one = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "e"], "relevance": [1, 0]})
    >>> two = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "f"], "relevance": [2, 3]})
    >>> compare_qrels(one, two).table["change"].tolist()
    ['changed', 'removed', 'added']
    """
    key = ["query_id", "doc_id"]
    merged = _grades(before, "before").merge(_grades(after, "after"), on=key, how="outer").sort_values(key)
    both = merged["before"].notna() & merged["after"].notna()
    other = both & (merged["before"] != merged["after"]).fillna(value=False)
    change = np.select([merged["before"].isna(), merged["after"].isna(), other], KINDS, default="")
    moves = merged[both].groupby(["before", "after"]).size().rename("pairs").reset_index()
    counts = {"before": len(before), "after": len(after), "same": int((both & ~other).sum())}
    counts |= {kind: int((change == kind).sum()) for kind in KINDS}
    table = merged.assign(change=change)[change != ""].reset_index(drop=True)
    return QrelsChange(table, moves.astype("int64"), counts)


def _grades(qrels: pd.DataFrame, name: str) -> pd.DataFrame:
    if qrels.duplicated(["query_id", "doc_id"]).any():
        raise AssayError(f"qrels {name}: expected one grade a pair, found a pair twice")
    table = qrels[["query_id", "doc_id", "relevance"]].rename(columns={"relevance": name})
    return table.astype({"query_id": "str", "doc_id": "str", name: "Int64"})


def measure_means(
    qrels: pd.DataFrame, runs: Sequence[Run], measure: Measure, options: Options | None = None
) -> pd.Series:
    """The mean of each run, by its tag; nan where the qrels are empty or have no query of the run."""
    tags = pd.Index([run.tag for run in runs], name="run")
    if qrels.empty:
        return pd.Series(np.nan, index=tags, dtype="float64")
    try:
        found = evaluate(Qrels(qrels, name="qrels"), list(runs), [measure], options=options or Options())
    except InputError:
        if len(runs) == 1:
            return pd.Series(np.nan, index=tags, dtype="float64")
        return pd.Series(pd.concat([measure_means(qrels, [run], measure, options) for run in runs]))
    return found.means.set_index("run")["mean"].reindex(tags).astype("float64")


def compare_scores(before: pd.DataFrame, after: pd.DataFrame, runs: Sequence[Run], measure: Measure) -> ScoreChange:
    """Score the same runs under two sets of qrels; each mean runs over the queries of its own qrels."""
    one, two = (measure_means(qrels, runs, measure) for qrels in (before, after))
    table = pd.DataFrame({"before": one, "after": two, "difference": two - one})
    for name in ("before", "after"):
        table[f"place_{name}"] = table[name].rank(ascending=False, method="min").astype("Int64")
    table = table.reset_index().sort_values(["after", "run"], ascending=[False, True], ignore_index=True)
    tau, undefined = tau_or_reason(one, two)
    definition = {
        "measure": measure.definition(),
        "queries_before": int(before["query_id"].nunique()),
        "queries_after": int(after["query_id"].nunique()),
        **Options().definition(),
    }
    return ScoreChange(table, tau, undefined, _count_swaps(one.to_numpy(), two.to_numpy()), definition)


def tau_or_reason(one: pd.Series, two: pd.Series) -> tuple[float, str | None]:
    """Kendall's tau-b between two orders of the same runs, or nan and why there is none."""
    if len(one) < 2 or one.isna().any() or two.isna().any():
        return float("nan"), ONE_RUN if len(one) < 2 else NO_GRADES
    tau = tau_b(one.to_numpy(), two.to_numpy())
    return tau, ALL_TIED if np.isnan(tau) else None


def _count_swaps(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any]) -> int:
    """Couples of runs of which one is ahead before and the other after."""
    first, second = (np.sign(np.subtract.outer(means, means)) for means in (one, two))
    return int(((first * second) < 0).sum() // 2)
