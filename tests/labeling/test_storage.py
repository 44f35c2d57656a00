"""Databases that are missing, old, new, damaged or full: a line that says so, and nothing lost."""

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from labeling import accounts
from labeling.__main__ import main
from labeling.database import reading, writing
from labeling.ledger_check import set_derived_right
from labeling.settings import REPOSITORY
from tests.support.campaign import Card, make_people, make_project


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.strip().splitlines()


@pytest.mark.parametrize(
    "command",
    [
        ["user", "list"],
        ["project", "list"],
        ["project", "show", "p"],
        ["pool", "--project", "p"],
        ["export", "--project", "p", "--output", "x.zip"],
        ["agreement", "--project", "p"],
        ["check"],
    ],
)
@pytest.mark.parametrize("place", ["empty.db", "folder", "text.txt", "text.txt/a.db"])
def test_without_a_database_each_command_says_so_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str], place: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("no database, and long enough to be looked at " * 9, encoding="utf-8")
    monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{tmp_path / place}")
    monkeypatch.chdir(tmp_path)
    assert main(command) == 1
    lines = said(capsys)
    assert len(lines) == 1
    assert place in lines[0]


@pytest.mark.parametrize("url", ["nonsense", "other://x/y", "sqlite:////proc/x/a.db"])
def test_an_address_that_leads_nowhere_is_said_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str
) -> None:
    monkeypatch.setenv("ASSAY_DATABASE_URL", url)
    assert main(["init"]) == 1
    assert len(said(capsys)) == 1


def test_a_database_is_made_in_a_folder_with_blanks_and_hangul(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "새 폴더 50%" / "평가 db.sqlite"
    monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{place}")
    assert [main(["init"]), main(["init"]), main(["project", "create", "p"])] == [0, 0, 0]
    assert main(["backup", str(tmp_path / "사본 50% a?b.db")]) == 0
    assert main(["restore", "--yes", str(tmp_path / "사본 50% a?b.db")]) == 0
    assert place.is_file()


def test_a_backup_of_nothing_is_refused_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    assert main(["backup", str(tmp_path / "copy.db")]) == 1
    (tmp_path / "none.db").touch()
    assert main(["backup", str(tmp_path / "copy.db")]) == 1
    assert len(said(capsys)) == 2
    assert [one.name for one in tmp_path.iterdir()] == ["none.db"]


def test_a_backup_to_where_nothing_can_be_written_says_so(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", str(tmp_path / "no folder" / "copy.db")]) == 1
    assert len(said(capsys)) == 1


def test_a_backup_while_others_write_is_whole(database: str, tmp_path: Path) -> None:
    cards = [Card(actor, make_project(queries=4, documents=10)) for actor in make_people("Ann")]
    stop = threading.Event()

    def judge() -> None:
        cards[0].send(hello=True)
        while cards[0].held and not stop.is_set():
            cards[0].grade(1)

    writer = threading.Thread(target=judge)
    writer.start()
    try:
        for number in range(3):
            assert main(["backup", str(tmp_path / f"copy{number}.db")]) == 0
    finally:
        stop.set()
        writer.join()
    for number in range(3):
        with sqlite3.connect(tmp_path / f"copy{number}.db") as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            votes, current = copy.execute(
                "SELECT (SELECT sum(vote_count) FROM pair), (SELECT count(*) FROM current_judgment)"
            ).fetchone()
            assert votes == current


@pytest.mark.parametrize("kind", ["foreign", "newer", "damaged", "empty", "text"])
def test_a_restore_of_anything_but_a_sound_copy_leaves_the_database_as_it_was(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    make_project()
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy)]) == 0
    capsys.readouterr()
    if kind == "foreign":
        copy.unlink()
        with sqlite3.connect(copy) as other:
            other.execute("CREATE TABLE bookmarks (id INTEGER)")
    elif kind == "newer":
        with sqlite3.connect(copy) as other:
            other.execute("UPDATE alembic_version SET version_num = '9999'")
    elif kind == "damaged":
        content = bytearray(copy.read_bytes())
        content[4096:40960] = b"\xff" * (40960 - 4096)
        copy.write_bytes(content)
    else:
        copy.write_bytes(b"" if kind == "empty" else b"no database at all, and long enough to be looked at" * 20)
    assert main(["restore", "--yes", str(copy)]) == 1
    assert len(said(capsys)) == 1
    with reading() as session:
        assert session.execute(text("SELECT count(*) FROM project")).scalar_one() == 1


def test_a_restore_only_reads_the_copy(database: str, tmp_path: Path) -> None:
    make_project()
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy)]) == 0
    before = copy.read_bytes()
    with writing() as session:
        session.execute(text("UPDATE project SET name = 'later'"))
    assert main(["restore", "--yes", str(copy)]) == 0
    with reading() as session:
        assert session.execute(text("SELECT name FROM project")).scalar_one() == "campaign"
    assert copy.read_bytes() == before
    assert not list(tmp_path.glob("copy.db-*"))


def test_after_a_restore_everybody_signs_in_again(database: str, tmp_path: Path) -> None:
    (person,) = make_people("Ann")
    with writing() as session:
        token = accounts.sign_in(session, person.account_id)
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy)]) == 0
    with writing() as session:
        accounts.sign_out(session, token)
    assert main(["restore", "--yes", str(copy)]) == 0
    with reading() as session:
        assert accounts.get_actor_by_token(session, token) is None


def test_several_programs_at_once_make_one_database(tmp_path: Path) -> None:
    environment = {**os.environ, "ASSAY_DATABASE_URL": f"sqlite:///{tmp_path / 'new.db'}"}
    command = [sys.executable, "-O", "-m", "labeling", "init"]
    programs = [
        subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    said = [program.communicate()[1] for program in programs]
    assert [program.returncode for program in programs] == [0, 0, 0], said


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM current_judgment",
        "UPDATE current_judgment SET judgment_id = (SELECT min(id) FROM judgment WHERE pair_id = current_judgment.pair_id)",
        "UPDATE pair SET vote_count = vote_count + 3",
        "INSERT INTO current_judgment SELECT pair_id, rater_id + 0, id FROM judgment WHERE kind = 'undo'",
    ],
)
def test_check_sets_right_what_is_derived_from_the_ledger(database: str, damage: str) -> None:
    card = Card(make_people("Ann")[0], make_project())
    card.send(hello=True)
    first, second = card.held[:2]
    card.grade(1)
    card.grade(2, first)
    card.held = card.held[1:]
    act = card.act("grade", second, grade=3)
    card.send(act)
    card.send(card.act("undo", second, takes_back=act["act_id"]))
    before = derived()
    with writing() as session:
        session.execute(text(damage))
    assert derived() != before
    with writing() as session:
        findings = set_derived_right(session)
    assert findings.wrong_current + findings.wrong_counts > 0
    assert derived() == before
    with writing() as session:
        again = set_derived_right(session)
    assert (again.wrong_current, again.wrong_counts) == (0, 0)


def test_check_empties_what_an_empty_ledger_cannot_have(database: str) -> None:
    card = Card(make_people("Ann")[0], make_project())
    card.send(hello=True)
    pair = card.held[0]
    act = card.act("grade", pair, grade=3)
    card.send(act)
    card.send(card.act("undo", pair, takes_back=act["act_id"]))
    with writing() as session:
        session.execute(text("INSERT INTO current_judgment SELECT pair_id, rater_id, id FROM judgment WHERE grade = 3"))
    with writing() as session:
        assert set_derived_right(session).wrong_current == 1
    assert derived()[0] == []


def derived() -> tuple[list, list]:
    with reading() as session:
        current = session.execute(
            text("SELECT pair_id, rater_id, judgment_id FROM current_judgment ORDER BY 1, 2")
        ).all()
        counts = session.execute(text("SELECT id, vote_count FROM pair ORDER BY id")).all()
        return list(current), list(counts)


def test_half_a_character_is_refused_with_a_word(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_bytes(b'{"query_id": "q", "doc_id": "d", "rater": "a", "grade": 1, "comment": "x\\ud800"}\n')
    assert main(["project", "create", "p"]) == 0
    capsys.readouterr()
    assert main(["import", "judgments", str(path), "--project", "p"]) == 1
    assert "votes.jsonl line 1: expected whole characters" in capsys.readouterr().err
