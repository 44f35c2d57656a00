"""Everything a project is made of: rubric, queries, documents, runs, earlier judgments, and the pairs to judge."""

import streamlit as st

from labeling import projects
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.projects import Counts, Project
from labeling.ui.components import (
    setup_calibration,
    setup_files,
    setup_judgments,
    setup_pool,
    setup_questions,
    setup_rubric,
    setup_twins,
)
from labeling.ui.state import current_project, project_switch, require, stored
from labeling.ui.texts import _


def draw_state(actor: Actor, project: Project, counts: Counts) -> None:
    """Whether raters are let in, and the button that changes it."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        if project.state == "open":
            st.markdown(_("**Open.** Raters can judge this project."))
            if st.button(_("Close it")):
                with writing() as session:
                    projects.close_project(session, actor, project.id)
                st.rerun()
            return
        if counts.pairs:
            st.markdown(
                _(
                    "**Ready to open:** {pairs} pairs, {wanted} votes wanted.",
                    pairs=f"{counts.pairs:,}",
                    wanted=f"{counts.wanted:,}",
                )
            )
        else:
            st.markdown(_("**Not open yet.** Add queries, documents and runs, then choose the pairs."))
        pressed = st.button(_("Open it to raters"), type="primary", disabled=not counts.pairs)
        if pressed and stored(lambda session: projects.open_project(session, actor, project.id)):
            st.rerun()


def step_words(counts: Counts) -> dict[str, str]:
    """The steps in their order, with what is there already."""

    def count(words: str, number: int) -> str:
        return f"{words} ({number:,})" if number else words

    return {
        "rubric": _("1 Rubric"),
        "queries": count(_("2 Queries"), counts.queries),
        "documents": count(_("3 Documents"), counts.documents),
        "runs": count(_("4 Runs"), counts.runs),
        "judgments": _("5 Earlier judgments"),
        "pairs": count(_("6 Pairs"), counts.pairs),
        "calibration": _("Calibration and gold"),
        "twins": _("Near-duplicates"),
        "questions": _("Second questions"),
        "settings": _("Settings"),
    }


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Setup"))
with reading() as session:
    counts = projects.count_project(session, actor, project.id)
draw_state(actor, project, counts)

STEPS = {
    "rubric": lambda: setup_rubric.draw(actor, project),
    "queries": lambda: setup_files.draw_queries(actor, project, counts),
    "documents": lambda: setup_files.draw_documents(actor, project, counts),
    "runs": lambda: setup_files.draw_runs(actor, project),
    "judgments": lambda: setup_judgments.draw_judgments(actor, project),
    "pairs": lambda: setup_pool.draw_pool(actor, project, counts),
    "calibration": lambda: setup_calibration.draw(actor, project),
    "twins": lambda: setup_twins.draw(actor, project, counts),
    "questions": lambda: setup_questions.draw(actor, project),
    "settings": lambda: setup_pool.draw_settings(actor, project),
}
step = st.segmented_control(
    _("Step"),
    list(STEPS),
    default="rubric",
    required=True,
    format_func=step_words(counts).__getitem__,
    label_visibility="collapsed",
    key=f"setup_step_{project.id}",
)
STEPS[step]()
