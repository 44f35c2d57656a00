"""Fields as typed columns: grades and scores from their texts, with every conversion said.

Knows numbers as people write them; reads no files.
"""

import math
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from metrics._lines import MOST_FAULTS, Rows, raise_faults
from metrics.errors import InputError
from metrics.tables import Remark

__all__ = ["QrelsChoices", "convert_grades", "convert_scores", "ranks_as_scores"]

_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class QrelsChoices:
    """What a person chose for grades that are no plain grade of the scale."""

    scale: tuple[int, ...] | None = None
    out_of_scale: str = "error"
    rounding: str | None = None
    leave_out: bool = False


def convert_grades(rows: Rows, source: str, choices: QrelsChoices, remarks: list[Remark]) -> dict[str, pa.Array]:
    """The columns of qrels; rows left out are taken from ``rows.lines`` too."""
    faults: list[InputError] = []
    kept: list[int] = []
    grades: list[int] = []
    noticed: dict[str, list[str]] = {"decimal": [], "rounded": [], "outside": []}
    for row, (text, line) in enumerate(zip(rows.fields["relevance"], rows.lines, strict=True)):
        grade = _read_grade(text.strip(), choices, noticed)
        if grade is None:
            expected = "a whole number as grade" + ("" if choices.rounding else "; choose a rounding for fractions")
            faults.append(InputError(source, line, expected, repr(text)))
            continue
        if choices.scale is not None and grade not in choices.scale:
            noticed["outside"].append(f"{source} line {line}: {grade}")
            if choices.out_of_scale == "error":
                said = ", ".join(map(str, choices.scale))
                faults.append(InputError(source, line, f"a grade of the scale {said}", str(grade)))
            if choices.out_of_scale in {"error", "leave_out"}:
                continue
            if choices.out_of_scale == "clip":
                grade = min(max(grade, min(choices.scale)), max(choices.scale))
        kept.append(row)
        grades.append(grade)
    if not choices.leave_out:
        raise_faults(faults[:MOST_FAULTS])
    _say(noticed, faults, choices, remarks)
    rows.lines[:] = [rows.lines[row] for row in kept]
    ids = {
        name: pa.array([values[row] for row in kept], type=pa.string())
        for name, values in rows.fields.items()
        if name != "relevance"
    }
    return ids | {"relevance": pa.array(grades, type=pa.int64())}


def _read_grade(text: str, choices: QrelsChoices, noticed: dict[str, list[str]]) -> int | None:
    if _WHOLE.fullmatch(text):
        grade = int(text)
        return grade if abs(grade) <= _LARGEST else None
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    value = float(text)
    if value.is_integer() and abs(value) <= _LARGEST:
        noticed["decimal"].append(text)
        return int(value)
    if choices.rounding is None or abs(value) > _LARGEST:
        return None
    noticed["rounded"].append(text)
    return int({"down": math.floor(value), "up": math.ceil(value)}.get(choices.rounding, math.floor(value + 0.5)))


def _say(noticed: dict[str, list[str]], faults: list[InputError], choices: QrelsChoices, remarks: list[Remark]) -> None:
    if noticed["decimal"]:
        count = len(noticed["decimal"])
        remarks.append(
            Remark.of("decimal_grades", count, f"{count} whole grades were written as decimals", noticed["decimal"])
        )
    if noticed["rounded"]:
        count = len(noticed["rounded"])
        remarks.append(
            Remark.of(
                "rounded_grades",
                count,
                f"{count} fractional grades were rounded ({choices.rounding})",
                noticed["rounded"],
            )
        )
    if noticed["outside"]:
        count = len(noticed["outside"])
        said = {"keep": "kept", "clip": "moved to the nearest end", "leave_out": "left out"}[choices.out_of_scale]
        remarks.append(
            Remark.of(
                "outside_scale", count, f"{count} grades lie outside the scale and were {said}", noticed["outside"]
            )
        )
    if faults:
        remarks.append(Remark.of("lines_left_out", len(faults), f"{len(faults)} faulty lines were left out", faults))


def convert_scores(rows: Rows, source: str, remarks: list[Remark]) -> dict[str, pa.Array]:
    """The columns of a run."""
    faults: list[InputError] = []
    columns: dict[str, pa.Array] = {}
    for name, texts in rows.fields.items():
        if name in {"score", "third"}:
            values = []
            for text, line in zip(texts, rows.lines, strict=True):
                plain = text.strip()
                if _NUMBER.fullmatch(plain):
                    values.append(float(plain))
                else:
                    faults.append(InputError(source, line, "a number as score", repr(text)))
            columns[name] = pa.array(values, type=pa.float64())
        elif name == "rank":
            ranks = [int(text) if _WHOLE.fullmatch(text) and len(text) < 18 else None for text in texts]
            if None not in ranks:
                columns[name] = pa.array(ranks, type=pa.int64())
        elif name == "doc_id":
            columns[name] = pa.array(texts, type=pa.string())
        else:
            columns[name] = pa.array(texts, type=pa.string()).dictionary_encode()
    raise_faults(faults[:MOST_FAULTS])
    if rows.extra_text:
        said = f"{rows.extra_text} lines go on after the tag; what follows was passed over, as in trec_eval"
        remarks.append(Remark.of("text_after_tag", rows.extra_text, said))
    return columns


def ranks_as_scores(columns: dict[str, pa.Array], source: str, remarks: list[Remark]) -> dict[str, pa.Array]:
    """Give a run without scores the scores its ranks stand for: minus the rank.

    A third of three columns is a rank where it counts 1, 2, 3, ... (or from 0) within every query, else a score.
    """
    if "third" in columns:
        third = columns.pop("third").to_numpy(zero_copy_only=False)
        if np.isnan(third).any():
            raise InputError(source, None, "a number in the third column", "none")
        code = columns["query_id"].indices.to_numpy(zero_copy_only=False)
        if not _counts_up(code, third):
            columns["score"] = pa.array(third)
            remarks.append(
                Remark.of(
                    "third_is_score", len(third), "three columns, and the third is no rank: it was read as the score"
                )
            )
            return columns
        columns["rank"] = pa.array(third.astype(np.int64))
    if "score" not in columns:
        if "rank" not in columns:
            raise InputError(source, None, "a whole number as rank", "other text")
        ranks = columns["rank"].to_numpy(zero_copy_only=False)
        columns["score"] = pa.array(-ranks.astype(np.float64))
        remarks.append(
            Remark.of("rank_as_score", len(ranks), "the file has ranks and no scores: the score is minus the rank")
        )
    return columns


def _counts_up(
    code: np.ndarray[tuple[int], np.dtype[np.int32]], third: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> bool:
    order = np.lexsort((third, code))
    code, third = code[order], third[order]
    starts = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1])))
    place = np.arange(len(code)) - np.repeat(starts, np.diff(np.append(starts, len(code))))
    base = np.repeat(third[starts], np.diff(np.append(starts, len(code))))
    return bool(np.all(third == place + base) and np.isin(third[starts], (0.0, 1.0)).all())
