"""The real campaign of eight raters, set up from its files through the command line, and judged by a card."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from labeling import accounts, disputes, projects, votes
from labeling.__main__ import main
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import get_engine, migrate, reading, writing
from labeling.releases import build_release
from metrics import evaluate, read_qrels, read_run
from tests.support.campaign import Card
from tests.support.data import shared_data

NAME = "dl19"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a database with the whole campaign, set up once from its files."""
    folder = shared_data("dl19")
    url = f"sqlite:///{tmp_path_factory.mktemp('dl19') / 'assay.db'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_DATABASE_URL", url)
        migrate()
        runs = [str(path) for path in sorted((folder / "runs").glob("*.gz"))]
        judgments = [str(path) for path in sorted((folder / "judgments").glob("*.jsonl"))]
        for command in (
            ["project", "create", NAME],
            ["import", "queries", str(folder / "topics.tsv"), "--project", NAME],
            ["import", "documents", str(folder / "documents.jsonl"), "--project", NAME],
            ["import", "runs", *runs, "--project", NAME],
            ["import", "judgments", *judgments, "--project", NAME],
        ):
            assert main(command) == 0
    return url


@pytest.fixture
def on_campaign(campaign: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ASSAY_DATABASE_URL", campaign)
    return campaign


def run_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    capsys.readouterr()
    assert main([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def expected() -> dict:
    return json.loads(shared_data("dl19", "expected.json").read_text(encoding="utf-8"))


def test_the_counts_are_those_of_its_readme(on_campaign: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(["project", "show", NAME], capsys)
    counts = {key.removeprefix("count_"): value for key, value in found.items() if key.startswith("count_")}
    assert counts["queries"] == 43
    assert counts["documents"] == 4507
    assert counts["runs"] == 61
    assert counts["pairs"] == 4511
    with reading() as session:
        counted = votes.count_raters(session, COMMAND_LINE, found["id"])
    assert len(counted) == 8
    assert sum(one.votes for one in counted) == 9004


def test_agreement_of_the_project_is_that_of_other_programs(
    on_campaign: str, expected: dict, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(["agreement", "--project", NAME, "--draws", "0"], capsys)
    alpha = {one["level"]: one["value"] for one in found["coefficients"] if one["name"] == "krippendorff_alpha"}
    assert {level: alpha[level] for level in expected["alpha_all"]} == pytest.approx(expected["alpha_all"], abs=1e-9)
    couples = {"|".join(one["raters"]): one for one in found["rater_pairs"]}
    for raters, values in expected["kappa_all_queries"].items():
        for name, value in values.items():
            assert couples[raters][name] == (None if value is None else pytest.approx(value, abs=1e-9)), (raters, name)


def test_disagreement_of_the_project_has_the_headline(on_campaign: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(["disagreement", "--project", NAME, "--exclude-query", "443396"], capsys)
    assert found["qrels"] == 16
    moved = [one["max"] - one["min"] for one in found["systems"]]
    assert sum(moved) / len(moved) == pytest.approx(0.068, abs=5e-4)
    firsts = sorted((one["first"] * 16 for one in found["systems"] if one["first"] > 0), reverse=True)
    assert firsts == pytest.approx([11, 3, 2])
    assert found["tau"]["mean"] == pytest.approx(0.930, abs=5e-4)


def test_the_official_qrels_give_the_published_scores(expected: dict) -> None:
    qrels = read_qrels(shared_data("dl19", "qrels-nist.txt"))
    runs = [read_run(path) for path in sorted(shared_data("dl19", "runs").glob("*.gz"))]
    means = evaluate(qrels, runs, ["nDCG@10"]).means.set_index("run")["mean"].to_dict()
    assert means == pytest.approx(expected["ndcg10"]["nist_43"], abs=1e-9)


def test_one_raters_qrels_are_the_votes_of_that_rater(on_campaign: str) -> None:
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, NAME)
        table = votes.read_votes(session, COMMAND_LINE, project.id)
        release = build_release(session, COMMAND_LINE, project.id, rule="rater:rater-3")
    own = table[table["rater"] == "rater-3"]
    lines = [f"{q} 0 {d} {g}" for q, d, g in zip(own["query_id"], own["doc_id"], own["grade"], strict=True)]
    assert sorted(release.files["qrels.txt"].decode().splitlines()) == sorted(lines)


def test_one_rater_gave_the_highest_grade_211_times_and_the_partner_14(on_campaign: str) -> None:
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, NAME)
        table = votes.read_votes(session, COMMAND_LINE, project.id)
    highest = table[table["grade"] == 3].groupby("rater").size()
    assert {211, 14} <= set(highest)


def test_disputes_are_found_and_read_in_good_time(on_campaign: str) -> None:
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, NAME)
        found = disputes.list_disputes(session, COMMAND_LINE, project.id)
        pair = disputes.show_disputed_pair(session, COMMAND_LINE, project.id, found[0].pair)
    assert found[0].spread == 3
    assert {vote.letter for vote in pair.votes} == {"A", "B"}


def test_the_agreement_round_is_reported_in_numbers(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(path) for path in sorted(shared_data("dl19", "agreement-round").glob("*.jsonl"))]
    assert main(["project", "create", "round"]) == 0
    assert main(["import", "judgments", *files, "--project", "round"]) == 0
    said = capsys.readouterr().err
    for word in (
        "1 judgments have several labels at once",
        "754 rows have an empty label",
        "more than one narrative",
        "376 times",
    ):
        assert word in said, said
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, "round")
        counted = votes.count_raters(session, COMMAND_LINE, project.id)
        current = session.execute(text("SELECT count(*) FROM current_judgment")).scalar_one()
    assert len(counted) == 8
    assert all(one.votes <= 188 for one in counted)
    assert current == sum(one.votes + one.cannot_judge for one in counted)


def test_a_failed_import_leaves_the_campaign_as_it_was(
    on_campaign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "rater-9.csv"
    bad.write_text("query_id,doc_id,grade\n19335,1017759,2\n19335,1082489,7\n", encoding="utf-8")
    before = _sizes()
    assert main(["import", "judgments", str(bad), "--project", NAME]) == 1
    assert "rater-9.csv" in capsys.readouterr().err
    assert _sizes() == before


def _sizes() -> list[int]:
    with reading() as session:
        tables = ("judgment", "rater", "pair", "import_batch", "document")
        return [session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in tables]


def test_a_hundred_acts_on_the_campaign_are_stored_as_they_were_made(
    campaign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copied(campaign, tmp_path)
    monkeypatch.setenv("ASSAY_DATABASE_URL", copy)
    assert main(["pool", "--project", NAME, "--depth", "10", "--overlap", "3"]) == 0
    assert main(["project", "open", NAME]) == 0
    with writing() as session:
        number = accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater")
        project = projects.get_project_by_name(session, COMMAND_LINE, NAME)
    card = Card(Actor(number, "Ann", "rater"), project.id)
    card.send(hello=True)
    pressed = []
    for place in range(100):
        shown = card.held[0]
        pressed.append((shown["query_id"], shown["doc_id"], place % 4))
        assert card.grade(place % 4)["status"] == "saved"
    with reading() as session:
        table = votes.read_votes(session, COMMAND_LINE, project.id)
    own = table[table["rater"] == "Ann"]
    assert sorted(own[["query_id", "doc_id", "grade"]].itertuples(index=False, name=None)) == sorted(pressed)
    get_engine(copy).dispose()


def copied(url: str, folder: Path) -> str:
    from labeling.database import back_up

    back_up(folder / "copy.db", url)
    return f"sqlite:///{folder / 'copy.db'}"


@pytest.mark.parametrize("what", ["queries", "documents", "runs", "judgments"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\x1f\x8b\x08", b"\x00\x01\x02", "질의 문서".encode("cp949")],
    ids=["empty", "gzip", "bytes", "cp949"],
)
def test_a_wrong_file_is_named_and_nothing_is_stored(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, content: bytes
) -> None:
    path = tmp_path / "wrong.txt"
    path.write_bytes(content)
    assert main(["project", "create", "p"]) == 0
    assert main(["import", what, str(path), "--project", "p"]) == 1
    said = capsys.readouterr().err
    assert "wrong.txt" in said
    assert "expected" in said
    assert _sizes() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("what", ["queries", "documents", "runs", "judgments"])
def test_a_folder_is_no_file(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    assert main(["project", "create", "p"]) == 0
    assert main(["import", what, str(tmp_path), "--project", "p"]) == 1
    assert "expected a file, found a folder" in capsys.readouterr().err


def test_backup_restore_and_check(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], make_one: Callable[[str], None]
) -> None:
    make_one("first")
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy)]) == 0
    assert main(["backup", str(copy)]) == 1
    make_one("second")
    assert main(["restore", str(copy)]) == 1
    assert main(["restore", str(copy), "--yes"]) == 0
    with reading() as session:
        assert [one.name for one in projects.list_projects(session, COMMAND_LINE)] == ["first"]
    (tmp_path / "no.db").write_bytes(b"not a database")
    assert main(["restore", str(tmp_path / "no.db"), "--yes"]) == 1
    capsys.readouterr()
    assert run_json(["check"], capsys)["broken"] == "nothing"


@pytest.fixture
def make_one() -> Callable[[str], None]:
    return lambda name: main(["project", "create", name])
