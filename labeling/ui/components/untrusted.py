"""Text that others wrote (documents, queries, comments, names), shown as the text it is.

Knows no page. Markdown-like calls and widget labels alter such text and fetch its images; these helpers never do.
"""

import html
import unicodedata

import streamlit as st

from labeling.ui.texts import _

__all__ = ["LONGEST", "as_html", "option_label", "plain_label", "show_inline", "show_text"]

LONGEST = 200_000  # characters; above this the browser takes seconds to paint
_BLOCK = "white-space:pre-wrap;overflow-wrap:anywhere;word-break:keep-all;unicode-bidi:isolate;tab-size:4"
_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])


def as_html(text: str) -> str:
    """The text for use within markup that the program itself writes."""
    return html.escape(text, quote=True).replace("\x00", "\N{REPLACEMENT CHARACTER}")


def show_text(text: str, *, height: int | None = None) -> None:
    """A block of text with its line breaks, from left or right as its script wants; a line under it says what is cut.

    Parameters
    ----------
    height : int, optional
        Pixels; longer text scrolls inside.
    """
    style = _BLOCK if height is None else f"{_BLOCK};max-height:{int(height)}px;overflow-y:auto"
    st.html(f'<div dir="auto" style="{style}">{as_html(text[:LONGEST])}</div>')
    if len(text) > LONGEST:
        shown, everything = f"{LONGEST:,}", f"{len(text):,}"
        st.caption(_("The first {shown} of {all} characters.", shown=shown, all=everything))


def show_inline(text: str, *, before: str = "", strong: bool = False) -> None:
    """One line of text, with a few of the program's own words before it."""
    tag = "strong" if strong else "span"
    lead = f"{as_html(before)} " if before else ""
    st.html(
        f'<div style="overflow-wrap:anywhere;word-break:keep-all">{lead}<{tag}><bdi>{as_html(text)}</bdi></{tag}></div>'
    )


def option_label(text: str, *, longest: int = 80) -> str:
    """Text as an option of a select box, which reads no markdown: one line, not too long.

    Control characters and direction overrides are left out.
    """
    line = " ".join(
        "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in text.translate(_BIDI)).split()
    )
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def plain_label(text: str, *, longest: int = 80) -> str:
    """Text that is safe in the label of a widget and in messages: as option_label, with markdown off.

    Every sign that markdown could take for its own is escaped.
    """
    line = option_label(text, longest=longest)
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()<>#+-.!|~$:^=&/@\"'" else sign for sign in line)
