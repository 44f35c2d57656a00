"""One column of a queries table, for means by slice.

Knows CSV and TSV with a header; nothing of scores.
"""

import csv
import io

import pandas as pd

from metrics._layout import QUERY_NAMES
from metrics._source import Source, load_source
from metrics.errors import InputError

__all__ = ["read_slices"]


def read_slices(source: Source, column: str, *, name: str | None = None) -> pd.DataFrame:
    """Read query_id and one further column of a CSV or TSV with a header.

    Raises
    ------
    InputError
        When the header lacks one of them, or a line has another number of fields.
    """
    text, called = load_source(source, name)
    first = text.split(b"\n", 1)[0].decode()
    separator = max("\t,;", key=first.count)
    rows = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=separator)
    header = next(rows)
    plain = [field.strip().lower() for field in header]
    key = next((plain.index(known) for known in QUERY_NAMES if known in plain), None)
    if key is None or column not in header:
        raise InputError(called, 1, f"the columns query_id and {column}", ", ".join(header))
    wanted = header.index(column)
    found = []
    for parts in rows:
        if not any(parts):
            continue
        if len(parts) != len(header):
            raise InputError(called, rows.line_num, f"{len(header)} fields, as in the header", f"{len(parts)}")
        found.append((parts[key], parts[wanted]))
    return pd.DataFrame(found, columns=["query_id", column]).astype("str")
