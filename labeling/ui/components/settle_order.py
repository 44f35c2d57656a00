"""The order in which disputes are settled: widest difference, query, two raters, age, or by what settling one can move.

Knows votes and runs; what a pair can move comes from metrics.
"""

from collections import Counter
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
from labeling.rubrics import get_rubric
from labeling.settling import Certainty, find_certainty
from labeling.ui.components.untrusted import option_label, plain_label
from labeling.ui.state import show_fault
from labeling.ui.texts import _, _n
from labeling.votes import read_votes
from metrics import Influence, Run, Votes, evaluate, find_influence

__all__ = ["order_disputes", "show_influence", "start_at_the_top"]

MEASURE = "nDCG@10"
MOST_AT_ONCE = 300  # open disputes; above it the bounds are worked out only when asked for
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


def start_at_the_top() -> None:
    """Another list or another order begins with its first pair, not with the pair in hand."""
    for name in ("pair", "query", "doc"):
        st.query_params.pop(name, None)


def order_disputes(
    actor: Actor, project: Project, listed: list[Dispute], order: str
) -> tuple[list[Dispute], Influence | None]:
    """The disputes in an order that the lead chooses.

    spread, query, raters (those between two raters alone), age (oldest first), or influence on a comparison of two runs.
    """
    if order == "query":
        return sorted(listed, key=lambda one: (one.query_id, one.doc_id)), None
    if order == "age":
        return sorted(listed, key=_age), None
    if order == "raters":
        return _between_two(project, listed), None
    if order != "influence":
        return listed, None
    try:
        found, first = _choose_comparison(actor, project, listed)
    except AssayError as fault:
        show_fault(fault)
        return listed, None
    if found is None:
        st.caption(_("This order needs two runs."))
        return listed, None
    swing = dict(zip(_keys(found), found.pairs["swing"], strict=True))
    place = {key: number for number, key in enumerate(first)}  # what makes the winner certain comes first

    def strength(one: Dispute) -> tuple[int, float]:
        key = (one.query_id, one.doc_id)
        return place.get(key, len(place)), -swing.get(key, 0.0)

    return sorted(listed, key=strength), found


def _age(dispute: Dispute) -> tuple[float, str, str]:
    since = dispute.completed_at.timestamp() if dispute.completed_at is not None else float("inf")
    return since, dispute.query_id, dispute.doc_id


def _between_two(project: Project, listed: list[Dispute]) -> list[Dispute]:
    """The disputes in which two raters gave different grades; the two who differ most often come first."""
    counted = Counter(couple for one in listed for couple in one.rater_pairs)
    if not counted:
        return listed
    couples = sorted(counted, key=lambda couple: (-counted[couple], couple))
    chosen = st.selectbox(
        _("Between"),
        couples,
        format_func=lambda couple: f"{option_label(couple[0])} – {option_label(couple[1])} ({counted[couple]:,})",  # noqa: RUF001
        key=f"settle_couple_{project.id}",
        on_change=start_at_the_top,
    )
    return [one for one in listed if chosen in one.rater_pairs]


def _keys(found: Influence) -> list[Key]:
    return list(zip(found.pairs["query_id"], found.pairs["doc_id"], strict=True))


def _choose_comparison(
    actor: Actor, project: Project, listed: list[Dispute]
) -> tuple[Influence | None, tuple[Key, ...]]:
    with reading() as session:
        votes = _with_decisions(read_votes(session, actor, project.id), read_decisions(session, actor, project.id))
        hashes = tuple(row.sha256 for row in list_runs(session, project.id))
        runs = read_runs(session, project.id)
        scale = get_rubric(session, project.id).grades
    if len(runs) < 2:
        return None, ()
    tags = _best_first(votes, runs, hashes)
    left, right = st.columns(2)
    a = left.selectbox("A", tags, key=f"influence_a_{project.id}", on_change=start_at_the_top)
    b = right.selectbox(
        "B", [tag for tag in tags if tag != a], key=f"influence_b_{project.id}", on_change=start_at_the_top
    )
    with st.spinner(_("Trying every disputed pair…")):
        found = _influence(votes, project.name, runs, hashes, a, b)
    st.markdown(_comparison_words(found))
    open_ones = tuple(sorted((one.query_id, one.doc_id) for one in listed if one.decided is None))
    wanted = st.toggle(
        _("Say when the winner is certain"),
        value=len(open_ones) <= MOST_AT_ONCE,
        help=_("With thousands of open disputes this takes a minute."),
        key=f"settle_certain_{project.id}",
    )
    if not wanted or not open_ones:
        return found, ()
    with st.spinner(_("Working out what settling can still change…")):
        certainty = _certainty(votes, open_ones, scale, runs, hashes, a, b)
    st.markdown(_certainty_words(certainty))
    return found, certainty.first


@st.cache_data(max_entries=16, show_spinner=False)
def _certainty(
    votes: pd.DataFrame,
    open_ones: tuple[Key, ...],
    scale: tuple[int, ...],
    _runs: Sequence[Run],
    hashes: tuple[str, ...],  # noqa: ARG001 - stands for the runs, which are not hashed
    a: str,
    b: str,
) -> Certainty:
    return find_certainty(votes, open_ones, scale, _runs, MEASURE, a, b)


def _certainty_words(found: Certainty) -> str:
    """Whether the winner is certain, or after which disputes it would be."""
    if found.certain:
        return _(
            "**More settling changes nothing about that:** whichever of their votes the {count} open disputes take, "
            "A - B stays between {lowest} and {highest}.",
            count=f"{found.open:,}",
            lowest=f"{found.lowest:+.4f}",
            highest=f"{found.highest:+.4f}",
        )
    if found.first and found.ahead is not None:
        return _n(
            "**Settle this {count} pair and the winner is certain:** where it stays at the lower median of its votes, "
            "{ahead} is ahead whatever the other {others} open disputes become.",
            "**Settle these {count} pairs and the winner is certain:** where they stay at the lower median of their votes, "
            "{ahead} is ahead whatever the other {others} open disputes become. They come first below.",
            len(found.first),
            ahead=plain_label(found.ahead),
            others=f"{found.open - len(found.first):,}",
        )
    return _("The winner is certain only when all {count} open disputes are settled.", count=f"{found.open:,}")


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
        return f"{words} " + _n(
            "Settling {count} pair the other way is enough to reverse that.",
            "Settling {count} pairs the other way is enough to reverse that.",
            len(found.reversal),
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
