"""Files of documents to a table: id, title, text, address.

Knows bytes and tables; no database.
"""

from collections.abc import Mapping

import pandas as pd

from labeling.exchange.columns import DOC_ID, knows_columns, resolve_columns
from labeling.exchange.faults import Faults
from labeling.exchange.ids import id_remarks, rows_with_nul
from labeling.exchange.repeats import drop_repeats
from labeling.exchange.tables import Imported, Progress, RawTable, Remark, read_raw, text_column

__all__ = ["DOCUMENT_FIELDS", "read_documents"]

DOCUMENT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "doc_id": (*(alias for alias in DOC_ID if alias not in ("document", "doc", "문서")), "id"),
    "title": ("title", "name", "headline", "제목"),
    "text": ("text", "contents", "content", "body", "passage", "document", "본문", "내용", "문서"),
    "url": ("url", "link", "uri", "주소"),
}


def read_documents(
    content: bytes,
    name: str,
    *,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Read documents from JSONL, CSV, TSV or a JSON list, plain or gzip.

    Parameters
    ----------
    content, name : bytes, str
        The file and what messages call it.
    mapping : dict, optional
        Field (doc_id, title, text, url) to column, where the names are not understood by themselves.
    encoding : str, optional
        Needed only where the file is neither UTF-8 nor marked nor surely Korean.
    progress : callable, optional
        Called every 10,000 rows with rows read and an upper bound of rows in all.

    Returns
    -------
    Imported; table has doc_id, title, text, url, "" where a document has none

    Raises
    ------
    InputError, InputErrors
        An id is missing, a doc_id stands for two texts, the columns are not understood, the file cannot be read.

    Notes
    -----
    A document without text is kept and counted in the remarks: a rater can only say that it cannot be judged.
    """
    raw = read_raw(
        content,
        name,
        encoding=encoding,
        is_header=lambda cells: knows_columns(cells, DOCUMENT_FIELDS, mapping),
        progress=progress,
    )
    used = _columns_of(raw, mapping)
    table = pd.DataFrame(
        {
            field: pd.Series(text_column(raw.column(used[field])), dtype="str") if field in used else ""
            for field in DOCUMENT_FIELDS
        },
        index=range(len(raw.rows)),
    ).astype("str")
    faults = Faults()
    for place in (table["doc_id"].isna() | (table["doc_id"] == "")).to_numpy().nonzero()[0].tolist():
        faults.add(raw.name, raw.lines[place], "a doc_id", "nothing")
    for place in rows_with_nul(table["doc_id"]):
        faults.add(raw.name, raw.lines[place], "a doc_id without NUL characters", "one with")
    faults.raise_if_any()
    table = table.fillna("")
    kept, left_out = drop_repeats(raw, table, ["doc_id"], ["title", "text", "url"], "document")
    remarks = [*raw.remarks, *_remarks(raw, kept), *id_remarks(kept["doc_id"], "doc_id")]
    return Imported(kept, len(table), left_out, tuple(remarks), raw.columns, used)


def _columns_of(raw: RawTable, mapping: Mapping[str, str] | None) -> dict[str, str]:
    if not raw.has_header and not mapping and len(raw.columns) in (2, 3):
        fields = ("doc_id", "text") if len(raw.columns) == 2 else ("doc_id", "title", "text")
        return dict(zip(fields, raw.columns, strict=True))
    return resolve_columns(raw, DOCUMENT_FIELDS, ("doc_id", "text"), mapping)


def _remarks(raw: RawTable, table: pd.DataFrame) -> list[Remark]:
    found = []
    if not raw.has_header:
        first = f"{table['doc_id'].iloc[0]}: {table['text'].iloc[0][:60]}"
        text = "the file has no header that is understood; its first row was read as a document"
        found.append(Remark("no_header", 1, text, (first,)))
    bare = table["text"].str.strip() == ""
    for kind, which, text in (
        ("no_text", bare & (table["title"].str.strip() == ""), "documents have neither text nor title"),
        ("title_only", bare & (table["title"].str.strip() != ""), "documents have a title and no text"),
    ):
        count = int(which.sum())
        if count:
            found.append(Remark(kind, count, f"{count} {text}", tuple(table.loc[which, "doc_id"].head(5))))
    return found
