"""Faults of ids that no program can mend and people should hear of: look-alikes, spreadsheet damage, contradictions.

Knows ids and columns; reads no files.
"""

import re
import unicodedata
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metrics.tables import Remark

__all__ = ["count_against", "look_alikes", "notice_grades", "notice_ids", "notice_ranks", "plain_form"]

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f]")
_BLOCK_ROWS = 1 << 16
_SPREADSHEET = (
    r"^[0-9](\.[0-9]+)?[Ee]\+[0-9]+$|^[0-9]{1,2}-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(-[0-9]+)?$"
)


def plain_form(text: str) -> str:
    """The id as a person sees it: Unicode form NFC, without invisible characters and edge blanks."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).strip()


def look_alikes(ids: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of different ids that look the same."""
    seen: dict[str, str] = {}
    found = []
    for each in ids:
        plain = plain_form(each)
        if plain in seen and seen[plain] != each:
            found.append((seen[plain], each))
        seen.setdefault(plain, each)
    return found


def notice_ids(columns: dict[str, pa.Array], *, ascii_only: bool) -> list[Remark]:
    """Remarks on the ids of a file, by column."""
    remarks = []
    for name, column in columns.items():
        ids = column.dictionary if pa.types.is_dictionary(column.type) else pc.unique(column)
        if not ascii_only:
            twins = look_alikes(ids.to_pylist())
            if twins:
                shown = (f"{a!a} and {b!a}" for a, b in twins)
                remarks.append(
                    Remark.of(
                        "look_alike_ids",
                        len(twins),
                        f"{name}: {len(twins)} ids look like others but differ in bytes; they are kept apart",
                        shown,
                    )
                )
            hidden = [each for each in ids.to_pylist() if plain_form(each) != unicodedata.normalize("NFC", each)]
            if hidden:
                remarks.append(
                    Remark.of(
                        "invisible_characters",
                        len(hidden),
                        f"{name}: {len(hidden)} ids hold invisible characters or edge blanks; they are kept as they are",
                        (ascii(each) for each in hidden),
                    )
                )
        damaged = ids.filter(pc.match_substring_regex(ids, _SPREADSHEET))
        if len(damaged):
            remarks.append(
                Remark.of(
                    "spreadsheet_ids",
                    len(damaged),
                    f"{name}: {len(damaged)} ids look as if a spreadsheet had changed them (exponents or dates); digits are lost for good, export the ids again",
                    damaged.to_pylist(),
                )
            )
    return remarks  # fmt: skip


def notice_grades(grades: NDArray[np.int64]) -> list[Remark]:
    """Remarks on grades that mean different things in different collections."""
    remarks = []
    unsure, junk = int((grades == -1).sum()), int((grades < -1).sum())
    if unsure or junk:
        remarks.append(
            Remark.of(
                "negative_grades",
                unsure + junk,
                f"{unsure} pairs are graded -1 and {junk} lower: they gain nothing, and count as unjudged for Bpref, infAP and condensed rankings, as in trec_eval",
            )
        )
    if len(grades) and (grades == -1).any() and not (grades == 0).any():
        remarks.append(
            Remark.of(
                "scale_without_zero",
                len(grades),
                "no pair is graded 0 but some are graded -1: if 1 is the best grade of this scale, turn the scale round before scoring",
            )
        )
    return remarks  # fmt: skip


def notice_ranks(code: NDArray[np.signedinteger], rank: NDArray[np.int64], score: NDArray[np.float64]) -> list[Remark]:
    """A remark where neighbouring rows are ranked one way and scored the other."""
    against = count_against(code, rank, score)
    if not against:
        return []
    return [
        Remark.of("rank_contradicts_score", against, f"{against} neighbouring rows are ranked one way and scored the other; the score decides, as in trec_eval (if the score is a distance, change its sign)")
    ]  # fmt: skip


def count_against(code: NDArray[np.signedinteger], rank: NDArray[np.int64], score: NDArray[np.float64]) -> int:
    """How many neighbouring rows of a query are ranked one way and scored the other."""
    against = 0
    for start in range(0, len(code), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS + 1)
        ids, ranks, scores = code[rows], rank[rows], score[rows]
        same = ids[1:] == ids[:-1]
        up, better = ranks[1:] > ranks[:-1], scores[1:] > scores[:-1]
        wrong = up & better
        if (same & ~up).any():
            wrong |= (ranks[1:] < ranks[:-1]) & (scores[1:] < scores[:-1])
        against += int(np.count_nonzero(wrong & same))
    return against
