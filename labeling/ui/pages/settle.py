"""The disputed pairs one by one: document, votes without names, and the lead's grade with its reason."""

import uuid
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from labeling import disputes
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.disputes import Dispute, DisputedPair
from labeling.errors import AssayError
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.settle_order import order_disputes, show_influence
from labeling.ui.components.untrusted import as_html, show_inline, show_text
from labeling.ui.state import current_project, project_switch, require, show_fault
from labeling.ui.texts import _
from metrics import Influence

FAULT = "assay_settle_fault"


def reason_word(reason: str) -> str:
    """A reason for a decision in the reader's language."""
    return {
        "query_unclear": _("query unclear"),
        "document_unclear": _("document unclear"),
        "rater_slip": _("slip of a rater"),
        "rubric_clause": _("clause of the rubric"),
        "other": _("other"),
    }.get(reason, reason)


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
    for name in ("query", "doc"):
        st.query_params.pop(name, None)
    st.query_params["pair"] = str(pair)


def choose_view(actor: Actor, project: Project, found: list[Dispute]) -> tuple[list[Dispute], Influence | None]:
    """Open, settled or all disputes; the widest difference first, query by query, or by what settling one can move."""
    counts = {"open": sum(one.decided is None for one in found), "all": len(found)}
    counts["settled"] = counts["all"] - counts["open"]
    words = {"open": _("Open"), "settled": _("Settled"), "all": _("All")}
    view = st.segmented_control(
        _("Which"),
        list(words),
        default="open",
        required=True,
        format_func=lambda one: f"{words[one]} ({counts[one]:,})",
        label_visibility="collapsed",
        key=f"settle_view_{project.id}",
    )
    order = st.segmented_control(
        _("Order"),
        ["spread", "query", "influence"],
        default="spread",
        required=True,
        format_func=lambda one: {
            "spread": _("widest difference first"),
            "query": _("query by query"),
            "influence": _("what moves a comparison"),
        }[one],
        label_visibility="collapsed",
        key=f"settle_order_{project.id}",
    )
    listed = [one for one in found if view == "all" or (one.decided is None) == (view == "open")]
    return order_disputes(actor, project, listed, str(order))


def find_place(actor: Actor, project: Project, listed: list[Dispute]) -> Place | None:
    """The pair that the address asks for, disputed or not; else the first one in view."""
    wanted = st.query_params.get("pair", "")
    pair = int(wanted) if wanted.isdigit() else None
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


def draw_votes(pair: DisputedPair, rubric: Rubric, project: Project) -> None:
    """The votes under letters, with comments; names only for those who ask."""
    words = {level.grade: level.label for level in rubric.levels}
    named = st.toggle(_("Show the names"), key=f"settle_names_{project.id}")
    for vote in pair.votes:
        who = f"{vote.letter} · {vote.rater}" if named else vote.letter
        seconds = "" if vote.seconds is None else _("{seconds} s", seconds=f"{vote.seconds:.0f}")
        comment = f'<div dir="auto" style="white-space:pre-wrap;margin-top:.2rem">{as_html(vote.comment)}</div>'
        st.html(
            '<div style="border-left:3px solid var(--st-primary-color, #0b6e69);padding:.15rem .7rem;margin:.15rem 0">'
            f"<strong>{as_html(who)}: {vote.grade}</strong> {as_html(words.get(vote.grade, ''))} "
            f'<span style="opacity:.65">{as_html(seconds)}</span>{comment if vote.comment else ""}</div>'
        )
    for remark in pair.remarks:
        show_inline(remark, before=_("Could not judge:"))


def draw_decision(actor: Actor, project: Project, pair: DisputedPair, rubric: Rubric, place: Place) -> None:
    """The lead's grade, reason and note; a settled pair can be opened again."""
    if pair.decision is not None:
        words = _(
            "Settled: grade {grade}, {reason}.", grade=pair.decision.grade, reason=reason_word(pair.decision.reason)
        )
        st.success(words)
        if pair.decision.note:
            show_text(pair.decision.note)
        nonce = _nonce(pair.pair)
        st.button(
            _("Open it again"), on_click=withdraw, args=(actor, project.id, pair.pair, nonce), key=f"withdraw_{nonce}"
        )
    nonce = _nonce(pair.pair)
    with st.form(f"decide_{pair.pair}_{nonce}"):
        grade = st.radio(
            _("The grade"),
            rubric.grades,
            index=None,
            format_func=lambda one: f"{one} · {next(x.label for x in rubric.levels if x.grade == one)}",
            captions=[level.definition for level in rubric.levels],
            key=f"grade_{nonce}",
        )
        reason = st.selectbox(
            _("Why they differ"),
            disputes.DECISION_REASONS,
            index=None,
            format_func=reason_word,
            placeholder=_("choose"),
            key=f"reason_{nonce}",
        )
        note = st.text_area(_("Note (optional)"), height=70, key=f"note_{nonce}")
        if st.form_submit_button(_("Settle and go on"), type="primary", shortcut="Ctrl+Enter"):
            if grade is None or reason is None:
                st.error(_("Choose a grade and a reason first."))
            else:
                settle(actor, project.id, pair.pair, nonce, int(grade), str(reason), note, place)


def _nonce(pair: int) -> str:
    """One id for each time a pair is on the screen, so that a second click settles nothing twice."""
    known: dict[int, str] = st.session_state.setdefault("settle_nonces", {})
    return known.setdefault(pair, uuid.uuid4().hex)


def settle(
    actor: Actor, project_id: int, pair: int, nonce: str, grade: int, reason: str, note: str, place: Place
) -> None:
    """Store the decision and show the next pair."""
    try:
        with writing() as session:
            disputes.decide(session, actor, project_id, pair, grade=grade, reason=reason, note=note, act_id=nonce)
    except AssayError as fault:
        show_fault(fault)
        return
    st.session_state["settle_nonces"].pop(pair, None)
    go(place.step(1))
    st.rerun()


def withdraw(actor: Actor, project_id: int, pair: int, nonce: str) -> None:
    """Open a settled pair again."""
    with writing() as session:
        disputes.withdraw_decision(session, actor, project_id, pair, act_id=nonce)
    st.session_state["settle_nonces"].pop(pair, None)


def draw_reasons(actor: Actor, project: Project) -> None:
    """What the decisions so far say about the rubric and the queries."""
    with reading() as session:
        table = disputes.read_decisions(session, actor, project.id)
    if table.empty:
        return
    with st.expander(_("Decisions so far: {count}", count=f"{len(table):,}")):
        counted = table.groupby("reason").size().sort_values(ascending=False)
        st.dataframe(
            pd.DataFrame({_("Reason"): [reason_word(one) for one in counted.index], _("Pairs"): counted.to_numpy()}),
            hide_index=True,
        )
        st.dataframe(table, hide_index=True, width="stretch")


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Settle"))
with reading() as session:
    found = disputes.list_disputes(session, actor, project.id)
    rubric = get_rubric(session, project.id)
asked = "pair" in st.query_params or "query" in st.query_params
if not found and not asked:
    empty_state(
        _("Nothing is disputed."),
        _("A pair is disputed once it has all its votes and they differ by the project's rule."),
        icon=":material/task_alt:",
    )
    st.stop()
listed, influence = choose_view(actor, project, found)
place = find_place(actor, project, listed)
if place is None:
    empty_state(_("Nothing here."), _("Every disputed pair is settled."), icon=":material/task_alt:")
    draw_reasons(actor, project)
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
with right:
    show_influence(influence, pair.query_id, pair.doc_id)
    draw_votes(pair, rubric, project)
    draw_decision(actor, project, pair, rubric, place)
draw_reasons(actor, project)
