"""Which column of a file holds which field: by the names that people give them, or as a person says.

Knows names only, no cells.
"""

import unicodedata
from collections.abc import Mapping, Sequence

from labeling.errors import AssayError, InputError
from labeling.exchange.tables import RawTable, excerpt

__all__ = ["DOC_ID", "QUERY_ID", "fold_column", "knows_columns", "resolve_columns"]

QUERY_ID = ("query_id", "qid", "topic_id", "query", "topic", "질의id", "질의", "쿼리id", "쿼리")
DOC_ID = (
    "doc_id", "docno", "document_id", "passage_id", "pid", "product_id", "corpus_id", "document", "doc", "문서id", "문서",
)  # fmt: skip


def fold_column(name: str) -> str:
    """A column name without case, blanks and marks: "Query ID", "query-id" and "queryId" are one."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", name).casefold() if letter.isalnum())


def knows_columns(cells: Sequence[str], fields: Mapping[str, Sequence[str]], mapping: Mapping[str, str] | None) -> bool:
    """Whether a first row is a header: one of its cells is a known name, or one that the mapping names."""
    known = {fold_column(alias) for aliases in fields.values() for alias in aliases}
    named = set((mapping or {}).values())
    return any(cell in named or fold_column(cell) in known for cell in cells)


def resolve_columns(
    raw: RawTable, fields: Mapping[str, Sequence[str]], required: Sequence[str], mapping: Mapping[str, str] | None
) -> dict[str, str]:
    """The column of each field that has one; InputError where a required field has none.

    A mapping (field -> column) wins; else the first name in a field's list that the file has. A column is used once, unless
    the mapping says otherwise.
    """
    named = {field: column for field, column in (mapping or {}).items() if column}
    unknown = [field for field in named if field not in fields]
    if unknown:
        raise AssayError(f"a mapping: expected fields of {', '.join(fields)}, found {', '.join(unknown)}")
    for field, column in named.items():
        if column not in raw.columns:
            raise InputError(raw.name, 1, f"a column {excerpt(column)} for {field}", _listed(raw.columns))
    found = dict(named)
    used = set(named.values())
    by_name: dict[str, str] = {}
    for column in raw.columns:
        by_name.setdefault(fold_column(column), column)
    for field, aliases in fields.items():
        if field in (mapping or {}):
            continue
        column = next(
            (by_name[fold_column(a)] for a in aliases if by_name.get(fold_column(a)) not in used | {None}), ""
        )
        if column:
            found[field] = column
            used.add(column)
    missing = [field for field in required if field not in found]
    if missing:
        expected = "columns " + ", ".join(f"{field} (or {', '.join(fields[field][1:4])})" for field in missing)
        raise InputError(raw.name, 1, expected, _listed(raw.columns))
    return found


def _listed(columns: Sequence[str]) -> str:
    return "columns " + excerpt(", ".join(columns), 200)
