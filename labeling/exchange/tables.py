"""Delimited text and JSON as raw columns with line numbers, and what an import gives back.

Knows nothing of what the columns mean: that is columns.py, and the reader of each kind of file.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import pandas as pd

from labeling.errors import InputError
from labeling.exchange.encoding import decode
from labeling.exchange.faults import Faults
from metrics.tables import Remark

__all__ = ["LEFT_OUT", "Imported", "LeftOut", "RawTable", "Remark", "excerpt", "read_raw", "text_column"]

csv.field_size_limit(2**31 - 1)  # the library's limit of 131,072 characters is shorter than documents are

_SEPARATIONS: tuple[tuple[str, Literal[0, 3]], ...] = (
    ("\t", csv.QUOTE_NONE),
    ("\t", csv.QUOTE_MINIMAL),
    (",", csv.QUOTE_MINIMAL),
    (";", csv.QUOTE_MINIMAL),
    ("|", csv.QUOTE_MINIMAL),
)
_PROGRESS_EVERY = 10_000
_QUOTED_TAB_FIELD = re.compile(r'(?:^|(?<=\t))"((?:[^"]|"")*)"(?=\t|\r?$)', re.MULTILINE)
_BLANKS = re.compile(r"\s*")
_QUOTE_AT_START = re.compile(r'(?:^|\t)"', re.MULTILINE)

Progress = Callable[[int, int], None]


LEFT_OUT: Mapping[str, str] = {
    "repeated_query": "{count} rows repeat a query word for word",
    "repeated_document": "{count} rows repeat a document word for word",
    "other_narrative": "{count} judgments were made under another narrative than the chosen one",
    "double_labels": "{count} judgments have several labels at once",
    "out_of_scale": "{count} grades lie outside the scale",
    "unknown_label": "{count} judgments have a label without a grade",
    "empty_label_beside_judgment": "{count} rows have an empty label beside another row of the same rater and pair",
    "repeat_same_grade": "{count} judgments were made again by the same rater, with the same grade",
    "repeat_other_grade": "{count} judgments were made again by the same rater, with another grade",
}
"""The sentence of each reason to leave rows out; a page translates it and fills in the count."""


@dataclass(frozen=True)
class LeftOut:
    """Rows that are not in the table: why (a code of LEFT_OUT), how many, and a few of them."""

    reason: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The sentence in English."""
        return LEFT_OUT[self.reason].format(count=self.count)


@dataclass(frozen=True)
class Imported:
    """What a file held.

    rows_read counts the rows of the file, header and blank lines apart; rows_read less the rows left out are those of the
    table. columns are the file's own, mapping says which of them each field was read from.
    """

    table: pd.DataFrame
    rows_read: int
    left_out: tuple[LeftOut, ...]
    remarks: tuple[Remark, ...]
    columns: tuple[str, ...]
    mapping: Mapping[str, str]


@dataclass(frozen=True)
class RawTable:
    """Rows as they stand in the file; a cell of JSON may be any value, a cell of text is a string."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]] | Sequence[Mapping[str, Any]]
    lines: Sequence[int]
    has_header: bool
    is_json: bool
    remarks: tuple[Remark, ...] = ()

    def column(self, name: str) -> list[Any]:
        """The cells of one column, None where a row has none."""
        if self.is_json:
            return [row.get(name) for row in self.rows]  # type: ignore[union-attr]
        place = self.columns.index(name)
        return [row[place] for row in self.rows]  # type: ignore[index]


def text_column(cells: Sequence[Any]) -> list[str | None]:
    """Cells as text: JSON numbers as written, lists of texts joined by line breaks, other JSON values as JSON."""
    return [cell if cell is None or type(cell) is str else _as_text(cell) for cell in cells]


def excerpt(value: object, length: int = 60) -> str:
    """A value short enough for a message of one line."""
    line = " ".join(str(value).split())
    return line if len(line) <= length else line[: length - 3] + "..."


def read_raw(
    content: bytes,
    name: str,
    *,
    encoding: str | None = None,
    is_header: Callable[[Sequence[str]], bool] = lambda _: True,
    progress: Progress | None = None,
) -> RawTable:
    """Read CSV, TSV, semicolon or bar separated text, JSONL or a JSON list; the format is told by the content.

    Parameters
    ----------
    content, name : bytes, str
        The file, plain or gzip, and what messages call it.
    encoding : str, optional
        Named by a person; else a byte order mark, UTF-8, or CP949 where it can be nothing else.
    is_header : callable
        Whether a first row of text is a header; where it is not, columns are called "column 1" and so on.
    progress : callable, optional
        Called with rows read and an upper bound of rows in all.

    Raises
    ------
    InputError, InputErrors
        Empty, not text, another encoding, a row with more or fewer fields than the header, a line that is no JSON object.
    """
    decoded = decode(content, name, encoding)
    remarks: list[Remark] = []
    if decoded.guessed:
        text = f"the file is not UTF-8 and was read as {decoded.encoding.upper()}"
        remarks.append(Remark("encoding_guessed", 1, text))
    start = decoded.text.lstrip()[:1]
    if start in ("{", "["):
        rows, lines = _json_rows(decoded.text, name, start, progress)
        columns = tuple(dict.fromkeys(key for row in rows for key in row))
        return RawTable(name, columns, rows, lines, has_header=True, is_json=True, remarks=tuple(remarks))
    return _delimited(decoded.text, name, is_header, progress, remarks)


def _as_text(cell: Any) -> str:
    if isinstance(cell, list) and all(isinstance(part, str) for part in cell):
        return "\n".join(cell)
    return json.dumps(cell, ensure_ascii=False) if not isinstance(cell, str) else cell


def _json_rows(text: str, name: str, start: str, progress: Progress | None) -> tuple[list[dict[str, Any]], list[int]]:
    # Numbers are kept as they are written, so that an id of 19 digits or 1.0 comes through byte for byte.
    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    if start == "[":
        return _json_list(text, name, decoder)
    whole = _whole_object(text, decoder)
    if whole is not None:
        return [whole], [1]
    faults = Faults()
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    written = text.split("\n")  # not splitlines, which also breaks at U+2028 inside a JSON text
    for number, line in enumerate(written, start=1):
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(number, len(written))
        if not (line := line.strip()):
            continue
        try:
            row, end = decoder.raw_decode(line)
        except json.JSONDecodeError as error:
            faults.add(
                name, number, "a JSON object on one line", f"{error.msg} at place {error.colno}: {excerpt(line)}"
            )
            continue
        if type(row) is not dict or end != len(line):
            faults.add(name, number, "one JSON object on the line and nothing else", excerpt(line))
            continue
        if _has_half_characters(row, line):
            faults.add(name, number, "whole characters", f"half of one (a lone surrogate): {excerpt(line)}")
            continue
        rows.append(row)
        lines.append(number)
    faults.raise_if_any()
    return rows, lines


def _whole_object(text: str, decoder: json.JSONDecoder) -> dict[str, Any] | None:
    """The one object that a file holds over several lines; None where its first line is an object of its own, or it is no JSON."""
    first = text.lstrip().split("\n", 1)[0]
    for part in (first, text):
        try:
            row = decoder.decode(part.strip())
        except json.JSONDecodeError:
            continue
        return row if part is text and type(row) is dict and not _has_half_characters(row, text) else None
    return None


def _json_list(text: str, name: str, decoder: json.JSONDecoder) -> tuple[list[dict[str, Any]], list[int]]:
    """The objects of a JSON list, each with the line where it begins."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    line, counted = 1, 0
    place = _after_blanks(text, text.index("[") + 1)
    while text[place : place + 1] != "]":
        line, counted = line + text.count("\n", counted, place), place
        try:
            row, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise InputError(
                name, error.lineno, "a JSON list of objects", f"{error.msg} at place {error.colno}"
            ) from error
        if type(row) is not dict:
            raise InputError(name, line, "a JSON object in the list", excerpt(row))
        if _has_half_characters(row, text[counted:place]):
            raise InputError(name, line, "whole characters", "half of one (a lone surrogate)")
        rows.append(row)
        lines.append(line)
        place = _after_blanks(text, place)
        if text[place : place + 1] == ",":
            place = _after_blanks(text, place + 1)
        elif text[place : place + 1] != "]":
            found = excerpt(text[place : place + 40]) or "the end of the file"
            raise InputError(name, text.count("\n", 0, place) + 1, "a comma or the end of the list", found)
    rest = _after_blanks(text, place + 1)
    if not rows or rest < len(text):
        found = excerpt(text[rest : rest + 40]) if rows else "an empty list"
        raise InputError(name, None, "one JSON list of objects and nothing else", found)
    return rows, lines


def _has_half_characters(row: Any, written: str) -> bool:
    """Whether an escape of half a character stands alone: no file and no database can hold what it means."""
    if "\\ud" not in written.lower():
        return False
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _after_blanks(text: str, place: int) -> int:
    return _BLANKS.match(text, place).end()  # type: ignore[union-attr] # it matches the empty text too


def _delimited(
    text: str, name: str, is_header: Callable[[Sequence[str]], bool], progress: Progress | None, remarks: list[Remark]
) -> RawTable:
    delimiter = _delimiter(text)
    quoted = delimiter != "\t" or _quotes_mean_quotes(text, name, remarks)
    records = _records(text, name, delimiter, quoted=quoted)
    _, first = next(records)
    header = [cell.strip().strip("\ufeff\u200b") for cell in first]
    has_header = is_header(header)
    while len(header) > 1 and not header[-1] and has_header:
        header.pop()
    columns = [cell if has_header and cell else f"column {place}" for place, cell in enumerate(header, start=1)]
    twice = [column for column, count in Counter(columns).items() if count > 1]
    if twice:
        raise InputError(name, 1, "column names that differ", f"{excerpt(twice[0])} twice")
    rows: list[Sequence[str]] = [] if has_header else [first]
    lines = [] if has_header else [1]
    _read_records(records, name, len(columns), rows, lines, progress, text.count("\n") if progress else 0)
    if not rows:
        raise InputError(name, None, "rows below the header", "none")
    return RawTable(name, tuple(columns), rows, lines, has_header, is_json=False, remarks=tuple(remarks))


def _read_records(
    records: Iterator[tuple[int, list[str]]],
    name: str,
    width: int,
    rows: list[Sequence[str]],
    lines: list[int],
    progress: Progress | None,
    total: int,
) -> None:
    faults = Faults()
    for line, record in records:
        if progress is not None and len(rows) % _PROGRESS_EVERY == 0:
            progress(len(rows), max(total, len(rows)))
        if len(record) > width and not any(record[width:]):
            record = record[:width]  # noqa: PLW2901 - a spreadsheet's empty cells to the right
        if len(record) != width:
            faults.add(name, line, f"{width} fields, as in line 1", f"{len(record)}: {excerpt(record)}")
            continue
        rows.append(record)
        lines.append(line)
    faults.raise_if_any()


def _records(text: str, name: str, delimiter: str, *, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with the number of the line where each begins."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(name, line, "fields with closed quotes", str(error)) from error
        if record and (len(record) > 1 or record[0].strip()) and any(record):
            yield line, record


def _delimiter(text: str) -> str:
    """The separator that splits most of the first lines into as many fields as the first one; tabs before commas."""
    head = text.lstrip("\r\n")[:65536]
    best, best_share = ",", 0.0
    for delimiter, quoting in _SEPARATIONS:
        widths: list[int] = []
        try:
            reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, quoting=quoting)
            widths = [len(record) for record in islice(filter(None, reader), 30)]
        except csv.Error:
            continue
        # A comma that each query happens to hold must not win over the tabs, so more fields are no argument.
        share = sum(width == widths[0] for width in widths) / len(widths) if widths and widths[0] > 1 else 0.0
        if share > best_share:
            best, best_share = delimiter, share
    return best


def _quotes_mean_quotes(text: str, name: str, remarks: list[Remark]) -> bool:
    """Whether a tab separated file quotes its fields as a spreadsheet does, or its quotes are the texts' own."""
    starts = len(_QUOTE_AT_START.findall(text))
    if not starts:
        return False
    fields = [match.group(1) for match in _QUOTED_TAB_FIELD.finditer(text)]
    if len(fields) == starts and any(letter in field for field in fields for letter in '",\t\n'):
        return True
    text = f"{name}: quotes at the start of {starts} fields were kept as part of the text"
    remarks.append(Remark("quotes_kept", starts, text))
    return False
