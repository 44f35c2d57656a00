"""Who looks at the page, and which project it is about.

Knows cookies, addresses and the session; whatever is worth keeping stands in the database.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NoReturn, TypeVar

import streamlit as st

from labeling import accounts, projects
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.errors import AssayError, NotAllowed
from labeling.projects import Project
from labeling.rubrics import Rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.judging_card import CardRubric
from labeling.ui.texts import _, use_account_language

__all__ = [
    "attempt",
    "attempt_reading",
    "attempt_writing",
    "card_rubric",
    "choose_project",
    "csrf",
    "current_actor",
    "current_project",
    "go_to_project",
    "number_in_address",
    "project_switch",
    "require",
    "session_token",
    "show_fault",
    "stored",
]

COOKIE = "assay_session"
_PROJECT = "assay_project"

Result = TypeVar("Result")


def session_token() -> str:
    """The sign-in cookie of the browser, or "" where there is none."""
    return str(st.context.cookies.get(COOKIE) or "")


def csrf() -> str:
    """What the components send along with their requests."""
    return accounts.csrf_token(session_token())


def current_actor() -> Actor:
    """The person who is signed in; the page stops with a way to sign in where there is nobody."""
    with reading() as session:
        actor = accounts.get_actor_by_token(session, session_token())
    if actor is None:
        _stop_signed_out()
    use_account_language(actor.language)
    return actor


def _stop_signed_out() -> NoReturn:
    with st.container(border=True):
        st.markdown(_("**You are signed out.**"))
        st.link_button(_("Sign in"), "/sign-in", type="primary")
    st.stop()


def require(role: str) -> Actor:
    """The person who is signed in, if the role suffices; else the page says so and stops."""
    actor = current_actor()
    try:
        actor.require(role)
    except NotAllowed:
        empty_state(
            _("This page is for leads."),
            _("Your role does not include it. An admin of your team can change that."),
            icon=":material/lock:",
        )
        st.stop()
    return actor


def choose_project(project_id: int) -> None:
    """Make a project the one that pages are about."""
    st.session_state[_PROJECT] = project_id


def go_to_project(project_id: int, page: str, **more: str) -> None:
    """Open a page of a project; the address names the project, so that it can be sent to others."""
    choose_project(project_id)
    st.switch_page(page, query_params={"project": str(project_id), **more})


def number_in_address(name: str) -> int | None:
    """A number that the address gives, such as a pair's; None where it gives none that the database could hold."""
    wanted = st.query_params.get(name, "")
    return int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) <= 18 else None


def current_project(actor: Actor) -> Project:
    """The project that the address names, else the one last looked at, else the newest; the page stops without one."""
    with reading() as session:
        found = projects.list_projects(session, actor)
    if not found:
        empty_state(
            _("There is no project yet."),
            _("A lead makes one on the page Projects."),
            icon=":material/folder_open:",
        )
        st.stop()
    by_id = {project.id: project for project in found}
    wanted = number_in_address("project")
    chosen = st.session_state.get(_PROJECT) if wanted is None else wanted
    if chosen not in by_id:
        opened = [project for project in found if project.state == "open"] or found
        chosen = opened[0].id
    choose_project(chosen)
    st.query_params["project"] = str(chosen)
    return by_id[chosen]


def project_switch(actor: Actor, project: Project, title: str) -> None:
    """The head of a project's page: its title, and which project it is about."""
    with reading() as session:
        found = projects.list_projects(session, actor)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    left.title(title, anchor=False)
    ids = [one.id for one in found]
    names = {one.id: one.name for one in found}
    with right:
        st.selectbox(
            _("Project"),
            ids,
            index=ids.index(project.id),
            format_func=lambda number: names[number],
            key=f"project_switch_{project.id}",
            on_change=lambda: _switch(project.id),
            label_visibility="collapsed",
        )
    if project.is_demo:
        st.info(
            _("This is the demo: short texts written for it, and votes of four simulated raters, not of people."),
            icon=":material/science:",
        )


def _switch(before: int) -> None:
    chosen = st.session_state.get(f"project_switch_{before}")
    if chosen is not None:
        choose_project(int(chosen))
        st.query_params["project"] = str(chosen)


def card_rubric(rubric: Rubric) -> CardRubric:
    """A rubric as the judging card takes it."""
    levels = [asdict(level) for level in rubric.levels]
    return {"version": rubric.version, "levels": levels, "text": rubric.text}  # type: ignore[typeddict-item]


def show_fault(fault: Exception) -> None:
    """A fault that a person can mend, with names from files shown as the text they are."""
    lines = str(fault).splitlines() or [type(fault).__name__]
    st.error(_("That did not work. Nothing was changed."), icon=":material/error:")
    st.code("\n".join(lines[:50]), language=None, wrap_lines=True)


def attempt(act: Callable[[], Result]) -> Result | None:
    """Do something; a fault that a person can mend is shown, and None comes back."""
    try:
        return act()
    except AssayError as fault:
        show_fault(fault)
        return None


def attempt_reading(act: Callable[[Any], Result]) -> Result | None:
    """Ask something of the database, as a function of a session; as attempt."""

    def read() -> Result:
        with reading() as session:
            return act(session)

    return attempt(read)


def attempt_writing(act: Callable[[Any], Result]) -> Result | None:
    """Do something in a transaction of its own, as a function of a session; as attempt, with nothing stored after a fault."""

    def write() -> Result:
        with writing() as session:
            return act(session)

    return attempt(write)


def stored(act: Callable[[Any], object]) -> bool:
    """Do something in a transaction of its own that answers nothing; False where a fault was shown."""
    return attempt_writing(lambda session: (act(session),)) is not None
