"""What consolidate writes: qrels and their manifest, both or neither.

Knows bytes and paths; the numbers come from elsewhere.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labeling.aggregation import Consolidation
from labeling.commands.inputs import CommandVotes
from labeling.errors import AssayError, InputError
from labeling.exchange.tables import LeftOut
from labeling.exchange.writing import describe_tool
from metrics import parse_measure

__all__ = ["build_manifest", "write_folder", "write_together"]


def build_manifest(
    given: CommandVotes, found: Consolidation, inputs: Sequence[Mapping[str, Any]], output: str, qrels: bytes
) -> bytes:
    """Everything that stands behind a set of qrels; holds no time and no folder, so that same inputs give same bytes."""
    manifest = {
        "qrels": {"file": Path(output).name, "sha256": hashlib.sha256(qrels).hexdigest(), "lines": qrels.count(b"\n")},
        "tool": describe_tool(),
        "definition": dict(found.definition),
        "counts": dict(found.counts),
        "raters": {str(rater): int(votes) for rater, votes in given.votes["rater"].value_counts().sort_index().items()},
        "inputs": [dict(one) for one in inputs],
        "choices": dict(given.choices),
        "left_out": {note.reason: note.count for note in given.notes if isinstance(note, LeftOut)},
        "remarks": {note.kind: note.count for note in given.notes if not isinstance(note, LeftOut)},
        "measures": [parse_measure("nDCG@10").definition()],
    }
    return (json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False) + "\n").encode()


def write_folder(folder: str, files: Mapping[str, bytes]) -> None:
    """Files under a folder, which is made with those within it; all of them or none."""
    places = {Path(folder) / name: content for name, content in files.items()}
    try:
        for place in places:
            place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(f"{folder}: expected a folder to write to, found none: {error.strerror}") from error
    write_together({str(place): content for place, content in places.items()})


def write_together(contents: Mapping[str, bytes]) -> None:
    """Write all files or none: each beside its place first, then all moved there; InputError where that cannot be done."""
    written: list[tuple[str, Path]] = []
    try:
        for target, content in contents.items():
            place = Path(target)
            if place.is_dir():
                raise InputError(target, None, "a file to write to", "a folder")
            handle, beside = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
            written.append((beside, place))
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            Path(beside).chmod(0o666 & ~_mask())
        for beside, place in written:
            Path(beside).replace(place)
    except OSError as error:
        raise AssayError(f"{error.filename or next(iter(contents))}: cannot be written: {error.strerror}") from error
    finally:
        for beside, _ in written:
            Path(beside).unlink(missing_ok=True)


def _mask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
