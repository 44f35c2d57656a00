"""What further votes can still change, beside every completion tried one by one with evaluate."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from metrics import Run, evaluate
from metrics.completions import find_completions

SCALE = (0, 1, 2, 3)


def campaign(seed: int, *, queries: int = 2, documents: int = 6, open_pairs: int = 5) -> tuple[pd.DataFrame, list[Run]]:
    """A few queries; some pairs may still take several grades."""
    generator = np.random.default_rng(seed)
    rows, runs = [], {"A": [], "B": []}
    for query in range(queries):
        for document in range(documents):
            grade = int(generator.integers(0, 4))
            rows.append((f"q{query}", f"d{document}", grade, grade, grade))
            for tag, ranked in runs.items():
                if generator.random() < 0.8:
                    ranked.append((f"q{query}", f"d{document}", float(generator.random()), tag))
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "grade", "lowest", "highest"])
    for place in generator.choice(len(table), open_pairs, replace=False):
        low, high = sorted(generator.choice(4, 2, replace=False).tolist())
        table.loc[place, ["grade", "lowest", "highest"]] = (low, low, high)
    frames = [pd.DataFrame(found, columns=["query_id", "doc_id", "score", "tag"]) for found in runs.values()]
    return table, [Run.of(frame, tag) for frame, tag in zip(frames, runs, strict=True)]


def every_difference(possible: pd.DataFrame, runs: list[Run], measure: str) -> list[float]:
    """A - B under every completion, scored by evaluate."""
    choices = [
        [g for g in SCALE if low <= g <= high] for low, high in possible[["lowest", "highest"]].itertuples(index=False)
    ]
    found = []
    for grades in product(*choices):
        qrels = possible[["query_id", "doc_id"]].assign(relevance=list(grades))
        means = evaluate(qrels, runs, [measure]).means.set_index("run")["mean"]
        found.append(means["A"] - means["B"])
    return found


@pytest.mark.parametrize("measure", ["nDCG@3", "AP(rel=2)", "P(rel=1)@3", "ERR@4", "RR(rel=2)@5"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_range_is_that_of_every_completion(seed: int, measure: str) -> None:
    possible, runs = campaign(seed)
    found = find_completions(possible, SCALE, runs, measure, "A", "B")
    tried = every_difference(possible, runs, measure)
    as_now = possible.assign(lowest=possible["grade"], highest=possible["grade"])
    assert len(tried) > 30
    assert (found.lowest, found.highest) == pytest.approx((min(tried), max(tried)), abs=1e-12)
    assert (found.reached_lowest, found.reached_highest) == pytest.approx((min(tried), max(tried)), abs=1e-12)
    assert found.difference == pytest.approx(every_difference(as_now, runs, measure)[0])
    assert found.fixed == (min(tried) > 0 or max(tried) < 0 or max(map(abs, tried)) < 1e-12)


def test_bounds_hold_where_there_are_too_many_completions(monkeypatch: pytest.MonkeyPatch) -> None:
    possible, runs = campaign(5)
    exact = find_completions(possible, SCALE, runs, "nDCG@3", "A", "B")
    monkeypatch.setattr("metrics._open_query._MOST", 1)
    for measure in ("nDCG@3", "AP(rel=2)"):
        bounded = find_completions(possible, SCALE, runs, measure, "A", "B")
        tried = every_difference(possible, runs, measure)
        assert bounded.bounded
        assert bounded.lowest <= min(tried) <= bounded.reached_lowest + 1e-12
        assert bounded.reached_highest - 1e-12 <= max(tried) <= bounded.highest
        assert bounded.expect({}, {}) is None
    assert exact.bounded == ()


@pytest.mark.parametrize("measure", ["nDCG@3", "P(rel=1)@3"])
def test_the_expected_number_of_pairs_is_that_of_settling_one_after_the_other(measure: str) -> None:
    possible, runs = campaign(8, open_pairs=4)
    found = find_completions(possible, SCALE, runs, measure, "A", "B")
    keys = list(zip(found.pairs["query_id"], found.pairs["doc_id"], strict=True))
    by_key = possible.set_index(["query_id", "doc_id"])
    chances = {key: {int(by_key.loc[key, "highest"]): 1.0} for key in keys}
    expected = found.expect(chances, dict.fromkeys(keys, 2.0), draws=3)
    settled = possible.copy()
    number = 0
    for number in range(len(keys) + 1):
        tried = every_difference(settled, runs, measure)
        level = max(map(abs, tried)) <= 1e-12
        if min(tried) > 1e-12 or max(tried) < -1e-12 or level:
            break
        where = (settled["query_id"] == keys[number][0]) & (settled["doc_id"] == keys[number][1])
        settled.loc[where, ["grade", "lowest"]] = settled.loc[where, "highest"].to_numpy()[0]
    assert expected is not None
    assert (expected.pairs, expected.costs) == (number, 2.0 * number)


def test_a_pair_beyond_the_cutoff_of_both_runs_counts_through_the_ideal_alone() -> None:
    runs = [
        Run.of(
            pd.DataFrame(
                [("q", "d1", 2.0, "A"), ("q", "d2", 1.0, "A")], columns=["query_id", "doc_id", "score", "tag"]
            ),
            "A",
        ),
        Run.of(
            pd.DataFrame(
                [("q", "d2", 2.0, "B"), ("q", "d1", 1.0, "B")], columns=["query_id", "doc_id", "score", "tag"]
            ),
            "B",
        ),
    ]
    rows = [("q", "d1", 2, 2, 2), ("q", "d2", 0, 0, 0), *(("q", f"x{n}", 0, 0, 3) for n in range(8))]
    possible = pd.DataFrame(rows, columns=["query_id", "doc_id", "grade", "lowest", "highest"])
    found = find_completions(possible, SCALE, runs, "nDCG@1", "A", "B")
    assert found.bounded == ()  # 4 ** 8 completions, but 165 ways to count them
    assert (found.lowest, found.highest) == pytest.approx((2 / 3, 1.0))
    assert found.winner == "A"
