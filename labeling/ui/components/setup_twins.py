"""Near-duplicates in the setup: which documents carry the same text, and what raters meet of it."""

import streamlit as st

from labeling import projects
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.projects import TWIN_MODES, Counts, Project
from labeling.twins import TwinCounts, count_twins, list_twin_conflicts, list_twins, refresh_twins
from labeling.ui.components.empty import empty_state
from labeling.ui.components.figures import draw_figures
from labeling.ui.state import attempt
from labeling.ui.texts import _

__all__ = ["draw", "say_twins"]

SHOWN_GROUPS = 200


def draw(actor: Actor, project: Project, counts: Counts) -> None:
    """How many there are, what the project makes of them, and the groups to look at."""
    st.markdown(
        _(
            "Runs often bring the same text several times: copied, cut, with another heading. Judged apart, copies cost "
            "time and get different grades."
        )
    )
    if not counts.pairs:
        empty_state(
            _("No pairs yet."), _("Near-duplicates are found when the pairs are made."), icon=":material/difference:"
        )
        return
    with reading() as session:
        found = count_twins(session, actor, project.id)
        conflicts = list_twin_conflicts(session, actor, project.id)
    draw_figures(
        (
            (_("Groups"), f"{found.groups:,}"),
            (_("Pairs in them"), f"{found.pairs:,}"),
            (_("Share of the pairs"), f"{found.pairs / counts.pairs:.0%}"),
            (_("Groups with different grades"), f"{len(conflicts):,}"),
        )
    )
    _draw_choice(actor, project)
    if found.groups:
        _draw_groups(actor, project)


def _draw_choice(actor: Actor, project: Project) -> None:
    words = {
        "all": _("Judge all of them, as if they were strangers"),
        "show": _("Judge them one after another, and show the grade that the rater gave the twin"),
        "carry": _("Judge one, and carry its grade to the others of the group"),
    }
    notes = {
        "all": _("The most votes; different grades on twins show how steady the raters are."),
        "show": _("Every pair keeps a vote of its own, and raters notice when they change their mind."),
        "carry": _("The fewest votes. Carried grades count as votes and are marked as carried in the ledger and in every export."),
    }  # fmt: skip
    with st.form(f"twins_{project.id}"):
        mode = st.radio(
            _("What raters meet"),
            TWIN_MODES,
            index=TWIN_MODES.index(project.twins),
            format_func=words.__getitem__,
            captions=[notes[mode] for mode in TWIN_MODES],
        )
        similarity = st.slider(
            _("Share of the shorter text that the longer one must hold"), 0.5, 1.0, project.twin_similarity, 0.05
        )
        if not st.form_submit_button(_("Save and find them again"), type="primary"):
            return

    def save() -> TwinCounts:
        with writing() as session:
            projects.change_project(session, actor, project.id, twins=mode, twin_similarity=similarity)
        return refresh_twins(actor, project.id)

    if attempt(save) is not None:
        st.rerun()


def _draw_groups(actor: Actor, project: Project) -> None:
    with reading() as session:
        table = list_twins(session, actor, project.id)
    some = table[table["group_number"] <= SHOWN_GROUPS]
    st.subheader(_("The groups"))
    if len(some) < len(table):
        st.caption(_("The first {shown} of {all} groups.", shown=SHOWN_GROUPS, all=f"{table['group_number'].max():,}"))
    st.dataframe(
        some[["group_number", "query", "doc_id", "similarity", "text"]].rename(
            columns={
                "group_number": _("Group"),
                "query": _("Query"),
                "doc_id": _("Document"),
                "similarity": _("Shared"),
                "text": _("Text"),
            }
        ),
        hide_index=True,
        width="stretch",
        column_config={_("Shared"): st.column_config.NumberColumn(format="percent")},
    )


def say_twins(found: TwinCounts) -> None:
    """A word on the near-duplicates among pairs that were just made."""
    if found.groups:
        st.toast(
            _(
                "{pairs} of the pairs are near-duplicates, in {groups} groups: see the step Near-duplicates.",
                pairs=f"{found.pairs:,}",
                groups=f"{found.groups:,}",
            ),
            icon=":material/difference:",
        )
