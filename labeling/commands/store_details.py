"""A project's votes with what the selection of votes asks of them, and its queries.

Knows the noun functions; loaded only where a command names a project.
"""

import pandas as pd

from labeling.accounts import COMMAND_LINE
from labeling.collection import read_queries_table
from labeling.database import reading
from labeling.projects import get_project_by_name
from labeling.votes import read_judgments

__all__ = ["read_details"]


def read_details(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The votes of a project with rubric_version and judged_at, and its queries with their columns."""
    with reading() as session:
        project = get_project_by_name(session, COMMAND_LINE, name)
        judgments = read_judgments(session, COMMAND_LINE, project.id)
        queries = read_queries_table(session, project.id)
    columns = ["query_id", "doc_id", "rater", "grade", "rubric_version", "judged_at"]
    return judgments.loc[judgments["is_vote"], columns].astype({"grade": "int64"}).reset_index(drop=True), queries
