"""Pairs and settings in the setup: what depth and overlap cost, before anything is written.

Knows numbers only; the pool itself is the noun's work.
"""

import streamlit as st

from labeling.accounts import Actor
from labeling.pool import PoolPreview, build_pool, preview_pool
from labeling.projects import Counts, Project
from labeling.twins import refresh_twins
from labeling.ui.components.empty import empty_state
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.setup_settings import save_settings
from labeling.ui.components.setup_twins import say_twins
from labeling.ui.components.uploads import show_examples
from labeling.ui.state import attempt_reading, stored
from labeling.ui.texts import _
from labeling.words import DISPUTE_RULES

__all__ = ["draw_pool", "draw_settings"]

SECONDS_PER_JUDGMENT = 20


def draw_pool(actor: Actor, project: Project, counts: Counts) -> None:
    """Depth and overlap, what they make, and the button that makes it."""
    if not counts.runs:
        empty_state(
            _("No runs yet."),
            _("The pairs to judge are the top documents of the runs: add runs first."),
            icon=":material/format_list_numbered:",
        )
        return
    left, right = st.columns(2)
    depth = left.number_input(
        _("Depth: the top documents of every run"), 1, 1000, project.depth, key=f"depth_{project.id}"
    )
    overlap = right.number_input(
        _("Overlap: votes wanted per pair"), 1, 20, project.overlap, key=f"overlap_{project.id}"
    )
    wanted = {"depth": depth, "overlap": overlap}
    preview = attempt_reading(lambda session: preview_pool(session, actor, project.id, **wanted))
    if preview is None:
        return
    _show_preview(preview)
    pressed = st.button(
        _("Make these pairs"), type="primary", disabled=not preview.pairs, key=f"make_pool_{project.id}"
    )
    if pressed and stored(lambda session: build_pool(session, actor, project.id, **wanted)):
        with st.spinner(_("Looking for near-duplicates…")):
            say_twins(refresh_twins(actor, project.id))
        st.rerun()


def _show_preview(preview: PoolPreview) -> None:
    hours = preview.judgments * SECONDS_PER_JUDGMENT / 3600
    figures = (
        (_("Pairs"), f"{preview.pairs:,}"),
        (_("of them new"), f"{preview.new_pairs:,}"),
        (_("Judgments"), f"{preview.judgments:,}"),
        (_("Hours at {seconds} s each", seconds=SECONDS_PER_JUDGMENT), f"{hours:,.1f}"),
        (_("Pairs a query"), _("{fewest} to {most}", fewest=preview.fewest, most=preview.most)),
    )
    draw_figures(figures)
    if preview.pairs_without_text:
        st.warning(
            _(
                "{pairs} pairs are left out: {documents} documents of the runs have no text in this project.",
                pairs=f"{preview.pairs_without_text:,}",
                documents=f"{len(preview.documents_without_text):,}",
            )
        )
        show_examples(preview.documents_without_text[:5])
    if preview.pairs_of_unknown_queries:
        st.warning(
            _(
                "{pairs} pairs are left out: {queries} queries of the runs are not in this project.",
                pairs=f"{preview.pairs_of_unknown_queries:,}",
                queries=f"{len(preview.unknown_queries):,}",
            )
        )
        show_examples(preview.unknown_queries[:5])


def draw_settings(actor: Actor, project: Project) -> None:
    """Name, batches, claims, and when a pair counts as disputed."""
    with st.form(f"settings_{project.id}"):
        name = st.text_input(_("Name of the project"), project.name, max_chars=200)
        note = st.text_area(_("Note for the team"), project.note, height=80)
        first, second, third, fourth = st.columns(4)
        batch = first.number_input(_("Pairs a batch"), 1, 500, project.batch_size)
        minutes = second.number_input(_("Minutes a pair is held"), 1, 1440, project.claim_minutes)
        rule = third.selectbox(
            _("A pair is disputed at"),
            list(DISPUTE_RULES),
            index=list(DISPUTE_RULES).index(project.dispute_rule),
            format_func=lambda one: _(DISPUTE_RULES[one]),
        )
        threshold = fourth.number_input(_("Relevant from grade"), 1, 10, project.relevant_from)
        if st.form_submit_button(_("Save"), type="primary"):
            save_settings(
                actor, project,
                name=name, note=note, batch_size=batch, claim_minutes=minutes, dispute_rule=rule, relevant_from=threshold,
            )  # fmt: skip
