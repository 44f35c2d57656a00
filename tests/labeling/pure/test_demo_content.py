import json
from collections import Counter

import pytest

import metrics
from labeling.aggregation import consolidate
from labeling.agreement import measure_agreement
from labeling.demo import FOLDER
from labeling.demo.make_runs import make_runs
from labeling.demo.make_votes import RATERS, make_votes, pool_pairs
from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import read_judgments, votes_of
from labeling.exchange.queries import read_queries

OVERLAP = 2


def lines_of(name):
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def votes():
    return votes_of(read_judgments([("votes.jsonl", (FOLDER / "votes.jsonl").read_bytes())]).table)


@pytest.fixture(scope="module")
def runs():
    return [metrics.read_run(str(path)) for path in sorted((FOLDER / "runs").glob("*.run"))]


def test_the_runs_are_those_that_the_script_makes():
    assert {path.name: path.read_bytes() for path in (FOLDER / "runs").glob("*.run")} == make_runs()


def test_the_votes_are_those_that_the_script_makes():
    assert (FOLDER / "votes.jsonl").read_bytes() == make_votes()


def test_there_are_twelve_queries_in_two_languages_each_with_a_narrative():
    imported = read_queries((FOLDER / "queries.jsonl").read_bytes(), "queries.jsonl")
    assert imported.table.columns.tolist() == ["query_id", "text", "narrative", "language", "type"]
    assert Counter(imported.table["language"]) == {"en": 7, "ko": 5}
    assert (imported.table["narrative"].str.len() > 30).all()
    assert imported.left_out == imported.remarks == ()


def test_there_are_enough_short_documents_in_two_languages():
    imported = read_documents((FOLDER / "documents.jsonl").read_bytes(), "documents.jsonl")
    table = imported.table
    assert 150 <= len(table) <= 250
    assert imported.left_out == imported.remarks == ()
    words = table["text"].str.split().str.len()
    assert words.min() >= 20
    assert words.max() <= 90
    korean = table["text"].str.contains("[가-힣]")
    assert 50 <= korean.sum() <= len(table) - 50


def test_each_query_has_documents_of_every_grade():
    grades = {}
    for row in lines_of("reference.jsonl"):
        grades.setdefault(row["query_id"], set()).add(row["grade"])
    assert len(grades) == 12
    assert all(found == {0, 1, 2, 3} for found in grades.values())


def test_the_rubric_has_four_worded_levels_with_examples_in_both_languages():
    for name in ("rubric.json", "rubric.ko.json"):
        rubric = json.loads((FOLDER / name).read_text(encoding="utf-8"))
        assert [level["grade"] for level in rubric["levels"]] == [0, 1, 2, 3]
        assert all(level["label"] and level["definition"] and level["examples"] for level in rubric["levels"])
        assert rubric["text"].startswith("## ")


def test_two_pairs_in_five_wait_for_the_visitor_and_none_has_more_votes_than_the_overlap(votes):
    pool = pool_pairs()
    counts = Counter(zip(votes["query_id"], votes["doc_id"], strict=True))
    assert set(counts) <= set(pool)
    assert max(counts.values()) == OVERLAP
    short = sum(counts[pair] < OVERLAP for pair in pool)
    assert 0.35 <= short / len(pool) <= 0.45


def test_the_raters_disagree_as_their_habits_say(votes):
    report = measure_agreement(votes)
    assert 0.35 <= report.coefficient("krippendorff_alpha", "ordinal").value <= 0.75
    means = votes.groupby("rater")["grade"].mean()
    assert set(means.index) == {rater.name for rater in RATERS}
    assert means["Leo (lenient)"] > means["Mina (careful)"] > means["Greta (harsh)"]
    judgments = lines_of("votes.jsonl")
    assert 3 <= sum(row["kind"] == "cannot_judge" for row in judgments) <= 10
    assert sum("comment" in row for row in judgments) >= 15


def test_the_winner_of_the_three_runs_depends_on_whose_grades_are_taken(votes, runs):
    found = metrics.disagreement(votes, runs, ["nDCG@10"])
    first = sorted(found.systems["first"])
    assert first[-1] < 1.0
    assert first[-2] >= 0.1
    assert found.comparisons["verdict"].nunique() >= 2


def test_decisions_settle_pairs_whose_votes_differ(votes):
    from labeling.disputes import DECISION_REASONS

    decisions = lines_of("decisions.jsonl")
    assert len(decisions) == len({(row["query_id"], row["doc_id"]) for row in decisions}) == 12
    assert {row["reason"] for row in decisions} <= set(DECISION_REASONS)
    table = consolidate(votes, "unanimous").table
    open_pairs = set(table.loc[table["source"] == "open", ["query_id", "doc_id"]].itertuples(index=False, name=None))
    assert {(row["query_id"], row["doc_id"]) for row in decisions} <= open_pairs
    assert len(open_pairs) > 25  # enough is left for a visitor to settle
