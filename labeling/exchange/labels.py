"""Labels as tools write them to grades: 2, "2.0", "Highly Relevant (2)", ["Relevant (1)"], or a word that a map explains.

Knows one cell at a time; nothing of files.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Reading", "fold_label", "labels_of", "read_label"]

_WHOLE = re.compile(r"[+-]?\d{1,9}")
_WHOLE_AS_FLOAT = re.compile(r"([+-]?\d{1,9})\.0+")
_NUMBER_IN_BRACKETS = re.compile(r".*\(\s*([+-]?\d{1,9})\s*\)")
_NUMBER_FIRST = re.compile(r"([+-]?\d{1,9})\s*[-:.)=\u2013\u2014]\s+\S.*")


_LABEL_KEYS = ("label", "choices", "rating", "value")


@dataclass(frozen=True)
class Reading:
    """What one label says: its grade, and whether it was a whole number written as a float; grade None is not understood."""

    grade: int | None
    from_float: bool = False


def fold_label(label: str) -> str:
    """A label without case and with single blanks."""
    return " ".join(label.casefold().split())


def labels_of(cell: Any) -> list[str]:
    """The labels in a cell: none, one or several; a list holds texts, or objects with a label or choices, as tools write them."""
    if cell is None:
        return []
    if isinstance(cell, dict):
        return labels_of(next((cell[name] for name in _LABEL_KEYS if name in cell), None))
    if isinstance(cell, list):
        return [label for part in cell for label in labels_of(part)]
    text = str(cell).strip()
    return [text] if text else []


def read_label(label: str, labels: Mapping[str, int | None]) -> Reading:
    """The grade of one label; labels maps folded words to grades, or None for no grade, and wins over what the label itself says."""
    folded = fold_label(label)
    if folded in labels:
        return Reading(labels[folded])
    if _WHOLE.fullmatch(label):
        return Reading(int(label))
    as_float = _WHOLE_AS_FLOAT.fullmatch(label)
    if as_float:
        return Reading(int(as_float.group(1)), from_float=True)
    named = _NUMBER_IN_BRACKETS.fullmatch(label) or _NUMBER_FIRST.fullmatch(label)
    return Reading(int(named.group(1))) if named else Reading(None)


def expected_labels(grades: Sequence[int]) -> str:
    """The second half of "expected ...", for a label that is not understood."""
    return f"a grade {grades[0]} to {grades[-1]}, a label that ends in its grade such as Relevant (1), or a label map"
