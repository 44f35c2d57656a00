"""Bytes to text, never to the wrong letters in silence: gzip by content, byte order marks, UTF-8, CP949 where it is sure.

Knows no format; what the text means is read elsewhere.
"""

import codecs
import gzip
import unicodedata
import zlib
from dataclasses import dataclass

from labeling.errors import InputError

__all__ = ["Decoded", "decode"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose little-endian mark begins it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = {
    b"PK\x03\x04": "a zip archive or a spreadsheet (.xlsx)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls)",
    b"PAR1": "a Parquet file",
    b"%PDF": "a PDF",
    b"\x28\xb5\x2f\xfd": "a Zstandard archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
}


@dataclass(frozen=True)
class Decoded:
    """The text, and the encoding that it was read in; guessed where no mark and no person named it."""

    text: str
    encoding: str
    guessed: bool


def decode(content: bytes, name: str, encoding: str | None = None) -> Decoded:
    """Read bytes as text; InputError where they are empty, no text, or in an encoding that a person must name."""
    content = _unpacked(content, name)
    for mark, what in _NOT_TEXT.items():
        if content.startswith(mark):
            raise InputError(name, None, "text (CSV, TSV, JSONL or TREC)", what)
    decoded = _decoded(content, name, encoding)
    if not decoded.text.strip():
        raise InputError(name, None, "rows", "an empty file")
    nul = decoded.text.find("\0")
    if nul >= 0:
        line = decoded.text.count("\n", 0, nul) + 1
        raise InputError(name, line, "text", "NUL characters (UTF-16 without a byte order mark? name the encoding)")
    return decoded


def _unpacked(content: bytes, name: str) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        try:
            return gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(name, None, "a whole gzip file", f"a damaged one ({error})") from error
    if not content and name.endswith(".gz"):
        raise InputError(name, None, "a gzip file with rows", "an empty file of 0 bytes")
    return content


def _decoded(content: bytes, name: str, encoding: str | None) -> Decoded:
    if encoding is not None:
        return _as_named(content, name, encoding)
    for mark, marked in _MARKS:
        if content.startswith(mark):
            return _as_named(content, name, marked)
    try:
        return Decoded(content.decode("utf-8"), "utf-8", guessed=False)
    except UnicodeDecodeError as error:
        korean = _korean(content)
        if korean is not None:
            return Decoded(korean, "cp949", guessed=True)
        raise _undecodable(content, name, error, "UTF-8") from error


def _as_named(content: bytes, name: str, encoding: str) -> Decoded:
    try:
        text = content.decode(encoding)
    except LookupError as error:
        raise InputError(name, None, "a known encoding, such as utf-8, cp949 or latin-1", encoding) from error
    except UnicodeDecodeError as error:
        raise _undecodable(content, name, error, encoding.upper()) from error
    return Decoded(text.removeprefix("\ufeff"), encoding, guessed=False)


def _undecodable(content: bytes, name: str, error: UnicodeDecodeError, expected: str) -> InputError:
    before = content[: error.start]
    line = before.count(b"\n") + 1
    place = error.start - (before.rfind(b"\n") + 1) + 1
    found = f"byte 0x{content[error.start]:02X} at place {place}; name the file's encoding, such as cp949 or latin-1"
    return InputError(name, line, f"{expected} text", found)


def _korean(content: bytes) -> str | None:
    """The text in CP949 where nothing else than Korean can be meant: every other letter would say that it is a guess."""
    try:
        text = content.decode("cp949")
    except UnicodeDecodeError:
        return None
    other = [letter for letter in text if not letter.isascii()]
    hangul = sum(1 for letter in other if "\uac00" <= letter <= "\ud7a3")
    readable = all(_may_stand_in_korean(letter) for letter in set(other))
    return text if other and readable and 2 * hangul >= len(other) else None


def _may_stand_in_korean(letter: str) -> bool:
    if "\uac00" <= letter <= "\ud7a3" or "\u3131" <= letter <= "\u318e":
        return True
    return unicodedata.category(letter)[0] in "PSNZ" or unicodedata.name(letter, "").startswith("CJK ")
