"""Words for what raters ask, and the list of one's own questions.

Knows no form; leads answer on a page of their own.
"""

import streamlit as st

from labeling.accounts import Actor
from labeling.database import AnyRow, reading
from labeling.projects import Project
from labeling.questions import list_own_questions
from labeling.ui.components.untrusted import plain_label, show_inline, show_text
from labeling.ui.texts import _, _n

__all__ = ["about_words", "draw_own_questions", "state_words"]


def about_words(row: AnyRow) -> str:
    """What a question is about: a narrative, a part of the rubric, or a query."""
    if row.kind == "narrative":
        return _("Narrative for the query: {query}", query=plain_label(row.query or row.query_id))
    if row.about_rubric:
        return _("Rubric: {clause}", clause=plain_label(row.clause)) if row.clause else _("Rubric")
    return _("Query: {query}", query=plain_label(row.query or row.query_id))


def state_words(row: AnyRow) -> str:
    """Where a question stands."""
    words = {
        "open": _("Waits for an answer"),
        "answered": _("Answered"),
        "accepted": _("Accepted"),
        "declined": _("Declined"),
    }
    return words[row.state]


def draw_own_questions(actor: Actor, project: Project) -> None:
    """What one asked, newest first, with what became of it; nothing for who never asked."""
    with reading() as session:
        rows = list_own_questions(session, actor, project.id)
    if not rows:
        return
    with st.expander(_n("{count} question of yours", "{count} questions of yours", len(rows)), icon=":material/forum:"):
        for row in rows:
            st.caption(f"{state_words(row)} · {about_words(row)} · {row.asked_at:%Y-%m-%d}")
            show_text(row.text)
            if row.answer:
                show_inline(row.answer, before=_("Answer:"), strong=True)
