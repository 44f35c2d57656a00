"""What leads have decided so far, as tables.

Reads only, for leads; deciding itself stands in disputes.py.
"""

import pandas as pd
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.ledger import newest_decisions
from labeling.schema import metadata

__all__ = ["read_decision_details", "read_decisions", "stamp_decisions"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_decision = metadata.tables["decision"]
_account = metadata.tables["account"]
_rubric = metadata.tables["rubric"]


def read_decisions(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """The current decisions: query_id, doc_id, grade, reason, note, decided_by, decided_at; sorted by pair."""
    names = ["query_id", "doc_id", "grade", "reason", "note", "decided_by", "decided_at"]
    return read_decision_details(session, actor, project_id)[names]


def read_decision_details(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """The current decisions with all that stands with them; sorted by pair.

    Columns: those of read_decisions, and pair, query, title, blind_grade (Int64), rubric_change, clause, votes (the
    votes then: a list of rater and grade), rubric_version.
    """
    actor.require("lead")
    kept = ("grade", "reason", "note", "decided_at", "blind_grade", "rubric_change", "clause", "votes")
    columns = (
        _query.c.query_id, _document.c.doc_id, _account.c.name.label("decided_by"), _pair.c.id.label("pair"),
        _query.c.text.label("query"), _document.c.title, _rubric.c.version.label("rubric_version"),
        *(_decision.c[name] for name in kept),
    )  # fmt: skip
    statement = (
        select(*columns)
        .select_from(_decision)
        .join(_pair, _pair.c.id == _decision.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .join(_rubric, _rubric.c.id == _decision.c.rubric_id)
        .outerjoin(_account, _account.c.id == _decision.c.decided_by)
        .where(_decision.c.id.in_(newest_decisions(project_id)), _decision.c.grade.is_not(None))
    )
    rows = [tuple(row) for row in session.execute(statement)]
    table = pd.DataFrame(rows, columns=[column.name for column in columns], dtype=object)
    table["grade"] = table["grade"].astype("int64")
    table["blind_grade"] = table["blind_grade"].astype("Int64")
    table["rubric_change"] = table["rubric_change"].astype(bool)
    return table.sort_values(["query_id", "doc_id"]).reset_index(drop=True)


def stamp_decisions(session: Session, actor: Actor, project_id: int) -> int:
    """What changes whenever read_decisions would answer otherwise: the number of the last decision, or 0."""
    actor.require("lead")
    last = select(func.max(_decision.c.id)).join(_pair, _pair.c.id == _decision.c.pair_id)
    return session.execute(last.where(_pair.c.project_id == project_id)).scalar_one() or 0
