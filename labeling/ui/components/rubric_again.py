"""A new version of the rubric: what reads otherwise, word by word, and the pairs that raters judge again under it.

Knows versions, previews and the act; which pairs are meant is the noun's.
"""

import uuid

import streamlit as st

from labeling.accounts import Actor
from labeling.collection import read_queries_table
from labeling.database import reading
from labeling.decisions import read_decision_details
from labeling.judging_again import Again, preview_again, send_again
from labeling.older_rule import Change, compare_rubrics
from labeling.projects import Project
from labeling.rubric_diff import mark_words
from labeling.rubrics import Rubric
from labeling.ui.components.settle_words import clause_word, grade_word
from labeling.ui.components.untrusted import as_html, option_label
from labeling.ui.state import attempt_writing
from labeling.ui.texts import _, _n

__all__ = ["draw_again", "draw_diff"]

_NONCE = "judge_again_nonce"
_STYLE = {
    "same": "",
    "gone": "text-decoration:line-through;background:rgba(200,60,60,.16);border-radius:2px",
    "new": "text-decoration:underline;background:rgba(40,140,70,.18);border-radius:2px",
}
_TAG = {"same": "span", "gone": "del", "new": "ins"}


def draw_diff(before: Rubric, now: Rubric) -> None:
    """What reads otherwise: what went is struck out, what came is underlined."""
    changes = compare_rubrics(before, now)
    if not changes:
        st.caption(_("Every level and text reads as it did."))
    for change in changes:
        pieces = "".join(
            f'<{_TAG[kind]} style="{_STYLE[kind]}">{as_html(text)}</{_TAG[kind]}>'
            for kind, text in mark_words(change.before, change.after)
        )
        st.html(
            f"<strong>{as_html(_part(change, now))}</strong>"
            f'<div dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{pieces}</div>'
        )


def _part(change: Change, now: Rubric) -> str:
    if change.grade is None:
        return _("What raters read first")
    parts = {"label": _("word"), "definition": _("definition"), "examples": _("examples")}
    return f"{grade_word(change.grade, now)}: {parts[change.part]}"


def draw_again(actor: Actor, project: Project, now: Rubric) -> None:
    """Choose pairs that were judged under older versions, see how many they are, and send them."""
    st.markdown(_("**Judge affected pairs again under version {version}**", version=now.version))
    st.caption(
        _(
            "Those who voted find the pairs under My judgments, with the new version. "
            "Their new grades are new rows; the old ones stay readable."
        )
    )
    with reading() as session:
        decisions = read_decision_details(session, actor, project.id)
        table = read_queries_table(session, project.id)
    queries = {one: text or one for one, text in zip(table["query_id"], table["text"], strict=True)}
    marked = decisions[decisions["rubric_change"] & (decisions["rubric_version"].astype(int) < now.version)]
    way = st.segmented_control(
        _("Which pairs"),
        ["clause", "older"],
        default="clause" if len(marked) else "older",
        required=True,
        format_func=lambda one: {
            "clause": _("whose decision asks for a change of the rubric"),
            "older": _("judged under an older version"),
        }[one],
        key=f"again_way_{project.id}_{now.version}",
    )
    left, right = st.columns(2)
    clause: str | None = None
    grade: int | None = None
    query_id: str | None = None
    if way == "clause":
        clauses = {"": _("any clause")} | {one: clause_word(one, now) for one in sorted(set(marked["clause"])) if one}
        clause = left.selectbox(
            _("Clause"),
            list(clauses),
            format_func=lambda one: option_label(clauses[one]),
            key=f"again_clause_{project.id}",
        )
    else:
        grade = left.selectbox(
            _("Grade given"), now.grades, index=None, placeholder=_("any grade"),
            format_func=lambda one: option_label(grade_word(one, now)), key=f"again_grade_{project.id}",
        )  # fmt: skip
        query_id = right.selectbox(
            _("Query"), list(queries), index=None, placeholder=_("All queries"),
            format_func=lambda one: option_label(queries[one]), key=f"again_query_{project.id}",
        )  # fmt: skip
    with reading() as session:
        found = preview_again(session, actor, project.id, clause=clause, grade=grade, query_id=query_id)
    _draw_preview(found)
    words = st.text_area(_("Words to the raters (optional)"), now.note, height=70, key=f"again_words_{project.id}")
    if st.button(
        _n("Send {count} pair", "Send {count} pairs", len(found.pairs)),
        type="primary",
        disabled=not found.pairs,
        key=f"again_send_{project.id}",
    ):
        _send(actor, project, found, words)


def _draw_preview(found: Again) -> None:
    sentences = [
        _n(
            "{count} pair goes to those who voted on it: {raters} raters.",
            "{count} pairs go to those who voted on them: {raters} raters.",
            len(found.pairs),
            raters=found.raters,
        )
    ]
    if found.settled:
        sentences.append(
            _n(
                "{count} of them is settled: its decision is withdrawn, and stays readable.",
                "{count} of them are settled: their decisions are withdrawn, and stay readable.",
                found.settled,
            )
        )
    if found.unreachable:
        sentences.append(
            _n(
                "{count} pair is left out: nobody who voted on it has an account here.",
                "{count} pairs are left out: nobody who voted on them has an account here.",
                found.unreachable,
            )
        )
    if found.waiting:
        sentences.append(_n("{count} pair waits already.", "{count} pairs wait already.", found.waiting))
    st.markdown(" ".join(sentences))


def _send(actor: Actor, project: Project, found: Again, words: str) -> None:
    nonce = st.session_state.setdefault(_NONCE, uuid.uuid4().hex)
    number = attempt_writing(
        lambda session: send_again(session, actor, project.id, found.pairs, text=words, act_id=nonce)
    )
    if number is not None:
        st.session_state.pop(_NONCE, None)
        st.toast(_n("{count} pair was sent.", "{count} pairs were sent.", number))
        st.rerun()
