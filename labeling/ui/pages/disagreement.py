"""What disagreement between raters does to the scores: spread, first places, order, and who is ahead of whom."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from labeling.database import reading
from labeling.draws import tell_way
from labeling.errors import AssayError
from labeling.projects import Project
from labeling.rubrics import get_rubric
from labeling.ui.components.charts import draw_ahead, draw_spread
from labeling.ui.components.empty import empty_state
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.run_choice import choose_measures, choose_runs, show_definition
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import current_project, project_switch, require, show_fault
from labeling.ui.texts import _
from labeling.votes import read_votes
from labeling.words import UNITS, VERDICTS
from metrics import Disagreement, Run, Votes, disagreement


def choose_draws(votes: pd.DataFrame, project: Project) -> tuple[str, int, list[str]]:
    """How the equally valid sets of qrels are made."""
    left, middle, right = st.columns([3, 1, 2])
    unit = left.selectbox(
        _("A set of qrels takes"),
        list(UNITS),
        format_func=lambda one: _(UNITS[one]),
        key=f"unit_{project.id}",
        help=_("A panel is the set of raters who judged the same queries."),
    )
    draws = middle.number_input(_("Sets at most"), 10, 5000, 1000, step=100, key=f"draws_{project.id}")
    queries = sorted(votes["query_id"].unique())
    without = right.multiselect(_("Leave out queries"), queries, placeholder=_("none"), key=f"without_{project.id}")
    return unit, int(draws), without


@st.cache_data(max_entries=16, show_spinner=False)
def computed(
    votes: pd.DataFrame,
    name: str,
    _runs: Sequence[Run],
    key: tuple[object, ...],  # noqa: ARG001 - stands for the runs, which are not hashed
    measures: Sequence[str],
    unit: str,
    draws: int,
    without: Sequence[str],
    grades: tuple[int, ...],
) -> Disagreement:
    """The study of these inputs; the same inputs are computed once."""
    way = tell_way(unit, votes[~votes["query_id"].isin(list(without))], grades=grades)
    return disagreement(
        Votes(votes, name=name), list(_runs), list(measures), **way, draws=draws, exclude_queries=without
    )


def draw_headline(found: Disagreement, measure: str) -> None:
    """What one takes away, in three numbers and two sentences."""
    systems = found.systems[found.systems["measure"] == measure].sort_values("mean", ascending=False)
    tau = found.tau[measure]
    figures = (
        (_("Equally valid sets of qrels"), f"{found.qrels_count:,}"),
        (_("A system moves by, on average"), f"{systems['range'].mean():.3f}"),
        (_("Kendall's tau between two sets"), f"{tau['mean']:.3f}"),
        (_("Noise floor of a difference"), f"{found.noise_floor[measure]:.3f}"),
    )
    draw_figures(figures)
    st.caption(
        _(
            "Moves: from its worst set to its best. Tau: 1 is the same order of the systems; here from {low} to {high}. "
            "Noise floor: a smaller difference can come from the choice of raters alone.",
            low=f"{tau['min']:.3f}",
            high=f"{tau['max']:.3f}",
        )
    )
    firsts = systems[systems["first"] > 0].sort_values("first", ascending=False)
    named = ", ".join(
        _("{run} in {count}", run=plain_label(run), count=_count(share * found.qrels_count))
        for run, share in zip(firsts["run"].head(6), firsts["first"].head(6), strict=True)
    )
    st.markdown(_("**First place** over the {all} sets: {named}.", all=found.qrels_count, named=named))


def _count(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 1e-9 else f"{value:.1f}"


def draw_two(found: Disagreement, measure: str, project: Project) -> None:
    """Two systems: in how many sets one is ahead, and what that depends on."""
    st.subheader(_("Two systems"), anchor=False)
    table = found.comparisons[found.comparisons["measure"] == measure]
    order = found.systems[found.systems["measure"] == measure].sort_values("mean", ascending=False)["run"].tolist()
    if len(order) < 2:
        st.caption(_("One run alone has nobody to be compared with."))
        return
    left, right = st.columns(2)
    a = left.selectbox("A", order, index=0, key=f"two_a_{project.id}")
    b = right.selectbox("B", [one for one in order if one != a], index=0, key=f"two_b_{project.id}")
    row = table[((table["a"] == a) & (table["b"] == b)) | ((table["a"] == b) & (table["b"] == a))].iloc[0]
    flipped = row["a"] != a
    ahead = int(row["qrels"] - row["ahead_count"] - row["tied_count"]) if flipped else int(row["ahead_count"])
    st.markdown(
        _(
            "**{a} is ahead in {ahead} of {all} qrels** (tied in {tied}).",
            a=plain_label(a),
            ahead=f"{ahead:,}",
            all=f"{int(row['qrels']):,}",
            tied=f"{int(row['tied_count']):,}",
        )
    )
    st.markdown(
        _(
            "Verdict for {a} over {b}: **{verdict}**.",
            a=plain_label(row["a"]),
            b=plain_label(row["b"]),
            verdict=_(VERDICTS.get(row["verdict"], row["verdict"])),
        )
    )
    st.caption(
        _(
            "Mean difference {difference}; standard deviation {raters} from raters, {queries} from queries. "
            "{a} is ahead in {share} of resampled query sets.",
            difference=f"{row['difference']:+.4f}",
            raters=f"{row['sd_raters']:.4f}",
            queries=f"{row['sd_queries']:.4f}",
            a=plain_label(row["a"]),
            share=f"{row['queries_ahead']:.0%}",
        )
    )
    scores = found.scores[[str(one) for one in found.measures].index(measure)]
    difference = scores[found.tags.index(a)] - scores[found.tags.index(b)]
    draw_ahead(difference, label="A - B")


def draw_tables(found: Disagreement, measure: str) -> None:
    """Every system and every comparison in numbers, to read or to take along."""
    with st.expander(_("Every system in numbers")):
        systems = found.systems[found.systems["measure"] == measure].sort_values("mean", ascending=False)
        number = st.column_config.NumberColumn(format="%.4f")
        config = dict.fromkeys(("mean", "low", "high", "min", "max", "range"), number)
        config["first"] = st.column_config.NumberColumn(format="percent")
        st.dataframe(systems.drop(columns="measure"), hide_index=True, width="stretch", column_config=config)
    with st.expander(_("Every comparison in numbers")):
        pairs = found.comparisons[found.comparisons["measure"] == measure].drop(columns="measure")
        st.dataframe(pairs, hide_index=True, width="stretch")
        st.download_button(
            _("Comparisons (CSV)"), pairs.to_csv(index=False), "comparisons.csv", "text/csv", on_click="ignore"
        )
    with st.expander(_("Panels: who judged which queries")):
        rows = [{"raters": ", ".join(one["raters"]), "queries": len(one["queries"])} for one in found.panels]
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("What disagreement does"))
with reading() as session:
    votes = read_votes(session, actor, project.id)
    grades = get_rubric(session, project.id).grades
runs, hashes = choose_runs(project, "disagreement") if len(votes) else ([], ())
if votes.empty or not runs:
    empty_state(
        _("Nothing to compare yet."),
        _("This page needs votes of several raters and at least one run."),
        icon=":material/call_split:",
    )
    st.stop()
measures = choose_measures(project, "disagreement")
unit, draws, without = choose_draws(votes, project)
names = [str(measure) for measure in measures]
try:
    with st.spinner(_("Scoring every set of qrels…")):
        found = computed(votes, project.name, runs, hashes, names, unit, draws, without, grades)
except AssayError as fault:
    show_fault(fault)
    st.stop()
measure = names[0] if len(names) == 1 else st.segmented_control(_("Measure"), names, default=names[0], required=True)
draw_headline(found, measure)
draw_spread(found.systems[found.systems["measure"] == measure], title=measure)
draw_two(found, measure, project)
draw_tables(found, measure)
for remark in found.remarks:
    st.caption(_("Noticed: {what}", what=plain_label(remark.text, longest=300)))
show_definition(found.definition)
