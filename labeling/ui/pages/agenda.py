"""What the disputes say: which clauses, queries and raters cause them, with pairs and notes; an agenda for the next rubric."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.agenda import Agenda, Item, build_agenda, write_agenda
from labeling.database import reading
from labeling.decisions import read_decision_details
from labeling.disputes import Dispute, list_disputes
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.settle_words import clause_word, reason_word, votes_word
from labeling.ui.components.tables import choose_row
from labeling.ui.components.untrusted import plain_label, show_inline
from labeling.ui.state import current_project, go_to_project, project_switch, require
from labeling.ui.texts import _, _n


def read_agenda(actor: Actor, project: Project) -> tuple[Agenda, Rubric, dict[str, str]]:
    """The counts, the rubric in force, and the texts of the queries."""
    with reading() as session:
        decisions = read_decision_details(session, actor, project.id)
        found = list_disputes(session, actor, project.id)
        rubric = get_rubric(session, project.id)
    texts = {one.query_id: one.query for one in found}
    return build_agenda(decisions, as_table(found)), rubric, texts


def as_table(found: list[Dispute]) -> pd.DataFrame:
    """Disputes as the agenda counts them."""
    rows = [(one.query_id, one.doc_id, one.votes, one.decided is not None) for one in found]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "votes", "settled"], dtype=object)


def agenda_labels() -> dict[str, str]:
    """The words of the markdown file."""
    return {
        "clauses": _("Clauses that need a change"),
        "no_clause": _("No decision says so."),
        "reasons": _("Reasons"),
        "reason": _("Reason"),
        "pairs": _("Pairs"),
        "queries": _("Disputes by query"),
        "query": _("Query"),
        "disputes": _("Disputes"),
        "settled": _("Settled"),
        "rater_pairs": _("Disputes by two raters"),
        "raters": _("Raters"),
        "others": _("Other settled pairs"),
        "votes": _("votes"),
        "decided": _("decided"),
    }


def draw_clauses(project: Project, agenda: Agenda, rubric: Rubric) -> None:
    """Each clause that needs a change, with its pairs and notes."""
    st.subheader(_("Clauses that need a change"), anchor=False)
    if not agenda.clauses:
        st.caption(_("No decision says so. The mark stands beside the reason on the page Settle."))
    for clause, count in agenda.clauses:
        with st.expander(f"{plain_label(clause_word(clause, rubric))} ({count:,})", expanded=True):
            items = [item for item in agenda.items if item.rubric_change and item.clause == clause]
            draw_items(project, items, f"clause_{clause}")


def draw_items(project: Project, items: list[Item], key: str) -> None:
    """Settled pairs with their votes, reason and note; a row opens its pair."""
    table = pd.DataFrame(
        {
            "query": [item.query or item.query_id for item in items],
            "document": [item.title or item.doc_id for item in items],
            "votes": [votes_word(item.votes) for item in items],
            "grade": [item.grade for item in items],
            "reason": [reason_word(item.reason) for item in items],
            "note": [item.note for item in items],
        }
    )
    chosen = choose_row(
        table,
        f"agenda_{project.id}_{key}",
        columns={
            "query": st.column_config.TextColumn(_("Query")),
            "document": st.column_config.TextColumn(_("Document")),
            "votes": st.column_config.TextColumn(_("Votes"), width="small"),
            "grade": st.column_config.NumberColumn(_("Decided"), width="small"),
            "reason": st.column_config.TextColumn(_("Reason")),
            "note": st.column_config.TextColumn(_("Note"), width="large"),
        },
    )
    if chosen is not None:
        go_to_project(project.id, "pages/settle.py", pair=str(items[chosen].pair))


def draw_table(rows: Sequence[tuple[object, ...]], names: list[str]) -> None:
    """Something and its counts, the counts narrow."""
    narrow = {name: st.column_config.NumberColumn(width=80) for name in names[1:]}
    wide = {names[0]: st.column_config.TextColumn(width=220)}
    table = pd.DataFrame(rows, columns=names)
    st.dataframe(table, hide_index=True, width="stretch", column_config=wide | narrow)


def draw_counts(agenda: Agenda, texts: dict[str, str]) -> None:
    """How often each reason was given, and where disputes gather."""
    left, middle, right = st.columns(3)
    with left:
        st.markdown(_("**Reasons**, of settled pairs"))
        rows = [(reason_word(one), count) for one, count in agenda.reasons]
        draw_table(rows, [_("Reason"), _("Pairs")])
    names = [_("Disputes"), _("Settled")]
    with middle:
        st.markdown(_("**Queries**, by their disputes"))
        by_query = [(texts.get(one) or one, count, settled) for one, count, settled in agenda.queries]
        draw_table(by_query, [_("Query"), *names])
    with right:
        st.markdown(_("**Two raters**, by the pairs they grade differently"))
        couples = [(f"{one}, {two}", count, settled) for (one, two), count, settled in agenda.rater_pairs]
        draw_table(couples, [_("Raters"), *names])


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Agenda"))
agenda, rubric, texts = read_agenda(actor, project)
if not agenda.items and not agenda.queries:
    empty_state(
        _("Nothing is disputed."),
        _("What leads settle adds up here: reasons, clauses, queries, as an agenda for the next rubric."),
        icon=":material/format_list_bulleted:",
    )
    st.stop()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    settled = _n("{count} settled pair", "{count} settled pairs", len(agenda.items))
    show_inline(_("{settled}, rubric version {version} is in force.", settled=settled, version=rubric.version))
    title = _("Agenda: {project}", project=project.name)
    text = write_agenda(
        agenda, title=title, labels=agenda_labels(), reason=reason_word, clause=partial(clause_word, rubric=rubric)
    )
    st.download_button(
        _("Download as markdown"), text, file_name="agenda.md", mime="text/markdown", icon=":material/download:",
        on_click="ignore",
    )  # fmt: skip
draw_clauses(project, agenda, rubric)
draw_counts(agenda, texts)
others = [item for item in agenda.items if not item.rubric_change]
if others:
    with st.expander(_("Other settled pairs ({count})", count=f"{len(others):,}")):
        draw_items(project, others, "others")
