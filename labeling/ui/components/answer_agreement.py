"""How far raters agree on the second questions of a project, in a table.

Knows no grade; the shares come from labeling.answer_agreement.
"""

import pandas as pd
import streamlit as st

from labeling.answer_agreement import measure_answers
from labeling.database import reading
from labeling.projects import Project
from labeling.second_questions import list_second_questions
from labeling.ui.texts import _

__all__ = ["draw_answers"]


def draw_answers(judgments: pd.DataFrame, project: Project) -> None:
    """A row for each question that has answers among the votes; nothing where a project asks none."""
    with reading() as session:
        questions = list_second_questions(session, project.id)
    texts = {one.name: one.text for one in questions}
    measured = [one for one in measure_answers(judgments[judgments["is_vote"]], list(texts)) if one.answers]
    if not measured:
        return
    with st.expander(_("Second questions")):
        rows = [(texts[one.name], one.share, one.couples, one.answers) for one in measured]
        names = [_("Question"), _("Equal answers"), _("Couples of answers"), _("Answers")]
        share = st.column_config.NumberColumn(format="%.4f")
        table = pd.DataFrame(rows, columns=names)
        st.dataframe(table, hide_index=True, width="stretch", column_config={names[1]: share})
        st.caption(
            _(
                "Over every two raters of a pair who both answered, the share who gave the same answer; “does not apply” is an "
                "answer of its own. All votes of the project, whatever is selected above; empty where no pair has two answers."
            )
        )
