"""Unlikely votes and certain winners, on campaigns whose truth is known, and on the real one."""

import itertools

import numpy as np
import pandas as pd
import pytest

from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import read_judgments
from labeling.exchange.queries import read_queries
from labeling.label_errors import find_unlikely_votes
from labeling.settling import find_certainty
from metrics import evaluate, read_run
from tests.support.data import shared_data

WORDS = [f"word{number}" for number in range(400)]


def make_campaign(queries: int = 20, documents: int = 20, seed: int = 3) -> tuple[pd.DataFrame, ...]:
    """Texts that share as many words with their query as their grade says, and two careful raters."""
    rng = np.random.default_rng(seed)
    asked, told, votes = [], [], []
    for query in range(queries):
        words = rng.choice(WORDS, 6, replace=False)
        asked.append((f"q{query}", " ".join(words)))
        for document in range(documents):
            grade = int(rng.integers(0, 4))
            shared = list(words[: 2 * grade])
            told.append((f"q{query}-d{document}", " ".join([*shared, *rng.choice(WORDS, 20)])))
            for rater in ("ann", "bo"):
                slip = int(rng.random() < 0.1)
                votes.append((f"q{query}", f"q{query}-d{document}", rater, min(3, grade + slip)))
    return (
        pd.DataFrame(votes, columns=["query_id", "doc_id", "rater", "grade"]),
        pd.DataFrame(asked, columns=["query_id", "text"]),
        pd.DataFrame(told, columns=["doc_id", "text"]),
    )


def plant(votes: pd.DataFrame, number: int, seed: int = 5) -> tuple[pd.DataFrame, set[tuple[str, str]]]:
    """Turn the grades of both raters of so many pairs around; the pairs."""
    rng = np.random.default_rng(seed)
    pairs = votes[["query_id", "doc_id"]].drop_duplicates().sample(number, random_state=rng)
    wrong = set(pairs.itertuples(index=False, name=None))
    hit = pd.MultiIndex.from_frame(votes[["query_id", "doc_id"]]).isin(list(wrong))
    turned = votes["grade"].where(~hit, np.where(votes["grade"] <= 1, 3, 0))
    return votes.assign(grade=turned), wrong


def test_one_planted_grade_a_pair_ranks_high() -> None:
    votes, queries, documents = make_campaign()
    places = np.random.default_rng(1).choice(len(votes), 20, replace=False)
    planted = votes.copy()
    planted.loc[places, "grade"] = np.where(votes.loc[places, "grade"] <= 1, 3, 0)
    wrong = set(planted.loc[places, ["query_id", "doc_id"]].itertuples(index=False, name=None))
    found = find_unlikely_votes(planted, queries, documents)
    first = found.drop_duplicates(["query_id", "doc_id"]).head(20)
    hits = sum(key in wrong for key in first[["query_id", "doc_id"]].itertuples(index=False, name=None))
    assert hits / 20 >= 0.8  # precision at 20, where chance gives 0.05


def test_pairs_on_which_both_raters_are_wrong_rank_high_by_their_text() -> None:
    votes, queries, documents = make_campaign()
    planted, wrong = plant(votes, 20)
    first = find_unlikely_votes(planted, queries, documents).drop_duplicates(["query_id", "doc_id"]).head(40)
    hits = sum(key in wrong for key in first[["query_id", "doc_id"]].itertuples(index=False, name=None))
    assert hits / 20 >= 0.4  # among the first 40 of 400 pairs, where chance gives a tenth


def test_the_order_of_rows_changes_nothing_and_the_words_add_up() -> None:
    votes, queries, documents = make_campaign(queries=6, documents=8)
    found = find_unlikely_votes(votes, queries, documents)
    again = find_unlikely_votes(votes.sample(frac=1, random_state=1), queries.iloc[::-1], documents.iloc[::-1])
    assert len(found) == len(votes)
    pd.testing.assert_frame_equal(found, again)
    outside = (found["grade"] < found["low"]) | (found["grade"] > found["high"])
    assert outside.all()
    assert (found["probability"] + found["range_probability"] <= 1 + 1e-9).all()


def test_a_vote_is_scored_without_the_votes_of_its_query() -> None:
    votes, queries, documents = make_campaign(queries=6, documents=8)
    one = votes["query_id"] == "q0"
    alone = votes[one].groupby("doc_id")["rater"].transform("count") >= 1
    changed = votes.copy()
    first = votes.index[one & alone.reindex(votes.index, fill_value=False)][0]
    changed.loc[first, "grade"] = (votes.loc[first, "grade"] + 2) % 4
    before = find_unlikely_votes(votes, queries, documents).set_index(["query_id", "doc_id", "rater"])
    after = find_unlikely_votes(changed, queries, documents).set_index(["query_id", "doc_id", "rater"])
    same = [key for key in before.index if key[0] == "q0" and key[1] != votes.loc[first, "doc_id"]]
    np.testing.assert_allclose(before.loc[same, "probability"], after.loc[same, "probability"])


@pytest.mark.parametrize("few", [{"queries": 2, "documents": 20}, {"queries": 4, "documents": 2}])
def test_a_model_of_too_little_says_nothing(few: dict[str, int]) -> None:
    assert find_unlikely_votes(*make_campaign(**few)).empty


RUNS = [
    ("one", [("q1", "d1", 3.0), ("q1", "d2", 2.0), ("q2", "e1", 2.0), ("q2", "e2", 1.0)]),
    ("two", [("q1", "d2", 3.0), ("q1", "d1", 2.0), ("q2", "e2", 2.0), ("q2", "e1", 1.0)]),
]


def make_runs() -> list:
    return [
        read_run("".join(f"{q} Q0 {d} 1 {score} {tag}\n" for q, d, score in rows).encode(), name=f"{tag}.run")
        for tag, rows in RUNS
    ]


def as_votes(grades: dict[tuple[str, str], tuple[int, ...]]) -> pd.DataFrame:
    rows = [(q, d, f"r{n}", grade) for (q, d), given in grades.items() for n, grade in enumerate(given)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])


def possible_signs(grades: dict[tuple[str, str], tuple[int, ...]], fixed: dict) -> set[int]:
    """Who is ahead under every completion, tried one by one: the twin of the bounds."""
    keys = list(grades)
    options = [[fixed[key]] if key in fixed else list(range(min(grades[key]), max(grades[key]) + 1)) for key in keys]
    signs = set()
    for chosen in itertools.product(*options):
        table = pd.DataFrame(
            [(*key, grade) for key, grade in zip(keys, chosen, strict=True)],
            columns=["query_id", "doc_id", "relevance"],
        )
        means = evaluate(table, make_runs(), ["nDCG@10"]).means.set_index("run")["mean"]
        difference = means["one"] - means["two"]
        signs.add(0 if abs(difference) < 1e-12 else int(np.sign(difference)))
    return signs


def test_a_certain_winner_is_certain_under_every_completion() -> None:
    grades = {("q1", "d1"): (3, 3), ("q1", "d2"): (0, 1), ("q2", "e1"): (2, 2), ("q2", "e2"): (0, 1)}
    open_ones = [key for key, given in grades.items() if len(set(given)) > 1]
    found = find_certainty(as_votes(grades), open_ones, range(4), make_runs(), "nDCG@10", "one", "two")
    assert possible_signs(grades, {}) == {1}
    assert (found.certain, found.ahead, found.open, found.first) == (True, "one", 2, ())


def test_the_pairs_to_settle_make_the_winner_certain_and_fewer_of_them_do_not() -> None:
    grades = {("q1", "d1"): (3, 3, 0), ("q1", "d2"): (0, 1, 1), ("q2", "e1"): (3, 3, 3), ("q2", "e2"): (1, 1, 2)}
    open_ones = [key for key, given in grades.items() if len(set(given)) > 1]
    found = find_certainty(as_votes(grades), open_ones, range(4), make_runs(), "nDCG@10", "one", "two")
    median = {key: sorted(given)[1] for key, given in grades.items()}
    assert not found.certain
    assert len(possible_signs(grades, {})) > 1
    assert 1 <= len(found.first) < len(open_ones)
    assert possible_signs(grades, {key: median[key] for key in found.first}) == {1}
    assert len(possible_signs(grades, {key: median[key] for key in found.first[:-1]})) > 1


def read_dl19() -> tuple[pd.DataFrame, ...]:
    folder = shared_data("dl19")
    table = read_judgments(
        [(path.name, path.read_bytes()) for path in sorted((folder / "judgments").glob("*.jsonl"))]
    ).table
    votes = table[table["grade"].notna()][["query_id", "doc_id", "rater", "grade"]].astype({"grade": int})
    queries = read_queries((folder / "topics.tsv").read_bytes(), "topics.tsv").table
    documents = read_documents((folder / "documents.jsonl").read_bytes(), "documents.jsonl").table
    return votes, queries, documents


def test_on_the_real_campaign_planted_grades_come_first() -> None:
    votes, queries, documents = read_dl19()
    agreed = votes.groupby(["query_id", "doc_id"])["grade"].transform("nunique") == 1
    places = np.random.default_rng(0).choice(votes.index[agreed], 100, replace=False)
    votes.loc[places, "grade"] = np.where(votes.loc[places, "grade"] <= 1, 3, 0)
    wrong = set(votes.loc[places, ["query_id", "doc_id", "rater"]].itertuples(index=False, name=None))
    found = find_unlikely_votes(votes, queries, documents)
    first = found[["query_id", "doc_id", "rater"]].head(50).itertuples(index=False, name=None)
    assert len(found) == 9004
    assert sum(key in wrong for key in first) / 50 >= 0.3  # precision at 50, where chance gives 0.011


def test_on_the_real_campaign_no_settling_helps_the_weakest_system_past_the_strongest() -> None:
    votes, _, _ = read_dl19()
    runs = {run.tag: run for run in map(read_run, sorted(shared_data("dl19", "runs").glob("*.gz")))}
    best = "colbert_rankgpt4o-full"
    spread = votes.groupby(["query_id", "doc_id"])["grade"].agg(["min", "max"])
    open_ones = list(spread[spread["min"] < spread["max"]].index)
    sure = find_certainty(votes, open_ones, range(4), list(runs.values()), "nDCG@10", best, "official-UNH_exDL_bm25")
    assert sure.certain
    assert sure.ahead == best
    assert sure.lowest > 0
