"""Is it time to stop: two runs, a measure, and what further votes can still change between them.

Knows the choices of the page; the answer comes from labeling.stopping.
"""

from collections.abc import Collection, Sequence

import streamlit as st

from labeling.accounts import Actor
from labeling.assignments import PairChoice
from labeling.collection import list_runs
from labeling.database import reading
from labeling.decisions import stamp_decisions
from labeling.disputes import Dispute
from labeling.errors import AssayError
from labeling.projects import Counts, Project
from labeling.stop_words import advice_words, assumption_words, stop_words
from labeling.stopping import StopAnswer, ask_to_stop
from labeling.ui.components.progress_acts import draw_change
from labeling.ui.components.run_choice import one_measure
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import show_fault
from labeling.ui.texts import _
from labeling.votes import stamp_ledger

__all__ = ["draw_stop"]

_ICONS = {"stop": "check_circle", "level": "check_circle", "judge": "play_circle", "settle": "gavel", "noise": "help"}


@st.cache_data(max_entries=32, show_spinner=False)
def answered(
    stamp: tuple[object, ...],  # noqa: ARG001 - what the answer is remembered by
    _actor: Actor,
    project_id: int,
    a: str,
    b: str,
    measure: str,
) -> StopAnswer:
    """The answer for this state of the ledger; the same state is worked out once."""
    with reading() as session:
        return ask_to_stop(session, _actor, project_id, a, b, measure)


def draw_stop(actor: Actor, project: Project, counts: Counts, disputes: Sequence[Dispute]) -> None:
    """The whole section; with the project's counts and its disputes."""
    with reading() as session:
        tags = [row.tag for row in list_runs(session, project.id)]
        decided = stamp_decisions(session, actor, project.id)
        stamp = (*stamp_ledger(session, actor, project.id), decided, counts, project)
    if len(tags) < 2:
        st.caption(_("This needs two runs to compare."))
        return
    left, middle, right = st.columns(3)
    a = left.selectbox("A", tags, key=f"stop_a_{project.id}")
    b = middle.selectbox("B", [tag for tag in tags if tag != a], key=f"stop_b_{project.id}")
    with right:
        measure = one_measure(project, "stop")
    try:
        with st.spinner(_("Working out what votes can still change…")):
            answer = answered(stamp, actor, project.id, a, b, measure)
    except AssayError as fault:
        show_fault(fault)
        return
    draw = {"stop": st.success, "level": st.success, "noise": st.warning}.get(answer.advice, st.info)
    draw(f"**{advice_words(answer, _, plain_label)}**", icon=f":material/{_ICONS[answer.advice]}:")
    st.markdown("\n".join(f"- {line}" for line in stop_words(answer, _, plain_label)))
    if len(answer.next):
        open_ones = {(one.query_id, one.doc_id) for one in disputes if one.decided is None}
        draw_next(actor, project, answer, open_ones)
    with st.expander(_("What these numbers assume")):
        st.markdown("\n".join(f"- {line}" for line in assumption_words(_)))
        st.json(answer.to_json()["definition"], expanded=False)


def draw_next(actor: Actor, project: Project, answer: StopAnswer, disputed: Collection[tuple[str, str]]) -> None:
    """The most useful pairs, links to settle them, and one more vote for them."""
    st.markdown(_("**The most useful pairs next**"))
    table = answer.next.head(max(answer.first, 10))
    names = {
        "query_id": _("Query id"),
        "doc_id": _("Document id"),
        "votes": _("Votes"),
        "wanted": _("Wanted"),
        "disputed": _("Disputed"),
        "swing": _("Moves the difference by"),
        "reverses": _("Reverses it alone"),
    }
    number = st.column_config.NumberColumn(format="%.4f")
    shown = table[list(names)].rename(columns=names)
    st.dataframe(shown, hide_index=True, width="stretch", column_config={names["swing"]: number})
    to_settle = sum(pair in disputed for pair in zip(table["query_id"], table["doc_id"], strict=True))
    if to_settle:
        words = _("Settle the disputed ones among them ({count})", count=to_settle)
        st.page_link("pages/settle.py", label=words, icon=":material/gavel:")
    first = answer.next.head(max(answer.first, 1))
    full = first[first["lacking"] == 0]
    waiting = len(first) - len(full)
    if waiting:
        st.caption(
            _("{count} of the first {all} lack votes and are given to raters already.", count=waiting, all=len(first))
        )
    if len(full):
        overlap = st.number_input(
            _("Votes wanted for those of the first {count} that have all their votes", count=len(first)),
            1,
            20,
            min(int(full["wanted"].max()) + 1, 20),
            key=f"stop_overlap_{project.id}",
        )
        pairs = tuple(zip(full["query_id"], full["doc_id"], strict=True))
        draw_change(actor, project, PairChoice(pairs=pairs), int(overlap), key=f"stop_extend_{project.id}")
    st.download_button(
        _("All of these pairs (CSV)"), answer.next.to_csv(index=False), "next-pairs.csv", "text/csv", on_click="ignore"
    )
