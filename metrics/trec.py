"""Read and write qrels and runs, in every variant that people really have; errors name file and line.

Knows files and columns; nothing of measures. Ids are text, byte for byte as given.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metrics._blocks import read_in_blocks
from metrics._json import is_json, read_json_qrels, read_json_run
from metrics._layout import Layout, recognise
from metrics._lines import MOST_FAULTS, Rows, is_odd, raise_faults, read_exactly, read_fast, whole
from metrics._noticing import notice_grades, notice_ids, notice_ranks
from metrics._sieve import encode_runs, find_duplicate, mark_texts
from metrics._source import Source, load_source, stem_of
from metrics._values import QrelsChoices, convert_grades, convert_scores, ranks_as_scores
from metrics._workers import at_once
from metrics.errors import InputError
from metrics.tables import Qrels, Remark, Run

__all__ = ["read_qrels", "read_run", "read_runs", "write_qrels", "write_run"]

_TEXT = pa.string()
_QRELS_TYPES = {"query_id": _TEXT, "doc_id": _TEXT, "relevance": pa.int64()}
_RUN_TYPES = {
    "query_id": _TEXT, "doc_id": _TEXT, "rank": pa.int64(), "score": pa.float64(), "third": pa.float64(), "tag": _TEXT,
}  # fmt: skip


def read_qrels(
    source: Source,
    *,
    name: str | None = None,
    scale: tuple[int, ...] | None = None,
    out_of_scale: Literal["error", "keep", "clip", "leave_out"] = "error",
    rounding: Literal["down", "nearest", "up"] | None = None,
    faulty_lines: Literal["error", "leave_out"] = "error",
) -> Qrels:
    r"""Read qrels: TREC, three columns, CSV or TSV with a header (BEIR), or JSON; plain or gzip.

    Parameters
    ----------
    source : path, bytes, binary file or "-"
        "-" reads standard input. Compression is found by content.
    name : str, optional
        How messages call the input.
    scale : tuple of int, optional
        The grades there are; others are treated as ``out_of_scale`` says.
    out_of_scale : {"error", "keep", "clip", "leave_out"}
    rounding : {"down", "nearest", "up"}, optional
        What becomes of fractional grades; without it they are an error. Halves go up.
    faulty_lines : {"error", "leave_out"}
        Lines left out are counted in the remarks.

    Returns
    -------
    Qrels
        Its remarks say what was noticed, converted and left out. The same pair twice with one grade is kept once.

    Raises
    ------
    InputError, InputErrors
        With file and line, when the input cannot be read; when a pair has two grades; when a grade is no whole number.

    Examples
    --------
    >>> qrels = read_qrels(b"q1 0 d1 2\nq1 0 d2 0\n")
    >>> qrels.table["relevance"].tolist()
    [2, 0]
    """
    text, called = load_source(source, name)
    choices = QrelsChoices(scale, out_of_scale, rounding, faulty_lines == "leave_out")
    remarks: list[Remark] = []
    if is_json(text):
        rows = read_json_qrels(text, called)
        columns = convert_grades(rows, called, choices, remarks)
        lines = rows.lines
    else:
        layout = recognise(text, "qrels", called)
        columns, lines = _qrels_columns(text, layout, called, choices, remarks)
    columns = _one_grade_a_pair(columns, lines, called, remarks)
    remarks += notice_ids(
        {"query_id": columns["query_id"], "doc_id": columns["doc_id"]}, ascii_only=text.isascii()
    ) + notice_grades(columns["relevance"].to_numpy())
    return Qrels(_qrels_table(columns), called, tuple(remarks))


def _qrels_table(columns: dict[str, pa.Array]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query_id": pd.array(columns["query_id"].cast(pa.large_string()), dtype="str"),
            "doc_id": pd.array(columns["doc_id"].cast(pa.large_string()), dtype="str"),
            "relevance": columns["relevance"].to_numpy(),
        }
    )


def _qrels_columns(
    text: bytes, layout: Layout, called: str, choices: QrelsChoices, remarks: list[Remark]
) -> tuple[dict[str, pa.Array], list[int]]:
    fast = read_fast(text, layout, _QRELS_TYPES)
    if fast is not None and not is_odd(fast[0], text, layout):
        table, comments = fast
        _say_comments(comments, remarks)
        found = {column: whole(table[column]) for column in ("query_id", "doc_id", "relevance")}
        found["query_id"] = encode_runs(found["query_id"])
        in_scale = choices.scale is None or bool(np.isin(found["relevance"].to_numpy(), choices.scale).all())
        if in_scale and find_duplicate(found["query_id"], found["doc_id"], mark_texts(found["doc_id"])) is None:
            return found, []
    rows = read_exactly(text, layout, called)
    _pass_faults(rows, remarks, leave_out=choices.leave_out)
    if fast is None or is_odd(fast[0], text, layout):
        _say_comments(rows.comments, remarks)
    return convert_grades(rows, called, choices, remarks), rows.lines


def _pass_faults(rows: Rows, remarks: list[Remark], *, leave_out: bool) -> None:
    if not rows.faults:
        return
    if not leave_out:
        raise_faults(rows.faults[:MOST_FAULTS])
    remarks.append(
        Remark.of("lines_left_out", len(rows.faults), f"{len(rows.faults)} faulty lines were left out", rows.faults)
    )


def _say_comments(count: int, remarks: list[Remark]) -> None:
    if count:
        remarks.append(Remark.of("comments", count, f"{count} comment lines (beginning with #) were passed over"))


def _one_grade_a_pair(
    columns: dict[str, pa.Array], lines: list[int], called: str, remarks: list[Remark]
) -> dict[str, pa.Array]:
    if not lines:
        return columns
    seen: dict[tuple[str, str], int] = {}
    faults, repeated, kept = [], [], []
    grades = columns["relevance"].to_pylist()
    for row, pair in enumerate(zip(columns["query_id"].to_pylist(), columns["doc_id"].to_pylist(), strict=True)):
        first = seen.setdefault(pair, row)
        if first == row:
            kept.append(row)
        elif grades[first] == grades[row]:
            repeated.append(f"{called} line {lines[row]}")
        else:
            found = f"query {pair[0]!r}, document {pair[1]!r} graded {grades[row]} here and {grades[first]} in line {lines[first]}"
            faults.append(InputError(called, lines[row], "one grade a pair", found))
    raise_faults(faults[:MOST_FAULTS])
    if repeated:
        said = f"{len(repeated)} rows repeat a pair with the same grade; each pair is kept once"
        remarks.append(Remark.of("repeated_pairs", len(repeated), said, repeated))
    return {name: column.take(pa.array(kept, type=pa.int64())) for name, column in columns.items()}


def read_run(source: Source, *, name: str | None = None, tag: str | None = None) -> Run:
    r"""Read a run: TREC, MS MARCO three columns, CSV or TSV with a header, or JSON; plain or gzip.

    Parameters
    ----------
    source : path, bytes, binary file or "-"
        "-" reads standard input. Compression is found by content.
    name : str, optional
        How messages call the input.
    tag : str, optional
        The run's name; without it the file's own tag, else the stem of the file's name.

    Returns
    -------
    Run
        The score orders it; the rank column is not trusted. Its remarks say what was noticed and converted.

    Raises
    ------
    InputError, InputErrors
        With file and line, when the input cannot be read, a score is no number, or a document stands twice in a ranking.

    Examples
    --------
    >>> run = read_run(b"q1 Q0 d2 1 9.5 bm25\nq1 Q0 d1 2 8.0 bm25\n")
    >>> run.tag, len(run)
    ('bm25', 2)
    """
    large = _read_large_run(source, name, tag)
    if large is not None:
        return large
    text, called = load_source(source, name)
    remarks: list[Remark] = []
    lines: list[int] | None = None
    layout = None if is_json(text) else recognise(text, "run", called)
    if layout is None:
        columns = convert_scores(read_json_run(text, called), called, remarks)
    else:
        fast = read_fast(text, layout, _RUN_TYPES)
        if fast is not None and not is_odd(fast[0], text, layout):
            columns = {column: whole(fast[0][column]) for column in fast[0].column_names}
            # most files hold runs of one query and one tag: far faster than to look every row up
            columns |= {column: encode_runs(columns[column]) for column in ("query_id", "tag") if column in columns}
            _say_comments(fast[1], remarks)
        else:
            rows = read_exactly(text, layout, called)
            raise_faults(rows.faults[:MOST_FAULTS])
            _say_comments(rows.comments, remarks)
            columns, lines = convert_scores(rows, called, remarks), rows.lines
        columns = ranks_as_scores(columns, called, remarks)
    marks = mark_texts(columns["doc_id"])
    twice = find_duplicate(columns["query_id"], columns["doc_id"], marks)
    if twice is not None:
        if lines is None and layout is not None:
            lines = read_exactly(text, layout, called).lines
        raise _document_twice(columns, twice, lines, called)
    tags = pc.unique(columns["tag"].dictionary).to_pylist() if "tag" in columns else []
    thorough = layout is None or layout.header
    own_tag = _notice_run(columns, remarks, tags, ascii_only=text.isascii(), thorough=thorough)
    return _run_of(columns, tag or own_tag or stem_of(called), marks, called, remarks)


def _read_large_run(source: Source, name: str | None, tag: str | None) -> Run | None:
    """A run of a large plain file; None for any other, and where something is to be said of a line."""
    blocks = read_in_blocks(source, _RUN_TYPES)
    if blocks is None:
        return None
    called = name or str(source)
    remarks: list[Remark] = []
    _say_comments(blocks.comments, remarks)
    columns = blocks.join("query_id", "score") | {"doc_id": blocks.documents}
    if find_duplicate(columns["query_id"], columns["doc_id"], blocks.marks) is not None:
        return None
    own_tag = _notice_run(columns, remarks, blocks.tags, ascii_only=True, thorough=False)
    return _run_of(columns, tag or own_tag or stem_of(called), blocks.marks, called, remarks)


def _run_of(
    columns: dict[str, pa.Array], tag: str, marks: NDArray[np.uint64], called: str, remarks: list[Remark]
) -> Run:
    kept = pa.table({column: columns[column] for column in ("query_id", "doc_id", "score")})
    against = any(each.kind == "rank_contradicts_score" for each in remarks)
    return Run(kept, tag, marks, called, tuple(remarks), columns["rank"] if against else None)


def read_runs(sources: Sequence[Source], *, workers: int | None = None) -> list[Run]:
    """Read several runs at once, in the order given; see :func:`read_run`.

    Raises
    ------
    InputError, InputErrors
        The fault of the first faulty file.
    """
    return at_once(read_run, sources, workers=workers)


def _document_twice(
    columns: dict[str, pa.Array], twice: tuple[int, int], lines: list[int] | None, called: str
) -> InputError:
    first, second = twice
    query_id, doc_id = columns["query_id"][second].as_py(), columns["doc_id"][second].as_py()
    where = f" (first in line {lines[first]})" if lines else ""
    found = f"{doc_id!r} again for query {query_id!r}{where}"
    return InputError(called, lines[second] if lines else None, "a document once in a ranking", found)


def _notice_run(
    columns: dict[str, pa.Array], remarks: list[Remark], tags: list[str], *, ascii_only: bool, thorough: bool
) -> str | None:
    ids = {"query_id": columns["query_id"]}
    if thorough or not ascii_only:
        ids["doc_id"] = columns["doc_id"]
    remarks += notice_ids(ids, ascii_only=ascii_only)
    code = columns["query_id"].indices.to_numpy(zero_copy_only=False)
    if "rank" in columns:
        rank = columns["rank"].to_numpy(zero_copy_only=False)
        remarks += notice_ranks(code, rank, columns["score"].to_numpy(zero_copy_only=False))
    tags = [each.split()[0] for each in tags if each.strip()]
    if len(set(tags)) > 1:
        remarks.append(
            Remark.of("several_tags", len(set(tags)), f"the run holds {len(set(tags))} tags; the first is used", tags)
        )
    return tags[0] if tags else None


def write_qrels(table: pd.DataFrame, target: str | Path | BinaryIO) -> None:
    """Write qrels in TREC's four columns, in byte order of query and document: same inputs, same bytes.

    Raises
    ------
    InputError
        When an id is empty or holds a blank, which TREC's format cannot carry.
    """
    _refuse_blanks(table)
    ordered = table.sort_values(
        ["query_id", "doc_id"], key=lambda column: column.map(lambda text: text.encode()), kind="stable"
    )
    lines = [
        f"{query_id} 0 {doc_id} {int(grade)}\n"
        for query_id, doc_id, grade in ordered[["query_id", "doc_id", "relevance"]].itertuples(index=False)
    ]
    _write("".join(lines), target)


def write_run(run: Run | pd.DataFrame, target: str | Path | BinaryIO, *, tag: str | None = None) -> None:
    """Write a run in TREC's six columns, queries in byte order, documents by score, ties by doc_id descending.

    Raises
    ------
    InputError
        When an id is empty or holds a blank, which TREC's format cannot carry.
    """
    table = run.table if isinstance(run, Run) else run
    called = tag or (run.tag if isinstance(run, Run) else "run")
    _refuse_blanks(table)
    ordered = table.assign(_key=table["doc_id"].map(lambda text: text.encode()))
    ordered = ordered.sort_values("_key", ascending=False).sort_values("score", ascending=False, kind="stable")
    lines = []
    for query_id, rows in sorted(ordered.groupby("query_id", sort=False), key=lambda item: str(item[0]).encode()):
        for rank, (doc_id, score) in enumerate(zip(rows["doc_id"], rows["score"], strict=True), start=1):
            lines.append(f"{query_id} Q0 {doc_id} {rank} {float(score)!r} {called}\n")
    _write("".join(lines), target)


def _refuse_blanks(table: pd.DataFrame) -> None:
    for column in ("query_id", "doc_id"):
        for text in table[column]:
            if not text or text.split() != [text]:
                raise InputError("TREC output", None, f"a {column} without blanks", f"{text!r}; write CSV instead")


def _write(text: str, target: str | Path | BinaryIO) -> None:
    if isinstance(target, str | Path):
        Path(target).write_bytes(text.encode())
    else:
        target.write(text.encode())
