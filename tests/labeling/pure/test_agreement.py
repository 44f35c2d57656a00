import csv
import json
import math
import time
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling import _couples, agreement
from labeling._coefficients import cohen_kappa
from labeling._drift import find_drifts
from labeling.agreement import count_confusions, count_grades, cut_confusions, measure_agreement
from labeling.errors import AssayError, NotFound
from labeling.exchange.judgments import read_judgments, votes_of
from tests.support.agreement_twins import naive_alpha, naive_share_of_equal_grades, votes_table
from tests.support.data import shared_data

ROWS = [
    ("q1", "d1", "ann", 3),
    ("q1", "d1", "bob", 3),
    ("q1", "d2", "ann", 0),
    ("q1", "d2", "bob", 1),
    ("q2", "d1", "ann", 2),
    ("q2", "d1", "cid", 0),
    ("q2", "d3", "cid", 1),
]

votes_rows = st.dictionaries(
    st.tuples(st.sampled_from(["q1", "q2", "001", "NA"]), st.sampled_from(["d1", "d2", "d3"]), st.sampled_from("abcd")),
    st.integers(0, 3),
    max_size=40,
).map(lambda votes: [(*key, grade) for key, grade in votes.items()])


def value(report, name, level="nominal"):
    return report.coefficient(name, level).value


def close(a, b):
    return (math.isnan(a) and b is None) or a == pytest.approx(b, abs=1e-12)


@given(votes_rows)
@settings(max_examples=60, deadline=None)
def test_the_fast_sums_equal_the_definitions_couple_by_couple(rows):
    report = measure_agreement(votes_table(rows), draws=0)
    assert close(value(report, "percent_agreement"), naive_share_of_equal_grades(rows))
    for level in ("nominal", "ordinal", "interval"):
        assert close(value(report, "krippendorff_alpha", level), naive_alpha(rows, level))


@given(votes_rows, st.randoms(use_true_random=False), st.sampled_from(["query", "pair"]))
@settings(max_examples=30, deadline=None)
def test_row_order_changes_nothing_not_even_the_bootstrap(rows, random, resample):
    shuffled = list(rows)
    random.shuffle(shuffled)
    first, second = (
        measure_agreement(votes_table(given_rows), draws=20, seed=3, resample=resample).to_json()
        for given_rows in (rows, shuffled)
    )
    assert json.dumps(first) == json.dumps(second)


def test_counts_say_what_the_votes_hold():
    report = measure_agreement(votes_table(ROWS))
    assert (report.pairs, report.raters, report.votes, report.paired) == (4, 3, 7, 3)
    assert [found.raters for found in report.rater_pairs] == [("ann", "bob"), ("ann", "cid")]
    assert [found.n for found in report.rater_pairs] == [2, 1]


def test_the_argument_is_not_changed():
    table = votes_table(ROWS)
    before = table.copy()
    measure_agreement(table)
    pd.testing.assert_frame_equal(table, before)


def test_no_votes_at_all_is_undefined_with_the_reason():
    report = measure_agreement(votes_table([]))
    assert {found.undefined for found in report.coefficients} == {agreement.NO_VOTES}
    assert json.dumps(report.to_json(), allow_nan=False)


def test_one_rater_is_undefined_with_the_reason():
    report = measure_agreement(votes_table([("q1", "d1", "ann", 1), ("q1", "d2", "ann", 2)]))
    assert {found.undefined for found in report.coefficients} == {agreement.ONE_RATER}


def test_no_pair_with_two_votes_is_undefined_and_the_count_is_said():
    report = measure_agreement(votes_table([("q1", "d1", "ann", 1), ("q1", "d2", "bob", 2)]))
    assert {found.undefined for found in report.coefficients} == {agreement.NO_DOUBLE_VOTES}
    assert [(caution.code, caution.params["n"]) for caution in report.warnings] == [("few_double_votes", 0)]


def test_one_grade_everywhere_leaves_alpha_and_kappa_undefined_and_equal_grades_and_ac1_defined():
    rows = [(f"q{pair}", "d", rater, 0) for pair in range(12) for rater in "ab"]
    report = measure_agreement(votes_table(rows))
    for name in ("krippendorff_alpha", "fleiss_kappa"):
        assert report.coefficient(name, "nominal").undefined == agreement.ONE_GRADE
        assert math.isnan(report.coefficient(name, "nominal").value)
    assert value(report, "percent_agreement") == 1.0
    assert value(report, "gwet_ac1") == 1.0
    assert report.rater_pairs[0].undefined == _couples.BOTH_ONE_GRADE
    assert {caution.code for caution in report.warnings} == {"perfect_agreement", "one_grade_rater", "few_double_votes"}


def test_one_difference_in_constant_votes_gives_alpha_0():
    rows = [(f"q{pair}", "d", rater, 0) for pair in range(12) for rater in "ab"]
    rows[0] = ("q0", "d", "a", 1)
    assert value(measure_agreement(votes_table(rows)), "krippendorff_alpha") == pytest.approx(0.0, abs=1e-12)


def test_identical_raters_are_pointed_out():
    rows = [(f"q{pair}", "d", rater, pair % 4) for pair in range(40) for rater in "ab"]
    cautions = measure_agreement(votes_table(rows)).warnings
    assert [caution.code for caution in cautions] == ["identical_raters", "perfect_agreement"]
    assert (
        str(cautions[0]) == "a and b gave the same grade on all of their 40 common pairs: check the export for copies"
    )


def test_rater_names_that_differ_by_case_blank_or_unicode_form_are_pointed_out():
    decomposed = unicodedata.normalize("NFD", "김민수")
    rows = [("q", "d", name, 1) for name in ("Kim", "kim ", "KIM", "김민수", decomposed)]
    cautions = measure_agreement(votes_table(rows)).warnings
    found = [caution.params["raters"] for caution in cautions if caution.code == "look_alike_raters"]
    assert found == ["'KIM', 'Kim', 'kim '", f"'{decomposed}', '김민수'"]


def test_a_grade_outside_the_scale_is_refused_with_its_count():
    with pytest.raises(AssayError, match=r"scale 0, 1, 2, 3, found 7 \(1 times\)"):
        measure_agreement(votes_table([*ROWS, ("q9", "d", "ann", 7)]))


def test_two_votes_of_a_rater_on_a_pair_are_refused_with_their_place():
    with pytest.raises(AssayError, match="query q1, document d1, rater ann"):
        measure_agreement(votes_table([*ROWS, ("q1", "d1", "ann", 2)]))


def test_ids_that_look_like_numbers_or_missing_values_stay_apart():
    rows = [(query, doc, rater, 1) for query in ("1", "001", "NA") for doc in ("01", "null") for rater in "ab"]
    assert measure_agreement(votes_table(rows)).pairs == 6


def test_weights_run_over_the_whole_scale_and_not_over_the_observed_grades():
    rows = [
        ("q", str(n), rater, grade)
        for n, pair in enumerate([(0, 0), (1, 3), (3, 3), (0, 1), (3, 1)])
        for rater, grade in zip("ab", pair, strict=True)
    ]
    report = measure_agreement(votes_table(rows), draws=0).rater_pairs[0]
    from sklearn.metrics import cohen_kappa_score

    first, second = [0, 1, 3, 0, 3], [0, 3, 3, 1, 1]
    assert report.cohen_kappa_linear == pytest.approx(
        cohen_kappa_score(first, second, weights="linear", labels=[0, 1, 2, 3]), abs=1e-12
    )
    assert report.cohen_kappa_linear != pytest.approx(cohen_kappa_score(first, second, weights="linear"), abs=1e-3)


def test_confusions_have_the_first_raters_grades_in_the_rows():
    table = count_confusions(votes_table(ROWS), "ann", "bob", (0, 1, 2, 3))
    assert table.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert count_confusions(votes_table(ROWS), "bob", "ann", (0, 1, 2, 3)).tolist() == table.T.tolist()
    assert count_confusions(votes_table(ROWS), "bob", "cid", (0, 1, 2, 3)).sum() == 0
    with pytest.raises(NotFound, match="no rater dan"):
        count_confusions(votes_table(ROWS), "ann", "dan", (0, 1, 2, 3))


def test_grade_counts_list_grades_that_were_never_given():
    table = count_grades(votes_table(ROWS), (0, 1, 2, 3))
    assert table.index.tolist() == ["ann", "bob", "cid"]
    assert table.loc["ann"].tolist() == [1, 0, 1, 1]
    assert table.columns.tolist() == [0, 1, 2, 3]


def test_a_single_query_has_no_interval_by_query_but_one_by_pair():
    rows = [("q", str(n), rater, (n * 3 + ord(rater)) % 4) for n in range(40) for rater in "ab"]
    by_query = measure_agreement(votes_table(rows)).coefficient("krippendorff_alpha", "ordinal")
    by_pair = measure_agreement(votes_table(rows), resample="pair").coefficient("krippendorff_alpha", "ordinal")
    assert math.isnan(by_query.low)
    assert by_pair.low < by_pair.value < by_pair.high


def test_the_bootstrap_by_pair_has_the_spread_of_resampled_rows():
    generator = np.random.default_rng(5)
    truth = generator.integers(0, 4, 60)
    rows = [
        ("q", str(n), rater, int(np.clip(truth[n] + generator.integers(-1, 2), 0, 3)))
        for n in range(60)
        for rater in "ab"
    ]
    by_pair = measure_agreement(votes_table(rows), draws=4000, resample="pair").coefficient(
        "krippendorff_alpha", "interval"
    )
    drawn = []
    for _ in range(400):
        chosen = generator.integers(0, 60, 60)
        resampled = [
            ("q", f"{place}", rater, rows[2 * pair + side][3])
            for place, pair in enumerate(chosen)
            for side, rater in enumerate("ab")
        ]
        drawn.append(naive_alpha(resampled, "interval"))
    assert by_pair.low == pytest.approx(np.percentile(drawn, 2.5), abs=0.05)
    assert by_pair.high == pytest.approx(np.percentile(drawn, 97.5), abs=0.03)


def test_a_hundred_thousand_votes_with_a_thousand_draws_take_a_moment():
    generator = np.random.default_rng(0)
    pairs = 20_000
    table = pd.DataFrame(
        {
            "query_id": np.repeat([f"q{n % 200}" for n in range(pairs)], 5),
            "doc_id": np.repeat([f"d{n}" for n in range(pairs)], 5),
            "rater": np.tile(list("abcde"), pairs),
            "grade": generator.integers(0, 4, 5 * pairs),
        }
    )
    started = time.perf_counter()
    report = measure_agreement(table, draws=1000)
    assert time.perf_counter() - started < 3.0
    assert report.paired == pairs


def _oracle_votes(name):
    with shared_data("oracles", name).open() as lines:
        rows = list(csv.DictReader(lines))
    labels = sorted({row["label"] for row in rows})
    numbered = labels if any(not label.lstrip("-").isdigit() for label in labels) else None
    grade = numbered.index if numbered else int
    return votes_table([("q", row["item"], row["rater"], grade(row["label"])) for row in rows])


def _oracle_table(name):
    """Votes of two raters from a table of counts: as many pairs as the counts say."""
    with shared_data("oracles", name).open() as lines:
        rows = list(csv.DictReader(lines))
    votes, pair = [], 0
    for row in rows:
        for _ in range(int(row["count"])):
            votes += [("q", str(pair), "1", int(row["rater1_label"])), ("q", str(pair), "2", int(row["rater2_label"]))]
            pair += 1
    return votes_table(votes)


def _oracle_counts(name):
    with shared_data("oracles", name).open() as lines:
        rows = list(csv.reader(lines))[1:]
    votes = []
    for item, *counts in rows:
        grades = [grade for grade, count in enumerate(counts) for _ in range(int(count))]
        votes += [("q", item, str(rater), grade) for rater, grade in enumerate(grades)]
    return votes_table(votes)


def _expected(wanted):
    with shared_data("oracles", "expected_agreement.csv").open() as lines:
        return [row for row in csv.DictReader(lines) if row["statistic"] in wanted]


def test_every_worked_example_of_the_literature_comes_out():
    known = {
        ("krippendorff_alpha", "nominal"): ("krippendorff_alpha", "nominal"),
        ("krippendorff_alpha", "ordinal"): ("krippendorff_alpha", "ordinal"),
        ("krippendorff_alpha", "interval"): ("krippendorff_alpha", "interval"),
        ("krippendorff_alpha", "ratio"): ("krippendorff_alpha", "ratio"),
        ("fleiss_kappa", "nominal"): ("fleiss_kappa", "nominal"),
        ("fleiss_kappa", "identity with missing (Gwet)"): ("fleiss_kappa", "nominal"),
        ("scott_pi", "unweighted"): ("scott_pi", "nominal"),
        ("gwet_ac1", "nominal"): ("gwet_ac1", "nominal"),
        ("gwet_ac1", "identity"): ("gwet_ac1", "nominal"),
        ("gwet_ac1", "unweighted"): ("gwet_ac1", "nominal"),
        ("gwet_ac2", "linear"): ("gwet_ac2", "linear"),
        ("gwet_ac2", "quadratic"): ("gwet_ac2", "quadratic"),
    }
    checked = 0
    for row in _expected({name for name, _ in known}):
        if (row["statistic"], row["variant"]) not in known:
            continue
        name, level = known[row["statistic"], row["variant"]]
        read = {
            "counts": _oracle_counts,
            "distrib": _oracle_counts,
            "table": _oracle_table,
            "cont3x3": _oracle_table,
            "paradox": _oracle_table,
        }
        reader = next((reader for part, reader in read.items() if part in row["input"]), _oracle_votes)
        table = reader(row["input"])
        report = measure_agreement(table, grades=sorted(table["grade"].unique()), draws=0)
        assert value(report, name, level) == pytest.approx(
            float(row["value"]), abs=max(float(row["tolerance"]), 1e-9)
        ), row
        checked += 1
    assert checked >= 20


def test_every_worked_example_of_cohens_kappa_comes_out():
    fields = {"unweighted": "cohen_kappa", "linear": "cohen_kappa_linear", "quadratic": "cohen_kappa_quadratic"}
    rows = [row for row in _expected({"cohen_kappa"}) if row["variant"] in fields]
    for row in rows:
        table = _oracle_table(row["input"])
        report = measure_agreement(table, grades=sorted(table["grade"].unique()), draws=0)
        found = getattr(report.rater_pairs[0], fields[row["variant"]])
        assert found == pytest.approx(float(row["value"]), abs=float(row["tolerance"])), row
    assert len(rows) >= 10


def test_kappa_over_a_fixed_scale_differs_from_kappa_over_the_observed_labels():
    report = measure_agreement(_oracle_votes("irr_anxiety_20x3.csv"), grades=range(1, 7), draws=0)
    found = next(pair for pair in report.rater_pairs if pair.raters == ("r2", "r3"))
    assert found.cohen_kappa_linear == pytest.approx(0.1262135922, abs=1e-9)
    assert found.cohen_kappa_quadratic == pytest.approx(0.2297979798, abs=1e-9)


def test_ratio_alpha_needs_grades_of_0_or_more():
    rows = [("q", str(n), rater, (n + (rater == "b")) % 3 - 1) for n in range(6) for rater in "ab"]
    found = measure_agreement(votes_table(rows), grades=(-1, 0, 1), draws=0).coefficient("krippendorff_alpha", "ratio")
    assert found.undefined == agreement.BELOW_ZERO
    assert math.isnan(found.value)


@given(votes_rows)
@settings(max_examples=40, deadline=None)
def test_kappa_and_overlap_equal_scikit_learn_for_two_raters_and_are_weighted_means_for_more(rows):
    from sklearn.metrics import cohen_kappa_score, jaccard_score

    table = votes_table(rows)
    report = measure_agreement(table, draws=0)
    weighed = {"nominal": [], "linear": [], "quadratic": []}
    for pair in report.rater_pairs:
        both = table[table["rater"].isin(pair.raters)].pivot_table(
            index=["query_id", "doc_id"], columns="rater", values="grade"
        )
        a, b = both.dropna().astype(int).to_numpy().T
        for level, values in weighed.items():
            if len({*a, *b}) > 1:
                weights = None if level == "nominal" else level
                values.append((len(a), cohen_kappa_score(a, b, weights=weights, labels=[0, 1, 2, 3])))
        alone = measure_agreement(table[table["rater"].isin(pair.raters)], draws=0)
        for grade in (1, 2, 3):
            expected = jaccard_score(a >= grade, b >= grade) if ((a >= grade) | (b >= grade)).any() else None
            assert close(value(alone, "overlap_of_relevant", str(grade)), expected)
    for level, values in weighed.items():
        expected = sum(n * kappa for n, kappa in values) / sum(n for n, _ in values) if values else None
        found = report.coefficient("cohen_kappa", level)
        assert (math.isnan(found.value) and expected is None) or found.value == pytest.approx(expected, abs=1e-9)
        assert (found.undefined is None) == (expected is not None)


@given(votes_rows)
@settings(max_examples=30, deadline=None)
def test_scotts_pi_is_that_of_the_couples_of_votes_and_fleiss_where_every_pair_has_the_same_votes(rows):
    table = votes_table(rows)
    sizes = table.groupby(["query_id", "doc_id"])["grade"].transform("count")
    full = table[sizes == 2]
    report = measure_agreement(full, draws=0)
    pi, fleiss = (report.coefficient(name, "nominal") for name in ("scott_pi", "fleiss_kappa"))
    assert close(pi.value, None if math.isnan(fleiss.value) else fleiss.value)
    with_single = measure_agreement(table[sizes <= 2], draws=0)
    assert close(with_single.coefficient("scott_pi", "nominal").value, None if math.isnan(pi.value) else pi.value)


@pytest.mark.parametrize("resample", ["query", "pair"])
def test_the_bootstrap_of_kappa_draws_the_votes_that_the_other_coefficients_draw(resample):
    generator = np.random.default_rng(11)
    rows = []
    for n in range(400):
        truth = int(generator.integers(0, 4))
        rows += [(f"q{n % 40}", str(n), rater, int(np.clip(truth + generator.integers(-1, 2), 0, 3))) for rater in "ab"]
    report = measure_agreement(votes_table(rows), draws=4000, resample=resample)
    kappa, pi = report.coefficient("cohen_kappa", "nominal"), report.coefficient("scott_pi", "nominal")
    assert kappa.low == pytest.approx(pi.low, abs=0.01)
    assert kappa.high == pytest.approx(pi.high, abs=0.01)
    only = report.rater_pairs[0]
    assert (only.cohen_kappa_low, only.cohen_kappa_high) == pytest.approx((kappa.low, kappa.high), abs=1e-12)
    assert only.cohen_kappa_low < only.cohen_kappa < only.cohen_kappa_high


def test_models_agree_with_people_as_published_to_four_decimals():
    """The published table took the nearest grade of the scale for the three labels outside it."""
    files = {name: shared_data("llmjudge", name).read_bytes() for name in ("judgments_long.csv.gz", "nist_gold.qrels")}
    models = read_judgments([("models.csv.gz", files["judgments_long.csv.gz"])], out_of_scale="clip")
    human = read_judgments([("human.qrels", files["nist_gold.qrels"])])
    votes = pd.concat([votes_of(models.table), votes_of(human.table)])
    report = measure_agreement(votes, draws=0)
    kappas = {
        pair.raters[pair.raters[0] == "human"]: pair.cohen_kappa
        for pair in report.rater_pairs
        if "human" in pair.raters
    }
    with shared_data("llmjudge", "published_table.csv").open() as lines:
        published = list(csv.DictReader(lines))
    for row in published:
        table = count_confusions(votes, "human", row["rater"], (0, 1, 2, 3))
        at = {cut: cohen_kappa(cut_confusions(table, (0, 1, 2, 3), cut), (0, 1), "none") for cut in (1, 2)}
        found = [kappas[row["rater"]], float(at[1]), float(at[2])]
        wanted = [float(row[name]) for name in ("pub_kappa", "pub_kappa_0v123", "pub_kappa_01v23")]
        assert found == pytest.approx(wanted, abs=0.0000501), row["rater"]
    assert len(published) == 33
    groups = [one.params["raters"].split(", ") for one in report.warnings if one.code == "near_copies"]
    assert [group[0].rstrip("0123") for group in groups] == [
        "NISTRetrieval-instruct", "NISTRetrieval-reason", "willia-umbrela",
    ]  # fmt: skip
    assert [len(group) for group in groups] == [3, 3, 2]


def drifting_votes(shift):
    """Ann is in step with Bob at first and `shift` grades above him at the end; judged query by query."""
    generator = np.random.default_rng(2)
    rows = []
    for n in range(1500):
        truth = int(generator.integers(0, 4))
        moment = pd.Timestamp("2026-01-05", tz="UTC") + pd.Timedelta(minutes=n)
        moved = int(generator.random() < abs(shift) * n / 1500) * (1 if shift > 0 else -1)
        for rater, more in (("ann", moved), ("bob", 0)):
            grade = int(np.clip(truth + more + generator.integers(-1, 2), 0, 3))
            rows.append((f"q{n // 50}", str(n), rater, grade, moment))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade", "judged_at"])


def test_a_rater_whose_grades_drift_is_named_with_the_numbers():
    found = [one for one in measure_agreement(drifting_votes(1.8), draws=0).warnings if one.code == "drifting_rater"]
    named = {one.params["rater"]: one for one in found}
    assert "ann" in named
    assert float(named["ann"].params["last"]) - float(named["ann"].params["first"]) > 0.3
    assert "ann drifts: " in str(named["ann"])
    shuffled = measure_agreement(drifting_votes(1.8).sample(frac=1, random_state=1), draws=0).warnings
    assert [str(one) for one in shuffled if one.code == "drifting_rater"] == [str(one) for one in found]


def test_steady_raters_are_not_said_to_drift():
    steady = drifting_votes(0.0)
    assert not [one for one in measure_agreement(steady, draws=0).warnings if one.code == "drifting_rater"]
    timeless = drifting_votes(0.9).assign(judged_at=None)
    assert not [one for one in measure_agreement(timeless, draws=0).warnings if one.code == "drifting_rater"]


def test_chance_alone_makes_hardly_anybody_drift():
    named = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        votes = drifting_votes(0.0)
        harsh = dict(zip(votes["query_id"].unique(), generator.integers(-1, 2, 30), strict=True))
        moved = votes["grade"] + votes["query_id"].map(harsh).where(votes["rater"] == "ann", 0)
        named += bool(find_drifts(votes.assign(grade=moved)))
    assert named <= 2


@given(votes_rows)
@settings(max_examples=40, deadline=None)
def test_alpha_and_fleiss_equal_krippendorff_and_statsmodels(rows):
    import krippendorff
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = votes_table(rows)
    report = measure_agreement(table, draws=0)
    if not math.isnan(value(report, "krippendorff_alpha")):
        wide = table.pivot_table(index="rater", columns=["query_id", "doc_id"], values="grade").to_numpy()
        for level in ("nominal", "ordinal", "interval", "ratio"):
            expected = krippendorff.alpha(reliability_data=wide, level_of_measurement=level, value_domain=[0, 1, 2, 3])
            assert value(report, "krippendorff_alpha", level) == pytest.approx(expected, abs=1e-9)
    full = table.pivot_table(index=["query_id", "doc_id"], columns="grade", values="rater", aggfunc="count").fillna(0)
    complete = full[full.sum(axis=1) == 2]
    if len(complete) > 1 and (complete.sum() > 0).sum() > 1:
        kept = table.set_index(["query_id", "doc_id"]).loc[complete.index].reset_index()
        again = measure_agreement(kept, draws=0)
        assert value(again, "fleiss_kappa") == pytest.approx(fleiss_kappa(complete.to_numpy()), abs=1e-9)
