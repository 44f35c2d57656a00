import csv
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from labeling._dawid_skene import Answers, average_start, estimate_habits, fit_dawid_skene, infer_grades
from labeling._votes import encode_votes
from labeling.aggregation import RULES, consolidate, fit_votes, parse_rule, share_grades, weigh_by_gold
from labeling.draws import draw_posteriors, grade_bounds, posterior_distributions, vote_shares
from labeling.errors import AssayError, NotFound
from labeling.rules import Rule
from tests.support.aggregation_twins import naive_consolidation, naive_e_step, naive_m_step
from tests.support.agreement_twins import votes_table
from tests.support.data import shared_data

SIMPLE_RULES = ["majority", "median", "mean", "minimum", "maximum", "unanimous"]
ALL_RULES = [*SIMPLE_RULES, "rater:a", "raters:b,a", "dawid-skene", "gold-weighted"]
WEIGHTS = {"a": 0.9, "b": 0.5, "c": 0.4}

votes_rows = st.dictionaries(
    st.tuples(st.sampled_from(["q1", "q2", "001"]), st.sampled_from(["d1", "d2", "d3"]), st.sampled_from("abcd")),
    st.integers(0, 3),
    min_size=1,
    max_size=36,
).map(lambda votes: [(*key, grade) for key, grade in votes.items()])


def settled(result):
    rows = zip(result.table["query_id"], result.table["doc_id"], result.table["relevance"], strict=True)
    return {(query, doc): None if pd.isna(grade) else int(grade) for query, doc, grade in rows}


@given(votes_rows, st.sampled_from(SIMPLE_RULES), st.sampled_from(["lower", "higher", "open"]))
@settings(max_examples=150, deadline=None)
def test_every_rule_equals_its_definition_pair_by_pair(rows, rule, ties):
    result = consolidate(votes_table(rows), rule, ties=ties)
    assert settled(result) == naive_consolidation(rows, rule, ties, (0, 1, 2, 3))


@given(
    votes_rows,
    st.randoms(use_true_random=False),
    st.sampled_from(ALL_RULES),
    st.sampled_from(["lower", "higher", "open"]),
)
@settings(max_examples=60, deadline=None)
def test_row_order_changes_nothing(rows, random, rule, ties):
    rows = [*rows, ("q1", "d9", "a", 1)]
    shuffled = list(rows)
    random.shuffle(shuffled)
    if rule == "raters:b,a" and not any(rater == "b" for _query, _doc, rater, _grade in rows):
        rule = "rater:a"
    first, second = (
        consolidate(votes_table(given_rows), rule, ties=ties, weights=WEIGHTS) for given_rows in (rows, shuffled)
    )
    pd.testing.assert_frame_equal(first.table, second.table)
    assert first.counts == second.counts


@given(votes_rows, st.permutations("abcd"))
@settings(max_examples=30, deadline=None)
def test_the_names_of_raters_change_nothing(rows, names):
    renamed = [(query, doc, dict(zip("abcd", names, strict=True))[rater], grade) for query, doc, rater, grade in rows]
    for rule in SIMPLE_RULES:
        pd.testing.assert_frame_equal(
            consolidate(votes_table(rows), rule).table, consolidate(votes_table(renamed), rule).table
        )


def test_a_rule_prints_itself_and_parses_back():
    for text in ALL_RULES:
        assert str(parse_rule(text)) == text
        assert parse_rule(str(parse_rule(text))) == parse_rule(text)
    assert parse_rule("rater:a:b").raters == ("a:b",)
    assert set(RULES) == {*SIMPLE_RULES, "rater", "raters", "dawid-skene", "gold-weighted"}


@given(st.lists(st.text(min_size=1).filter(lambda name: not set("\r\n\0") & set(name)), min_size=1, unique=True))
def test_an_order_of_raters_prints_itself_and_parses_back_whatever_their_names(names):
    assume("".join(names).strip())
    rule = Rule("raters", tuple(names))
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize("text", ["", "majority:x", "rater", "rater:", "raters", "raters: ", "mode", "Majority"])
def test_another_rule_is_refused_with_the_rules_there_are(text):
    with pytest.raises(
        AssayError,
        match=r"expected majority, median, mean, minimum, maximum, unanimous, rater:NAME, raters:NAME,NAME,\.\.\., "
        "dawid-skene, gold-weighted, found",
    ):
        parse_rule(text)


@pytest.mark.parametrize("text", ["raters:a,", "raters:a,b,a", 'raters:"a'])
def test_an_order_of_raters_with_gaps_or_one_of_them_twice_is_refused(text):
    with pytest.raises(AssayError, match="an order of raters: expected names"):
        parse_rule(text)


def test_in_an_order_of_raters_the_first_who_voted_counts():
    rows = [("q", "d", "a", 0), ("q", "d", "b", 2), ("q", "e", "a", 1), ("q", "f", "c", 3), ("q", "g", "b", 3)]
    found = consolidate(votes_table(rows), "raters:b,a")
    assert settled(found) == {("q", "d"): 2, ("q", "e"): 1, ("q", "f"): None, ("q", "g"): 3}
    assert found.definition["rule"] == "raters:b,a"
    with pytest.raises(NotFound, match="no rater z among these votes"):
        consolidate(votes_table(rows), "raters:b,z")


@given(votes_rows, st.sampled_from(["lower", "higher", "open"]))
@settings(max_examples=60, deadline=None)
def test_votes_weighted_by_gold_equal_sums_with_loops(rows, ties):
    weights = {"a": 0.75, "b": 0.5, "c": 0.25}
    found = settled(consolidate(votes_table(rows), "gold-weighted", ties=ties, weights=weights))
    for pair, grade in found.items():
        sums = {}
        for query, doc, rater, given_grade in rows:
            if (query, doc) == pair and rater in weights:
                sums[given_grade] = sums.get(given_grade, 0) + weights[rater]
        best = sorted(one for one, total in sums.items() if total == max(sums.values()))
        if len(best) > 1 and ties == "open":
            best = []
        assert grade == ((best[-1] if ties == "higher" else best[0]) if best else None)


def test_weights_are_accuracy_on_gold_and_without_gold_the_rule_is_undefined_with_its_reason():
    results = pd.DataFrame(
        {"rater": ["a", "a", "a", "b", "b"], "grade": [1, 2, 3, 0, 0], "reference": [1, 2, 3, 3, 0], "query_id": "q"}
    )
    assert weigh_by_gold(results) == {"a": 4 / 5, "b": 2 / 4}
    rows = [("q", "d", "a", 0), ("q", "d", "b", 2), ("q", "d", "c", 2), ("q", "e", "c", 2)]
    found = consolidate(votes_table(rows), "gold-weighted", weights=weigh_by_gold(results))
    assert settled(found) == {("q", "d"): 0, ("q", "e"): None}
    assert found.definition["weights"] == {"a": 0.8, "b": 0.5, "c": None}
    assert found.undefined is None
    without = consolidate(votes_table(rows), "gold-weighted", weights=weigh_by_gold(results.head(0)))
    assert without.counts["open"] == 2
    assert "no rater has judged a pair of known grade" in without.undefined
    with pytest.raises(AssayError, match="weights: expected numbers from 0"):
        consolidate(votes_table(rows), "gold-weighted", weights={"a": -1.0})


def test_the_mean_stands_beside_the_grade_as_a_decimal_number():
    rows = [("q", "d", "a", 0), ("q", "d", "b", 1), ("q", "d", "c", 1), ("q", "e", "a", 3)]
    found = consolidate(votes_table(rows), "minimum").table
    assert found["mean"].tolist() == [pytest.approx(2 / 3), 3.0]


def test_soft_grades_are_the_shares_of_the_votes():
    rows = [("q", "d", "a", 0), ("q", "d", "b", 1), ("q", "d", "c", 1), ("q", "d", "d", 3)]
    assert share_grades(votes_table(rows)).to_dict("records") == [
        {"query_id": "q", "doc_id": "d", "votes": 4, "share_0": 0.25, "share_1": 0.5, "share_2": 0.0, "share_3": 0.25}
    ]


def test_ties_go_lower_higher_or_to_the_lead_and_are_counted():
    votes = votes_table([("q", "d", "a", 0), ("q", "d", "b", 2), ("q", "e", "a", 1), ("q", "e", "b", 1)])
    by_ties = {ties: consolidate(votes, "majority", ties=ties) for ties in ("lower", "higher", "open")}
    assert {ties: settled(result)["q", "d"] for ties, result in by_ties.items()} == {
        "lower": 0,
        "higher": 2,
        "open": None,
    }
    assert [result.counts["ties"] for result in by_ties.values()] == [1, 1, 1]
    assert [result.counts["open"] for result in by_ties.values()] == [0, 0, 1]
    assert by_ties["open"].qrels().to_dict("records") == [{"query_id": "q", "doc_id": "e", "relevance": 1}]


def test_the_mean_of_an_even_gap_scale_goes_to_the_nearest_grade():
    votes = votes_table([("q", "d", "a", 0), ("q", "d", "b", 7), ("q", "e", "a", 3), ("q", "e", "b", 7)])
    assert settled(consolidate(votes, "mean", grades=(0, 3, 7))) == {("q", "d"): 3, ("q", "e"): 3}


def test_decisions_win_over_every_rule_and_votes_against_them_are_dissent():
    votes = votes_table([("q", "d", "a", 0), ("q", "d", "b", 0), ("q", "e", "a", 1)])
    decisions = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "new"], "grade": [3, 2]})
    for rule in ALL_RULES:
        result = consolidate(votes, rule, decisions=decisions, weights=WEIGHTS)
        assert result.table["mean"].fillna(-1).tolist() == [0.0, 1.0, -1]
        assert result.table.drop(columns="mean").to_dict("records") == [
            {"query_id": "q", "doc_id": "d", "relevance": 3, "source": "decision", "votes": 2, "dissent": 2},
            {"query_id": "q", "doc_id": "e", "relevance": 1, "source": "rule", "votes": 1, "dissent": 0},
            {"query_id": "q", "doc_id": "new", "relevance": 2, "source": "decision", "votes": 0, "dissent": 0},
        ]
        assert result.counts == {"pairs": 3, "decided": 2, "by_rule": 1, "open": 0, "ties": 0, "dissent_pairs": 1}


def test_a_tie_that_a_lead_has_settled_is_no_longer_counted_as_one():
    votes = votes_table([("q", "d", "a", 0), ("q", "d", "b", 3), ("q", "e", "a", 1), ("q", "e", "b", 2)])
    decisions = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "grade": [3]})
    assert consolidate(votes, "majority", ties="open", decisions=decisions).counts == {
        "pairs": 2, "decided": 1, "by_rule": 0, "open": 1, "ties": 1, "dissent_pairs": 1,
    }  # fmt: skip


def test_dissent_counts_the_votes_that_differ_and_is_undefined_where_open():
    rows = [("q", "d", rater, grade) for rater, grade in zip("abcd", (3, 3, 1, 0), strict=True)]
    result = consolidate(votes_table([*rows, ("q", "e", "a", 0), ("q", "e", "b", 1)]), "majority", ties="open")
    assert result.table["dissent"].tolist()[0] == 2
    assert pd.isna(result.table["dissent"].tolist()[1])


def test_two_decisions_on_a_pair_or_one_outside_the_scale_are_refused():
    votes = votes_table([("q", "d", "a", 0)])
    for grades in ([1, 2], [9]):
        decisions = pd.DataFrame({"query_id": "q", "doc_id": "d", "grade": grades})
        with pytest.raises(AssayError):
            consolidate(votes, "majority", decisions=decisions)


def test_one_raters_grades_leave_the_pairs_of_others_open():
    votes = votes_table([("q", "d", "a", 0), ("q", "e", "b", 2)])
    assert settled(consolidate(votes, "rater:b")) == {("q", "d"): None, ("q", "e"): 2}
    with pytest.raises(NotFound, match="no rater c among these votes; there are a, b"):
        consolidate(votes, "rater:c")


def test_no_votes_give_an_empty_table():
    for rule in (*SIMPLE_RULES, "dawid-skene"):
        assert len(consolidate(votes_table([]), rule).table) == 0


def test_pairs_come_out_in_byte_order_of_query_and_document():
    rows = [(query, doc, "a", 1) for query in ("q10", "Q2", "q2", "é") for doc in ("d10", "d2")]
    table = consolidate(votes_table(rows), "majority").table
    keys = list(zip(table["query_id"], table["doc_id"], strict=True))
    assert keys == sorted(keys, key=lambda key: tuple(part.encode() for part in key))


# Dawid and Skene


def _oracle(name):
    with shared_data("oracles", name).open() as lines:
        return list(csv.DictReader(lines))


def _dawid_skene_1979():
    rows = _oracle("dawid_skene_1979_long.csv")
    triples = np.array([(int(row["item"]) - 1, int(row["rater"]) - 1, int(row["label"]) - 1) for row in rows])
    return Answers(*triples.T, items=45, raters=5, labels=4)


def test_each_step_on_the_1979_data_equals_the_same_step_with_loops():
    answers = _dawid_skene_1979()
    triples = list(zip(answers.item.tolist(), answers.rater.tolist(), answers.label.tolist(), strict=True))
    posteriors, last = average_start(answers), -np.inf
    for _ in range(6):
        priors, rates = estimate_habits(answers, posteriors)
        naive_priors, naive_rates = naive_m_step(triples, posteriors.tolist(), 45, 5, 4)
        np.testing.assert_allclose(priors, naive_priors, atol=1e-12)
        np.testing.assert_allclose(rates, naive_rates, atol=1e-12)
        posteriors, log_likelihood = infer_grades(answers, priors, rates)
        naive_posteriors, naive_likelihood = naive_e_step(triples, naive_priors, naive_rates, 45, 4)
        np.testing.assert_allclose(posteriors, naive_posteriors, atol=1e-12)
        assert log_likelihood == pytest.approx(naive_likelihood, abs=1e-9)
        assert log_likelihood > last
        last = log_likelihood


def test_the_1979_data_converge_to_the_recomputed_values_and_to_the_published_ones():
    fit = fit_dawid_skene(_dawid_skene_1979())
    assert fit.converged_
    assert fit.log_likelihood_ == pytest.approx(-192.8908812142, abs=1e-8)
    for row in _oracle("dawid_skene_1979_em_prior_recomputed.csv"):
        assert fit.priors_[int(row["label"]) - 1] == pytest.approx(float(row["prior"]), abs=1e-8)
    for name, tolerance in (("em_error_rates_recomputed", 1e-8), ("published_error_rates", 0.0051)):
        for row in _oracle(f"dawid_skene_1979_{name}.csv"):
            found = fit.error_rates_[int(row["rater"]) - 1, int(row["true_label"]) - 1, int(row["given_label"]) - 1]
            assert found == pytest.approx(float(row["rate"]), abs=tolerance), row
    for name, tolerance in (("em_posteriors_recomputed", 1e-8), ("published_posteriors_selected", 0.0051)):
        for row in _oracle(f"dawid_skene_1979_{name}.csv"):
            found = fit.posteriors_[int(row["item"]) - 1]
            np.testing.assert_allclose(found, [float(row[f"p{n}"]) for n in range(1, 5)], atol=tolerance)


@pytest.mark.parametrize("size", [3, 300, 30_000])
def test_many_labels_on_one_item_do_not_underflow(size):
    generator = np.random.default_rng(1)
    item, rater = np.zeros(size, dtype=np.int64), np.arange(size) % 7
    label = np.where(generator.random(size) < 0.8, 1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = fit_dawid_skene(Answers(item, rater, label, items=1, raters=7, labels=4), smoothing=1.0)
    assert np.isfinite(fit.log_likelihood_)
    assert fit.posteriors_.sum() == pytest.approx(1.0)


def _simulated_votes(pairs=300, seed=4):
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 4, pairs)
    rows = []
    for pair, grade in enumerate(truth):
        for rater in "abc":
            slip = {"a": 0.1, "b": 0.2, "c": 0.9}[rater]
            given_grade = int(generator.integers(0, 4)) if generator.random() < slip else int(grade)
            rows.append((f"q{pair % 20}", f"d{pair}", rater, given_grade))
    return votes_table(rows), {(f"q{pair % 20}", f"d{pair}"): int(grade) for pair, grade in enumerate(truth)}


def test_a_rater_who_guesses_counts_for_less_than_two_who_do_not():
    votes, truth = _simulated_votes()
    right = {}
    for rule in ("dawid-skene", "mean"):
        found = settled(consolidate(votes, rule))
        right[rule] = sum(found[pair] == grade for pair, grade in truth.items())
    assert right["dawid-skene"] > right["mean"]


def test_posterior_draws_follow_the_posteriors_and_the_seed():
    votes, _ = _simulated_votes(60)
    first, again = (
        draw_posteriors(votes, draws=400, seed=3),
        draw_posteriors(votes.sample(frac=1, random_state=1), draws=400, seed=3),
    )
    assert (first.grades == again.grades).all()
    assert first.grades.shape == (400, 60)
    assert set(np.unique(first.grades)) <= {0, 1, 2, 3}
    assert first.qrels(0).columns.tolist() == ["query_id", "doc_id", "relevance"]
    unanimous = votes.groupby(["query_id", "doc_id"])["grade"].transform("nunique") == 1
    sure = (
        first.pairs.merge(votes[unanimous].drop_duplicates(["query_id", "doc_id"]), how="left")["grade"]
        .notna()
        .to_numpy()
    )
    steady = [(column == np.bincount(column).argmax()).mean() for column in first.grades.T]
    assert np.mean(np.array(steady)[sure]) > np.mean(np.array(steady)[~sure])


def test_smoothing_keeps_a_rater_with_two_votes_from_certain_habits():
    votes, _ = _simulated_votes(80)
    encoded = encode_votes(pd.concat([votes, votes_table([("q1", "d1", "z", 3), ("q2", "d2", "z", 0)])]), (0, 1, 2, 3))
    plain, smoothed = (fit_votes(encoded, smoothing).error_rates_[-1] for smoothing in (0.0, 1.0))
    shown = plain.max(axis=1) > 0.999
    assert shown.any()
    assert (smoothed[shown].max(axis=1) < 0.97).all()
    assert (smoothed > 0).all()
    with pytest.raises(AssayError):
        draw_posteriors(votes, smoothing=0.0)


def test_bounds_are_the_lowest_and_highest_vote_of_each_pair():
    votes = votes_table([("q", "d", "a", 3), ("q", "d", "b", 1), ("q", "e", "a", 2)])
    assert grade_bounds(votes).to_dict("records") == [
        {"query_id": "q", "doc_id": "d", "low": 1, "high": 3, "votes": 2},
        {"query_id": "q", "doc_id": "e", "low": 2, "high": 2, "votes": 1},
    ]


def test_distributions_add_up_to_1_for_each_pair_and_shares_are_those_of_the_votes():
    votes = votes_table([("q", "d", "a", 3), ("q", "d", "b", 1), ("q", "e", "a", 2)])
    for table in (posterior_distributions(votes), vote_shares(votes)):
        assert table.columns.tolist() == ["query_id", "doc_id", "grade", "probability"]
        assert table.groupby(["query_id", "doc_id"])["probability"].sum().tolist() == pytest.approx([1.0, 1.0])
    assert vote_shares(votes)["probability"].tolist() == [0.0, 0.5, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0]


def test_posterior_distributions_can_be_drawn_from_for_the_scores_of_runs():
    import metrics

    votes, _ = _simulated_votes(60)
    run = votes.drop_duplicates(["query_id", "doc_id"])[["query_id", "doc_id"]].assign(score=np.arange(60.0))
    found = metrics.disagreement(
        votes,
        {"one": run, "two": run.assign(score=-run["score"])},
        by="distribution",
        draws=20,
        distributions=posterior_distributions(votes),
    )
    assert found.qrels_count == 20
