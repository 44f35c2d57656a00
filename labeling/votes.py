"""What the ledger says now: the votes that count, every current judgment, and how far each pair is.

Reads only, for leads; the arithmetic of agreement and consolidation stands elsewhere and knows no database.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from sqlalchemy import Select, and_, case, func, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = [
    "RaterCounts",
    "count_raters",
    "count_votes_again",
    "read_judgments",
    "read_ledger",
    "read_votes",
    "select_current",
    "stamp_ledger",
    "votes_among",
]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rater = metadata.tables["rater"]
_rubric = metadata.tables["rubric"]

COUNTS_AS_VOTE = and_(
    _judgment.c.kind == "grade",
    _judgment.c.purpose == "production",
    ~_judgment.c.surplus,
    _rater.c.casts_vote,
    ~_rater.c.set_aside,
)


@dataclass(frozen=True)
class RaterCounts:
    """What one rater has done in a project, by kind of current judgment."""

    name: str
    is_model: bool
    votes: int
    cannot_judge: int
    skipped: int
    seconds: float | None


def select_current(*columns: Any) -> Select[Any]:
    """Columns of the judgments that count now, of their raters and of their pairs."""
    return (
        select(*columns)
        .select_from(_current)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_rater, _rater.c.id == _current.c.rater_id)
        .join(_pair, _pair.c.id == _current.c.pair_id)
    )


def _select_current_with_ids(*columns: Any) -> Select[Any]:
    return (
        select_current(*columns)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
    )


def read_votes(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """The votes that count: query_id, doc_id, rater, grade; one row a rater and pair, sorted."""
    actor.require("lead")
    get_project(session, actor, project_id)
    columns = (_query.c.query_id, _document.c.doc_id, _rater.c.name.label("rater"), _judgment.c.grade)
    statement = _select_current_with_ids(*columns).where(_pair.c.project_id == project_id, COUNTS_AS_VOTE)
    rows = session.execute(statement).all()
    table = pd.DataFrame([tuple(row) for row in rows], columns=["query_id", "doc_id", "rater", "grade"])
    table = table.astype({"query_id": object, "doc_id": object, "rater": object, "grade": "int64"})
    return table.sort_values(["query_id", "doc_id", "rater"]).reset_index(drop=True)


def read_judgments(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """Every current judgment, votes or not, with all that is known of it; sorted by pair and rater.

    Columns: query_id, doc_id, rater, grade (Int64), kind, purpose, surplus, reason, comment, rubric_version, judged_at,
    seconds, carried (taken over from a near-duplicate), answers (to second questions, or None), is_vote.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = _select_current_with_ids(*_judgment_columns(), COUNTS_AS_VOTE.label("is_vote")).join(
        _rubric, _rubric.c.id == _judgment.c.rubric_id
    )
    return _judgments_table(session, statement.where(_pair.c.project_id == project_id))


def votes_among(judgments: pd.DataFrame) -> pd.DataFrame:
    """The votes among judgments as read_judgments gives them: the table of read_votes."""
    columns = ["query_id", "doc_id", "rater", "grade"]
    return judgments.loc[judgments["is_vote"], columns].astype({"grade": "int64"}).reset_index(drop=True)


def read_ledger(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """Every row of the ledger in its order, those that no longer count included; columns as read_judgments."""
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = (
        select(*_judgment_columns(), (_current.c.judgment_id.is_not(None) & COUNTS_AS_VOTE).label("is_vote"))
        .select_from(_judgment)
        .join(_rater, _rater.c.id == _judgment.c.rater_id)
        .join(_pair, _pair.c.id == _judgment.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .join(_rubric, _rubric.c.id == _judgment.c.rubric_id)
        .outerjoin(_current, _current.c.judgment_id == _judgment.c.id)
        .where(_pair.c.project_id == project_id)
        .order_by(_judgment.c.id)
    )
    return _judgments_table(session, statement, sort=False)


def _judgment_columns() -> tuple[Any, ...]:
    names = ("grade", "kind", "purpose", "surplus", "reason", "comment")
    return (
        _query.c.query_id,
        _document.c.doc_id,
        _rater.c.name.label("rater"),
        *(_judgment.c[name] for name in names),
        _rubric.c.version.label("rubric_version"),
        _judgment.c.judged_at,
        _judgment.c.seconds,
        _judgment.c.carried_from.is_not(None).label("carried"),
        _judgment.c.answers,
    )


def _judgments_table(session: Session, statement: Select[Any], *, sort: bool = True) -> pd.DataFrame:
    result = session.execute(statement)
    names = list(result.keys())
    table = pd.DataFrame([tuple(row) for row in result], columns=names, dtype=object)
    table["grade"] = table["grade"].astype("Int64")
    table["seconds"] = table["seconds"].astype("Float64")
    for name in ("surplus", "carried", "is_vote"):
        table[name] = table[name].astype(bool)
    return table.sort_values(["query_id", "doc_id", "rater"]).reset_index(drop=True) if sort else table


def count_raters(session: Session, actor: Actor, project_id: int) -> list[RaterCounts]:
    """What each rater of a project has done so far, by name."""
    actor.require("lead")

    def count(condition: Any) -> Any:
        return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)

    statement = (
        select(
            _rater.c.name,
            _rater.c.is_model,
            count(COUNTS_AS_VOTE),
            count(_judgment.c.kind == "cannot_judge"),
            count(_judgment.c.kind == "skip"),
            func.avg(_judgment.c.seconds),
        )
        .outerjoin(_current, _current.c.rater_id == _rater.c.id)
        .outerjoin(_judgment, _judgment.c.id == _current.c.judgment_id)
        .where(_rater.c.project_id == project_id)
        .group_by(_rater.c.id, _rater.c.name, _rater.c.is_model)
        .order_by(_rater.c.name)
    )
    return [RaterCounts(*row) for row in session.execute(statement)]


def count_votes_again(session: Session, project_id: int) -> int:
    """Set each pair's count of votes from the ledger; says how many pairs had another count."""
    counted = (
        select(func.count())
        .select_from(_current)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_rater, _rater.c.id == _current.c.rater_id)
        .where(_current.c.pair_id == _pair.c.id, COUNTS_AS_VOTE)
        .correlate(_pair)
        .scalar_subquery()
    )
    here = _pair.c.project_id == project_id
    wrong = session.execute(select(func.count()).where(here, _pair.c.vote_count != counted)).scalar_one()
    session.execute(update(_pair).where(here, _pair.c.vote_count != counted).values(vote_count=counted))
    return int(wrong)


def stamp_ledger(session: Session, actor: Actor, project_id: int) -> tuple[object, ...]:
    """What changes whenever read_judgments would answer otherwise: the last row and how many, and what raters count for."""
    actor.require("lead")
    rows = select(func.max(_judgment.c.id), func.count()).join(_rater, _rater.c.id == _judgment.c.rater_id)
    raters = select(_rater.c.id, _rater.c.name, _rater.c.casts_vote, _rater.c.set_aside).order_by(_rater.c.id)
    last = session.execute(rows.where(_rater.c.project_id == project_id)).one()
    return (*last, *(tuple(row) for row in session.execute(raters.where(_rater.c.project_id == project_id))))
