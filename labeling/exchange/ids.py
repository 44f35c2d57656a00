"""What looks wrong with ids: they are kept byte for byte, and what a person may not see is said.

Knows lists of ids only.
"""

import re
import unicodedata
from collections.abc import Iterable

import pandas as pd

from labeling.exchange.tables import Remark

__all__ = ["id_remarks", "rows_with_nul"]

_MANGLED = re.compile(
    r"\d+(?:[.,]\d+)?[eE]\+\d+|\d{1,2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|#(?:REF|NAME|VALUE|N/A|NUM)[!?]?"
)


def id_remarks(ids: Iterable[str], field: str) -> list[Remark]:
    """Remarks on ids that a spreadsheet mangled, that differ only in Unicode form, or that hold unseen characters."""
    distinct = sorted(set(ids))
    checks = (
        (
            "mangled_ids",
            [one for one in distinct if _MANGLED.fullmatch(one)],
            "look as if a spreadsheet had changed them",
        ),
        (
            "unseen_characters",
            [one for one in distinct if _has_unseen(one)],
            "hold blanks at an end or characters without width",
        ),
        ("look_alike_ids", _look_alikes(distinct), "look the same as another and differ in bytes"),
    )
    return [
        Remark(kind, len(found), f"{len(found)} {field} {text}", tuple(ascii(one) for one in found[:5]))
        for kind, found, text in checks
        if found
    ]


def rows_with_nul(ids: pd.Series) -> list[int]:
    """The places of ids that hold a NUL character (an escape in JSON can), which no file of qrels can carry."""
    return [place for place, one in enumerate(ids.tolist()) if isinstance(one, str) and "\0" in one]


def _has_unseen(text: str) -> bool:
    if text.isascii():
        return text != text.strip()
    return text != text.strip() or any(
        unicodedata.category(letter) in ("Cf", "Cc") or letter == "\u00a0" for letter in text
    )


def _look_alikes(distinct: list[str]) -> list[str]:
    if all(one.isascii() and one == one.strip() for one in distinct):
        return []
    seen: dict[str, list[str]] = {}
    for one in distinct:
        shown = "".join(letter for letter in unicodedata.normalize("NFC", one) if unicodedata.category(letter) != "Cf")
        seen.setdefault(shown.replace("\u00a0", " ").strip(), []).append(one)
    return [one for same in seen.values() if len(same) > 1 for one in same]
