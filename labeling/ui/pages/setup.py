"""Everything a project is made of: rubric, queries, documents, runs, earlier judgments, and the pairs to judge."""

import streamlit as st

from labeling import projects
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.projects import Counts, Project
from labeling.ui.components import setup_files, setup_pool, setup_rubric
from labeling.ui.state import attempt, current_project, project_switch, require
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
        if st.button(_("Open it to raters"), type="primary", disabled=not counts.pairs):
            with writing() as session:
                opened = attempt(lambda: projects.open_project(session, actor, project.id))
            if opened is not None:
                st.rerun()


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Setup"))
with reading() as session:
    counts = projects.count_project(session, actor, project.id)
draw_state(actor, project, counts)

tabs = st.tabs(
    [
        _("1 Rubric"),
        _("2 Queries ({count})", count=f"{counts.queries:,}"),
        _("3 Documents ({count})", count=f"{counts.documents:,}"),
        _("4 Runs ({count})", count=f"{counts.runs:,}"),
        _("5 Earlier judgments"),
        _("6 Pairs ({count})", count=f"{counts.pairs:,}"),
        _("Settings"),
    ],
    key=f"setup_tabs_{project.id}",
)
with tabs[0]:
    setup_rubric.draw(actor, project)
with tabs[1]:
    setup_files.draw_queries(actor, project, counts)
with tabs[2]:
    setup_files.draw_documents(actor, project, counts)
with tabs[3]:
    setup_files.draw_runs(actor, project)
with tabs[4]:
    setup_files.draw_judgments(actor, project)
with tabs[5]:
    setup_pool.draw_pool(actor, project, counts)
with tabs[6]:
    setup_pool.draw_settings(actor, project)
