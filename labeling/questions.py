"""What raters ask their lead, and propose as a query's narrative, from the pair in hand; what the lead answers everybody.

Knows no grade and no vote: what others see of a question is its text and its answer, never who asked or about which document.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.acts import BadAct
from labeling.collection import write_narrative
from labeling.database import AnyRow, row_number, storable
from labeling.errors import AssayError, NotFound
from labeling.projects import Project, get_project
from labeling.raters import Rater, get_rater
from labeling.schema import metadata

__all__ = [
    "ABOUT",
    "LONGEST",
    "Asked",
    "accept_narrative",
    "answer_question",
    "ask_question",
    "count_open_questions",
    "decline_question",
    "list_own_questions",
    "list_questions",
    "parse_question",
    "show_answers",
]

ABOUT = ("query", "rubric", "narrative")
LONGEST = 2000  # characters of a question, an answer, a narrative

_question = metadata.tables["question"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_pair = metadata.tables["pair"]
_claim = metadata.tables["claim"]
_judgment = metadata.tables["judgment"]
_rater = metadata.tables["rater"]
_account = metadata.tables["account"]


@dataclass(frozen=True)
class Asked:
    """A question as the card sent it; the id is made when it is sent for the first time."""

    act_id: str
    seq: float
    pair: int
    about: str
    clause: str
    text: str


def parse_question(raw: object) -> Asked:
    """A question from a request's JSON; BadAct for one that no card can have sent."""
    if not isinstance(raw, Mapping):
        raise BadAct(f"expected a question of the judging card, found {type(raw).__name__}")
    try:
        asked = Asked(
            act_id=str(raw["act_id"]),
            seq=float(raw["seq"]),
            pair=row_number(raw["asks"]),
            about=str(raw["about"]),
            clause=storable(str(raw.get("clause") or "")[:200]).strip(),
            text=storable(str(raw["text"])[:LONGEST]).strip(),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadAct(f"expected a question of the judging card, found {error!r}") from error
    sound = 8 <= len(asked.act_id) <= 80 and storable(asked.act_id) == asked.act_id and math.isfinite(asked.seq)
    if not sound or asked.about not in ABOUT or not asked.text:
        raise BadAct(f"expected a text about one of {', '.join(ABOUT)} with an id, found {asked.about!r}")
    return asked


def ask_question(session: Session, project: Project, rater: Rater, asked: Asked, *, now: datetime) -> tuple[str, str]:
    """Keep what a rater asks, exactly once: the outcome's status and code.

    Refused (not_held) for a pair that this rater never held: whoever asks has seen it. A closed project keeps it too, as
    words on their way are a person's work.
    """
    stored = session.execute(select(_question.c.asked_by).where(_question.c.act_id == asked.act_id)).first()
    if stored is not None:
        return ("repeated", "") if stored.asked_by == rater.id else ("refused", "bad_act")
    pair = session.execute(
        select(_pair.c.id, _pair.c.query_pk).where(_pair.c.id == asked.pair, _pair.c.project_id == project.id)
    ).first()
    if pair is None or not _has_seen(session, rater, pair.id):
        return "refused", "not_held"
    session.execute(
        insert(_question).values(
            act_id=asked.act_id,
            project_id=project.id,
            query_pk=None if asked.about == "rubric" else pair.query_pk,
            pair_id=pair.id,
            kind="narrative" if asked.about == "narrative" else "question",
            clause=asked.clause if asked.about == "rubric" else "",
            text=asked.text,
            asked_by=rater.id,
            asked_at=now,
        )
    )
    return "saved", ""


def _has_seen(session: Session, rater: Rater, pair_id: int) -> bool:
    for table in (_claim, _judgment):
        mine = select(table.c.pair_id).where(table.c.pair_id == pair_id, table.c.rater_id == rater.id).limit(1)
        if session.execute(mine).first() is not None:
            return True
    return False


def show_answers(session: Session, project_id: int, rater_id: int, pairs: Sequence[int]) -> list[dict[str, Any]]:
    """What a card shows beside the queries of its pairs and beside the rubric: answers for all, and one's own questions.

    Each has id, query_id (None for the rubric), kind, clause, text, state, answer, mine. Oldest first.
    """
    queries = select(_pair.c.query_pk).where(_pair.c.project_id == project_id, _pair.c.id.in_(pairs))
    mine = _question.c.asked_by == rater_id
    statement = (
        select(
            *(_question.c[name] for name in ("id", "kind", "clause", "text", "state", "answer")),
            _query.c.query_id,
            mine.label("mine"),
        )
        .outerjoin(_query, _query.c.id == _question.c.query_pk)
        .where(_question.c.project_id == project_id)
        .where(or_(_question.c.query_pk.is_(None), _question.c.query_pk.in_(queries)))
        .where(or_(mine, _question.c.state.in_(("answered", "accepted"))))
        .order_by(_question.c.id)
    )
    names = ("id", "query_id", "kind", "clause", "text", "state", "answer")
    return [
        {**{name: getattr(row, name) for name in names}, "mine": bool(row.mine)} for row in session.execute(statement)
    ]


def count_open_questions(session: Session, actor: Actor) -> dict[int, int]:
    """How many questions wait for an answer, by project; only projects that have any."""
    actor.require("lead")
    statement = (
        select(_question.c.project_id, func.count()).where(_question.c.state == "open").group_by(_question.c.project_id)
    )
    return {row[0]: int(row[1]) for row in session.execute(statement)}


def list_questions(session: Session, actor: Actor, project_id: int) -> list[AnyRow]:
    """Everything that was asked in a project, open ones first and the oldest of them first, then the newest answered.

    Columns: id, kind, clause, text, state, answer, asked_at, answered_at, asked_by, answered_by, query_id, query,
    narrative, doc_id, title, document (how its text begins), pair, about_rubric.
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    statement = _select_questions().where(_question.c.project_id == project_id)
    rows = list(session.execute(statement))
    waiting = sorted((row for row in rows if row.state == "open"), key=lambda row: row.id)
    done = sorted((row for row in rows if row.state != "open"), key=lambda row: (row.answered_at, row.id), reverse=True)
    return waiting + done


def list_own_questions(session: Session, actor: Actor, project_id: int) -> list[AnyRow]:
    """What one has asked in a project, newest first; columns as list_questions."""
    rater = get_rater(session, actor, project_id)
    if rater is None:
        return []
    statement = _select_questions().where(_question.c.project_id == project_id, _question.c.asked_by == rater.id)
    return list(session.execute(statement.order_by(_question.c.id.desc())))


def _select_questions() -> Any:
    names = ("id", "kind", "clause", "text", "state", "answer", "asked_at", "answered_at")
    own_query = func.coalesce(_question.c.query_pk, _pair.c.query_pk)
    return (
        select(
            *(_question.c[name] for name in names),
            _rater.c.name.label("asked_by"),
            _account.c.name.label("answered_by"),
            _query.c.query_id,
            _query.c.text.label("query"),
            _query.c.narrative,
            _document.c.doc_id,
            _document.c.title,
            func.substr(_document.c.text, 1, 600).label("document"),
            _question.c.pair_id.label("pair"),
            _question.c.query_pk.is_(None).label("about_rubric"),
        )
        .join(_rater, _rater.c.id == _question.c.asked_by)
        .outerjoin(_account, _account.c.id == _question.c.answered_by)
        .outerjoin(_pair, _pair.c.id == _question.c.pair_id)
        .outerjoin(_query, _query.c.id == own_query)
        .outerjoin(_document, _document.c.id == _pair.c.document_pk)
    )


def answer_question(session: Session, actor: Actor, project_id: int, question_id: int, answer: str) -> None:
    """Answer a question; from then on everybody who has a pair of its query sees both. Again: the answer is changed.

    Raises AssayError for an empty answer, NotFound for a question of another project.
    """
    actor.require("lead")
    _question_here(session, project_id, question_id)
    _close(session, actor, question_id, "answered", _written(answer, "an answer"))


def decline_question(session: Session, actor: Actor, project_id: int, question_id: int, answer: str) -> None:
    """Decline a question or a proposed narrative, with words that only its asker sees. AssayError without any."""
    actor.require("lead")
    _question_here(session, project_id, question_id)
    _close(session, actor, question_id, "declined", _written(answer, "a word on why"))


def accept_narrative(
    session: Session, actor: Actor, project_id: int, question_id: int, narrative: str, answer: str = ""
) -> None:
    """Make a proposed narrative, as the lead words it, the query's own; the question keeps who proposed what.

    Pairs of the query that raters hold show another text then: their next act is refused and the pair shown again.
    Raises AssayError for an empty narrative or a question that proposes none.
    """
    actor.require("lead")
    row = _question_here(session, project_id, question_id)
    if row.kind != "narrative":
        raise AssayError("expected a proposed narrative, found a question")
    text = _written(narrative, "a narrative")
    query_id = session.execute(select(_query.c.query_id).where(_query.c.id == row.query_pk)).scalar_one()
    write_narrative(session, actor, project_id, query_id, text)
    _close(session, actor, question_id, "accepted", storable(answer.strip()[:LONGEST]))


def _written(text: str, what: str) -> str:
    text = storable(text.strip())
    if not 1 <= len(text) <= LONGEST:
        raise AssayError(f"expected {what} of 1 to {LONGEST} characters, found {len(text)}")
    return text


def _question_here(session: Session, project_id: int, question_id: int) -> AnyRow:
    where = (_question.c.id == question_id, _question.c.project_id == project_id)
    row = session.execute(select(_question).where(*where)).first()
    if row is None:
        raise NotFound(f"expected a question of the project, found none with number {question_id}")
    return row


def _close(session: Session, actor: Actor, question_id: int, state: str, answer: str) -> None:
    values = {"state": state, "answer": answer, "answered_by": actor.account_id, "answered_at": datetime.now(UTC)}
    session.execute(update(_question).where(_question.c.id == question_id).values(**values))
