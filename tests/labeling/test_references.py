"""Pairs with a known grade: read from files, brought in all or nothing, kept out of the pairs to judge, taken out again."""

from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import select

from labeling import pool, projects
from labeling.__main__ import main
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import AssayError, InputError, InputErrors, NotFound
from labeling.exchange.references import read_references
from labeling.progress import votes_per_pair, votes_per_query
from labeling.references import list_references, preview_references, remove_reference
from labeling.schema import metadata
from tests.labeling.test_calibration import GRADES, add_references
from tests.support.campaign import Card, make_people, make_project


def read(text: str, name: str = "practice.csv") -> pd.DataFrame:
    return read_references(text.encode(), name, grades=GRADES).table


class TestReading:
    def test_rows_come_with_their_defaults_and_lines(self) -> None:
        table = read(
            "query_id,doc_id,grade,reason,purpose,set\nq1,d1,2,why,,\nq1,d2,0,,Gold,4\nq2,d1,3,so,practice,2\n"
        )
        assert table[["purpose", "set", "grade", "line"]].to_numpy().tolist() == [
            ["practice", 1, 2, 2],
            ["gold", 0, 0, 3],
            ["practice", 2, 3, 4],
        ]

    def test_json_lines_say_the_same(self) -> None:
        line = '{"query_id": "q1", "doc_id": "d1", "grade": 2, "reason": "왜냐하면", "set": 3}\n'
        row = read(line, "practice.jsonl").iloc[0]
        assert (row["grade"], row["reason"], row["set"], row["purpose"]) == (2, "왜냐하면", 3, "practice")

    @pytest.mark.parametrize(
        ("row", "expected"),
        [
            ("q1,d1,4,why,practice,1", "line 2: expected a grade from 0 to 3, found 4"),
            ("q1,d1,,why,practice,1", "line 2: expected a grade from 0 to 3, found nothing"),
            ("q1,d1,1.5,why,practice,1", "line 2: expected a grade from 0 to 3, found 1.5"),
            ("q1,d1,1,,practice,1", "line 2: expected a reason"),
            ("q1,d1,1,why,test,1", "line 2: expected the purpose practice or gold, found test"),
            ("q1,d1,1,why,practice,0", "line 2: expected a set from 1"),
            (",d1,1,why,practice,1", "line 2: expected a query_id, found nothing"),
            ("q1,d1,1,why,practice,1\nq1,d1,2,why,gold,", "line 3: expected each pair once"),
        ],
    )
    def test_a_fault_names_its_line(self, row: str, expected: str) -> None:
        with pytest.raises((InputError, InputErrors), match=expected):
            read(f"query_id,doc_id,grade,reason,purpose,set\n{row}\n")


def overlaps(project: int) -> list[int]:
    pair = metadata.tables["pair"]
    with reading() as session:
        return sorted(session.execute(select(pair.c.overlap).where(pair.c.project_id == project)).scalars())


@pytest.mark.usefixtures("database")
class TestImporting:
    def test_references_want_no_vote_whatever_becomes_of_the_overlap(self) -> None:
        project = make_project(queries=1, documents=4, overlap=2)
        add_references(project, ["q0,d0,2,why,practice,1", "q0,d1,2,,gold,"])
        assert overlaps(project) == [0, 0, 2, 2]
        with writing() as session:
            projects.change_project(session, COMMAND_LINE, project, overlap=3)
        assert overlaps(project) == [0, 0, 3, 3]
        with writing() as session:
            pool.build_pool(session, COMMAND_LINE, project, depth=10, overlap=1)
        assert overlaps(project) == [0, 0, 1, 1]
        with reading() as session:
            counts = projects.count_project(session, COMMAND_LINE, project)
            assert (counts.pairs, counts.wanted, counts.complete) == (2, 2, 0)
            assert votes_per_pair(session, COMMAND_LINE, project)["pairs"].sum() == 2
            assert votes_per_query(session, COMMAND_LINE, project)["pairs"].tolist() == [2]

    def test_all_or_nothing_with_every_line_at_fault(self) -> None:
        project = make_project(queries=1, documents=3)
        card = Card(make_people("Ann")[0], project)
        card.send()
        judged = card.held[0]["doc_id"]
        card.grade(1)
        other = next(f"d{number}" for number in range(3) if f"d{number}" != judged)
        rows = [
            f"q0,{other},1,why,practice,1",
            f"q0,{judged},1,why,practice,1",
            "q9,d1,1,why,practice,1",
            "q0,d9,1,,gold,",
        ]
        with pytest.raises(InputErrors) as found:
            add_references(project, rows)
        text = str(found.value)
        assert "references.csv line 3: expected a pair that nobody has judged in production" in text
        assert "references.csv line 4: expected a query that has a text in the project, found q9" in text
        assert "references.csv line 5: expected a document that has a text in the project, found d9" in text
        with reading() as session:
            assert list_references(session, COMMAND_LINE, project) == []
        assert overlaps(project) == [2, 2, 2]

    def test_bringing_in_again_changes_what_differs_and_nothing_else(self) -> None:
        project = make_project(queries=1, documents=3)
        add_references(project, ["q0,d0,2,why,practice,1", "q0,d1,2,,gold,"])
        again = read(
            "query_id,doc_id,grade,reason,purpose,set\nq0,d0,3,because,practice,2\nq0,d1,2,,gold,\nq0,d2,0,,gold,\n"
        )
        with reading() as session:
            preview = preview_references(session, COMMAND_LINE, project, again, source="again.csv")
        assert (preview.new, preview.changed, preview.unchanged, preview.sets, preview.gold) == (1, 1, 1, {2: 1}, 2)
        add_references(project, ["q0,d0,3,because,practice,2"])
        with reading() as session:
            row = list_references(session, COMMAND_LINE, project)[0]
        assert (row.grade, row.reason, row.practice_set) == (3, "because", 2)
        with pytest.raises(
            InputError, match="line 2: expected a pair for gold, found q0 d0, which is practice already"
        ):
            add_references(project, ["q0,d0,3,,gold,"])

    def test_who_holds_the_pair_at_that_moment_judges_it_as_gold_or_loses_it(self) -> None:
        project = make_project(queries=1, documents=6)
        card = Card(make_people("Ann")[0], project)
        card.send()
        gold, practice = card.held[0], card.held[1]
        add_references(project, [f"q0,{gold['doc_id']},1,,gold,", f"q0,{practice['doc_id']},1,why,practice,1"])
        assert practice["pair"] in card.send()["lost"]
        assert card.send(card.act("grade", gold, grade=1))["acts"][0]["status"] == "saved"
        judgment = metadata.tables["judgment"]
        with reading() as session:
            assert session.execute(select(judgment.c.purpose)).scalars().all() == ["gold"]

    def test_one_that_nobody_saw_goes_back_to_the_pairs_to_judge_and_one_that_was_seen_does_not(self) -> None:
        project = make_project(queries=1, documents=3)
        add_references(project, ["q0,d0,2,why,practice,1", "q0,d1,2,why,practice,1"])
        with writing() as session:
            projects.change_project(session, COMMAND_LINE, project, calibration=True)
        card = Card(make_people("Ann")[0], project)
        card.send()
        seen, unseen = card.held[0]["pair"], card.held[1]["pair"]
        card.grade(2)
        with writing() as session:
            remove_reference(session, COMMAND_LINE, project, unseen)
            assert projects.count_project(session, COMMAND_LINE, project).pairs == 2
            with pytest.raises(AssayError, match="switch calibration off first"):
                remove_reference(session, COMMAND_LINE, project, seen)
            projects.change_project(session, COMMAND_LINE, project, calibration=False)
            remove_reference(session, COMMAND_LINE, project, seen)
            assert projects.count_project(session, COMMAND_LINE, project).pairs == 2
            with pytest.raises(NotFound):
                remove_reference(session, COMMAND_LINE, project, seen)


@pytest.mark.usefixtures("database")
def test_the_command_brings_references_in_and_only_says_so_in_a_dry_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project(queries=1, documents=3)
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("query_id,doc_id,grade,reason,purpose,set\nq0,d0,2,why,practice,1\nq0,d1,1,,gold,\n")
    bad.write_text("query_id,doc_id,grade,reason\nq0,d2,2,why\nq0,d9,2,why\n")
    command = ["import", "references", str(good), "--project", "campaign"]
    assert main([*command, "--dry-run"]) == 0
    assert "would be: 2 new, 0 changed, 0 there already; set 1 with 1, 1 gold" in capsys.readouterr().err
    with reading() as session:
        assert list_references(session, COMMAND_LINE, project) == []
    assert main(["import", "references", str(good), str(bad), "--project", "campaign"]) == 1
    assert f"{bad} line 3: expected a document that has a text" in capsys.readouterr().err
    with reading() as session:
        assert list_references(session, COMMAND_LINE, project) == []
    assert main(command) == 0
    with reading() as session:
        assert len(list_references(session, COMMAND_LINE, project)) == 2
