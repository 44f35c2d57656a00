"""What a lead asks of the raters of a pair: one more vote, a second look after a discussion, a grade under a new rubric.

Knows no page and no card. Raters answer by judging the pair again, which is a new row of the ledger like any other; a
request is over when everybody it reaches has answered, or when a lead closes it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow, count_changed, lock_project, storable
from labeling.errors import AssayError, NotFound
from labeling.ledger import current_decision, settled_pairs
from labeling.places import MOST_OVERLAP, fill_free_places
from labeling.projects import get_project
from labeling.raters import get_rater
from labeling.schema import metadata
from labeling.votes import select_current

__all__ = [
    "Request",
    "SentBack",
    "ask_for_discussion",
    "ask_for_more",
    "close_answered",
    "close_request",
    "list_requests",
    "list_sent_back",
    "reached_raters",
    "waiting_pairs",
    "write_requests",
]

LONGEST_TEXT = 2000

_request = metadata.tables["pair_request"]
_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rater = metadata.tables["rater"]
_rubric = metadata.tables["rubric"]
_reference = metadata.tables["reference"]


@dataclass(frozen=True)
class Request:
    """An open request as a lead sees it: of those it reaches, asked, how many have answered."""

    id: int
    pair: int
    kind: str
    text: str
    asked_at: datetime
    asked: int
    answered: int

    @property
    def is_answered(self) -> bool:
        """Whether nobody is waited for any more."""
        return self.answered >= self.asked


@dataclass(frozen=True)
class SentBack:
    """A pair that came back to a rater: the lead's words, the comments of others, and one's own judgment."""

    request: int
    pair: int
    kind: str
    text: str
    asked_at: datetime
    query_id: str
    query: str
    title: str
    document: str
    grade: int | None
    comments: tuple[str, ...]


def ask_for_more(session: Session, actor: Actor, project_id: int, pair_id: int, *, now: datetime | None = None) -> None:
    """Want one vote more on a pair: it is handed out again and disputed only once that vote is there.

    A surplus grade that waits for a place takes it at once. Two leads at once: the second finds the open request and is
    told so (AssayError). Raises AssayError for a settled pair, or one whose grade is known.
    """
    moment = now or datetime.now(UTC)
    pair = _pair_to_ask_for(session, actor, project_id, pair_id)
    wanted = max(pair.overlap, pair.vote_count) + 1
    if wanted > MOST_OVERLAP:
        raise AssayError(f"expected at most {MOST_OVERLAP} votes wanted of a pair, found {wanted}")
    session.execute(update(_pair).where(_pair.c.id == pair_id).values(overlap=wanted))
    write_requests(session, actor, {pair_id: pair.overlap}, "more", "", moment)
    fill_free_places(session, project_id, now=moment)


def ask_for_discussion(
    session: Session, actor: Actor, project_id: int, pair_id: int, *, text: str, now: datetime | None = None
) -> int:
    """Send a pair back to those who voted on it, with a few words; says how many will see it.

    Raises AssayError without words, for a settled pair, or where no voter has an account to see it with.
    """
    if not 1 <= len(text.strip()) <= LONGEST_TEXT:
        raise AssayError(f"expected 1 to {LONGEST_TEXT:,} characters for the raters, found {len(text.strip()):,}")
    moment = now or datetime.now(UTC)
    pair = _pair_to_ask_for(session, actor, project_id, pair_id)
    reached = reached_raters(session, project_id, [pair_id])[pair_id]
    if not reached:
        raise AssayError("expected a voter with an account, found none: votes from files are nobody's who reads here")
    write_requests(session, actor, {pair_id: pair.overlap}, "discuss", text, moment)
    return len(reached)


def _pair_to_ask_for(session: Session, actor: Actor, project_id: int, pair_id: int) -> AnyRow:
    """A pair's overlap and votes, unless it is one that nothing can be asked for."""
    actor.require("lead")
    lock_project(session, project_id)
    get_project(session, actor, project_id)
    here = (_pair.c.id == pair_id, _pair.c.project_id == project_id)
    pair = session.execute(select(_pair.c.overlap, _pair.c.vote_count).where(*here)).first()
    if pair is None:
        raise NotFound(f"expected a pair of the project, found none numbered {pair_id}")
    if session.execute(select(_reference.c.pair_id).where(_reference.c.pair_id == pair_id)).first():
        raise AssayError("expected a pair to vote on, found one whose grade is known")
    if current_decision(session, pair_id) is not None:
        raise AssayError("expected a pair that is not settled, found a decision on it: open it again first")
    if waiting_pairs(session, project_id, [pair_id]):
        raise AssayError("expected a pair that waits for nobody, found an open request on it")
    return pair


def write_requests(
    session: Session, actor: Actor, overlap_before: Mapping[int, int], kind: str, text: str, now: datetime
) -> None:
    """One row a pair, with the overlap that it has without the request."""
    said = {"kind": kind, "text": storable(text.strip()), "asked_by": actor.account_id, "asked_at": now}
    rows = [{"pair_id": pair, "overlap_before": overlap, **said} for pair, overlap in overlap_before.items()]
    if rows:
        session.execute(insert(_request), rows)


def reached_raters(session: Session, project_id: int, pairs: Collection[int] | None) -> dict[int, set[int]]:
    """For each pair the raters with an account who voted on it; None asks for every pair of the project."""
    statement = (
        select_current(_current.c.pair_id, _rater.c.id)
        .where(_pair.c.project_id == project_id, _judgment.c.kind == "grade", _rater.c.account_id.is_not(None))
        .where(~_rater.c.set_aside, _rater.c.casts_vote)
    )
    if pairs is not None and len(pairs) == 1:
        statement = statement.where(_pair.c.id.in_(pairs))
    found: dict[int, set[int]] = defaultdict(set)
    for pair, rater in session.execute(statement):
        found[pair].add(rater)
    return found


def _open_rows(session: Session, project_id: int) -> list[AnyRow]:
    statement = (
        select(_request, _pair.c.overlap, _pair.c.vote_count)
        .join(_pair, _pair.c.id == _request.c.pair_id)
        .where(_pair.c.project_id == project_id, _request.c.closed_at.is_(None))
        .order_by(_request.c.id)
    )
    return list(session.execute(statement))


def waiting_pairs(session: Session, project_id: int, pairs: Collection[int]) -> set[int]:
    """Those of these pairs that wait for an answer."""
    wanted = set(pairs)
    return {one.pair for one in _requests(session, project_id) if one.pair in wanted and not one.is_answered}


def list_requests(session: Session, actor: Actor, project_id: int) -> list[Request]:
    """The requests that no lead has closed, oldest first; answered ones among them."""
    actor.require("lead")
    get_project(session, actor, project_id)
    return _requests(session, project_id)


def _requests(session: Session, project_id: int) -> list[Request]:
    rows = _open_rows(session, project_id)
    if not rows:
        return []
    reached = reached_raters(session, project_id, None)
    answers = _answers(session, project_id, rows)
    found = []
    for row in rows:
        if row.kind == "more":
            asked, answered = 1, int(row.vote_count >= row.overlap)
        else:
            asked = len(reached[row.pair_id])
            answered = len(reached[row.pair_id] & answers[row.id])
        found.append(Request(row.id, row.pair_id, row.kind, row.text, row.asked_at, asked, answered))
    return found


def _answers(session: Session, project_id: int, rows: Iterable[AnyRow]) -> dict[int, set[int]]:
    """For each request the raters who judged its pair after it; of a new rubric's, under a version that stood then."""
    versions = select(_rubric.c.id, _rubric.c.created_at, _rubric.c.version).where(_rubric.c.project_id == project_id)
    rubrics = list(session.execute(versions))
    number = {row.id: row.version for row in rubrics}
    requests = list(rows)
    statement = (
        select(_current.c.pair_id, _current.c.rater_id, _judgment.c.judged_at, _judgment.c.rubric_id)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .where(_current.c.pair_id.in_({row.pair_id for row in requests}), _judgment.c.kind != "skip")
    )
    given: dict[int, list[AnyRow]] = defaultdict(list)
    for answer in session.execute(statement):
        given[answer.pair_id].append(answer)
    found: dict[int, set[int]] = {}
    for row in requests:
        then = [one.version for one in rubrics if one.created_at <= row.asked_at]
        least = max(then, default=1) if row.kind == "rejudge" else 1
        found[row.id] = {
            answer.rater_id
            for answer in given[row.pair_id]
            if answer.judged_at > row.asked_at and number[answer.rubric_id] >= least
        }
    return found


def close_request(
    session: Session, actor: Actor, project_id: int, request_id: int, *, now: datetime | None = None
) -> None:
    """End a request that nobody needs to answer any more; a vote more is then no longer wanted.

    The pair's overlap goes back to what it was, but never below the votes it has. NotFound for no request of the project.
    """
    actor.require("lead")
    lock_project(session, project_id)
    get_project(session, actor, project_id)
    row = next((one for one in _open_rows(session, project_id) if one.id == request_id), None)
    if row is None:
        raise NotFound(f"expected an open request of the project, found none numbered {request_id}")
    session.execute(update(_request).where(_request.c.id == row.id).values(closed_at=now or datetime.now(UTC)))
    if row.kind == "more" and row.vote_count < row.overlap:
        overlap = max(row.overlap_before, row.vote_count)
        session.execute(update(_pair).where(_pair.c.id == row.pair_id).values(overlap=overlap))


def close_answered(session: Session, actor: Actor, project_id: int, *, now: datetime | None = None) -> int:
    """Write down that the requests everybody has answered are over; says how many. Doing it twice changes nothing."""
    actor.require("lead")
    over = [one.id for one in list_requests(session, actor, project_id) if one.is_answered]
    open_ones = (_request.c.id.in_(over), _request.c.closed_at.is_(None))
    return count_changed(session, update(_request).where(*open_ones).values(closed_at=now or datetime.now(UTC)))


def list_sent_back(session: Session, actor: Actor, project_id: int) -> list[SentBack]:
    """The pairs that came back to this rater and wait for an answer, oldest first; with no name of anybody."""
    project = get_project(session, actor, project_id)
    rater = get_rater(session, actor, project.id)
    if rater is None:
        return []
    rows = [row for row in _open_rows(session, project_id) if row.kind != "more"]
    answers = _answers(session, project_id, rows) if rows else {}
    reached = reached_raters(session, project_id, None) if rows else {}
    settled = settled_pairs(session, project_id) if rows else {}
    mine = [row for row in rows if rater.id in reached[row.pair_id] and rater.id not in answers[row.id]]
    waiting = [row for row in mine if row.pair_id not in settled]
    return _describe_sent_back(session, project_id, rater.id, waiting) if waiting else []


def _describe_sent_back(session: Session, project_id: int, rater_id: int, requests: Iterable[AnyRow]) -> list[SentBack]:
    """Requests with what their pairs show, and with what was judged of these."""
    sent = select(_request.c.pair_id).where(_request.c.closed_at.is_(None), _request.c.kind != "more")
    here = (_pair.c.project_id == project_id, _pair.c.id.in_(sent))
    shown = (
        select(
            _pair.c.id, _query.c.query_id, _query.c.text.label("query"), _document.c.title,
            func.substr(_document.c.text, 1, 300).label("document"),
        )
        .select_from(_pair)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(*here)
    )  # fmt: skip
    texts = {row.id: row for row in session.execute(shown)}
    judged = (
        select(_current.c.pair_id, _current.c.rater_id, _judgment.c.grade, _judgment.c.comment)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_pair, _pair.c.id == _current.c.pair_id)
        .where(*here)
    )
    judgments: dict[int, list[AnyRow]] = defaultdict(list)
    for row in session.execute(judged):
        judgments[row.pair_id].append(row)
    return [_sent_back(one, rater_id, texts[one.pair_id], judgments[one.pair_id]) for one in requests]


def _sent_back(request: AnyRow, rater_id: int, row: AnyRow, judgments: Iterable[AnyRow]) -> SentBack:
    return SentBack(
        request=request.id,
        pair=request.pair_id,
        kind=request.kind,
        text=request.text,
        asked_at=request.asked_at,
        query_id=row.query_id,
        query=row.query or "",
        title=row.title,
        document=row.document or "",
        grade=next((one.grade for one in judgments if one.rater_id == rater_id), None),
        comments=tuple(sorted(one.comment for one in judgments if one.rater_id != rater_id and one.comment)),
    )
