"""Which runs, which measures: the choices that the pages on scores share.

Knows a project's runs by their tags; the numbers come from metrics.
"""

import hashlib
from collections.abc import Sequence

import streamlit as st

from labeling.collection import list_runs, read_runs
from labeling.database import reading
from labeling.errors import AssayError, Conflict, MeasureError
from labeling.projects import Project
from labeling.ui.state import show_fault
from labeling.ui.texts import _
from metrics import Measure, Run, parse_measure, read_run

__all__ = ["choose_measures", "choose_runs", "one_measure", "show_definition"]

OFFERED = ("nDCG@10", "nDCG@5", "nDCG@20", "nDCG(gain=exp2)@10", "AP(rel=2)@100", "RR(rel=2)@10", "P(rel=2)@10",
           "R(rel=2)@100", "Success(rel=2)@10", "RBP(p=0.8)", "ERR@10", "Bpref")  # fmt: skip


def choose_runs(project: Project, key: str) -> tuple[list[Run], tuple[str, ...]]:
    """Runs of the project, and files that are only looked at here; and the hashes of their contents."""
    with reading() as session:
        hashes = {row.tag: row.sha256 for row in list_runs(session, project.id)}
    tags = list(hashes)
    left, right = st.columns([3, 2])
    chosen = left.multiselect(
        _("Runs (none chosen: all {count})", count=len(tags)),
        tags,
        placeholder=_("all of them"),
        key=f"{key}_runs_{project.id}",
    )
    with right.popover(_("Add run files, for this page only"), width="stretch"):
        files = st.file_uploader(_("Files of runs"), accept_multiple_files=True, key=f"{key}_files_{project.id}")
    with reading() as session:
        runs = read_runs(session, project.id, chosen or None) if tags else []
    try:
        uploaded = [read_run(file.getvalue(), name=file.name) for file in files]
        known = {run.tag for run in runs}
        for run in uploaded:
            if run.tag in known:
                raise Conflict(f"{run.name}: expected a tag that no other run has, found {run.tag!r} again")
            known.add(run.tag)
    except AssayError as fault:
        show_fault(fault)
        uploaded, files = [], []
    added = [hashlib.sha256(file.getvalue()).hexdigest() for file in files]
    return [*runs, *uploaded], (*(hashes[run.tag] for run in runs), *added)


def choose_measures(project: Project, key: str, *, default: Sequence[str] = ("nDCG@10",)) -> list[Measure]:
    """Measures from a list, or written as ir_measures and trec_eval write them."""
    chosen = st.multiselect(
        _("Measures (choose, or write one and press Enter)"),
        OFFERED,
        default=list(default),
        placeholder=_("choose"),
        accept_new_options=True,
        help=_(
            "As ir_measures writes them, such as P(rel=2)@10; trec_eval's names work too, such as map or ndcg_cut_10."
        ),
        key=f"{key}_measures_{project.id}",
    )
    measures: list[Measure] = []
    for text in chosen:
        try:
            measure = parse_measure(str(text))
        except MeasureError as fault:
            show_fault(fault)
            continue
        if measure not in measures:
            measures.append(measure)
    return measures or [parse_measure("nDCG@10")]


def one_measure(project: Project, key: str) -> str:
    """One measure from the list, or written; nDCG@10 where what is written is none, which is said."""
    text = st.selectbox(_("Measure"), OFFERED, accept_new_options=True, key=f"{key}_measure_{project.id}")
    try:
        return str(parse_measure(str(text or OFFERED[0])))
    except MeasureError as fault:
        show_fault(fault)
        return OFFERED[0]


def show_definition(definition: dict[str, object]) -> None:
    """Everything that fixes the numbers of a page."""
    with st.expander(_("What these numbers are")):
        st.json(definition, expanded=True)
