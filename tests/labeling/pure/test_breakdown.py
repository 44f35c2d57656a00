"""Selections of votes, and where agreement breaks, beside definitions written out and other programs."""

import itertools
import math
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.agreement import measure_agreement
from labeling.breakdown import NEVER_GIVEN, by_boundary, by_grade, by_group, by_query, by_time
from labeling.errors import AssayError
from labeling.selection import Selection, select_votes, slice_columns
from tests.support.agreement_twins import naive_alpha, naive_share_of_equal_grades, votes_table

GRADES = (0, 1, 2, 3)

votes_rows = st.dictionaries(
    st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["d1", "d2", "d3"]), st.sampled_from("abc")),
    st.integers(0, 3),
    max_size=27,
).map(lambda votes: [(*key, grade) for key, grade in votes.items()])


def some_votes() -> pd.DataFrame:
    generator = np.random.default_rng(4)
    rows = []
    for n in range(200):
        truth = int(generator.integers(0, 4))
        for rater in "ab":
            grade = int(np.clip(truth + generator.integers(-1, 2), 0, 3))
            moment = f"2026-03-{n // 20 + 1:02d}T09:00:00+00:00"
            rows.append((f"q{n % 8}", f"d{n}", rater, grade, n // 100 + 1, moment))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade", "rubric_version", "judged_at"])


def test_a_boundary_is_the_table_cut_in_two_there() -> None:
    votes = some_votes()
    table = by_boundary(votes, GRADES, draws=50)
    assert table["part"].tolist() == ["0|1", "1|2", "2|3"]
    for at, row in zip((1, 2, 3), table.itertuples(), strict=True):
        cut = [
            (q, d, r, int(g >= at))
            for q, d, r, g in votes[["query_id", "doc_id", "rater", "grade"]].itertuples(index=False)
        ]
        assert row.alpha == pytest.approx(naive_alpha(cut, "nominal"))
        assert row.equal == pytest.approx(naive_share_of_equal_grades(cut))
        assert row.alpha_low < row.alpha < row.alpha_high


def test_a_boundary_is_the_kappa_of_scikit_learn_on_two_raters() -> None:
    from sklearn.metrics import cohen_kappa_score

    votes = some_votes()
    wide = votes.pivot_table(index=["query_id", "doc_id"], columns="rater", values="grade")
    for at, kappa in zip((1, 2, 3), by_boundary(votes, GRADES, draws=0)["kappa"], strict=True):
        assert kappa == pytest.approx(cohen_kappa_score(wide["a"] >= at, wide["b"] >= at))


@given(votes_rows)
@settings(max_examples=30)
def test_each_query_is_measured_as_if_it_were_alone_and_the_worst_comes_first(rows) -> None:
    table = by_query(votes_table(rows), GRADES)
    for row in table.itertuples():
        own = [one for one in rows if one[0] == row.query_id]
        equal, alpha = naive_share_of_equal_grades(own), naive_alpha(own, "ordinal")
        assert (math.isnan(row.equal) and equal is None) or row.equal == pytest.approx(equal)
        assert (math.isnan(row.alpha) and alpha is None) or row.alpha == pytest.approx(alpha)
        assert (row.undefined is None) == (alpha is not None)
    defined = [value for value in table["equal"] if not math.isnan(value)]
    assert defined == sorted(defined)


@given(votes_rows)
@settings(max_examples=30)
def test_specific_agreement_counts_couples_of_votes(rows) -> None:
    """For two votes a pair this is 2a / (2a + b + c) of Cicchetti and Feinstein."""
    units: dict[tuple[str, str], list[int]] = {}
    for query, doc, _rater, grade in rows:
        units.setdefault((query, doc), []).append(grade)
    table = by_grade(votes_table(rows), GRADES, draws=0)
    for row in table.itertuples():
        same = given_it = 0.0
        for grades in units.values():
            for a, b in itertools.permutations(grades, 2):
                same += (a == b == row.grade) / (len(grades) - 1)
                given_it += (a == row.grade) / (len(grades) - 1)
        if given_it:
            assert row.agreement == pytest.approx(same / given_it)
        else:
            assert math.isnan(row.agreement)
            assert row.undefined == NEVER_GIVEN


def test_groups_are_measured_each_by_itself() -> None:
    votes = some_votes()
    table = by_group(votes, votes["rubric_version"], GRADES, draws=20)
    assert table["part"].tolist() == [1, 2]
    alone = measure_agreement(votes[votes["rubric_version"] == 2], draws=0)
    assert table["alpha"].iloc[1] == pytest.approx(alone.coefficient("krippendorff_alpha", "ordinal").value)
    assert table["votes"].sum() == len(votes)


def test_days_keep_the_votes_of_a_pair_together() -> None:
    votes = some_votes()
    late = votes["rater"] == "b"
    votes.loc[late, "judged_at"] = votes.loc[late, "judged_at"].str.replace("T09", "T23")
    votes.loc[(votes["doc_id"] == "d0") & late, "judged_at"] = "2026-03-02T00:10:00+00:00"
    days = by_time(votes, GRADES, draws=0)
    assert days["part"].tolist() == [f"2026-03-{day:02d}" for day in range(1, 11)]
    assert days["pairs"].tolist()[:3] == [19, 21, 20]
    tenths = by_time(votes, GRADES, step="tenth", draws=0)
    assert tenths["pairs"].tolist() == [20] * 10
    assert tenths["part"].tolist() == [f"{10 * part}-{10 * part + 10} %" for part in range(10)]
    assert by_time(votes.assign(judged_at=None), GRADES).empty


def test_votes_of_one_moment_are_no_course_over_time() -> None:
    votes = some_votes()
    together = by_time(votes.assign(judged_at="2026-03-01T09:00:00+00:00"), GRADES, step="tenth", draws=0)
    assert (together["part"].tolist(), together["pairs"].tolist()) == (["0-100 %"], [200])
    early = votes["doc_id"].isin([f"d{n}" for n in range(70)])
    files = votes.assign(judged_at=["2026-03-01T09:00:00Z" if one else "2026-03-02T09:00:00Z" for one in early])
    two = by_time(files.sample(frac=1, random_state=1), GRADES, step="tenth", draws=0)
    assert (two["part"].tolist(), two["pairs"].tolist()) == (["0-35 %", "35-100 %"], [70, 130])


def test_nothing_to_break_is_an_empty_answer() -> None:
    empty = some_votes().iloc[:0]
    assert by_query(empty, GRADES).empty
    assert by_grade(empty, GRADES)["undefined"].tolist() == [NEVER_GIVEN] * 4
    assert by_boundary(empty, GRADES)["undefined"].notna().all()


def test_a_selection_takes_what_was_asked_for() -> None:
    votes = some_votes()
    queries = pd.DataFrame(
        {"query_id": [f"q{n}" for n in range(8)], "text": "t", "language": ["ko", "en"] * 4, "one": "x"}
    )
    assert slice_columns(queries) == ["language"]

    def select(**chosen: object) -> pd.DataFrame:
        return select_votes(votes, Selection(**chosen), queries)  # type: ignore[arg-type]

    assert select().equals(votes)
    assert set(select(queries=("q1", "q2"))["query_id"]) == {"q1", "q2"}
    assert "q1" not in set(select(without_queries=("q1",))["query_id"])
    assert set(select(slices={"language": ("ko",)})["query_id"]) == {"q0", "q2", "q4", "q6"}
    assert set(select(raters=("a",))["rater"]) == {"a"}
    assert set(select(versions=(2,))["rubric_version"]) == {2}
    span = select(since=date(2026, 3, 2), until=date(2026, 3, 3))
    assert sorted(set(span["judged_at"].str[:10])) == ["2026-03-02", "2026-03-03"]
    assert Selection(raters=("a",), since=date(2026, 3, 2)).to_json() == {"raters": ["a"], "since": "2026-03-02"}


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"versions": (1,)}, "their rubric_version"),
        ({"since": date(2026, 1, 1)}, "their judged_at"),
        ({"slices": {"colour": ("red",)}}, "found colour"),
    ],
)
def test_a_selection_by_what_the_votes_do_not_say_is_refused(chosen: dict, words: str) -> None:
    votes = some_votes()[["query_id", "doc_id", "rater", "grade"]]
    with pytest.raises(AssayError, match=words):
        select_votes(votes, Selection(**chosen))
