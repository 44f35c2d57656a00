"""Pairs with a known grade: practice sets for calibration, and gold.

Knows no rater. Such a pair is judged for practice or as gold only: it wants no vote and is never handed out for one.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.database import AnyRow, lock_project
from labeling.errors import AssayError, NotFound
from labeling.exchange.faults import Faults
from labeling.projects import get_project
from labeling.rubrics import get_rubric
from labeling.schema import metadata

__all__ = [
    "ReferencePreview",
    "import_references",
    "list_references",
    "preview_references",
    "remove_reference",
]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
_reference = metadata.tables["reference"]
_claim = metadata.tables["claim"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_judgment = metadata.tables["judgment"]


@dataclass(frozen=True)
class ReferencePreview:
    """What an import of references means: how many rows are new, change one that is there, or are there already."""

    new: int
    changed: int
    unchanged: int
    sets: dict[int, int]
    gold: int


@dataclass(frozen=True)
class _Place:
    """Where a row of a file belongs: the rows of its texts, and its pair, None where the project has not made it yet."""

    query: int
    document: int
    pair: int | None


def list_references(session: Session, actor: Actor, project_id: int) -> list[AnyRow]:
    """Every reference of a project, practice sets in their order, then gold.

    Columns: pair, purpose, practice_set, grade, reason, query_id, query, doc_id, title, text (its beginning), judged (by
    how many raters).
    """
    actor.require("lead")
    get_project(session, actor, project_id)
    judged = (
        select(func.count(_check.c.rater_id.distinct()))
        .where(_check.c.pair_id == _pair.c.id, _check.c.purpose == _reference.c.purpose)
        .correlate(_pair, _reference)
        .scalar_subquery()
    )
    statement = (
        select(
            _pair.c.id.label("pair"),
            _reference.c.purpose,
            _reference.c.practice_set,
            _reference.c.grade,
            _reference.c.reason,
            _query.c.query_id,
            _query.c.text.label("query"),
            _document.c.doc_id,
            _document.c.title,
            func.substr(_document.c.text, 1, 300).label("text"),
            judged.label("judged"),
        )
        .join(_pair, _pair.c.id == _reference.c.pair_id)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id)
        .order_by(_reference.c.purpose.desc(), _reference.c.practice_set, _reference.c.position, _pair.c.id)
    )
    return list(session.execute(statement))


def preview_references(
    session: Session, actor: Actor, project_id: int, table: pd.DataFrame, *, source: str
) -> ReferencePreview:
    """What an import would do; nothing is written. Raises what import_references raises."""
    return _plan(session, actor, project_id, table, source)[0]


def _plan(
    session: Session, actor: Actor, project_id: int, table: pd.DataFrame, source: str
) -> tuple[ReferencePreview, list[_Place]]:
    """What an import means, and where each row of it belongs."""
    there = {row.pair: row for row in list_references(session, actor, project_id)}
    places = _checked_places(session, project_id, table, there, source)
    _check_scale(session, project_id, table, source)
    states = [_state_of(row, there.get(place.pair or 0)) for row, place in zip(_rows(table), places, strict=True)]
    practice = table.loc[table["purpose"] == "practice", "set"]
    preview = ReferencePreview(
        new=states.count("new"),
        changed=states.count("changed"),
        unchanged=states.count("unchanged"),
        sets=dict(sorted(Counter(int(number) for number in practice).items())),
        gold=int((table["purpose"] == "gold").sum()),
    )
    return preview, places


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _state_of(row: dict[str, Any], known: AnyRow | None) -> str:
    if known is None:
        return "new"
    same = (known.grade, known.reason, known.practice_set or 0) == (row["grade"], row["reason"], row["set"])
    return "unchanged" if same else "changed"


def _checked_places(
    session: Session, project_id: int, table: pd.DataFrame, there: dict[int, AnyRow], source: str
) -> list[_Place]:
    """Where each row belongs; every fault with its line."""
    queries = _with_text(session, _query, _query.c.query_id, project_id)
    documents = _with_text(session, _document, _document.c.doc_id, project_id)
    here = select(_pair.c.query_pk, _pair.c.document_pk, _pair.c.id).where(_pair.c.project_id == project_id)
    pairs = {(row[0], row[1]): int(row[2]) for row in session.execute(here)}
    voted = select(_current.c.pair_id).join(_pair, _pair.c.id == _current.c.pair_id)
    judged = set(session.execute(voted.where(_pair.c.project_id == project_id)).scalars())
    faults = Faults()
    places: list[_Place] = []
    for row in _rows(table):
        query, document = queries.get(row["query_id"]), documents.get(row["doc_id"])
        if query is None:
            faults.add(source, row["line"], "a query that has a text in the project", row["query_id"])
        if document is None:
            faults.add(source, row["line"], "a document that has a text in the project", row["doc_id"])
        number = pairs.get((query or 0, document or 0))
        known = there.get(number or 0)
        if known is not None and known.purpose != row["purpose"]:
            found = f"{row['query_id']} {row['doc_id']}, which is {known.purpose} already"
            faults.add(source, row["line"], f"a pair for {row['purpose']}", found)
        elif known is None and number in judged:
            found = f"{row['query_id']} {row['doc_id']}, which has been judged"
            faults.add(source, row["line"], "a pair that nobody has judged in production", found)
        places.append(_Place(query or 0, document or 0, number))
    faults.raise_if_any()
    return places


def _with_text(session: Session, table: Any, key: Any, project_id: int) -> dict[str, int]:
    statement = select(key, table.c.id).where(table.c.project_id == project_id, table.c.text.is_not(None))
    return {row[0]: int(row[1]) for row in session.execute(statement)}


def _check_scale(session: Session, project_id: int, table: pd.DataFrame, source: str) -> None:
    scale = get_rubric(session, project_id).grades
    faults = Faults()
    for row in _rows(table):
        if row["grade"] not in scale:
            faults.add(source, row["line"], f"a grade from {scale[0]} to {scale[-1]}", str(row["grade"]))
    faults.raise_if_any()


def import_references(
    session: Session,
    actor: Actor,
    project_id: int,
    table: pd.DataFrame,
    *,
    source: str,
    now: datetime | None = None,
) -> ReferencePreview:
    """Make pairs practice or gold, from a table as read_references gives it: all rows, or none.

    Afterwards they want no vote and leave the production queue; a reference that is there takes the new grade, reason and
    set. Who holds such a pair at that moment judges it as gold, or loses it to practice. Raises NotAllowed below lead;
    InputError(s) with file and line for a pair whose texts the project does not have, one that was judged in production,
    one that is a reference for the other purpose, a grade outside the scale.
    """
    actor.require("lead")
    lock_project(session, project_id)
    preview, places = _plan(session, actor, project_id, table, source)
    last = session.execute(select(func.coalesce(func.max(_reference.c.position), 0))).scalar_one()
    for position, (row, place) in enumerate(zip(_rows(table), places, strict=True), start=last + 1):
        number = place.pair
        if number is None:
            values = {"project_id": project_id, "query_pk": place.query, "document_pk": place.document, "overlap": 0}
            number = int(session.execute(insert(_pair).values(**values).returning(_pair.c.id)).scalar_one())
        _set_reference(session, actor, number, row, position, now or datetime.now(UTC))
    return preview


def _set_reference(
    session: Session, actor: Actor, pair_id: int, row: dict[str, Any], position: int, now: datetime
) -> None:
    values = {"grade": row["grade"], "reason": row["reason"], "practice_set": row["set"] or None}
    known = session.execute(select(_reference).where(_reference.c.pair_id == pair_id)).first()
    if known is not None:
        session.execute(update(_reference).where(_reference.c.pair_id == pair_id).values(**values))
        return
    made = {"purpose": row["purpose"], "position": position, "set_by": actor.account_id, "set_at": now}
    session.execute(insert(_reference).values(pair_id=pair_id, **values, **made))
    session.execute(update(_pair).where(_pair.c.id == pair_id).values(overlap=0))
    if row["purpose"] == "gold":
        session.execute(update(_claim).where(_claim.c.pair_id == pair_id).values(purpose="gold"))
    else:
        session.execute(delete(_claim).where(_claim.c.pair_id == pair_id))


def remove_reference(session: Session, actor: Actor, project_id: int, pair_id: int) -> None:
    """Take a pair out of the practice sets or the gold.

    A pair that nobody has seen goes back to the pairs to judge, with the project's overlap; one that was judged as
    practice or gold stays out, and its judgments stay in the ledger. Raises NotFound for a pair that is no reference,
    AssayError for the last practice pair while calibration is on.
    """
    actor.require("lead")
    lock_project(session, project_id)
    project = get_project(session, actor, project_id)
    there = list_references(session, actor, project_id)
    if not any(row.pair == pair_id for row in there):
        raise NotFound(f"expected a practice or gold pair of the project, found none numbered {pair_id}")
    practice = [row.pair for row in there if row.purpose == "practice"]
    if project.calibration and practice == [pair_id]:
        raise AssayError(
            "expected a practice pair beside this one while calibration is on: switch calibration off first"
        )
    session.execute(delete(_reference).where(_reference.c.pair_id == pair_id))
    session.execute(delete(_claim).where(_claim.c.pair_id == pair_id))
    if session.execute(select(_judgment.c.id).where(_judgment.c.pair_id == pair_id).limit(1)).first() is None:
        session.execute(update(_pair).where(_pair.c.id == pair_id).values(overlap=project.overlap))
