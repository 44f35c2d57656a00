import gzip
import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest

from labeling.__main__ import build_parser, main
from labeling.agreement import measure_agreement
from labeling.draws import posterior_distributions
from labeling.exchange.judgments import read_judgments, votes_of
from metrics import disagreement, read_run
from tests.support.data import REPOSITORY, shared_data

VOTES = "query_id,doc_id,rater,grade\nq1,d1,ann,3\nq1,d1,bob,1\nq1,d2,ann,0\nq1,d2,bob,0\nq2,001,ann,2\n"
RUNS = {
    "one.run": "q1 Q0 d1 1 2 one\nq1 Q0 d2 2 1 one\nq2 Q0 001 1 1 one\n",
    "two.run": "q1 Q0 d2 1 2 two\nq1 Q0 d1 2 1 two\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(VOTES)
    for name, text in RUNS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(capsys, *arguments):
    status = main(list(arguments))
    said = capsys.readouterr()
    return status, said.out, said.err


# agreement


def test_agreement_as_json_has_the_promised_keys_and_the_values_of_the_library(folder, capsys):
    status, out, err = run(capsys, "agreement", "votes.csv", "--format", "json")
    answer = json.loads(out)
    assert status == 0
    assert (answer["pairs"], answer["raters"], answer["votes"], answer["paired"]) == (3, 2, 5, 2)
    assert set(answer["coefficients"][0]) == {"name", "level", "value", "low", "high", "n", "undefined"}
    assert set(answer["rater_pairs"][0]) >= {
        "raters",
        "n",
        "agreement",
        "cohen_kappa",
        "cohen_kappa_linear",
        "cohen_kappa_quadratic",
    }
    report = measure_agreement(votes_of(read_judgments([("votes.csv", VOTES.encode())]).table))
    assert answer["coefficients"] == report.to_json()["coefficients"]
    assert answer["grade_counts"]["bob"] == {"0": 1, "1": 1, "2": 0, "3": 0}
    assert "warning: only 2 pairs have two votes or more" in err


def test_agreement_leaves_queries_out_and_says_when_they_have_no_votes(folder, capsys):
    status, out, err = run(
        capsys, "agreement", "votes.csv", "--exclude-query", "q2", "--exclude-query", "q9", "--format", "json"
    )
    assert (status, json.loads(out)["votes"]) == (0, 4)
    assert "note: 1 queries to leave out have no vote (q9)" in err


def test_agreement_as_a_table_and_as_csv(folder, capsys):
    status, out, _ = run(capsys, "agreement", "votes.csv")
    assert status == 0
    assert "3 pairs, 2 raters, 5 votes; 2 pairs with two votes or more" in out
    assert re.search("krippendorff_alpha +ordinal", out)
    for table, columns in (("coefficients", 7), ("raters", 10), ("grades", 5)):
        _, out, _ = run(capsys, "agreement", "votes.csv", "--format", "csv", "--show", table)
        assert len(out.splitlines()[0].split(",")) == columns


def test_labels_columns_and_scale_are_options(folder, capsys):
    (folder / "words.csv").write_text("q,d,who,what\nq1,d1,ann,Exact\nq1,d1,bob,none\n")
    names = ["--column", "query_id=q", "--column", "doc_id=d", "--column", "rater=who", "--column", "grade=what"]
    status, _, err = run(capsys, "agreement", "words.csv", *names)
    assert (status, err.count("words.csv line")) == (1, 2)
    status, out, _ = run(
        capsys,
        "agreement",
        "words.csv",
        *names,
        "--label",
        "exact=1",
        "--label",
        "None=0",
        "--grades",
        "0-1",
        "--format",
        "json",
    )
    assert (status, json.loads(out)["definition"]["grades"]) == (0, [0, 1])


def test_what_was_left_out_goes_to_standard_error(folder, capsys):
    (folder / "votes.csv").write_text(VOTES + "q1,d1,ann,2\n")
    status, out, err = run(capsys, "agreement", "votes.csv", "--format", "json")
    assert status == 0
    assert json.loads(out)["votes"] == 5
    assert "left out: 1 judgments were made again by the same rater, with another grade" in err
    status, out, err = run(capsys, "agreement", "votes.csv", "--repeats", "error")
    assert (status, out) == (1, "")
    assert err.startswith("votes.csv line 7: expected one judgment of a rater on a pair")


# wrong input and wrong use


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty.csv: expected rows, found an empty file"),
        ("zero.gz", b"", "zero.gz: expected a gzip file with rows, found an empty file of 0 bytes"),
        ("columns.csv", b"a,b\n1,2\n", "columns.csv line 1: expected a header with query_id, doc_id and grade"),
        (
            "scale.csv",
            b"query_id,doc_id,grade\nq,d,9\n",
            "scale.csv line 2: expected a grade of the scale 0, 1, 2, 3, found 9",
        ),
    ],
)
def test_wrong_input_ends_with_status_1_and_one_line_a_fault(folder, capsys, name, content, said):
    (folder / name).write_bytes(content)
    status, out, err = run(capsys, "agreement", name)
    assert (status, out) == (1, "")
    assert err.startswith(said)
    assert len(err.splitlines()) == 1


def test_a_folder_and_a_file_that_is_not_there_are_wrong_input(folder, capsys):
    (folder / "some").mkdir()
    assert run(capsys, "agreement", "some")[::2] == (1, "some: expected a file, found a folder\n")
    assert run(capsys, "agreement", "absent.csv")[::2] == (
        1,
        "absent.csv: expected a file that can be read, found no such file or directory\n",
    )


def test_gzip_is_told_by_its_content(folder, capsys):
    (folder / "packed.csv").write_bytes(gzip.compress(VOTES.encode()))
    assert run(capsys, "agreement", "packed.csv")[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [[], ["agreement"], ["agreement", "votes.csv", "--project", "x"], ["consolidate", "votes.csv", "--rule", "median"], ["agreement", "-", "-"],
     ["disagreement", "votes.csv"], ["agreement", "votes.csv", "--grades", "3-0"], ["agreement", "votes.csv", "--label", "x"], ["nothing"]],
)  # fmt: skip
def test_wrong_use_ends_with_status_2(folder, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize("command", ["agreement", "consolidate", "disagreement"])
def test_each_command_explains_itself_with_examples(capsys, command):
    with pytest.raises(SystemExit) as caught:
        build_parser().parse_args([command, "--help"])
    out = capsys.readouterr().out
    assert caught.value.code == 0
    assert f"python -m labeling {command}" in out.split("examples:")[1]


# consolidate


def test_consolidate_writes_qrels_and_a_manifest_and_the_same_bytes_again(folder, capsys):
    arguments = ["consolidate", "votes.csv", "--rule", "majority", "--ties", "higher", "--output", "out.qrels"]
    assert run(capsys, *arguments)[0] == 0
    first = {name: (folder / name).read_bytes() for name in ("out.qrels", "out.qrels.manifest.json")}
    assert first["out.qrels"] == b"q1 0 d1 3\nq1 0 d2 0\nq2 0 001 2\n"
    manifest = json.loads(first["out.qrels.manifest.json"])
    assert manifest["definition"] == {"rule": "majority", "ties": "higher", "grades": [0, 1, 2, 3]}
    assert manifest["counts"] == {"pairs": 3, "decided": 0, "by_rule": 3, "open": 0, "ties": 1, "dissent_pairs": 1}
    assert manifest["raters"] == {"ann": 3, "bob": 2}
    shuffled = "\n".join([VOTES.splitlines()[0], *reversed(VOTES.splitlines()[1:])]) + "\n"
    assert run(capsys, *arguments)[0] == 0
    assert {name: (folder / name).read_bytes() for name in first} == first
    (folder / "votes.csv").write_text(shuffled)
    assert run(capsys, *arguments)[0] == 0
    assert (folder / "out.qrels").read_bytes() == first["out.qrels"]


def test_open_pairs_are_counted_and_not_written_and_decisions_win(folder, capsys):
    (folder / "settled.csv").write_text("query_id,doc_id,grade\nq2,001,0\nq3,d7,1\n")
    status, out, err = run(
        capsys,
        "consolidate",
        "votes.csv",
        "--rule",
        "majority",
        "--ties",
        "open",
        "--decisions",
        "settled.csv",
        "--output",
        "out.qrels",
    )
    assert (status, out) == (0, "")
    assert err == "4 pairs: 1 by rule, 2 decided, 1 open; 1 ties, 1 pairs with dissent\n"
    assert (folder / "out.qrels").read_text() == "q1 0 d2 0\nq2 0 001 0\nq3 0 d7 1\n"
    manifest = json.loads((folder / "out.qrels.manifest.json").read_text())
    assert [one["file"] for one in manifest["inputs"]] == ["votes.csv", "settled.csv"]


def test_consolidate_writes_all_or_nothing(folder, capsys):
    (folder / "out.qrels").write_text("before")
    (folder / "out.qrels.manifest.json").mkdir()
    status, _, err = run(capsys, "consolidate", "votes.csv", "--rule", "mean", "--output", "out.qrels")
    assert (status, err) == (1, "out.qrels.manifest.json: expected a file to write to, found a folder\n")
    assert (folder / "out.qrels").read_text() == "before"
    assert sorted(path.name for path in folder.iterdir()) == [
        "one.run",
        "out.qrels",
        "out.qrels.manifest.json",
        "two.run",
        "votes.csv",
    ]
    status, _, err = run(capsys, "consolidate", "votes.csv", "--rule", "mean", "--output", "absent/out.qrels")
    assert (status, "cannot be written" in err) == (1, True)
    assert run(capsys, "consolidate", "votes.csv", "--rule", "mode", "--output", "x")[0] == 1
    assert not (folder / "x").exists()


# disagreement


def test_disagreement_on_files_equals_that_of_metrics(folder, capsys):
    import metrics.__main__

    status, out, _ = run(capsys, "disagreement", "votes.csv", "--runs", "one.run", "two.run", "--format", "json")
    assert metrics.__main__.main(["disagreement", "votes.csv", "one.run", "two.run", "--format", "json"]) == 0
    direct = json.loads(capsys.readouterr().out)
    answer = json.loads(out)
    assert status == 0
    for part in ("qrels", "systems", "tau", "comparisons"):
        assert answer[part] == direct[part]
    for show in ("systems", "comparisons"):
        assert run(
            capsys, "disagreement", "votes.csv", "--runs", "one.run", "two.run", "--format", "csv", "--show", show
        )[1]
    assert "equally valid sets of qrels" in run(capsys, "disagreement", "votes.csv", "--runs", "one.run", "two.run")[1]


def test_sets_are_also_made_of_ties_bounds_and_what_dawid_and_skenes_model_holds_possible(folder, capsys):
    def answer(way):
        words = ("--runs", "one.run", "two.run", "--by", way, "--draws", "400", "--format", "json")
        status, out, _ = run(capsys, "disagreement", "votes.csv", *words)
        assert status == 0
        return json.loads(out)

    lowest_and_highest = answer("bounds")
    assert lowest_and_highest["qrels"] == 2
    assert answer("ties")["qrels"] == 2  # q1 d1 is tied between 1 and 3
    votes = pd.DataFrame(
        [("q1", "d1", "ann", 3), ("q1", "d1", "bob", 1), ("q1", "d2", "ann", 0), ("q1", "d2", "bob", 0), ("q2", "001", "ann", 2)],
        columns=["query_id", "doc_id", "rater", "grade"],
    )  # fmt: skip
    chances = posterior_distributions(votes)
    direct = disagreement(
        votes,
        [read_run("one.run"), read_run("two.run")],
        ["nDCG@10"],
        by="distribution",
        distributions=chances,
        draws=400,
    )
    drawn = answer("dawid-skene")
    assert drawn["definition"]["by"] == "distribution"
    assert [row["mean"] for row in drawn["systems"]] == pytest.approx(list(direct.systems["mean"]), abs=1e-12)


def test_the_headline_of_a_real_campaign_comes_from_its_doccano_files(capsys):
    files = sorted(str(path) for path in shared_data("dl19", "judgments").glob("*.jsonl"))
    runs = sorted(str(path) for path in shared_data("dl19", "runs").glob("*.gz"))
    status, out, _ = run(
        capsys, "disagreement", *files, "--runs", *runs, "--exclude-query", "443396", "--format", "json"
    )
    answer = json.loads(out)
    assert (status, answer["qrels"], len(answer["systems"])) == (0, 16, 61)
    assert sorted(round(row["first"] * 16) for row in answer["systems"] if row["first"]) == [2, 3, 11]
    assert sum(row["max"] - row["min"] for row in answer["systems"]) / 61 == pytest.approx(0.068, abs=0.0005)
    assert answer["tau"]["mean"] == pytest.approx(0.930, abs=0.0005)


def test_kappa_of_a_real_campaign_from_the_command_line(capsys):
    files = sorted(str(path) for path in shared_data("dl19", "judgments").glob("*.jsonl"))
    _, out, _ = run(capsys, "agreement", *files, "--exclude-query", "443396", "--draws", "0", "--format", "json")
    expected = json.loads(shared_data("dl19", "expected.json").read_text())["kappa"]
    for pair in json.loads(out)["rater_pairs"]:
        known = expected.get("|".join(pair["raters"]))
        if known:
            assert pair["cohen_kappa_quadratic"] == pytest.approx(known["cohen_quadratic"], abs=1e-9)


def test_the_module_runs_as_a_program_and_reads_standard_input(folder):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-m", "labeling", "agreement", "-", "--format", "csv"],
        input=VOTES,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0
    assert pd.read_csv(__import__("io").StringIO(done.stdout))["name"].tolist()[0] == "percent_agreement"


DATED = """query_id,doc_id,rater,grade,rubric_version,judged_at
q1,d1,ann,3,1,2026-03-01T09:00:00Z
q1,d1,bob,1,1,2026-03-01T10:00:00Z
q2,d1,ann,0,2,2026-03-02T09:00:00Z
q2,d1,bob,0,2,2026-03-02T09:30:00Z
q2,d2,ann,2,2,2026-03-03T09:00:00Z
q2,d2,cid,2,2,2026-03-03T09:00:00Z
"""


@pytest.mark.parametrize(
    ("options", "votes", "raters"),
    [
        ([], 6, 3),
        (["--query", "q2"], 4, 3),
        (["--rater", "ann", "--rater", "bob"], 5, 2),
        (["--rubric-version", "1"], 2, 2),
        (["--since", "2026-03-02", "--until", "2026-03-02"], 2, 2),
        (["--exclude-query", "q1", "--since", "2026-03-03"], 2, 2),
    ],
)
def test_agreement_runs_over_any_selection_of_votes(tmp_path, monkeypatch, capsys, options, votes, raters):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dated.csv").write_text(DATED)
    status, out, _ = run(capsys, "agreement", "dated.csv", "--format", "json", *options)
    found = json.loads(out)
    assert (status, found["votes"], found["raters"]) == (0, votes, raters)
    assert bool(found["definition"]["selection"]) == bool(options)


@pytest.mark.parametrize(
    ("by", "parts"),
    [
        ("boundary", ["0|1", "1|2", "2|3"]),
        ("version", [1, 2]),
        ("day", ["2026-03-01", "2026-03-02", "2026-03-03"]),
        ("query", ["q1", "q2"]),
        ("grade", [0, 1, 2, 3]),
    ],
)
def test_agreement_says_where_it_breaks(tmp_path, monkeypatch, capsys, by, parts):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dated.csv").write_text(DATED)
    _, out, _ = run(capsys, "agreement", "dated.csv", "--by", by, "--draws", "0", "--format", "json")
    rows = json.loads(out)["breakdown"]["parts"]
    assert [next(iter(row.values())) for row in rows] == parts
    _, out, _ = run(
        capsys, "agreement", "dated.csv", "--by", by, "--draws", "0", "--format", "csv", "--show", "breakdown"
    )
    assert len(out.splitlines()) == len(parts) + 1


@pytest.mark.parametrize(
    ("options", "words", "status"),
    [
        (["--by", "version"], "their rubric_version", 1),
        (["--since", "2026-01-01"], "their judged_at", 1),
        (["--slice", "language=ko"], "found language", 1),
        (["--since", "yesterday"], "a day such as 2026-03-01", 2),
        (["--by", "moon"], "found moon", 2),
        (["--show", "breakdown"], "needs --by", 2),
    ],
)
def test_a_selection_that_cannot_be_made_says_why(folder, capsys, options, words, status):
    if status == 2:
        with pytest.raises(SystemExit) as stopped:
            main(["agreement", "votes.csv", *options])
        assert stopped.value.code == 2
        assert words in capsys.readouterr().err
    else:
        found, _, err = run(capsys, "agreement", "votes.csv", *options)
        assert found == status
        assert words in err
