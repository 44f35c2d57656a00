"""Gold and repeats among the pairs that are handed out: which ones, and how many are still to come.

Knows the desk, no card: nothing that leaves here says what a pair is handed out for.
"""

from collections.abc import Sequence

from sqlalchemy import exists, func, select

from labeling._slots import LEAST_APART, find_slots, places_needed
from labeling.desk import Desk, last_position
from labeling.schema import metadata
from labeling.shown import pair_hash

__all__ = ["count_left", "mix_checks"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_claim = metadata.tables["claim"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_judgment = metadata.tables["judgment"]
_reference = metadata.tables["reference"]
_decision = metadata.tables["decision"]


def mix_checks(desk: Desk, fresh: Sequence[tuple[int, int]], room: int) -> list[tuple[int, str]]:
    """New production pairs (number, query) with gold and repeats at their places: (number, purpose), at most room.

    A check stands before a production pair, never alone and never last; one of the same query is preferred, as a query
    that comes up for a single pair would show what it is.
    """
    first = last_position(desk) + 1
    slots = find_slots(desk.project.seed, desk.rater.id, desk.rates, first, first + room) if fresh else {}
    waiting = {
        "gold": _gold(desk) if "gold" in slots.values() else [],
        "repeat": _repeats(desk) if "repeat" in slots.values() else [],
    }
    mixed: list[tuple[int, str]] = []
    for number, query in fresh:
        while (purpose := slots.get(first + len(mixed))) is not None and waiting[purpose]:
            chosen = next((one for one in waiting[purpose] if one[1] == query), waiting[purpose][0])
            waiting[purpose].remove(chosen)
            mixed.append((chosen[0], purpose))
        mixed.append((number, "production"))
    return mixed[:room]


def _gold(desk: Desk) -> list[tuple[int, int]]:
    """Gold that this rater has neither judged nor in hand, in their own order; what they put off last."""
    judged = _check_of(desk, "gold")
    skipped = judged.where(_judgment.c.kind == "skip")
    statement = (
        select(_pair.c.id, _pair.c.query_pk, skipped.label("skipped"))
        .join(_reference, _reference.c.pair_id == _pair.c.id)
        .where(*desk.with_texts(), _reference.c.purpose == "gold", ~desk.mine(), ~desk.claimed_by_me())
        .where(~judged.where(_judgment.c.kind != "skip"))
    )
    rows = sorted(desk.session.execute(statement), key=lambda row: (row.skipped, desk.order("gold", row.id)))
    return [(row.id, row.query_pk) for row in rows]


def _check_of(desk: Desk, purpose: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - SQLAlchemy's Exists
    return exists().where(
        _check.c.pair_id == _pair.c.id,
        _check.c.rater_id == desk.rater.id,
        _check.c.purpose == purpose,
        _judgment.c.id == _check.c.judgment_id,
    )


def _repeats(desk: Desk) -> list[tuple[int, int]]:
    """Pairs that this rater graded long enough ago under this rubric, with the same text, not settled, not repeated."""
    acts = (
        select(_judgment.c.id)
        .where(_judgment.c.rater_id == desk.rater.id, _judgment.c.kind.in_(("grade", "cannot_judge", "skip")))
        .order_by(_judgment.c.id.desc())
        .offset(LEAST_APART - 1)
        .limit(1)
    )
    boundary = desk.session.execute(acts).scalar_one_or_none()
    if boundary is None:
        return []
    newest = (
        select(func.max(_decision.c.id)).where(_decision.c.pair_id == _pair.c.id).correlate(_pair).scalar_subquery()
    )
    settled = exists().where(_decision.c.id == newest, _decision.c.grade.is_not(None))
    repeated = exists().where(
        _check.c.pair_id == _pair.c.id, _check.c.rater_id == desk.rater.id, _check.c.purpose == "repeat"
    )
    statement = (
        select(
            _pair.c.id,
            _pair.c.query_pk,
            _judgment.c.shown_hash,
            _query.c.shown_hash.label("query_hash"),
            _document.c.shown_hash.label("document_hash"),
        )
        .join(_current, (_current.c.pair_id == _pair.c.id) & (_current.c.rater_id == desk.rater.id))
        .join(_judgment, _judgment.c.id == _current.c.judgment_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == desk.project.id, _judgment.c.kind == "grade", _judgment.c.id <= boundary)
        .where(_judgment.c.rubric_id == desk.rubric.id, _judgment.c.carried_from.is_(None))
        .where(~repeated, ~settled, ~desk.claimed_by_me())
    )
    rows = [
        row
        for row in desk.session.execute(statement)
        if row.shown_hash == pair_hash(row.query_hash, row.document_hash)
    ]  # fmt: skip
    return [(row.id, row.query_pk) for row in sorted(rows, key=lambda row: desk.order("repeat", row.id))]


def count_left(desk: Desk, production: int) -> int:
    """How many pairs are left for this rater as they see it: gold and repeats in hand and to come included.

    So the number falls by one with each act, whatever the act was for.
    """
    if not any(desk.rates.values()):
        return production
    held = (
        select(_claim.c.purpose, func.count())
        .join(_pair, _pair.c.id == _claim.c.pair_id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.rater_id == desk.rater.id)
        .where(_claim.c.expires_at > desk.now, _claim.c.purpose != "practice")
        .group_by(_claim.c.purpose)
    )
    counts = {row[0]: int(row[1]) for row in desk.session.execute(held)}
    in_hand = counts.pop("production", 0)
    gold = len(_gold(desk)) if production > in_hand and desk.rates["gold"] else 0
    ahead = max(production - in_hand, 0)
    places = places_needed(desk.project.seed, desk.rater.id, desk.rates, last_position(desk), ahead, gold)
    return min(in_hand, production) + sum(counts.values()) + places
