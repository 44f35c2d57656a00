"""What should make a reader doubt an agreement number: code and values, so that a page can say it in its language.

Knows encoded votes only.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from labeling._coefficients import cohen_kappa
from labeling._votes import EncodedVotes, IntArray

__all__ = ["CAUTIONS", "Caution", "find_cautions"]

_ENOUGH_TO_DOUBT = 10  # equal grades on fewer pairs happen by themselves
_NEAR_COPIES = 0.9  # kappa; people who read for themselves do not come near it
_ENOUGH_TO_SPEAK = 30  # intervals from fewer pairs say little more than nothing

CAUTIONS: Mapping[str, str] = {
    "identical_raters": "{a} and {b} gave the same grade on all of their {n} common pairs: check the export for copies",
    "perfect_agreement": "every couple of votes on all {n} pairs is equal: check the export for copies",
    "one_grade_rater": "{rater} gave grade {grade} to all of {n} pairs",
    "few_double_votes": "only {n} pairs have two votes or more: fewer than {wanted} say little about agreement",
    "near_copies": "{raters} gave almost always the same grade ({equal} of {n} common pairs and more): are they one source?",
    "drifting_rater": "{rater} drifts: {first} grades from the partners in the first third of {n} shared pairs, {last} in the last third (p = {p})",
    "look_alike_raters": "these rater names look alike and count as different raters: {raters}",
}


@dataclass(frozen=True)
class Caution:
    """A code of CAUTIONS and its values; str() is the English sentence, a page translates CAUTIONS[code]."""

    code: str
    params: Mapping[str, str | int] = field(default_factory=dict)

    def __str__(self) -> str:
        """The sentence in English."""
        return CAUTIONS[self.code].format(**self.params)


def find_cautions(
    votes: EncodedVotes, counts: IntArray, confusions: Sequence[tuple[tuple[str, str], IntArray]]
) -> tuple[Caution, ...]:
    """Every caution that these votes ask for; counts is votes.count_levels(), confusions the table of every two raters."""
    found: list[Caution] = []
    for (a, b), table in confusions:
        n, grades_used = int(table.sum()), int((np.diag(table) > 0).sum())
        if n >= _ENOUGH_TO_DOUBT and int(np.trace(table)) == n and grades_used > 1:
            found.append(Caution("identical_raters", {"a": a, "b": b, "n": n}))
    found.extend(_near_copies(votes.grades, confusions))
    paired = counts[counts.sum(axis=1) >= 2]
    if len(paired) >= _ENOUGH_TO_DOUBT and bool(((paired > 0).sum(axis=1) == 1).all()):
        found.append(Caution("perfect_agreement", {"n": len(paired)}))
    found.extend(_one_grade_raters(votes))
    if len(paired) < _ENOUGH_TO_SPEAK:
        found.append(Caution("few_double_votes", {"n": len(paired), "wanted": _ENOUGH_TO_SPEAK}))
    found.extend(_look_alikes(votes.rater_names))
    return tuple(found)


def _near_copies(grades: tuple[int, ...], confusions: Sequence[tuple[tuple[str, str], IntArray]]) -> list[Caution]:
    """Groups of raters, each of whom is nearly a copy of another of the group, without being one throughout."""
    groups: list[tuple[set[str], list[tuple[float, int, int]]]] = []
    for couple, table in confusions:
        n, equal = int(table.sum()), int(np.trace(table))
        if n < _ENOUGH_TO_SPEAK or equal == n or not cohen_kappa(table, grades, "none") >= _NEAR_COPIES:
            continue
        joined = [group for group in groups if group[0] & set(couple)]
        groups = [group for group in groups if group not in joined]
        names = set(couple).union(*(group[0] for group in joined))
        groups.append((names, [(equal / n, equal, n), *(seen for group in joined for seen in group[1])]))
    return [
        Caution("near_copies", {"raters": ", ".join(sorted(names)), "equal": min(seen)[1], "n": min(seen)[2]})
        for names, seen in groups
    ]


def _one_grade_raters(votes: EncodedVotes) -> list[Caution]:
    levels, raters = len(votes.grades), len(votes.rater_names)
    table = np.bincount(votes.rater * levels + votes.level, minlength=levels * raters).reshape(raters, levels)
    return [
        Caution("one_grade_rater", {"rater": name, "grade": votes.grades[int(row.argmax())], "n": int(row.sum())})
        for name, row in zip(votes.rater_names, table, strict=True)
        if row.sum() >= _ENOUGH_TO_DOUBT and row.max() == row.sum()
    ]


def _look_alikes(names: Sequence[str]) -> list[Caution]:
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(fold_name(name), []).append(name)
    return [
        Caution("look_alike_raters", {"raters": ", ".join(repr(name) for name in same)})
        for same in alike.values()
        if len(same) > 1
    ]


def fold_name(name: str) -> str:
    """The name as a person sees it: composed, without case, blanks at the ends and characters without width."""
    visible = "".join(letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf")
    return " ".join(visible.casefold().split())
