"""Suggestions of where a grade may be wrong: a model's, copies with different grades, failed gold; each with its reason.

Knows suspects; a click or n and p open their pairs for settling like any other.
"""

from collections.abc import Collection

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.disputes import Dispute, DisputedPair, describe_pairs, list_pairs_by_ids
from labeling.label_errors import COLUMNS, FEWEST_QUERIES, FEWEST_VOTES, find_unlikely_votes
from labeling.projects import Project
from labeling.suspects import Suspect, list_known_suspects, read_model_material
from labeling.ui.components.settle_words import votes_word
from labeling.ui.components.tables import choose_row
from labeling.ui.components.untrusted import plain_label
from labeling.ui.texts import _
from labeling.votes import stamp_ledger

__all__ = ["list_suspects", "show_why"]

SHOWN = 100
_WHY = "settle_why"
Key = tuple[str, str]


@st.cache_data(max_entries=8, show_spinner=False)
def _model_suspects(_actor: Actor, project_id: int, stamp: tuple[object, ...]) -> list[Suspect]:  # noqa: ARG001
    with reading() as session:
        votes, queries, documents = read_model_material(session, _actor, project_id)
    table = find_unlikely_votes(votes, queries, documents).drop_duplicates(["query_id", "doc_id"])
    found = []
    for query_id, doc_id, _rater, grade, own, low, high, share in table[COLUMNS].itertuples(index=False, name=None):
        found.append(Suspect("model", query_id, doc_id, (int(grade),), own, int(low), int(high), share))
    return found


def why_words(one: Suspect) -> str:
    """The reason to look at a pair again, in words and numbers."""
    if one.kind == "twin":
        return _(
            "copy {other} has {others}, this one {grades}",
            other=one.other_doc_id,
            others=votes_word(one.other_grades),
            grades=votes_word(one.grades),
        )
    if one.kind == "gold":
        return _("gold {known}, given {grades}", known=votes_word(one.other_grades), grades=votes_word(one.grades))
    share = f"{100 * one.range_probability:.0f}"
    vote = votes_word(one.grades)
    if one.low == one.high:
        return _("model: {share} % grade {low}, vote {vote}", share=share, low=one.low, vote=vote)
    if one.high == one.low + 1:
        return _(
            "model: {share} % grade {low} or {high}, vote {vote}", share=share, low=one.low, high=one.high, vote=vote
        )
    return _("model: {share} % grade {low} to {high}, vote {vote}", share=share, low=one.low, high=one.high, vote=vote)


def list_suspects(actor: Actor, project: Project, disputed: Collection[Dispute]) -> list[Dispute]:
    """The pairs that are suggested, most suspicious first; what is settled or an open dispute stands in its own list."""
    st.info(
        _(
            "Suggestions, not judgments: a model finds these grades unlikely, or copies and gold contradict them. "
            "The model knows how much query and document share, the pair's other votes and how the rater grades; "
            "it was trained on the other queries."
        ),
        icon=":material/lightbulb:",
    )
    with reading() as session:
        stamp = stamp_ledger(session, actor, project.id)
        known = list_known_suspects(session, actor, project.id)
    with st.spinner(_("Learning from the votes…")):
        modelled = _model_suspects(actor, project.id, stamp)
    if not modelled:
        words = _("The model needs {votes} votes on {queries} queries.", votes=FEWEST_VOTES, queries=FEWEST_QUERIES)
        st.caption(words)
    why: dict[Key, list[str]] = {}
    for one in [*known, *modelled[: SHOWN + len(disputed)]]:
        why.setdefault((one.query_id, one.doc_id), []).append(why_words(one))
    with reading() as session:
        numbers = list_pairs_by_ids(session, actor, project.id, why)
        described = describe_pairs(session, actor, project.id, numbers.values())
    elsewhere = {one.pair for one in disputed}
    by_pair = {one.pair: one for one in described if one.decided is None and one.pair not in elsewhere}
    listed = [by_pair[numbers[key]] for key in why if numbers.get(key) in by_pair][:SHOWN]
    st.session_state[f"{_WHY}_{project.id}"] = {one.pair: why[one.query_id, one.doc_id] for one in listed}
    _draw_list(project, listed, why)
    return listed


def _draw_list(project: Project, listed: list[Dispute], why: dict[Key, list[str]]) -> None:
    if not listed:
        return
    table = pd.DataFrame(
        {
            "query": [one.query or one.query_id for one in listed],
            "document": [one.title or one.doc_id for one in listed],
            "votes": [votes_word(one.grades) for one in listed],
            "why": ["; ".join(why[one.query_id, one.doc_id]) for one in listed],
        }
    )
    with st.expander(_("The list ({count}), with the votes: choose a row to open its pair", count=f"{len(listed):,}")):
        row = choose_row(
            table,
            f"settle_suspects_{project.id}",
            height=min(320, 38 + 35 * len(listed)),
            columns={
                "query": st.column_config.TextColumn(_("Query")),
                "document": st.column_config.TextColumn(_("Document")),
                "votes": st.column_config.TextColumn(_("Votes"), width="small"),
                "why": st.column_config.TextColumn(_("Why"), width="large"),
            },
        )
    chosen = None if row is None else listed[row].pair
    last = f"settle_suspect_last_{project.id}"
    if chosen is not None and st.session_state.get(last) != chosen:
        st.query_params["pair"] = str(chosen)
    st.session_state[last] = chosen


def show_why(project: Project, pair: DisputedPair) -> None:
    """Why the pair on the screen was suggested; only once the lead has graded it."""
    words = st.session_state.get(f"{_WHY}_{project.id}", {}).get(pair.pair)
    if words and st.session_state.get(f"settle_view_{project.id}") == "unlikely":
        for one in words:
            st.caption(f":material/lightbulb: {plain_label(one, longest=300)}")
