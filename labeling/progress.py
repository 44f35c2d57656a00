"""How far a project is: votes a pair, a query, a day; who holds what.

Reads only, for leads; the settings and the state of a project stand in projects.py.
"""

from datetime import datetime

import pandas as pd
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = ["list_claims", "votes_per_day", "votes_per_pair", "votes_per_query"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_claim = metadata.tables["claim"]
_rater = metadata.tables["rater"]
_judgment = metadata.tables["judgment"]


def votes_per_pair(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """How many pairs have how many votes: votes, pairs; in rising order."""
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = (
        select(_pair.c.vote_count, func.count())
        .where(_pair.c.project_id == project_id, _pair.c.overlap > 0)
        .group_by(_pair.c.vote_count)
        .order_by(_pair.c.vote_count)
    )
    return pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=["votes", "pairs"])


def votes_per_query(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """For each query: query_id, text, pairs, complete, votes, wanted; the least complete first."""
    actor.require("lead")
    get_project(session, actor, project_id)
    full = _pair.c.vote_count >= _pair.c.overlap
    statement = (
        select(
            _query.c.query_id,
            _query.c.text,
            func.count(),
            func.sum(case((full, 1), else_=0)),
            func.sum(case((full, _pair.c.overlap), else_=_pair.c.vote_count)),
            func.sum(_pair.c.overlap),
        )
        .join(_pair, _pair.c.query_pk == _query.c.id)
        .where(_query.c.project_id == project_id, _pair.c.overlap > 0)
        .group_by(_query.c.id, _query.c.query_id, _query.c.text)
    )
    names = ["query_id", "text", "pairs", "complete", "votes", "wanted"]
    table = pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=names)
    table["share"] = table["votes"] / table["wanted"].where(table["wanted"] > 0)
    return table.sort_values(["share", "query_id"]).reset_index(drop=True)


def votes_per_day(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """Judgments of each day (UTC) and rater: day, rater, judgments; undone and changed ones count as work too."""
    actor.require("lead")
    get_project(session, actor, project_id)
    day = func.date(_judgment.c.judged_at).label("day")
    statement = (
        select(day, _rater.c.name, func.count())
        .join(_rater, _rater.c.id == _judgment.c.rater_id)
        .where(_rater.c.project_id == project_id, _judgment.c.kind.in_(("grade", "cannot_judge")))
        .group_by(day, _rater.c.name)
        .order_by(day, _rater.c.name)
    )
    rows = [(str(row[0]), row[1], row[2]) for row in session.execute(statement)]
    return pd.DataFrame(rows, columns=["day", "rater", "judgments"])


def list_claims(session: Session, actor: Actor, project_id: int, *, now: datetime) -> pd.DataFrame:
    """Who holds how many pairs, and until when: rater, held, until."""
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = (
        select(_rater.c.name, func.count(), func.max(_claim.c.expires_at))
        .join(_rater, _rater.c.id == _claim.c.rater_id)
        .where(_rater.c.project_id == project_id, _claim.c.expires_at > now)
        .group_by(_rater.c.name)
        .order_by(_rater.c.name)
    )
    return pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=["rater", "held", "until"])
