"""Rules side by side on the same votes: what each leaves open, where they differ, what they do to scores; and a given file beside them.

Knows tables of votes and runs; no database, no file, no page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labeling.aggregation import Consolidation, Ties, consolidate
from labeling.qrels_comparison import measure_means, tau_or_reason
from labeling.rules import SIMPLE_RULES
from metrics import Measure, Run

__all__ = [
    "COMPARED",
    "FinalCheck",
    "RuleComparison",
    "RuleScores",
    "check_final",
    "compare_rules",
    "score_rules",
]

COMPARED = (*SIMPLE_RULES, "dawid-skene")
REFERENCE = "majority"
_KEY = ["query_id", "doc_id"]


@dataclass(frozen=True)
class RuleComparison:
    """What several rules make of the same votes and decisions.

    found holds each rule's consolidation. table: rule, graded, open, ties, differs (pairs that it and the majority both grade, and grade
    otherwise), mean (of its grades), undefined. pairs: every pair that two rules treat differently: query_id, doc_id, votes (the grades given, in
    rising order) and a column a rule (Int64, NA where open).
    """

    found: Mapping[str, Consolidation]
    table: pd.DataFrame
    pairs: pd.DataFrame


@dataclass(frozen=True)
class RuleScores:
    """What each rule does to the runs.

    means: a row a run, a column a rule. first: the run that is ahead under each rule ("" where there is none). taus: Kendall's tau-b between
    the orders under every two rules, nan where undefined. queries: how many queries each rule's mean runs over.
    """

    means: pd.DataFrame
    first: Mapping[str, str]
    taus: pd.DataFrame
    queries: Mapping[str, int]


@dataclass(frozen=True)
class FinalCheck:
    """A given set of qrels beside the votes.

    table: rule, both (pairs that the rule and the qrels grade), equal, other, share (equal of both, nan without any), open (pairs of the qrels
    that the rule leaves open). against: pairs where the qrels contradict a unanimous vote of two or more, or give a grade that nobody gave:
    query_id, doc_id, final, votes, unanimous. counts: pairs, voted (pairs that are in both), without_votes, only_votes, contradicts_unanimous,
    nobodys_grade.
    """

    table: pd.DataFrame
    against: pd.DataFrame
    counts: Mapping[str, int]

    def followed(self) -> list[str]:
        """The rules that the qrels follow throughout: no pair graded otherwise, none that the rule leaves open."""
        whole = self.table[(self.table["both"] > 0) & (self.table["other"] == 0) & (self.table["open"] == 0)]
        return [str(rule) for rule in whole["rule"]]


def compare_rules(
    votes: pd.DataFrame,
    rules: Sequence[str] = COMPARED,
    *,
    ties: Ties = "open",
    grades: Sequence[int] = (0, 1, 2, 3),
    decisions: pd.DataFrame | None = None,
    weights: Mapping[str, float] | None = None,
) -> RuleComparison:
    """Consolidate the same votes by every rule, and say where the rules part.

    Examples
    --------
    >>> rows = [("q", "d", "ann", 3), ("q", "d", "bob", 1), ("q", "e", "ann", 2), ("q", "e", "bob", 2)]
    >>> votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])
    >>> compare_rules(votes, ["majority", "minimum", "maximum"], ties="open").pairs.iloc[0].tolist()
    ['q', 'd', '1 3', <NA>, 1, 3]
    """
    found = {
        rule: consolidate(votes, rule, ties=ties, grades=grades, decisions=decisions, weights=weights) for rule in rules
    }
    relevance = pd.DataFrame({rule: one.table["relevance"] for rule, one in found.items()})
    majority = consolidate(votes, REFERENCE, ties=ties, grades=grades, decisions=decisions).table["relevance"]
    rows = [_describe(rule, one, majority) for rule, one in found.items()]
    first = next(iter(found.values())).table
    pairs = pd.concat([first[_KEY], relevance], axis=1).merge(_listed(votes), on=_KEY, how="left")
    values = relevance.astype("float64").fillna(-1.0).to_numpy()
    differs = (values != values[:, :1]).any(axis=1)
    pairs = pairs[[*_KEY, "votes", *found]][differs].reset_index(drop=True)
    return RuleComparison(found, pd.DataFrame(rows), pairs)


def _describe(rule: str, found: Consolidation, majority: pd.Series) -> dict[str, Any]:
    grade = found.table["relevance"]
    both = grade.notna() & majority.notna()
    return {
        "rule": rule,
        "graded": int(grade.notna().sum()),
        "open": found.counts["open"],
        "ties": found.counts["ties"],
        "differs": int((grade[both] != majority[both]).sum()),
        "mean": float(grade.dropna().astype(float).mean()) if grade.notna().any() else float("nan"),
        "undefined": found.undefined or "",
    }


def _listed(votes: pd.DataFrame) -> pd.DataFrame:
    """The grades of each pair as text, in rising order."""
    ordered = votes.sort_values([*_KEY, "grade"])
    texts = ordered["grade"].astype(str).groupby([ordered[name] for name in _KEY]).agg(" ".join)
    return texts.rename("votes").reset_index().astype(dict.fromkeys(_KEY, "str"))


def score_rules(found: Mapping[str, Consolidation], runs: Sequence[Run], measure: Measure) -> RuleScores:
    """Score the runs under each rule's qrels; each mean runs over the queries that the rule grades."""
    qrels = {rule: one.qrels() for rule, one in found.items()}
    means = pd.DataFrame({rule: measure_means(table, runs, measure) for rule, table in qrels.items()})
    taus = pd.DataFrame(
        {one: [tau_or_reason(means[one], means[other])[0] for other in means] for one in means}, index=means.columns
    )
    first = {str(rule): "" if means[rule].isna().all() else str(means[rule].idxmax()) for rule in means}
    return RuleScores(means, first, taus, {rule: int(table["query_id"].nunique()) for rule, table in qrels.items()})


def check_final(found: Mapping[str, Consolidation], votes: pd.DataFrame, final: pd.DataFrame) -> FinalCheck:
    """Set a given set of qrels (query_id, doc_id, relevance) beside what each rule gives, and beside the votes themselves."""
    given = final[[*_KEY, "relevance"]].rename(columns={"relevance": "final"}).astype(dict.fromkeys(_KEY, "str"))
    rows = []
    for rule, one in found.items():
        merged = given.merge(one.table[[*_KEY, "relevance"]], on=_KEY, how="inner")
        both = merged[merged["relevance"].notna()]
        equal = int((both["relevance"] == both["final"]).sum())
        share = equal / len(both) if len(both) else float("nan")
        rows.append({"rule": rule, "both": len(both), "equal": equal, "other": len(both) - equal, "share": share,
                     "open": len(merged) - len(both)})  # fmt: skip
    grouped = votes.astype(dict.fromkeys(_KEY, "str")).groupby(_KEY)["grade"]
    spread = pd.DataFrame({"given": grouped.agg(frozenset), "count": grouped.size()}).reset_index()
    beside = given.merge(spread, on=_KEY, how="inner").sort_values(_KEY)
    nobodys = np.array(
        [one not in kinds for one, kinds in zip(beside["final"], beside["given"], strict=True)], dtype=bool
    )
    unanimous = ((beside["given"].map(len) == 1) & (beside["count"] > 1)).to_numpy()
    against = beside.assign(unanimous=unanimous)[nobodys].merge(_listed(votes), on=_KEY)
    counts = {
        "pairs": len(given),
        "voted": len(beside),
        "without_votes": len(given) - len(beside),
        "only_votes": len(spread) - len(beside),
        "contradicts_unanimous": int((nobodys & unanimous).sum()),
        "nobodys_grade": int(nobodys.sum()),
    }
    return FinalCheck(
        pd.DataFrame(rows), against[[*_KEY, "final", "votes", "unanimous"]].reset_index(drop=True), counts
    )
