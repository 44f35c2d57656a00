"""The order in which disputes are settled: widest difference, query by query, or by what settling one can move.

Knows votes and runs; what a pair can move comes from metrics.
"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.aggregation import consolidate, parse_rule
from labeling.collection import list_runs, read_runs
from labeling.database import reading
from labeling.disputes import Dispute, read_decisions
from labeling.errors import AssayError
from labeling.projects import Project
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import show_fault
from labeling.ui.texts import _
from labeling.votes import read_votes
from metrics import Influence, Run, Votes, evaluate, find_influence

__all__ = ["order_disputes", "show_influence"]

MEASURE = "nDCG@10"
Key = tuple[str, str]


@st.cache_data(max_entries=16, show_spinner=False)
def _influence(
    votes: pd.DataFrame,
    name: str,
    _runs: Sequence[Run],
    hashes: tuple[str, ...],  # noqa: ARG001 - stands for the runs, which are not hashed
    a: str,
    b: str,
) -> Influence:
    return find_influence(Votes(votes, name=name), list(_runs), MEASURE, a, b)


@st.cache_data(max_entries=16, show_spinner=False)
def _best_first(votes: pd.DataFrame, _runs: Sequence[Run], hashes: tuple[str, ...]) -> list[str]:  # noqa: ARG001
    """The runs by their mean under the median votes: those at the top are the ones a team chooses between."""
    qrels = consolidate(votes, parse_rule("median"), ties="lower").qrels()
    means = evaluate(qrels, list(_runs), [MEASURE]).means
    return list(means.sort_values("mean", ascending=False, kind="stable")["run"])


def order_disputes(
    actor: Actor, project: Project, listed: list[Dispute], order: str
) -> tuple[list[Dispute], Influence | None]:
    """The disputes in an order: spread, query, or influence on the comparison of two runs that the lead chooses."""
    if order == "query":
        return sorted(listed, key=lambda one: (one.query_id, one.doc_id)), None
    if order != "influence":
        return listed, None
    try:
        found = _choose_comparison(actor, project)
    except AssayError as fault:
        show_fault(fault)
        return listed, None
    if found is None:
        st.caption(_("This order needs two runs."))
        return listed, None
    swing = dict(zip(_keys(found), found.pairs["swing"], strict=True))
    return sorted(listed, key=lambda one: -swing.get((one.query_id, one.doc_id), 0.0)), found


def _keys(found: Influence) -> list[Key]:
    return list(zip(found.pairs["query_id"], found.pairs["doc_id"], strict=True))


def _choose_comparison(actor: Actor, project: Project) -> Influence | None:
    with reading() as session:
        votes = _with_decisions(read_votes(session, actor, project.id), read_decisions(session, actor, project.id))
        hashes = tuple(row.sha256 for row in list_runs(session, project.id))
        runs = read_runs(session, project.id)
    if len(runs) < 2:
        return None
    tags = _best_first(votes, runs, hashes)
    left, right = st.columns(2)
    a = left.selectbox("A", tags, key=f"influence_a_{project.id}")
    b = right.selectbox("B", [tag for tag in tags if tag != a], key=f"influence_b_{project.id}")
    with st.spinner(_("Trying every disputed pair…")):
        found = _influence(votes, project.name, runs, hashes, a, b)
    st.markdown(_comparison_words(found))
    return found


def _with_decisions(votes: pd.DataFrame, decisions: pd.DataFrame) -> pd.DataFrame:
    """The votes, with those of settled pairs replaced by the decision: what is settled moves no more."""
    keys = ["query_id", "doc_id"]
    settled = votes.set_index(keys).index.isin(decisions.set_index(keys).index)
    grades = decisions[[*keys, "grade"]].assign(rater="decision")
    return pd.concat([votes[~settled], grades], ignore_index=True)[[*keys, "rater", "grade"]]


def _comparison_words(found: Influence) -> str:
    """What settling can do to the comparison, as far as it is known."""
    ahead, behind = (found.a, found.b) if found.difference >= 0 else (found.b, found.a)
    words = _(
        "With the lower median of the votes, **{ahead}** is ahead of {behind} by {difference} in {measure}.",
        ahead=plain_label(ahead),
        behind=plain_label(behind),
        difference=f"{abs(found.difference):.4f}",
        measure=str(found.measure),
    )
    if len(found.reversal):
        return f"{words} " + _(
            "Settling {count} pairs the other way is enough to reverse that.", count=len(found.reversal)
        )
    return f"{words} " + _("No settling of the disputed pairs that was tried reverses that.")


def show_influence(found: Influence | None, query_id: str, doc_id: str) -> None:
    """What settling the pair on the screen can do to the comparison."""
    if found is None:
        return
    row = found.pairs[(found.pairs["query_id"] == query_id) & (found.pairs["doc_id"] == doc_id)]
    if row.empty or row["swing"].iloc[0] == 0:
        st.caption(_("Settling this pair does not move the comparison."))
        return
    st.caption(
        _(
            "Settling this pair puts A - B between {lowest} and {highest}.",
            lowest=f"{row['lowest'].iloc[0]:+.4f}",
            highest=f"{row['highest'].iloc[0]:+.4f}",
        )
    )
