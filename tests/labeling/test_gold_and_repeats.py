"""Gold and repeats: mixed in unmarked at the project's rate, kept apart from the votes through everything that raters do."""

import json
import random
from collections import Counter

import pandas as pd
import pytest
from sqlalchemy import func, select

from labeling import disputes, projects
from labeling._slots import FIRST_REPEAT, LEAST_APART, find_slots, places_needed
from labeling.accounts import COMMAND_LINE
from labeling.checks import read_gold_results, read_repeats
from labeling.database import reading, writing
from labeling.history import list_history, show_own_pair
from labeling.ledger_check import set_derived_right
from labeling.schema import metadata
from labeling.votes import count_raters, read_judgments, read_votes
from tests.labeling.test_calibration import add_references
from tests.support.campaign import Card, make_people, make_project

GOLD = [f"q{query},d{document},{(query + document) % 4},,gold," for query in range(5) for document in (0, 1)]


def make_checked(*, overlap: int = 2, gold_every: int = 4, repeat_every: int = 0, documents: int = 20) -> int:
    """Five queries; ten of their pairs are gold."""
    project = make_project(queries=5, documents=documents, overlap=overlap)
    add_references(project, GOLD)
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, project, gold_every=gold_every, repeat_every=repeat_every)
    return project


def sit_down(*, gold_every: int = 4, repeat_every: int = 0) -> tuple[int, Card]:
    """A checked project, and the card of its one rater with pairs in hand."""
    project = make_checked(gold_every=gold_every, repeat_every=repeat_every)
    card = Card(make_people("Ann")[0], project)
    card.send()
    return project, card


def purposes(project: int) -> dict[int, str]:
    """Pair -> what the first rater holds it for now."""
    claim = metadata.tables["claim"]
    with reading() as session:
        return {row[0]: row[1] for row in session.execute(select(claim.c.pair_id, claim.c.purpose))}


def ledger(*names: str) -> list[tuple]:
    judgment = metadata.tables["judgment"]
    with reading() as session:
        return [tuple(row) for row in session.execute(select(*(judgment.c[n] for n in names)).order_by(judgment.c.id))]


def next_of(card: Card, project: int, purpose: str) -> dict:
    """Judge until a pair for this purpose is in hand, and take it out of the hand."""
    for _ in range(200):
        card.wait(seconds=4)
        held = purposes(project)
        found = next((pair for pair in card.held if held.get(pair["pair"]) == purpose), None)
        if found is not None:
            card.held.remove(found)
            return found
        card.grade(1)
    raise AssertionError(f"no {purpose} came")


def table_of(project: int, read: object) -> pd.DataFrame:
    with reading() as session:
        return read(session, COMMAND_LINE, project)  # type: ignore[operator]


def whole(project: int) -> None:
    """Nothing that is derived from the ledger differs from it."""
    with writing() as session:
        findings = set_derived_right(session)
    assert (findings.wrong_current, findings.wrong_counts) == (0, 0)


@pytest.mark.usefixtures("database")
class TestGold:
    def test_gold_comes_at_the_rate_of_the_project_once_a_rater_and_never_counts(self) -> None:
        project, card = sit_down(gold_every=4)
        while card.held:
            card.wait(seconds=4)
            assert card.grade(2)["status"] == "saved"
        assert Counter(row[0] for row in ledger("purpose")) == {"production": 90, "gold": 10}
        first = [row[0] for row in ledger("purpose")][:40]
        assert first.count("gold") == 10
        found = table_of(project, read_gold_results)
        assert (len(found), found["doc_id"].nunique(), set(found["grade"])) == (10, 2, {2})
        assert (found["reference"] == (found["query_id"].str[1:].astype(int) + found["doc_id"].str[1:].astype(int)) % 4).all()  # fmt: skip
        votes = table_of(project, read_votes)
        assert len(votes) == 90
        assert not set(zip(votes["query_id"], votes["doc_id"], strict=True)) & set(
            zip(found["query_id"], found["doc_id"], strict=True)
        )
        assert len(table_of(project, read_judgments)) == 90
        with reading() as session:
            assert projects.count_project(session, COMMAND_LINE, project).votes == 90
            assert count_raters(session, COMMAND_LINE, project)[0].votes == 90
        whole(project)

    def test_no_json_tells_gold_from_the_others(self) -> None:
        project = make_checked(gold_every=3)
        card = Card(make_people("Ann")[0], project)
        answers = [card.send(hello=True)]
        shapes: dict[str, set[str]] = {"gold": set(), "production": set()}
        steps: dict[str, set[tuple[int, int]]] = {"gold": set(), "production": set()}
        for _ in range(30):
            held = purposes(project)
            shown = card.held[0]
            purpose = held[shown["pair"]]
            shapes[purpose].add(json.dumps({name: type(value).__name__ for name, value in shown.items()}))
            before = card.last["progress"]
            card.wait(seconds=4)
            card.grade(1)
            after = card.last["progress"]
            steps[purpose].add((after["done"] - before["done"], after["left"] - before["left"]))
            shapes[purpose].add(
                json.dumps({name: type(value).__name__ for name, value in card.last["acts"][0].items()})
            )
            answers.append(card.last)
        assert shapes["gold"] == shapes["production"]
        assert steps["gold"] == steps["production"] == {(1, -1)}
        text = json.dumps(answers).casefold()
        assert "gold" not in text
        assert "purpose" not in text
        assert "repeat" not in text
        own = [show(project, card, row.pair) for row in history_of(card)]
        assert len({json.dumps(sorted(one)) for one in own}) == 1

    def test_gold_stands_in_the_history_and_a_change_of_mind_on_it_stays_gold(self) -> None:
        project, card = sit_down()
        gold = next_of(card, project, "gold")
        card.send(card.act("grade", gold, grade=0))
        assert gold["pair"] in [row.pair for row in history_of(card)]
        again = show(project, card, gold["pair"])
        assert again["mine"]["grade"] == 0
        card.send(card.act("grade", again, grade=3))
        found = table_of(project, read_gold_results)
        assert list(found["grade"]) == [3]
        assert {row[0] for row in ledger("purpose", "pair_id") if row[1] == gold["pair"]} == {"gold"}
        whole(project)

    def test_gold_is_taken_back_and_comes_again_as_gold(self) -> None:
        project, card = sit_down()
        gold = next_of(card, project, "gold")
        act = card.act("grade", gold, grade=0)
        card.send(act)
        done = card.last["progress"]["done"]
        assert card.send(card.act("undo", gold, takes_back=act["act_id"]))["acts"][0]["status"] == "saved"
        assert card.last["progress"]["done"] == done - 1
        assert purposes(project)[gold["pair"]] == "gold"
        assert table_of(project, read_gold_results).empty
        card.send(card.act("grade", gold, grade=2))
        assert list(table_of(project, read_gold_results)["grade"]) == [2]
        whole(project)

    def test_gold_that_cannot_be_judged_is_kept_as_gold_and_has_no_grade(self) -> None:
        project, card = sit_down()
        first = next_of(card, project, "gold")
        card.send(card.act("cannot_judge", first, reason="query_unclear"))
        second = next_of(card, project, "gold")
        card.send(card.act("skip", second))
        assert {row[0] for row in ledger("purpose", "kind") if row[1] in ("skip", "cannot_judge")} == {"gold"}
        assert table_of(project, read_gold_results).empty
        whole(project)

    def test_gold_whose_claim_ran_out_is_kept_exactly_once(self) -> None:
        project, card = sit_down()
        gold = next_of(card, project, "gold")
        card.wait(hours=2)
        act = card.act("grade", gold, grade=1)
        assert [card.send(act)["acts"][0]["status"] for _ in range(2)] == ["saved", "repeated"]
        assert len(table_of(project, read_gold_results)) == 1

    def test_another_text_than_the_one_shown_is_refused_on_gold_too(self) -> None:
        project, card = sit_down()
        gold = next_of(card, project, "gold")
        other = {**gold, "shown": card.held[0]["shown"]}
        assert card.send(card.act("grade", other, grade=1))["acts"][0]["code"] == "changed_text"

    def test_no_gold_is_given_alone(self) -> None:
        project = make_checked(overlap=1)
        ann, bo = make_people("Ann", "Bo")
        first = Card(ann, project)
        first.send()
        while first.held:
            first.wait(seconds=4)
            first.grade(1)
        answer = Card(bo, project).send()
        assert (answer["pairs"], answer["end"]["kind"]) == ([], "complete")

    def test_gold_taken_out_stays_gold_for_who_has_judged_it(self) -> None:
        from labeling.references import remove_reference

        project, card = sit_down()
        gold = next_of(card, project, "gold")
        card.send(card.act("grade", gold, grade=1))
        with writing() as session:
            remove_reference(session, COMMAND_LINE, project, gold["pair"])
        again = show(project, card, gold["pair"])
        assert card.send(card.act("grade", again, grade=2))["acts"][0]["status"] == "saved"
        assert (gold["query_id"], gold["doc_id"]) not in pairs_of(table_of(project, read_votes))
        whole(project)


@pytest.mark.usefixtures("database")
class TestRepeats:
    def test_a_repeat_comes_long_after_the_first_time_once_and_replaces_nothing(self) -> None:
        project, card = sit_down(gold_every=0, repeat_every=5)
        given: dict[int, int] = {}
        while card.held:
            card.wait(seconds=4)
            pair = card.held[0]["pair"]
            grade = given[pair] + 1 if pair in given else random.Random(pair).randrange(3)
            given.setdefault(pair, grade)
            assert card.grade(grade)["status"] == "saved"
        rows = ledger("purpose", "pair_id")
        repeats = [place for place, row in enumerate(rows) if row[0] == "repeat"]
        assert len(repeats) >= 8
        assert len({rows[place][1] for place in repeats}) == len(repeats)
        for place in repeats:
            assert place - rows.index(("production", rows[place][1])) >= LEAST_APART
        found = table_of(project, read_repeats)
        assert len(found) == len(repeats)
        assert (found["second_grade"] == found["first_grade"] + 1).all()
        assert (found["second_at"] > found["first_at"]).all()
        votes = table_of(project, read_votes)
        assert len(votes) == 90
        assert set(votes["grade"]) == {0, 1, 2}
        whole(project)

    def test_a_repeat_looks_like_a_pair_that_comes_for_the_first_time(self) -> None:
        project, card = sit_down(gold_every=0, repeat_every=3)
        other = card.held[0]
        repeat = next_of(card, project, "repeat")
        assert list(repeat) == list(other)
        assert repeat["mine"] is None
        before = card.last["progress"]
        card.send(card.act("grade", repeat, grade=3))
        after = card.last["progress"]
        assert (after["done"] - before["done"], after["left"] - before["left"]) == (1, -1)

    def test_a_change_of_mind_on_a_pair_whose_repeat_is_held_changes_the_vote_alone(self) -> None:
        project, card = sit_down(gold_every=0, repeat_every=3)
        repeat = next_of(card, project, "repeat")
        own = show(project, card, repeat["pair"])
        assert own["mine"]["grade"] == 1
        card.send(card.act("grade", own, grade=3))
        assert grade_of(project, repeat) == 3
        assert table_of(project, read_repeats).empty
        assert card.send(card.act("grade", repeat, grade=0))["acts"][0]["status"] == "saved"
        assert grade_of(project, repeat) == 3
        found = table_of(project, read_repeats)
        assert [tuple(row) for row in found[["first_grade", "second_grade"]].to_numpy()] == [(3, 0)]
        whole(project)

    def test_a_repeat_is_taken_back_and_comes_again_as_a_repeat(self) -> None:
        project, card = sit_down(gold_every=0, repeat_every=3)
        repeat = next_of(card, project, "repeat")
        act = card.act("grade", repeat, grade=3)
        card.send(act)
        card.send(card.act("undo", repeat, takes_back=act["act_id"]))
        assert table_of(project, read_repeats).empty
        assert grade_of(project, repeat) == 1
        assert purposes(project)[repeat["pair"]] == "repeat"
        card.held = [repeat, *card.held]
        card.send()
        card.held = []
        handed = {pair["pair"]: pair for pair in card.send()["pairs"]}
        assert handed[repeat["pair"]]["shown"] == repeat["shown"]
        card.send(card.act("grade", handed[repeat["pair"]], grade=2))
        assert list(table_of(project, read_repeats)["second_grade"]) == [2]
        whole(project)

    def test_the_vote_is_taken_back_while_its_repeat_is_held(self) -> None:
        project, card = sit_down(gold_every=0, repeat_every=3)
        repeat = next_of(card, project, "repeat")
        own = show(project, card, repeat["pair"])
        card.send(card.act("undo", own, takes_back=own["mine"]["act_id"]))
        assert purposes(project)[repeat["pair"]] == "production"
        assert card.send(card.act("grade", repeat, grade=3))["acts"][0]["code"] == "not_held"
        card.send(card.act("grade", own, grade=2))
        assert grade_of(project, repeat) == 2
        whole(project)

    def test_a_held_repeat_takes_no_place_from_others(self) -> None:
        project = make_checked(gold_every=0, repeat_every=3)
        ann, bo = make_people("Ann", "Bo")
        card = Card(ann, project)
        card.send()
        repeat = next_of(card, project, "repeat")
        other = Card(bo, project, now=card.now)
        seen = set()
        other.send()
        while other.held and repeat["pair"] not in seen:
            seen.add(other.held[0]["pair"])
            assert other.grade(1)["status"] == "saved"
        assert repeat["pair"] in seen

    def test_a_settled_pair_is_not_repeated_and_a_repeat_in_hand_is_kept(self) -> None:
        project, card = sit_down(gold_every=0, repeat_every=3)
        repeat = next_of(card, project, "repeat")
        done = [row.pair for row in history_of(card)]
        with writing() as session:
            for number in done:
                disputes.decide(
                    session, COMMAND_LINE, project, number, grade=1, reason="other", act_id=f"decision-{number}"
                )
        assert card.send(card.act("grade", repeat, grade=3))["acts"][0]["status"] == "saved"
        held = {pair for pair, purpose in purposes(project).items() if purpose == "repeat"}
        later: set[int] = set()
        while card.held:
            later |= {pair for pair, purpose in purposes(project).items() if purpose == "repeat"}
            card.wait(seconds=4)
            card.grade(1)
        assert later - held
        assert not (later - held) & set(done)


def history_of(card: Card) -> list:
    with reading() as session:
        return list_history(session, card.actor, card.project)


def show(project: int, card: Card, pair: int) -> dict:
    with reading() as session:
        return show_own_pair(session, card.actor, project, pair)


def pairs_of(table: pd.DataFrame) -> set[tuple[str, str]]:
    return set(zip(table["query_id"], table["doc_id"], strict=True))


def grade_of(project: int, pair: dict) -> int:
    votes = table_of(project, read_votes)
    found = votes[(votes["query_id"] == pair["query_id"]) & (votes["doc_id"] == pair["doc_id"])]
    return int(found["grade"].iloc[0])


@pytest.mark.usefixtures("database")
def test_twenty_raters_with_gold_and_repeats_leave_every_count_right() -> None:
    project = make_checked(overlap=2, gold_every=4, repeat_every=3, documents=24)
    cards = [Card(actor, project) for actor in make_people(*(f"rater {number}" for number in range(20)))]
    chance = random.Random(1)
    kinds = {"grade": 20, "skip": 2, "cannot_judge": 1, "undo": 3, "again": 2, "late": 1}
    last: dict[int, dict] = {}
    for _ in range(420):
        place = chance.randrange(20) if chance.random() < 0.5 else chance.randrange(3)
        card = cards[place]
        card.now = max(other.now for other in cards)
        card.wait(seconds=3)
        kind = chance.choices(list(kinds), list(kinds.values()))[0]
        if kind == "undo" and place in last:
            act = last.pop(place)
            shown = {"pair": act["pair"], "shown": act["shown"], "rubric_version": act["rubric_version"]}
            card.send(card.act("undo", shown, takes_back=act["act_id"]))
        elif kind == "again" and (rows := history_of(card)):
            own = show(project, card, chance.choice(rows).pair)
            card.send(card.act("grade", own, grade=chance.randrange(4)))
        elif not card.held:
            card.send()
        else:
            if kind == "late":
                card.wait(minutes=25)
            shown = card.held.pop(0)
            more = {"grade": {"grade": chance.randrange(4)}, "cannot_judge": {"reason": "other"}}.get(kind, {})
            act = card.act(kind if kind in ("grade", "skip", "cannot_judge") else "grade", shown, **(more or {}))
            if act["kind"] == "grade":
                act["grade"] = chance.randrange(4)
            outcome = card.send(act)["acts"][0]
            assert outcome["status"] == "saved" or outcome["code"] == "not_held"
            last[place] = act
    whole(project)
    pair, judgment = metadata.tables["pair"], metadata.tables["judgment"]
    with reading() as session:
        assert not session.execute(select(pair.c.id).where(pair.c.vote_count > pair.c.overlap)).first()
        gold = select(pair.c.id).where(pair.c.overlap == 0)
        assert set(session.execute(select(judgment.c.purpose).where(judgment.c.pair_id.in_(gold)).distinct()).scalars()) == {"gold"}  # fmt: skip
        counts = select(judgment.c.purpose, func.count()).group_by(judgment.c.purpose)
        used = {row[0]: row[1] for row in session.execute(counts)}
        votes = read_votes(session, COMMAND_LINE, project)
        counted = session.execute(select(func.sum(pair.c.vote_count))).scalar_one()
    assert used["gold"] > 20
    assert used["repeat"] > 3
    assert len(votes) == counted
    assert not pairs_of(votes) & {tuple(row.split(",")[:2]) for row in GOLD}


class TestSlots:
    def test_each_run_of_places_has_one_gold_and_it_is_not_always_the_same(self) -> None:
        places = sorted(find_slots(3, 8, {"gold": 10, "repeat": 0}, 1, 1000))
        assert [(place - 1) // 10 for place in places] == list(range(100))
        assert len({place % 10 for place in places}) > 5

    def test_raters_and_seeds_have_places_of_their_own(self) -> None:
        rates = {"gold": 10, "repeat": 12}
        all_places = {tuple(find_slots(seed, rater, rates, 1, 200)) for seed in (1, 2) for rater in range(10)}
        assert len(all_places) == 20

    def test_gold_goes_first_and_repeats_wait_until_there_can_be_one(self) -> None:
        slots = find_slots(3, 8, {"gold": 3, "repeat": 3}, 1, 300)
        assert min(place for place, purpose in slots.items() if purpose == "repeat") >= FIRST_REPEAT
        assert sum(purpose == "gold" for purpose in slots.values()) == 100

    def test_the_places_needed_are_those_that_a_walk_counts(self) -> None:
        for rater in range(20):
            rates = {"gold": 7, "repeat": 0}
            place, pairs, gold = 13, 0, 0
            while pairs < 50:
                place += 1
                is_gold = place in find_slots(5, rater, rates, place, place) and gold < 5
                gold += is_gold
                pairs += not is_gold
            assert places_needed(5, rater, rates, 13, 50, 5) == place - 13
