"""What a judging card sends: one act of a rater on one pair, read from JSON and checked.

Knows no database: what becomes of an act stands in judgments.py.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from labeling.database import row_number, storable
from labeling.errors import AssayError

__all__ = ["REASONS", "Act", "BadAct", "parse_act"]

KINDS = ("grade", "cannot_judge", "skip", "undo", "comment")
REASONS = ("did_not_load", "wrong_language", "query_unclear", "needs_expert", "other")
LONGEST_COMMENT = 10_000
IDLE_SECONDS = 120
MOST_ANSWERS = 50


class BadAct(AssayError):
    """An act that cannot be what a card sent."""


@dataclass(frozen=True)
class Act:
    """One act of a rater on one pair, as the card sent it; the id is made when the key goes down."""

    act_id: str
    seq: int
    kind: str
    pair: int
    shown: str
    rubric_version: int
    grade: int | None
    reason: str | None
    comment: str
    shown_at: datetime | None
    seconds: float | None
    takes_back: str | None
    answers: dict[str, str] | None = None


def parse_act(raw: object) -> Act:
    """An act from a request's JSON; AssayError for one that no card can have sent."""
    if not isinstance(raw, Mapping):
        raise BadAct(f"expected an act of the judging card, found {type(raw).__name__}")
    try:
        seconds = raw.get("seconds")
        grade = raw.get("grade")
        act = Act(
            act_id=str(raw["act_id"]),
            seq=int(raw["seq"]),
            kind=str(raw["kind"]),
            pair=row_number(raw["pair"]),
            shown=str(raw.get("shown") or ""),
            rubric_version=row_number(raw.get("rubric_version") or 0),
            grade=None if grade is None else row_number(grade),
            reason=str(raw["reason"])[:200] if raw.get("reason") else None,
            comment=storable(str(raw.get("comment") or "")[:LONGEST_COMMENT]),
            shown_at=_moment(raw.get("shown_at")),
            seconds=None if seconds is None else _seconds(float(seconds)),
            takes_back=str(raw["takes_back"]) if raw.get("takes_back") else None,
            answers=_answers(raw.get("answers")),
        )
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise BadAct(f"expected an act of the judging card, found {error!r}") from error
    if act.kind not in KINDS or not 8 <= len(act.act_id) <= 80 or storable(act.act_id) != act.act_id:
        raise BadAct(f"expected an act of {', '.join(KINDS)} with an id, found {act.kind!r}")
    return act


def _answers(raw: Any) -> dict[str, str] | None:
    """Answers to second questions by name, in the order of their names, so that equal answers are equal text."""
    if not raw:
        return None
    if not isinstance(raw, Mapping) or len(raw) > MOST_ANSWERS:
        raise ValueError(f"expected at most {MOST_ANSWERS} answers by name, found {type(raw).__name__}")
    return {storable(str(name)): storable(str(label)) for name, label in sorted(raw.items())}


def _moment(milliseconds: Any) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(float(milliseconds) / 1000, UTC)


def _seconds(value: float) -> float | None:
    return value if math.isfinite(value) and 0 <= value <= IDLE_SECONDS else None
