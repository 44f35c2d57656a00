"""Second questions in the setup: what raters are asked about a pair once they have graded it.

Knows no judgment; the questions themselves are kept by their noun.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.projects import Project
from labeling.second_questions import (
    YES_NO,
    SecondQuestion,
    add_second_question,
    change_second_question,
    list_second_questions,
    move_second_question,
)
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import stored
from labeling.ui.texts import _

__all__ = ["draw"]


def draw(actor: Actor, project: Project) -> None:
    """The questions in their order, each with its switches, and the form for one more."""
    st.markdown(
        _(
            "A grade says how well a document answers. What else matters can be asked right after it: whether the source is "
            "right, whether the text is faithful, whether it is useful. Each question costs the rater one more key."
        )
    )
    with reading() as session:
        questions = list_second_questions(session, project.id)
    for place, question in enumerate(questions):
        _draw_question(actor, project, question, first=place == 0, last=place == len(questions) - 1)
    if not questions:
        st.caption(_("None yet: a grade alone takes a rater to the next pair."))
    _draw_form(actor, project, len(questions))


def _draw_question(actor: Actor, project: Project, question: SecondQuestion, *, first: bool, last: bool) -> None:
    number = question.id
    with st.container(border=True, key=f"second_question_{number}"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.markdown(f"**{plain_label(question.text, longest=200)}**")
        left.caption(f"{plain_label(question.name)} · {', '.join(plain_label(_label(one)) for one in question.labels)}")
        with right.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
            asked = st.toggle(_("Asked"), value=question.active, key=f"second_active_{number}_{question.active}")
            up = st.button("↑", disabled=first, key=f"second_up_{number}", help=_("Ask it earlier"))
            down = st.button("↓", disabled=last, key=f"second_down_{number}", help=_("Ask it later"))
        with st.expander(_("Word it anew")):
            text = st.text_input(_("Question"), value=question.text, max_chars=200, key=f"second_text_{number}")
            st.caption(_("Name and answers stay as they are: judgments name them."))
            save = st.button(_("Save"), key=f"second_save_{number}")
    if asked != question.active:
        _do(lambda session: change_second_question(session, actor, project.id, number, active=asked))
    elif up or down:
        _do(lambda session: move_second_question(session, actor, project.id, number, -1 if up else 1))
    elif save:
        _do(lambda session: change_second_question(session, actor, project.id, number, text=text))


def _label(label: str) -> str:
    return {"yes": _("Yes"), "no": _("No")}.get(label, label)


def _draw_form(actor: Actor, project: Project, count: int) -> None:
    st.subheader(_("One more question"))
    kinds = {"yes_no": _("Yes or no"), "scale": _("A few answers, in order")}
    kind = st.radio(_("Answered by"), list(kinds), format_func=kinds.__getitem__, horizontal=True)
    with st.form(f"second_{project.id}_{count}"):
        text = st.text_input(_("Question"), placeholder=_("Is the source right?"), max_chars=200)
        name = st.text_input(_("Name in exports"), placeholder=_("source"), max_chars=80)
        lines = "yes"
        if kind == "scale":
            lines = st.text_area(
                _("Answers, 2 to 5, one a line"), placeholder=_("not at all\npartly\nfully"), height=120
            )
        labels = list(YES_NO) if kind == "yes_no" else lines.splitlines()
        if st.form_submit_button(_("Ask it from now on"), type="primary"):
            own_name = name or text
            _do(
                lambda session: add_second_question(session, actor, project.id, name=own_name, text=text, labels=labels)
            )


def _do(act: Callable[[Any], object]) -> None:
    if stored(act):
        st.rerun()
