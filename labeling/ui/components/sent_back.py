"""Pairs that a lead sent back to this rater: the lead's words, the comments of others, and the way to answer.

Knows the rater's own requests and no name or grade of anybody else.
"""

import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.pair_requests import SentBack, list_sent_back
from labeling.projects import Project
from labeling.ui.components.untrusted import as_html, show_inline, show_text
from labeling.ui.state import go_to_project
from labeling.ui.texts import _, _n

__all__ = ["draw_sent_back"]

AT_ONCE = 20


def draw_sent_back(actor: Actor, project: Project) -> None:
    """What waits for an answer, oldest first; nothing where nothing does."""
    with reading() as session:
        found = list_sent_back(session, actor, project.id)
    if not found:
        return
    with st.container(border=True):
        st.markdown(_n("**Sent back to you:** {count} pair", "**Sent back to you:** {count} pairs", len(found)))
        st.caption(_("Judge it again: the same grade confirms what you gave, another one changes it."))
        for one in found[:AT_ONCE]:
            _draw(project, one)
        if len(found) > AT_ONCE:
            st.caption(_("The first {shown} of {all}; the others follow.", shown=AT_ONCE, all=f"{len(found):,}"))


def _draw(project: Project, one: SentBack) -> None:
    left, right = st.columns([4, 1], vertical_alignment="center")
    with left:
        st.html(f'<strong dir="auto">{as_html(one.query)}</strong>')
        show_inline(one.title or " ".join(one.document.split())[:160])
        why = {
            "discuss": _("The raters of this pair differ."),
            "rejudge": _("The rubric has changed since."),
        }[one.kind]
        yours = "" if one.grade is None else _("Your grade: {grade}.", grade=one.grade)
        st.caption(f"{why} {yours}".strip())
        if one.text:
            show_text(one.text)
        for comment in one.comments:
            show_inline(comment, before=_("Another rater wrote:"))
    with right:
        if project.state == "open" and st.button(
            _("Judge again"), icon=":material/edit:", key=f"sent_back_{one.request}", width="stretch"
        ):
            go_to_project(project.id, "pages/judge.py", pair=str(one.pair))
