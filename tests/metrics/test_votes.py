"""Votes as exports hold them: typed rows without a grade are left out and counted, faulty ones named.

Knows the reader of votes only.
"""

import json
from pathlib import Path

import pytest

import metrics

DEMO = Path(__file__).parents[2] / "labeling" / "demo"


def test_a_typed_row_without_a_grade_is_left_out_and_counted():
    lines = [
        {"query_id": "q", "doc_id": "a", "rater": "r", "kind": "skip"},
        {"query_id": "q", "doc_id": "b", "rater": "r", "kind": "grade", "grade": 2},
        {"query_id": "q", "doc_id": "c", "rater": "r", "kind": "cannot_judge", "grade": None},
        {"query_id": "q", "doc_id": "d", "rater": "r", "grade": 1},
    ]
    votes = metrics.read_votes("\n".join(map(json.dumps, lines)).encode())
    assert votes.table[["doc_id", "grade"]].to_numpy().tolist() == [["b", 2], ["d", 1]]
    assert [(each.kind, each.count) for each in votes.remarks] == [("no_grade", 2)]
    assert "1 cannot_judge, 1 skip" in votes.remarks[0].text


def test_an_export_as_csv_keeps_only_the_rows_that_count():
    text = (
        b"query_id,doc_id,rater,grade,kind,surplus,is_vote\n"
        b"q,a,r,2,grade,False,True\nq,b,r,,failed,False,False\nq,c,r,1,grade,True,False\nq,d,r,1,grade,False,False\n"
    )
    votes = metrics.read_votes(text)
    assert votes.table["doc_id"].tolist() == ["a"]
    assert [(each.kind, each.count) for each in votes.remarks] == [("no_grade", 1), ("not_counted", 2)]


@pytest.mark.parametrize(
    "text",
    [
        b"query_id,doc_id,rater,grade,kind\nq,a,r,2,grade\nq,b,r,,grade\n",
        b'{"query_id":"q","doc_id":"a","rater":"r","grade":2}\n{"query_id":"q","doc_id":"b","rater":"r","kind":"grade"}',
        b'{"query_id":"q","doc_id":"a","rater":"r","grade":2}\n{"query_id":"q","doc_id":"b","rater":"r"}',
    ],
)
def test_a_row_of_kind_grade_without_a_grade_is_an_error_with_its_line(text):
    with pytest.raises(metrics.InputError) as fault:
        metrics.read_votes(text, name="votes")
    assert fault.value.line in {2, 3}


def test_the_demo_votes_are_read_as_they_are():
    votes = metrics.read_votes(DEMO / "votes.jsonl")
    rows = [json.loads(line) for line in (DEMO / "votes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(votes.table) == sum(row["kind"] == "grade" for row in rows)
    assert votes.remarks[0].count == sum(row["kind"] != "grade" for row in rows)
