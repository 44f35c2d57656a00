"""Which pairs a rater gets next, and for how long they are held.

Knows no grade of anybody: a rater sees no other vote before theirs. The order is random per rater, query by query.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from statistics import median
from typing import Any

from sqlalchemy import ColumnElement, case, delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import lock_project
from labeling.projects import Project, get_project
from labeling.raters import Rater, ensure_rater
from labeling.rubrics import Rubric, get_rubric
from labeling.schema import metadata

__all__ = ["MOST_AT_ONCE", "SHOWN_CHARACTERS", "End", "Handout", "Progress", "hand_out", "pair_hash", "show_pairs"]

MOST_AT_ONCE = 20
SHOWN_CHARACTERS = 200_000
FIRST_LOOK = 1  # queries; mostly the query in hand has pairs enough, and each further look takes four times as many

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_claim = metadata.tables["claim"]
_current = metadata.tables["current_judgment"]
_judgment = metadata.tables["judgment"]


@dataclass(frozen=True)
class Progress:
    """Where a rater is; left counts the pairs that this rater can still judge."""

    done: int
    left: int
    batch_done: int
    batch_size: int
    seconds_per_pair: float | None


@dataclass(frozen=True)
class End:
    """Why no further pair comes: done, waiting (others hold the last ones), complete, closed."""

    kind: str
    others_hold: int = 0
    until: datetime | None = None
    skipped: int = 0


@dataclass(frozen=True)
class Handout:
    """The answer to a card: new pairs in order, held pairs that were lost, and where the rater is."""

    pairs: tuple[dict[str, Any], ...]
    lost: tuple[int, ...]
    progress: Progress
    end: End | None
    rubric_version: int


@dataclass(frozen=True)
class _Desk:
    session: Session
    project: Project
    rater: Rater
    rubric: Rubric
    tab: str
    now: datetime

    def others_claims(self) -> ColumnElement[int]:
        count = select(func.count()).where(
            _claim.c.pair_id == _pair.c.id, _claim.c.expires_at > self.now, _claim.c.rater_id != self.rater.id
        )
        return count.correlate(_pair).scalar_subquery()

    def mine(self) -> ColumnElement[bool]:
        return exists().where(_current.c.pair_id == _pair.c.id, _current.c.rater_id == self.rater.id)

    def claimed_by_me(self) -> ColumnElement[bool]:
        held = exists().where(_claim.c.pair_id == _pair.c.id, _claim.c.rater_id == self.rater.id)
        return held.where(_claim.c.expires_at > self.now)

    def lacking(self) -> tuple[ColumnElement[bool], ...]:
        """The project's pairs that still need votes and have texts to show; those of imported ids have none."""
        return (
            _pair.c.project_id == self.project.id,
            _pair.c.vote_count < _pair.c.overlap,
            exists().where(_document.c.id == _pair.c.document_pk, _document.c.text.is_not(None)),
            exists().where(_query.c.id == _pair.c.query_pk, _query.c.text.is_not(None)),
        )

    def expiry(self) -> datetime:
        return self.now + timedelta(minutes=self.project.claim_minutes)

    def order(self, kind: str, number: int) -> bytes:
        return blake2b(f"{self.project.seed}:{self.rater.id}:{kind}:{number}".encode(), digest_size=8).digest()


def pair_hash(query_hash: str, document_hash: str) -> str:
    """The hash of what was on the screen: made of the hashes of the query's and the document's texts."""
    return blake2b(f"{query_hash}:{document_hash}".encode(), digest_size=16).hexdigest()


def hand_out(
    session: Session, actor: Actor, project_id: int, *, tab: str, have: Sequence[int], want: int, now: datetime
) -> Handout:
    """Hold the next pairs for a rater's card and renew those it has.

    No pair is held by more raters than it still needs votes from. Two cards that ask at once are served one after the
    other. Pairs of `have` that expired and went to others come back as lost.
    """
    lock_project(session, project_id)
    project = get_project(session, actor, project_id)
    rater, rubric = ensure_rater(session, actor, project_id), get_rubric(session, project_id)
    desk = _Desk(session, project, rater, rubric, tab[:80], now)
    if project.state != "open":
        return Handout((), tuple(have), _progress(desk, _count_lacking(desk)[1]), End("closed"), rubric.version)
    kept = _renew(desk, have)
    places, left = _count_lacking(desk)
    want = min(max(want, 0), MOST_AT_ONCE, _fair_share(desk, places)) - len(kept)
    ids = _take(desk, want, kept) if want > 0 else []
    pairs = show_pairs(session, ids, rubric.version)
    end = _end(desk) if want > 0 and len(ids) < want and len(ids) + len(kept) < MOST_AT_ONCE else None
    lost = tuple(number for number in have if number not in kept)
    return Handout(tuple(pairs), lost, _progress(desk, left), end, rubric.version)


def _renew(desk: _Desk, have: Sequence[int]) -> set[int]:
    """Renew the claims of the pairs a card has; those that are still this rater's, judged again ones included."""
    if not have:
        return set()
    here = (_pair.c.project_id == desk.project.id, _pair.c.id.in_(have))
    judged = set(desk.session.execute(select(_pair.c.id).where(*here, desk.mine(), ~_skipped(desk))).scalars())
    room = _pair.c.vote_count + desk.others_claims() < _pair.c.overlap
    ever = exists().where(_claim.c.pair_id == _pair.c.id, _claim.c.rater_id == desk.rater.id)
    held = select(_pair.c.id).where(*here, ever, desk.claimed_by_me() | room)
    renewed = set(desk.session.execute(held).scalars())
    opened = set(desk.session.execute(select(_pair.c.id).where(*here, ~ever, _skipped(desk), room)).scalars())
    _claim_pairs(desk, sorted(opened))  # put aside once, and opened again from one's own history
    renewed |= opened
    if renewed:
        desk.session.execute(
            update(_claim)
            .where(_claim.c.rater_id == desk.rater.id, _claim.c.pair_id.in_(renewed))
            .values(expires_at=desk.expiry(), tab=desk.tab)
        )
    return renewed | judged


def _skipped(desk: _Desk) -> ColumnElement[bool]:
    return exists().where(
        _current.c.pair_id == _pair.c.id,
        _current.c.rater_id == desk.rater.id,
        _judgment.c.id == _current.c.judgment_id,
        _judgment.c.kind == "skip",
    )


def _count_lacking(desk: _Desk) -> tuple[int, int]:
    """How many votes the project still wants, and how many of the pairs that lack them this rater can still judge."""
    mine_to_do = case((~desk.mine() | _skipped(desk), 1), else_=0)
    sums = (func.sum(_pair.c.overlap - _pair.c.vote_count), func.sum(mine_to_do))
    places, left = desk.session.execute(select(*sums).where(*desk.lacking())).one()
    return int(places or 0), int(left or 0)


def _fair_share(desk: _Desk, places: int) -> int:
    """How many pairs one card may hold, so that towards the end nobody waits for pairs another has not looked at."""
    active = (
        select(func.count(_claim.c.rater_id.distinct()))
        .join(_pair, _pair.c.id == _claim.c.pair_id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.expires_at > desk.now)
        .where(_claim.c.rater_id != desk.rater.id)
    )
    others = int(desk.session.execute(active).scalar_one())
    return max(2, places // (2 * (others + 1)))


def _take(desk: _Desk, want: int, kept: set[int]) -> list[int]:
    """Row numbers of the next pairs, claimed: this tab's own first, then new ones, then another tab's, then skipped."""
    ids = [number for number in _own_claims(desk, same_tab=True) if number not in kept][:want]
    if len(ids) < want:
        fresh = _open_pairs(desk, want - len(ids))
        _claim_pairs(desk, fresh)
        ids += fresh
    if not ids and not kept:
        ids = _own_claims(desk, same_tab=False)[:want]
        if ids:
            mine = (_claim.c.rater_id == desk.rater.id, _claim.c.pair_id.in_(ids))
            desk.session.execute(update(_claim).where(*mine).values(tab=desk.tab, expires_at=desk.expiry()))
    if not ids and not kept:
        ids = _skipped_pairs(desk, want)
        _claim_pairs(desk, ids)
    return ids


def _own_claims(desk: _Desk, *, same_tab: bool) -> list[int]:
    statement = (
        select(_claim.c.pair_id)
        .join(_pair, _pair.c.id == _claim.c.pair_id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.rater_id == desk.rater.id)
        .where(_claim.c.expires_at > desk.now)
        .where(_claim.c.tab == desk.tab if same_tab else _claim.c.tab != desk.tab)
        .order_by(_claim.c.position)
    )
    return list(desk.session.execute(statement).scalars())


def _open_pairs(desk: _Desk, want: int) -> list[int]:
    """The next pairs with a free place in this rater's order: the query in hand to its end, then the next query."""
    chosen: list[int] = []
    queries = _queries_in_order(desk)
    start, look = 0, FIRST_LOOK
    while start < len(queries) and len(chosen) < want:
        part = queries[start : start + look]
        start, look = start + look, 4 * look
        place = {query: index for index, query in enumerate(part)}
        statement = (
            select(_pair.c.id, _pair.c.query_pk)
            .where(*desk.lacking(), _pair.c.query_pk.in_(part))
            .where(_pair.c.vote_count + desk.others_claims() < _pair.c.overlap)
            .where(~desk.mine(), ~desk.claimed_by_me())
        )
        found = sorted(
            desk.session.execute(statement), key=lambda row: (place[row.query_pk], desk.order("pair", row.id))
        )
        chosen += [row.id for row in found[: want - len(chosen)]]
    return chosen


def _queries_in_order(desk: _Desk) -> list[int]:
    queries = desk.session.execute(select(_pair.c.query_pk).where(*desk.lacking()).distinct()).scalars()
    latest = (
        select(_pair.c.query_pk)
        .join(_claim, _claim.c.pair_id == _pair.c.id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.rater_id == desk.rater.id)
        .order_by(_claim.c.position.desc())
        .limit(1)
    )
    in_hand = desk.session.execute(latest).scalar_one_or_none()
    return sorted(queries, key=lambda number: (number != in_hand, desk.order("query", number)))


def _skipped_pairs(desk: _Desk, want: int) -> list[int]:
    statement = (
        select(_pair.c.id)
        .join(_current, (_current.c.pair_id == _pair.c.id) & (_current.c.rater_id == desk.rater.id))
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .where(_pair.c.project_id == desk.project.id, _judgment.c.kind == "skip")
        .where(_pair.c.vote_count + desk.others_claims() < _pair.c.overlap)
        .order_by(_judgment.c.id)
        .limit(want)
    )
    return list(desk.session.execute(statement).scalars())


def _claim_pairs(desk: _Desk, ids: Iterable[int]) -> None:
    ids = list(ids)
    if not ids:
        return
    mine = _claim.c.rater_id == desk.rater.id
    last = select(func.coalesce(func.max(_judgment.c.position), 0)).where(_judgment.c.rater_id == desk.rater.id)
    held = select(func.coalesce(func.max(_claim.c.position), 0)).where(mine)
    position = max(desk.session.execute(last).scalar_one(), desk.session.execute(held).scalar_one())
    desk.session.execute(delete(_claim).where(mine, _claim.c.pair_id.in_(ids)))
    desk.session.execute(
        insert(_claim),
        [
            {
                "pair_id": number,
                "rater_id": desk.rater.id,
                "tab": desk.tab,
                "position": position + place,
                "rubric_id": desk.rubric.id,
                "claimed_at": desk.now,
                "expires_at": desk.expiry(),
            }
            for place, number in enumerate(ids, start=1)
        ],
    )


def show_pairs(session: Session, ids: Sequence[int], rubric_version: int) -> list[dict[str, Any]]:
    """What the card shows of pairs, in the order asked for: texts and the hash that a judgment has to name."""
    statement = (
        select(
            _pair.c.id,
            _query.c.query_id,
            _query.c.text.label("query"),
            _query.c.narrative,
            _query.c.shown_hash.label("query_hash"),
            _document.c.doc_id,
            _document.c.title,
            _document.c.url,
            func.substr(_document.c.text, 1, SHOWN_CHARACTERS).label("text"),
            func.length(_document.c.text).label("length"),
            _document.c.shown_hash.label("document_hash"),
        )
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.id.in_(ids))
    )
    shown = {}
    for row in session.execute(statement):
        safe = row.url if row.url.startswith(("https://", "http://")) else ""
        shown[row.id] = {
            "pair": row.id,
            "query_id": row.query_id,
            "query": row.query or "",
            "narrative": row.narrative,
            "doc_id": row.doc_id,
            "title": row.title,
            "url": safe,
            "text": row.text or "",
            "length": row.length or 0,
            "shown": pair_hash(row.query_hash, row.document_hash),
            "rubric_version": rubric_version,
            "mine": None,
        }
    return [shown[number] for number in ids]


def _progress(desk: _Desk, left: int) -> Progress:
    mine = (
        select(_judgment.c.seconds)
        .join(_current, _current.c.judgment_id == _judgment.c.id)
        .where(_current.c.rater_id == desk.rater.id, _judgment.c.kind.in_(("grade", "cannot_judge")))
        .order_by(_judgment.c.id.desc())
    )
    seconds = list(desk.session.execute(mine).scalars())
    known = [value for value in seconds[:50] if value is not None]
    done, size = len(seconds), desk.project.batch_size
    return Progress(
        done=done,
        left=left,
        batch_done=done % size,
        batch_size=size,
        seconds_per_pair=round(median(known), 1) if known else None,
    )


def _end(desk: _Desk) -> End:
    """Which of the ends of a queue this is; what the rater skipped is offered again before it is called done."""
    lacking = desk.lacking()
    for_me = select(func.count()).where(*lacking, ~desk.mine(), ~desk.claimed_by_me())
    held = int(desk.session.execute(for_me).scalar_one())
    skipped = int(desk.session.execute(select(func.count()).where(*lacking, _skipped(desk))).scalar_one())
    if held:
        until = (
            select(func.min(_claim.c.expires_at))
            .join(_pair, _pair.c.id == _claim.c.pair_id)
            .where(*lacking, ~desk.mine(), _claim.c.rater_id != desk.rater.id, _claim.c.expires_at > desk.now)
        )
        return End("waiting", held, desk.session.execute(until).scalar_one_or_none(), skipped)
    anything = desk.session.execute(select(func.count()).where(*lacking)).scalar_one()
    return End("done" if anything else "complete", skipped=skipped)
