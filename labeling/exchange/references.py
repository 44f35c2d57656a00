"""Files of pairs with a known grade to a table: practice sets with a reason for each grade, and gold.

Knows bytes and tables; no database.
"""

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from labeling.exchange.columns import resolve_columns
from labeling.exchange.faults import Faults
from labeling.exchange.ids import id_remarks
from labeling.exchange.tables import Imported, RawTable, excerpt, read_raw, text_column

__all__ = ["REFERENCE_FIELDS", "read_references"]

REFERENCE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "topic_id", "질의id", "쿼리id"),
    "doc_id": ("doc_id", "docid", "document_id", "docno", "문서id"),
    "grade": ("grade", "relevance", "label", "score", "등급"),
    "reason": ("reason", "why", "explanation", "comment", "이유"),
    "purpose": ("purpose", "use", "용도"),
    "set": ("set", "practice_set", "set_number", "세트"),
}
PURPOSES = ("practice", "gold")
LARGEST_SET = 1000


def read_references(
    content: bytes,
    name: str,
    *,
    grades: Sequence[int],
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Imported:
    r"""Read references from CSV, TSV, JSONL or a JSON list, plain or gzip.

    Parameters
    ----------
    content, name : bytes, str
        The file and what messages call it.
    grades : sequence of int
        The scale; a grade outside it is a fault.
    mapping : dict, optional
        Field (query_id, doc_id, grade, reason, purpose, set) to column, where the names are not understood by themselves.
    encoding : str, optional
        Needed only where the file is neither UTF-8 nor marked nor surely Korean.

    Returns
    -------
    Imported; table has query_id, doc_id, grade, reason, purpose, set (0 for gold) and line, in the order of the file

    Raises
    ------
    InputError, InputErrors
        An id or a grade is missing, a grade is none of the scale, a purpose is neither practice nor gold, a practice pair
        has no reason, a set is no number from 1, a pair stands twice, the columns are not understood.

    Notes
    -----
    A row without a purpose is practice, one without a set belongs to set 1; gold has no set.

    Examples
    --------
    >>> file = b"query_id,doc_id,grade,reason,purpose,set\nq1,d7,2,Names the dose but not the age,practice,1\n"
    >>> read_references(file, "references.csv", grades=(0, 1, 2, 3)).table.iloc[0].to_dict()["reason"]
    'Names the dose but not the age'
    """
    raw = read_raw(content, name, encoding=encoding)
    used = resolve_columns(raw, REFERENCE_FIELDS, ("query_id", "doc_id", "grade"), mapping)
    cells = {field: text_column(raw.column(column)) for field, column in used.items()}
    table = pd.DataFrame({field: cells.get(field, [None] * len(raw.lines)) for field in REFERENCE_FIELDS}, dtype=object)
    faults = Faults()
    rows = [
        _read_row(raw, place, {field: row[field] or "" for field in REFERENCE_FIELDS}, grades, faults)
        for place, row in enumerate(table.to_dict("records"))
    ]
    _refuse_repeats(raw, rows, faults)
    faults.raise_if_any()
    kept = pd.DataFrame(rows, columns=[*REFERENCE_FIELDS, "line"])
    remarks = [*raw.remarks, *id_remarks(kept["query_id"], "query_id"), *id_remarks(kept["doc_id"], "doc_id")]
    return Imported(kept, len(kept), (), tuple(remarks), raw.columns, used)


def _read_row(
    raw: RawTable, place: int, row: Mapping[str, str], grades: Sequence[int], faults: Faults
) -> dict[str, str | int]:
    line = raw.lines[place]
    for field in ("query_id", "doc_id"):
        if not row[field].strip():
            faults.add(raw.name, line, f"a {field}", "nothing")
    grade = _whole_number(row["grade"])
    if grade not in grades:
        faults.add(raw.name, line, f"a grade from {grades[0]} to {grades[-1]}", excerpt(row["grade"]) or "nothing")
    purpose = row["purpose"].strip().casefold() or "practice"
    if purpose not in PURPOSES:
        faults.add(raw.name, line, "the purpose practice or gold", excerpt(row["purpose"]))
    number = _whole_number(row["set"] or "1")
    if purpose == "practice" and (number is None or not 1 <= number <= LARGEST_SET):
        faults.add(raw.name, line, f"a set from 1 to {LARGEST_SET}", excerpt(row["set"]))
    if purpose == "practice" and not row["reason"].strip():
        faults.add(raw.name, line, "a reason, which raters read after this practice pair", "nothing")
    return {
        "query_id": row["query_id"],
        "doc_id": row["doc_id"],
        "grade": -1 if grade is None else grade,
        "reason": row["reason"].strip(),
        "purpose": purpose,
        "set": (number or 0) if purpose == "practice" else 0,
        "line": line,
    }


def _whole_number(text: str) -> int | None:
    found = re.fullmatch(r"\s*(\d{1,9})(?:\.0*)?\s*", text, re.ASCII)
    return int(found.group(1)) if found else None


def _refuse_repeats(raw: RawTable, rows: Sequence[Mapping[str, str | int]], faults: Faults) -> None:
    first: dict[tuple[str | int, str | int], str | int] = {}
    for row in rows:
        line = first.setdefault((row["query_id"], row["doc_id"]), row["line"])
        if line != row["line"]:
            found = f"{excerpt(row['query_id'])} {excerpt(row['doc_id'])} again, which stands in line {line}"
            faults.add(raw.name, int(row["line"]), "each pair once", found)
