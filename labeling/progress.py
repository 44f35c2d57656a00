"""How far a project is: votes a pair, a query, a day; who holds what.

Reads only, for leads; the settings and the state of a project stand in projects.py.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pandas as pd
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.projects import count_project, get_project
from labeling.schema import metadata
from labeling.selection import slice_columns

__all__ = [
    "ExpectedEnd",
    "expect_end",
    "list_claims",
    "votes_per_day",
    "votes_per_pair",
    "votes_per_query",
    "votes_per_slice",
]

RATE_DAYS = 7

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
    """Who holds how many pairs, and until when: rater_id, rater, held, first (the earliest end), until (the last)."""
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = (
        select(_rater.c.id, _rater.c.name, func.count(), func.min(_claim.c.expires_at), func.max(_claim.c.expires_at))
        .join(_rater, _rater.c.id == _claim.c.rater_id)
        .where(_rater.c.project_id == project_id, _claim.c.expires_at > now)
        .group_by(_rater.c.id, _rater.c.name)
        .order_by(_rater.c.name)
    )
    names = ["rater_id", "rater", "held", "first", "until"]
    return pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=names)


def votes_per_slice(per_query: pd.DataFrame, queries: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """For each column of the queries that cuts them into slices: slice, queries, pairs, complete, votes, wanted, share.

    per_query is what votes_per_query gives.
    """
    found = {}
    for name in slice_columns(queries):
        values = dict(zip(queries["query_id"], queries[name].fillna("").astype(str), strict=True))
        cut = per_query.assign(slice=per_query["query_id"].map(values), queries=1)
        sums = cut.groupby("slice")[["queries", "pairs", "complete", "votes", "wanted"]].sum().reset_index()
        sums["share"] = sums["votes"] / sums["wanted"].where(sums["wanted"] > 0)
        found[name] = sums.sort_values(["share", "slice"]).reset_index(drop=True)
    return found


@dataclass(frozen=True)
class ExpectedEnd:
    """When the last wanted vote may come: at is None where undefined says why (done, no_votes, too_old).

    It assumes the rate of the last seven days up to the newest judgment, and that nothing is added.
    """

    lacking: int
    rate: float | None
    first: datetime | None
    last: datetime | None
    at: datetime | None
    undefined: str | None


def expect_end(session: Session, actor: Actor, project_id: int, *, now: datetime) -> ExpectedEnd:
    """The expected end of judging, from the grades given in the seven days before the newest one."""
    actor.require("lead")
    counts = count_project(session, actor, project_id)
    lacking = counts.wanted - counts.votes
    given = (
        select(_judgment.c.judged_at)
        .join(_rater, _rater.c.id == _judgment.c.rater_id)
        .where(_rater.c.project_id == project_id, _judgment.c.kind == "grade", _judgment.c.purpose == "production")
        .where(_judgment.c.import_id.is_(None), ~_judgment.c.surplus)
    )
    newest = session.execute(given.order_by(_judgment.c.judged_at.desc()).limit(1)).scalar_one_or_none()
    if lacking <= 0:
        return ExpectedEnd(0, None, None, newest, None, "done")
    if newest is None:
        return ExpectedEnd(lacking, None, None, None, None, "no_votes")
    since = newest - timedelta(days=RATE_DAYS)
    moments = list(session.execute(given.where(_judgment.c.judged_at > since)).scalars())
    first, last = min(moments), max(moments)
    days = min(max((now - first).total_seconds() / 86400, 1.0), float(RATE_DAYS))
    if now - last > timedelta(days=RATE_DAYS):
        return ExpectedEnd(lacking, None, first, last, None, "too_old")
    rate = len(moments) / days
    return ExpectedEnd(lacking, rate, first, last, now + timedelta(days=lacking / rate), None)
