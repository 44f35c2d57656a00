"""The common look: what the theme in the settings cannot say.

Knows no page; fixed style sheets only, never data.
"""

import streamlit as st

__all__ = ["common_look", "judging_look"]

_COMMON = """<style>
[data-testid="stMainBlockContainer"] { padding-top: 4.5rem; padding-bottom: 3rem; }
[data-testid="stMainBlockContainer"] :is(h1, h2, h3, p, li, label) { word-break: keep-all; overflow-wrap: anywhere; }
[data-testid="stMainBlockContainer"] :is(h1, h2, h3) { text-wrap: balance; }
.st-key-outbox { position: fixed; right: 1rem; bottom: 1rem; z-index: 100; width: min(30rem, 92vw); }
[data-testid="stMetricValue"] { font-variant-numeric: tabular-nums; }
</style>"""

_JUDGING = """<style>
.stApp [data-testid="stMainBlockContainer"] { padding: 4rem 1.5rem 0; }
.stApp [data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0; }
@media (max-width: 760px) { .stApp [data-testid="stMainBlockContainer"] { padding: 3.9rem 0.6rem 0; } }
</style>"""


def common_look() -> None:
    """Calmer spacing for every page; call it once a run, before the page draws."""
    st.html(_COMMON)


def judging_look() -> None:
    """Give the judging card the whole window below the page's head."""
    st.html(_JUDGING)
