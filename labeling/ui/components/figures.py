"""A row of figures, as many beside each other as the window has room for.

Knows words and figures that are ready to be shown.
"""

from collections.abc import Sequence

import streamlit as st

__all__ = ["draw_figures"]


def draw_figures(figures: Sequence[tuple[str, str]]) -> None:
    """Each figure under its words."""
    with st.container(horizontal=True, gap="medium"):
        for words, figure in figures:
            st.metric(words, figure, width="content")
