"""Files of queries to a table: what was asked, the narrative where one is, and every other column for slices.

Knows bytes and tables; no database.
"""

from collections.abc import Mapping

import pandas as pd

from labeling.exchange.columns import knows_columns, resolve_columns
from labeling.exchange.faults import Faults
from labeling.exchange.ids import id_remarks, rows_with_nul
from labeling.exchange.repeats import drop_repeats
from labeling.exchange.tables import Imported, RawTable, Remark, read_raw, text_column

__all__ = ["QUERY_FIELDS", "read_queries"]

QUERY_FIELDS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "topic_id", "id", "topic", "number", "질의id", "쿼리id"),
    "text": ("text", "query", "query_text", "question", "title", "질의", "쿼리", "질문"),
    "narrative": ("narrative", "information_need", "need", "설명", "의도"),
}


def read_queries(
    content: bytes, name: str, *, mapping: Mapping[str, str] | None = None, encoding: str | None = None
) -> Imported:
    r"""Read queries from TSV, CSV, JSONL or a JSON list, plain or gzip.

    Parameters
    ----------
    content, name : bytes, str
        The file and what messages call it.
    mapping : dict, optional
        Field (query_id, text, narrative) to column, where the names are not understood by themselves. Columns of a file
        without a header are "column 1", "column 2", ...
    encoding : str, optional
        Needed only where the file is neither UTF-8 nor marked nor surely Korean.

    Returns
    -------
    Imported; table has query_id, text, narrative ("" where none) and every other column as text

    Raises
    ------
    InputError, InputErrors
        An id or a text is missing, a query_id stands for two texts, the columns are not understood, the file cannot be read.

    Notes
    -----
    A file of two columns without a known header is read as query_id and text, and said to be. The same query twice is left
    out and counted.

    Examples
    --------
    >>> read_queries(b"001\tsourdough starter\n", "topics.tsv").table.iloc[0].to_dict()
    {'query_id': '001', 'text': 'sourdough starter', 'narrative': ''}
    """
    raw = read_raw(
        content, name, encoding=encoding, is_header=lambda cells: knows_columns(cells, QUERY_FIELDS, mapping)
    )
    used = _columns_of(raw, mapping)
    table = pd.DataFrame({field: text_column(raw.column(column)) for field, column in used.items()}, dtype="str")
    if "narrative" not in table:
        table["narrative"] = ""
    table["narrative"] = table["narrative"].fillna("")
    others = [column for column in raw.columns if column not in used.values()]
    for column in others:
        # A column of slices must not take the place of a field of the same name.
        place = column if column not in table.columns else f"{column} (column)"
        table[place] = pd.Series(text_column(raw.column(column)), dtype="str").fillna("")
    _refuse_gaps(raw, table)
    kept, left_out = drop_repeats(raw, table, ["query_id"], ["text", "narrative"], "query")
    remarks = [*raw.remarks, *_header_remark(raw, kept), *id_remarks(kept["query_id"], "query_id")]
    return Imported(kept, len(table), left_out, tuple(remarks), raw.columns, used)


def _columns_of(raw: RawTable, mapping: Mapping[str, str] | None) -> dict[str, str]:
    if not raw.has_header and not mapping and len(raw.columns) in (2, 3):
        return dict(zip(("query_id", "text", "narrative"), raw.columns, strict=False))
    return resolve_columns(raw, QUERY_FIELDS, ("query_id", "text"), mapping)


def _refuse_gaps(raw: RawTable, table: pd.DataFrame) -> None:
    faults = Faults()
    for field in ("query_id", "text"):
        empty = table[field].isna() | (table[field].str.strip() == "")
        for place in empty.to_numpy().nonzero()[0].tolist():
            faults.add(raw.name, raw.lines[place], f"a {field}", "nothing")
    for place in rows_with_nul(table["query_id"]):
        faults.add(raw.name, raw.lines[place], "a query_id without NUL characters", "one with")
    faults.raise_if_any()


def _header_remark(raw: RawTable, table: pd.DataFrame) -> list[Remark]:
    if raw.has_header:
        return []
    first = f"{table['query_id'].iloc[0]}: {table['text'].iloc[0]}"
    return [
        Remark("no_header", 1, "the file has no header that is understood; its first row was read as a query", (first,))
    ]
