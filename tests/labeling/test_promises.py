"""The promises that the design makes to people, each under its name."""

import itertools
import re
import sqlite3
import threading

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from labeling import collection, disputes, imports, projects, votes
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import AssayError, Conflict, InputError, NotAllowed, NotFound
from labeling.history import list_history
from labeling.judging import answer_card
from labeling.releases import build_release, pack
from tests.support.campaign import NOW, Card, make_people, make_project


def rows(statement: str, **values: object) -> list[tuple]:
    with reading() as session:
        return [tuple(row) for row in session.execute(text(statement), values)]


@pytest.fixture
def project(database: str) -> int:
    return make_project()


class TestAppendOnly:
    def test_the_database_itself_refuses_to_change_a_judgment(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        card.grade(2)
        for statement in ("UPDATE judgment SET grade = 0", "DELETE FROM judgment"):
            with pytest.raises(DatabaseError, match="append only"), writing() as session:
                session.execute(text(statement))
        assert rows("SELECT grade FROM judgment") == [(2,)]

    def test_a_change_of_mind_is_a_new_row_and_the_newest_counts(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        pair = card.held[0]
        card.grade(1)
        assert card.grade(3, pair)["status"] == "saved"
        assert rows("SELECT grade FROM judgment ORDER BY id") == [(1,), (3,)]
        with reading() as session:
            assert votes.read_votes(session, COMMAND_LINE, project)["grade"].tolist() == [3]

    def test_undo_is_a_new_row_and_gives_the_pair_back(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        pair = card.held.pop(0)
        act = card.act("grade", pair, grade=1)
        card.send(act)
        undo = card.act("undo", pair, takes_back=act["act_id"])
        card.held.insert(0, pair)
        assert card.send(undo)["acts"][0]["status"] == "saved"
        assert card.last["lost"] == []
        assert rows("SELECT kind FROM judgment ORDER BY id") == [("grade",), ("undo",)]
        assert rows("SELECT vote_count FROM pair WHERE id = :pair", pair=pair["pair"]) == [(0,)]
        assert card.grade(2)["status"] == "saved"

    def test_importing_again_adds_rows_and_the_newest_counts(self, project: int) -> None:
        for grade in (0, 2):
            table = judgments_table([("q0", "d0", "file", grade)])
            with writing() as session:
                imports.import_judgments(session, COMMAND_LINE, project, table, files=["votes.csv"])
        assert rows("SELECT grade FROM judgment ORDER BY id") == [(0,), (2,)]
        with reading() as session:
            assert votes.read_votes(session, COMMAND_LINE, project)["grade"].tolist() == [2]


class TestWhatWasShownIsWhatWasJudged:
    def test_a_text_that_changed_meanwhile_is_refused(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        shown = card.held[0]
        other = pd.DataFrame([{"doc_id": shown["doc_id"], "title": "", "text": "another text", "url": ""}])
        with writing() as session:
            collection.add_documents(session, COMMAND_LINE, project, other, replace=True)
        outcome = card.grade(3)
        assert (outcome["status"], outcome["code"]) == ("refused", "changed_text")
        assert rows("SELECT count(*) FROM judgment") == [(0,)]

    def test_a_narrative_that_changed_meanwhile_is_refused(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        with writing() as session:
            collection.write_narrative(session, COMMAND_LINE, project, card.held[0]["query_id"], "needs a date")
        assert card.grade(3)["code"] == "changed_text"

    def test_a_pair_that_the_rater_was_never_given_is_refused(self, project: int) -> None:
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        bob.send(hello=True, want=2)
        stranger = next(pair for pair in ann.held if pair["pair"] not in {own["pair"] for own in bob.held})
        assert bob.send(bob.act("grade", stranger, grade=1))["acts"][0]["code"] == "not_held"

    def test_every_judgment_names_hash_rubric_and_moment(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        shown = card.held[0]
        card.grade(2)
        found = rows("SELECT shown_hash, rubric_id IS NOT NULL, shown_at IS NOT NULL FROM judgment")
        assert found == [(shown["shown"], 1, 1)]

    def test_a_grade_outside_the_scale_is_refused_and_does_not_hold_up_the_others(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        first, second = card.held[:2]
        answer = card.send(card.act("grade", first, grade=7), card.act("grade", second, grade=1))
        assert [act["status"] for act in answer["acts"]] == ["refused", "saved"]

    @pytest.mark.parametrize(
        "broken",
        [{"act_id": ""}, {"act_id": None}, {"kind": "steal"}, {"pair": "x"}, {"grade": "many"}, {"seq": None}],
    )
    def test_malformed_acts_are_refused_one_by_one(self, project: int, broken: dict) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        first, second = card.held[:2]
        answer = card.send({**card.act("grade", first, grade=1), **broken}, card.act("grade", second, grade=1))
        assert sorted(act["status"] for act in answer["acts"]) == ["refused", "saved"]


class TestExactlyOnce:
    def test_the_same_act_sent_again_counts_once(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        act = card.act("grade", card.held[0], grade=2)
        assert [card.send(act)["acts"][0]["status"] for _ in range(3)] == ["saved", "repeated", "repeated"]
        assert rows("SELECT count(*) FROM judgment") == [(1,)]

    def test_two_tabs_of_one_rater_never_make_two_votes(self, project: int) -> None:
        actor = make_people("Ann")[0]
        first, second = Card(actor, project, tab="one"), Card(actor, project, tab="two")
        first.send(hello=True)
        second.send(hello=True)
        pair = first.held[0]
        first.grade(1, pair)
        second.send(second.act("grade", pair, grade=3))
        with reading() as session:
            table = votes.read_votes(session, COMMAND_LINE, project)
        assert table["grade"].tolist() == [3]
        assert rows("SELECT vote_count FROM pair WHERE id = :pair", pair=pair["pair"]) == [(1,)]

    def test_an_act_of_somebody_else_cannot_be_answered_as_mine(self, project: int) -> None:
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        act = ann.act("grade", ann.held[0], grade=2)
        ann.send(act)
        bob.send(hello=True)
        assert bob.send(act)["acts"][0]["status"] == "refused"


class TestNeverBeyondTheOverlap:
    @pytest.mark.parametrize("overlap", [1, 2, 3])
    def test_raters_at_once_fill_every_place_and_no_more(self, database: str, overlap: int) -> None:
        project = make_project(queries=4, documents=6, overlap=overlap)
        faults: list[Exception] = []

        def judge(card: Card) -> None:
            try:
                card.send(hello=True, want=5)
                while card.held:
                    card.grade(len(card.held) % 4)
            except Exception as fault:  # noqa: BLE001
                faults.append(fault)

        people = make_people(*(f"rater {number}" for number in range(6)))
        threads = [threading.Thread(target=judge, args=(Card(actor, project),)) for actor in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults
        counts = [row[0] for row in rows("SELECT vote_count FROM pair")]
        assert max(counts) <= overlap
        assert rows("SELECT count(*) FROM judgment WHERE surplus") == [(0,)]
        assert sum(counts) == rows("SELECT count(*) FROM current_judgment")[0][0]

    def test_a_pair_is_not_held_by_more_raters_than_it_has_places(self, database: str) -> None:
        project = make_project(queries=2, documents=4, overlap=1)
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True, want=4)
        bob.send(hello=True, want=8)
        assert not {pair["pair"] for pair in ann.held} & {pair["pair"] for pair in bob.held}

    def test_claims_expire_and_come_back(self, database: str) -> None:
        project = make_project(queries=1, documents=2, overlap=1)
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        assert len(ann.held) == 2
        answer = bob.send(hello=True)
        assert answer["end"]["kind"] == "waiting"
        assert answer["end"]["others_hold"] == 2
        bob.wait(minutes=21)
        bob.send()
        assert len(bob.held) == 2

    def test_a_grade_after_its_claim_expired_is_kept_as_surplus_when_the_pair_is_full(self, database: str) -> None:
        project = make_project(queries=1, documents=1, overlap=1)
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        late = ann.held[0]
        bob.wait(minutes=21)
        bob.send(hello=True)
        bob.grade(1)
        ann.now = bob.now
        outcome = ann.grade(3, late)
        assert (outcome["status"], outcome["surplus"]) == ("saved", True)
        with reading() as session:
            assert votes.read_votes(session, COMMAND_LINE, project)["grade"].tolist() == [1]

    def test_a_surplus_grade_given_again_takes_a_place_that_became_free(self, database: str) -> None:
        project = make_project(queries=1, documents=1, overlap=1)
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        late = ann.held[0]
        bob.wait(minutes=21)
        bob.send(hello=True)
        bob.grade(1)
        ann.now = bob.now
        assert ann.grade(3, late)["surplus"] is True
        assert ann.grade(3, late)["surplus"] is True
        with writing() as session:
            projects.change_project(session, COMMAND_LINE, project, overlap=2)
        assert ann.grade(2, late)["surplus"] is False
        assert rows("SELECT vote_count FROM pair") == [(2,)]

    def test_a_grade_after_its_claim_expired_counts_while_there_is_room(self, database: str) -> None:
        project = make_project(queries=1, documents=1, overlap=1)
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        card.wait(minutes=90)
        assert card.grade(3)["surplus"] is False

    def test_undoing_a_skip_takes_no_place_that_another_holds(self, database: str) -> None:
        project = make_project(queries=1, documents=1, overlap=1)
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        pair = ann.held.pop(0)
        skip = ann.act("skip", pair)
        ann.send(skip, want=0)
        bob.send(hello=True)
        assert [one["pair"] for one in bob.held] == [pair["pair"]]
        ann.held = [pair]
        ann.send(ann.act("undo", pair, takes_back=skip["act_id"]))
        assert ann.last["lost"] == [pair["pair"]]
        assert bob.grade(2)["surplus"] is False

    def test_the_ends_of_a_queue_are_told_apart(self, database: str) -> None:
        project = make_project(queries=1, documents=2, overlap=2)
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        while ann.held:
            ann.grade(1)
        assert ann.last["end"]["kind"] == "done"
        bob.send(hello=True)
        while bob.held:
            bob.grade(1)
        assert bob.last["end"]["kind"] == "complete"
        with writing() as session:
            projects.close_project(session, COMMAND_LINE, project)
        assert ann.send()["end"]["kind"] == "closed"


class TestBlind:
    def test_a_pair_shows_no_grade_of_anybody_and_no_rank(self, project: int) -> None:
        ann, bob = (Card(actor, project) for actor in make_people("Ann", "Bob"))
        ann.send(hello=True)
        ann.grade(3)
        bob.send(hello=True)
        allowed = {"pair", "query_id", "query", "narrative", "doc_id", "title", "url", "text", "length", "shown",
                   "rubric_version", "mine"}  # fmt: skip
        assert all(set(pair) == allowed and pair["mine"] is None for pair in bob.held)

    def test_the_order_is_random_per_rater_and_the_same_again(self, database: str) -> None:
        project = make_project(queries=6, documents=6, overlap=9)
        people = make_people("Ann", "Bob")
        orders = [[pair["pair"] for pair in Card(actor, project).send(hello=True)["pairs"]] for actor in people]
        again = [pair["pair"] for pair in Card(people[0], project).send(hello=True)["pairs"]]
        assert orders[0] != orders[1]
        assert again == orders[0]

    def test_pairs_come_query_by_query(self, database: str) -> None:
        project = make_project(queries=5, documents=4, overlap=9)
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        queries = [pair["query_id"] for pair in card.held]
        changes = sum(one != two for one, two in itertools.pairwise(queries))
        assert changes == len(set(queries)) - 1

    def test_raters_cannot_read_votes(self, project: int) -> None:
        rater = make_people("Ann")[0]
        with reading() as session:
            for read in (votes.read_votes, votes.read_judgments, disputes.list_disputes, disputes.read_decisions):
                with pytest.raises(NotAllowed):
                    read(session, rater, project)


class TestOnlyVotesCount:
    def test_cannot_judge_and_skipped_are_typed_and_no_votes(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        first, second = card.held[:2]
        card.send(card.act("cannot_judge", first, reason="wrong_language"), card.act("skip", second))
        with reading() as session:
            assert votes.read_votes(session, COMMAND_LINE, project).empty
            assert set(votes.read_judgments(session, COMMAND_LINE, project)["kind"]) == {"cannot_judge", "skip"}
        assert rows("SELECT sum(vote_count) FROM pair") == [(0,)]

    def test_a_skipped_pair_comes_back_after_the_others(self, database: str) -> None:
        project = make_project(queries=1, documents=3, overlap=1)
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        skipped = card.held.pop(0)
        card.send(card.act("skip", skipped))
        while card.held and card.held[0]["pair"] != skipped["pair"]:
            card.grade(1)
        assert [pair["pair"] for pair in card.held] == [skipped["pair"]]
        assert card.grade(2)["status"] == "saved"

    def test_models_cast_no_vote(self, project: int) -> None:
        table = judgments_table([("q0", "d0", "a model", 3), ("q0", "d0", "a person", 1)])
        with writing() as session:
            imports.import_judgments(session, COMMAND_LINE, project, table, files=["x.csv"], models=["a model"])
        with reading() as session:
            assert votes.read_votes(session, COMMAND_LINE, project)["rater"].tolist() == ["a person"]


class TestDissentIsKept:
    def disputed(self, project: int) -> int:
        table = judgments_table([("q0", "d0", "ann", 0), ("q0", "d0", "bob", 3)])
        with writing() as session:
            imports.import_judgments(session, COMMAND_LINE, project, table, files=["votes.csv"])
            return disputes.list_disputes(session, COMMAND_LINE, project)[0].pair

    def test_a_decision_stands_beside_the_votes_and_wins(self, project: int) -> None:
        pair = self.disputed(project)
        with writing() as session:
            disputes.decide(session, COMMAND_LINE, project, pair, grade=2, reason="rater_slip", act_id="first-act")
        with reading() as session:
            release = build_release(session, COMMAND_LINE, project)
            assert votes.read_votes(session, COMMAND_LINE, project)["grade"].tolist() == [0, 3]
        assert release.files["qrels.txt"] == b"q0 0 d0 2\n"
        table = release.consolidation.table
        assert table.loc[0, ["source", "votes", "dissent"]].tolist() == ["decision", 2, 2]
        assert rows("SELECT votes FROM decision") == [('[{"rater": "ann", "grade": 0}, {"rater": "bob", "grade": 3}]',)]

    def test_undo_is_a_new_decision(self, project: int) -> None:
        pair = self.disputed(project)
        with writing() as session:
            disputes.decide(session, COMMAND_LINE, project, pair, grade=2, reason="other", act_id="first-act")
            disputes.withdraw_decision(session, COMMAND_LINE, project, pair, act_id="second-act")
        with reading() as session:
            assert disputes.read_decisions(session, COMMAND_LINE, project).empty
        assert rows("SELECT count(*) FROM decision") == [(2,)]

    def test_the_same_decision_sent_twice_counts_once(self, project: int) -> None:
        pair = self.disputed(project)
        for _ in range(2):
            with writing() as session:
                disputes.decide(session, COMMAND_LINE, project, pair, grade=2, reason="other", act_id="first-act")
        assert rows("SELECT count(*) FROM decision") == [(1,)]

    def test_a_settled_pair_takes_no_change_of_mind(self, project: int) -> None:
        card = Card(make_people("Ann")[0], project)
        card.send(hello=True)
        pair = card.held[0]
        card.grade(1)
        with writing() as session:
            disputes.decide(session, COMMAND_LINE, project, pair["pair"], grade=2, reason="other", act_id="first-act")
        assert card.send(card.act("grade", pair, grade=3))["acts"][0]["code"] == "settled"


class TestSameInputsSameBytes:
    def test_a_release_made_again_is_byte_identical_whatever_the_order_of_rows(self, database: str) -> None:
        table = judgments_table(
            [
                (f"q{q}", f"d{d}", rater, (q + d + len(rater)) % 4)
                for q in range(3)
                for d in range(5)
                for rater in ("ann", "bobby")
            ]
        )
        packed = []
        for number, shuffled in enumerate((table, table.sample(frac=1, random_state=np.random.default_rng(3)))):
            project = make_project(name=f"campaign {number}")
            with writing() as session:
                imports.import_judgments(session, COMMAND_LINE, project, shuffled, files=["v.csv"], now=NOW)
                choices = {"rule": "median", "ties": "lower", "name": "spring", "texts": True}
                release = build_release(session, COMMAND_LINE, project, **choices)
                assert pack(release) == pack(build_release(session, COMMAND_LINE, project, **choices))
            packed.append({name: data for name, data in release.files.items() if name != "manifest.json"})
        assert packed[0] == packed[1]


class TestAllOrNothing:
    def test_an_import_with_a_grade_outside_the_scale_changes_nothing(self, project: int) -> None:
        before = rows("SELECT count(*) FROM document"), rows("SELECT count(*) FROM rater")
        table = judgments_table([("q0", "new document", "ann", 1), ("q0", "d1", "ann", 9)])
        expected = r"votes\.csv: expected grades from 0 to 3, found 1 outside it"
        with pytest.raises(InputError, match=expected), writing() as session:
            imports.import_judgments(session, COMMAND_LINE, project, table, files=["votes.csv"])
        assert (rows("SELECT count(*) FROM document"), rows("SELECT count(*) FROM rater")) == before
        assert rows("SELECT count(*) FROM judgment") == [(0,)]

    def test_documents_with_another_text_are_refused_whole(self, project: int) -> None:
        table = pd.DataFrame({"doc_id": ["new", "d0"], "title": "", "text": ["new text", "other"], "url": ""})
        with pytest.raises(Conflict, match="1 that are stored with another text"), writing() as session:
            collection.add_documents(session, COMMAND_LINE, project, table)
        assert rows("SELECT count(*) FROM document WHERE doc_id = 'new'") == [(0,)]


class TestRolesAreEnforcedUnderThePages:
    def test_raters_can_neither_set_up_nor_settle_nor_export(self, project: int) -> None:
        rater = make_people("Ann")[0]
        with writing() as session:
            for act in (
                lambda: projects.create_project(session, rater, name="mine"),
                lambda: projects.close_project(session, rater, project),
                lambda: collection.add_run(session, rater, project, b"", "x"),
                lambda: disputes.decide(session, rater, project, 1, grade=1, reason="other", act_id="an-act-id"),
                lambda: build_release(session, rater, project),
            ):
                with pytest.raises(NotAllowed):
                    act()

    def test_drafts_are_hidden_from_raters(self, database: str) -> None:
        rater = make_people("Ann")[0]
        with writing() as session:
            draft = projects.create_project(session, COMMAND_LINE, name="draft")
        with reading() as session:
            assert projects.list_projects(session, rater) == []
            with pytest.raises(NotFound):
                projects.get_project(session, rater, draft.id)

    def test_the_history_is_ones_own(self, project: int) -> None:
        ann, bob = make_people("Ann", "Bob")
        card = Card(ann, project)
        card.send(hello=True)
        card.grade(2)
        with reading() as session:
            assert len(list_history(session, ann, project)) == 1
            assert list_history(session, bob, project) == []

    def test_the_command_line_judges_nothing(self, project: int) -> None:
        with pytest.raises(NotAllowed):
            answer_card(COMMAND_LINE, {"project": project}, now=NOW)


def test_ids_stay_byte_for_byte_from_import_to_export(database: str) -> None:
    project = make_project()
    strange = ["001", "NA", "1e5", "2024-01-01", "é", "e\u0301", "문서#1", "a,b", '"', "null"]
    table = judgments_table([("0007", doc_id, "ann", 1) for doc_id in strange])
    with writing() as session:
        imports.import_judgments(session, COMMAND_LINE, project, table, files=["v.csv"])
        lines = build_release(session, COMMAND_LINE, project).files["qrels.txt"].decode().splitlines()
    assert {line.split(" ")[2] for line in lines} == set(strange)
    assert {line.split(" ")[0] for line in lines} == {"0007"}


def test_a_closed_project_takes_no_acts(database: str) -> None:
    project = make_project()
    card = Card(make_people("Ann")[0], project)
    card.send(hello=True)
    with writing() as session:
        projects.close_project(session, COMMAND_LINE, project)
    assert card.grade(1)["code"] == "closed"


def test_the_database_survives_a_writer_that_dies_in_the_middle(database: str) -> None:
    project = make_project()
    path = re.sub("^sqlite:///", "", database)
    dying = sqlite3.connect(path, isolation_level=None)
    dying.execute("BEGIN IMMEDIATE")
    dying.execute("UPDATE project SET name = 'half written'")
    dying.close()
    with reading() as session:
        assert projects.get_project(session, COMMAND_LINE, project).name == "campaign"


def test_a_request_that_no_card_can_have_sent_changes_nothing(database: str) -> None:
    project = make_project()
    with pytest.raises(AssayError, match="at most 200 acts"):
        answer_card(make_people("Ann")[0], {"project": project, "acts": [{}] * 201}, now=NOW)
    assert rows("SELECT count(*) FROM rater") == [(0,)]


def judgments_table(rows: list[tuple[str, str, str, int]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])
    return table.assign(kind="grade", comment="", rubric_version="", judged_at="", seconds=None)
