"""Tables and values to bytes that are the same each time: qrels, CSV, JSON lines, JSON; and what a file is, in a manifest.

Knows bytes and tables; no database, no path.
"""

import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from importlib import metadata as packages
from typing import Any
from urllib.parse import quote

import pandas as pd

from labeling.errors import InputError
from metrics import write_qrels

__all__ = [
    "base_name",
    "csv_bytes",
    "describe_file",
    "describe_tool",
    "find_id_without_trec",
    "json_bytes",
    "jsonl_bytes",
    "qrels_bytes",
    "safe_file_name",
    "table_rows",
]


_LONGEST_NAME = 200  # bytes; file systems take 255, with the ending
_UNSAFE = re.compile(r'[%/\\:*?"<>|\x00-\x1f]')


def qrels_bytes(qrels: pd.DataFrame) -> bytes:
    """Qrels in TREC's four columns, in byte order.

    Raises
    ------
    InputError
        An id that TREC's format cannot carry: empty, with a blank, or with a NUL character.
    """
    for column in ("query_id", "doc_id"):
        with_nul = [one for one in qrels[column] if "\0" in one]
        if with_nul:
            raise InputError("qrels", None, f"a {column} without NUL characters", ascii(with_nul[0]))
    target = io.BytesIO()
    write_qrels(qrels, target)
    return target.getvalue()


def find_id_without_trec(table: pd.DataFrame) -> str | None:
    """The first query_id or doc_id that TREC's format cannot carry, as qrels_bytes says; None where it carries all."""
    ids = pd.concat([table["query_id"], table["doc_id"]]).unique().tolist()
    return next((one for one in ids if "\0" in one or one.split() != [one]), None)


def csv_bytes(table: pd.DataFrame) -> bytes:
    """A table as CSV with a header, lines ended as on Unix."""
    return table.to_csv(index=False, lineterminator="\n").encode()


def jsonl_bytes(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """One JSON object a line, its keys in the order given."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()


def json_bytes(value: Any) -> bytes:
    """A value as JSON that people read."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def table_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as plain values, None where there is none."""
    columns = {str(name): [_plain(value) for value in table[name].tolist()] for name in table.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def safe_file_name(name: str) -> str:
    """A name that every system takes for a file: what has a meaning in paths is written as %XX, what is too long is cut."""
    safe = _UNSAFE.sub(lambda found: quote(found.group(), safe=""), name)
    safe = f"%2E{safe[1:]}" if safe.startswith(".") else safe
    if len(safe.encode()) <= _LONGEST_NAME:
        return safe
    kept = safe.encode()[: _LONGEST_NAME - 20].decode(errors="ignore")
    return f"{kept}~{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def base_name(name: str) -> str:
    """A file's name without the folders of the machine that it came from."""
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def describe_file(name: str, content: bytes) -> dict[str, Any]:
    """What a file is: its name without folders, its SHA-256, its size."""
    return {
        "file": base_name(name),
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
    }


def describe_tool() -> dict[str, str]:
    """The name and version of this program."""
    try:
        version = packages.version("assay")
    except packages.PackageNotFoundError:
        version = "0.1.0"
    return {"name": "Assay", "version": version}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | list | dict):
        return value
    return None if pd.isna(value) else value
