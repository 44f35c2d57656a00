"""An invisible component for every page: it sends what other tabs or a card that was left have kept.

Knows nothing of pairs; a double send does no harm, as every act carries its own id.
"""

import streamlit as st

from labeling.ui.components.front_end import api_address, join_scripts, read_text
from labeling.ui.texts import _

__all__ = ["outbox"]

_outbox = st.components.v2.component(
    "assay_outbox",
    html=read_text("outbox/runner.html"),
    css=read_text("outbox/runner.css"),
    js=join_scripts("base.js", "outbox.js", "outbox/runner.js"),
)


def outbox(*, account: int | str, csrf: str, key: str = "outbox") -> None:
    """Mount it once on each page of a signed-in person; it shows itself only where the server refuses an act."""
    labels = {"refused": _("An earlier judgment was not kept.")}
    _outbox(key=key, data={"account": str(account), "csrf": csrf, "api": api_address(), "labels": labels})
