"""What reads otherwise in a rubric since the versions that one judged under.

Knows no grade; the comparison itself is the noun's.
"""

import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.older_rule import count_older
from labeling.projects import Project
from labeling.rubrics import get_rubric
from labeling.ui.components.rubric_again import draw_diff
from labeling.ui.components.untrusted import show_text
from labeling.ui.texts import _

__all__ = ["draw_changes"]


def draw_changes(actor: Actor, project: Project) -> None:
    """A fold for each older version that one's waiting judgments were made under; nothing where there is none."""
    with reading() as session:
        counts = count_older(session, actor, project.id)
        now = get_rubric(session, project.id)
        versions = [get_rubric(session, project.id, version) for version in counts.versions]
    for before in versions:
        words = _("What changed in the rubric from version {before} to {now}", before=before.version, now=now.version)
        with st.expander(words):
            if now.note:
                show_text(now.note)
            draw_diff(before, now)
