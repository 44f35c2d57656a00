"""How many votes pairs are to have: more or fewer for a query, for disputed pairs, or for pairs named one by one.

Knows the ledger's counts; no page. Pairs with a known grade (practice, gold) want no vote, and keep wanting none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import lock_project
from labeling.disputes import list_disputes
from labeling.errors import AssayError, NotFound
from labeling.places import MOST_OVERLAP, fill_free_places
from labeling.projects import get_project
from labeling.schema import metadata

__all__ = ["OverlapChange", "PairChoice", "change_overlap", "preview_overlap"]

_BLOCK = 500  # numbers in one statement

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_reference = metadata.tables["reference"]


@dataclass(frozen=True)
class PairChoice:
    """Which pairs: those of some queries, the disputed ones without a decision, or pairs by their ids; together, all must hold."""

    queries: tuple[str, ...] = ()
    disputed: bool = False
    pairs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class OverlapChange:
    """What another overlap means, in pairs and votes.

    kept_higher counts pairs that have more votes than the overlap asked for; promoted, known once it is done, surplus
    grades that took a new place.
    """

    pairs: int
    raised: int
    lowered: int
    kept_higher: int
    votes_before: int
    votes_after: int
    promoted: int = 0

    @property
    def more_votes(self) -> int:
        """Further votes that are asked for; below 0 where fewer are."""
        return self.votes_after - self.votes_before


def preview_overlap(session: Session, actor: Actor, project_id: int, choice: PairChoice, overlap: int) -> OverlapChange:
    """What an overlap for some pairs would ask for; changes nothing."""
    return _plan(session, actor, project_id, choice, overlap)[0]


def change_overlap(
    session: Session, actor: Actor, project_id: int, choice: PairChoice, overlap: int, *, now: datetime | None = None
) -> OverlapChange:
    """Give some pairs an overlap, never below the votes that they have; surplus grades take the new places first.

    Raises AssayError for an overlap outside 1 to 20, NotFound for queries or pairs that the project does not have.
    """
    actor.require("lead")
    lock_project(session, project_id)
    planned, wanted = _plan(session, actor, project_id, choice, overlap)
    by_overlap: dict[int, list[int]] = {}
    for pair, value in wanted.items():
        by_overlap.setdefault(value, []).append(pair)
    for value, pairs in by_overlap.items():
        for start in range(0, len(pairs), _BLOCK):
            block = pairs[start : start + _BLOCK]
            session.execute(update(_pair).where(_pair.c.id.in_(block)).values(overlap=value))
    promoted = fill_free_places(session, project_id, now=now or datetime.now(UTC)) if planned.raised else 0
    return replace(planned, promoted=promoted)


def _plan(
    session: Session, actor: Actor, project_id: int, choice: PairChoice, overlap: int
) -> tuple[OverlapChange, dict[int, int]]:
    """What the change means, and the new overlap of each pair that gets another."""
    actor.require("lead")
    get_project(session, actor, project_id)
    if not 1 <= overlap <= MOST_OVERLAP:
        raise AssayError(f"expected an overlap from 1 to {MOST_OVERLAP}, found {overlap}")
    chosen = _choose(session, actor, project_id, choice)
    wanted = {pair: max(overlap, votes) for pair, _, votes in chosen}
    before = {pair: (has, votes) for pair, has, votes in chosen}
    changed = {pair: value for pair, value in wanted.items() if value != before[pair][0]}
    change = OverlapChange(
        pairs=len(chosen),
        raised=sum(value > before[pair][0] for pair, value in changed.items()),
        lowered=sum(value < before[pair][0] for pair, value in changed.items()),
        kept_higher=sum(value > overlap for value in wanted.values()),
        votes_before=sum(max(has - votes, 0) for has, votes in before.values()),
        votes_after=sum(max(wanted[pair] - votes, 0) for pair, (_, votes) in before.items()),
    )
    return change, changed


def _choose(session: Session, actor: Actor, project_id: int, choice: PairChoice) -> list[tuple[int, int, int]]:
    """(pair, overlap, votes) of the pairs chosen among those that want votes."""
    statement = (
        select(_pair.c.id, _query.c.query_id, _document.c.doc_id, _pair.c.overlap, _pair.c.vote_count)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .outerjoin(_reference, _reference.c.pair_id == _pair.c.id)
        .where(_pair.c.project_id == project_id, _pair.c.overlap > 0, _reference.c.pair_id.is_(None))
        .order_by(_pair.c.id)
    )
    rows = list(session.execute(statement))
    _refuse_unknown("query", choice.queries, {row.query_id for row in rows})
    _refuse_unknown("pair", choice.pairs, {(row.query_id, row.doc_id) for row in rows})
    disputed = (
        {one.pair for one in list_disputes(session, actor, project_id, settled=False)} if choice.disputed else None
    )
    queries, pairs = set(choice.queries), set(choice.pairs)
    return [
        (row.id, row.overlap, row.vote_count)
        for row in rows
        if (not queries or row.query_id in queries)
        and (not pairs or (row.query_id, row.doc_id) in pairs)
        and (disputed is None or row.id in disputed)
    ]


def _refuse_unknown(what: str, asked: Iterable[object], known: set[object]) -> None:
    unknown = [str(one) for one in asked if one not in known]
    if unknown:
        raise NotFound(f"expected a {what} of the project with pairs that want votes, found {unknown[0]}")
