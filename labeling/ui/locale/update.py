"""Catalogues from the messages in the code: `python labeling/ui/locale/update.py`, with `--check` only looking.

Knows no page: it reads calls of `_`, `_n`, `mark`, `translate` and `translate_plural` anywhere under labeling.
"""

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

__all__ = ["LANGUAGES", "collect", "compiled", "merged", "stale", "written"]

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER.parents[1]
LANGUAGES = ("ko",)  # English stands in the code
KEYWORDS = {"_": None, "mark": None, "_n": (1, 2), "translate": (2,), "translate_plural": (2, 3)}
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)  # a date would change the file without any change of words


def collect() -> Catalog:
    """All messages of the code, each with the files it stands in."""
    with (FOLDER / "babel.cfg").open(encoding="utf-8") as settings:
        methods, options = parse_mapping_cfg(settings)  # type: ignore[no-untyped-call]
    catalog = Catalog(project="Assay", creation_date=NO_DATE, revision_date=NO_DATE)
    with contextlib.redirect_stderr(io.StringIO()):  # it warns of values that are f-strings; a test looks at messages
        found = list(extract_from_dir(PACKAGE, methods, options, keywords=KEYWORDS, comment_tags=("Translators:",)))
    for file, _line, message, comments, context in found:
        catalog.add(message, None, [(f"{PACKAGE.name}/{file}", 0)], auto_comments=comments, context=context)
    return catalog


def merged(language: str, messages: Catalog) -> Catalog:
    """The language's catalogue brought up to the messages of the code; translations that fit are kept, never guessed."""
    path = _path(language, "po")
    catalog = Catalog(locale=language)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=language)
    catalog.update(messages, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    catalog.project, catalog.version, catalog.fuzzy = "Assay", "", False
    catalog.last_translator = catalog.language_team = catalog.msgid_bugs_address = "Assay"
    catalog.creation_date = catalog.revision_date = NO_DATE
    catalog.header_comment = f"# The words of Assay in {catalog.locale.english_name if catalog.locale else language}."
    return catalog


def written(catalog: Catalog) -> bytes:
    """The catalogue as people edit it."""
    file = io.BytesIO()
    write_po(file, catalog, width=120, sort_output=True, include_lineno=False, omit_header=False)
    return file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def stale() -> Iterator[str]:
    """A line for each catalogue that the code has left behind."""
    messages = collect()
    for language in LANGUAGES:
        catalog = merged(language, messages)
        for suffix, content in (("po", written(catalog)), ("mo", compiled(catalog))):
            path = _path(language, suffix)
            if not path.exists() or path.read_bytes() != content:
                yield f"{path.relative_to(PACKAGE.parent)}: expected the messages of the code, found older ones"


def _path(language: str, suffix: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"assay.{suffix}"


def main() -> int:
    """Bring the catalogues up to date, or say which are not."""
    parser = argparse.ArgumentParser(description="Bring the catalogues up to the messages in the code.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where a catalogue is stale")
    if parser.parse_args().check:
        faults = list(stale())
        sys.stderr.writelines(f"{fault}\n" for fault in faults)
        return 1 if faults else 0
    messages = collect()
    for language in LANGUAGES:
        catalog = merged(language, messages)
        missing = sum(1 for message in catalog if message.id and not message.string)
        _path(language, "po").parent.mkdir(parents=True, exist_ok=True)
        _path(language, "po").write_bytes(written(catalog))
        _path(language, "mo").write_bytes(compiled(catalog))
        sys.stderr.write(f"{language}: {len(catalog)} messages, {missing} without words\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
