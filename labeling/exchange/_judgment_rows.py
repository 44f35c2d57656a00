"""One file of judgments to rows: which column is what, whose judgments they are; labels stay as they are written.

Knows bytes and tables; what is done about doubtful rows is in _judgment_rules.py.
"""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from labeling.errors import InputError
from labeling.exchange._tools import flatten_tool
from labeling.exchange.columns import DOC_ID, QUERY_ID, fold_column, knows_columns, resolve_columns
from labeling.exchange.encoding import decode
from labeling.exchange.faults import Faults
from labeling.exchange.ids import rows_with_nul
from labeling.exchange.labels import labels_of
from labeling.exchange.tables import RawTable, Remark, excerpt, read_raw, text_column

__all__ = ["JUDGMENT_FIELDS", "read_rows"]

JUDGMENT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "query_id": QUERY_ID,
    "doc_id": DOC_ID,
    "rater": (
        "rater", "rater_id", "annotator", "annotator_id", "user", "username", "judge", "assessor", "worker", "worker_id",
        "coder", "평가자", "작업자",
    ),
    "grade": ("grade", "label", "labels", "relevance", "rating", "rel", "judgment", "judgement", "score", "등급", "점수"),
    "kind": ("kind",),
    "unrateable": ("unrateable", "cannot_rate", "cannot_judge", "unratable"),
    "comment": ("comment", "comments", "note", "notes", "explanation", "의견", "메모"),
    "narrative": ("narrative", "information_need"),
    "rubric_version": ("rubric_version", "rubric"),
    "judged_at": ("judged_at", "timestamp", "created_at", "updated_at", "date"),
    "seconds": ("seconds", "duration", "lead_time"),
}  # fmt: skip

_QRELS_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+[+-]?\d+(?:\.\d+)?")
_YES = {"true", "1", "yes", "y", "t", "예"}


def read_rows(
    content: bytes, name: str, stem: str, mapping: Mapping[str, str] | None, encoding: str | None
) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, str], list[Remark]]:
    """The rows of one file with their labels as lists, its columns, the mapping, and remarks."""
    qrels = None if mapping else _qrels_lines(content, name, encoding)
    if qrels is not None:
        return _qrels_rows(qrels, name, stem)
    raw = read_raw(
        content, name, encoding=encoding, is_header=lambda cells: knows_columns(cells, JUDGMENT_FIELDS, mapping)
    )
    if not raw.has_header:
        expected = "a header with query_id, doc_id and grade, or the four columns of TREC qrels"
        raise InputError(name, 1, expected, excerpt(", ".join(str(cell) for cell in raw.rows[0])))
    raw, mapping = flatten_tool(raw, mapping)
    used = resolve_columns(raw, JUDGMENT_FIELDS, ("query_id", "doc_id", "grade"), mapping)
    table = pd.DataFrame({"file": name, "line": list(raw.lines)})
    for field in ("query_id", "doc_id"):
        table[field] = pd.Series(text_column(raw.column(used[field])), dtype="str")
    table["rater"] = _raters(raw, used, stem)
    table["labels"] = pd.Series([labels_of(cell) for cell in raw.column(used["grade"])], dtype=object)
    for field in ("comment", "narrative", "rubric_version", "judged_at", "kind", "unrateable"):
        table[field] = _texts(raw, used, field)
    remarks = list(raw.remarks)
    table["seconds"] = _seconds(raw, used, remarks)
    table["unrateable"] = table["unrateable"].str.strip().str.casefold().isin(_YES)
    _refuse_gaps(table, name)
    return table, raw.columns, used, remarks


def _qrels_lines(content: bytes, name: str, encoding: str | None) -> list[tuple[int, str]] | None:
    """The lines of a file in TREC's four columns; None where the first line shows another format."""
    lines = decode(content, name, encoding).text.split("\n")
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip() and not line.startswith("#")]
    if not filled or not _QRELS_LINE.fullmatch(filled[0][1].strip()) or "," in filled[0][1]:
        return None
    return filled


def _qrels_rows(
    lines: list[tuple[int, str]], name: str, stem: str
) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, str], list[Remark]]:
    faults = Faults()
    rows: list[tuple[str, int, str, str, list[str]]] = []
    for number, line in lines:
        cells = line.split()
        if len(cells) != 4:
            faults.add(name, number, "four columns: query_id, 0, doc_id, grade", f"{len(cells)}: {excerpt(line)}")
            continue
        rows.append((name, number, cells[0], cells[2], [cells[3]]))
    faults.raise_if_any()
    table = pd.DataFrame(rows, columns=["file", "line", "query_id", "doc_id", "labels"])
    table = table.astype({"query_id": "str", "doc_id": "str"})
    table["rater"] = pd.Series([stem] * len(table), dtype="str")
    for field in ("comment", "narrative", "rubric_version", "judged_at", "kind"):
        table[field] = pd.Series([""] * len(table), dtype="str")
    table["unrateable"], table["seconds"] = False, float("nan")
    used = {"query_id": "column 1", "doc_id": "column 3", "grade": "column 4"}
    return table, ("column 1", "column 2", "column 3", "column 4"), used, []


def _raters(raw: RawTable, used: Mapping[str, str], stem: str) -> pd.Series:
    if "rater" in used:
        return pd.Series(text_column(raw.column(used["rater"])), dtype="str")
    return pd.Series([stem] * len(raw.rows), dtype="str")


def _texts(raw: RawTable, used: Mapping[str, str], field: str) -> pd.Series:
    """The field's text; "" where it has none. Columns that differ only in case (doccano: comments, Comments) are joined."""
    if field not in used:
        return pd.Series([""] * len(raw.rows), dtype="str")
    same = [column for column in raw.columns if fold_column(column) == fold_column(used[field])]
    parts = [text_column(raw.column(column)) for column in same]
    if len(parts) == 1:
        return pd.Series(parts[0], dtype="str").fillna("")
    return pd.Series(["\n".join(part for part in cells if part) for cells in zip(*parts, strict=True)], dtype="str")


def _seconds(raw: RawTable, used: Mapping[str, str], remarks: list[Remark]) -> pd.Series:
    if "seconds" not in used:
        return pd.Series([float("nan")] * len(raw.rows), dtype="float64")
    cells: list[Any] = text_column(raw.column(used["seconds"]))
    values = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").astype("float64")
    unread = [cell for cell, value in zip(cells, values, strict=True) if cell and value != value]  # noqa: PLR0124 - nan
    if unread:
        text = f"{raw.name}: seconds that are no number were left empty"
        remarks.append(Remark("seconds_unreadable", len(unread), text, tuple(excerpt(cell) for cell in unread[:5])))
    return values


def _refuse_gaps(table: pd.DataFrame, name: str) -> None:
    faults = Faults()
    for field in ("query_id", "doc_id", "rater"):
        gaps = table[table[field].isna() | (table[field].str.strip() == "")]
        for line in gaps["line"]:
            faults.add(name, int(line), f"a {field}", "nothing")
        for place in rows_with_nul(table[field]):
            faults.add(name, int(table["line"].iloc[place]), f"a {field} without NUL characters", "one with")
    faults.raise_if_any()
