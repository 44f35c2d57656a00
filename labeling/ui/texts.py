"""The words on the screen, in the language of the person who looks at it.

Knows who asks through Streamlit's session; the catalogues themselves stand in labeling.i18n.
"""

import streamlit as st

from labeling.i18n import best_language, translate, translate_plural

__all__ = ["_", "_n", "choose_language", "current_language", "use_account_language"]

_ACCOUNT = "assay_account_language"
_SESSION = "assay_session_language"


def use_account_language(language: str | None) -> None:
    """Remember, for this run, what the signed-in person has chosen in their account."""
    st.session_state[_ACCOUNT] = language


def choose_language(language: str) -> None:
    """Show this session in a language, where the account has no choice of its own."""
    st.session_state[_SESSION] = language


def current_language() -> str:
    """The account's choice, else the session's, else the browser's, else English."""
    return best_language(st.session_state.get(_ACCOUNT), st.session_state.get(_SESSION), st.context.locale)


def _(message: str, **values: object) -> str:
    """The message in the reader's language; never kept in a constant or a cache, as readers differ."""
    return translate(current_language(), message, **values)


def _n(one: str, many: str, count: int, **values: object) -> str:
    """The right form of a message for a count, which is also the value ``{count}``."""
    return translate_plural(current_language(), one, many, count, **values)
