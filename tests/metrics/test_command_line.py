"""The real command line on real files: answers, exit status, and what goes where."""

import csv
import gzip
import io
import json
import subprocess
import sys

import pytest

from metrics.__main__ import main
from tests.support.data import REPOSITORY

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\n"
FIRST = "q1 Q0 d1 1 2.0 first\nq1 Q0 d2 2 1.0 first\nq2 Q0 d3 1 1.0 first\n"
SECOND = "q1 Q0 d2 1 2.0 second\nq1 Q0 d1 2 1.0 second\n"
VOTES = "query_id,doc_id,rater,grade\nq1,d1,ann,2\nq1,d2,ann,0\nq1,d1,bo,0\nq1,d2,bo,1\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "first.run").write_text(FIRST)
    (tmp_path / "second.run.gz").write_bytes(gzip.compress(SECOND.encode()))
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "queries.csv").write_text("query_id,type\nq1,known item\nq2,question\n")
    return {
        name: str(tmp_path / name) for name in ("qrels.txt", "first.run", "second.run.gz", "votes.csv", "queries.csv")
    }


@pytest.fixture
def ask(capsys):
    def run(*words):
        status = main(list(words))
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_evaluate_prints_means_as_json_in_the_promised_shape(files, ask):
    status, out, err = ask("evaluate", files["qrels.txt"], files["first.run"], files["second.run.gz"], "-m", "nDCG@10", "-m", "map", "--per-query", "--format", "json")  # fmt: skip
    answer = json.loads(out)
    assert status == 0
    assert {"definition", "means", "per_query"} <= answer.keys()
    first, second = answer["means"][:2]
    assert (first["run"], first["measure"], first["mean"], first["queries"], first["missing"], first["no_relevant"]) == ("first", "nDCG@10", 1.0, 2, 0, 0)  # fmt: skip
    assert (second["run"], second["missing"]) == ("second", 1)
    assert set(answer["per_query"][0]) == {"run", "measure", "query_id", "score"}
    assert answer["definition"]["missing"] == "zero"
    assert "missing from the run" in err


def test_evaluate_prints_trec_evals_three_columns(files, ask):
    _, out, _ = ask(
        "evaluate", files["qrels.txt"], files["second.run.gz"], "-m", "P_5", "--per-query", "--format", "trec"
    )
    lines = [line.split("\t") for line in out.splitlines()]
    assert [[cell.strip() for cell in line] for line in lines] == [
        ["runid", "all", "second"],
        ["P_5", "q1", "0.2000"],
        ["P_5", "q2", "0.0000"],
        ["P_5", "all", "0.1000"],
    ]


def test_evaluate_prints_csv_and_tables(files, ask):
    _, out, _ = ask("evaluate", files["qrels.txt"], files["first.run"], "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert float(row["mean"]) == 1.0
    _, out, _ = ask("evaluate", files["qrels.txt"], files["second.run.gz"])
    assert out.splitlines()[0].split() == [
        "run",
        "measure",
        "mean",
        "queries",
        "missing",
        "no_relevant",
        "zero",
        "mean_without",
        "judged_at_10",
    ]
    for option in ("--coverage", "--bounds", "--per-query"):
        assert ask("evaluate", files["qrels.txt"], files["first.run"], option)[0] == 0
    _, out, _ = ask("evaluate", files["qrels.txt"], files["first.run"], "--slices", files["queries.csv"], "type")
    assert "known item" in out


def test_evaluate_says_who_is_first_under_other_choices_and_where_a_run_is_lowest(files, ask):
    runs = (files["first.run"], files["second.run.gz"])
    _, out, _ = ask("evaluate", files["qrels.txt"], *runs, "--sensitivity", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["gain"], row["cutoff"]) for row in rows[:4]] == [("linear", "5"), ("linear", "10"), ("linear", "20"), ("exp2", "5")]  # fmt: skip
    assert {row["first"] for row in rows} == {"first"}
    _, out, _ = ask("evaluate", files["qrels.txt"], *runs, "-m", "RR", "--lowest", "1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["run"], row["query_id"], float(row["score"])) for row in rows] == [("first", "q1", 1.0), ("second", "q2", 0.0)]  # fmt: skip


def test_excluding_missing_queries_changes_mean_and_count(files, ask):
    words = ("evaluate", files["qrels.txt"], files["second.run.gz"], "-m", "RR", "--format", "json")
    zero = json.loads(ask(*words)[1])["means"][0]
    without = json.loads(ask(*words, "--missing", "exclude")[1])["means"][0]
    assert (zero["mean"], zero["queries"], zero["mean_without"]) == (0.25, 2, 0.5)
    assert (without["mean"], without["queries"]) == (0.5, 1)


def test_compare_prints_pairs(files, ask):
    status, out, _ = ask(
        "compare", files["qrels.txt"], files["first.run"], files["second.run.gz"], "--draws", "100", "--format", "json"
    )
    (row,) = json.loads(out)["comparisons"]
    assert status == 0
    assert (row["a"], row["b"], row["won"], row["lost"]) == ("first", "second", 2, 0)
    assert ask("compare", files["qrels.txt"], files["first.run"], files["second.run.gz"], "--draws", "100")[0] == 0


def test_disagreement_prints_the_promised_shape(files, ask):
    words = ("disagreement", files["votes.csv"], files["first.run"], files["second.run.gz"])
    status, out, err = ask(*words, "--format", "json")
    answer = json.loads(out)
    assert status == 0
    assert answer["qrels"] == 2
    assert set(answer["systems"][0]) >= {"run", "measure", "mean", "low", "high", "min", "max", "first"}
    assert set(answer["tau"]) == {"mean", "min", "max"}
    assert set(answer["comparisons"][0]) >= {"a", "b", "measure", "a_ahead", "verdict"}
    assert "have no judgment" in err
    assert "2 equally valid sets of qrels" in ask(*words)[1]
    for by in ("query", "pair", "bounds"):
        assert ask(*words, "--by", by, "--format", "csv", "--show", "comparisons")[0] == 0


def test_leaving_out_every_query_is_an_input_fault(files, ask):
    status, out, err = ask("disagreement", files["votes.csv"], files["first.run"], "--exclude-query", "q1")
    assert (status, out) == (1, "")
    assert "at least one vote" in err


def test_a_wrong_file_ends_with_status_1_and_one_line_a_fault(files, ask, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("q1 0 d1 x\nq1 0 d2 y\n")
    status, out, err = ask("evaluate", str(bad), files["first.run"])
    assert (status, out) == (1, "")
    assert [line.split(": ")[0] for line in err.splitlines()] == [f"{bad} line 1", f"{bad} line 2"]


@pytest.mark.parametrize(
    "words",
    [[], ["evaluate"], ["evaluate", "qrels"], ["evaluate", "q", "r", "-m", "foo"], ["compare", "q", "r"], ["evaluate", "-", "-"], ["disagreement", "v", "r", "--draws", "0"], ["evaluate", "q", "r", "--lowest", "0"]],
)  # fmt: skip
def test_wrong_use_ends_with_status_2(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("command", ["evaluate", "compare", "disagreement", "measures"])
def test_every_command_has_help_with_examples(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    assert f"python -m metrics {command}" in capsys.readouterr().out.split("examples:")[1]


def test_the_module_runs_as_a_program_and_reads_standard_input(files):
    done = subprocess.run(
        [sys.executable, "-m", "metrics", "evaluate", files["qrels.txt"], "-", "--format", "json"],
        input=FIRST, capture_output=True, text=True, cwd=REPOSITORY, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout)["means"][0]["run"] == "first"


def test_measures_are_listed_and_described(ask):
    assert "nDCG@10" in ask("measures")[1]
    assert "Järvelin" in ask("measures", "ndcg_cut_10")[1]
    assert len(json.loads(ask("measures", "--format", "json")[1])["measures"]) >= 16
    assert ask("measures", "--format", "csv")[1].startswith("name,")


def test_the_page_of_measures_is_fresh(ask):
    written = (REPOSITORY / "docs" / "measures.md").read_text(encoding="utf-8")
    assert written == ask("measures", "--format", "markdown")[1], (
        "run: python -m metrics measures --format markdown > docs/measures.md"
    )
