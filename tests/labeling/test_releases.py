"""Frozen releases: the very bytes, what is in them, who may make them, and what changed between two."""

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from labeling import disputes, frozen, imports
from labeling.__main__ import main
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import AssayError, Conflict, NotAllowed, NotFound, StorageError
from labeling.exchange.archives import open_archive
from labeling.exchange.judgments import read_judgments
from labeling.releases import ReleaseChoices, build_release, pack
from tests.support.campaign import NOW, make_people, make_project
from tests.support.data import REPOSITORY

VOTES = (
    "query_id,doc_id,rater,grade,comment,seconds,judged_at\n"
    "q0,d0,ann,3,왜냐하면,4.5,2026-01-02T03:04:05Z\nq0,d0,bob,1,,,2026-01-02T03:04:06Z\n"
    "q0,d1,ann,2,,,2026-01-02T03:04:07Z\nq0,d1,bob,2,,,2026-01-02T03:04:08Z\nq1,d0,ann,0,,,2026-01-02T03:04:09Z\n"
)


def bring_votes(project: int, votes: str = VOTES) -> None:
    found = read_judgments([("votes.csv", votes.encode())])
    report = {"sha256": {"votes.csv": hashlib.sha256(votes.encode()).hexdigest()}}
    with writing() as session:
        imports.import_judgments(session, COMMAND_LINE, project, found.table, files=["votes.csv"], report=report)


@pytest.fixture
def project(database: str) -> int:
    made = make_project(queries=2, documents=2)
    bring_votes(made)
    return made


def freeze(project: int, name: str, **choices: object) -> frozen.FrozenRelease:
    with reading() as session:
        release = build_release(session, COMMAND_LINE, project, ReleaseChoices(name=name, **choices))
    with writing() as session:
        return frozen.freeze(session, COMMAND_LINE, project, release, now=NOW)


def read(project: int, name: str) -> bytes:
    with reading() as session:
        return frozen.read_release(session, COMMAND_LINE, project, name)


class TestFrozen:
    def test_a_release_gives_its_very_bytes_whatever_is_judged_later(self, project: int) -> None:
        kept = freeze(project, "봄", note="first", rule="majority", ties="open")
        before = read(project, "봄")
        bring_votes(project, "query_id,doc_id,rater,grade\nq0,d0,cem,3\nq1,d1,cem,3\n")
        assert read(project, " 봄 ") == before
        assert hashlib.sha256(before).hexdigest() == kept.sha256
        assert (kept.size, kept.note, kept.created_at, kept.created_by) == (len(before), "first", NOW, None)
        freeze(project, "여름", rule="majority", ties="open")
        with reading() as session:
            listed = frozen.list_releases(session, COMMAND_LINE, project)
        assert [one.name for one in listed] == ["여름", "봄"]
        assert [one.manifest["counts"]["votes"] for one in listed] == [7, 5]

    def test_the_database_itself_refuses_to_change_or_delete_one(self, project: int) -> None:
        freeze(project, "spring")
        for statement in ("UPDATE release SET note = 'x'", "DELETE FROM release"):
            with pytest.raises(DatabaseError, match="append only"), writing() as session:
                session.execute(text(statement))

    def test_a_name_is_taken_once_in_a_project_whatever_its_case(self, project: int) -> None:
        freeze(project, "Spring")
        with pytest.raises(Conflict, match="found a release called spring"):
            freeze(project, "spring")
        for name in ("", "  ", "x" * 201):
            with pytest.raises(AssayError, match="a name of 1 to 200 characters"):
                freeze(project, name)
        other = make_project(name="another")
        bring_votes(other)
        assert freeze(other, "spring").name == "spring"
        with pytest.raises(NotFound, match="none called autumn"):
            read(project, "autumn")

    def test_a_rater_neither_freezes_nor_lists_nor_reads(self, project: int) -> None:
        freeze(project, "spring")
        rater = make_people("Rae")[0]
        with reading() as session:
            release = build_release(session, COMMAND_LINE, project, name="mine")
            for act in (
                lambda: build_release(session, rater, project),
                lambda: frozen.freeze(session, rater, project, release),
                lambda: frozen.list_releases(session, rater, project),
                lambda: frozen.read_release(session, rater, project, "spring"),
            ):
                with pytest.raises(NotAllowed):
                    act()

    def test_bytes_that_are_no_longer_those_that_were_frozen_are_not_given_out(self, project: int) -> None:
        freeze(project, "spring")
        with writing() as session:
            session.execute(text("DROP TRIGGER tr_release_no_update"))
            session.execute(text("UPDATE release SET content = x'504b'"))
        with pytest.raises(StorageError, match="no longer has the bytes that were frozen"):
            read(project, "spring")


class TestContents:
    def test_a_release_holds_every_promised_file_and_the_manifest_names_them_all(self, project: int) -> None:
        freeze(project, "spring", texts=True)
        archive = open_archive(read(project, "spring"), "spring")
        assert set(archive.files) == {
            "qrels.txt", "consolidated.csv", "consolidated.jsonl", "judgments.csv", "judgments.jsonl", "decisions.csv",
            "rubric.json", "soft_qrels.csv", "raters/ann.qrels", "raters/bob.qrels", "ir_datasets/qrels",
            "ir_datasets/queries.jsonl", "ir_datasets/docs.jsonl", "beir/qrels/test.tsv", "beir/queries.jsonl",
            "beir/corpus.jsonl", "quepid/ratings.csv", "quepid/book.csv", "opensearch/judgments.json", "manifest.json",
        }  # fmt: skip
        assert all(entry["what"] for entry in archive.manifest["files"].values())

    def test_texts_of_documents_are_there_only_by_choice_and_the_manifest_says_so(self, project: int) -> None:
        freeze(project, "without")
        archive = open_archive(read(project, "without"), "without")
        assert not {"ir_datasets/docs.jsonl", "beir/corpus.jsonl"} & set(archive.files)
        assert archive.manifest["filters"]["texts"] == "without the texts of the documents"
        assert b"text of d0" not in read(project, "without")

    def test_ids_with_blanks_cost_a_release_its_files_in_trecs_format_and_no_grade(self, database: str) -> None:
        project = make_project(queries=2, documents=2)
        bring_votes(project, VOTES + 'q1,New York,ann,2,,,\n"q1","a\tb",ann,1,,,\n')
        freeze(project, "first", rule="majority", ties="lower", texts=True)
        archive = open_archive(read(project, "first"), "first")
        assert not [
            name for name in archive.files if name == "qrels.txt" or name.startswith(("raters/", "ir_", "beir/"))
        ]
        assert archive.manifest["left_out"]["files"] == ["qrels.txt", "raters/", "ir_datasets/", "beir/"]
        assert "'New York'" in archive.manifest["left_out"]["because"]
        grades = archive.qrels().set_index(["query_id", "doc_id"])["relevance"].to_dict()
        assert grades == {("q0", "d0"): 1, ("q0", "d1"): 2, ("q1", "d0"): 0, ("q1", "New York"): 2, ("q1", "a\tb"): 1}
        assert b"q1,New York,2" in archive.files["consolidated.csv"]

    def test_a_rater_with_a_long_name_has_a_file_that_every_system_can_write(self, project: int) -> None:
        names = ["가" * 200, "가" * 199 + "나"]
        bring_votes(project, "query_id,doc_id,rater,grade\n" + "".join(f"q0,d0,{one},1\n" for one in names))
        with reading() as session:
            manifest = build_release(session, COMMAND_LINE, project).manifest
        files = {rater: file for file, rater in manifest["raters"].items() if rater in names}
        assert len(set(files.values())) == 2
        assert all(len(file.removeprefix("raters/").encode()) <= 255 for file in files.values())

    def test_the_manifest_says_how_the_grades_came_about(self, project: int) -> None:
        pair = 1
        with writing() as session:
            disputes.decide(session, COMMAND_LINE, project, pair, grade=2, reason="other", act_id="first-act")
            session.execute(text("UPDATE rater SET set_aside = 1 WHERE name = 'bob'"))
        with reading() as session:
            release = build_release(
                session, COMMAND_LINE, project, rule="median", ties="lower", exclude_queries=("q1",)
            )
        manifest = release.manifest
        assert manifest["rule"]["rule"] == "median"
        assert manifest["rule"]["means"].startswith("the middle vote")
        assert manifest["filters"]["raters_set_aside"] == ["bob"]
        assert manifest["filters"]["excluded_queries"] == ["q1"]
        assert (manifest["counts"]["votes"], manifest["counts"]["decided"]) == (2, 1)
        assert manifest["inputs"] == [
            {"kind": "judgments", "file": "votes.csv", "sha256": hashlib.sha256(VOTES.encode()).hexdigest()}
        ]
        assert manifest["rubric"]["version"] == 1
        coefficients = {(one["name"], one["level"]): one for one in manifest["agreement"]["coefficients"]}
        assert coefficients["krippendorff_alpha", "ordinal"]["undefined"] == "there is only one rater"

    def test_agreement_stands_in_the_manifest_with_its_interval(self, project: int) -> None:
        bring_votes(project, "query_id,doc_id,rater,grade\nq1,d0,bob,1\nq1,d1,bob,1\nq1,d1,ann,1\n")
        with reading() as session:
            manifest = build_release(session, COMMAND_LINE, project).manifest
        equal = next(one for one in manifest["agreement"]["coefficients"] if one["name"] == "percent_agreement")
        assert equal["value"] == 0.5
        assert equal["low"] <= 0.5 <= equal["high"]

    def test_judgments_carry_all_that_is_known_of_them(self, project: int) -> None:
        with writing() as session:
            session.execute(
                text(
                    "INSERT INTO judgment (act_id, pair_id, rater_id, kind, purpose, grade, comment, rubric_id, judged_at,"
                    " surplus, carried_from, answers) SELECT 'carried', pair_id, rater_id, 'grade', 'production', 1, '',"
                    ' rubric_id, judged_at, 0, 1, \'{"spam": "예"}\' FROM judgment WHERE id = 5'
                )
            )
            session.execute(text("UPDATE current_judgment SET judgment_id = 6 WHERE judgment_id = 5"))
        with reading() as session:
            files = build_release(session, COMMAND_LINE, project).files
        rows = list(csv.DictReader(io.StringIO(files["judgments.csv"].decode())))
        assert (rows[0]["comment"], rows[0]["seconds"], rows[0]["carried"]) == ("왜냐하면", "4.5", "False")
        assert (rows[-1]["carried"], json.loads(rows[-1]["answers"])) == ("True", {"spam": "예"})
        last = json.loads(files["judgments.jsonl"].decode().splitlines()[-1])
        assert (last["carried"], last["answers"], last["judged_at"]) == (
            True,
            {"spam": "예"},
            "2026-01-02T03:04:09+00:00",
        )
        assert json.loads(files["manifest.json"])["counts"]["carried_votes"] == 1

    def test_consolidated_grades_stand_beside_votes_dissent_and_their_decimal_mean(self, project: int) -> None:
        with reading() as session:
            files = build_release(session, COMMAND_LINE, project, rule="maximum").files
        assert files["consolidated.csv"].decode().splitlines() == [
            "query_id,doc_id,relevance,source,votes,dissent,mean",
            "q0,d0,3,rule,2,1,2.0",
            "q0,d1,2,rule,2,0,2.0",
            "q1,d0,0,rule,1,0,0.0",
        ]

    def test_a_project_without_votes_still_makes_a_release_that_says_so(self, database: str) -> None:
        empty = make_project()
        with reading() as session:
            release = build_release(session, COMMAND_LINE, empty, rule="gold-weighted")
        assert release.files["qrels.txt"] == b""
        assert release.manifest["rule"]["undefined"].startswith("no rater has judged a pair of known grade")
        assert open_archive(pack(release), "x").qrels().empty


SCRIPT = """
import sys
from pathlib import Path
from labeling.__main__ import main
folder, order, target = Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3]
def run(*words):
    assert main(list(words)) == 0, words
run("project", "create", "같은 이름")
run("import", "queries", str(folder / "queries.csv"), "--project", "같은 이름")
for name in order:
    run("import", "documents", str(folder / f"documents-{name}.csv"), "--project", "같은 이름")
    run("import", "judgments", str(folder / f"votes-{name}.csv"), "--project", "같은 이름")
run("export", "--project", "같은 이름", "--release", "r", "--texts", "--rule", "dawid-skene", "--ties", "lower", "--output", target)
"""


class TestSameInputsSameBytes:
    def test_a_release_is_byte_identical_on_a_machine_with_another_locale_zone_and_order(self, tmp_path: Path) -> None:
        (tmp_path / "queries.csv").write_text("query_id,text\nq1,가나다\nQ1,Äpfel\nq10,ışık\n", encoding="utf-8")
        for part, raters in (("a", ("ann", "김")), ("b", ("Zoë", "bob"))):
            documents = "".join(f"{part}{n},글 {n}\n" for n in range(4))
            (tmp_path / f"documents-{part}.csv").write_text(f"doc_id,text\n{documents}", encoding="utf-8")
            votes = "".join(
                f"{query},{doc}{n},{rater},{(n + len(query) + place) % 4},2026-03-0{place + 1}T10:00:00+09:00\n"
                for query in ("q1", "Q1", "q10") for doc in "ab" for n in range(4) for place, rater in enumerate(raters)
            )  # fmt: skip
            (tmp_path / f"votes-{part}.csv").write_text(
                f"query_id,doc_id,rater,grade,judged_at\n{votes}", encoding="utf-8"
            )
        script = tmp_path / "script.py"
        script.write_text(SCRIPT, encoding="utf-8")
        working = []
        for number, (order, language, zone) in enumerate((("a,b", "C", "UTC"), ("b,a", "tr_TR.UTF-8", "Asia/Seoul"))):
            environment = {**os.environ, "LC_ALL": language, "LANG": language, "TZ": zone, "PYTHONHASHSEED": str(number + 1),
                           "ASSAY_DATABASE_URL": f"sqlite:///{tmp_path / f'{number}.db'}", "PYTHONUTF8": "0",
                           "PYTHONPATH": str(REPOSITORY)}  # fmt: skip
            command = [sys.executable, str(script), str(tmp_path), order, str(tmp_path / f"{number}.zip")]
            working.append(
                subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True)
            )
        for process in working:
            _, said = process.communicate()
            assert process.returncode == 0, said
        packed = [(tmp_path / f"{number}.zip").read_bytes() for number in (0, 1)]
        assert packed[0] == packed[1]


class TestCommandLine:
    def test_releases_are_frozen_listed_fetched_and_compared(self, project: int, tmp_path: Path, capsys) -> None:
        def run(*words: str) -> str:
            assert main(list(words)) == 0
            return capsys.readouterr().out

        spring, summer = str(tmp_path / "spring.zip"), str(tmp_path / "summer.zip")
        run("export", "--project", "campaign", "--rule", "minimum", "--release", "spring", "--note", "왜")
        run("export", "--project", "campaign", "--rule", "maximum", "--release", "summer", "--output", summer)
        listed = json.loads(run("releases", "--project", "campaign", "--format", "json"))
        assert [(row["name"], row["rule"], row["note"], row["pairs"]) for row in listed] == [
            ("summer", "maximum", "", 3), ("spring", "minimum", "왜", 3),
        ]  # fmt: skip
        run("releases", "--project", "campaign", "--get", "spring", "--output", spring)
        assert hashlib.sha256(Path(spring).read_bytes()).hexdigest() == listed[1]["sha256"]
        (tmp_path / "one.run").write_text("q0 Q0 d0 1 2 one\nq0 Q0 d1 2 1 one\nq1 Q0 d0 1 1 one\n")
        (tmp_path / "two.run").write_text("q0 Q0 d1 1 2 two\nq0 Q0 d0 2 1 two\n")
        runs = ("--runs", str(tmp_path / "one.run"), str(tmp_path / "two.run"))
        answer = json.loads(run("compare-releases", spring, summer, *runs, "--format", "json"))
        assert answer["counts"] == {"before": 3, "after": 3, "same": 2, "added": 0, "removed": 0, "changed": 1}
        assert {"before": 1, "after": 3, "pairs": 1} in answer["moves"]
        assert answer["pairs"] == [{"query_id": "q0", "doc_id": "d0", "before": 1, "after": 3, "change": "changed"}]
        assert (answer["scores"]["tau"], answer["scores"]["swapped"]) == (-1.0, 1)
        by_name = json.loads(run("compare-releases", "spring", "summer", "--project", "campaign", "--format", "json"))
        assert by_name["counts"] == answer["counts"]
        assert "scores" not in by_name
        told = run("compare-releases", spring, summer, *runs)
        assert "3 pairs before, 3 after: 2 the same, 1 with another grade, 0 added, 0 removed" in told
        assert "1 couples of runs change places" in told
        shown = run("compare-releases", spring, summer, "--format", "csv", "--show", "pairs")
        assert shown == "query_id,doc_id,before,after,change\nq0,d0,1,3,changed\n"

    def test_wrong_names_and_files_are_said_and_nothing_is_frozen(self, project: int, tmp_path: Path, capsys) -> None:
        assert main(["export", "--project", "campaign", "--release", "spring"]) == 0
        assert main(["export", "--project", "campaign", "--release", "SPRING"]) == 1
        assert "a release is never replaced" in capsys.readouterr().err
        assert main(["releases", "--project", "campaign", "--get", "x", "--output", str(tmp_path / "x.zip")]) == 1
        assert not (tmp_path / "x.zip").exists()
        (tmp_path / "no.zip").write_text("no")
        assert main(["compare-releases", str(tmp_path / "no.zip"), str(tmp_path / "no.zip")]) == 1
        assert "expected a release as a zip archive" in capsys.readouterr().err
        for words in (["export", "--project", "campaign"], ["releases", "--project", "campaign", "--get", "x"]):
            with pytest.raises(SystemExit) as caught:
                main(words)
            assert caught.value.code == 2

    def test_a_folder_gets_the_same_files_as_the_archive(self, project: int, tmp_path: Path) -> None:
        place, packed = tmp_path / "release", tmp_path / "release.zip"
        for output in (place, packed):
            assert main(["export", "--project", "campaign", "--output", str(output)]) == 0
        with zipfile.ZipFile(packed) as archive:
            held = {name: archive.read(name) for name in archive.namelist()}
        assert {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()} == held


class TestImportOnTheCommandLine:
    def test_labels_are_listed_before_anything_is_written_and_a_quepid_release_comes_back(
        self, project: int, tmp_path: Path, capsys
    ) -> None:
        book = tmp_path / "book.csv"
        book.write_text("query,docid,Eva\nquery q1,d1,Good\nq0,d1,Bad\nq0,d0,\n")
        words = ["import", "judgments", str(book), "--project", "campaign", "--queries", "text", "--label", "Good=3"]
        assert main([*words, "--unknown-labels", "leave_out", "--dry-run"]) == 0
        said = capsys.readouterr()
        assert said.out.splitlines()[1:] == ["Bad        1  -", "Good       1  3"]
        assert "1 judgments would be imported; nothing was written" in said.err
        with reading() as session:
            assert "Eva" not in build_release(session, COMMAND_LINE, project).manifest["raters"].values()
        assert main([*words, "--label", "Bad=0"]) == 0
        with reading() as session:
            release = build_release(session, COMMAND_LINE, project)
        assert release.files["raters/Eva.qrels"] == b"q0 0 d1 0\nq1 0 d1 3\n"
        inputs = {one["file"]: one["sha256"] for one in release.manifest["inputs"]}
        assert inputs["book.csv"] == hashlib.sha256(book.read_bytes()).hexdigest()
        book.write_text("query,docid,Eva\nnobody asked,d1,3\n")
        assert main(words) == 1
        assert "one query of the project with the text nobody asked, found none" in capsys.readouterr().err
