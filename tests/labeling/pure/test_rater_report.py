"""What is said of each rater, beside the arithmetic written out."""

import csv
import math

import numpy as np
import pandas as pd
import pytest

from labeling._habits import fit_habits
from labeling._pace import find_fast_series
from labeling.rater_report import RaterState, describe_raters, trend_of, wilson_interval
from tests.support.data import shared_data

GRADES = (0, 1, 2, 3)
COLUMNS = ["query_id", "doc_id", "rater", "grade", "kind", "purpose", "is_vote", "judged_at", "seconds"]


def campaign(pairs: int = 300, **moved: int) -> pd.DataFrame:
    """Judgments of raters whose grades lie `moved` from the truth, where the scale has room."""
    generator = np.random.default_rng(1)
    rows = []
    for n in range(pairs):
        truth = int(generator.integers(0, 4))
        for rater, shift in moved.items():
            grade = int(np.clip(truth + shift + (generator.random() < 0.1), 0, 3))
            moment = pd.Timestamp("2026-03-02", tz="UTC") + pd.Timedelta(seconds=10 * n)
            rows.append((f"q{n // 10}", f"d{n}", rater, grade, "grade", "production", True, moment, 9.0))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"grade": "Int64", "seconds": "Float64"})


def describe(table: pd.DataFrame, *states: RaterState, **more: object) -> dict:
    known = states or tuple(RaterState(name) for name in sorted(table["rater"].unique()))
    return {one.state.name: one for one in describe_raters(table, known, GRADES, draws=300, **more)}  # type: ignore[arg-type]


def codes(report: object) -> set[str]:
    return {one.code for one in report.attention}  # type: ignore[attr-defined]


def test_the_difference_is_the_mean_of_grade_minus_partners() -> None:
    table = campaign(ann=0, bob=0, cid=1)
    found = describe(table)
    wide = table.assign(grade=table["grade"].astype(float)).pivot_table(index="doc_id", columns="rater", values="grade")
    assert found["cid"].difference.value == pytest.approx((wide["cid"] - wide[["ann", "bob"]].mean(axis=1)).mean())
    equal = ((wide["cid"] == wide["ann"]).mean() + (wide["cid"] == wide["bob"]).mean()) / 2
    assert found["cid"].equal.value == pytest.approx(equal)
    assert found["cid"].difference.low < found["cid"].difference.value < found["cid"].difference.high
    assert found["cid"].share == pytest.approx(1 / 3)
    assert sum(found["cid"].partners) == pytest.approx(sum(found["cid"].own)) == pytest.approx(300)


def test_kappa_is_the_mean_over_partners() -> None:
    from sklearn.metrics import cohen_kappa_score

    table = campaign(ann=0, bob=0, cid=1)
    wide = table.pivot_table(index="doc_id", columns="rater", values="grade").astype(int)
    expected = [
        cohen_kappa_score(wide["ann"], wide[other], weights="quadratic", labels=GRADES) for other in ("bob", "cid")
    ]
    assert describe(table)["ann"].kappa.value == pytest.approx(np.mean(expected))


def test_a_lenient_rater_is_named_and_so_is_who_agrees_less() -> None:
    found = describe(campaign(ann=0, bob=0, cid=1))
    assert codes(found["cid"]) >= {"lenient", "low_agreement"}
    assert codes(found["ann"]) & {"lenient", "low_agreement"} == set()
    assert "harsh" in codes(describe(campaign(ann=0, bob=0, cid=-1))["cid"])


def test_nothing_is_said_of_raters_who_are_in_step() -> None:
    assert [codes(one) for one in describe(campaign(ann=0, bob=0, cid=0)).values()] == [set()] * 3


def test_a_model_is_compared_with_the_voters_and_counts_for_nobody() -> None:
    everybody = campaign(ann=0, bob=0, gpt=1)
    people = everybody[everybody["rater"] != "gpt"]
    together = describe(
        everybody.assign(is_vote=everybody["rater"] != "gpt"),
        RaterState("ann"),
        RaterState("bob"),
        RaterState("gpt", is_model=True, casts_vote=False),
    )
    alone = describe(people)
    assert together["ann"].difference == alone["ann"].difference
    assert together["ann"].kappa.value == pytest.approx(alone["ann"].kappa.value)
    assert together["gpt"].difference.value > 0.5
    assert (together["gpt"].votes, together["gpt"].graded) == (0, 300)


def test_a_few_queries_give_a_value_and_no_interval() -> None:
    found = describe(campaign(20, ann=0, bob=1))["bob"]
    assert found.difference.known
    assert math.isnan(found.difference.low)
    assert codes(found) == {"few"}


def test_gold_and_repeats_are_shares_of_equal_grades_with_wilsons_interval() -> None:
    from statsmodels.stats.proportion import proportion_confint

    gold = pd.DataFrame({"rater": "ann", "grade": [1] * 20, "reference": [1] * 13 + [2] * 7})
    repeats = pd.DataFrame({"rater": "ann", "first_grade": [1] * 12, "second_grade": [1] * 6 + [0] * 6})
    found = describe(campaign(ann=0, bob=0), gold=gold, repeats=repeats)
    ann = found["ann"]
    assert (ann.accuracy.value, ann.accuracy.n, ann.consistency.value) == (0.65, 20, 0.5)
    assert (ann.accuracy.low, ann.accuracy.high) == pytest.approx(proportion_confint(13, 20, method="wilson"))
    assert codes(ann) >= {"low_accuracy", "inconsistent"}
    assert not found["bob"].accuracy.known
    assert wilson_interval(0, 5)[0] == 0.0


def test_five_quick_acts_in_a_row_are_a_series_and_four_are_none() -> None:
    table = campaign(40, ann=0)
    table.loc[3:6, "seconds"] = 1.0
    table.loc[10:16, "seconds"] = 0.8
    table.loc[13, "seconds"] = pd.NA  # idle: the series of seven falls apart
    table.loc[20:25, "seconds"] = 1.5
    (series,) = find_fast_series(table.sample(frac=1, random_state=3))
    assert (series.acts, series.seconds) == (6, 1.5)
    assert (series.last_at - series.first_at).total_seconds() == 50
    assert find_fast_series(table, 0.1) == ()


def test_refusals_and_one_grade_throughout_are_named() -> None:
    table = campaign(100, ann=0, bob=0)
    refused = table.index[(table["rater"] == "ann")][:30]
    table.loc[refused, ["kind", "is_vote"]] = ["cannot_judge", False]
    table.loc[refused, "grade"] = pd.NA
    table.loc[table["rater"] == "bob", "grade"] = 2
    found = describe(table)
    assert "refuses" in codes(found["ann"])
    assert (found["ann"].cannot_judge, found["ann"].graded) == (30, 70)
    assert "one_grade" in codes(found["bob"])


def test_the_course_of_time_is_cut_in_ten_and_import_moments_are_none() -> None:
    table = campaign(ann=0, bob=0)
    drifted = table["rater"].eq("ann") & table["doc_id"].str[1:].astype(int).ge(150)
    table.loc[drifted, "grade"] = (table.loc[drifted, "grade"] + 1).clip(upper=3)
    trend = trend_of(table, "ann", GRADES)
    assert trend["n"].tolist() == [30] * 10
    assert trend["difference"].iloc[-1] - trend["difference"].iloc[0] > 0.4
    assert "drifts" in codes(describe(table)["ann"])
    stamped = table.assign(
        judged_at=[pd.Timestamp("2026-03-02", tz="UTC") + pd.Timedelta(milliseconds=n) for n in range(len(table))]
    )
    assert trend_of(stamped, "ann", GRADES).empty
    assert "drifts" not in codes(describe(stamped)["ann"])


def test_habits_of_the_1979_anaesthetists_are_the_published_ones_drawn_towards_all() -> None:
    """The published error rates, each row mixed with the common row by one vote of each grade."""
    with shared_data("oracles", "dawid_skene_1979_long.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["occasion"] == "1"]
    table = pd.DataFrame(
        [("q", row["item"], row["rater"], int(row["label"]), True) for row in rows],
        columns=["query_id", "doc_id", "rater", "grade", "is_vote"],
    )
    habits = fit_habits(table, (1, 2, 3, 4))
    assert sorted(habits) == ["1", "2", "3", "4", "5"]
    for rates in habits.values():
        assert rates.sum(axis=1) == pytest.approx(np.ones(4))
        assert (rates > 0).sum() > 4  # smoothing: nobody is taken never to err
    with shared_data("oracles", "dawid_skene_1979_em_error_rates_recomputed.csv").open() as lines:
        published = {
            (r["rater"], int(r["true_label"]), int(r["given_label"])): float(r["rate"]) for r in csv.DictReader(lines)
        }
    gaps = [abs(habits[r][t - 1, g - 1] - rate) for (r, t, g), rate in published.items() if r != "1" and t <= 2]
    assert float(np.mean(gaps)) < 0.05


def test_models_that_copy_one_another_do_not_outvote_people() -> None:
    everybody = campaign(ann=0, bob=0, cid=0, gpt=2)
    people, model = everybody[everybody["rater"] != "gpt"], everybody[everybody["rater"] == "gpt"]
    models = pd.concat([model.assign(rater=f"gpt-{n}", is_vote=False) for n in range(9)])
    table = pd.concat([people, models]).astype({"grade": "int64"})
    habits = fit_habits(table, GRADES)
    assert np.trace(habits["ann"]) > 3.2
    assert habits["gpt-0"][0, 2] > 0.6


def test_no_votes_at_all_leave_every_number_open() -> None:
    table = campaign(10, ann=0).iloc[:0]
    found = describe(table, RaterState("ann"))["ann"]
    assert (found.judged, found.votes) == (0, 0)
    assert not found.difference.known
    assert math.isnan(found.share)
