"""Messages in the reader's language, from compiled gettext catalogues.

Knows no Streamlit and no request: whoever asks says the language.
"""

import gettext
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

__all__ = ["DEFAULT_LANGUAGE", "LANGUAGES", "best_language", "known_language", "mark", "translate", "translate_plural"]

DEFAULT_LANGUAGE = "en"
LANGUAGES = {"en": "English", "ko": "한국어"}  # each named by itself, as a reader looks for it
CATALOGUES = Path(__file__).resolve().parent / "ui" / "locale"


@lru_cache(maxsize=len(LANGUAGES) + 1)
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation("assay", str(CATALOGUES), languages=[language], fallback=True)


def translate(language: str, message: str, **values: object) -> str:
    """The message in the language, English where it has none; placeholders are filled after translation.

    Without values the placeholders stay as they stand, for a page that fills them itself.
    """
    text = _catalogue(language).gettext(message) if message else ""
    return text.format(**values) if values else text


def translate_plural(language: str, one: str, many: str, count: int, **values: object) -> str:
    """The form of the message that the language wants for the count, which is also the value ``{count}``."""
    return _catalogue(language).ngettext(one, many, count).format(count=count, **values)


def mark(message: str) -> str:
    """Mark a message for the catalogues where it is defined in one place and translated in another."""
    return message


def known_language(tag: str | None) -> str | None:
    """The language of a tag such as ``ko-KR``, or None where Assay does not speak it."""
    base = (tag or "").replace("_", "-").split("-", 1)[0].strip().lower()
    return base if base in LANGUAGES else None


def best_language(*choices: str | None, accept: str = "") -> str:
    """The first choice that Assay speaks, then the best of an ``Accept-Language`` header, then English."""
    for choice in choices:
        language = known_language(choice)
        if language:
            return language
    for tag in _by_preference(accept):
        language = known_language(tag)
        if language:
            return language
    return DEFAULT_LANGUAGE


def _by_preference(accept: str) -> Sequence[str]:
    weighed = []
    for part in accept.split(","):
        tag, _, parameter = part.partition(";")
        name, _, value = parameter.partition("=")
        try:
            weight = float(value) if name.strip() == "q" else 1.0
        except ValueError:
            weight = 0.0
        weighed.append((weight, tag.strip()))
    return [tag for weight, tag in sorted(weighed, key=lambda pair: -pair[0]) if weight > 0]
