"""A file of final grades beside what each rule gives, and beside the votes themselves.

Knows the file as qrels; the numbers come from labeling.rule_comparison.
"""

import pandas as pd
import streamlit as st

from labeling.errors import AssayError
from labeling.projects import Project
from labeling.rule_comparison import FinalCheck, RuleComparison, check_final
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.release_words import rule_name
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import show_fault
from labeling.ui.texts import _
from metrics import read_qrels

__all__ = ["draw_final"]

SHOWN_PAIRS = 500


def draw_final(project: Project, found: RuleComparison, votes: pd.DataFrame) -> None:
    """Choose a file of qrels; say which rule it follows, and where it contradicts votes on which all agree."""
    st.caption(
        _("Grades that somebody published as final: which rule do they follow, and where do they contradict the votes?")
    )
    file = st.file_uploader(_("File of qrels"), key=f"final_{project.id}")
    if file is None:
        return
    try:
        final = read_qrels(file.getvalue(), name=file.name)
    except AssayError as fault:
        show_fault(fault)
        return
    for remark in final.remarks:
        st.info(_("Noticed: {what}", what=plain_label(remark.text, longest=300)), icon=":material/info:")
    _draw_check(project, check_final(found.found, votes, final.table))


def _draw_check(project: Project, check: FinalCheck) -> None:
    counts = check.counts
    figures = (
        (_("Pairs in the file"), counts["pairs"]),
        (_("With votes"), counts["voted"]),
        (_("Without votes"), counts["without_votes"]),
        (_("Voted, not in the file"), counts["only_votes"]),
        (_("Against a unanimous vote"), counts["contradicts_unanimous"]),
        (_("A grade that nobody gave"), counts["nobodys_grade"]),
    )
    draw_figures([(words, f"{figure:,}") for words, figure in figures])
    followed = [plain_label(rule_name(rule)) for rule in check.followed()]
    if followed:
        st.success(_("The file follows the rule: {rules}", rules=", ".join(followed)), icon=":material/check_circle:")
    else:
        st.warning(_("The file follows none of these rules throughout."), icon=":material/rule:")
    names = {
        "rule": _("Rule"),
        "both": _("Graded by both"),
        "equal": _("Equal"),
        "other": _("Other"),
        "share": _("Share equal"),
        "open": _("Open"),
    }
    table = check.table.assign(rule=[rule_name(rule) for rule in check.table["rule"]])
    share = st.column_config.NumberColumn(format="percent")
    st.dataframe(table.rename(columns=names), hide_index=True, width="stretch", column_config={names["share"]: share})
    st.caption(_("Share equal: of the pairs that the rule and the file both grade. Open: the rule leaves them open."))
    if check.against.empty:
        return
    st.subheader(_("Pairs whose grade nobody gave"), anchor=False)
    shown = check.against.sort_values(["unanimous", "query_id", "doc_id"], ascending=[False, True, True])
    titles = {"final": _("In the file"), "votes": _("votes"), "unanimous": _("All agreed")}
    st.dataframe(shown.head(SHOWN_PAIRS).rename(columns=titles), hide_index=True, width="stretch", height=320)
    st.download_button(
        _("These pairs (CSV)"),
        lambda: shown.to_csv(index=False).encode(),
        f"assay-{project.id}-final.csv",
        "text/csv",
        on_click="ignore",
    )
