"""The settings of a project, as the steps of the setup save them.

Knows no setting by name.
"""

from typing import Any

import streamlit as st

from labeling.accounts import Actor
from labeling.projects import Project, change_project
from labeling.ui.state import stored
from labeling.ui.texts import _

__all__ = ["save_settings"]


def save_settings(actor: Actor, project: Project, **changes: Any) -> None:
    """Store them all, say so, and draw the page anew; where one is refused, none is stored."""
    if stored(lambda session: change_project(session, actor, project.id, **changes)):
        st.toast(_("Saved."))
        st.rerun()
