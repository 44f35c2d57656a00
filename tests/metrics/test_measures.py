"""Measures as values, and worked examples from the literature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metrics
from metrics import UNJUDGED, MeasureError, parse_measure
from metrics.average_precision import average_precision
from metrics.gains import discount_at, gain_of
from metrics.ndcg import dcg, ndcg
from metrics.precision import precision
from metrics.rbp import rank_biased_precision, rbp_residual
from metrics.recall import recall
from metrics.reciprocal_rank import reciprocal_rank

SAME_MEASURE = {
    "nDCG@10": ["ndcg_cut_10", "NDCG@10", "nDCG(gain=linear)@10", "nDCG(dcg='log2')@10", " nDCG@10 "],
    "nDCG": ["ndcg"],
    "nDCG(gain=exp2)@5": ["nDCG(dcg='exp-log2')@5", "nDCG( gain = exp )@5"],
    "nDCG(gain=0:0,1:1,2:10,3:100)@5": ["nDCG(gain=0,1,10,100)@5"],
    "nDCG(discount=jk)": ["nDCG(discount=jk:2)"],
    "AP": ["map", "MAP", "AP(rel=1)"],
    "AP@100": ["map_cut_100"],
    "RR": ["recip_rank", "MRR"],
    "P@10": ["P_10", "P(rel=1)@10", "precision@10"],
    "R@100": ["recall_100", "recall@100"],
    "Success@10": ["success_10", "hit_rate@10"],
    "Bpref": ["bpref"],
    "Rprec": ["Rprec"],
    "SetF": ["set_F", "SetF(beta=1)"],
    "infAP": ["infAP"],
    "RBP": ["RBP(p=0.8)", "RBP(p=0.80,rel=1)"],
}


@pytest.mark.parametrize("text", SAME_MEASURE)
def test_every_spelling_of_a_measure_is_one_value_that_prints_one_text(text):
    for spelling in [text, *SAME_MEASURE[text]]:
        assert str(parse_measure(spelling)) == text
        assert parse_measure(spelling) == parse_measure(text)


GAINS = st.sampled_from(["linear", "exp2", "0:0,1:1,2:4,3:10", "0,0.5,1"])
DISCOUNTS = st.sampled_from(["log2", "jk", "jk:10", "zipf", "none"])


@given(GAINS, DISCOUNTS, st.none() | st.integers(1, 1000))
def test_the_text_of_a_measure_parses_back_to_an_equal_value(gain, discount, cutoff):
    measure = parse_measure(f"nDCG(gain={gain},discount={discount})" + (f"@{cutoff}" if cutoff else ""))
    assert parse_measure(str(measure)) == measure
    assert hash(parse_measure(str(measure))) == hash(measure)


@given(st.floats(0.01, 0.99), st.integers(1, 5))
def test_parameters_survive_printing(p, rel):
    measure = parse_measure(f"RBP(p={p},rel={rel})@20")
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foo@10", "unknown"),
        ("nDCG@0", "cutoff is 1 or more"),
        ("P", "needs a cutoff"),
        ("Bpref@10", "takes no cutoff"),
        ("nDCG(rel=2)@10", "no parameter 'rel'"),
        ("P(rel=0)@10", "1 or more"),
        ("P(rel=x)@10", "whole number"),
        ("P(rel=1,rel=2)@10", "once"),
        ("RBP(p=1.5)", "between 0 and 1"),
        ("nDCG(gain=1:2,1:3)", "two gains"),
        ("nDCG(gain=cubic)", "gain"),
        ("nDCG(discount=jk:1)", "discount"),
        ("nDCG@-3", "not understood"),
        ("", "not understood"),
    ],
)
def test_a_measure_that_makes_no_sense_says_what_is_wrong(text, said):
    with pytest.raises(MeasureError, match=said):
        parse_measure(text)


@pytest.mark.parametrize(
    "text",
    [
        "nDCG@10",
        "AP@100",
        "AP",
        "RR",
        "P@5",
        "R@1000",
        "Success@1",
        "Bpref",
        "Rprec",
        "SetP",
        "SetR",
        "SetF",
        "infAP",
        "nDCG",
    ],
)
def test_trec_evals_name_of_a_measure_is_understood_again(text):
    measure = parse_measure(text)
    assert parse_measure(measure.trec_name()) == measure


def grades(*values):
    return np.array(values)


def test_exponential_and_linear_gain_of_the_classic_example():
    ranking = grades(3, 2, 3, 0, 1)
    ideal = np.sort(ranking)[::-1]
    assert dcg(ranking, gain="exp2", cutoff=5) == pytest.approx(12.7796, abs=5e-5)
    assert dcg(ideal, gain="exp2", cutoff=5) == pytest.approx(13.3472, abs=1e-3)
    assert ndcg(ranking, ranking, gain="exp2", cutoff=5) == pytest.approx(0.9575, abs=5e-5)
    assert ndcg(ranking, ranking, cutoff=5) == pytest.approx(0.9724, abs=5e-5)


def test_two_more_exponential_examples():
    assert dcg(grades(3, 0, 2), gain="exp2") == pytest.approx(8.5)
    assert dcg(grades(3, 2, 0), gain="exp2") == pytest.approx(8.8928, abs=5e-5)
    assert ndcg(grades(3, 0, 2), grades(3, 0, 2), gain="exp2") == pytest.approx(0.9558, abs=5e-5)
    ranking = grades(3, 0, 2, 1, 3)
    assert dcg(ranking, gain="exp2") == pytest.approx(11.6386, abs=5e-5)
    assert ndcg(ranking, ranking, gain="exp2") == pytest.approx(0.8720, abs=5e-5)


def test_unjudged_documents_take_ranks_and_missed_ones_count_in_the_ideal():
    ranking = grades(2, UNJUDGED, 3, 1, UNJUDGED, 1)
    judged = grades(3, 2, 1, 1, 1)
    assert ndcg(ranking, judged, cutoff=10) == pytest.approx(0.7683, abs=5e-5)
    assert ndcg(ranking, judged, cutoff=10, gain="exp2") == pytest.approx(0.7137, abs=5e-5)
    assert recall(ranking, judged, cutoff=3) == pytest.approx(0.4)
    assert recall(ranking, judged, cutoff=100) == pytest.approx(0.8)


def test_average_precision_divides_by_all_relevant_documents():
    ranking = grades(1, 0, 1, 0, 1)
    assert average_precision(ranking, ranking) == pytest.approx(0.756, abs=5e-4)
    assert average_precision(ranking, grades(1, 0, 1, 0, 1, *[1] * 7)) == pytest.approx(0.227, abs=5e-4)


def test_mean_reciprocal_rank_of_three_queries():
    firsts = [grades(1), grades(0, 0, 1), grades(0, 1)]
    assert np.mean([reciprocal_rank(each) for each in firsts]) == pytest.approx(0.611, abs=5e-4)


def test_binary_example_with_everything_found():
    ranking = grades(1, 0, 1, 0, 1)  # B C D E F with B, D, F relevant
    assert precision(ranking, cutoff=5) == pytest.approx(0.6)
    assert recall(ranking, ranking, cutoff=5) == pytest.approx(1.0)
    assert ndcg(ranking, ranking, cutoff=5) == pytest.approx(0.885, abs=5e-4)


@pytest.mark.parametrize(
    ("cutoff", "linear", "exponential"), [(3, 0.7654, 0.5978), (5, 0.7113, 0.5604), (10, 0.8923, 0.8063)]
)
def test_ten_documents_in_the_order_of_their_scores(cutoff, linear, exponential):
    given_grades = grades(3, 0, 2, 1, 3, 0, 2, 1, 0, 3)
    scores = np.array([0.80, 0.40, 0.70, 0.60, 0.50, 0.30, 0.85, 0.55, 0.20, 0.45])
    ranking = given_grades[np.argsort(-scores)]
    assert ndcg(ranking, ranking, cutoff=cutoff) == pytest.approx(linear, abs=5e-5)
    assert ndcg(ranking, ranking, cutoff=cutoff, gain="exp2") == pytest.approx(exponential, abs=5e-5)


def test_scikit_learn_agrees_where_it_knows_all_documents():
    from sklearn.metrics import ndcg_score

    generator = np.random.default_rng(3)
    for _ in range(20):
        truth, scores = generator.integers(0, 4, 12), generator.permutation(12)
        ranking = truth[np.argsort(-scores)]
        if truth.any():
            assert ndcg(ranking, ranking, cutoff=5) == pytest.approx(ndcg_score([truth], [scores], k=5), abs=1e-12)


def test_which_of_two_rankings_is_better_can_depend_on_the_cutoff():
    judged = grades(3, 2, 2, 2, 0, 0)
    early, late = grades(3, 0, 0, 2, 2, 2), grades(2, 2, 2, 0, 3, 0)
    assert ndcg(early, judged, cutoff=1) > ndcg(late, judged, cutoff=1)
    assert ndcg(early, judged, cutoff=3) < ndcg(late, judged, cutoff=3)


def test_wikipedias_ndcg_example():
    assert ndcg(grades(3, 2, 3, 0, 1, 2), grades(3, 2, 3, 0, 1, 2, 3, 2), cutoff=6) == pytest.approx(0.785, abs=5e-4)


def test_gain_tables_and_jarvelins_discount():
    assert gain_of("0:0,1:1,2:10,3:100", grades(3, 1, -1, UNJUDGED)).tolist() == [100, 1, 0, 0]
    with pytest.raises(MeasureError, match="no gain for grade 4"):
        gain_of("0:0,1:1,2:10,3:100", grades(4))
    assert discount_at("jk", np.array([1, 2, 3, 4])).tolist() == pytest.approx([1, 1, 1 / np.log2(3), 0.5])
    assert discount_at("jk:10", np.array([1, 10, 100])).tolist() == pytest.approx([1, 1, 0.5])
    assert discount_at("zipf", np.array([1, 4])).tolist() == [1, 0.25]


def test_rbp_and_its_residual_bound_what_is_unknown():
    ranking = grades(1, UNJUDGED, 0, 2)
    low, residual = rank_biased_precision(ranking, p=0.5), rbp_residual(ranking, p=0.5)
    assert low == pytest.approx(0.5 + 0.0625)
    assert residual == pytest.approx(1 - (0.5 + 0.125 + 0.0625))


def test_undefined_scores_are_not_a_number_in_the_functions_of_single_measures():
    nothing = grades(0, 0)
    assert np.isnan(
        [ndcg(nothing, nothing), average_precision(nothing, nothing), recall(nothing, nothing, cutoff=2)]
    ).all()


def test_err_refuses_a_grade_above_its_top():
    qrels, run = metrics.read_qrels(b"q 0 d 5\n"), metrics.read_run(b"q Q0 d 1 1 t\n")
    with pytest.raises(MeasureError, match="above the top grade max=4"):
        metrics.evaluate(qrels, run, ["ERR"])


def test_the_registry_describes_every_measure():
    table = metrics.list_measures()
    assert set(table["name"]) >= {
        "nDCG",
        "DCG",
        "AP",
        "RR",
        "P",
        "R",
        "Success",
        "Judged",
        "Rprec",
        "Bpref",
        "RBP",
        "ERR",
        "SetP",
        "SetR",
        "SetF",
        "infAP",
    }
    assert (table[["summary", "formula", "source", "undefined"]] != "").all(axis=None) or table.loc[
        table["source"] == ""
    ].empty
    for example in table["example"]:
        parse_measure(example)
