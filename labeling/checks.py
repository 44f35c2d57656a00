"""What gold and repeats say of the raters: grades beside the known ones, and a rater's first grade beside the second.

Reads only, for leads. Nothing here is a vote.
"""

import pandas as pd
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = ["read_gold_results", "read_repeats"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_rater = metadata.tables["rater"]
_reference = metadata.tables["reference"]
_check = metadata.tables["current_check"]
_judgment = metadata.tables["judgment"]


def read_gold_results(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """Current grades of gold pairs beside the known ones: query_id, doc_id, rater, grade, reference, judged_at.

    Sorted by pair and rater. Can't-judge and put-off gold has no grade and no row; gold that a lead has removed neither.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    columns = (
        _query.c.query_id,
        _document.c.doc_id,
        _rater.c.name.label("rater"),
        _judgment.c.grade,
        _reference.c.grade.label("reference"),
        _judgment.c.judged_at,
    )
    statement = (
        select(*columns)
        .select_from(_check)
        .join(_judgment, _judgment.c.id == _check.c.judgment_id)
        .join(_rater, _rater.c.id == _check.c.rater_id)
        .join(_pair, _pair.c.id == _check.c.pair_id)
        .join(_reference, (_reference.c.pair_id == _pair.c.id) & (_reference.c.purpose == "gold"))
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id, _check.c.purpose == "gold", _judgment.c.kind == "grade")
    )
    rows = [tuple(row) for row in session.execute(statement)]
    table = pd.DataFrame(rows, columns=[column.name for column in columns])
    return _sorted(table, "grade", "reference")


def read_repeats(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """Pairs that the same rater graded twice: query_id, doc_id, rater, first_grade, second_grade, first_at, second_at.

    The first is the rater's production judgment as it stood when the repeat was judged; the second never counts as a
    vote. Sorted by pair and rater; pairs where either is no grade have no row.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    second, earlier = _judgment.alias("second"), _judgment.alias("earlier")
    stood = select(func.max(earlier.c.id)).where(
        earlier.c.pair_id == _check.c.pair_id,
        earlier.c.rater_id == _check.c.rater_id,
        earlier.c.purpose == "production",
        earlier.c.id < second.c.id,
    )
    columns = (
        _query.c.query_id,
        _document.c.doc_id,
        _rater.c.name.label("rater"),
        _judgment.c.grade.label("first_grade"),
        second.c.grade.label("second_grade"),
        _judgment.c.judged_at.label("first_at"),
        second.c.judged_at.label("second_at"),
    )
    statement = (
        select(*columns)
        .select_from(_check)
        .join(second, second.c.id == _check.c.judgment_id)
        .join(_judgment, _judgment.c.id == stood.correlate(_check, second).scalar_subquery())
        .join(_rater, _rater.c.id == _check.c.rater_id)
        .join(_pair, _pair.c.id == _check.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id, _check.c.purpose == "repeat")
        .where(second.c.kind == "grade", _judgment.c.kind == "grade")
    )
    rows = [tuple(row) for row in session.execute(statement)]
    table = pd.DataFrame(rows, columns=[column.name for column in columns])
    return _sorted(table, "first_grade", "second_grade")


def _sorted(table: pd.DataFrame, *grades: str) -> pd.DataFrame:
    table = table.astype({"query_id": object, "doc_id": object, "rater": object, **dict.fromkeys(grades, "int64")})
    return table.sort_values(["query_id", "doc_id", "rater"]).reset_index(drop=True)
