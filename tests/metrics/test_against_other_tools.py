"""Equal to pytrec_eval, trec_eval and ir_measures, query by query."""

import csv
import json
import warnings
from functools import cache

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metrics
from metrics import Options, parse_measure
from tests.support.data import shared_data
from tests.support.metric_tables import as_nested, as_table
from tests.support.metric_twins import mean_ndcg_naively, some_qrels, some_run

FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TREC_NAMES = [
    "map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "set_P", "set_recall", "set_F",
    "P_1", "P_5", "P_10", "recall_5", "recall_10", "ndcg_cut_1", "ndcg_cut_5", "ndcg_cut_10", "map_cut_5", "map_cut_10",
    "success_1", "success_5", "success_10",
]  # fmt: skip


def at_level(name, rel):
    measure = parse_measure(name)
    return parse_measure(str(measure)) if rel == 1 or "rel" not in dict(measure.parameters) else with_rel(measure, rel)


def with_rel(measure, rel):
    head, at, cutoff = str(measure).partition("@")
    return parse_measure(f"{head}(rel={rel}){at}{cutoff}")


def scores_by_query(evaluation, measure):
    values = evaluation.scores[str(measure)].values[0]
    return dict(zip(evaluation.query_ids, values, strict=True))


def within_their_reach(qrels, rel):
    """trec_eval 9 reads past its array, and may never return, where no grade of a query reaches rel - 1, or 0."""
    return {query: grades for query, grades in qrels.items() if max(grades.values()) >= max(rel - 1, 0)}


@FEW
@given(some_qrels(), some_run(), st.integers(1, 3), st.booleans())
def test_random_rankings_score_as_in_pytrec_eval(qrels, run, rel, condensed):
    qrels = within_their_reach(qrels, rel)
    run = {query: docs for query, docs in run.items() if query in qrels}
    if not run:
        return
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, set(TREC_NAMES), relevance_level=rel, judged_docs_only_flag=condensed
    ).evaluate(run)
    measures = {name: at_level(name, rel) for name in TREC_NAMES}
    options = Options(unjudged="condensed" if condensed else "nonrelevant", precision="single")
    ours = metrics.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), measures.values(), options=options)
    for name, measure in measures.items():
        found = scores_by_query(ours, measure)
        for query, expected in theirs.items():
            # trec_eval 9 computes infAP with 32-bit numbers
            near = 1e-6 if name == "infAP" else 1e-9
            assert found[query] == pytest.approx(expected[name], abs=near), (name, query)
        assert all(found[query] == 0 for query in qrels if query not in run)


SHARED_WITH_IR_MEASURES = [
    "nDCG@10", "nDCG@3", "nDCG", "AP", "AP(rel=2)", "AP(rel=2)@5", "P(rel=2)@5", "R(rel=2)@5", "RR", "RR(rel=2)", "Success(rel=2)@3",
    "Rprec", "Bpref(rel=2)", "SetP", "SetR", "infAP",
]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(some_qrels(), some_run())
def test_random_rankings_score_as_in_ir_measures(qrels, run):
    qrels = within_their_reach(qrels, 2)
    run = {query: docs for query, docs in run.items() if query in qrels}
    if not run:
        return
    names = {ir_measures.parse_measure(text): text for text in SHARED_WITH_IR_MEASURES}
    found = metrics.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), SHARED_WITH_IR_MEASURES)
    for score in ir_measures.iter_calc(list(names), qrels, run):
        ours = scores_by_query(found, parse_measure(names[score.measure]))[score.query_id]
        assert ours == pytest.approx(score.value, abs=1e-6 if "infAP" in str(score.measure) else 1e-9), score


def without_ties(run):
    """Scores that all differ, so that no rule for ties matters."""
    return {query: {doc: 1000.0 - place for place, doc in enumerate(docs)} for query, docs in run.items()}


@settings(max_examples=25, deadline=None)
@given(some_qrels(), some_run())
def test_measures_whose_tools_break_ties_otherwise_are_equal_where_nothing_ties(qrels, run):
    qrels = within_their_reach(qrels, 2)
    run = without_ties({query: docs for query, docs in run.items() if query in qrels})
    if not run:
        return
    texts = ["RR@2", "RR(rel=2)@3", "Judged@3", "Judged@10"]
    names = {ir_measures.parse_measure(text): text for text in texts}
    found = metrics.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), texts)
    for score in ir_measures.iter_calc(list(names), qrels, run):
        ours = scores_by_query(found, parse_measure(names[score.measure]))[score.query_id]
        assert ours == pytest.approx(score.value, abs=1e-9), score


@settings(max_examples=60, deadline=None)
@given(some_qrels(), some_run())
def test_the_mean_is_that_of_a_patient_person(qrels, run):
    run = {query: docs for query, docs in run.items() if query in qrels}
    if not run:
        return
    found = metrics.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), ["nDCG@3"])
    assert found.means["mean"][0] == pytest.approx(mean_ndcg_naively(qrels, run, 3), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(some_qrels(), some_run(), st.randoms())
def test_the_order_of_rows_changes_nothing(qrels, run, random):
    run = {query: docs for query, docs in run.items() if query in qrels}
    if not run:
        return
    first, second = as_table(qrels, "relevance"), as_table(run, "score")
    plain = metrics.evaluate(first, second, TREC_NAMES).means
    mixed = metrics.evaluate(first.sample(frac=1, random_state=random.randint(0, 9)), second.sample(frac=1, random_state=random.randint(0, 9)), TREC_NAMES)  # fmt: skip
    pd.testing.assert_frame_equal(plain, mixed.means, check_exact=True)


GOLDEN = {
    "out.test.aq": ("qrels.test", 1),
    "out.test.aqc": ("qrels.test", 1),  # of the cut run, with -c
    "out.test.aql": ("qrels.rel_level", 2),
}


@pytest.mark.parametrize("golden", GOLDEN)
def test_trec_evals_own_golden_files_come_out(golden):
    qrels_name, rel = GOLDEN[golden]
    qrels = metrics.read_qrels(shared_data("trec_eval_tests", qrels_name))
    cut = golden == "out.test.aqc"
    run = metrics.read_run(shared_data("trec_eval_tests", "results.trunc" if cut else "results.test"))
    alignment = metrics.align(qrels, run, Options(precision="single"))
    compared = 0
    for line in shared_data("trec_eval_tests", golden).read_text().splitlines():
        name, query, value = line.split()
        if query == "all" or not is_trec_name(name):
            continue
        scores = alignment.score(at_level(name, rel)).values[0]
        assert scores[alignment.judged.queries.index(query)] == pytest.approx(float(value), abs=5.1e-5), line
        compared += 1
    assert compared > 100


def is_trec_name(name):
    try:
        return parse_measure(name).trec_name() == name
    except metrics.MeasureError:
        return False


@cache
def synthetic():
    qrels = metrics.read_qrels(shared_data("oracles", "trec_synth", "qrels.txt"))
    return qrels, metrics.read_run(shared_data("oracles", "trec_synth", "run.txt"))


def oracle(name):
    with shared_data("oracles", "trec_synth", name).open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_ties_odd_grades_and_odd_topics_score_as_in_pytrec_eval():
    qrels, run = synthetic()
    for condensed in ("0", "1"):
        options = Options(unjudged="condensed" if condensed == "1" else "nonrelevant", precision="single")
        alignment = metrics.align(qrels, run, options)
        rows = [row for row in oracle("expected_pytrec_eval_full_precision.csv") if row["judged_only"] == condensed]
        for row in rows:
            scores = alignment.score(at_level(row["measure"], int(row["rel_level"]))).values[0]
            found = scores[alignment.judged.queries.index(row["topic"])]
            near = 1e-6 if row["measure"] == "infAP" else 1e-9
            assert found == pytest.approx(float(row["value"]), abs=near), row
        assert len(rows) > 100


def test_ties_odd_grades_and_odd_topics_score_as_in_trec_eval_10_means_too():
    compared = 0
    for row in oracle("expected_trec_eval_10.csv"):
        level, condensed = {"l1_c": (1, 0), "l2_c": (2, 0), "l3_c": (3, 0), "J_c": (1, 1)}.get(row["mode"], (0, 0))
        name = row["measure"]
        if not level or (not is_trec_name(name) and not name.startswith("rbp")):
            continue
        measure = parse_measure("RBP(p=0.8)") if name.startswith("rbp") else at_level(name, level)
        alignment = aligned(condensed)
        if row["topic"] == "all":
            found = metrics.evaluate_aligned(alignment, [measure]).means["mean"][0]
        else:
            found = alignment.score(measure).values[0][alignment.judged.queries.index(row["topic"])]
        assert found == pytest.approx(float(row["value"]), abs=5.1e-5), row
        compared += 1
    assert compared > 500


@cache
def aligned(condensed):
    return metrics.align(*synthetic(), Options(unjudged="condensed" if condensed else "nonrelevant"))


def test_err_judged_rbp_and_exponential_gain_score_as_in_ir_measures_with_its_order_of_ties():
    qrels, run = synthetic()
    # its scorers break ties by doc_id ascending, or leave them in the file's order: give ours that order by scores that differ
    by_id = run.table.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, True], kind="stable")
    as_filed = run.table.sort_values(["query_id", "score"], ascending=[True, False], kind="stable")
    plain = metrics.align(qrels, run)
    in_order = {
        name: metrics.align(qrels, table.assign(score=-np.arange(len(table), dtype=float)))
        for name, table in {"Judged": by_id, "RR": by_id, "RBP": as_filed}.items()
    }
    compared = 0
    for row in oracle("expected_ir_measures_other.csv"):
        if row["measure"].startswith("Compat") or row["topic"] not in plain.judged.queries:
            continue
        measure = parse_measure(row["measure"])
        alignment = in_order.get(measure.name, plain)
        found = alignment.score(measure).values[0][alignment.judged.queries.index(row["topic"])]
        assert found == pytest.approx(float(row["value"]), abs=5.1e-6), row
        compared += 1
    assert compared > 50


def dl19_runs():
    return [metrics.read_run(path) for path in sorted(shared_data("dl19", "runs").iterdir())]


def test_the_61_runs_of_dl19_score_as_published():
    expected = json.loads(shared_data("dl19", "expected.json").read_text())["ndcg10"]["nist_43"]
    found = metrics.evaluate(metrics.read_qrels(shared_data("dl19", "qrels-nist.txt")), dl19_runs())
    means = dict(zip(found.means["run"], found.means["mean"], strict=True))
    assert means.keys() == expected.keys()
    assert max(abs(means[run] - expected[run]) for run in expected) < 1e-9


def test_real_runs_score_as_in_pytrec_eval_on_every_query():
    qrels = metrics.read_qrels(shared_data("dl19", "qrels-nist.txt"))
    runs = dl19_runs()[::6]
    theirs = pytrec_eval.RelevanceEvaluator({query: {doc: int(grade) for doc, grade in docs.items()} for query, docs in as_nested(qrels.table).items()}, set(TREC_NAMES))  # fmt: skip
    found = metrics.evaluate(qrels, runs, TREC_NAMES, options=Options(precision="single"))
    for place, run in enumerate(runs):
        expected = theirs.evaluate(as_nested(run.table))
        for name in TREC_NAMES:
            values = found.scores[str(parse_measure(name))].values[place]
            for query, value in zip(found.query_ids, values, strict=True):
                assert value == pytest.approx(
                    expected.get(query, {}).get(name, 0.0), abs=1e-6 if name == "infAP" else 1e-9
                )


def test_scores_near_each_other_tie_as_32_bit_numbers_only_when_asked():
    qrels = metrics.read_qrels(b"q 0 a 1\n")
    run = metrics.read_run(b"q Q0 a 1 1.00000001 t\nq Q0 b 2 1.00000000 t\n")
    assert metrics.evaluate(qrels, run, ["RR"]).means["mean"][0] == 1.0
    assert metrics.evaluate(qrels, run, ["RR"], options=Options(precision="single")).means["mean"][0] == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"}).evaluate(as_nested(run.table))
    assert theirs["q"]["recip_rank"] == 0.5
