"""Below the desk: what was decided so far, and the project's list of reasons.

Knows decisions as a table.
"""

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.decisions import read_decision_details
from labeling.projects import Project
from labeling.reasons import list_reasons, set_decision_reasons
from labeling.rubrics import Rubric
from labeling.ui.components.settle_words import clause_word, reason_word
from labeling.ui.state import stored
from labeling.ui.texts import _

__all__ = ["draw_reasons"]


def draw_reasons(actor: Actor, project: Project, rubric: Rubric) -> None:
    """The decisions so far, and the reasons that a lead chooses from."""
    with reading() as session:
        table = read_decision_details(session, actor, project.id)
    if not table.empty:
        with st.expander(_("Decisions so far: {count}", count=f"{len(table):,}")):
            _draw_decisions(table, rubric)
    with st.expander(_("Reasons to choose from")):
        _edit_reasons(actor, project)


def _draw_decisions(table: pd.DataFrame, rubric: Rubric) -> None:
    changed = table["rubric_change"]
    shown = pd.DataFrame(
        {
            _("Query"): table["query_id"],
            _("Document"): table["doc_id"],
            _("Grade"): table["grade"],
            _("Before the votes"): table["blind_grade"],
            _("Reason"): [reason_word(one) for one in table["reason"]],
            _("Clause to change"): [
                clause_word(clause, rubric) if change else ""
                for clause, change in zip(table["clause"], changed, strict=True)
            ],
            _("Note"): table["note"],
            _("By"): table["decided_by"],
        }
    )
    st.dataframe(shown, hide_index=True, width="stretch")


def _edit_reasons(actor: Actor, project: Project) -> None:
    with st.form(f"reasons_{project.id}", border=False):
        written = st.text_area(
            _("One reason a line; their keys follow this order. Empty brings the usual ones back."),
            "\n".join(reason_word(one) for one in list_reasons(project)),
            height=150,
        )
        st.caption(_("Decisions keep the reason they were given."))
        if st.form_submit_button(_("Save the reasons")):
            known = {reason_word(one): one for one in list_reasons(project)}
            lines = [" ".join(line.split()) for line in written.splitlines()]
            chosen = [known.get(line, line) for line in lines]
            if stored(lambda session: set_decision_reasons(session, actor, project.id, chosen)):
                st.toast(_("Saved."))
                st.rerun()
