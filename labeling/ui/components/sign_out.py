"""A button that ends the sign-in: a real form post, since only the server can take the cookie back.

Knows no account.
"""

import streamlit as st

from labeling.ui.components.front_end import api_address

__all__ = ["sign_out_button"]

_HTML = '<form method="post"><button type="submit"></button></form>'
_CSS = """
button { font: inherit; color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); padding: 0.45rem 0.9rem; }
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 2px; }
"""
_JS = """
export default function ({ data, parentElement }) {
  parentElement.querySelector("form").action = data.address
  parentElement.querySelector("button").textContent = data.label
}
"""

_button = st.components.v2.component("assay_sign_out", html=_HTML, css=_CSS, js=_JS)


def sign_out_button(label: str) -> None:
    """Draw the button."""
    _button(key="sign_out", data={"label": label, "address": api_address("/sign-out")})
