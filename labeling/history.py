"""A rater's own judgments: to look them up, to read a pair again, to judge it again.

Reads only, and only what is the rater's own.
"""

from typing import Any

from sqlalchemy import CompoundSelect, func, select, union_all
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow
from labeling.errors import NotFound
from labeling.ledger import is_settled
from labeling.projects import get_project
from labeling.raters import get_rater
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.shown import show_pairs

__all__ = ["list_history", "read_text", "select_counting", "show_own_pair"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_claim = metadata.tables["claim"]
_judgment = metadata.tables["judgment"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_rubric = metadata.tables["rubric"]


def list_history(session: Session, actor: Actor, project_id: int, *, limit: int | None = None) -> list[AnyRow]:
    """One's own current judgments, newest first; gold among them like any other, practice and repeats are not.

    Columns: act_id, pair, kind, grade, reason, comment, answers, judged_at, version, query_id, query, doc_id, title, text (its
    beginning), settled.
    """
    rater = get_rater(session, actor, project_id)
    if rater is None:
        return []
    statement = (
        select(
            _judgment.c.act_id,
            _pair.c.id.label("pair"),
            _judgment.c.kind,
            _judgment.c.grade,
            _judgment.c.reason,
            _judgment.c.comment,
            _judgment.c.answers,
            _judgment.c.judged_at,
            _rubric.c.version,
            _query.c.query_id,
            _query.c.text.label("query"),
            _document.c.doc_id,
            _document.c.title,
            func.substr(_document.c.text, 1, 300).label("text"),
            is_settled().label("settled"),
        )
        .join(_pair, _pair.c.id == _judgment.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .join(_rubric, _rubric.c.id == _judgment.c.rubric_id)
        .where(_judgment.c.id.in_(select_counting(rater.id)))
        .order_by(_judgment.c.id.desc())
    )
    return list(session.execute(statement.limit(limit)))


def show_own_pair(session: Session, actor: Actor, project_id: int, pair_id: int) -> dict[str, Any]:
    """A pair that one has judged or holds, with one's own judgment, for a change of mind. NotFound otherwise."""
    get_project(session, actor, project_id)
    rater = get_rater(session, actor, project_id)
    here = select(_pair.c.id).where(_pair.c.id == pair_id, _pair.c.project_id == project_id)
    pair = session.execute(here).first()
    current = _own_judgment(session, pair_id, rater.id) if rater is not None else None
    held = rater is not None and _was_held(session, pair_id, rater.id)
    if pair is None or (current is None and not held):
        raise NotFound("expected a pair that you have judged, found another")
    shown = show_pairs(session, [pair_id], get_rubric(session, project_id).version)[0]
    if current is not None:
        shown["mine"] = {
            name: getattr(current, name) for name in ("act_id", "kind", "grade", "reason", "comment", "answers")
        }
    return shown


def select_counting(rater_id: int) -> CompoundSelect[tuple[int]]:
    """The rows of the ledger that a rater knows as their judgments: production and gold."""
    gold = select(_check.c.judgment_id).where(_check.c.rater_id == rater_id, _check.c.purpose == "gold")
    return union_all(select(_current.c.judgment_id).where(_current.c.rater_id == rater_id), gold)


def _own_judgment(session: Session, pair_id: int, rater_id: int) -> AnyRow | None:
    statement = select(_judgment).where(_judgment.c.id.in_(select_counting(rater_id)), _judgment.c.pair_id == pair_id)
    return session.execute(statement).first()


def _was_held(session: Session, pair_id: int, rater_id: int) -> bool:
    held = select(_claim.c.pair_id).where(_claim.c.pair_id == pair_id, _claim.c.rater_id == rater_id)
    known = select(_check.c.pair_id).where(_check.c.pair_id == pair_id, _check.c.rater_id == rater_id)
    return session.execute(union_all(held, known)).first() is not None


def read_text(session: Session, actor: Actor, project_id: int, pair_id: int) -> str:
    """The whole text of the document of a pair that one has judged or holds. NotFound otherwise."""
    show_own_pair(session, actor, project_id, pair_id)
    text = select(_document.c.text).join(_pair, _pair.c.document_pk == _document.c.id).where(_pair.c.id == pair_id)
    return session.execute(text).scalar_one() or ""
