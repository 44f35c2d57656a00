"""What raters ask and propose, for a lead to answer; and every query's narrative, to be written at any time."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from labeling import questions
from labeling.accounts import Actor
from labeling.collection import list_narratives, write_narrative
from labeling.database import AnyRow, reading
from labeling.projects import Project
from labeling.ui.components.empty import empty_state
from labeling.ui.components.question_words import about_words, state_words
from labeling.ui.components.untrusted import plain_label, show_inline, show_text
from labeling.ui.state import current_project, go_to_project, project_switch, require, stored
from labeling.ui.texts import _, _n

SHOWN = 50


def draw_open(actor: Actor, project: Project, row: AnyRow) -> None:
    """One question that waits, with what it is about, and the ways to close it."""
    with st.container(border=True, key=f"question_{row.id}"):
        _draw_head(row)
        if row.kind == "narrative":
            _draw_proposal(actor, project, row)
        else:
            _draw_answering(actor, project, row)


def _draw_head(row: AnyRow) -> None:
    st.caption(f"{about_words(row)} · {plain_label(row.asked_by)} · {row.asked_at:%Y-%m-%d %H:%M}")
    show_text(row.text)
    if row.query_id is None:
        return
    with st.expander(_("The query and the document in hand")):
        show_inline(row.query or row.query_id, strong=True)
        if row.narrative:
            show_text(row.narrative)
        show_inline(row.title or row.doc_id, before=_("Document:"))
        show_text(row.document or "", height=160)


def _draw_answering(actor: Actor, project: Project, row: AnyRow) -> None:
    with st.form(f"answer_{row.id}", border=False):
        words = _("Your answer; every rater can read it beside the query, so name no grade that somebody gave")
        answer = st.text_area(words, value=row.answer, height=90, max_chars=questions.LONGEST)
        with st.container(horizontal=True):
            send = st.form_submit_button(_("Answer"), type="primary")
            decline = st.form_submit_button(_("Decline"), help=_("Only the asker sees your words then."))
    if send:
        _close(lambda session: questions.answer_question(session, actor, project.id, row.id, answer))
    elif decline:
        _close(lambda session: questions.decline_question(session, actor, project.id, row.id, answer))


def _draw_proposal(actor: Actor, project: Project, row: AnyRow) -> None:
    with st.form(f"proposal_{row.id}", border=False):
        narrative = st.text_area(
            _("The query's narrative, once accepted"), value=row.text, height=110, max_chars=questions.LONGEST
        )
        word = st.text_input(_("A word to the one who proposed it"), max_chars=questions.LONGEST)
        if row.narrative:
            st.caption(_("It takes the place of the narrative that the query has now."))
        with st.container(horizontal=True):
            accept = st.form_submit_button(_("Accept"), type="primary")
            decline = st.form_submit_button(_("Decline"), help=_("Only the asker sees your words then."))
    if accept:
        _close(lambda session: questions.accept_narrative(session, actor, project.id, row.id, narrative, word))
    elif decline:
        _close(lambda session: questions.decline_question(session, actor, project.id, row.id, word))


def _close(act: Callable[[Any], object]) -> None:
    if stored(act):
        st.rerun()


def draw_closed(actor: Actor, project: Project, rows: list[AnyRow]) -> None:
    """What was answered, accepted or declined, newest first; an answer can be changed."""
    st.subheader(_("Answered"))
    for row in rows[:SHOWN]:
        with st.expander(f"{state_words(row)} · {plain_label(row.text)}"):
            _draw_head(row)
            if row.answer:
                show_inline(row.answer, before=_("Answer:"))
            if row.kind == "question":
                _draw_answering(actor, project, row)
    if len(rows) > SHOWN:
        st.caption(_("The newest {shown} of {all}.", shown=SHOWN, all=f"{len(rows):,}"))


def draw_narratives(actor: Actor, project: Project) -> None:
    """One query's narrative in a form; raters who hold its pairs see the new one."""
    with reading() as session:
        found = list_narratives(session, project.id)
    if not found:
        return
    st.subheader(_("Narratives"))
    st.caption(
        _(
            "What the asker of a query needs, in a few sentences. A pair that a rater has in hand while it changes is shown "
            "again with the new words before its grade counts."
        )
    )
    words = {row.query_id: row.text or row.query_id for row in found}
    without = sum(not row.narrative for row in found)
    if without:
        st.caption(_n("{count} query has none yet.", "{count} queries have none yet.", without))
    chosen = st.selectbox(_("Query"), list(words), format_func=words.__getitem__, key=f"narrative_of_{project.id}")
    before = next(row.narrative for row in found if row.query_id == chosen)
    with st.form(f"narrative_{project.id}_{chosen}"):
        text = st.text_area(_("Narrative"), value=before, height=110, max_chars=questions.LONGEST)
        if st.form_submit_button(_("Save the narrative")) and text.strip() != before:
            _close(lambda session: write_narrative(session, actor, project.id, str(chosen), text))


def draw_elsewhere(project: Project, counts: dict[int, int]) -> None:
    """Questions of other projects wait too: the way there."""
    others = {number: count for number, count in counts.items() if number != project.id}
    if others and st.button(
        _n(
            "{count} question waits in another project",
            "{count} questions wait in other projects",
            sum(others.values()),
        ),
        icon=":material/arrow_forward:",
        type="tertiary",
    ):
        go_to_project(next(iter(others)), "pages/questions.py")


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Questions"))
with reading() as session:
    rows = questions.list_questions(session, actor, project.id)
    counts = questions.count_open_questions(session, actor)
waiting = [row for row in rows if row.state == "open"]
draw_elsewhere(project, counts)
if waiting:
    st.caption(
        _n("{count} question waits, the oldest first.", "{count} questions wait, the oldest first.", len(waiting))
    )
    for row in waiting[:SHOWN]:
        draw_open(actor, project, row)
else:
    empty_state(
        _("No question waits."),
        _("Raters ask with the key Q, from the pair in hand; what you answer stands beside the query for all of them."),
        icon=":material/forum:",
    )
if len(waiting) < len(rows):
    draw_closed(actor, project, rows[len(waiting) :])
draw_narratives(actor, project)
