"""Runs under the project's qrels, or under others: means, coverage, queries, slices, and one score taken apart."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.collection import read_queries_table
from labeling.database import reading
from labeling.errors import AssayError
from labeling.projects import Project
from labeling.releases import consolidate_project
from labeling.twins import read_document_copies
from labeling.ui.components.charts import draw_score_bars
from labeling.ui.components.empty import empty_state
from labeling.ui.components.release_words import reason_word
from labeling.ui.components.run_choice import choose_measures, choose_runs, show_definition
from labeling.ui.components.untrusted import plain_label, show_inline
from labeling.ui.state import attempt, current_project, project_switch, require, show_fault
from labeling.ui.texts import _
from metrics import (
    Evaluation,
    Measure,
    Options,
    Qrels,
    Run,
    evaluate,
    explain,
    list_lowest,
    list_sensitivity,
    read_qrels,
)


def choose_qrels(actor: Actor, project: Project) -> tuple[Qrels | None, pd.DataFrame]:
    """The project's own qrels by its rule, or an uploaded file; and the project's queries."""
    with reading() as session:
        queries = read_queries_table(session, project.id)
        found = attempt(lambda: consolidate_project(session, actor, project.id))
    source = st.segmented_control(
        _("Qrels"),
        ["own", "file"],
        default="own",
        required=True,
        format_func=lambda one: {
            "own": _("this project's, by the rule {rule}", rule=plain_label(project.rule)),
            "file": _("from a file"),
        }[one],
        key=f"scores_source_{project.id}",
    )
    if source == "own":
        if found is None:
            return None, queries
        if found.undefined:
            st.warning(
                _("This rule is undefined here: {why}.", why=reason_word(found.undefined)), icon=":material/rule:"
            )
        table = found.qrels()
        return (Qrels(table, name=project.name) if len(table) else None), queries
    file = st.file_uploader(_("File of qrels"), key=f"scores_qrels_{project.id}")
    if file is None:
        return None, queries
    try:
        qrels = read_qrels(file.getvalue(), name=file.name)
    except AssayError as fault:
        show_fault(fault)
        return None, queries
    for remark in qrels.remarks:
        st.info(_("Noticed: {what}", what=plain_label(remark.text, longest=300)), icon=":material/info:")
    return qrels, queries


def choose_options(project: Project) -> Options:
    """What happens to missing and empty queries, to documents without a judgment, and to copies of a text."""
    with reading() as session:
        copies = read_document_copies(session, project.id)
    words = {"zero": _("score 0"), "exclude": _("left out of the mean")}
    with st.popover(_("Options")):
        missing = st.radio(_("A query that the run lacks"), list(words), format_func=words.__getitem__)
        empty = st.radio(_("A query without a relevant document"), list(words), format_func=words.__getitem__)
        unjudged = st.radio(
            _("A document without a judgment"),
            ["nonrelevant", "condensed"],
            format_func=lambda one: {
                "nonrelevant": _("counts as not relevant"),
                "condensed": _("is taken out of the ranking"),
            }[one],
        )
        duplicates = st.radio(
            _("A text that stands above in the ranking already"),
            ["keep", "no_gain"],
            format_func=lambda one: {"keep": _("counts again"), "no_gain": _("gains nothing")}[one],
            disabled=not copies,
            help=_("From the near-duplicates of the setup: {count} documents have some.", count=f"{len(copies):,}"),
        )
    chosen = copies if duplicates == "no_gain" else ()
    return Options(missing=missing, no_relevant=empty, unjudged=unjudged, duplicates=duplicates, copies=chosen)


@st.cache_data(max_entries=16, show_spinner=False)
def scored(
    table: pd.DataFrame,
    name: str,
    _runs: Sequence[Run],
    key: tuple[object, ...],  # noqa: ARG001 - stands for the runs, which are not hashed
    measures: Sequence[str],
    options: dict[str, Any],
) -> Evaluation:
    """The evaluation of these inputs; the same inputs are scored once."""
    return evaluate(Qrels(table, name=name), list(_runs), list(measures), options=Options(**options))


def draw_means(found: Evaluation) -> None:
    """One row a run: the means, judged@10, and the queries that need a word."""
    wide = found.means.pivot_table(index="run", columns="measure", values="mean", sort=False, observed=True)
    wide = wide[[str(measure) for measure in found.measures]]
    first = str(found.measures[0])
    coverage = found.coverage.set_index("run")
    counted = found.means[found.means["measure"] == first].set_index("run")
    table = wide.join(coverage[["judged_at_10"]]).join(
        counted[["queries", "missing", "no_relevant", "zero", "mean_without"]]
    )
    table = table.sort_values([first], ascending=False).reset_index()
    names = {
        "run": _("Run"),
        "judged_at_10": "Judged@10",
        "queries": _("Queries"),
        "missing": _("Missing"),
        "no_relevant": _("Without relevant"),
        "zero": _("Scored 0"),
        "mean_without": _("Mean without both"),
    }
    number = st.column_config.NumberColumn(format="%.4f")
    config = dict.fromkeys([*wide.columns, names["mean_without"]], number)
    config["Judged@10"] = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0)
    st.dataframe(table.rename(columns=names), hide_index=True, width="stretch", column_config=config)
    st.caption(
        _("Missing: the run has no documents for the query. Without relevant: the qrels hold nothing relevant for it.")
    )
    draw_score_bars(found.means[found.means["measure"] == first], value="mean", title=first)


def draw_queries(found: Evaluation) -> None:
    """Scores query by query."""
    measure = choose_measure(found, "queries")
    table = found.scores_of(measure)
    spread = table.max(axis=1) - table.min(axis=1)
    shown = (
        table.assign(**{_("range"): spread}).loc[spread.sort_values(ascending=False, kind="stable").index].reset_index()
    )
    number = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        column_config={name: number for name in shown.columns if name != "query_id"},
    )
    st.caption(_("The queries on which the runs differ most come first."))
    run = st.selectbox(_("Run"), found.tags, key="scores_lowest_run")
    st.caption(
        _("Where this run scores lowest, and what it ranked there: documents with their grades, - where unjudged.")
    )
    st.dataframe(
        list_lowest(found.alignment, run, measure),
        hide_index=True,
        width="stretch",
        column_config={"score": number, "ranked": st.column_config.TextColumn(width="large")},
    )
    st.download_button(
        _("Scores per query (CSV)"), found.per_query.to_csv(index=False), "scores.csv", "text/csv", on_click="ignore"
    )


def choose_measure(found: Evaluation, key: str) -> str:
    """One of the measures on the page."""
    names = [str(measure) for measure in found.measures]
    return names[0] if len(names) == 1 else st.selectbox(_("Measure"), names, key=f"scores_measure_{key}")


def draw_slices(found: Evaluation, queries: pd.DataFrame) -> None:
    """Means by a column of the queries."""
    columns = [name for name in queries.columns if name not in ("query_id", "text", "narrative")]
    if not columns:
        st.caption(_("The queries of this project have no further columns to slice by."))
        return
    column = st.selectbox(_("Column of the queries"), columns, key="scores_slice")
    measure = choose_measure(found, "slices")
    table = found.slice(queries, column)
    table = table[table["measure"] == measure]
    sizes = table.groupby("slice")["queries"].max()
    wide = table.pivot_table(index="run", columns="slice", values="mean")
    wide.columns = [f"{name or '-'} ({sizes[name]})" for name in wide.columns]
    number = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(
        wide.reset_index(), hide_index=True, width="stretch", column_config=dict.fromkeys(wide.columns, number)
    )
    st.caption(_("In brackets: the number of queries of the slice."))


def draw_explanation(found: Evaluation, queries: pd.DataFrame) -> None:
    """One score, rank by rank."""
    left, right = st.columns(2)
    texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    query_id = left.selectbox(
        _("Query"),
        found.query_ids,
        format_func=lambda one: f"{one} · {texts.get(one) or ''}",
        key="scores_explain_query",
    )
    run = right.selectbox(_("Run"), found.tags, key="scores_explain_run")
    taken = explain(found.alignment, query_id, run, choose_measure(found, "explain"))
    show_inline(
        f"{taken.total:.4f} / {taken.ideal_total:.4f} = {taken.score:.4f}", before=f"{taken.measure}:", strong=True
    )
    number = st.column_config.NumberColumn(format="%.4f")
    config = dict.fromkeys(("gain", "discount", "contribution"), number)
    left, right = st.columns(2)
    left.caption(_("As the run ranks"))
    left.dataframe(taken.ranking, hide_index=True, width="stretch", column_config=config)
    right.caption(_("The best order of the judged documents"))
    right.dataframe(taken.ideal, hide_index=True, width="stretch", column_config=config)


def draw_choices(found: Evaluation) -> None:
    """Whether the winner depends on the gain function or the cutoff, and how far the unjudged could move nDCG."""
    st.markdown(_("**Gain and cutoff**: who is first, under each"))
    table = list_sensitivity(found.alignment)
    number = st.column_config.NumberColumn(format="%.4f")
    names = {"first": _("First"), "second": _("Second"), "lead": _("Lead"), "tau": _("Tau with the first line")}
    st.dataframe(
        table.rename(columns=names)[
            ["gain", "cutoff", names["first"], "mean", names["second"], names["lead"], names["tau"]]
        ],
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(("mean", names["lead"], names["tau"]), number),
    )
    winners = table["first"].nunique()
    st.caption(
        _("The first place depends on neither.")
        if winners == 1
        else _("{count} runs come first under one choice or another: name yours before you compare.", count=winners)
    )
    bounds = found.bounds()
    if bounds.empty:
        return
    st.markdown(_("**Unjudged documents**: nDCG if all of them within the cutoff were worst, or best"))
    names = {"run": _("Run"), "worst": _("All worst"), "best": _("All best"), "unjudged": _("Unjudged")}
    st.dataframe(
        bounds.rename(columns=names),
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys(("mean", names["worst"], names["best"]), number),
    )


def draw_page(
    qrels: Qrels, queries: pd.DataFrame, runs: list[Run], hashes: tuple[str, ...], measures: list[Measure]
) -> None:
    """The scores of these inputs."""
    options = choose_options(project)
    names = [str(measure) for measure in measures]
    chosen = {name: getattr(options, name) for name in ("missing", "no_relevant", "unjudged", "duplicates", "copies")}
    try:
        found = scored(qrels.table, qrels.name, runs, hashes, names, chosen)
    except AssayError as fault:
        show_fault(fault)
        return
    draw_means(found)
    tabs = st.tabs([_("Query by query"), _("Slices"), _("One score taken apart"), _("Other choices")])
    with tabs[0]:
        draw_queries(found)
    with tabs[1]:
        draw_slices(found, queries)
    with tabs[2]:
        draw_explanation(found, queries)
    with tabs[3]:
        draw_choices(found)
    for remark in found.remarks:
        st.caption(_("Noticed: {what}", what=plain_label(remark.text, longest=300)))
    show_definition(found.definition)


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Scores"))
qrels, queries = choose_qrels(actor, project)
runs, hashes = choose_runs(project, "scores")
measures = choose_measures(project, "scores")
if qrels is None or not runs:
    empty_state(
        _("Nothing to score yet."),
        _("Scores need qrels (votes with a rule, or a file) and at least one run."),
        icon=":material/leaderboard:",
    )
    st.stop()
draw_page(qrels, queries, runs, hashes, measures)
