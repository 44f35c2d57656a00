"""Fields of a file by its layout: fast through arrow's CSV reader, or exactly, line by line.

Knows separators, quotes and line numbers; not what the values mean.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from metrics._layout import EXPECTED, Layout
from metrics.errors import InputError, InputErrors

__all__ = ["Rows", "is_odd", "raise_faults", "read_exactly", "read_fast", "whole"]

MOST_FAULTS = 20
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")
_OTHER_BLANKS = (b"\t", b"\x0b", b"\x0c")
_BLOCK_BYTES = 1 << 18
_BLOCK_ROWS = 1 << 16
_BLOCK_OF_ALL = 1 << 22  # bytes that one thread reads at once
_COMMENT = re.compile(rb"(?m)^#[^\n]*\n?")


@dataclass(frozen=True)
class Rows:
    """Fields as text, with their line numbers; what was passed over is counted."""

    fields: dict[str, list[str]]
    lines: list[int]
    faults: tuple[InputError, ...]
    comments: int
    extra_text: int


def raise_faults(faults: tuple[InputError, ...] | list[InputError]) -> None:
    """Raise one fault as itself, several together."""
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise InputErrors(faults)


def read_fast(text: bytes, layout: Layout, types: dict[str, pa.DataType]) -> tuple[pa.Table, int] | None:
    """The typed columns and the number of comment lines; None where a line is odd and must be read exactly."""
    comments = 0
    # one byte is found far faster than two, and most files hold no hash sign
    if b"#" in text and (text.startswith(b"#") or b"\n#" in text):
        text, comments = _COMMENT.subn(b"", text)
    if layout.separator == " " and (_has_double_blank(text) or any(blank in text for blank in _OTHER_BLANKS)):
        text = _tidy_blanks(text)
    table = _read_csv(text, layout, types)
    if table is None and layout.separator == " ":
        table = _read_csv(_tidy_blanks(text), layout, types)
    return None if table is None else (table, comments)


def _read_csv(text: bytes, layout: Layout, types: dict[str, pa.DataType]) -> pa.Table | None:
    names = [role or f"_{place}" for place, role in enumerate(layout.columns)]
    wanted = [name for name in names if name in types]
    threads = len(text) > _BLOCK_OF_ALL
    try:
        table = pacsv.read_csv(
            pa.BufferReader(text),
            read_options=pacsv.ReadOptions(
                column_names=names,
                skip_rows=int(layout.header),
                block_size=1 << 20 if threads else _BLOCK_OF_ALL,
                use_threads=threads,
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=layout.separator,
                quote_char='"' if layout.quoted else False,
                newlines_in_values=layout.quoted and b'"' in text,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types={name: types[name] for name in wanted},
                include_columns=wanted,
                null_values=[],
                strings_can_be_null=False,
                true_values=[],
                false_values=[],
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    return table.combine_chunks()


def _has_double_blank(text: bytes) -> bool:
    letters = np.frombuffer(text, dtype=np.uint8)
    # block by block, so that the arrays between stay in the processor's cache
    for start in range(0, len(letters), _BLOCK_BYTES):
        blank = letters[start : start + _BLOCK_BYTES + 1] == ord(" ")
        if np.any(blank[1:] & blank[:-1]):
            return True
    return False


def _tidy_blanks(text: bytes) -> bytes:
    """One blank between fields, none at the ends of lines."""
    if b"\t" in text or b"\x0b" in text or b"\x0c" in text:
        text = text.translate(bytes.maketrans(b"\t\x0b\x0c", b"   "))
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    if text.startswith(b" "):
        text = text[1:]
    if b" \n" in text:
        text = text.replace(b" \n", b"\n")
    if b"\n " in text:
        text = text.replace(b"\n ", b"\n")
    return text.rstrip(b" ")


def whole(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    # a column of one chunk would be copied
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def is_odd(table: pa.Table, text: bytes, layout: Layout) -> bool:
    """Whether the fast reader met something that only the exact one can tell apart."""
    if layout.separator == " " and layout.kind == "run" and len(layout.columns) == 5:
        return True
    for column in ("query_id", "doc_id"):
        values = whole(table[column])
        texts = values.dictionary if pa.types.is_dictionary(values.type) else values
        if _holds_empty(texts):
            return True
        padded = layout.separator == "\t" and not layout.header and b" " in text
        if padded and not pc.utf8_trim(texts, characters=" ").equals(texts):
            return True
    # the least of numbers is nan where one of them is, and needs no second array to find
    return (
        "score" in table.column_names and bool(len(table)) and bool(np.isnan(np.min(whole(table["score"]).to_numpy())))
    )


def _holds_empty(texts: pa.Array) -> bool:
    blocks = (texts.slice(start, _BLOCK_ROWS) for start in range(0, len(texts), _BLOCK_ROWS))
    return any(pc.min(pc.binary_length(block)).as_py() == 0 for block in blocks)


def read_exactly(text: bytes, layout: Layout, source: str) -> Rows:
    """Every line's fields as text; faulty lines are named, not read."""
    roles = [(place, role) for place, role in enumerate(layout.columns) if role]
    fields: dict[str, list[str]] = {role: [] for _, role in roles}
    lines: list[int] = []
    faults: list[InputError] = []
    counts = {"comments": 0, "extra": 0}
    header = layout.header
    for number, parts in _split_lines(text, layout, counts):
        if header:
            header = False
            continue
        fitted = _fit(parts, layout, counts)
        if fitted is None:
            faults.append(_misfit(parts, layout, source, number))
            continue
        empty = [role for place, role in roles if not fitted[place] and role != "tag"]
        if empty and layout.kind != "votes":
            said = "grade" if empty[0] == "relevance" else empty[0]
            faults.append(InputError(source, number, f"a {said}", "an empty field"))
            continue
        for place, role in roles:
            fields[role].append(fitted[place])
        lines.append(number)
    return Rows(fields, lines, tuple(faults), counts["comments"], counts["extra"])


def _split_lines(text: bytes, layout: Layout, counts: dict[str, int]) -> Iterator[tuple[int, list[str]]]:
    if layout.quoted:
        reader = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=layout.separator)
        last = 0
        for parts in reader:
            number, last = last + 1, reader.line_num
            if any(parts):
                yield number, parts
        return
    for number, line in enumerate(text.split(b"\n"), start=1):
        if line.startswith(b"#"):
            counts["comments"] += 1
        elif line.strip():
            fields = line.split() if layout.separator == " " else [field.strip(b" ") for field in line.split(b"	")]
            yield number, [field.decode() for field in fields]


def _fit(parts: list[str], layout: Layout, counts: dict[str, int]) -> list[str] | None:
    wanted = len(layout.columns)
    if len(parts) == wanted:
        return parts
    if layout.header and len(parts) < wanted and not any(layout.columns[len(parts) :]):
        return parts + [""] * (wanted - len(parts))
    if layout.separator == "\t" and not layout.header and len(parts) == 1:
        again = parts[0].split()
        return again if len(again) == wanted else None
    # trec_eval passes over what follows the tag; a number in the tag's place says that a blank in an id moved the columns
    if layout.kind == "run" and layout.separator == " " and wanted == 6 and len(parts) > 6 and _looks_ranked(parts):
        counts["extra"] += 1
        return parts[:6]
    return None


def _looks_ranked(parts: list[str]) -> bool:
    number = _NUMBER.fullmatch
    return bool(_WHOLE.fullmatch(parts[3]) and number(parts[4]) and not number(parts[5]))


def _misfit(parts: list[str], layout: Layout, source: str, number: int) -> InputError:
    shown = " ".join(parts)[:80]
    expected = EXPECTED[layout.kind]
    if layout.header or layout.quoted:
        expected = f"{len(layout.columns)} fields, as in the first line"
    elif layout.kind == "qrels":
        expected = (
            "query_id, iteration, doc_id, grade (4 columns), as in the first line"
            if len(layout.columns) == 4
            else "query_id, doc_id, grade (3 columns), as in the first line"
        )
    if layout.separator == " " and len(parts) > len(layout.columns):
        expected += "; ids with blanks need a tab between columns, or CSV"
    return InputError(source, number, expected, f"{len(parts)} columns: {shown!r}")
