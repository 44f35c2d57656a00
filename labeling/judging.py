"""What a judging card asks for in one request: acts in, what became of them, the next pairs, and where the rater is.

Knows the nouns and JSON, no request and no Streamlit.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.acts import parse_act
from labeling.calibration import Standing
from labeling.database import AnyRow, lock_project, reading, row_number, storable, writing
from labeling.errors import AssayError
from labeling.history import list_history, read_text, show_own_pair
from labeling.judgments import Outcome, record_act
from labeling.older_rule import show_older
from labeling.practice_result import Result
from labeling.projects import Project, get_project
from labeling.questions import ask_question, parse_question, show_answers
from labeling.queue import MOST_AT_ONCE, Handout, hand_out, holds_all
from labeling.raters import Rater, ensure_rater
from labeling.second_questions import list_second_questions

__all__ = ["answer_card", "read_older", "read_own_pair", "read_whole_text"]

MOST_ACTS = 200
HISTORY = 5
TITLE = 80


def answer_card(actor: Actor, body: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """Store a card's acts, hold the next pairs, and say what became of both.

    A card that has pairs enough asks for less (light): its acts are stored and nothing else is said, as long as it
    still holds what it has.
    After the return every act called "saved" is committed. An act that is refused does not hold up the others.
    Raises NotAllowed, NotFound, AssayError for a request that no card can have sent; nothing is written then.
    """
    project_id, tab = row_number(body["project"]), storable(str(body.get("tab") or "")[:80])
    raw = body.get("acts") or []
    have = [row_number(number) for number in (body.get("have") or [])][: 3 * MOST_AT_ONCE]
    want = row_number(body.get("want") or 0)
    if not isinstance(raw, list) or len(raw) > MOST_ACTS:
        raise AssayError(f"expected at most {MOST_ACTS} acts, found {len(raw)}")
    with writing() as session:
        lock_project(session, project_id)
        outcomes = _record(session, actor, project_id, raw, now)
        light = body.get("light") is True and all(outcome.code is None for _, outcome in outcomes)
        if light and holds_all(session, actor, project_id, have, now=now):
            return {"acts": [_outcome(outcome) for _, outcome in outcomes], "light": True}
        settled = {number for number, outcome in outcomes if outcome.code in ("not_held", "closed", "settled")}
        handout = hand_out(
            session,
            actor,
            project_id,
            tab=tab,
            have=[number for number in have if number not in settled],
            want=want,
            now=now,
        )
        history = list_history(session, actor, project_id, limit=HISTORY) if body.get("hello") else []
        beside = _beside(session, actor, project_id, [*have, *(pair["pair"] for pair in handout.pairs)])
    answer = {"acts": [_outcome(outcome) for _, outcome in outcomes], **_handout(handout), **beside}
    if body.get("hello"):
        names = ("act_id", "pair", "kind", "grade", "reason", "comment", "answers", "query")
        answer["history"] = [{**{name: getattr(row, name) for name in names}, "title": _title(row)} for row in history]
    return answer


def _record(
    session: Session, actor: Actor, project_id: int, raw: list[Any], now: datetime
) -> list[tuple[int | None, Outcome]]:
    project = get_project(session, actor, project_id)
    rater = ensure_rater(session, actor, project_id)
    outcomes: list[tuple[int | None, Outcome]] = []
    for one in sorted(raw, key=_seq):
        act_id = storable(str(one.get("act_id", ""))) if isinstance(one, dict) else ""
        try:
            with session.begin_nested():
                outcomes.append(_record_one(session, project, rater, one, now))
        except (AssayError, IntegrityError):
            outcomes.append((None, Outcome(act_id, "refused", "bad_act")))
    return outcomes


def _record_one(
    session: Session, project: Project, rater: Rater, one: Any, now: datetime
) -> tuple[int | None, Outcome]:
    """What became of an act, with the pair that it judged; a question judges none."""
    if isinstance(one, Mapping) and one.get("kind") == "question":
        asked = parse_question(one)
        status, code = ask_question(session, project, rater, asked, now=now)
        return None, Outcome(asked.act_id, status, code or None)
    act = parse_act(one)
    return act.pair, record_act(session, project, rater, act, now=now)


def _beside(session: Session, actor: Actor, project_id: int, pairs: list[int]) -> dict[str, Any]:
    """What stands beside the card's pairs: answered questions, and what is asked after a grade."""
    rater = ensure_rater(session, actor, project_id)
    asked = list_second_questions(session, project_id, active=True)
    return {
        "questions": show_answers(session, project_id, rater.id, pairs),
        "second": [{"name": one.name, "text": one.text, "labels": list(one.labels)} for one in asked],
    }


def _title(row: AnyRow) -> str:
    """What a rater knows the document by: its title, else how its text begins; as the card does it."""
    return str(row.title or (row.text or "").strip()[:TITLE])


def _seq(one: Any) -> float:
    value = one.get("seq") if isinstance(one, dict) else None
    return float(value) if isinstance(value, int | float) and abs(value) < 2**53 else 0.0


def _outcome(outcome: Outcome) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "act_id": outcome.act_id,
        "status": outcome.status,
        "code": outcome.code,
        "message": "",
        "surplus": outcome.surplus,
    }
    if outcome.feedback is not None:
        answer["reference"] = {"grade": outcome.feedback.grade, "reason": outcome.feedback.reason}
        answer["result"] = _result(outcome.feedback.result)
    return answer


def _result(result: Result | None) -> dict[str, Any] | None:
    return None if result is None else asdict(result)


def _calibration(standing: Standing) -> dict[str, Any]:
    return {
        "kind": standing.kind,
        "set": standing.current.practice_set if standing.current is not None else None,
        "done": standing.of - len(standing.to_do),
        "of": standing.of,
        "last": _result(standing.last_result),
    }


def _handout(handout: Handout) -> dict[str, Any]:
    end = handout.end
    return {
        "pairs": list(handout.pairs),
        "lost": list(handout.lost),
        "progress": asdict(handout.progress),
        "rubric_version": handout.rubric_version,
        "calibration": None if handout.calibration is None else _calibration(handout.calibration),
        "end": None
        if end is None
        else {
            "kind": end.kind,
            "others_hold": end.others_hold,
            "until": None if end.until is None else end.until.isoformat(),
            "skipped": end.skipped,
        },
    }


def read_own_pair(actor: Actor, project_id: int, pair_id: int) -> dict[str, Any]:
    """A pair that one has judged or holds, with one's own judgment."""
    with reading() as session:
        return show_own_pair(session, actor, row_number(project_id), row_number(pair_id))


def read_older(actor: Actor, project_id: int, without: Collection[int]) -> dict[str, Any]:
    """The next of one's own judgments under an older version of the rubric, to confirm or change."""
    with reading() as session:
        return show_older(session, actor, row_number(project_id), without=without)


def read_whole_text(actor: Actor, project_id: int, pair_id: int) -> dict[str, Any]:
    """The whole text of the document of a pair that one has judged or holds."""
    with reading() as session:
        return {"text": read_text(session, actor, row_number(project_id), row_number(pair_id))}
