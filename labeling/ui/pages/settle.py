"""The disputed pairs one by one: document, the lead's own grade, the votes without names, and the decision with its reason."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from labeling import disputes
from labeling.accounts import Actor
from labeling.database import reading
from labeling.disputes import Dispute, DisputedPair
from labeling.errors import AssayError
from labeling.pair_requests import Request
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.settle_order import order_disputes, show_influence, start_at_the_top
from labeling.ui.components.settle_pad import (
    draw_blind_grade,
    draw_decision,
    draw_settled,
    draw_votes,
    open_drafts,
    saw_votes,
)
from labeling.ui.components.settle_reasons import draw_reasons
from labeling.ui.components.settle_requests import draw_instead, draw_waiting, read_requests
from labeling.ui.components.settle_suspects import list_suspects, show_why
from labeling.ui.components.untrusted import as_html, show_inline, show_text
from labeling.ui.state import current_project, number_in_address, project_switch, require
from labeling.ui.texts import _
from metrics import Influence


@dataclass(frozen=True)
class Place:
    """Where the lead is: the disputes in view, the pair on the screen, and its place in view if it has one."""

    listed: list[Dispute]
    pair: int
    index: int | None

    def step(self, by: int) -> int:
        """The pair before or after; from outside the view, the first in view."""
        if not self.listed:
            return self.pair
        return self.listed[0 if self.index is None else (self.index + by) % len(self.listed)].pair


def go(pair: int) -> None:
    """Show a pair; the address names it."""
    start_at_the_top()
    st.query_params["pair"] = str(pair)


def choose_view(
    actor: Actor, project: Project, found: list[Dispute], waiting: list[Dispute]
) -> tuple[list[Dispute], Influence | None]:
    """Open, waiting, settled or all disputes, or the suggestions of a model, in the order that is chosen."""
    waits = {one.pair for one in waiting}
    views = {
        "open": [one for one in found if one.decided is None and one.pair not in waits],
        "waiting": waiting,
        "settled": [one for one in found if one.decided is not None],
        "all": [*found, *(one for one in waiting if one.pair not in {each.pair for each in found})],
    }
    words = {"open": _("Open"), "waiting": _("Waiting"), "settled": _("Settled"), "all": _("All")}
    with st.container(horizontal=True, gap="medium"):
        view = st.segmented_control(
            _("Which"),
            [*views, "unlikely"],
            default="open",
            required=True,
            format_func=lambda one: (
                _("Unlikely grades") if one == "unlikely" else f"{words[one]} ({len(views[one]):,})"
            ),
            label_visibility="collapsed",
            key=f"settle_view_{project.id}",
            on_change=start_at_the_top,
        )
        if view == "unlikely":
            return list_suspects(actor, project, views["open"]), None
        order = st.segmented_control(
            _("Order"),
            ["spread", "query", "raters", "age", "influence"],
            default="spread",
            required=True,
            format_func=lambda one: {
                "spread": _("widest difference first"),
                "query": _("query by query"),
                "raters": _("between two raters"),
                "age": _("oldest first"),
                "influence": _("what moves a comparison"),
            }[one],
            label_visibility="collapsed",
            key=f"settle_order_{project.id}",
            on_change=start_at_the_top,
        )
    return order_disputes(actor, project, views[str(view)], str(order))


def find_place(actor: Actor, project: Project, listed: list[Dispute]) -> Place | None:
    """The pair that the address asks for, disputed or not; else the first one in view."""
    pair = number_in_address("pair")
    query_id, doc_id = st.query_params.get("query"), st.query_params.get("doc")
    if pair is None and query_id is not None and doc_id is not None:
        with reading() as session:
            pair = disputes.find_pair(session, actor, project.id, query_id, doc_id)
    if pair is None:
        return Place(listed, listed[0].pair, 0) if listed else None
    places = [number for number, one in enumerate(listed) if one.pair == pair]
    return Place(listed, pair, places[0] if places else None)


def draw_moves(place: Place) -> None:
    """Back and forth, by button or by key."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Previous"), shortcut="p", on_click=go, args=(place.step(-1),), key="settle_previous")
        st.button(_("Next"), shortcut="n", on_click=go, args=(place.step(1),), key="settle_next")
        if place.index is None:
            st.markdown(_("Not among the {all} in view", all=f"{len(place.listed):,}"))
        else:
            st.markdown(_("**{place}** of {all}", place=place.index + 1, all=f"{len(place.listed):,}"))


def draw_document(pair: DisputedPair) -> None:
    """The query with what its asker needs, and the document."""
    st.html(f'<div dir="auto" style="font-size:1.2rem;font-weight:650">{as_html(pair.query)}</div>')
    if pair.narrative:
        show_text(pair.narrative)
    with st.container(border=True):
        if pair.title:
            show_inline(pair.title, strong=True)
        show_text(pair.text, height=420)
    st.html(f'<div style="opacity:.65;font-size:.85rem">{as_html(pair.query_id)} · {as_html(pair.doc_id)}</div>')
    if pair.url:
        st.link_button(_("Open the source"), pair.url, icon=":material/open_in_new:")


def draw_desk(
    actor: Actor, project: Project, pair: DisputedPair, rubric: Rubric, request: Request | None, place: Place
) -> None:
    """The right side: the lead's own grade first, then votes and decision."""
    go_on = partial(go, place.step(1))
    if not saw_votes(pair):
        draw_blind_grade(pair, rubric)
        return
    show_why(project, pair)
    if pair.known is not None:
        words = _(
            "Its grade is known: {grade}. It takes no votes and no decision; the grade is changed in Setup, Calibration and gold.",
            grade=pair.known,
        )
        st.info(words, icon=":material/school:")
        return
    draw_votes(pair, rubric, project)
    if request is not None:
        draw_waiting(actor, project, request)
    if pair.decision is not None:
        draw_settled(actor, project, pair, rubric, partial(go, pair.pair))
        return
    draw_decision(actor, project, pair, rubric, go_on, partial(go, pair.pair))
    if request is None:
        draw_instead(actor, project, pair, go_on)


def draw_rubric(rubric: Rubric) -> None:
    """The rule for the grades, where it is needed."""
    with st.expander(_("Rubric, version {version}", version=rubric.version)):
        show_text(rubric.text)
        for level in rubric.levels:
            show_inline(level.definition, before=f"{level.grade} {level.label}:")
            show_text(level.examples)


def read_desk(actor: Actor, project: Project) -> tuple[list[Dispute], list[Dispute], dict[int, Request], Rubric]:
    """The disputes, the pairs that wait for raters, their requests, and the rubric."""
    requests = {one.pair: one for one in read_requests(actor, project)}
    with reading() as session:
        found = disputes.list_disputes(session, actor, project.id)
        waiting = disputes.describe_pairs(session, actor, project.id, requests) if requests else []
        return found, waiting, requests, get_rubric(session, project.id)


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Settle"))
open_drafts(actor)
found, waiting, requests, rubric = read_desk(actor, project)
asked = "pair" in st.query_params or "query" in st.query_params
if not found and not waiting and not asked:
    st.caption(
        _("Nothing is disputed: a pair is disputed once it has all its votes and they differ by the project's rule.")
    )
listed, influence = choose_view(actor, project, found, waiting)
place = find_place(actor, project, listed)
if place is None:
    empty_state(_("Nothing here."), _("No pair in this list waits for a decision."), icon=":material/task_alt:")
    draw_reasons(actor, project, rubric)
    st.stop()
try:
    with reading() as session:
        pair = disputes.show_disputed_pair(session, actor, project.id, place.pair)
except AssayError:  # an old address, or one of another project
    st.query_params.pop("pair", None)
    st.rerun()
draw_moves(place)
left, right = st.columns([3, 2])
with left:
    draw_document(pair)
    draw_rubric(rubric)
with right:
    if saw_votes(pair):
        show_influence(influence, pair.query_id, pair.doc_id)
    draw_desk(actor, project, pair, rubric, requests.get(pair.pair), place)
draw_reasons(actor, project, rubric)
