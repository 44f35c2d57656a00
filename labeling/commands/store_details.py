"""A project's votes, for the commands that work on files as well.

Knows the noun functions; loaded only where a command names a project.
"""

import pandas as pd

from labeling.accounts import COMMAND_LINE
from labeling.collection import read_queries_table, read_runs
from labeling.commands.inputs import CommandVotes
from labeling.database import reading
from labeling.decisions import read_decisions
from labeling.projects import get_project_by_name
from labeling.releases import read_weights
from labeling.rubrics import get_rubric
from labeling.votes import read_judgments, read_votes

__all__ = ["read_details", "read_project"]


def read_project(name: str) -> CommandVotes:
    """A project's votes, decisions, runs and weights by gold."""
    with reading() as session:
        project = get_project_by_name(session, COMMAND_LINE, name)
        decisions = read_decisions(session, COMMAND_LINE, project.id)
        return CommandVotes(
            votes=read_votes(session, COMMAND_LINE, project.id),
            grades=get_rubric(session, project.id).grades,
            inputs=[{"project": project.name}],
            decisions=decisions[["query_id", "doc_id", "grade"]],
            runs=tuple(read_runs(session, project.id)),
            weights=read_weights(session, COMMAND_LINE, project.id),
        )


def read_details(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The votes of a project with rubric_version and judged_at, and its queries with their columns."""
    with reading() as session:
        project = get_project_by_name(session, COMMAND_LINE, name)
        judgments = read_judgments(session, COMMAND_LINE, project.id)
        queries = read_queries_table(session, project.id)
    columns = ["query_id", "doc_id", "rater", "grade", "rubric_version", "judged_at"]
    return judgments.loc[judgments["is_vote"], columns].astype({"grade": "int64"}).reset_index(drop=True), queries
