"""The report of a project: what a team sends along with its scores, to look at and to take along."""

import streamlit as st

from labeling.accounts import Actor
from labeling.collection import list_runs
from labeling.database import reading
from labeling.decisions import stamp_decisions
from labeling.errors import AssayError
from labeling.exchange.report_html import write_html
from labeling.exchange.report_parts import Report
from labeling.projects import Counts, Project, count_project
from labeling.report import ReportChoices, build_report, report_archive
from labeling.rubrics import get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.run_choice import choose_measures
from labeling.ui.state import current_project, project_switch, require, show_fault
from labeling.ui.texts import _, current_language
from labeling.votes import stamp_ledger
from labeling.words import UNITS


def choose(project: Project, tags: list[str]) -> ReportChoices:
    """What the report is about."""
    measures = choose_measures(project, "report")
    left, right = st.columns(2)
    by = left.selectbox(
        _("A set of qrels takes"), list(UNITS), format_func=lambda one: _(UNITS[one]), key=f"report_unit_{project.id}"
    )
    runs = right.multiselect(
        _("Runs (none chosen: all {count})", count=len(tags)),
        tags,
        placeholder=_("all of them"),
        key=f"report_runs_{project.id}",
    )
    names = tuple(str(measure) for measure in measures)
    return ReportChoices(names, by, runs=tuple(runs), language=current_language())


@st.cache_data(max_entries=4, show_spinner=False)
def made(
    stamp: tuple[object, ...],  # noqa: ARG001 - what the report is remembered by
    _actor: Actor,
    project_id: int,
    choices: ReportChoices,
) -> tuple[Report, str]:
    """The report and its page, for this state of the ledger; made once."""
    with reading() as session:
        report = build_report(session, _actor, project_id, choices)
    return report, write_html(report)


def state_of(actor: Actor, project: Project, counts: Counts) -> tuple[object, ...]:
    """What changes whenever the report would."""
    with reading() as session:
        decided = stamp_decisions(session, actor, project.id)
        return (*stamp_ledger(session, actor, project.id), decided, counts, project, get_rubric(session, project.id).id)


def draw_downloads(report: Report, page: str, project: Project) -> None:
    """The report as one page, and as files."""
    name = f"assay-{project.id}-report"
    with st.container(horizontal=True):
        st.download_button(_("Report (HTML)"), page, f"{name}.html", "text/html", type="primary", on_click="ignore")
        st.download_button(
            _("Markdown, tables and charts (zip)"),
            lambda: report_archive(report),
            f"{name}.zip",
            "application/zip",
            on_click="ignore",
        )
    st.caption(
        _(
            "The page needs no other file and no network. The zip holds every table as CSV and every chart as SVG and PNG."
        )
    )


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Report"))
with reading() as session:
    tags = [row.tag for row in list_runs(session, project.id)]
    counts = count_project(session, actor, project.id)
if not counts.votes:
    empty_state(
        _("Nothing to report yet."),
        _("A report needs votes; with runs it says what they are worth, too."),
        icon=":material/description:",
    )
    st.stop()
choices = choose(project, tags)
try:
    with st.spinner(_("Making the report…")):
        report, page = made(state_of(actor, project, counts), actor, project.id, choices)
except AssayError as fault:
    show_fault(fault)
    st.stop()
draw_downloads(report, page, project)
st.iframe(page, height=900)
