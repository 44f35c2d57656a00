"""What reads otherwise in a rubric since the versions that one judged under, part by part.

Knows no grade; the comparison itself is the noun's.
"""

import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.older_rule import Change, compare_rubrics, count_older
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.untrusted import as_html, show_text
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
            _draw(before, now)


def _draw(before: Rubric, now: Rubric) -> None:
    changes = compare_rubrics(before, now)
    if not changes:
        st.caption(_("Every level and text reads as it did."))
    labels = {level.grade: level.label for level in now.levels}
    for change in changes:
        st.html(
            f"<strong>{as_html(_part(change, labels))}</strong>"
            f'<div dir="auto" style="{_TEXT};opacity:.72"><s>{as_html(change.before or "…")}</s></div>'
            f'<div dir="auto" style="{_TEXT}">{as_html(change.after or "…")}</div>'
        )


def _part(change: Change, labels: dict[int, str]) -> str:
    parts = {"label": _("word"), "definition": _("definition"), "examples": _("examples")}
    if change.grade is None:
        return _("What raters read first")
    return f"{change.grade} {labels.get(change.grade, '')}: {parts[change.part]}"


_TEXT = "white-space:pre-wrap;overflow-wrap:anywhere"
