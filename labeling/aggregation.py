"""Votes to one grade a pair, by a named rule; decisions of a lead win over every rule.

Knows tables of votes; no database, no file. A consolidated grade is computed, never called a decision, and changes no vote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from labeling._coefficients import FloatArray
from labeling._dawid_skene import Answers, DawidSkene, fit_dawid_skene
from labeling._votes import EncodedVotes, IntArray, check_scale, encode_votes
from labeling.errors import AssayError, NotFound
from labeling.rules import RULES, Rule, parse_rule

__all__ = [
    "NO_GOLD",
    "RULES",
    "Consolidation",
    "Rule",
    "Ties",
    "consolidate",
    "fit_votes",
    "parse_rule",
    "share_grades",
    "weigh_by_gold",
]

Ties = Literal["lower", "higher", "open"]

SMOOTHING = 1.0  # votes of each grade by which a rater's habits are drawn towards those of all
_EQUAL_PROBABILITY = 1e-9
_EQUAL_WEIGHT = 1e-9

NO_GOLD = "no rater has judged a pair of known grade, so that no vote has a weight"

Mask = npt.NDArray[np.bool_]
_OPEN = -1


@dataclass(frozen=True)
class Consolidation:
    """What consolidate found.

    table has query_id, doc_id, relevance (Int64, NA where open), source ("decision", "rule" or "open"), votes, dissent (Int64,
    votes that differ from relevance, NA where open) and mean (Float64, of the votes, NA without any), sorted by query and document in byte
    order. counts has pairs, decided, by_rule, open, ties (pairs where the tie rule had to speak, for want of a decision), dissent_pairs.
    definition names rule, ties and scale, and the weights of raters where there are any. undefined says why the rule leaves every pair open.
    """

    table: pd.DataFrame
    counts: Mapping[str, int]
    definition: Mapping[str, Any]
    undefined: str | None = None

    def qrels(self) -> pd.DataFrame:
        """The pairs that are not open: query_id, doc_id, relevance (int64)."""
        closed = self.table[self.table["relevance"].notna()]
        return closed[["query_id", "doc_id", "relevance"]].astype({"relevance": np.int64}).reset_index(drop=True)


def consolidate(
    votes: pd.DataFrame,
    rule: Rule | str,
    *,
    ties: Ties = "lower",
    grades: Sequence[int] = (0, 1, 2, 3),
    decisions: pd.DataFrame | None = None,
    weights: Mapping[str, float] | None = None,
) -> Consolidation:
    """Give each pair one grade, or leave it open.

    Parameters
    ----------
    votes : DataFrame with query_id, doc_id, rater, grade
        At most one row for each rater and pair.
    rule : Rule or str
        What RULES describes.
    ties : "lower", "higher" or "open"
        Among the grades that the rule cannot choose between: the lowest, the highest, or none, for a lead to decide.
    grades : rising ints
        The whole scale.
    decisions : DataFrame with query_id, doc_id, grade, optional
        Settled grades; they win over the rule, with or without votes, and the votes against them are counted as dissent.
    weights : dict of rater to number >= 0, optional
        For gold-weighted, as weigh_by_gold makes them. The vote of a rater who is not in it has no weight.

    Returns
    -------
    Consolidation

    Raises
    ------
    AssayError, NotFound
        Votes or decisions outside the scale or twice for one pair; a rule that is not known; a named rater without any vote; a weight below 0.

    Notes
    -----
    Row order changes nothing. Majority is the plain plurality: with votes 0, 1, 3 all three tie. Dawid and Skene (1979), each rater's confusion
    matrix smoothed towards that of all; two grades within 1e-9 in probability tie, as do two within 1e-9 in weight. Undefined: gold-weighted
    without weights leaves every pair open, and undefined says so; a pair whose votes all weigh 0 stays open.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("q", "d", "ann", 3), ("q", "d", "bob", 1), ("q", "e", "ann", 2), ("q", "e", "bob", 2)]
    >>> votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])
    >>> consolidate(votes, "majority", ties="open").table["source"].tolist()
    ['open', 'rule']
    >>> consolidate(votes, "mean").qrels()["relevance"].tolist()
    [2, 2]
    """
    rule = parse_rule(rule) if isinstance(rule, str) else rule
    if ties not in get_args(Ties):
        raise AssayError(f"ties: expected lower, higher or open, found {ties}")
    encoded = encode_votes(votes, grades)
    counts = encoded.count_levels()
    level, tied = _settle(_candidates(encoded, counts, rule, weights or {}), ties)
    table = pd.DataFrame(
        {
            "query_id": pd.Series(encoded.pair_query_ids(), dtype="str"),
            "doc_id": pd.Series(encoded.pair_doc_ids, dtype="str"),
            "relevance": _grades_of(level, encoded.grades),
            "source": pd.Series(np.where(level == _OPEN, "open", "rule"), dtype="str"),
            "votes": counts.sum(axis=1),
            "mean": _means(counts, encoded.grades),
            "tied": tied,
        }
    )
    for place, grade in enumerate(encoded.grades):
        table[f"_{grade}"] = counts[:, place]
    table = _decide(table, decisions, encoded.grades)
    table["dissent"] = _dissent(table, encoded.grades)
    counted = _count(table)
    table = table[["query_id", "doc_id", "relevance", "source", "votes", "dissent", "mean"]]
    definition: dict[str, Any] = {"rule": str(rule), "ties": ties, "grades": list(encoded.grades)}
    if rule.name == "dawid-skene":
        definition["smoothing"] = SMOOTHING
    weighted = rule.name == "gold-weighted"
    if weighted:
        definition["weights"] = {rater: (weights or {}).get(rater) for rater in encoded.rater_names}
    no_weight = weighted and not any(definition["weights"].values())
    return Consolidation(table, counted, definition, NO_GOLD if no_weight else None)


def weigh_by_gold(results: pd.DataFrame) -> dict[str, float]:
    """A weight for each rater from their grades on pairs of known grade.

    (right + 1) / (judged + 2): the share of equal grades, drawn towards one half where few were judged.

    Parameters
    ----------
    results : DataFrame with rater, grade, reference
        One row for each rater and pair of known grade that they judged.

    Examples
    --------
    >>> import pandas as pd
    >>> weigh_by_gold(pd.DataFrame({"rater": ["ann", "ann"], "grade": [3, 0], "reference": [3, 1]}))
    {'ann': 0.5}
    """
    right = (results["grade"] == results["reference"]).groupby(results["rater"]).agg(["sum", "size"])
    return {str(rater): float((row["sum"] + 1) / (row["size"] + 2)) for rater, row in right.sort_index().iterrows()}


def share_grades(votes: pd.DataFrame, grades: Sequence[int] = (0, 1, 2, 3)) -> pd.DataFrame:
    """How the votes of each pair spread over the scale: query_id, doc_id, votes, and a share_G for each grade G."""
    encoded = encode_votes(votes, grades)
    counts = encoded.count_levels()
    total = counts.sum(axis=1)
    shares = {f"share_{grade}": counts[:, place] / total for place, grade in enumerate(encoded.grades)}
    ids = {"query_id": encoded.pair_query_ids(), "doc_id": list(encoded.pair_doc_ids)}
    return pd.DataFrame({**ids, "votes": total, **shares})


def fit_votes(votes: EncodedVotes, smoothing: float = SMOOTHING) -> DawidSkene:
    """Dawid and Skene's model of these votes, smoothed so that its probabilities may be drawn from."""
    answers = Answers(votes.pair, votes.rater, votes.level, votes.pair_count, len(votes.rater_names), len(votes.grades))
    return fit_dawid_skene(answers, smoothing=smoothing, tolerance=1e-7, iterations=5000)


def _candidates(votes: EncodedVotes, counts: IntArray, rule: Rule, weights: Mapping[str, float]) -> Mask:
    """The grades that the rule cannot choose between, for each pair; one of them is a clear answer, none leaves it open."""
    given: Mask = counts > 0
    chosen: Mask
    if rule.name == "majority":
        chosen = given & (counts == counts.max(axis=1, keepdims=True))
    elif rule.name == "median":
        chosen = _middle(counts)
    elif rule.name == "mean":
        chosen = _nearest_to_mean(counts, votes.grades)
    elif rule.name == "minimum":
        chosen = given & (np.cumsum(given, axis=1) == 1)
    elif rule.name == "maximum":
        chosen = given & (np.cumsum(given[:, ::-1], axis=1)[:, ::-1] == 1)
    elif rule.name == "unanimous":
        chosen = given & (given.sum(axis=1, keepdims=True) == 1)
    elif rule.name == "dawid-skene":
        posteriors: FloatArray = fit_votes(votes).posteriors_
        chosen = posteriors >= posteriors.max(axis=1, keepdims=True, initial=0.0) - _EQUAL_PROBABILITY
    elif rule.name == "gold-weighted":
        chosen = _heaviest(votes, weights)
    else:
        chosen = _first_vote_of(votes, rule.raters)
    return chosen


def _middle(counts: IntArray) -> Mask:
    """The lower and the upper middle vote."""
    votes = counts.sum(axis=1, keepdims=True)
    reached = np.cumsum(counts, axis=1)
    before = reached - counts
    lower, upper = (votes - 1) // 2, votes // 2
    middle: Mask = ((before <= lower) & (lower < reached)) | ((before <= upper) & (upper < reached))
    return middle


def _nearest_to_mean(counts: IntArray, grades: tuple[int, ...]) -> Mask:
    """Whole numbers throughout: halfway is exactly halfway."""
    values = np.asarray(grades, dtype=np.int64)
    distance = np.abs((counts @ values)[:, None] - counts.sum(axis=1)[:, None] * values[None, :])
    nearest: Mask = distance == distance.min(axis=1, keepdims=True)
    return nearest


def _heaviest(votes: EncodedVotes, weights: Mapping[str, float]) -> Mask:
    below = {rater: weight for rater, weight in weights.items() if not 0 <= weight < float("inf")}
    if below:
        raise AssayError(f"weights: expected numbers from 0, found {below}")
    of_rater = np.array([weights.get(rater, 0.0) for rater in votes.rater_names], dtype=np.float64)
    size = votes.pair_count * len(votes.grades)
    flat = np.bincount(votes.pair * len(votes.grades) + votes.level, weights=of_rater[votes.rater], minlength=size)
    sums = flat.reshape(votes.pair_count, len(votes.grades))
    heaviest: Mask = (sums > 0) & (sums >= sums.max(axis=1, keepdims=True, initial=0.0) - _EQUAL_WEIGHT)
    return heaviest


def _first_vote_of(votes: EncodedVotes, raters: Sequence[str]) -> Mask:
    """The vote of the first of these raters who has one on the pair."""
    chosen = np.zeros((votes.pair_count, len(votes.grades)), dtype=np.bool_)
    for rater in raters:
        if rater not in votes.rater_names:
            raise NotFound(f"no rater {rater} among these votes; there are {', '.join(votes.rater_names)}")
        graded = np.asarray(chosen.any(axis=1))
        theirs = (votes.rater == votes.rater_names.index(rater)) & ~graded[votes.pair]
        chosen[votes.pair[theirs], votes.level[theirs]] = True
    return chosen


def _means(counts: IntArray, grades: tuple[int, ...]) -> pd.Series:
    return pd.Series(counts @ np.asarray(grades, dtype=np.int64) / counts.sum(axis=1), dtype="Float64")


def _settle(candidates: Mask, ties: str) -> tuple[IntArray, Mask]:
    """The place of the chosen grade for each pair, -1 where open, and whether the tie rule had to speak."""
    tied = candidates.sum(axis=1) > 1
    levels = candidates.shape[1]
    lowest, highest = candidates.argmax(axis=1), levels - 1 - candidates[:, ::-1].argmax(axis=1)
    chosen = np.where(tied & (ties == "higher"), highest, lowest).astype(np.int64)
    chosen[~candidates.any(axis=1) | (tied & (ties == "open"))] = _OPEN
    return chosen, tied


def _grades_of(level: IntArray, grades: tuple[int, ...]) -> pd.Series:
    values = pd.Series(np.asarray(grades, dtype=np.int64)[np.maximum(level, 0)], dtype="Int64")
    return values.mask(pd.Series(level == _OPEN))


def _decide(table: pd.DataFrame, decisions: pd.DataFrame | None, grades: tuple[int, ...]) -> pd.DataFrame:
    if decisions is None or not len(decisions):
        return table
    # A decision reads like the vote of one more rater: same columns, same checks.
    lead = encode_votes(decisions[["query_id", "doc_id", "grade"]].assign(rater="lead"), check_scale(grades))
    settled = pd.DataFrame(
        {
            "query_id": pd.Series(lead.pair_query_ids(), dtype="str"),
            "doc_id": pd.Series(lead.pair_doc_ids, dtype="str"),
            "settled": _grades_of(lead.level, grades),
        }
    )
    merged = table.merge(settled, on=["query_id", "doc_id"], how="outer")
    decided = merged["settled"].notna()
    merged["relevance"] = merged["settled"].where(decided, merged["relevance"]).astype("Int64")
    merged["source"] = merged["source"].mask(decided, "decision").astype("str")
    numbers = ["votes", *(f"_{grade}" for grade in grades)]
    merged[numbers] = merged[numbers].fillna(0).astype(np.int64)
    merged["tied"] = merged["tied"].eq(other=True) & ~decided
    return merged.sort_values(["query_id", "doc_id"], ignore_index=True)


def _dissent(table: pd.DataFrame, grades: tuple[int, ...]) -> pd.Series:
    agreeing = sum(
        (table[f"_{grade}"].where(table["relevance"] == grade, 0) for grade in grades),
        start=pd.Series(0, index=table.index),
    )
    return (table["votes"] - agreeing).astype("Int64").mask(table["relevance"].isna())


def _count(table: pd.DataFrame) -> dict[str, int]:
    source = table["source"]
    return {
        "pairs": len(table),
        "decided": int((source == "decision").sum()),
        "by_rule": int((source == "rule").sum()),
        "open": int((source == "open").sum()),
        "ties": int(table["tied"].sum()),
        "dissent_pairs": int((table["dissent"].fillna(0) > 0).sum()),
    }
