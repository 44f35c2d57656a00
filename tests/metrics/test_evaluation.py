"""Means, coverage, options, slices, bounds and explanations."""

import math

import numpy as np
import pandas as pd
import pytest

import metrics
from metrics import MeasureError, Options
from tests.support.metric_tables import as_table

FULL = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}, "q3": {"d": 0}}
PARTIAL = {"q1": {"a": 2}}
EMPTY = {}
FULL_RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}, "q3": {"d": 1.0}}
PARTIAL_RUN = {"q1": {"a": 2.0, "b": 1.0}}

# (qrels, run) -> queries, missing, no_relevant, mean, mean_without of nDCG@10
OUTCOMES = {
    ("full", "full"): (3, 0, 1, 2 / 3, 1.0),
    ("full", "partial"): (3, 2, 1, 1 / 3, 1.0),
    ("full", "empty"): (3, 3, 1, 0.0, math.nan),
    ("partial", "full"): (1, 0, 0, 1.0, 1.0),
    ("partial", "partial"): (1, 0, 0, 1.0, 1.0),
    ("partial", "empty"): (1, 1, 0, 0.0, math.nan),
    ("empty", "full"): (0, 0, 0, math.nan, math.nan),
    ("empty", "partial"): (0, 0, 0, math.nan, math.nan),
    ("empty", "empty"): (0, 0, 0, math.nan, math.nan),
}


@pytest.mark.parametrize(("qrels", "run"), OUTCOMES)
def test_full_partial_and_empty_qrels_and_runs_have_one_fixed_outcome_each(qrels, run):
    judged = {"full": FULL, "partial": PARTIAL, "empty": EMPTY}[qrels]
    ranked = {"full": FULL_RUN, "partial": PARTIAL_RUN, "empty": EMPTY}[run]
    found = metrics.evaluate(as_table(judged, "relevance"), as_table(ranked, "score"))
    row = found.means.iloc[0]
    queries, missing, no_relevant, mean, mean_without = OUTCOMES[qrels, run]
    assert (row["queries"], row["missing"], row["no_relevant"]) == (queries, missing, no_relevant)
    assert [row["mean"], row["mean_without"]] == pytest.approx([mean, mean_without], nan_ok=True)
    assert ("empty_qrels" in {remark.kind for remark in found.remarks}) == (qrels == "empty")
    for measure in metrics.list_measures()["example"]:
        assert len(metrics.evaluate_aligned(found.alignment, [measure]).means) == 1


def test_missing_and_empty_queries_are_left_out_when_asked_and_the_definition_says_so():
    options = Options(missing="exclude", no_relevant="exclude")
    found = metrics.evaluate(as_table(FULL, "relevance"), as_table(PARTIAL_RUN, "score"), options=options)
    assert found.means["mean"].tolist() == [1.0]
    assert found.means["queries"].tolist() == [1]
    assert found.definition["missing"] == found.definition["no_relevant"] == "exclude"
    assert found.per_query["query_id"].tolist() == ["q1"]


def test_a_query_without_documents_at_the_measures_level_counts_as_having_none():
    found = metrics.evaluate(
        as_table(FULL, "relevance"), as_table(FULL_RUN, "score"), ["P(rel=2)@1", "P@1", "Judged@1"]
    )
    assert found.means["no_relevant"].tolist() == [2, 1, 0]


def test_an_unknown_option_is_refused():
    with pytest.raises(MeasureError, match="missing is zero or exclude"):
        Options(missing="skip")


def test_condensed_rankings_leave_unjudged_documents_out():
    qrels = as_table({"q": {"a": 1}}, "relevance")
    run = as_table({"q": {"x": 3.0, "y": 2.0, "a": 1.0}}, "score")
    assert metrics.evaluate(qrels, run, ["RR"]).means["mean"][0] == pytest.approx(1 / 3)
    assert metrics.evaluate(qrels, run, ["RR"], options=Options(unjudged="condensed")).means["mean"][0] == 1.0


def test_coverage_says_how_much_of_the_top_is_judged():
    qrels = as_table({"q1": {"a": 1}, "q2": {"b": 0}}, "relevance")
    run = as_table({"q1": {"a": 2.0, "x": 1.0}, "other": {"b": 1.0}}, "score")
    coverage = metrics.evaluate(qrels, run, ["P@1"]).coverage.iloc[0]
    assert coverage["judged_at_10"] == 0.5
    assert coverage["judged_at_1"] == 1.0
    assert (coverage["missing"], coverage["other_queries"], coverage["retrieved"], coverage["judged"]) == (1, 1, 2, 1)


def test_means_by_slice_add_up_and_unknown_queries_form_a_slice():
    queries = pd.DataFrame({"query_id": ["q1", "q2"], "type": ["navigational", "question"]})
    found = metrics.evaluate(as_table(FULL, "relevance"), as_table(FULL_RUN, "score"))
    table = found.slice(queries, "type")
    assert dict(zip(table["slice"], table["queries"], strict=True)) == {"": 1, "navigational": 1, "question": 1}
    assert (table["mean"] * table["queries"]).sum() / 3 == pytest.approx(found.means["mean"][0])


def test_runs_of_one_tag_are_told_apart():
    first = metrics.read_run(b"q1 Q0 a 1 1 same\n", name="one.run")
    second = metrics.read_run(b"q1 Q0 b 1 1 same\n", name="two.run")
    found = metrics.evaluate(as_table(FULL, "relevance"), [first, second])
    assert found.tags == ["same (one.run)", "same (two.run)"]


def test_a_mapping_names_the_runs_and_a_table_may_carry_its_tag():
    table = as_table(FULL_RUN, "score")
    assert metrics.evaluate(as_table(FULL, "relevance"), {"mine": table}).tags == ["mine"]
    assert metrics.evaluate(as_table(FULL, "relevance"), table.assign(tag="bm25")).tags == ["bm25"]


def test_tables_are_checked_at_the_edge():
    twice = pd.concat([as_table(PARTIAL_RUN, "score")] * 2)
    with pytest.raises(metrics.InputError, match="once in a ranking"):
        metrics.evaluate(as_table(FULL, "relevance"), twice)
    with pytest.raises(metrics.InputError, match="one grade a pair"):
        metrics.evaluate(pd.concat([as_table(PARTIAL, "relevance")] * 2), as_table(FULL_RUN, "score"))
    with pytest.raises(metrics.InputError, match="text in the column query_id"):
        metrics.evaluate(as_table(FULL, "relevance").assign(query_id=1), as_table(FULL_RUN, "score"))
    with pytest.raises(metrics.InputError, match="the columns"):
        metrics.evaluate(as_table(FULL, "relevance"), pd.DataFrame({"qid": ["q1"]}))


def test_nothing_given_is_changed():
    qrels, run = as_table(FULL, "relevance"), as_table(FULL_RUN, "score")
    before = qrels.copy(), run.copy()
    metrics.compare(qrels, [run, run.assign(score=-run["score"])], draws=10)
    assert before[0].equals(qrels)
    assert before[1].equals(run)


def test_the_best_case_of_unjudged_documents_matches_judging_them_so():
    generator = np.random.default_rng(5)
    qrels = {
        f"q{q}": {f"d{d}": int(generator.integers(0, 4)) for d in generator.choice(30, 8, replace=False)}
        for q in range(6)
    }
    run = {query: {f"d{d}": float(generator.random()) for d in range(30)} for query in qrels}
    found = metrics.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), ["nDCG@5", "nDCG(gain=exp2)"])
    top = max(max(grades.values()) for grades in qrels.values())
    for row in found.bounds().itertuples():
        cutoff = metrics.parse_measure(row.measure).cutoff
        filled = {}
        for query, grades in qrels.items():
            ranked = sorted(run[query], key=run[query].get, reverse=True)[:cutoff]
            filled[query] = dict.fromkeys(ranked, top) | grades
        best = metrics.evaluate(as_table(filled, "relevance"), as_table(run, "score"), [row.measure]).means["mean"][0]
        assert row.best == pytest.approx(best, abs=1e-12)
        assert row.worst == row.mean
        assert row.unjudged == sum(len(filled[query]) - len(qrels[query]) for query in qrels)


@pytest.mark.parametrize(
    "measure", ["nDCG@3", "nDCG(gain=exp2,discount=jk)", "DCG@2", "P@3", "R@3", "AP", "AP@2", "RR", "RBP"]
)
def test_an_explained_score_adds_up_to_the_score(measure):
    qrels = as_table({"q": {"a": 2, "b": 0, "c": 3, "m": 1}}, "relevance")
    run = as_table({"q": {"x": 9.0, "a": 2.0, "b": 1.5, "c": 1.0}}, "score")
    explained = metrics.explain(metrics.align(qrels, {"r": run}), "q", "r", measure)
    total = explained.total / explained.ideal_total if measure.startswith("nDCG") else explained.total
    assert total == pytest.approx(explained.score, abs=1e-12)
    assert explained.ranking["doc_id"].tolist()[:2] == ["x", "a"]
    assert explained.ranking["grade"].isna().tolist()[:2] == [True, False]
    assert explained.to_json()["ranking"][0]["grade"] is None


def test_the_lowest_queries_show_what_was_ranked_there():
    found = metrics.list_lowest(metrics.align(as_table(FULL, "relevance"), {"r": as_table({"q1": {"z": 2.0, "b": 1.0}, "q2": {"c": 1.0}}, "score")}), "r", "nDCG@10", number=2)  # fmt: skip
    assert found["query_id"].tolist() == ["q1", "q3"]
    assert found["ranked"].tolist() == ["z (-), b (0)", ""]


def test_json_has_the_promised_shape_and_no_numbers_that_json_lacks():
    answer = metrics.evaluate(as_table({}, "relevance"), {"r": as_table(FULL_RUN, "score")}).to_json(per_query=True)
    assert answer["means"] == [{"run": "r", "measure": "nDCG@10", "mean": None, "queries": 0, "missing": 0, "no_relevant": 0, "zero": 0, "mean_without": None}]  # fmt: skip
    assert answer["per_query"] == []
