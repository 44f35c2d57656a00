"""Why a lead says that votes differ: the project's list of reasons, and the clauses of a rubric that a decision can name.

Knows no decision; disputes.py keeps them. A reason or clause that leaves its list stays readable where it was given.
"""

import re
from collections.abc import Sequence

from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import storable
from labeling.errors import AssayError
from labeling.projects import Project, change_project
from labeling.rubrics import Rubric

__all__ = ["DECISION_REASONS", "WHOLE_TEXT", "grade_of_clause", "list_clauses", "list_reasons", "set_decision_reasons"]

DECISION_REASONS = ("query_unclear", "document_unclear", "rater_slip", "rubric_clause", "other")
WHOLE_TEXT = "text"
MOST_REASONS, LONGEST = 12, 80

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_LEVEL = re.compile(r"grade (\d+)")


def list_reasons(project: Project) -> tuple[str, ...]:
    """The reasons that a lead of this project chooses from; the usual ones where it has no list of its own."""
    return tuple(project.decision_reasons or DECISION_REASONS)


def set_decision_reasons(session: Session, actor: Actor, project_id: int, reasons: Sequence[str]) -> Project:
    """Make these the project's reasons; none at all brings the usual ones back. Decisions keep the reasons they have.

    Raises AssayError for more than 12, for one given twice, or for one longer than 80 characters.
    """
    actor.require("lead")
    wanted = [" ".join(storable(reason).split()) for reason in reasons]
    wanted = [reason for reason in wanted if reason]
    twice = {reason for reason in wanted if wanted.count(reason) > 1}
    if twice:
        raise AssayError(f"expected every reason once, found {min(twice)!r} twice")
    if len(wanted) > MOST_REASONS:
        raise AssayError(f"expected at most {MOST_REASONS} reasons, found {len(wanted)}")
    for reason in wanted:
        if len(reason) > LONGEST:
            raise AssayError(f"expected a reason of at most {LONGEST} characters, found {len(reason)} in {reason!r}")
    usual = not wanted or tuple(wanted) == DECISION_REASONS
    return change_project(session, actor, project_id, decision_reasons=None if usual else wanted)


def list_clauses(rubric: Rubric) -> tuple[str, ...]:
    """What a decision can say has to change: a grade's level, a heading of the text, or the text as a whole."""
    headings = tuple(dict.fromkeys(found[:200] for found in _HEADING.findall(rubric.text)))
    return (*(f"grade {grade}" for grade in rubric.grades), *headings, WHOLE_TEXT)


def grade_of_clause(clause: str) -> int | None:
    """The grade whose level a clause names; None for a heading or the whole text."""
    found = _LEVEL.fullmatch(clause)
    return int(found.group(1)) if found else None
