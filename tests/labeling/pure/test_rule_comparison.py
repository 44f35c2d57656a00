"""Rules and qrels side by side: against loops, by hand, and on a real campaign whose published grades contradict its votes."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics
from labeling.__main__ import main
from labeling.errors import AssayError
from labeling.exchange.judgments import read_judgments, votes_of
from labeling.qrels_comparison import ALL_TIED, NO_GRADES, ONE_RUN, compare_qrels, compare_scores
from labeling.rule_comparison import check_final, compare_rules, score_rules
from tests.support.agreement_twins import votes_table
from tests.support.data import shared_data

ROWS = [
    ("q", "d", "a", 0), ("q", "d", "b", 3), ("q", "d", "c", 3),
    ("q", "e", "a", 1), ("q", "e", "b", 1), ("q", "e", "c", 1),
    ("r", "d", "a", 0), ("r", "d", "b", 1),
]  # fmt: skip


def run(tag, *rows):
    lines = [f"{query_id} Q0 {doc_id} 1 {score} {tag}\n" for query_id, doc_id, score in rows]
    return metrics.read_run("".join(lines).encode(), name=tag)


RUNS = [
    run("one", ("q", "d", 2.0), ("q", "e", 1.0), ("r", "d", 1.0)),
    run("two", ("q", "e", 2.0), ("q", "d", 1.0), ("r", "x", 1.0)),
]
MEASURE = metrics.parse_measure("nDCG@10")


def test_each_rule_says_what_it_leaves_open_and_where_it_parts_from_the_majority():
    found = compare_rules(votes_table(ROWS), ["majority", "minimum", "unanimous", "gold-weighted"], ties="open")
    rows = found.table.drop(columns=["mean", "undefined"]).to_dict("records")
    assert rows == [
        {"rule": "majority", "graded": 2, "open": 1, "ties": 1, "differs": 0},
        {"rule": "minimum", "graded": 3, "open": 0, "ties": 0, "differs": 1},
        {"rule": "unanimous", "graded": 1, "open": 2, "ties": 0, "differs": 0},
        {"rule": "gold-weighted", "graded": 0, "open": 3, "ties": 0, "differs": 0},
    ]
    assert found.table["mean"].tolist()[:3] == [2.0, pytest.approx(1 / 3), 1.0]
    assert np.isnan(found.table["mean"].tolist()[3])
    assert "no rater has judged a pair of known grade" in found.table["undefined"].tolist()[3]
    assert found.pairs["votes"].tolist() == ["0 3 3", "1 1 1", "0 1"]


def test_pairs_that_all_rules_treat_alike_are_not_listed():
    found = compare_rules(votes_table(ROWS), ["majority", "maximum"], ties="open")
    assert found.pairs[["query_id", "doc_id", "votes"]].to_numpy().tolist() == [["r", "d", "0 1"]]


def test_the_scores_under_each_rule_are_those_of_its_qrels_and_tau_says_whether_the_order_holds():
    found = compare_rules(votes_table(ROWS), ["majority", "minimum", "gold-weighted"], ties="lower")
    scores = score_rules(found.found, RUNS, MEASURE)
    for rule in ("majority", "minimum"):
        direct = metrics.evaluate(metrics.Qrels(found.found[rule].qrels(), name="x"), RUNS, ["nDCG@10"]).means
        assert scores.means[rule].to_dict() == direct.set_index("run")["mean"].to_dict()
    assert scores.first == {"majority": "one", "minimum": "two", "gold-weighted": ""}
    assert scores.taus.loc["majority", "minimum"] == -1.0
    assert np.isnan(scores.taus.loc["majority", "gold-weighted"])
    assert scores.queries == {"majority": 2, "minimum": 2, "gold-weighted": 0}


qrels_rows = st.dictionaries(
    st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(["d1", "d2", "001"])), st.integers(0, 3), max_size=6
)


def table(grades):
    rows = [(*pair, grade) for pair, grade in grades.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]).astype({"relevance": "int64"})


@given(qrels_rows, qrels_rows)
@settings(max_examples=100)
def test_what_changed_between_two_qrels_equals_dictionaries(before, after):
    found = compare_qrels(table(before), table(after))
    kinds = {}
    for pair in sorted({*before, *after}):
        if before.get(pair) != after.get(pair):
            kinds[pair] = "added" if pair not in before else "removed" if pair not in after else "changed"
    assert dict(zip(zip(found.table["query_id"], found.table["doc_id"], strict=True), found.table["change"], strict=True)) == kinds  # fmt: skip
    moves = {(row.before, row.after): row.pairs for row in found.moves.itertuples()}
    both = [(before[pair], after[pair]) for pair in before if pair in after]
    assert moves == {move: both.count(move) for move in both}
    assert found.counts["same"] + found.counts["changed"] == len(both)


def test_a_change_of_qrels_moves_means_places_and_the_order():
    before, after = table({("q", "d"): 3, ("q", "e"): 0}), table({("q", "d"): 0, ("q", "e"): 3})
    found = compare_scores(before, after, RUNS, MEASURE)
    assert found.table[["run", "place_before", "place_after"]].to_numpy().tolist() == [["two", 2, 1], ["one", 1, 2]]
    assert found.table["difference"].sum() == pytest.approx(0.0)
    assert (found.tau, found.swapped, found.undefined) == (-1.0, 1, None)
    assert found.definition["measure"]["name"]
    for one, two, runs, reason in (
        (before, after, RUNS[:1], ONE_RUN),
        (before, table({("q", "z"): 3}), RUNS, ALL_TIED),
        (before, table({("z", "d"): 3}), RUNS, NO_GRADES),
        (before, table({}), RUNS, NO_GRADES),
    ):
        undefined = compare_scores(one, two, runs, MEASURE)
        assert np.isnan(undefined.tau)
        assert undefined.undefined == reason


def test_a_pair_twice_in_qrels_is_refused():
    with pytest.raises(AssayError, match="expected one grade a pair"):
        compare_qrels(pd.concat([table({("q", "d"): 1})] * 2), table({}))


def test_a_file_that_is_a_rules_own_follows_that_rule_and_no_other():
    votes = votes_table(ROWS)
    found = compare_rules(votes, ["majority", "median", "minimum", "maximum"], ties="lower").found
    check = check_final(found, votes, found["minimum"].qrels())
    assert check.followed() == ["minimum"]
    assert check.counts == {"pairs": 3, "voted": 3, "without_votes": 0, "only_votes": 0,
                            "contradicts_unanimous": 0, "nobodys_grade": 0}  # fmt: skip


def test_a_file_beside_the_votes_names_what_nobody_gave():
    votes = votes_table([*ROWS, ("s", "d", "a", 2)])
    final = table({("q", "d"): 2, ("q", "e"): 2, ("s", "d"): 0, ("z", "d"): 1})
    check = check_final(compare_rules(votes, ["majority"]).found, votes, final)
    assert check.counts == {"pairs": 4, "voted": 3, "without_votes": 1, "only_votes": 1,
                            "contradicts_unanimous": 1, "nobodys_grade": 3}  # fmt: skip
    assert check.against.to_numpy().tolist() == [
        ["q", "d", 2, "0 3 3", False],
        ["q", "e", 2, "1 1 1", True],
        ["s", "d", 0, "2", False],
    ]


def test_the_published_grades_of_a_real_campaign_follow_no_rule_and_contradict_unanimous_votes(capsys):
    folder = shared_data("chorus_icecat")
    arguments = ["consolidate", str(folder / "judgments.csv"), "--against", str(folder / "published_final.qrels")]
    assert main([*arguments, "--ties", "open", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["counts"] == {"pairs": 3188, "voted": 3188, "without_votes": 0, "only_votes": 0,
                                "contradicts_unanimous": 92, "nobodys_grade": 182}  # fmt: skip
    assert answer["followed"] == []
    rules = {row["rule"]: row for row in answer["rules"]}
    assert (rules["unanimous"]["other"], rules["unanimous"]["open"]) == (92, 910)
    assert (rules["majority"]["equal"], rules["majority"]["other"], rules["majority"]["open"]) == (2802, 262, 124)
    assert rules["median"]["equal"] == 2825

    # the same, with loops over the files
    votes = votes_of(read_judgments([("j.csv", (folder / "judgments.csv").read_bytes())]).table)
    given_grades = votes.groupby(["query_id", "doc_id"])["grade"].agg(list).to_dict()
    final = [line.split() for line in (folder / "published_final.qrels").read_text().splitlines()]
    odd = [(q, d, int(g)) for q, _, d, g in final if int(g) not in given_grades[q, d]]
    middle = [sorted(given_grades[q, d])[1] == int(g) for q, _, d, g in final]
    assert (len(odd), sum(len(set(given_grades[q, d])) == 1 for q, d, _ in odd), sum(middle)) == (182, 92, 2825)
    assert [(row["query_id"], row["doc_id"], row["final"]) for row in answer["pairs"]] == sorted(odd)


def test_consolidate_sets_one_rule_beside_a_file_and_prints_tables(tmp_path, capsys):
    votes = tmp_path / "votes.csv"
    votes_table(ROWS).to_csv(votes, index=False)
    final = tmp_path / "final.qrels"
    final.write_text("q 0 d 3\nq 0 e 2\n")
    assert main(["consolidate", str(votes), "--against", str(final), "--rule", "raters:b,a"]) == 0
    out = capsys.readouterr().out
    assert "1 contradict a vote on which all agree" in out
    assert "raters:b,a" in out
    assert main(["consolidate", str(votes), "--against", str(final), "--format", "csv", "--show", "pairs"]) == 0
    assert capsys.readouterr().out == "query_id,doc_id,final,votes,unanimous\nq,e,2,1 1 1,True\n"


def test_consolidate_weighs_votes_by_a_file_of_known_grades_and_writes_the_decimal_mean(tmp_path, capsys):
    folder = {name: str(tmp_path / name) for name in ("votes.csv", "gold.csv", "out.qrels", "table.csv")}
    votes_table(ROWS).to_csv(folder["votes.csv"], index=False)
    (tmp_path / "gold.csv").write_text("query_id,doc_id,grade\nq,d,0\nr,d,0\n")
    arguments = ["consolidate", folder["votes.csv"], "--rule", "gold-weighted", "--output", folder["out.qrels"]]
    assert main([*arguments, "--gold", folder["gold.csv"], "--table", folder["table.csv"]]) == 0
    manifest = json.loads((tmp_path / "out.qrels.manifest.json").read_text())
    assert manifest["definition"]["weights"] == {"a": 3 / 4, "b": 1 / 4, "c": 1 / 3}
    assert manifest["inputs"][1]["gold"] is True
    assert (tmp_path / "out.qrels").read_text() == "q 0 d 0\nq 0 e 1\nr 0 d 0\n"
    assert pd.read_csv(folder["table.csv"])["mean"].tolist() == [2.0, 1.0, 0.5]
    capsys.readouterr()
    assert main(arguments) == 0
    assert "note: the rule is undefined: no rater has judged a pair of known grade" in capsys.readouterr().err
    assert (tmp_path / "out.qrels").read_text() == ""
