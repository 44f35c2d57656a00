"""Pairs whose votes differ, and what a lead decided about them.

Knows no page. Decisions are appended, never changed; the newest one of a pair is current, and the votes stay beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

import pandas as pd
from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow
from labeling.errors import AssayError, NotFound
from labeling.ledger import current_decision
from labeling.projects import Project, get_project
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.votes import COUNTS_AS_VOTE

__all__ = [
    "DECISION_REASONS",
    "Dispute",
    "DisputedPair",
    "Vote",
    "decide",
    "find_pair",
    "is_disputed",
    "list_disputes",
    "read_decisions",
    "show_disputed_pair",
    "withdraw_decision",
]

DECISION_REASONS = ("query_unclear", "document_unclear", "rater_slip", "rubric_clause", "other")

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_rater = metadata.tables["rater"]
_decision = metadata.tables["decision"]
_account = metadata.tables["account"]


@dataclass(frozen=True)
class Dispute:
    """A pair whose votes differ; grades in rising order, decided is the settled grade or None."""

    pair: int
    query_id: str
    query: str
    doc_id: str
    title: str
    grades: tuple[int, ...]
    decided: int | None

    @property
    def spread(self) -> int:
        """Highest less lowest grade."""
        return self.grades[-1] - self.grades[0]


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
    """Everything a lead needs to settle one pair; remarks are the comments of those who could not judge it."""

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
    grades = _grades_by_pair(session, project_id)
    disputed = {
        pair: values
        for pair, values in grades.items()
        if is_disputed(values, project.dispute_rule, project.relevant_from)
    }
    decided = _decided_grades(session, project_id)
    wanted = [pair for pair in disputed if settled or pair not in decided]
    found = [
        Dispute(
            row.id, row.query_id, row.query or "", row.doc_id, row.title, tuple(sorted(disputed[row.id])),
            decided.get(row.id),
        )
        for row in _describe(session, project_id)
        if row.id in set(wanted)
    ]  # fmt: skip
    return sorted(found, key=lambda dispute: (-dispute.spread, dispute.query_id, dispute.doc_id))


def _grades_by_pair(session: Session, project_id: int) -> dict[int, list[int]]:
    statement = (
        select(_current.c.pair_id, _judgment.c.grade)
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_rater, _rater.c.id == _current.c.rater_id)
        .join(_pair, _pair.c.id == _current.c.pair_id)
        .where(_pair.c.project_id == project_id, COUNTS_AS_VOTE)
        .where(_pair.c.vote_count >= _pair.c.overlap, _pair.c.vote_count >= 2)
    )
    grades: dict[int, list[int]] = {}
    for pair, grade in session.execute(statement):
        grades.setdefault(pair, []).append(grade)
    return grades


def _decided_grades(session: Session, project_id: int) -> dict[int, int]:
    newest = (
        select(func.max(_decision.c.id))
        .join(_pair, _pair.c.id == _decision.c.pair_id)
        .where(_pair.c.project_id == project_id)
        .group_by(_decision.c.pair_id)
    )
    statement = select(_decision.c.pair_id, _decision.c.grade).where(_decision.c.id.in_(newest))
    return {row.pair_id: row.grade for row in session.execute(statement) if row.grade is not None}


def _describe(session: Session, project_id: int) -> list[AnyRow]:
    statement = (
        select(_pair.c.id, _query.c.query_id, _query.c.text.label("query"), _document.c.doc_id, _document.c.title)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id, _pair.c.vote_count >= 2)
    )
    return list(session.execute(statement))


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
    )


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
    act_id: str,
    now: datetime | None = None,
) -> None:
    """Settle a pair with a grade and a reason; the votes as they stand are kept with it as the dissent.

    The same act id again changes nothing. Two leads at once: the later decision is current, the earlier one stays.
    Raises AssayError for a grade outside the scale or a reason that is not on the list.
    """
    actor.require("lead")
    scale = get_rubric(session, project_id).grades
    if grade not in scale:
        raise AssayError(f"expected a grade from {scale[0]} to {scale[-1]}, found {grade}")
    if reason not in DECISION_REASONS:
        raise AssayError(f"expected a reason of {', '.join(DECISION_REASONS)}, found {reason!r}")
    _append_decision(session, actor, project_id, pair_id, grade=grade, reason=reason, note=note, act_id=act_id, now=now)


def withdraw_decision(
    session: Session, actor: Actor, project_id: int, pair_id: int, *, act_id: str, now: datetime | None = None
) -> None:
    """Open a settled pair again; a new row says so."""
    actor.require("lead")
    _append_decision(session, actor, project_id, pair_id, grade=None, reason="", note="", act_id=act_id, now=now)


def _append_decision(
    session: Session,
    actor: Actor,
    project_id: int,
    pair_id: int,
    *,
    grade: int | None,
    reason: str,
    note: str,
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
            grade=grade,
            reason=reason,
            note=note.strip(),
            votes=sorted(votes, key=lambda vote: str(vote["rater"])),
            rubric_id=get_rubric(session, project_id).id,
            decided_at=now or datetime.now(UTC),
        )
    )


def read_decisions(session: Session, actor: Actor, project_id: int) -> pd.DataFrame:
    """The current decisions: query_id, doc_id, grade, reason, note, decided_by, decided_at; sorted by pair."""
    actor.require("lead")
    newest = (
        select(func.max(_decision.c.id))
        .join(_pair, _pair.c.id == _decision.c.pair_id)
        .where(_pair.c.project_id == project_id)
        .group_by(_decision.c.pair_id)
    )
    names = ["query_id", "doc_id", "grade", "reason", "note", "decided_by", "decided_at"]
    statement = (
        select(_query.c.query_id, _document.c.doc_id, _decision.c.grade, _decision.c.reason, _decision.c.note,
               _account.c.name, _decision.c.decided_at)
        .join(_pair, _pair.c.id == _decision.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .outerjoin(_account, _account.c.id == _decision.c.decided_by)
        .where(_decision.c.id.in_(newest), _decision.c.grade.is_not(None))
    )  # fmt: skip
    table = pd.DataFrame([tuple(row) for row in session.execute(statement)], columns=names, dtype=object)
    table["grade"] = table["grade"].astype("int64")
    return table.sort_values(["query_id", "doc_id"]).reset_index(drop=True)
