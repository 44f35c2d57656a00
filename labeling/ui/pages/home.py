"""The projects, and the next thing to do in each."""

import streamlit as st

from labeling import projects
from labeling.accounts import Actor
from labeling.database import reading
from labeling.projects import Counts, Project
from labeling.ui.components.empty import empty_state
from labeling.ui.components.messages import draw_messages
from labeling.ui.components.untrusted import show_inline
from labeling.ui.state import attempt_writing, choose_project, current_actor, go_to_project
from labeling.ui.texts import _, _n

STATES = {"draft": "gray", "open": "green", "closed": "orange"}


def state_word(state: str) -> str:
    """A project's state in the reader's language."""
    return {"draft": _("being set up"), "open": _("open"), "closed": _("closed")}[state]


def draw_project(actor: Actor, project: Project, counts: Counts) -> None:
    """One project as a box: its name, how far it is, and what one may do."""
    with st.container(border=True):
        words, act = st.columns([3, 2], vertical_alignment="center")
        with words:
            show_inline(project.name, strong=True)
            with st.container(horizontal=True, gap="small"):
                st.badge(state_word(project.state), color=STATES[project.state])  # type: ignore[arg-type]
                if project.is_demo:
                    st.badge(_("demo"), color="blue")
            if project.is_demo:
                draw_demo_words(project)
            share = counts.votes / counts.wanted if counts.wanted else 0.0
            st.progress(min(share, 1.0))
            st.caption(
                _(
                    "{votes} of {wanted} votes on {pairs} pairs",
                    votes=f"{counts.votes:,}",
                    wanted=f"{counts.wanted:,}",
                    pairs=f"{counts.pairs:,}",
                )
            )
        with act, st.container(horizontal=True, horizontal_alignment="right"):
            if project.state == "open":
                label = _("Judge in the demo") if project.is_demo else _("Judge")
                go(label, project, "pages/judge.py", primary=True)
            if actor.may("lead") and project.state != "draft":
                go(_("Progress"), project, "pages/progress.py")
            if actor.may("lead") and project.is_demo:
                go(_("What disagreement does"), project, "pages/disagreement.py")
            if actor.may("lead") and project.state == "draft":
                go(_("Go on with the setup"), project, "pages/setup.py", primary=True)


def draw_demo_words(project: Project) -> None:
    """What the demo is, and that one click is enough to take part."""
    st.markdown(_("Short texts in English and Korean, and votes of four **simulated** raters, not of people."))
    if project.state == "open":
        st.markdown(
            _(
                "One click makes you the fifth rater: read the text, press **0**, **1**, **2** or **3**, and the next is there."
            )
        )


def go(label: str, project: Project, page: str, *, primary: bool = False) -> None:
    """A button that opens a page of a project."""
    if st.button(label, key=f"{page}_{project.id}", type="primary" if primary else "secondary"):
        go_to_project(project.id, page)


def draw_new_project(actor: Actor) -> None:
    """A name is enough to begin; everything else follows on the page Setup."""
    with st.popover(_("New project"), icon=":material/add:"), st.form("new_project", border=False):
        name = st.text_input(_("Name of the project"), max_chars=200)
        if st.form_submit_button(_("Create"), type="primary"):
            made = attempt_writing(lambda session: projects.create_project(session, actor, name=name))
            if made is not None:
                choose_project(made.id)
                go_to_project(made.id, "pages/setup.py")


actor = current_actor()
head, button = st.columns([3, 1], vertical_alignment="bottom")
head.title(_("Projects"), anchor=False)
if actor.may("lead"):
    with button, st.container(horizontal_alignment="right"):
        draw_new_project(actor)
draw_messages(actor)

with reading() as session:
    found = projects.list_projects(session, actor)
    counted = {project.id: projects.count_project(session, actor, project.id) for project in found}
if not found:
    empty_state(
        _("There is no project yet."),
        _("Make one with the button above.") if actor.may("lead") else _("A lead of your team has to make one first."),
        icon=":material/folder_open:",
    )
for project in found:
    draw_project(actor, project, counted[project.id])
if found:
    st.caption(_n("{count} project", "{count} projects", len(found)))
