"""Taking back and changing one's mind, as the card asks for it: in one post and in several, at once and after a reload."""

import pytest
from sqlalchemy import text

from labeling.database import reading
from labeling.judging import read_own_pair
from tests.support.campaign import Card, make_people, make_project


@pytest.fixture
def project(database: str) -> int:
    return make_project()


@pytest.fixture
def card(project: int) -> Card:
    found = Card(make_people("Ann")[0], project)
    found.send(hello=True)
    return found


def ledger() -> list[tuple]:
    with reading() as session:
        return [tuple(row) for row in session.execute(text("SELECT kind, grade FROM judgment ORDER BY id"))]


def votes_on(pair: dict) -> int:
    with reading() as session:
        return int(session.execute(text(f"SELECT vote_count FROM pair WHERE id = {pair['pair']}")).scalar_one())


def statuses(card: Card) -> list[str]:
    return [outcome["status"] for outcome in card.last["acts"]]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    "fields", [{"kind": "grade", "grade": 2}, {"kind": "cannot_judge", "reason": "needs_expert"}, {"kind": "skip"}]
)
def test_an_act_is_taken_back_in_the_same_post_or_the_next(card: Card, fields: dict, together: bool) -> None:
    pair = card.held.pop(0)
    act = card.act(fields["kind"], pair, **{name: value for name, value in fields.items() if name != "kind"})
    undo = card.act("undo", pair, takes_back=act["act_id"])
    if not together:
        card.send(act)
    card.held.insert(0, pair)
    card.send(*([act, undo] if together else [undo]))
    assert set(statuses(card)) == {"saved"}
    assert card.last["lost"] == []
    assert votes_on(pair) == 0
    assert card.last["progress"]["done"] == 0
    assert card.grade(3)["status"] == "saved"
    assert votes_on(pair) == 1


def test_a_post_whose_answer_was_lost_is_repeated_with_the_undo_behind_it(card: Card) -> None:
    pair = card.held.pop(0)
    act = card.act("grade", pair, grade=1)
    card.send(act)
    undo = card.act("undo", pair, takes_back=act["act_id"])
    card.held.insert(0, pair)
    card.send(act, undo)
    assert statuses(card) == ["repeated", "saved"]
    card.send(act, undo)
    assert statuses(card) == ["repeated", "repeated"]
    assert ledger() == [("grade", 1), ("undo", None)]


def test_several_acts_are_taken_back_one_after_the_other(card: Card) -> None:
    pairs = [card.held.pop(0) for _ in range(3)]
    acts = [card.act("grade", pair, grade=number) for number, pair in enumerate(pairs)]
    card.send(*acts)
    undos = [
        card.act("undo", pair, takes_back=act["act_id"]) for pair, act in zip(pairs[::-1], acts[::-1], strict=True)
    ]
    card.held[:0] = pairs
    card.send(*undos)
    assert set(statuses(card)) == {"saved"}
    assert card.last["lost"] == []
    assert card.last["progress"]["done"] == 0


def test_after_a_reload_the_history_is_enough_to_take_back(card: Card) -> None:
    first = card.held[0]
    card.grade(2)
    again = Card(card.actor, card.project, tab="tab-2")
    entry = again.send(hello=True, want=2)["history"][0]
    assert entry["title"].startswith("text of d")
    pair = read_own_pair(card.actor, card.project, entry["pair"])
    assert (pair["pair"], pair["shown"], pair["mine"]["grade"]) == (first["pair"], first["shown"], 2)
    again.held.insert(0, pair)
    again.send(again.act("undo", pair, takes_back=entry["act_id"]))
    assert statuses(again) == ["saved"]
    assert again.last["lost"] == []
    assert again.send(hello=True)["history"] == []


def test_a_pair_put_aside_can_be_opened_from_the_history_and_judged(card: Card) -> None:
    pair = card.held.pop(0)
    card.send(card.act("skip", pair))
    again = Card(card.actor, card.project, tab="tab-2")
    again.held = [read_own_pair(card.actor, card.project, pair["pair"])]
    assert again.send(hello=True)["lost"] == []
    assert again.grade(1)["status"] == "saved"
    assert votes_on(pair) == 1


def test_a_pair_put_aside_that_others_filled_meanwhile_is_lost_and_said_so(database: str) -> None:
    ann, bo = make_people("Ann", "Bo")
    card = Card(ann, make_project(queries=1, documents=1, overlap=1))
    card.send()
    pair = card.held.pop(0)
    card.send(card.act("skip", pair), want=0)
    other = Card(bo, card.project)
    other.send()
    other.grade(2)
    card.held = [read_own_pair(ann, card.project, pair["pair"])]
    assert card.send()["lost"] == [pair["pair"]]


def test_after_a_change_of_mind_the_newest_is_what_is_taken_back(card: Card) -> None:
    pair = card.held.pop(0)
    first, second = (card.act("grade", pair, grade=grade) for grade in (1, 3))
    card.send(first, second)
    card.held.insert(0, pair)
    card.send(card.act("undo", pair, takes_back=first["act_id"]))
    assert statuses(card) == ["refused"]
    card.send(card.act("undo", pair, takes_back=second["act_id"]))
    assert statuses(card) == ["saved"]
    assert votes_on(pair) == 0
