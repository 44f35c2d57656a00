"""A release as one zip archive: the same files give the same bytes on every machine; read back with its hashes checked.

Knows bytes and names; no database, no path.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from labeling.errors import InputError
from metrics import read_qrels

__all__ = ["MANIFEST", "QRELS", "TABLE", "Archive", "open_archive", "pack_files"]

MANIFEST, QRELS, TABLE = "manifest.json", "qrels.txt", "consolidated.csv"


@dataclass(frozen=True)
class Archive:
    """What an archive holds: its files by their names, and its manifest."""

    name: str
    files: Mapping[str, bytes]
    manifest: Mapping[str, Any]

    def qrels(self) -> pd.DataFrame:
        """Its qrels: query_id, doc_id, relevance; empty where no pair has a grade.

        An archive whose ids have no place in TREC's format holds them in its table alone.
        """
        if QRELS not in self.files:
            table = pd.read_csv(io.BytesIO(self.files[TABLE]), dtype=str, keep_default_na=False)
            graded = table.loc[table["relevance"] != "", ["query_id", "doc_id", "relevance"]]
            return graded.astype({"relevance": "int64"}).reset_index(drop=True)
        if not self.files[QRELS].strip():
            return pd.DataFrame({"query_id": [], "doc_id": [], "relevance": []}).astype({"relevance": "int64"})
        return read_qrels(self.files[QRELS], name=f"{self.name}/{QRELS}").table


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Files in one zip archive, the same bytes each time; stored as they are, as compressors differ between machines."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # as on Unix, wherever it is made
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def open_archive(content: bytes, name: str) -> Archive:
    """Read an archive that pack_files made, and check every file against the manifest's hash.

    Raises
    ------
    InputError
        No zip archive; no manifest or qrels; a file that the manifest does not name, or whose bytes are others than it says.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {one.filename: archive.read(one) for one in archive.infolist() if not one.is_dir()}
    except Exception as error:
        raise InputError(name, None, "a release as a zip archive", str(error)) from error
    for needed in (MANIFEST, TABLE if TABLE in files else QRELS):
        if needed not in files:
            raise InputError(name, None, f"a release with {needed}", f"{len(files)} files without it")
    try:
        manifest = json.loads(files[MANIFEST])
        told = {file: str(entry["sha256"]) for file, entry in manifest["files"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(name, None, f"{MANIFEST} with files and their SHA-256", str(error) or "none") from error
    _check(name, {file: data for file, data in files.items() if file != MANIFEST}, told)
    return Archive(name, files, manifest)


def _check(name: str, files: Mapping[str, bytes], told: Mapping[str, str]) -> None:
    if set(files) != set(told):
        odd = sorted(set(files) ^ set(told))
        raise InputError(name, None, f"the files that {MANIFEST} names", f"{len(odd)} more or fewer, such as {odd[0]}")
    for file, data in files.items():
        found = hashlib.sha256(data).hexdigest()
        if found != told[file]:
            raise InputError(name, None, f"{file} with SHA-256 {told[file]}", found)
