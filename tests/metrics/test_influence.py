"""Which disputed pairs matter, tried one by one; and whether gain or cutoff decide the winner."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import metrics
from metrics import _reversal
from metrics.alignment import score_hits
from tests.support.metric_tables import as_table, as_votes

RUNS = {
    "one": as_table({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"e1": 2.0, "e2": 1.0}}, "score"),
    "two": as_table({"q1": {"d3": 3.0, "d2": 2.0, "x": 1.5}, "q2": {"e2": 2.0, "e1": 1.0}}, "score"),
    "three": as_table({"q1": {"d2": 1.0}}, "score"),
}
PAIRS = [("q1", "d1"), ("q1", "d2"), ("q1", "d3"), ("q2", "e1"), ("q2", "e2")]


@st.composite
def some_votes(draw):
    return [(query, doc, rater, draw(st.integers(0, 3))) for query, doc in PAIRS for rater in ("ann", "bo", "cy")]


def means_under(grades, measure):
    nested = {}
    for (query, doc), grade in grades.items():
        nested.setdefault(query, {})[doc] = grade
    means = metrics.evaluate(as_table(nested, "relevance"), RUNS, [measure]).means
    return dict(zip(means["run"], means["mean"], strict=True))


@settings(max_examples=12, deadline=None)
@given(some_votes(), st.sampled_from(["nDCG@10", "AP", "P(rel=2)@2"]))
def test_each_disputed_pair_is_worth_what_trying_its_grades_shows(votes, measure):
    cast = {pair: sorted(grade for q, d, _, grade in votes if (q, d) == pair) for pair in PAIRS}
    settled = {pair: grades[1] for pair, grades in cast.items()}
    found = metrics.find_influence(as_votes(votes), RUNS, measure, "one", "two")
    base = means_under(settled, measure)
    assert found.difference == pytest.approx(base["one"] - base["two"], abs=1e-12)
    assert set(zip(found.pairs["query_id"], found.pairs["doc_id"], strict=True)) == {
        pair for pair in PAIRS if len(set(cast[pair])) > 1
    }
    for row in found.pairs.itertuples():
        pair = (row.query_id, row.doc_id)
        tried = [means_under(settled | {pair: grade}, measure) for grade in set(cast[pair])]
        differences = [means["one"] - means["two"] for means in tried]
        assert (row.lowest, row.highest) == pytest.approx((min(differences), max(differences)), abs=1e-12)
        assert row.swaps == max(count_swaps(base, means) for means in tried)


def count_swaps(before, after):
    def order(means):
        tags = sorted(means)
        steps = [means[a] - means[b] for place, a in enumerate(tags) for b in tags[place + 1 :]]
        return [0 if abs(step) <= 1e-12 else (1 if step > 0 else -1) for step in steps]

    return sum(first != second for first, second in zip(order(before), order(after), strict=True))


@settings(max_examples=12, deadline=None)
@given(some_votes())
def test_a_found_reversal_reverses_the_winner(votes):
    found = metrics.find_influence(as_votes(votes), RUNS, "nDCG@10", "one", "two")
    cast = {pair: sorted(grade for q, d, _, grade in votes if (q, d) == pair) for pair in PAIRS}
    grades = {pair: given_grades[1] for pair, given_grades in cast.items()}
    for row in found.reversal.itertuples():
        assert row.grade in cast[row.query_id, row.doc_id]
        grades[row.query_id, row.doc_id] = row.grade
    if len(found.reversal):
        means = means_under(grades, "nDCG@10")
        assert (means["one"] - means["two"]) * found.difference < 0
        assert found.reversal["difference"].iloc[-1] == pytest.approx(means["one"] - means["two"], abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(some_votes(), st.sampled_from(["nDCG@10", "AP", "RR", "P(rel=2)@2", "DCG@3", "Bpref"]))
def test_the_smallest_reversal_is_the_one_that_trying_every_settlement_finds(votes, measure):
    found = metrics.find_influence(as_votes(votes), RUNS, measure, "one", "two")
    cast = {pair: sorted(grade for q, d, _, grade in votes if (q, d) == pair) for pair in PAIRS}
    settled = {pair: grades[1] for pair, grades in cast.items()}

    alignment = metrics.align(
        as_table({"q1": {"d1": 0, "d2": 0, "d3": 0}, "q2": {"e1": 0, "e2": 0}}, "relevance"), RUNS
    )
    parsed = metrics.parse_measure(measure)

    def difference(grades):
        hits = alignment.hits.with_grades(np.array([grades[pair] for pair in PAIRS]))
        one, two, _ = score_hits(hits, parsed, alignment.options).means()
        return one - two

    assume(abs(difference(settled)) > 1e-9)
    sizes = [
        sum(grade != settled[pair] for pair, grade in zip(PAIRS, grades, strict=True))
        for grades in product(*(sorted(set(cast[pair])) for pair in PAIRS))
        if difference(dict(zip(PAIRS, grades, strict=True))) * difference(settled) < -1e-12
    ]
    assert found.reversal_exact
    assert len(found.reversal) == min(sizes, default=0)
    if sizes:
        assert found.reversal_at_least == min(sizes)
        assert found.reversal["difference"].iloc[-1] * found.difference < 0
    assert ("fewest" in found.reversal_says) == bool(sizes)


def test_where_not_every_set_was_tried_the_reversal_is_called_an_upper_bound(monkeypatch):
    monkeypatch.setattr(_reversal, "_MOST_TRIALS", 3)
    votes = [
        (q, d, r, g)
        for (q, d), grades in zip(PAIRS, ([2, 2, 0], [1, 1, 0], [0, 0, 1], [2, 2, 1], [0, 0, 1]), strict=True)
        for r, g in zip("abc", grades, strict=True)
    ]
    found = metrics.find_influence(as_votes(votes), RUNS, "nDCG@10", "one", "two")
    assert not found.reversal_exact
    assert "upper bound" in found.reversal_says or "not all tried" in found.reversal_says
    assert found.to_json()["reversal_says"] == found.reversal_says


def test_what_settling_is_expected_to_bring_is_exact_where_pairs_add_up():
    votes = [(q, d, r, g) for (q, d) in PAIRS for r, g in zip("ab", (0, 1) if d != "d2" else (1, 1), strict=True)]
    found = metrics.find_influence(as_votes(votes), RUNS, "P@2", "one", "two")
    cast = {pair: sorted(grade for q, d, _, grade in votes if (q, d) == pair) for pair in PAIRS}
    tried = [
        means_under(dict(zip(PAIRS, grades, strict=True)), "P@2") for grades in product(*(cast[pair] for pair in PAIRS))
    ]
    differences = [means["one"] - means["two"] for means in tried]
    assert found.expect_gain(0)["sd_now"] == pytest.approx(np.std(differences), abs=1e-12)
    assert found.expect_gain(len(found.pairs)) == {
        "sd_now": found.expect_gain(0)["sd_now"],
        "sd_after": 0.0,
        "share": 1.0,
    }


def test_settling_pairs_in_their_order_leaves_less_and_less_variance():
    votes = [
        (q, d, r, g)
        for (q, d), grades in zip(PAIRS, ([0, 3], [1, 2], [0, 1], [0, 0], [2, 3]), strict=True)
        for r, g in zip("ab", grades, strict=True)
    ]
    pairs = metrics.find_influence(as_votes(votes), RUNS, "nDCG@10", "one", "two").pairs
    assert len(pairs) == 4
    assert pairs["remaining"].is_monotonic_decreasing
    assert pairs["remaining"].iloc[-1] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(metrics.InputError, match="one of one, two, three"):
        metrics.find_influence(as_votes(votes), RUNS, "nDCG@10", "one", "four")


def test_the_winner_can_depend_on_the_cutoff():
    qrels = as_table({"q": {"a": 3, "b": 2, "c": 2}}, "relevance")
    early = as_table({"q": {"a": 9.0, "x": 8.0, "y": 7.0, "z": 6.0}}, "score")
    late = as_table({"q": {"x": 9.0, "a": 8.0, "b": 7.0, "c": 6.0}}, "score")
    table = metrics.list_sensitivity(
        metrics.align(qrels, {"early": early, "late": late}), gains=("linear",), cutoffs=(1, 10)
    )
    assert table["first"].tolist() == ["early", "late"]
    assert table["tau"].tolist() == [1.0, -1.0]


def test_gains_that_lack_a_grade_are_left_out_of_the_usual_ones() -> None:
    run = metrics.read_run(b"q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\n")
    for grade, gains in ((3, 3), (4, 2)):
        table = metrics.list_sensitivity(metrics.align(metrics.read_qrels(f"q1 0 d1 {grade}\n".encode()), run))
        assert table["gain"].nunique() == gains
