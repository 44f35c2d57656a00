"""Settling one pair with keys: the lead's own grade first, unseen votes, then the votes, and the decision with its reason.

Knows the pair on the screen. Every button carries the pair and a number of its own, so that a late key settles nothing else.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from labeling import disputes
from labeling.accounts import Actor
from labeling.database import writing
from labeling.disputes import DisputedPair
from labeling.errors import AssayError
from labeling.projects import Project
from labeling.reasons import list_clauses, list_reasons
from labeling.rubrics import Rubric
from labeling.settings import database_url
from labeling.ui.components.settle_note import note_area
from labeling.ui.components.settle_words import REASON_KEYS, clause_word, grade_word, reason_word
from labeling.ui.components.untrusted import as_html, plain_label, show_inline, show_text
from labeling.ui.state import show_fault
from labeling.ui.texts import _

__all__ = ["draw_blind_grade", "draw_decision", "draw_settled", "draw_votes", "open_drafts", "saw_votes"]

_DRAFTS = "settle_drafts"


@dataclass
class Draft:
    """What a lead has chosen for a pair and not yet stored; the nonce is the id of the decision that will be."""

    nonce: str
    seen: bool = False
    blind: int | None = None
    grade: int | None = None
    reason: str | None = None
    change: bool = False
    clause: str = ""
    fault: str = ""


@st.cache_resource(max_entries=64, show_spinner=False)
def _drafts_of(database: str, account: int | None) -> dict[int, Draft]:  # noqa: ARG001 - whose drafts they are
    return {}


def open_drafts(actor: Actor) -> None:
    """Bring what a lead has begun: the server keeps it, so that who loads the page anew is still known to have seen the votes."""
    st.session_state[_DRAFTS] = _drafts_of(database_url(), actor.account_id)


def draft_of(pair: int) -> Draft:
    """The draft of a pair, as it was left."""
    drafts: dict[int, Draft] = st.session_state[_DRAFTS]
    return drafts.setdefault(pair, Draft(uuid.uuid4().hex))


def saw_votes(pair: DisputedPair) -> bool:
    """Whether the votes may be shown: the lead has graded, wants no grade of their own, or the pair is settled."""
    return pair.decision is not None or draft_of(pair.pair).seen


def _choose(pair: int, **values: object) -> None:
    for name, value in values.items():
        setattr(draft_of(pair), name, value)


def draw_blind_grade(pair: DisputedPair, rubric: Rubric) -> None:
    """The lead's own grade, before any vote is on the screen."""
    st.markdown(_("**Your grade first.** The votes come after it."))
    draft = draft_of(pair.pair)
    for level in rubric.levels:
        st.button(
            f"{level.grade} · {plain_label(level.label)}",
            shortcut=str(level.grade) if level.grade < 10 else None,
            on_click=_choose,
            args=(pair.pair,),
            kwargs={"seen": True, "blind": level.grade, "grade": level.grade},
            width="stretch",
            key=f"blind_{level.grade}_{draft.nonce}",
        )
        st.html(
            f'<div dir="auto" style="margin-top:-.6rem;font-size:.9rem;opacity:.8">{as_html(level.definition)}</div>'
        )
    st.button(
        _("Show the votes without a grade"),
        shortcut="v",
        type="tertiary",
        on_click=_choose,
        args=(pair.pair,),
        kwargs={"seen": True},
        key=f"blind_none_{draft.nonce}",
    )


def draw_votes(pair: DisputedPair, rubric: Rubric, project: Project) -> None:
    """The votes under letters, with comments and seconds; names only for those who ask."""
    names = f"settle_names_{project.id}"
    named = bool(st.session_state.get(names))
    st.button(
        _("Hide the names") if named else _("Show the names"),
        shortcut="t",
        type="tertiary",
        on_click=lambda: st.session_state.update({names: not named}),
        key=f"names_{draft_of(pair.pair).nonce}",
    )
    for vote in pair.votes:
        who = f"{vote.letter} · {vote.rater}" if named else vote.letter
        seconds = "" if vote.seconds is None else _("{seconds} s", seconds=f"{vote.seconds:.0f}")
        comment = f'<div dir="auto" style="white-space:pre-wrap;margin-top:.2rem">{as_html(vote.comment)}</div>'
        word = next((level.label for level in rubric.levels if level.grade == vote.grade), "")
        st.html(
            '<div style="border-left:3px solid var(--st-primary-color, #0b6e69);padding:.15rem .7rem;margin:.15rem 0">'
            f"<strong>{as_html(who)}: {vote.grade}</strong> {as_html(word)} "
            f'<span style="opacity:.65">{as_html(seconds)}</span>{comment if vote.comment else ""}</div>'
        )
    for remark in pair.remarks:
        show_inline(remark, before=_("Could not judge:"))
    if not pair.votes:
        st.caption(_("This pair has no vote."))


def draw_settled(actor: Actor, project: Project, pair: DisputedPair, rubric: Rubric, stay: Callable[[], None]) -> None:
    """What was decided, and the way to open the pair again; the page then stays with it."""
    decision = pair.decision
    if decision is None:
        return
    words = _("Settled: grade {grade}, {reason}.", grade=decision.grade, reason=reason_word(decision.reason))
    with st.container(border=True):
        show_inline(words, strong=True)
        if decision.blind_grade is not None and decision.blind_grade != decision.grade:
            st.caption(_("Before the votes were seen, the lead gave {grade}.", grade=decision.blind_grade))
        if decision.rubric_change:
            show_inline(clause_word(decision.clause, rubric), before=_("The rubric needs a change:"))
        if decision.note:
            show_text(decision.note)
        draft = draft_of(pair.pair)
        if draft.fault:
            st.warning(draft.fault, icon=":material/warning:")
        st.button(
            _("Open it again"),
            shortcut="w",
            on_click=_withdraw,
            args=(actor, project.id, pair.pair, draft.nonce, decision.blind_grade, stay),
            key=f"withdraw_{draft.nonce}",
        )


def _withdraw(
    actor: Actor, project_id: int, pair: int, nonce: str, blind: int | None, stay: Callable[[], None]
) -> None:
    with writing() as session:
        disputes.withdraw_decision(session, actor, project_id, pair, act_id=nonce)
    st.session_state[_DRAFTS][pair] = Draft(uuid.uuid4().hex, seen=True, blind=blind, grade=blind)
    stay()


def draw_decision(
    actor: Actor,
    project: Project,
    pair: DisputedPair,
    rubric: Rubric,
    go_on: Callable[[], None],
    stay: Callable[[], None],
) -> None:
    """The decision: the blind grade stands until another is chosen; a reason, a note, what the rubric lacks."""
    draft = draft_of(pair.pair)
    st.markdown(_("**The decision**"))
    with st.container(horizontal=True, gap="small"):
        for level in rubric.levels:
            st.button(
                str(level.grade),
                shortcut=str(level.grade) if level.grade < 10 else None,
                help=plain_label(level.label),
                type="primary" if draft.grade == level.grade else "secondary",
                on_click=_choose,
                args=(pair.pair,),
                kwargs={"grade": level.grade},
                key=f"grade_{level.grade}_{draft.nonce}",
            )
    _say_grade(draft, rubric)
    st.caption(_("Why they differ"))
    with st.container(horizontal=True, gap="small"):
        for key, reason in zip(REASON_KEYS, list_reasons(project), strict=False):
            st.button(
                plain_label(reason_word(reason)),
                shortcut=key,
                type="primary" if draft.reason == reason else "secondary",
                on_click=_choose,
                args=(pair.pair,),
                kwargs={"reason": reason},
                key=f"reason_{key}_{draft.nonce}",
            )
    _draw_change(pair.pair, draft, rubric)
    note_area(_("Note (optional); e goes here, Esc leaves"), f"note_{draft.nonce}", height=70)
    if draft.fault:
        st.error(draft.fault)
    st.button(
        _("Settle and go on"),
        type="primary",
        shortcut="Enter",
        on_click=_settle,
        args=(actor, project.id, pair.pair, draft.nonce, go_on, stay),
        key=f"settle_{draft.nonce}",
    )


def _say_grade(draft: Draft, rubric: Rubric) -> None:
    if draft.grade is None:
        st.caption(_("No grade chosen yet."))
        return
    words = grade_word(draft.grade, rubric)
    if draft.blind is None:
        show_inline(words)
    elif draft.blind == draft.grade:
        show_inline(words, before=_("Your grade before the votes:"))
    else:
        show_inline(_("{grade} (before the votes: {blind})", grade=words, blind=draft.blind))


def _draw_change(pair: int, draft: Draft, rubric: Rubric) -> None:
    """The mark that the rubric needs a change, and the clause that it concerns."""
    clauses = list_clauses(rubric)
    start = f"grade {draft.grade}" if draft.grade is not None else clauses[-1]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            _("The rubric needs a change"),
            shortcut="u",
            icon=":material/check_box:" if draft.change else ":material/check_box_outline_blank:",
            on_click=_choose,
            args=(pair,),
            kwargs={"change": not draft.change, "clause": "" if draft.change else start},
            key=f"change_{draft.nonce}",
        )
        if draft.change:
            after = clauses[(clauses.index(draft.clause) + 1) % len(clauses)] if draft.clause in clauses else start
            st.button(
                _("Clause: {clause}", clause=plain_label(clause_word(draft.clause, rubric))),
                shortcut="x",
                help=_("Each press names the next clause."),
                on_click=_choose,
                args=(pair,),
                kwargs={"clause": after},
                key=f"clause_{draft.nonce}",
            )


def _settle(
    actor: Actor, project_id: int, pair: int, nonce: str, go_on: Callable[[], None], stay: Callable[[], None]
) -> None:
    """Store the decision; the page then shows the next pair. A second press of the same draft stores nothing more.

    Nor does a decision on a pair that another lead settled in the meantime: the page then stays with it and says so.
    """
    draft = draft_of(pair)
    if draft.nonce != nonce:
        return
    if draft.grade is None or draft.reason is None:
        draft.fault = _("Choose a grade and a reason first.")
        return
    try:
        with writing() as session:
            if disputes.show_disputed_pair(session, actor, project_id, pair).decision is not None:
                draft.fault = _("It was settled in the meantime, as it stands here. Your decision was not stored.")
                stay()
                return
            disputes.decide(
                session,
                actor,
                project_id,
                pair,
                grade=draft.grade,
                reason=draft.reason,
                note=str(st.session_state.get(f"note_{nonce}") or ""),
                blind_grade=draft.blind,
                rubric_change=draft.change,
                clause=draft.clause if draft.change else "",
                act_id=nonce,
            )
    except AssayError as fault:
        show_fault(fault)
        return
    st.session_state[_DRAFTS].pop(pair, None)
    go_on()
