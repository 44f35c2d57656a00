"""How far the project is, who does what, and where to go next."""

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from labeling import progress, projects
from labeling.accounts import Actor
from labeling.collection import read_queries_table
from labeling.database import reading
from labeling.disputes import list_disputes
from labeling.projects import Counts, Project
from labeling.ui.components.charts import draw_bars
from labeling.ui.components.done import say_done
from labeling.ui.components.empty import empty_state
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.progress_acts import draw_held, draw_overlap, draw_run_top
from labeling.ui.components.progress_stop import draw_stop
from labeling.ui.state import current_project, project_switch, require
from labeling.ui.texts import _
from labeling.votes import count_raters


def draw_counts(counts: Counts, disputed: int, settled: int) -> None:
    """The numbers that a lead looks for first."""
    share = counts.votes / counts.wanted if counts.wanted else 0.0
    figures = (
        (_("Queries"), f"{counts.queries:,}"),
        (_("Pairs"), f"{counts.pairs:,}"),
        (_("Votes of those wanted"), f"{counts.votes:,} / {counts.wanted:,}"),
        (_("Complete pairs"), f"{counts.complete:,}"),
        (_("Disputed"), f"{disputed:,}"),
        (_("of them settled"), f"{settled:,}"),
    )
    draw_figures(figures)
    whole = 100 * counts.votes // max(counts.wanted, 1)  # never rounded up: 100% says that no vote is lacking
    st.progress(min(share, 1.0), text=_("{share} of the votes", share=f"{whole}%"))


def draw_next(counts: Counts, open_disputes: int) -> None:
    """The act that this state asks for."""
    if not counts.pairs:
        st.page_link("pages/setup.py", label=_("Choose the pairs to judge"), icon=":material/arrow_forward:")
    elif open_disputes:
        words = _("Settle the {count} open disputes", count=f"{open_disputes:,}")
        st.page_link("pages/settle.py", label=words, icon=":material/arrow_forward:")
    elif counts.votes:
        st.page_link("pages/disagreement.py", label=_("See what disagreement does"), icon=":material/arrow_forward:")


def draw_end(actor: Actor, project: Project) -> None:
    """When judging may end, with what that assumes."""
    with reading() as session:
        end = progress.expect_end(session, actor, project.id, now=datetime.now(UTC))
    if end.at is not None and end.rate is not None:
        st.markdown(
            _(
                "**Expected end: {day}.** {lacking} votes are lacking, at {rate} votes a day: the rate of the last {days} days. "
                "It assumes that people go on at this rate and that no pairs or votes are added.",
                day=f"{end.at:%Y-%m-%d}",
                lacking=f"{end.lacking:,}",
                rate=f"{end.rate:,.1f}",
                days=progress.RATE_DAYS,
            )
        )
        return
    why = {
        "done": _("every wanted vote is there"),
        "no_votes": _("nobody has judged here yet; judgments from files tell no rate"),
        "too_old": _("nobody has judged in the last {days} days", days=progress.RATE_DAYS),
    }[end.undefined or "done"]
    st.caption(_("Expected end: undefined, as {why}.", why=why))


def draw_raters(actor: Actor, project: Project) -> None:
    """What each rater has done."""
    with reading() as session:
        counted = count_raters(session, actor, project.id)
    if not counted:
        st.caption(_("Nobody has judged yet."))
        return
    table = pd.DataFrame(
        [
            {
                _("Rater"): one.name,
                _("Votes"): one.votes,
                _("Can't judge"): one.cannot_judge,
                _("Skipped"): one.skipped,
                _("Seconds a judgment"): None if one.seconds is None else round(one.seconds, 1),
            }
            for one in counted
        ]
    )
    st.dataframe(table, hide_index=True, width="stretch", placeholder="")


def draw_shares_of(table: pd.DataFrame) -> None:
    """A table of queries or slices with how complete each is."""
    names = {
        "query_id": _("Query id"),
        "text": _("Text"),
        "slice": _("Slice"),
        "queries": _("Queries"),
        "pairs": _("Pairs"),
        "complete": _("Complete"),
        "votes": _("Votes"),
        "wanted": _("Wanted"),
        "share": _("Share"),
    }
    bar = st.column_config.ProgressColumn(_("Share"), format="percent", min_value=0.0, max_value=1.0)
    st.dataframe(table.rename(columns=names), hide_index=True, width="stretch", column_config={_("Share"): bar})


def draw_queries(actor: Actor, project: Project) -> pd.DataFrame:
    """Which queries lack votes, and which slices of them."""
    with reading() as session:
        table = progress.votes_per_query(session, actor, project.id)
        slices = progress.votes_per_slice(table, read_queries_table(session, project.id))
    by = _("query by query")
    column = by
    if slices:
        column = st.selectbox(_("Cut by"), [by, *slices], key=f"progress_slice_{project.id}")
    draw_shares_of(table if column == by else slices[column])
    return table


def draw_done_so_far(per_pair: pd.DataFrame, per_day: pd.DataFrame) -> None:
    """Votes of the pairs, and judgments of the days."""
    left, right = st.columns(2)
    with left:
        st.subheader(_("Pairs by number of votes"), anchor=False)
        draw_bars(per_pair, x="votes", y="pairs", x_title=_("votes"), y_title=_("pairs"))
    with right:
        st.subheader(_("Judgments a day"), anchor=False)
        draw_bars(per_day, x="day", y="judgments", color="rater", x_title=_("day (UTC)"), y_title=_("judgments"))
        st.caption(_("A judgment from a file that names no moment counts on the day of its import."))


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Progress"))
with reading() as session:
    counts = projects.count_project(session, actor, project.id)
    disputes = list_disputes(session, actor, project.id)
    per_pair = progress.votes_per_pair(session, actor, project.id)
    per_day = progress.votes_per_day(session, actor, project.id)
if not counts.pairs:
    empty_state(
        _("There are no pairs yet."),
        _("They come from the runs, or with earlier judgments."),
        icon=":material/inbox:",
        action=_("Go on with the setup"),
        page="pages/setup.py",
    )
    st.stop()
settled = sum(dispute.decided is not None for dispute in disputes)
draw_counts(counts, len(disputes), settled)
draw_next(counts, len(disputes) - settled)
say_done()
tabs = st.tabs([_("How far"), _("Is it time to stop?"), _("Who holds what"), _("More votes"), _("A new run")])
with tabs[0]:
    draw_end(actor, project)
    draw_done_so_far(per_pair, per_day)
    st.subheader(_("Queries, the least complete first"), anchor=False)
    queries = draw_queries(actor, project)
    st.subheader(_("Raters"), anchor=False)
    draw_raters(actor, project)
with tabs[1]:
    draw_stop(actor, project, counts, disputes)
with tabs[2]:
    draw_held(actor, project)
with tabs[3]:
    draw_overlap(actor, project, queries)
with tabs[4]:
    draw_run_top(actor, project)
