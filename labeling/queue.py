"""Which pairs a rater gets next, and for how long they are held.

Knows no grade of anybody: a rater sees no other vote before theirs. The order is random per rater, query by query.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.calibration import Standing, ensure_practice
from labeling.database import AnyRow, lock_project
from labeling.desk import (
    Desk,
    End,
    Progress,
    count_lacking,
    count_progress,
    find_end,
    last_position,
    own_claims,
)
from labeling.mixing import count_left, mix_checks
from labeling.projects import get_project
from labeling.raters import ensure_rater
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.shown import show_pairs
from labeling.twins import read_own_twins

__all__ = ["MOST_AT_ONCE", "Handout", "hand_out", "holds_all"]

MOST_AT_ONCE = 20
SOON = timedelta(seconds=30)
FIRST_LOOK = 1  # queries; mostly the query in hand has pairs enough, and each further look takes four times as many
JUDGING = ("production", "gold", "repeat")

_pair = metadata.tables["pair"]
_claim = metadata.tables["claim"]
_twin = metadata.tables["twin"]
_current = metadata.tables["current_judgment"]
_check = metadata.tables["current_check"]
_judgment = metadata.tables["judgment"]


@dataclass(frozen=True)
class Handout:
    """The answer to a card: new pairs in order, held pairs that were lost, and where the rater is.

    calibration is None for a rater who is in; else the standing by which only practice pairs, or none, were handed out.
    """

    pairs: tuple[dict[str, Any], ...]
    lost: tuple[int, ...]
    progress: Progress
    end: End | None
    rubric_version: int
    calibration: Standing | None = None


def hand_out(
    session: Session, actor: Actor, project_id: int, *, tab: str, have: Sequence[int], want: int, now: datetime
) -> Handout:
    """Hold the next pairs for a rater's card and renew those it has.

    No pair is held by more raters than it still needs votes from. Two cards that ask at once are served one after the
    other. Pairs of `have` that expired and went to others come back as lost. Gold and repeats stand among the others and
    look like them. A rater who still has to practise gets practice pairs alone.
    """
    lock_project(session, project_id)
    project = get_project(session, actor, project_id)
    rater, rubric = ensure_rater(session, actor, project_id), get_rubric(session, project_id)
    desk = Desk(session, project, rater, rubric, tab[:80], now)
    if project.state != "open" or rater.set_aside:
        progress = count_progress(desk, count_lacking(desk)[1])
        why = "closed" if project.state != "open" else "set_aside"
        return Handout((), tuple(have), progress, End(why), rubric.version)
    standing = ensure_practice(session, project, rater, rubric, now=now)
    if standing.kind != "in":
        return _hand_out_practice(desk, standing, have, want)
    kept = _renew(desk, have)
    places, left = count_lacking(desk)
    want = min(max(want, 0), MOST_AT_ONCE, _fair_share(desk, places)) - len(kept)
    ids = _take(desk, want, kept) if want > 0 else []
    end = find_end(desk) if want > 0 and len(ids) < want and len(ids) + len(kept) < MOST_AT_ONCE else None
    lost = tuple(number for number in have if number not in kept)
    progress = count_progress(desk, count_left(desk, left))
    return Handout(tuple(_show(desk, ids)), lost, progress, end, rubric.version)


def holds_all(session: Session, actor: Actor, project_id: int, pairs: Sequence[int], *, now: datetime) -> bool:
    """Whether a rater holds all of these pairs, each for a while yet."""
    rater = ensure_rater(session, actor, project_id)
    held = (_claim.c.rater_id == rater.id, _claim.c.pair_id.in_(pairs), _claim.c.expires_at > now + SOON)
    count = session.execute(select(func.count()).where(*held)).scalar_one()
    return not rater.set_aside and int(count) == len(set(pairs))


def _show(desk: Desk, ids: Sequence[int]) -> list[dict[str, Any]]:
    mine = (_claim.c.rater_id == desk.rater.id, _claim.c.purpose == "repeat", _claim.c.pair_id.in_(ids))
    repeats = set(desk.session.execute(select(_claim.c.pair_id).where(*mine)).scalars())
    shown = show_pairs(desk.session, ids, desk.rubric.version, rater_id=desk.rater.id, repeats=repeats)
    if desk.project.twins != "show":
        return shown
    twins = read_own_twins(desk.session, desk.project.id, desk.rater.id, ids)
    return [pair | {"twins": twins.get(pair["pair"])} for pair in shown]


def _hand_out_practice(desk: Desk, standing: Standing, have: Sequence[int], want: int) -> Handout:
    """Practice pairs of the set in hand; what was held for judging is let go, and a grade on its way is still kept."""
    mine = _claim.c.rater_id == desk.rater.id
    held = (mine, _claim.c.purpose != "practice", _claim.c.expires_at > desk.now)
    desk.session.execute(update(_claim).where(*held).values(expires_at=desk.now))
    practised = set(
        desk.session.execute(select(_claim.c.pair_id).where(mine, _claim.c.purpose == "practice")).scalars()
    )
    kept = [number for number in have if number in practised and number in standing.to_do]
    renewed = (mine, _claim.c.pair_id.in_(kept))
    desk.session.execute(update(_claim).where(*renewed).values(expires_at=desk.expiry(), tab=desk.tab))
    elsewhere = set(own_claims(desk, "practice", same_tab=False))
    free = [number for number in standing.to_do if number not in kept]
    ids = [number for number in free if number not in elsewhere] or ([] if kept else free)
    ids = ids[: min(max(want, 0), MOST_AT_ONCE)]
    _claim_pairs(desk, [(number, "practice") for number in ids])
    done, of = standing.of - len(standing.to_do), standing.of
    progress = Progress(done=done, left=of - done, batch_done=done, batch_size=max(of, 1), seconds_per_pair=None)
    lost = tuple(number for number in have if number not in kept)
    end = End("calibration") if standing.kind == "out" else None
    return Handout(tuple(_show(desk, ids)), lost, progress, end, desk.rubric.version, standing)


def _renew(desk: Desk, have: Sequence[int]) -> set[int]:
    """Renew the claims of the pairs a card has; those that are still this rater's, judged again ones included."""
    if not have:
        return set()
    here = (_pair.c.project_id == desk.project.id, _pair.c.id.in_(have))
    judged = set(desk.session.execute(select(_pair.c.id).where(*here, desk.mine(), ~desk.skipped())).scalars())
    gold = exists().where(
        _check.c.pair_id == _pair.c.id, _check.c.rater_id == desk.rater.id, _check.c.purpose == "gold"
    )
    judged |= set(desk.session.execute(select(_pair.c.id).where(*here, gold)).scalars())
    room = _pair.c.vote_count + desk.others_claims() < _pair.c.overlap
    ever = exists().where(_claim.c.pair_id == _pair.c.id, _claim.c.rater_id == desk.rater.id)
    checked = ever.where(_claim.c.purpose.in_(("gold", "repeat")))
    voting = ever.where(_claim.c.purpose == "production")
    held = select(_pair.c.id).where(*here, checked | (voting & (desk.claimed_by_me() | room)))
    renewed = set(desk.session.execute(held).scalars())
    opened = set(desk.session.execute(select(_pair.c.id).where(*here, ~ever, desk.skipped(), room)).scalars())
    _claim_pairs(desk, [(number, "production") for number in sorted(opened)])  # put aside once, opened from the history
    renewed |= opened
    if renewed:
        desk.session.execute(
            update(_claim)
            .where(_claim.c.rater_id == desk.rater.id, _claim.c.pair_id.in_(renewed))
            .values(expires_at=desk.expiry(), tab=desk.tab)
        )
    return renewed | judged


def _fair_share(desk: Desk, places: int) -> int:
    """How many pairs one card may hold, so that towards the end nobody waits for pairs another has not looked at."""
    active = (
        select(func.count(_claim.c.rater_id.distinct()))
        .join(_pair, _pair.c.id == _claim.c.pair_id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.expires_at > desk.now)
        .where(_claim.c.rater_id != desk.rater.id, _claim.c.purpose == "production")
    )
    others = int(desk.session.execute(active).scalar_one())
    return max(2, places // (2 * (others + 1)))


def _take(desk: Desk, want: int, kept: set[int]) -> list[int]:
    """Row numbers of the next pairs, claimed: this tab's own first, then new ones, then another tab's, then skipped."""
    ids = [number for number in own_claims(desk, *JUDGING, same_tab=True) if number not in kept][:want]
    if len(ids) < want:
        fresh = mix_checks(desk, _open_pairs(desk, want - len(ids)), want - len(ids))
        _claim_pairs(desk, fresh)
        ids += [number for number, _purpose in fresh]
    if not ids and not kept:
        ids = own_claims(desk, *JUDGING, same_tab=False)[:want]
        if ids:
            mine = (_claim.c.rater_id == desk.rater.id, _claim.c.pair_id.in_(ids))
            desk.session.execute(update(_claim).where(*mine).values(tab=desk.tab, expires_at=desk.expiry()))
    if not ids and not kept:
        ids = _skipped_pairs(desk, want)
        _claim_pairs(desk, [(number, "production") for number in ids])
    return ids


def _open_pairs(desk: Desk, want: int) -> list[tuple[int, int]]:
    """The next pairs with a free place in this rater's order, each with its query: the one in hand to its end first."""
    chosen: list[tuple[int, int]] = []
    queries = _queries_in_order(desk)
    start, look = 0, FIRST_LOOK
    while start < len(queries) and len(chosen) < want:
        part = queries[start : start + look]
        start, look = start + look, 4 * look
        place = {query: index for index, query in enumerate(part)}
        statement = (
            select(_pair.c.id, _pair.c.query_pk, _twin.c.group_number.label("twins"))
            .outerjoin(_twin, _twin.c.pair_id == _pair.c.id)
            .where(*desk.lacking(), _pair.c.query_pk.in_(part))
            .where(_pair.c.vote_count + desk.others_claims() < _pair.c.overlap)
            .where(~desk.mine(), ~desk.claimed_by_me())
        )
        found = sorted(desk.session.execute(statement), key=lambda row: (place[row.query_pk], _twin_order(desk, row)))
        if desk.project.twins == "carry":
            found = _one_of_each_group(desk, found)
        chosen += [(row.id, row.query_pk) for row in found[: want - len(chosen)]]
    return chosen


def _twin_order(desk: Desk, row: AnyRow) -> tuple[bytes, bytes]:
    """A rater's own random order; where twins are shown together, a group stands where its number falls."""
    own = desk.order("pair", row.id)
    together = desk.project.twins == "show" and row.twins is not None
    return (desk.order("twins", row.twins) if together else own, own)


def _one_of_each_group(desk: Desk, rows: Sequence[AnyRow]) -> list[AnyRow]:
    """Without the copies of a text that this rater holds, has judged or is about to get: its grade is carried to them."""
    held = exists().where(_claim.c.pair_id == _twin.c.pair_id, _claim.c.rater_id == desk.rater.id)
    met = (
        select(_twin.c.group_number)
        .join(_pair, _pair.c.id == _twin.c.pair_id)
        .where(_twin.c.project_id == desk.project.id, held.where(_claim.c.expires_at > desk.now))
    )
    taken = set(desk.session.execute(met).scalars())
    kept = []
    for row in rows:
        if row.twins is None or row.twins not in taken:
            kept.append(row)
        if row.twins is not None:
            taken.add(row.twins)
    return kept


def _queries_in_order(desk: Desk) -> list[int]:
    queries = desk.session.execute(select(_pair.c.query_pk).where(*desk.lacking()).distinct()).scalars()
    latest = (
        select(_pair.c.query_pk)
        .join(_claim, _claim.c.pair_id == _pair.c.id)
        .where(_pair.c.project_id == desk.project.id, _claim.c.rater_id == desk.rater.id)
        .where(_claim.c.purpose == "production")
        .order_by(_claim.c.position.desc())
        .limit(1)
    )
    in_hand = desk.session.execute(latest).scalar_one_or_none()
    return sorted(queries, key=lambda number: (number != in_hand, desk.order("query", number)))


def _skipped_pairs(desk: Desk, want: int) -> list[int]:
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


def _claim_pairs(desk: Desk, pairs: Iterable[tuple[int, str]]) -> None:
    """Hold pairs (number, purpose) for the rater, in this order, after everything that was handed out before."""
    pairs = list(pairs)
    if not pairs:
        return
    position = last_position(desk)
    numbers = [number for number, _purpose in pairs]
    desk.session.execute(delete(_claim).where(_claim.c.rater_id == desk.rater.id, _claim.c.pair_id.in_(numbers)))
    desk.session.execute(
        insert(_claim),
        [
            {
                "pair_id": number,
                "rater_id": desk.rater.id,
                "tab": desk.tab,
                "position": position + place,
                "rubric_id": desk.rubric.id,
                "purpose": purpose,
                "claimed_at": desk.now,
                "expires_at": desk.expiry(),
            }
            for place, (number, purpose) in enumerate(pairs, start=1)
        ],
    )
