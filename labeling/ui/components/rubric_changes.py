"""What reads otherwise in a rubric since the versions that one judged under.

Knows no grade; the comparison itself is the noun's.
"""

from collections.abc import Collection

import streamlit as st

from labeling.database import reading
from labeling.projects import Project
from labeling.rubrics import list_rubrics
from labeling.ui.components.rubric_again import draw_diff
from labeling.ui.components.untrusted import show_text
from labeling.ui.texts import _

__all__ = ["draw_changes"]


def draw_changes(project: Project, versions: Collection[int]) -> None:
    """A fold for each of these older versions."""
    with reading() as session:
        now, *earlier = list_rubrics(session, project.id)
    for before in reversed([one for one in earlier if one.version in versions]):
        words = _("What changed in the rubric from version {before} to {now}", before=before.version, now=now.version)
        with st.expander(words):
            if now.note:
                show_text(now.note)
            draw_diff(before, now)
