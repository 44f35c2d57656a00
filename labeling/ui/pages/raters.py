"""Each rater: how they grade beside others, how sure that is, and what a lead can do about it."""

import pandas as pd
import streamlit as st

from labeling._coefficients import FloatArray
from labeling.accounts import Actor
from labeling.calibration import RaterCalibration, list_calibrations
from labeling.checks import read_gold_results, read_repeats
from labeling.database import reading
from labeling.projects import Project
from labeling.rater_report import RaterReport, RaterState, describe_raters, fit_habits, trend_of
from labeling.raters import Rater, list_raters
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.charts import draw_shares
from labeling.ui.components.done import say_done
from labeling.ui.components.empty import empty_state
from labeling.ui.components.ledger import Stamp, judgments_of
from labeling.ui.components.rater_acts import draw_acts, draw_notes
from labeling.ui.components.rater_charts import draw_habits, draw_heading, draw_trend
from labeling.ui.components.rater_words import (
    attention_words,
    estimate_words,
    interval_words,
    leaning_words,
    standing_words,
)
from labeling.ui.state import current_project, project_switch, require
from labeling.ui.texts import _


@st.cache_data(max_entries=16, show_spinner=False)
def described(
    stamp: Stamp,  # noqa: ARG001 - what the answer is remembered by
    states: tuple[RaterState, ...],
    grades: tuple[int, ...],
    gold: pd.DataFrame,
    repeats: pd.DataFrame,
    fast_seconds: float,
    _judgments: pd.DataFrame,
) -> list[RaterReport]:
    """The reports of these judgments; the same judgments are described once."""
    return describe_raters(_judgments, states, grades, gold=gold, repeats=repeats, fast_seconds=fast_seconds)


@st.cache_data(max_entries=16, show_spinner=False)
def habits_of(
    stamp: Stamp,  # noqa: ARG001 - what the answer is remembered by
    grades: tuple[int, ...],
    _judgments: pd.DataFrame,
) -> dict[str, FloatArray]:
    """Each rater's fitted confusion matrix."""
    graded = _judgments[(_judgments["kind"] == "grade") & (_judgments["purpose"] == "production")]
    return dict(fit_habits(graded[graded["grade"].isin(list(grades))].astype({"grade": "int64"}), grades))


def calibration_word(state: str) -> str:
    """Where a rater stands with calibration."""
    return {
        "off": "",
        "not_started": _("not started"),
        "practising": _("practising"),
        "passed": _("passed"),
        "admitted": _("let in by hand"),
        "failed": _("failed"),
    }[state]


def attention_lines(report: RaterReport, calibrated: RaterCalibration | None) -> list[str]:
    """What a lead should look at, what stops the rater first."""
    failed = [_("passed no practice set and waits for you")] if calibrated and calibrated.state == "failed" else []
    return failed + [attention_words(one) for one in report.attention if one.code != "few"]


def draw_overview(reports: list[RaterReport], calibrations: dict[str, RaterCalibration], key: str) -> None:
    """A line a rater; choosing one opens the details below."""
    standing = {name: calibration_word(one.state) for name, one in calibrations.items()}
    rows = [
        {
            _("Rater"): report.state.name,
            _("Needs attention"): "; ".join(attention_lines(report, calibrations.get(report.state.name))),
            _("Counts as"): standing_words(report),
            _("Judged"): report.judged,
            _("Share of votes"): report.share,
            _("Difference"): report.difference.value,
            _("Equal grades"): report.equal.value,
            _("Kappa, quadratic"): report.kappa.value,
            _("Gold right"): report.accuracy.value,
            _("Same on repeats"): report.consistency.value,
            _("Seconds"): report.seconds,
            _("Fast series"): len(report.fast),
            _("Can't judge"): report.cannot_judge / report.judged if report.judged else None,
            _("Skipped"): report.skipped / report.judged if report.judged else None,
            **({_("Calibration"): standing.get(report.state.name, "")} if any(standing.values()) else {}),
        }
        for report in reports
    ]
    share = st.column_config.NumberColumn(format="percent")
    shares = ("Share of votes", "Equal grades", "Gold right", "Same on repeats", "Can't judge", "Skipped")

    def choose() -> None:
        chosen = st.session_state[f"{key}_table"].selection.rows
        if chosen:
            st.session_state[key] = reports[chosen[0]].state.name

    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        width="stretch",
        placeholder="-",
        on_select=choose,
        selection_mode="single-row",
        key=f"{key}_table",
        column_config={
            **{_(name): share for name in shares},
            _("Needs attention"): st.column_config.TextColumn(width="large"),
            _("Difference"): st.column_config.NumberColumn(
                format="%+.2f",
                help=_("Mean of the rater's grade minus the mean grade of the partners on the same pair."),
            ),
            _("Kappa, quadratic"): st.column_config.NumberColumn(format="%.2f"),
            _("Seconds"): st.column_config.NumberColumn(format="%.1f", help=_("Median of a judgment.")),
        },
    )
    st.caption(
        _(
            "Partners are the other raters whose votes count, on the same pairs. Where two of a panel differ, this alone does not "
            "say which of them is right: gold and the fitted habits below say more."
        )
    )


def draw_numbers(report: RaterReport) -> None:
    """The numbers of one rater with their intervals."""
    figures = [
        (_("Difference"), report.difference, {"signed": True}, leaning_words(report)),
        (_("Equal grades"), report.equal, {"share": True}, _("with the votes of others on the same pair")),
        (_("Kappa, quadratic"), report.kappa, {}, _("mean over partners; 1 is perfect, 0 is chance")),
        (_("Gold right"), report.accuracy, {"share": True}, _("the known grade exactly")),
        (_("Same on repeats"), report.consistency, {"share": True}, _("the same grade as the first time")),
    ]
    with st.container(horizontal=True):
        for words, found, form, meaning in figures:
            with st.container(border=True, width=210):
                st.metric(words, estimate_words(found, **form))
                st.caption(f"{meaning}  \n{interval_words(found, **form)}")


def draw_distribution(report: RaterReport, rubric: Rubric) -> None:
    """The rater's grades beside those of the partners on the same pairs."""
    draw_heading(_("Grades on the pairs in common"))
    if not report.difference.n:
        st.caption(_("No pair in common with a rater whose votes count."))
        return
    counts = pd.DataFrame(
        [report.own, [round(value, 1) for value in report.partners]],
        index=[report.state.name, _("partners")],
        columns=list(rubric.grades),
    )
    draw_shares(counts, grade_words={level.grade: level.label for level in rubric.levels})


def draw_course(report: RaterReport, judgments: pd.DataFrame, rubric: Rubric) -> None:
    """The course of time, and series that are quicker than anybody reads."""
    draw_heading(_("Over time"))
    trend = trend_of(judgments, report.state.name, rubric.grades)
    if len(trend) < 2 or trend["first_at"].iloc[0] == trend["last_at"].iloc[-1]:
        st.caption(_("Too few moments to show a course: judgments from files often carry none."))
    else:
        draw_trend(trend)
    for one in report.fast:
        st.markdown(
            _(
                ":material/bolt: {acts} judgments in a row, median {seconds} s, {first} to {last} UTC",
                acts=one.acts,
                seconds=f"{one.seconds:.1f}",
                first=f"{one.first_at:%Y-%m-%d %H:%M:%S}",
                last=f"{one.last_at:%H:%M:%S}",
            )
        )


def draw_fitted(report: RaterReport, habits: dict[str, FloatArray], rubric: Rubric) -> None:
    """Habits as Dawid and Skene's model has them."""
    draw_heading(_("Habits, fitted"))
    rates = habits.get(report.state.name)
    if rates is None or not sum(report.own):
        st.caption(_("No grade on a pair that somebody else voted on."))
        return
    draw_habits(rates, rubric.grades)
    st.caption(
        _(
            "Dawid and Skene's model: what is right is estimated from all votes together, and each rater's habits with it, drawn "
            "towards those of all raters by one vote of each grade. Row 2, column 1: how often 1 is given where 2 is likely right."
        )
    )


def draw_details(
    actor: Actor,
    project: Project,
    rater: Rater,
    report: RaterReport,
    calibrated: RaterCalibration | None,
    judgments: pd.DataFrame,
    stamp: Stamp,
    rubric: Rubric,
) -> None:
    """One rater, and what can be done."""
    lines = attention_lines(report, calibrated) + [
        attention_words(one) for one in report.attention if one.code == "few"
    ]
    for line in lines:
        st.markdown(f":material/flag: {line}")
    if not lines:
        st.success(_("Nothing that needs attention."), icon=":material/check_circle:")
    draw_acts(actor, project, rater, calibrated)
    draw_notes(actor, project, rater)
    draw_numbers(report)
    left, right = st.columns(2)
    with left:
        draw_distribution(report, rubric)
        draw_course(report, judgments, rubric)
    with right:
        draw_fitted(report, habits_of(stamp, rubric.grades, judgments), rubric)


def _described_in_order(
    raters: list[Rater],
    rubric: Rubric,
    gold: pd.DataFrame,
    repeats: pd.DataFrame,
    fast: float,
    judgments: pd.DataFrame,
    stamp: Stamp,
) -> list[RaterReport]:
    """People before models, those that need attention first."""
    states = tuple(RaterState(one.name, one.is_model, one.casts_vote, one.set_aside) for one in raters)
    reports = described(stamp, states, rubric.grades, gold, repeats, fast, judgments)
    return sorted(reports, key=lambda one: (one.state.is_model, -sum(c.code != "few" for c in one.attention)))


def draw_page(actor: Actor, project: Project) -> None:
    """The overview, then one rater."""
    with reading() as session:
        raters = list_raters(session, project.id)
        rubric = get_rubric(session, project.id)
        gold = read_gold_results(session, actor, project.id)
        repeats = read_repeats(session, actor, project.id)
        calibrations = {one.rater: one for one in list_calibrations(session, actor, project.id)}
    if not raters:
        empty_state(
            _("Nobody has judged yet."), _("Raters appear here with their first judgment."), icon=":material/groups:"
        )
        return
    say_done()
    fast = st.number_input(
        _("Very fast is under (seconds)"), 0.5, 30.0, 2.0, 0.5, key=f"fast_{project.id}", width=240,
        help=_("Five judgments in a row or more, each under this, are a very fast series."),
    )  # fmt: skip
    with st.spinner(_("Comparing grades…")):
        judgments, stamp = judgments_of(actor, project.id)
        reports = _described_in_order(raters, rubric, gold, repeats, float(fast), judgments, stamp)
    key = f"rater_{project.id}"
    draw_overview(reports, calibrations, key)
    names = [report.state.name for report in reports]
    chosen = st.selectbox(_("Rater"), names, key=key)
    by_name = {report.state.name: report for report in reports}
    rater = next(one for one in raters if one.name == chosen)
    draw_details(actor, project, rater, by_name[chosen], calibrations.get(chosen), judgments, stamp, rubric)


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Raters"))
draw_page(actor, project)
