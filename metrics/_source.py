"""Bytes of an input, from wherever they come, as UTF-8 text with no byte-order mark.

Knows compression and encodings; nothing of what the text says.
"""

import codecs
import gzip
import io
import re
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from metrics.errors import InputError

__all__ = ["Source", "load_source", "stem_of"]

Source = str | Path | bytes | BinaryIO

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SUFFIXES = re.compile(r"(\.(gz|gzip))?$", re.IGNORECASE)


def load_source(source: Source, name: str | None) -> tuple[bytes, str]:
    r"""The content as UTF-8 bytes with ``\n`` line ends, and the name for messages.

    Raises
    ------
    InputError
        When it cannot be read, is a damaged gzip, is no UTF-8 or marked UTF-16 or UTF-32 text, or is empty.
    """
    raw, called = _read_bytes(source, name)
    if raw[:2] == b"\x1f\x8b":
        raw = _unpack(raw, called)
    text = _decode(raw, called)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not text[:4096].strip() and not text.strip():
        raise InputError(called, None, "at least one line of text", "an empty file")
    return text, called


def _read_bytes(source: Source, name: str | None) -> tuple[bytes, str]:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), name or "input"
    if isinstance(source, str | Path):
        if str(source) == "-":
            return sys.stdin.buffer.read(), name or "standard input"
        path = Path(source)
        if path.is_dir():
            raise InputError(name or str(source), None, "a file", "a directory")
        try:
            return path.read_bytes(), name or str(source)
        except OSError as fault:
            reason = fault.strerror or str(fault)
            raise InputError(name or str(source), None, "a file that can be read", reason.lower()) from fault
    return source.read(), name or str(getattr(source, "name", "input"))


def _unpack(raw: bytes, called: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
            return packed.read()
    except (OSError, EOFError, zlib.error) as fault:
        raise InputError(called, None, "a whole gzip file", f"a damaged one ({fault})") from fault


def _decode(raw: bytes, called: str) -> bytes:
    for mark, encoding in _WIDE_MARKS:
        if raw.startswith(mark):
            try:
                return raw.decode(encoding).encode()
            except UnicodeError as fault:
                raise InputError(
                    called, None, f"{encoding.upper()} text, as its first bytes say", str(fault)
                ) from fault
    if raw.startswith(codecs.BOM_UTF8):
        raw = raw[3:]
    if b"\x00" in raw:
        line = raw[: raw.index(b"\x00")].count(b"\n") + 1
        raise InputError(called, line, "text in UTF-8", "a zero byte (a binary file, or UTF-16 without its mark)")
    if not raw.isascii():
        try:
            raw.decode()
        except UnicodeDecodeError as fault:
            line = raw[: fault.start].count(b"\n") + 1
            raise InputError(
                called, line, "text in UTF-8 (save the file as UTF-8 and try again)", f"byte 0x{raw[fault.start]:02X}"
            ) from fault
    return raw


def stem_of(name: str) -> str:
    """A file's name without folders, ``.gz`` and the last suffix, for runs that do not say their tag."""
    bare = _SUFFIXES.sub("", Path(name).name)
    return Path(bare).stem or bare or name
