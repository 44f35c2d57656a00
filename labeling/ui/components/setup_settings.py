"""The settings of a project, as the steps of the setup save them.

Knows no setting by name.
"""

from typing import Any

import streamlit as st

from labeling.accounts import Actor
from labeling.database import writing
from labeling.projects import Project, change_project
from labeling.ui.state import attempt
from labeling.ui.texts import _

__all__ = ["save_settings"]


def save_settings(actor: Actor, project: Project, **changes: Any) -> None:
    """Store them all, say so, and draw the page anew; where one is refused, none is stored."""

    def save() -> Project:
        with writing() as session:
            return change_project(session, actor, project.id, **changes)

    if attempt(save) is not None:
        st.toast(_("Saved."))
        st.rerun()
