"""Words of the Settle desk: reasons, clauses of the rubric, and the keys that choose among them.

Knows no decision. What a project wrote itself is shown as it was written.
"""

from collections.abc import Sequence

from labeling.reasons import WHOLE_TEXT, grade_of_clause
from labeling.rubrics import Rubric
from labeling.ui.texts import _
from labeling.words import reason_words

__all__ = ["REASON_KEYS", "clause_word", "grade_word", "reason_word", "votes_word"]

REASON_KEYS = (
    "asdfghjklzyi"  # beside the digits of the grades and the keys of the page; Streamlit keeps c and r for itself
)


def reason_word(reason: str) -> str:
    """A reason for a decision in the reader's language; a project's own as it stands."""
    return reason_words(reason, _)


def clause_word(clause: str, rubric: Rubric) -> str:
    """What a decision says has to change: a grade with its word, a heading, or the text as a whole."""
    grade = grade_of_clause(clause)
    if grade is not None:
        return _("grade {grade}", grade=grade_word(grade, rubric))
    if not clause:
        return _("no clause named")
    return _("the text as a whole") if clause == WHOLE_TEXT else clause


def grade_word(grade: int, rubric: Rubric) -> str:
    """A grade with its word."""
    return f"{grade} {next((level.label for level in rubric.levels if level.grade == grade), '')}".strip()


def votes_word(grades: Sequence[int]) -> str:
    """Votes in a few signs."""
    return ", ".join(map(str, grades))
