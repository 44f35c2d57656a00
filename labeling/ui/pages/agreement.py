"""How far raters agree, where they do not, and who grades how."""

import math

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.agreement import AgreementReport, Coefficient, count_confusions, count_grades, measure_agreement
from labeling.collection import read_queries_table
from labeling.database import reading
from labeling.projects import Project
from labeling.raters import list_raters
from labeling.rubrics import Rubric, get_rubric
from labeling.selection import select_votes
from labeling.ui.components.agreement_breaks import draw_breaks, draw_pair_link
from labeling.ui.components.agreement_choice import choose_selection, votes_among
from labeling.ui.components.agreement_words import (
    caution_words,
    reading_words,
    undefined_words,
)
from labeling.ui.components.answer_agreement import draw_answers
from labeling.ui.components.charts import draw_shares, pick_cell
from labeling.ui.components.empty import empty_state
from labeling.ui.components.ledger import judgments_of
from labeling.ui.components.tables import choose_row
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import current_project, project_switch, require
from labeling.ui.texts import _
from labeling.words import coefficient_words

HEADLINES = (
    ("percent_agreement", "nominal"),
    ("krippendorff_alpha", "ordinal"),
    ("cohen_kappa", "quadratic"),
    ("gwet_ac2", "quadratic"),
)


@st.cache_data(max_entries=32, show_spinner=False)
def measured(votes: pd.DataFrame, grades: tuple[int, ...], resample: str) -> AgreementReport:
    """The report of these votes; the same votes are measured once."""
    return measure_agreement(votes, grades=grades, resample=resample)  # type: ignore[arg-type]


def draw_headlines(report: AgreementReport) -> None:
    """The numbers that one reads first, each with its interval."""
    for place, (name, level) in zip(st.columns(len(HEADLINES)), HEADLINES, strict=True):
        found = report.coefficient(name, level)
        with place.container(border=True):
            words = coefficient_words(name, level, _)
            st.metric(words, figure(found), help=f"{words}. {reading_words(name)}")
            st.caption(
                undefined_words(found.undefined)
                if found.undefined
                else _("95 %: {low} to {high}", low=f"{found.low:.2f}", high=f"{found.high:.2f}")
                if not math.isnan(found.low)
                else _("no interval: too few to resample")
            )
    st.caption(
        _(
            "{votes} votes of {raters} raters; {paired} of {pairs} pairs have two votes or more. 1 is perfect, 0 is chance.",
            votes=f"{report.votes:,}",
            raters=report.raters,
            paired=f"{report.paired:,}",
            pairs=f"{report.pairs:,}",
        )
    )


def figure(found: Coefficient) -> str:
    """A value, or that there is none."""
    if found.undefined:
        return _("undefined")
    return f"{found.value:.1%}" if found.name == "percent_agreement" else f"{found.value:.3f}"


def draw_rater_pairs(report: AgreementReport) -> None:
    """Every two raters with pairs in common."""
    st.subheader(_("Two by two"), anchor=False)
    names = [
        _("Rater"), _("and"), _("Pairs"), _("Equal"), _("Kappa"), _("Low"), _("High"), _("linear"), _("quadratic"), _("Undefined because"),
    ]  # fmt: skip
    rows = [
        (
            *pair.raters,
            pair.n,
            pair.agreement,
            pair.cohen_kappa,
            pair.cohen_kappa_low,
            pair.cohen_kappa_high,
            pair.cohen_kappa_linear,
            pair.cohen_kappa_quadratic,
            undefined_words(pair.undefined) if pair.undefined else "",
        )
        for pair in report.rater_pairs
    ]
    number = st.column_config.NumberColumn(format="%.3f")
    columns = {_("Equal"): st.column_config.NumberColumn(format="percent"), _("Kappa"): number}
    st.dataframe(
        pd.DataFrame(rows, columns=names),
        hide_index=True,
        width="stretch",
        column_config={**columns, **{_(name): number for name in ("Low", "High", "linear", "quadratic")}},
    )


def draw_confusions(
    report: AgreementReport, votes: pd.DataFrame, rubric: Rubric, project: Project, texts: dict[str, str]
) -> None:
    """The confusion matrix of two raters, and the pairs of the cell that was clicked."""
    st.subheader(_("Who gave what"), anchor=False)
    couples = sorted(report.rater_pairs, key=lambda pair: -pair.n)
    if not couples:
        st.caption(_("No two raters have a pair in common."))
        return
    couple = st.selectbox(
        _("Two raters"),
        [pair.raters for pair in couples],
        format_func=lambda pair: f"{pair[0]} / {pair[1]}",
        key=f"couple_{project.id}",
    )
    a, b = couple
    counts = count_confusions(votes, a, b, rubric.grades)
    matrix = pd.DataFrame(counts, index=list(rubric.grades), columns=list(rubric.grades))
    left, right = st.columns([2, 3])
    with left:
        cell = pick_cell(
            matrix,
            rows=_("grade of {name}", name=a),
            columns=_("grade of {name}", name=b),
            key=f"confusion_{project.id}_{a}_{b}",
        )
    with right:
        draw_cell(votes, a, b, cell, project, texts)


def draw_cell(
    votes: pd.DataFrame, a: str, b: str, cell: tuple[int, int] | None, project: Project, texts: dict[str, str]
) -> None:
    """The pairs behind one cell; one of them can be opened."""
    if cell is None:
        st.caption(_("Click a cell to see its pairs."))
        return
    keys = ["query_id", "doc_id"]
    ours = votes[votes["rater"] == a].merge(votes[votes["rater"] == b], on=keys, suffixes=("_a", "_b"))
    found = ours[(ours["grade_a"] == cell[0]) & (ours["grade_b"] == cell[1])][keys].reset_index(drop=True)
    st.markdown(
        _(
            "**{count}** pairs: {a} gave {row}, {b} gave {column}.",
            count=len(found),
            a=plain_label(a),
            row=cell[0],
            b=plain_label(b),
            column=cell[1],
        )
    )
    shown = found.assign(**{_("query"): found["query_id"].map(texts)})
    chosen = choose_row(shown, f"cell_{project.id}_{a}_{b}_{cell}", height=230)
    query_id, doc_id = ("", None) if chosen is None else found.iloc[chosen]
    draw_pair_link(project, str(query_id), doc_id)


def draw_grades(votes: pd.DataFrame, rubric: Rubric) -> None:
    """The share of each grade per rater."""
    st.subheader(_("Grades per rater"), anchor=False)
    counts = count_grades(votes, rubric.grades)
    draw_shares(counts, grade_words={level.grade: level.label for level in rubric.levels})
    with st.expander(_("The same in numbers")):
        st.dataframe(counts.rename(columns=str), width="stretch")


def draw_all_coefficients(report: AgreementReport) -> None:
    """Every coefficient with its interval and what it is good for."""
    with st.expander(_("Every coefficient")):
        rows = [
            (
                coefficient_words(found.name, found.level, _),
                reading_words(found.name),
                found.value,
                found.low,
                found.high,
                found.n,
                undefined_words(found.undefined) if found.undefined else "",
            )
            for found in report.coefficients
        ]
        names = [
            _("Coefficient"),
            _("What it says"),
            _("Value"),
            _("Low"),
            _("High"),
            _("Pairs"),
            _("Undefined because"),
        ]
        number = st.column_config.NumberColumn(format="%.4f")
        st.dataframe(
            pd.DataFrame(rows, columns=names),
            hide_index=True,
            width="stretch",
            column_config={_("Value"): number, _("Low"): number, _("High"): number},
        )
        st.caption(_("Low and high bound the middle 95 % of 1,000 bootstrap draws, with a fixed seed."))


def draw_page(actor: Actor, project: Project) -> None:
    """Everything about the votes of a project."""
    judgments, _stamp = judgments_of(actor, project.id)
    with reading() as session:
        models = [rater.name for rater in list_raters(session, project.id) if rater.is_model and not rater.casts_vote]
        rubric = get_rubric(session, project.id)
        queries = read_queries_table(session, project.id)
    graded = set(judgments["rater"])
    models = [name for name in models if name in graded]
    too = bool(models) and st.toggle(
        _("Models too ({count}), which cast no vote", count=len(models)), key=f"agreement_models_{project.id}"
    )
    votes = votes_among(judgments, models if too else [])
    if votes.empty:
        empty_state(
            _("No votes yet."),
            _("Agreement needs pairs that two raters have judged."),
            icon=":material/handshake:",
        )
        return
    selection, resample = choose_selection(votes, queries, str(project.id))
    chosen = select_votes(votes, selection, queries)
    on_scale = chosen["grade"].isin(rubric.grades)
    if not on_scale.all():
        words = _(
            "{count} votes lie outside the scale of the newest rubric and are left out.", count=int((~on_scale).sum())
        )
        st.warning(words, icon=":material/warning:")
        chosen = chosen[on_scale].reset_index(drop=True)
    report = measured(chosen, rubric.grades, resample)
    for caution in report.warnings:
        st.warning(caution_words(caution), icon=":material/warning:")
    draw_headlines(report)
    if not chosen.empty:
        draw_breaks(chosen, queries, rubric, project, resample)  # type: ignore[arg-type]
        draw_grades(chosen, rubric)
    draw_rater_pairs(report)
    draw_confusions(report, chosen, rubric, project, dict(zip(queries["query_id"], queries["text"], strict=True)))
    draw_all_coefficients(report)
    draw_answers(judgments, project)


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Agreement"))
draw_page(actor, project)
