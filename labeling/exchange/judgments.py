"""Files of judgments to one table, and back: CSV, TSV, JSONL, qrels per rater, exports of doccano, Label Studio, Argilla, Quepid.

Knows bytes and tables; no database. What is left out or converted is counted, never dropped in silence.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from labeling._votes import check_scale
from labeling.errors import AssayError, InputError, InputErrors
from labeling.exchange._judgment_rows import JUDGMENT_FIELDS, read_rows
from labeling.exchange._judgment_rules import (
    choose_narrative,
    drop_repeated_judgments,
    empty_beside_others,
    leave_unknown_out,
    rater_remarks,
    settle_labels,
)
from labeling.exchange.faults import Faults
from labeling.exchange.ids import id_remarks
from labeling.exchange.labels import fold_label, read_label
from labeling.exchange.tables import Imported, LeftOut, Remark, excerpt

__all__ = [
    "JUDGMENT_COLUMNS",
    "JUDGMENT_FIELDS",
    "count_labels",
    "ids_of_texts",
    "read_judgments",
    "votes_of",
    "write_votes_csv",
    "write_votes_jsonl",
]

JUDGMENT_COLUMNS = (
    "query_id", "doc_id", "rater", "grade", "kind", "comment", "rubric_version", "judged_at", "seconds",
)  # fmt: skip

Repeats = Literal["newest", "first", "error"]
DoubleLabels = Literal["leave_out", "lower", "higher"]
Narrative = Literal["all", "first", "last"]
OutOfScale = Literal["error", "leave_out", "clip"]
UnknownLabels = Literal["error", "leave_out"]

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "repeats": ("newest", "first", "error"),
    "double_labels": ("leave_out", "lower", "higher"),
    "narrative": ("all", "first", "last"),
    "out_of_scale": ("error", "leave_out", "clip"),
    "look_alikes": ("keep", "merge"),
    "unknown_labels": ("error", "leave_out"),
}


def read_judgments(
    files: Sequence[tuple[str, bytes]],
    *,
    mapping: Mapping[str, str] | None = None,
    labels: Mapping[str, int | None] | None = None,
    repeats: Repeats = "newest",
    double_labels: DoubleLabels = "leave_out",
    narrative: Narrative = "all",
    grades: Sequence[int] = (0, 1, 2, 3),
    out_of_scale: OutOfScale = "error",
    look_alikes: Literal["keep", "merge"] = "keep",
    unknown_labels: UnknownLabels = "error",
    encoding: str | None = None,
) -> Imported:
    """Read judgments from one or several files, each in any format that is understood.

    Parameters
    ----------
    files : sequence of (name, content)
        Order counts: "first" and "newest" go by it. A file without a rater column is one rater, named after the file's stem.
    mapping : dict, optional
        Field to column, where the names are not understood by themselves; for exports of Label Studio and Argilla, grade names the question.
    labels : dict, optional
        Words to grades, such as {"Exact": 3}, or to None where they have none; case and blanks do not count. count_labels lists the words.
    repeats : "newest", "first" or "error"
        One rater, one pair, judged more than once: which judgment stands. The newest is that with the latest judged_at where
        every judgment of that pair and rater has one, else the last in the files.
    double_labels : "leave_out", "lower" or "higher"
        One judgment with several labels.
    narrative : "all", "first" or "last"
        Judgments of one query under several narratives: keep all, or those under the narrative that comes first or last.
    grades, out_of_scale : rising ints; "error", "leave_out" or "clip"
        The scale, and what becomes of a grade outside it.
    look_alikes : "keep" or "merge"
        Rater names that differ only in case, blanks or Unicode form: different raters, or one.
    unknown_labels : "error" or "leave_out"
        Judgments with a label that has no grade.
    encoding : str, optional
        Needed only where a file is neither UTF-8 nor marked nor surely Korean.

    Returns
    -------
    Imported; table has query_id, doc_id, rater, grade (Int64), kind ("grade", "cannot_judge", "empty", or as the file says), comment,
    rubric_version, judged_at, seconds (float), in the order of the files

    Raises
    ------
    InputError, InputErrors
        Columns or labels that are not understood, ids that are missing, what a choice calls an error, files that cannot be read; up to 20
        faults at once.

    Notes
    -----
    An empty label is "not judged yet" and never grade 0. It stays as a row of kind "empty" unless the same rater judged the pair in another
    row; then it is left out and counted.

    Examples
    --------
    >>> content = b'{"query_id": "q1", "doc_id": "d1", "label": ["Relevant (1)"]}'
    >>> read_judgments([("ann.jsonl", content)]).table[["query_id", "doc_id", "rater", "grade"]].values.tolist()
    [['q1', 'd1', 'ann', 1]]
    """
    _check_choices(
        repeats=repeats,
        double_labels=double_labels,
        narrative=narrative,
        out_of_scale=out_of_scale,
        look_alikes=look_alikes,
        unknown_labels=unknown_labels,
    )
    scale = check_scale(grades)
    rows, columns, used, remarks = _read_all(files, mapping, encoding)
    rows_read, left_out = len(rows), list[LeftOut]()
    rows, counted = choose_narrative(rows, narrative)
    _gather(counted, left_out, remarks)
    rows, counted = leave_unknown_out(rows, _folded(labels)) if unknown_labels == "leave_out" else (rows, [])
    _gather(counted, left_out, remarks)
    rows, counted = settle_labels(rows, _folded(labels), scale, double_labels, out_of_scale)
    _gather(counted, left_out, remarks)
    rows, counted = rater_remarks(rows, merge=look_alikes == "merge")
    _gather(counted, left_out, remarks)
    rows, counted = empty_beside_others(rows)
    _gather(counted, left_out, remarks)
    rows, counted = drop_repeated_judgments(rows, repeats)
    _gather(counted, left_out, remarks)
    remarks += [*id_remarks(rows["query_id"], "query_id"), *id_remarks(rows["doc_id"], "doc_id")]
    table = rows[list(JUDGMENT_COLUMNS)].reset_index(drop=True)
    return Imported(table, rows_read, tuple(left_out), tuple(remarks), columns, used)


def count_labels(
    files: Sequence[tuple[str, bytes]],
    *,
    mapping: Mapping[str, str] | None = None,
    labels: Mapping[str, int | None] | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    r"""Every label that files of judgments hold, before any is believed: label, count, grade (Int64, NA where it has none).

    The grade is that of labels, else the one that the label itself says; numbers come in their order, then words by how often they occur.

    Examples
    --------
    >>> content = b"query_id,doc_id,grade\nq,d,Exact\nq,e,2\nq,f,Exact\n"
    >>> count_labels([("ann.csv", content)], labels={"exact": 3}).values.tolist()
    [['2', 1, 2], ['Exact', 2, 3]]
    """
    rows, _columns, _used, _remarks = _read_all(files, mapping, encoding)
    folded = _folded(labels)
    counts = rows["labels"].explode().dropna().value_counts()
    table = pd.DataFrame({"label": counts.index.astype("str"), "count": counts.to_numpy()})
    table["grade"] = pd.array([read_label(label, folded).grade for label in table["label"]], dtype="Int64")
    words = [read_label(label, {}).grade is None for label in table["label"]]
    order = table.assign(_word=words, _grade=table["grade"].where(~pd.Series(words, dtype=bool)), _less=-table["count"])
    return table.loc[order.sort_values(["_word", "_grade", "_less", "label"]).index].reset_index(drop=True)


def ids_of_texts(judgments: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """Judgments whose query_id holds the text of a query, as Quepid and OpenSearch write it, with the query's id instead.

    An id of queries (query_id, text) stays as it is. Raises InputErrors for a text that no query has, or several.
    """
    known = set(queries["query_id"])
    by_text: dict[str, list[str]] = {}
    for query_id, text in zip(queries["query_id"], queries["text"], strict=True):
        by_text.setdefault((text or "").strip(), []).append(query_id)
    faults = Faults()
    found: dict[str, str] = {}
    for text in dict.fromkeys(judgments["query_id"].tolist()):
        ids = [text] if text in known else by_text.get(text.strip(), [])
        if len(ids) == 1:
            found[text] = ids[0]
        else:
            listed = f"queries {', '.join(ids[:3])}" if ids else "none"
            faults.add("judgments", None, f"one query of the project with the text {excerpt(text)}", listed)
    faults.raise_if_any()
    return judgments.assign(query_id=judgments["query_id"].map(found).astype("str"))


def votes_of(judgments: pd.DataFrame) -> pd.DataFrame:
    """The current graded judgments: query_id, doc_id, rater, grade, at most one row for each rater and pair.

    Can't-judge, empty and other kinds are no votes. Where a rater has several graded rows on a pair the last row counts.
    """
    graded = judgments[(judgments["kind"] == "grade") & judgments["grade"].notna()]
    newest = graded.drop_duplicates(["query_id", "doc_id", "rater"], keep="last")
    return newest[["query_id", "doc_id", "rater", "grade"]].astype({"grade": np.int64}).reset_index(drop=True)


def write_votes_csv(table: pd.DataFrame) -> bytes:
    """Votes or judgments as CSV, sorted by query, document and rater in byte order; reads back to the same ids and grades."""
    return _in_order(table).to_csv(index=False, lineterminator="\n").encode()


def write_votes_jsonl(table: pd.DataFrame) -> bytes:
    """Votes or judgments as JSONL, one object a line, sorted by query, document and rater in byte order; missing values are left out."""
    ordered = _in_order(table)
    lines = []
    for row in ordered.astype(object).to_dict("records"):
        kept = {str(key): _plain(value) for key, value in row.items() if not pd.isna(value) and value != ""}
        lines.append(json.dumps(kept, ensure_ascii=False, allow_nan=False) + "\n")
    return "".join(lines).encode()


def _folded(labels: Mapping[str, int | None] | None) -> dict[str, int | None]:
    return {fold_label(word): grade for word, grade in (labels or {}).items()}


def _check_choices(**chosen: str) -> None:
    for name, value in chosen.items():
        if value not in _CHOICES[name]:
            raise AssayError(f"{name}: expected {', '.join(_CHOICES[name])}, found {value}")


def _read_all(
    files: Sequence[tuple[str, bytes]], mapping: Mapping[str, str] | None, encoding: str | None
) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, str], list[Remark]]:
    if not files:
        raise AssayError("judgments: expected one file or more, found none")
    faults = Faults()
    tables: list[pd.DataFrame] = []
    columns: dict[str, None] = {}
    used: dict[str, str] = {}
    remarks: list[Remark] = []
    for name, content in files:
        try:
            table, found, mapped, said = read_rows(content, name, _stem(name), mapping, encoding)
        except (InputError, InputErrors) as error:
            faults.take(error)
            continue
        tables.append(table)
        columns.update(dict.fromkeys(found))
        used.update({field: column for field, column in mapped.items() if field not in used})
        remarks += said
    faults.raise_if_any()
    return pd.concat(tables, ignore_index=True), tuple(columns), used, remarks


def _gather(counted: Sequence[LeftOut | Remark], left_out: list[LeftOut], remarks: list[Remark]) -> None:
    left_out += [one for one in counted if isinstance(one, LeftOut)]
    remarks += [one for one in counted if isinstance(one, Remark)]


def _stem(name: str) -> str:
    base = re.split(r"[/\\]", name)[-1]
    return re.sub(r"(\.(jsonl?|csv|tsv|txt|qrels?|gz|ndjson))+$", "", base, flags=re.IGNORECASE) or base


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    keys = [column for column in ("query_id", "doc_id", "rater") if column in table.columns]
    return table.sort_values(keys, kind="stable").reset_index(drop=True)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
