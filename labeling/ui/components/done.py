"""What an act did, told on the page that is drawn after it.

Knows words only.
"""

import streamlit as st

__all__ = ["keep_done", "say_done"]

_DONE = "assay_done"


def keep_done(words: str) -> None:
    """Keep what was done for the page that is drawn next."""
    st.session_state[_DONE] = words


def say_done() -> None:
    """What the last act did, once."""
    words = st.session_state.pop(_DONE, None)
    if words:
        st.success(words, icon=":material/check:")
