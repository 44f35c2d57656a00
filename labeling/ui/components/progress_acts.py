"""What a lead can change about progress: pairs given back, more or fewer votes, the unjudged top of a run.

Knows the choices of the page; the nouns do the work, in one transaction each.
"""

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from labeling import progress
from labeling.accounts import Actor
from labeling.assignments import OverlapChange, PairChoice, change_overlap, preview_overlap
from labeling.collection import list_runs
from labeling.database import reading
from labeling.projects import Project
from labeling.rater_notes import reassign_pairs
from labeling.run_pairs import RunTop, add_unjudged, preview_unjudged
from labeling.twins import refresh_twins
from labeling.ui.components.done import keep_done
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.setup_twins import say_twins
from labeling.ui.components.untrusted import plain_label
from labeling.ui.components.uploads import show_examples
from labeling.ui.state import attempt_reading, attempt_writing
from labeling.ui.texts import _

__all__ = ["draw_change", "draw_held", "draw_overlap", "draw_run_top"]


def draw_held(actor: Actor, project: Project) -> None:
    """Who holds pairs, and the button that gives them back to everybody."""
    with reading() as session:
        claims = progress.list_claims(session, actor, project.id, now=datetime.now(UTC))
    if claims.empty:
        st.caption(_("Nobody holds a pair at the moment."))
        return
    shown = pd.DataFrame(
        {
            _("Rater"): claims["rater"],
            _("Holds"): claims["held"],
            _("First of them until (UTC)"): [f"{one:%Y-%m-%d %H:%M}" for one in claims["first"]],
            _("Last of them until (UTC)"): [f"{one:%Y-%m-%d %H:%M}" for one in claims["until"]],
        }
    )
    st.dataframe(shown, hide_index=True, width="stretch")
    names = dict(zip(claims["rater_id"].tolist(), claims["rater"].tolist(), strict=True))
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    rater_id = left.selectbox(
        _("Give back the pairs of"), list(names), format_func=names.__getitem__, key=f"held_{project.id}"
    )
    if right.button(_("Give back"), width="stretch", key=f"give_back_{project.id}"):
        done = attempt_writing(lambda session: reassign_pairs(session, actor, project.id, int(rater_id)))
        if done is not None:
            words = _(
                "{count} pairs of {rater} are free for everybody again; a grade that is on its way is still kept.",
                count=done.released,
                rater=plain_label(names[rater_id]),
            )
            keep_done(words)
            st.rerun()


def draw_overlap(actor: Actor, project: Project, queries: pd.DataFrame) -> None:
    """More votes, or fewer, for a query or for the disputed pairs; what that asks for stands before the button."""
    texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    left, middle, right = st.columns([2, 3, 1])
    words = {"disputed": _("disputed pairs without a decision"), "query": _("all pairs of queries"), "both": _("disputed pairs of queries")}  # fmt: skip
    which = left.selectbox(
        _("Which pairs"), list(words), format_func=words.__getitem__, key=f"extend_which_{project.id}"
    )
    chosen: list[str] = []
    if which != "disputed":
        chosen = middle.multiselect(
            _("Queries"),
            list(texts),
            format_func=lambda one: f"{one} · {texts.get(one) or ''}",
            placeholder=_("choose"),
            key=f"extend_queries_{project.id}",
        )
    overlap = right.number_input(
        _("Votes wanted per pair"), 1, 20, min(project.overlap + 1, 20), key=f"extend_overlap_{project.id}"
    )
    if which != "disputed" and not chosen:
        st.caption(_("Choose a query to see what this would ask for."))
        return
    choice = PairChoice(queries=tuple(chosen), disputed=which != "query")
    draw_change(actor, project, choice, int(overlap), key=f"extend_{project.id}")


def draw_change(actor: Actor, project: Project, choice: PairChoice, overlap: int, *, key: str) -> None:
    """What an overlap asks for, and the button that sets it."""
    planned = attempt_reading(lambda session: preview_overlap(session, actor, project.id, choice, overlap))
    if planned is None:
        return
    st.markdown(change_words(planned, overlap))
    label = _("Set {overlap} votes for {pairs} pairs", overlap=overlap, pairs=f"{planned.raised + planned.lowered:,}")
    if st.button(label, disabled=not (planned.raised or planned.lowered), key=key):
        extend_pairs(actor, project, choice, overlap)


def change_words(planned: OverlapChange, overlap: int) -> str:
    """What an overlap means, in a sentence or two."""
    if not planned.raised and not planned.lowered:
        return _("{pairs} pairs, and nothing to change about them.", pairs=f"{planned.pairs:,}")
    words = _(
        "{pairs} pairs: {raised} get more, {lowered} fewer. **{votes} further votes** are then wanted of them, {change} than now.",
        pairs=f"{planned.pairs:,}",
        raised=f"{planned.raised:,}",
        lowered=f"{planned.lowered:,}",
        votes=f"{planned.votes_after:,}",
        change=f"{planned.more_votes:+,}",
    )
    if not planned.kept_higher:
        return words
    kept = _(
        "{count} have more votes than {overlap} already and keep them.",
        count=f"{planned.kept_higher:,}",
        overlap=overlap,
    )
    return f"{words} {kept}"


def extend_pairs(actor: Actor, project: Project, choice: PairChoice, overlap: int) -> None:
    """Set an overlap, and say so on the page that is drawn next."""
    done = attempt_writing(lambda session: change_overlap(session, actor, project.id, choice, overlap))
    if done is not None:
        said = _("Set. {votes} further votes are wanted of these pairs.", votes=f"{done.votes_after:,}")
        if done.promoted:
            more = _("{count} surplus grades took a new place at once.", count=f"{done.promoted:,}")
            said = f"{said} {more}"
        keep_done(said)
        st.rerun()


def draw_run_top(actor: Actor, project: Project) -> None:
    """How much of the first ranks of runs is judged, and the button that adds the rest."""
    with reading() as session:
        tags = [row.tag for row in list_runs(session, project.id)]
    if not tags:
        st.caption(_("This project has no runs; add some in the setup."))
        return
    left, right = st.columns([3, 1])
    chosen = left.multiselect(_("Runs"), tags, default=tags[-1:], placeholder=_("choose"), key=f"top_runs_{project.id}")
    depth = right.number_input(_("First ranks (k)"), 1, 1000, project.depth, key=f"top_depth_{project.id}")
    if not chosen:
        return
    found = attempt_reading(lambda session: preview_unjudged(session, actor, project.id, tuple(chosen), int(depth)))
    if found is None:
        return
    draw_run_shares(found)
    label = _("Add {count} pairs to what is judged", count=f"{len(found.new):,}")
    if st.button(label, disabled=found.new.empty, type="primary", key=f"top_add_{project.id}"):
        added = attempt_writing(lambda session: add_unjudged(session, actor, project.id, tuple(chosen), int(depth)))
        if added is not None:
            with st.spinner(_("Looking for near-duplicates…")):
                say_twins(refresh_twins(actor, project.id))
            words = _(
                "{pairs} pairs added; {votes} votes are wanted of them.",
                pairs=f"{len(added.new):,}",
                votes=f"{added.votes:,}",
            )
            keep_done(words)
            st.rerun()


def draw_run_shares(found: RunTop) -> None:
    """judged@k of each run, now and then, and what is left out."""
    names = {
        "run": _("Run"),
        "now": _("Judged@{k} now", k=found.depth),
        "queued": _("once all pairs here are judged"),
        "after": _("with the new pairs judged, too"),
    }
    share = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)
    config = {names[one]: share for one in ("now", "queued", "after")}
    st.dataframe(found.runs.rename(columns=names), hide_index=True, width="stretch", column_config=config)
    st.caption(
        _(
            "The mean over the run's queries of the share of its first {k} documents with a vote or a decision.",
            k=found.depth,
        )
    )
    draw_figures(
        (
            (_("New pairs"), f"{len(found.new):,}"),
            (_("Votes that they want"), f"{found.votes:,}"),
            (_("There already, not yet judged"), f"{found.waiting:,}"),
        )
    )
    for left_out, words in (
        (found.without_text, _("{count} pairs are left out: their documents have no text here.", count=f"{len(found.without_text):,}")),
        (found.without_query, _("{count} pairs are left out: their queries have no text here.", count=f"{len(found.without_query):,}")),
    ):  # fmt: skip
        if len(left_out):
            st.warning(words)
            show_examples([f"{one.query_id} · {one.doc_id}" for one in left_out.head(5).itertuples()])
