"""Paired tests, corrections, and how alike two orders are."""

import csv
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import kendalltau
from statsmodels.stats.multitest import multipletests

import metrics
from metrics import InputError, rbo, tau_ap, tau_ap_b, tau_b
from metrics._significance import adjust_holm
from metrics.correlation import tau_matrix
from tests.support.data import shared_data
from tests.support.metric_tables import as_table


def read(name):
    with shared_data("oracles", name).open(newline="") as lines:
        return list(csv.DictReader(lines))


def oracle_scores():
    table = pd.read_csv(shared_data("oracles", "sig_scores_25x5.csv"))
    return list(table.columns[1:]), table.iloc[:, 1:].to_numpy().T


def test_every_test_gives_the_values_of_the_reference():
    draws = 20_000
    tags, scores = oracle_scores()
    found = metrics.compare_scores(scores, tags, draws=draws).set_index(["a", "b"])
    for row in read("sig_expected_25x5.csv"):
        ours = found.loc[(row["b"], row["a"])]  # a is the better one here
        assert ours["difference"] == pytest.approx(-float(row["mean_diff"]), abs=1e-12)
        assert ours["p_t"] == pytest.approx(float(row["p_ttest"]), abs=1e-9)
        assert ours["p_wilcoxon"] == pytest.approx(float(row["p_wilcoxon"]), abs=1e-9)
        assert ours["p_t_holm"] == pytest.approx(float(row["p_holm"]), abs=1e-9)
        assert ours["detectable"] == pytest.approx(float(row["mdd80"]), abs=1e-9)
        for name, expected in (
            ("p_randomization", row["p_randomisation_mc"]),
            ("p_tukey", row["p_tukey_randomised_mc"]),
        ):
            p = float(expected)
            assert ours[name] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) * (1 / draws + 1e-5)) + 1 / draws)


def test_wins_ties_and_losses_add_up_and_the_interval_holds_the_difference():
    tags, scores = oracle_scores()
    scores[1, :4] = scores[0, :4]
    found = metrics.compare_scores(scores, tags, draws=500)
    assert (found["won"] + found["tied"] + found["lost"] == 25).all()
    assert found.loc[(found["a"] == "s2") & (found["b"] == "s1"), "tied"].tolist() == [4]
    assert ((found["low"] < found["difference"]) & (found["difference"] < found["high"])).all()


def test_a_bootstrap_interval_is_that_of_scipy_but_for_chance():
    tags, scores = oracle_scores()
    found = metrics.compare_scores(scores, tags, draws=20_000).iloc[0]
    a, b = tags.index(found["a"]), tags.index(found["b"])
    theirs = stats.bootstrap([scores[a] - scores[b]], np.mean, method="percentile", n_resamples=20_000, rng=1)
    assert [found["low"], found["high"]] == pytest.approx(list(theirs.confidence_interval), abs=2e-3)


def test_the_randomization_test_counts_all_sign_flips_of_few_queries():
    scores = np.array([[0.5, 0.6, 0.9], [0.1, 0.3, 0.2]])
    found = metrics.compare_scores(scores, ["a", "b"], draws=40_000)
    assert found["p_randomization"][0] == pytest.approx(2 / 8, abs=0.01)


def test_equal_systems_are_never_different_and_the_reason_is_said():
    scores = np.tile(np.linspace(0, 1, 9), (2, 1))
    found = metrics.compare_scores(scores, ["a", "b"], draws=100).iloc[0]
    assert found["p_randomization"] == 1.0
    assert found["p_tukey"] == 1.0
    assert np.isnan(found["p_t"])
    assert np.isnan(found["p_wilcoxon"])
    assert found["undefined"] == "no query differs"
    assert metrics.compare_scores(scores[:, :1], ["a", "b"], draws=10)["undefined"][0] == "fewer than two queries"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_correction_is_that_of_statsmodels(values):
    theirs = multipletests(values, method="holm")[1]
    assert adjust_holm(np.array(values)) == pytest.approx(theirs, abs=1e-12)


def test_the_seed_fixes_every_number_and_only_the_seed():
    tags, scores = oracle_scores()
    first, again = (metrics.compare_scores(scores, tags, draws=200, seed=4) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert not first["low"].equals(metrics.compare_scores(scores, tags, draws=200, seed=5)["low"])


def runs():
    qrels = {f"q{n}": {"a": 1, "b": 2} for n in range(8)}
    good = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    poor = {query: {"x": 2.0, "a": 1.0} for query in qrels}
    odd = {query: {"a": 2.0} for query in qrels}
    return as_table(qrels, "relevance"), {"good": as_table(good, "score"), "poor": as_table(poor, "score"), "odd": as_table(odd, "score")}  # fmt: skip


def test_a_baseline_limits_the_comparisons_and_the_correction():
    found = metrics.compare(*runs(), baseline="poor", draws=100)
    assert len(found.differences) == 2
    assert found.definition["baseline"] == "poor"
    with pytest.raises(InputError, match="a run named 'none'"):
        metrics.compare(*runs(), baseline="none")


def test_one_run_cannot_be_compared():
    qrels, tables = runs()
    with pytest.raises(InputError, match="at least two runs"):
        metrics.compare(qrels, {"good": tables["good"]})


def test_several_cutoffs_on_the_same_data_bring_a_warning():
    found = metrics.compare(*runs(), ["nDCG@5", "nDCG@10", "AP"], draws=50)
    (remark,) = [each for each in found.remarks if each.kind == "several_cutoffs"]
    assert remark.examples == ("nDCG@5", "nDCG@10")
    assert len(found.orders) == 3
    assert found.to_json()["comparisons"][0]["a"] == "good"


@settings(max_examples=80)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
def test_tau_is_that_of_scipy_ties_included(pairs):
    first, second = np.array(pairs, dtype=float).T
    expected = kendalltau(first, second).statistic
    assert tau_b(first, second) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert tau_matrix(np.stack([first, second]))[1, 0] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_and_tau_ap_of_the_reference_example():
    rows = read("tauap_ircor.csv")
    truth, estimate = (np.array([float(row[name]) for row in rows]) for name in ("x_true", "y_est"))
    assert tau_ap(truth, estimate) == pytest.approx(0.3928571429, abs=1e-9)
    assert tau_b(truth, estimate) == pytest.approx(0.2, abs=1e-9)
    assert tau_ap(truth, -truth) == pytest.approx(-1.0)


def test_tau_ap_with_ties_of_the_reference_example():
    rows = read("tauap_ircor.csv")
    truth, estimate = (np.array([float(row[name]) for row in rows]) for name in ("x_true", "y_est"))
    assert tau_ap(truth, estimate.round(1)) == pytest.approx(0.39903, abs=5e-6)
    assert tau_ap_b(truth, estimate.round(1)) == pytest.approx(0.3317019, abs=5e-7)
    assert tau_ap_b(truth.round(1), estimate.round(1)) == pytest.approx(0.339418, abs=5e-7)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=6), st.randoms())
def test_tau_ap_is_the_mean_over_all_orders_of_tied_systems_whatever_the_order_of_rows(pairs, random):
    truth, estimate = np.array(pairs, dtype=float).T
    orders = [
        order
        for order in permutations(range(len(pairs)))
        if all(estimate[a] >= estimate[b] for a, b in pairwise(order))
    ]

    def follow(order):
        shares = [
            sum(
                1.0 if truth[a] > truth[order[place]] else 0.5 * (truth[a] == truth[order[place]])
                for a in order[:place]
            )
            / place
            for place in range(1, len(order))
        ]
        return 2 * sum(shares) / len(shares) - 1

    expected = sum(map(follow, orders)) / len(orders)
    assert tau_ap(truth, estimate) == pytest.approx(expected, abs=1e-9)
    shuffled = list(range(len(pairs)))
    random.shuffle(shuffled)
    assert tau_ap(truth[shuffled], estimate[shuffled]) == pytest.approx(expected, abs=1e-9)
    assert tau_ap_b(truth, estimate) == pytest.approx(tau_ap_b(estimate, truth), abs=1e-12, nan_ok=True)


def test_rbo_of_the_papers_properties():
    first, second = list("abcdefg"), list("abcdegf")
    assert rbo(first, first, p=0.7) == pytest.approx(1.0)
    assert rbo(first, second) < rbo(first, first)
    assert rbo(["b", "a", *"cdefg"], first) < rbo(second, first)  # a change at the top weighs more
    assert rbo(first, list("hijk")) == 0.0
    assert rbo(first, second) == pytest.approx(rbo(second, first))
    # by hand, p = 0.5, depth 2: agreement 0 and 1; 0.5 * (0 + 1 * 0.5) + 1 * 0.25
    assert rbo(["a", "b"], ["b", "a"], p=0.5) == pytest.approx(0.5)
    assert np.isnan(rbo([], []))
