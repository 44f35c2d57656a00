"""Many equally valid qrels at once, against a patient loop and against a real campaign."""

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics
from metrics import InputError, MeasureError, Options
from metrics import _draw_scores as fast
from tests.support.data import shared_data
from tests.support.metric_tables import as_table, as_votes
from tests.support.metric_twins import DOCUMENTS, mean_ndcg_naively, panel_sets_naively, some_run

ALL_MEASURES = [
    "nDCG@3", "nDCG(gain=exp2)", "DCG@5", "AP", "RR", "P@3", "R(rel=2)@3", "Success@1", "Judged@3", "Rprec", "Bpref", "RBP", "RBPres@5",
    "ERR@3", "SetP", "SetR", "SetF", "infAP",
]  # fmt: skip
PANELS = [(("ann", "bo"), ("q1", "q2")), (("cy", "di", "ed"), ("q10",))]
RUNS = {
    "one": {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d1": 1.0}, "q10": {"zz": 2.0, "d2": 1.0, "é": 0.5}},
    "two": {"q1": {"d2": 3.0, "D1": 2.0, "d1": 1.0}, "q10": {"d2": 2.0, "zz": 1.0}},
}


@st.composite
def some_votes(draw):
    rows = []
    for raters, queries in PANELS:
        for query in queries:
            docs = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=5, unique=True))
            rows += [(query, doc, rater, draw(st.integers(0, 3))) for doc in docs for rater in raters]
    return rows


def tables(runs):
    return {tag: as_table(run, "score") for tag, run in runs.items()}


@settings(max_examples=40, deadline=None)
@given(some_votes(), some_run())
def test_every_set_of_a_panel_scores_as_a_patient_person_scores_it(votes, extra):
    runs = RUNS | {"extra": {"q1": {"x": 1.0}} | extra}
    found = metrics.disagreement(as_votes(votes), tables(runs), ["nDCG@3"])
    assert found.qrels_count == 6
    for draw, (chosen, qrels) in enumerate(panel_sets_naively(votes, PANELS)):
        assert found.draw_labels[draw] == "+".join(chosen)
        for place, tag in enumerate(found.tags):
            assert found.scores[0, place, draw] == pytest.approx(mean_ndcg_naively(qrels, runs[tag], 3), abs=1e-12)


@settings(max_examples=10, deadline=None)
@given(
    some_votes(), st.sampled_from(["panel", "query", "pair", "ties", "bounds"]), st.sampled_from(["zero", "exclude"])
)
def test_every_measure_under_every_set_equals_an_evaluation_under_that_set(votes, by, policy):
    options = Options(missing=policy, no_relevant=policy)
    found = metrics.disagreement(as_votes(votes), tables(RUNS), ALL_MEASURES, by=by, draws=12, options=options)
    for draw in range(0, found.qrels_count, 3):
        qrels = qrels_of(found, draw)
        plain = metrics.evaluate(qrels, tables(RUNS), ALL_MEASURES, options=options)
        for place, measure in enumerate(found.measures):
            expected = plain.scores[str(measure)].means()
            assert found.scores[place, :, draw] == pytest.approx(expected, abs=1e-12, nan_ok=True), measure


def qrels_of(found, draw):
    judged, draws = found.alignment.judged, found.draws
    grades = (
        draws.grades[draws.seat[draw][judged.query], np.arange(len(judged.query))]
        if hasattr(draws, "seat")
        else draws.grades[draw]
    )
    table = pd.DataFrame(
        {
            "query_id": np.array(judged.queries, dtype=object)[judged.query],
            "doc_id": judged.doc_ids,
            "relevance": grades,
        }
    )
    return table[grades != metrics.UNJUDGED].astype({"query_id": "str", "doc_id": "str"})


@settings(max_examples=15, deadline=None)
@given(some_votes(), st.sampled_from(["nDCG@2", "nDCG(gain=exp2,discount=jk:3)", "DCG", "P(rel=2)@2", "R@2", "SetR", "RBP(p=0.5)"]), st.sampled_from(["zero", "exclude"]))  # fmt: skip
def test_the_way_through_a_sparse_matrix_equals_the_way_through_every_set(votes, measure, policy):
    options = Options(no_relevant=policy, missing=policy)
    ask = lambda: metrics.disagreement(as_votes(votes), tables(RUNS), [measure], by="pair", draws=20, options=options)  # noqa: E731
    quick = ask().by_measure[str(metrics.parse_measure(measure))]
    kept = dict(fast._LINEAR)
    try:
        fast._LINEAR.clear()
        slow = ask().by_measure[str(metrics.parse_measure(measure))]
    finally:
        fast._LINEAR.update(kept)
    for name in ("means", "by_query", "by_both", "per_query", "no_relevant"):
        np.testing.assert_allclose(getattr(quick, name), getattr(slow, name), atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(some_votes(), st.integers(0, 5), st.sampled_from(["panel", "query", "pair"]))
def test_the_order_of_votes_changes_nothing(votes, seed, by):
    table = as_votes(votes)
    first = metrics.disagreement(table, tables(RUNS), by=by, draws=7, seed=seed)
    mixed = metrics.disagreement(table.sample(frac=1, random_state=seed), tables(RUNS), by=by, draws=7, seed=seed)
    assert first.to_json() == mixed.to_json()


def test_all_sets_are_listed_when_few_and_drawn_with_a_seed_when_many():
    rows = [(f"q{q}", "d1", rater, grade) for q in range(12) for rater, grade in (("a", 0), ("b", 3))]
    runs = {"r": as_table({f"q{q}": {"d1": 1.0} for q in range(12)}, "score")}
    few = metrics.disagreement(as_votes(rows), runs, by="query", draws=4096)
    assert (few.qrels_count, few.definition["all_sets"]) == (4096, True)
    many = metrics.disagreement(as_votes(rows), runs, by="query", draws=500, seed=1)
    assert (many.qrels_count, many.definition["all_sets"]) == (500, False)
    assert few.systems["mean"][0] == pytest.approx(0.5)
    assert many.systems["mean"][0] == pytest.approx(0.5, abs=0.03)
    again = metrics.disagreement(as_votes(rows), runs, by="query", draws=500, seed=1)
    assert np.array_equal(many.scores, again.scores)
    assert not np.array_equal(
        many.scores, metrics.disagreement(as_votes(rows), runs, by="query", draws=500, seed=2).scores
    )


def test_a_first_place_that_is_tied_is_shared_equally():
    votes = as_votes([("q", "d1", "a", 1), ("q", "d1", "b", 2), ("q", "d2", "a", 0), ("q", "d2", "b", 0)])
    same = {"q": {"d1": 2.0, "d2": 1.0}}
    runs = {
        "x": as_table(same, "score"),
        "y": as_table(same, "score"),
        "z": as_table({"q": {"d2": 2.0, "d1": 1.0}}, "score"),
    }
    found = metrics.disagreement(votes, runs)
    assert found.systems.set_index("run")["first"].to_dict() == {"x": 0.5, "y": 0.5, "z": 0.0}
    row = found.comparisons.iloc[0]
    assert (row["a"], row["b"], row["ahead_count"], row["tied_count"], row["qrels"]) == ("x", "y", 0, 2, 2)


def test_verdicts_tell_raters_from_queries():
    rows, x, y = [], {}, {}
    for q in range(30):
        rows += [(f"q{q}", "d1", "a", 3), (f"q{q}", "d1", "b", 3), (f"q{q}", "d2", "a", 0), (f"q{q}", "d2", "b", 0)]
        x[f"q{q}"], y[f"q{q}"] = {"d1": 2.0, "d2": 1.0}, {"d2": 2.0, "d1": 1.0}
    sure = metrics.disagreement(as_votes(rows), {"x": as_table(x, "score"), "y": as_table(y, "score")})
    assert sure.comparisons["verdict"].tolist() == ["A beats B whoever judges"]
    swapped = [(q, d, r, g if r == "a" or q != "q0" else 3 - g) for q, d, r, g in rows]
    opposed = [(q, d, r, g if r == "a" else 3 - g) for q, d, r, g in rows]
    assert metrics.disagreement(as_votes(swapped), {"x": as_table(x, "score"), "y": as_table(y, "score")}).comparisons["a_ahead"][0] == 1.0  # fmt: skip
    torn = metrics.disagreement(as_votes(opposed), {"x": as_table(x, "score"), "y": as_table(y, "score")})
    assert torn.comparisons["verdict"].tolist() == ["cannot be told apart"]
    half = {query: (docs if int(query[1:]) % 2 else y[query]) for query, docs in x.items()}
    mixed = metrics.disagreement(as_votes(rows), {"x": as_table(half, "score"), "y": as_table({q: y[q] if half[q] is x[q] else x[q] for q in x}, "score")})  # fmt: skip
    assert mixed.comparisons["verdict"].tolist() == ["cannot be told apart"]


def test_a_few_stray_votes_make_no_rater_of_a_query():
    rows = [("q1", f"d{n}", rater, n % 3) for n in range(10) for rater in ("a", "b")] + [("q1", "d0", "stray", 3)]
    runs = {"r": as_table({"q1": {"d0": 1.0}}, "score")}
    found = metrics.disagreement(as_votes(rows), runs)
    assert found.panels == [{"raters": ["a", "b"], "queries": ["q1"]}]
    assert "stray_votes" in {remark.kind for remark in found.remarks}


def test_grades_drawn_from_distributions_follow_them():
    votes = as_votes([("q", "d1", "a", 1), ("q", "d2", "a", 0)])
    chances = pd.DataFrame(
        [("q", "d1", 0, 0.25), ("q", "d1", 2, 0.75), ("q", "d2", 0, 1.0)],
        columns=["query_id", "doc_id", "grade", "probability"],
    )
    runs = {"r": as_table({"q": {"d1": 1.0}}, "score")}
    found = metrics.disagreement(votes, runs, ["DCG@1"], by="distribution", draws=4000, distributions=chances)
    assert found.systems["mean"][0] == pytest.approx(1.5, abs=0.06)
    assert set(np.unique(found.scores)) == {0.0, 2.0}
    with pytest.raises(MeasureError, match="add up to 1"):
        metrics.disagreement(votes, runs, by="distribution", distributions=chances.assign(probability=0.5))


def test_bounds_are_the_lowest_and_the_highest_vote_of_each_pair():
    votes = as_votes([("q", "d1", "a", 1), ("q", "d1", "b", 3), ("q", "d2", "a", 0)])
    found = metrics.disagreement(votes, {"r": as_table({"q": {"d1": 1.0}}, "score")}, ["DCG"], by="bounds")
    assert found.scores[0, 0].tolist() == [1.0, 3.0]
    assert found.draw_labels == ("lowest", "highest")


def test_wrong_votes_are_refused():
    runs = {"r": as_table({"q": {"d": 1.0}}, "score")}
    with pytest.raises(InputError, match="one grade for a pair and rater"):
        metrics.disagreement(as_votes([("q", "d", "a", 1), ("q", "d", "a", 2)]), runs)
    with pytest.raises(InputError, match="at least one vote"):
        metrics.disagreement(as_votes([("q", "d", "a", 1)]), runs, exclude_queries=["q"])
    with pytest.raises(MeasureError, match="by is one of"):
        metrics.disagreement(as_votes([("q", "d", "a", 1)]), runs, by="rater")
    with pytest.raises(InputError, match=r"line 3: expected one grade for a pair and rater"):
        metrics.read_votes(b"query_id,doc_id,rater,grade\nq,d,a,1\nq,d,a,2\n")
    left = metrics.read_votes(
        b'{"query_id":"q","doc_id":"d","rater":"a","grade":1}\n{"query_id":"q","doc_id":"e","rater":"a","grade":null}\n'
    )
    assert len(left.table) == 1
    assert left.remarks[0].kind == "no_grade"


def dl19_votes():
    rows = []
    for path in sorted(shared_data("dl19", "judgments").iterdir()):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            grade = int(re.search(r"\((\d)\)", entry["label"][0])[1])
            rows.append((entry["query_id"], entry["doc_id"], path.stem, grade))
    return as_votes(rows)


def test_the_headline_of_dl19_comes_out_to_the_last_digit():
    expected = json.loads(shared_data("dl19", "expected.json").read_text())
    runs = [metrics.read_run(path) for path in sorted(shared_data("dl19", "runs").iterdir())]
    found = metrics.disagreement(dl19_votes(), runs, exclude_queries=["443396"])
    assert found.qrels_count == 16
    official = np.array([expected["ndcg10"]["nist_42"][tag] for tag in found.tags])
    for draw, label in enumerate(found.draw_labels):
        means = found.scores[0, :, draw]
        assert max(abs(means[place] - expected["ndcg10"][label][tag]) for place, tag in enumerate(found.tags)) < 1e-9
        assert metrics.tau_b(means, official) == pytest.approx(expected["tau_vs_nist_42"][label], abs=1e-9)
    assert found.systems["range"].mean() == pytest.approx(0.068, abs=5e-4)
    assert sorted(round(share * 16, 9) for share in found.systems["first"] if share > 0) == [2, 3, 11]
    assert found.tau["nDCG@10"]["mean"] == pytest.approx(0.930, abs=5e-4)
    assert 0 < found.noise_floor["nDCG@10"] < 0.068


def test_numbers_do_not_depend_on_which_other_measures_are_asked_for():
    votes = as_votes(
        [
            (q, d, r, (len(q) + int(d[1]) * 2 + ord(r)) % 4)
            for q, d, r in product(("q1", "q22"), ("d1", "d2", "d3"), "ab")
        ]
    )
    runs = tables({"one": {"q1": {"d1": 2.0, "d3": 1.0}, "q22": {"d2": 1.0}}, "two": {"q1": {"d2": 1.0}}})
    alone = metrics.disagreement(votes, runs, ["AP"]).comparisons
    beside = metrics.disagreement(votes, runs, ["nDCG@10", "AP"]).comparisons
    pd.testing.assert_frame_equal(alone, beside[beside["measure"] == "AP"].reset_index(drop=True))


def candidates_naively(grades, rule):
    if rule == "majority":
        return {grade for grade in grades if grades.count(grade) == max(map(grades.count, grades))}
    ordered, number = sorted(grades), len(grades)
    if rule == "median":
        return {ordered[(number - 1) // 2], ordered[number // 2]}
    away = {grade: abs(number * grade - sum(grades)) for grade in range(min(grades), max(grades) + 1)}
    return {grade for grade in away if away[grade] == min(away.values())}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(-1, 3), min_size=1, max_size=5), min_size=1, max_size=4),
    st.sampled_from(["majority", "median", "mean"]),
)
def test_sets_that_differ_in_how_a_rules_ties_fall_are_all_there_are(cast, rule):
    rows = [
        ("q", f"d{pair}", f"r{rater}", grade) for pair, grades in enumerate(cast) for rater, grade in enumerate(grades)
    ]
    run = as_table({"q": {f"d{pair}": -float(pair) for pair in range(len(cast))}}, "score")
    found = metrics.disagreement(as_votes(rows), {"r": run}, by="ties", rule=rule, draws=5000)
    wanted = set(product(*(candidates_naively(grades, rule) for grades in cast)))
    assert {tuple(row) for row in found.draws.grades.tolist()} == wanted
    assert found.qrels_count == len(wanted)
    assert (found.definition["by"], found.definition["rule"]) == ("ties", rule)
    drawn = metrics.disagreement(as_votes(rows), {"r": run}, by="ties", rule=rule, draws=1)
    assert {tuple(row) for row in drawn.draws.grades.tolist()} <= wanted


def test_a_rule_without_ties_is_refused_by_name():
    with pytest.raises(MeasureError, match="majority, median, mean"):
        metrics.disagreement(
            as_votes([("q", "d", "a", 1)]), tables({"r": {"q": {"d": 1.0}}}), by="ties", rule="minimum"
        )
