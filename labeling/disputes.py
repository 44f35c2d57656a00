"""Pairs whose votes differ, and what a lead decided about them.

Knows no page. Decisions are appended, never changed; the newest one of a pair is current, and the votes stay beside it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import combinations
from typing import Any

from sqlalchemy import ColumnElement, insert, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow, storable
from labeling.decisions import read_decisions
from labeling.errors import AssayError, NotFound
from labeling.ledger import current_decision, settled_pairs
from labeling.projects import Project, get_project
from labeling.reasons import DECISION_REASONS, list_clauses, list_reasons
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.votes import COUNTS_AS_VOTE, select_current

__all__ = [
    "DECISION_REASONS",
    "Dispute",
    "DisputedPair",
    "Vote",
    "decide",
    "describe_pairs",
    "find_pair",
    "is_disputed",
    "list_disputes",
    "list_pairs_by_ids",
    "read_decisions",
    "show_disputed_pair",
    "withdraw_decision",
]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rater = metadata.tables["rater"]
_decision = metadata.tables["decision"]
_reference = metadata.tables["reference"]


@dataclass(frozen=True)
class Dispute:
    """A pair with its votes, which mostly differ; grades in rising order, decided is the settled grade or None.

    votes are (rater, grade) by rater; completed_at is when the newest of them was given.
    """

    pair: int
    query_id: str
    query: str
    doc_id: str
    title: str
    grades: tuple[int, ...]
    decided: int | None
    votes: tuple[tuple[str, int], ...] = ()
    completed_at: datetime | None = None

    @property
    def spread(self) -> int:
        """Highest less lowest grade."""
        return self.grades[-1] - self.grades[0] if self.grades else 0

    @property
    def rater_pairs(self) -> tuple[tuple[str, str], ...]:
        """The raters who gave different grades, two and two, each couple by name."""
        return tuple((one, other) for (one, a), (other, b) in combinations(self.votes, 2) if a != b)


@dataclass(frozen=True)
class Vote:
    """One vote as a lead sees it: a letter in place of the name; the name for those who ask."""

    letter: str
    grade: int
    comment: str
    seconds: float | None
    rater: str


@dataclass(frozen=True)
class DisputedPair:
    """Everything a lead needs to settle one pair; remarks are the comments of those who could not judge it.

    known is the reference's grade where the pair is for practice or gold: such a pair is never settled.
    """

    pair: int
    query_id: str
    query: str
    narrative: str
    doc_id: str
    title: str
    url: str
    text: str
    votes: tuple[Vote, ...]
    remarks: tuple[str, ...]
    decision: AnyRow | None
    known: int | None = None


def is_disputed(grades: Sequence[int], rule: str, relevant_from: int) -> bool:
    """Whether votes differ by a project's rule: any difference, two grades apart, or across the threshold."""
    lowest, highest = min(grades), max(grades)
    if rule == "two_apart":
        return highest - lowest >= 2
    if rule == "threshold":
        return lowest < relevant_from <= highest
    return highest > lowest


def list_disputes(session: Session, actor: Actor, project_id: int, *, settled: bool = True) -> list[Dispute]:
    """The disputed pairs of a project, widest difference first; without the settled ones where they are not wanted.

    A pair is disputed once it has the votes it wants (two at least) and they differ by the project's rule.
    """
    actor.require("lead")
    project = get_project(session, actor, project_id)
    complete = (_pair.c.vote_count >= _pair.c.overlap, _pair.c.vote_count >= 2)
    disputed = [
        one
        for one in _describe(session, project_id, *complete)
        if is_disputed(one.grades, project.dispute_rule, project.relevant_from)
    ]
    return sorted((one for one in disputed if settled or one.decided is None), key=_widest_first)


def describe_pairs(session: Session, actor: Actor, project_id: int, pairs: Collection[int]) -> list[Dispute]:
    """Any pairs of a project with their votes, disputed or not; widest difference first."""
    actor.require("lead")
    get_project(session, actor, project_id)
    wanted = set(pairs)
    return sorted((one for one in _describe(session, project_id) if one.pair in wanted), key=_widest_first)


def _widest_first(dispute: Dispute) -> tuple[int, str, str]:
    return (-dispute.spread, dispute.query_id, dispute.doc_id)


def _describe(session: Session, project_id: int, *where: ColumnElement[bool]) -> list[Dispute]:
    """Pairs with their votes; of those whose places are filled, a pair without a vote has no grade to show and is left out."""
    votes = _votes_by_pair(session, project_id, *where)
    decided = settled_pairs(session, project_id)
    statement = (
        select(_pair.c.id, _query.c.query_id, _query.c.text.label("query"), _document.c.doc_id, _document.c.title)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id, *where)
    )
    found = []
    for row in session.execute(statement):
        cast = votes.get(row.id, [])
        if where and not cast:
            continue
        found.append(
            Dispute(
                row.id, row.query_id, row.query or "", row.doc_id, row.title,
                tuple(sorted(grade for _, grade, _ in cast)), decided.get(row.id),
                tuple(sorted((name, grade) for name, grade, _ in cast)), max((at for _, _, at in cast), default=None),
            )
        )  # fmt: skip
    return found


def _votes_by_pair(
    session: Session, project_id: int, *where: ColumnElement[bool]
) -> dict[int, list[tuple[str, int, datetime]]]:
    statement = select_current(_current.c.pair_id, _rater.c.name, _judgment.c.grade, _judgment.c.judged_at).where(
        _pair.c.project_id == project_id, COUNTS_AS_VOTE, *where
    )
    votes: dict[int, list[tuple[str, int, datetime]]] = {}
    for pair, name, grade, judged_at in session.execute(statement):
        votes.setdefault(pair, []).append((name, grade, judged_at))
    return votes


def find_pair(session: Session, actor: Actor, project_id: int, query_id: str, doc_id: str) -> int | None:
    """The number of a pair by its ids, disputed or not; None where the project does not have it."""
    actor.require("lead")
    statement = (
        select(_pair.c.id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id, _query.c.query_id == query_id, _document.c.doc_id == doc_id)
    )
    return session.execute(statement).scalar_one_or_none()


def list_pairs_by_ids(
    session: Session, actor: Actor, project_id: int, wanted: Collection[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """The numbers of pairs by their query and document ids; those that the project does not have are left out."""
    actor.require("lead")
    statement = (
        select(_query.c.query_id, _document.c.doc_id, _pair.c.id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id)
    )
    return {(row[0], row[1]): row[2] for row in session.execute(statement) if (row[0], row[1]) in wanted}


def show_disputed_pair(session: Session, actor: Actor, project_id: int, pair_id: int) -> DisputedPair:
    """A pair with its votes under letters, in an order that tells nothing of the raters, and the current decision."""
    actor.require("lead")
    project = get_project(session, actor, project_id)
    statement = (
        select(_pair.c.id, _query.c.query_id, _query.c.text.label("query"), _query.c.narrative, _document.c.doc_id,
               _document.c.title, _document.c.url, _document.c.text)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.id == pair_id, _pair.c.project_id == project_id)
    )  # fmt: skip
    row = session.execute(statement).first()
    if row is None:
        raise NotFound(f"expected a pair of the project, found none numbered {pair_id}")
    return DisputedPair(
        pair=row.id,
        query_id=row.query_id,
        query=row.query or "",
        narrative=row.narrative,
        doc_id=row.doc_id,
        title=row.title,
        url=row.url if row.url.startswith(("https://", "http://")) else "",
        text=row.text or "",
        votes=_votes_of(session, project, pair_id),
        remarks=_remarks_of(session, pair_id),
        decision=current_decision(session, pair_id),
        known=_known_grade(session, pair_id),
    )


def _known_grade(session: Session, pair_id: int) -> int | None:
    return session.execute(select(_reference.c.grade).where(_reference.c.pair_id == pair_id)).scalar_one_or_none()


def _votes_of(session: Session, project: Project, pair_id: int) -> tuple[Vote, ...]:
    statement = (
        select(_rater.c.id, _rater.c.name, _judgment.c.grade, _judgment.c.comment, _judgment.c.seconds)
        .join(_current, _current.c.rater_id == _rater.c.id)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .where(_current.c.pair_id == pair_id, COUNTS_AS_VOTE)
    )

    def place(row: AnyRow) -> bytes:
        return blake2b(f"{project.seed}:{pair_id}:{row.id}".encode(), digest_size=8).digest()

    rows = sorted(session.execute(statement), key=place)
    return tuple(
        Vote(chr(ord("A") + number), row.grade, row.comment, row.seconds, row.name) for number, row in enumerate(rows)
    )


def _remarks_of(session: Session, pair_id: int) -> tuple[str, ...]:
    statement = (
        select(_judgment.c.reason, _judgment.c.comment)
        .join(_current, _current.c.judgment_id == _judgment.c.id)
        .where(_current.c.pair_id == pair_id, _judgment.c.kind == "cannot_judge")
        .order_by(_judgment.c.id)
    )
    return tuple(": ".join(filter(None, row)) for row in session.execute(statement))


def decide(
    session: Session,
    actor: Actor,
    project_id: int,
    pair_id: int,
    *,
    grade: int,
    reason: str,
    note: str = "",
    blind_grade: int | None = None,
    rubric_change: bool = False,
    clause: str = "",
    act_id: str,
    now: datetime | None = None,
) -> None:
    """Settle a pair with a grade and a reason; the votes as they stand are kept with it as the dissent.

    blind_grade is what the lead gave before seeing the votes; rubric_change says that the rubric needs a change, in the
    clause that is named. The same act id again changes nothing. Two leads at once: the later decision is current, the
    earlier one stays. Raises AssayError for a grade outside the scale, a reason or clause that is not on the list, a
    clause without the mark, or a pair whose grade is known (practice or gold).
    """
    actor.require("lead")
    project, rubric = get_project(session, actor, project_id), get_rubric(session, project_id)
    scale, reasons = rubric.grades, list_reasons(project)
    for found in (grade, blind_grade):
        if found is not None and found not in scale:
            raise AssayError(f"expected a grade from {scale[0]} to {scale[-1]}, found {found}")
    if reason not in reasons:
        raise AssayError(f"expected a reason of {', '.join(reasons)}, found {reason!r}")
    if clause and not rubric_change:
        raise AssayError("expected a clause only with the mark that the rubric needs a change")
    if clause and clause not in list_clauses(rubric):
        raise AssayError(f"expected a clause of {', '.join(list_clauses(rubric))}, found {clause!r}")
    if _known_grade(session, pair_id) is not None:
        raise AssayError("expected a pair to vote on, found one whose grade is known: change it among the references")
    values = {"grade": grade, "reason": reason, "note": note, "blind_grade": blind_grade}
    values |= {"rubric_change": rubric_change, "clause": clause}
    _append_decision(session, actor, project_id, pair_id, values, act_id=act_id, now=now)


def withdraw_decision(
    session: Session, actor: Actor, project_id: int, pair_id: int, *, act_id: str, now: datetime | None = None
) -> None:
    """Open a settled pair again; a new row says so."""
    actor.require("lead")
    values = {"grade": None, "reason": "", "note": ""}
    _append_decision(session, actor, project_id, pair_id, values, act_id=act_id, now=now)


def _append_decision(
    session: Session,
    actor: Actor,
    project_id: int,
    pair_id: int,
    values: Mapping[str, Any],
    *,
    act_id: str,
    now: datetime | None,
) -> None:
    project = get_project(session, actor, project_id)
    if session.execute(select(_decision.c.id).where(_decision.c.act_id == act_id)).first():
        return
    here = select(_pair.c.id).where(_pair.c.id == pair_id, _pair.c.project_id == project_id)
    if session.execute(here).first() is None:
        raise NotFound(f"expected a pair of the project, found none numbered {pair_id}")
    votes = [{"rater": vote.rater, "grade": vote.grade} for vote in _votes_of(session, project, pair_id)]
    session.execute(
        insert(_decision).values(
            act_id=act_id,
            pair_id=pair_id,
            decided_by=actor.account_id,
            **{**values, "note": storable(str(values["note"]).strip())},
            votes=sorted(votes, key=lambda vote: str(vote["rater"])),
            rubric_id=get_rubric(session, project_id).id,
            decided_at=now or datetime.now(UTC),
        )
    )
