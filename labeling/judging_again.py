"""Pairs that are judged again under a new version of the rubric: which they are, and sending them to those who voted.

Knows the ledger and the requests; no page. The new grades are new rows under the new version, and the old ones stay.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import lock_project
from labeling.disputes import withdraw_decision
from labeling.ledger import newest_decisions, settled_pairs
from labeling.pair_requests import reached_raters, waiting_pairs, write_requests
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = ["Again", "preview_again", "send_again"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rubric = metadata.tables["rubric"]
_decision = metadata.tables["decision"]


@dataclass(frozen=True)
class Again:
    """What sending pairs to be judged again means: pairs that go, raters who meet them, and what is left out.

    settled pairs go too: their decisions are withdrawn. unreachable pairs have no voter with an account; waiting ones
    have an open request already.
    """

    pairs: tuple[int, ...]
    raters: int
    settled: int
    unreachable: int
    waiting: int


def preview_again(
    session: Session,
    actor: Actor,
    project_id: int,
    *,
    clause: str | None = None,
    grade: int | None = None,
    query_id: str | None = None,
) -> Again:
    """What send_again would do for these pairs; changes nothing.

    With a clause: the pairs whose decision says that the rubric needs a change there, made under an older version ("" is
    every clause). Else the pairs with a vote made under an older version, of one grade and one query where they are named.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    newest = select(func.max(_rubric.c.version)).where(_rubric.c.project_id == project_id).scalar_subquery()
    wanted = (
        _marked_pairs(session, project_id, clause, newest)
        if clause is not None
        else _older_pairs(session, project_id, grade, query_id, newest)
    )
    waiting = waiting_pairs(session, project_id, wanted)
    reached = reached_raters(session, project_id, None)
    going = tuple(pair for pair in sorted(wanted - waiting) if reached[pair])
    settled = len(settled_pairs(session, project_id).keys() & set(going))
    raters = {rater for pair in going for rater in reached[pair]}
    return Again(going, len(raters), settled, len(wanted - waiting) - len(going), len(waiting))


def _marked_pairs(session: Session, project_id: int, clause: str, newest: Any) -> set[int]:
    statement = (
        select(_decision.c.pair_id)
        .join(_rubric, _rubric.c.id == _decision.c.rubric_id)
        .where(
            _decision.c.id.in_(newest_decisions(project_id)), _decision.c.grade.is_not(None), _decision.c.rubric_change
        )
        .where(_rubric.c.version < newest)
    )
    if clause:
        statement = statement.where(_decision.c.clause == clause)
    return set(session.execute(statement).scalars())


def _older_pairs(session: Session, project_id: int, grade: int | None, query_id: str | None, newest: Any) -> set[int]:
    statement = (
        select(_current.c.pair_id)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_rubric, _rubric.c.id == _judgment.c.rubric_id)
        .join(_pair, _pair.c.id == _current.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .where(_pair.c.project_id == project_id, _judgment.c.kind == "grade", _rubric.c.version < newest)
    )
    if grade is not None:
        statement = statement.where(_judgment.c.grade == grade)
    if query_id is not None:
        statement = statement.where(_query.c.query_id == query_id)
    return set(session.execute(statement).scalars())


def send_again(
    session: Session,
    actor: Actor,
    project_id: int,
    pairs: Collection[int],
    *,
    text: str = "",
    act_id: str,
    now: datetime | None = None,
) -> int:
    """Ask those who voted on these pairs to judge them again under the rubric in force; says how many pairs went.

    A settled pair's decision is withdrawn by a new row, since a settled pair takes no judgment; it stays readable. Pairs
    that wait already are left as they are, and those without a voter who has an account, too.
    """
    actor.require("lead")
    lock_project(session, project_id)
    moment = now or datetime.now(UTC)
    get_project(session, actor, project_id)
    here = select(_pair.c.id, _pair.c.overlap).where(_pair.c.project_id == project_id)
    overlap = {row.id: row.overlap for row in session.execute(here)}
    reached = reached_raters(session, project_id, None)
    waiting = waiting_pairs(session, project_id, pairs)
    settled = settled_pairs(session, project_id)
    going = [pair for pair in sorted(set(pairs) & overlap.keys()) if reached[pair] and pair not in waiting]
    for pair in going:
        if pair in settled:
            withdraw_decision(session, actor, project_id, pair, act_id=f"{act_id}:{pair}"[:80], now=moment)
    write_requests(session, actor, {pair: overlap[pair] for pair in going}, "rejudge", text, moment)
    return len(going)
