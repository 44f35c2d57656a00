"""Qrels and runs as JSON: {query: {document: value}} of pytrec_eval and ranx, or one JSON object a line.

Knows JSON and nothing of what the values mean.
"""

import json
from typing import Any

from metrics._layout import NAMES
from metrics._lines import Rows
from metrics.errors import InputError

_MAY_LACK = {"rank", "tag", "kind", "is_vote", "surplus"}

__all__ = ["is_json", "read_json_lines", "read_json_qrels", "read_json_run"]


class _RepeatedKey(Exception):  # carries a key, never leaves this file
    pass


def is_json(text: bytes) -> bool:
    """Whether the text begins as a JSON object does."""
    return text.lstrip()[:1] == b"{"


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKey(key)
            seen.add(key)
    return found


def read_json_qrels(text: bytes, source: str) -> Rows:
    """The rows of qrels, values as text."""
    return _read(text, source, "qrels", "relevance")


def read_json_run(text: bytes, source: str) -> Rows:
    """The rows of a run, values as text."""
    return _read(text, source, "run", "score")


def _read(text: bytes, source: str, kind: str, value: str) -> Rows:
    try:
        content = json.loads(text, object_pairs_hook=_no_key_twice)
    except _RepeatedKey as fault:
        raise InputError(source, None, "each query and document once", f"the key {str(fault)!r} twice") from None
    except ValueError as fault:
        first = text.lstrip().split(b"\n", 1)[0]
        try:
            json.loads(first)
        except ValueError:
            line = getattr(fault, "lineno", None)
            raise InputError(source, line, "JSON", str(fault)) from None
        return read_json_lines(text, source, kind)
    if content and all(not isinstance(entry, dict) for entry in content.values()):
        return read_json_lines(text, source, kind)
    fields: dict[str, list[str]] = {"query_id": [], "doc_id": [], value: []}
    for query_id, documents in content.items():
        if not isinstance(documents, dict):
            raise InputError(source, None, "{query: {document: value}}", f"{documents!r:.60} for query {query_id!r}")
        for doc_id, entry in documents.items():
            if isinstance(entry, bool) or not isinstance(entry, int | float):
                raise InputError(
                    source, None, f"a number for query {query_id!r}, document {doc_id!r}", f"{entry!r:.60}"
                )
            fields["query_id"].append(query_id)
            fields["doc_id"].append(doc_id)
            fields[value].append(repr(entry))
    if not fields["query_id"]:
        raise InputError(source, None, "at least one pair", "none")
    return Rows(fields, list(range(1, len(fields["query_id"]) + 1)), (), 0, 0)


def read_json_lines(text: bytes, source: str, kind: str) -> Rows:
    """One JSON object a line, its keys named as the columns of a CSV may be."""
    fields: dict[str, list[str]] = {}
    lines: list[int] = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError as fault:
            raise InputError(source, number, "one JSON object", str(fault)) from None
        if not isinstance(entry, dict):
            raise InputError(source, number, "one JSON object", f"{entry!r:.60}")
        plain = {str(key).lower(): value for key, value in entry.items()}
        for role, names in NAMES[kind].items():
            key = next((name for name in names if name in plain), None)
            # a typed row that is no grade (cannot_judge, skip) may well lack the key
            typed = role == "relevance" and plain.get("kind", "grade") != "grade"
            if key is None and role not in _MAY_LACK and not typed:
                said = "grade" if role == "relevance" else role
                raise InputError(source, number, f"a key for the {said}", f"the keys {', '.join(plain)}")
            value = None if key is None else plain[key]
            if key is not None or role in fields:
                column = fields.setdefault(role, [""] * len(lines))
                column.append("" if value is None else str(value))
            elif typed:
                fields[role] = [""] * (len(lines) + 1)
        lines.append(number)
    return Rows(fields, lines, (), 0, 0)
