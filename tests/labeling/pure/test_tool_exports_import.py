"""Exports of annotation tools become rows of judgments, one for each rater and pair, and their labels are shown before they are believed."""

import json

import pandas as pd
import pytest

from labeling.errors import InputError, InputErrors
from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import count_labels, ids_of_texts, read_judgments
from labeling.exchange.queries import read_queries

LABELS = {"Relevant": 2, "관련 없음": 0}


def label_studio():
    def answer(who, *results, **more):
        return {"id": 7, "completed_by": who, "result": list(results), "was_cancelled": False,
                "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-02T09:00:00Z", "lead_time": 12.5, **more}  # fmt: skip

    def choice(*labels, name="relevance"):
        return {"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": list(labels)}}

    rating = {"from_name": "relevance", "to_name": "t", "type": "rating", "value": {"rating": 3}}
    comment = {"from_name": "why", "to_name": "t", "type": "textarea", "value": {"text": ["한 줄", "두 줄"]}}
    data = {"query_id": "q1", "doc_id": "001", "text": "본문", "label": "of the data, no grade"}
    return [
        {"id": 1, "data": data, "predictions": [{"result": []}],
         "annotations": [answer({"id": 3, "email": "ann@x.kr"}, choice("Relevant"), comment), answer(4, rating)]},
        {"id": 2, "data": {**data, "doc_id": "002"},
         "annotations": [answer(4, choice("관련 없음", "Relevant")), answer(5, was_cancelled=True)]},
        {"id": 3, "data": {**data, "doc_id": "003"}, "annotations": []},
    ]  # fmt: skip


def read(content, name="export.json", **choices):
    return read_judgments([(name, json.dumps(content, ensure_ascii=False).encode())], **choices)


def rows(found, *columns):
    return found.table[["query_id", "doc_id", "rater", *columns]].astype(object).where(lambda t: t.notna(), None).to_numpy().tolist()  # fmt: skip


def test_label_studio_choices_and_ratings_become_grades_of_their_raters():
    found = read(label_studio(), labels=LABELS, double_labels="lower")
    assert rows(found, "grade", "kind") == [
        ["q1", "001", "ann@x.kr", 2, "grade"],
        ["q1", "001", "4", 3, "grade"],
        ["q1", "002", "4", 0, "grade"],
        ["q1", "002", "5", None, "skip"],
    ]
    first = found.table.iloc[0]
    assert (first["comment"], first["seconds"], first["judged_at"]) == ("한 줄\n두 줄", 12.5, "2026-03-02T09:00:00Z")
    said = {remark.kind: remark.count for remark in found.remarks}
    assert (said["records_without_judgment"], said["predictions_not_read"]) == (1, 1)


def test_a_label_that_no_map_explains_stops_the_import_or_is_left_out_by_choice():
    with pytest.raises(InputErrors, match=r"export.json line 1: .*Relevant"):
        read(label_studio())
    found = read(label_studio(), labels={"Relevant": 2}, unknown_labels="leave_out")
    assert [row[:3] for row in rows(found)] == [["q1", "001", "ann@x.kr"], ["q1", "001", "4"], ["q1", "002", "5"]]
    assert [(left.reason, left.count, left.examples) for left in found.left_out] == [
        ("unknown_label", 1, ("'관련 없음': 1 times",))
    ]


def test_a_word_mapped_to_nothing_has_no_grade_even_where_it_ends_in_one():
    content = [("a.csv", b"query_id,doc_id,grade\nq,d,Unsure (1)\nq,e,2\n")]
    assert read_judgments(content).table["grade"].tolist() == [1, 2]
    found = read_judgments(content, labels={"unsure (1)": None}, unknown_labels="leave_out")
    assert found.table["doc_id"].tolist() == ["e"]
    with pytest.raises(InputError, match="Unsure"):
        read_judgments(content, labels={"unsure (1)": None})


def test_every_label_is_listed_with_its_count_and_its_grade_before_anything_is_read_as_a_grade():
    files = [("export.json", json.dumps(label_studio()).encode())]
    listed = count_labels(files, labels={"Relevant": 2}).astype(object)
    assert listed.where(listed.notna(), None).to_numpy().tolist() == [
        ["3", 1, 3],
        ["Relevant", 2, 2],
        ["관련 없음", 1, None],
    ]


def test_of_several_questions_a_person_names_the_one_with_grades():
    tasks = label_studio()
    other = {"from_name": "topic", "to_name": "t", "type": "choices", "value": {"choices": ["Sports"]}}
    tasks[0]["annotations"][0]["result"].append(other)
    assert read(tasks, labels=LABELS).table["grade"].iloc[0] == 2, "a question called relevance is the one"
    assert read(tasks, mapping={"grade": "topic"}, labels={"Sports": 1}).table["grade"].iloc[0] == 1
    with pytest.raises(InputError, match="expected a question called mood, found questions relevance, topic"):
        read(tasks, mapping={"grade": "mood"})
    for annotation in (one for task in tasks for one in task["annotations"]):
        for result in annotation["result"]:
            result["from_name"] = {"relevance": "first"}.get(result["from_name"], result["from_name"])
    with pytest.raises(InputError, match="expected one question with grades, or grade=QUESTION, found questions first"):
        read(tasks)


def test_ids_under_other_names_in_the_data_are_named_by_a_person():
    tasks = [{**task, "data": {"q": "q1", "d": task["data"]["doc_id"]}} for task in label_studio()]
    with pytest.raises(InputError, match="expected columns query_id"):
        read(tasks, labels=LABELS)
    found = read(tasks, labels=LABELS, mapping={"query_id": "q", "doc_id": "d"}, double_labels="higher")
    assert found.table["doc_id"].tolist() == ["001", "001", "002", "002"]


def argilla_v1():
    def response(user, value, status="submitted"):
        return {"user_id": user, "status": status, "values": {"relevance": {"value": value}, "notes": {"value": "왜"}}}

    return [
        {"fields": {"query": "선크림", "passage": "..."}, "metadata": {"query_id": "q1", "doc_id": "d1"},
         "responses": [response("u-1", "관련 없음"), response("u-2", 3), response("u-3", "Relevant", "discarded"),
                       response("u-4", "Relevant", "draft")],
         "suggestions": [{"question_name": "relevance", "value": "Relevant", "agent": "gpt"}]},
    ]  # fmt: skip


def argilla_v2():
    def answers(name, *pairs):
        return {name: [{"value": value, "user_id": user} for user, value in pairs]}

    record = {"id": "r-1", "fields": {"passage": "..."}, "metadata": {"query_id": "q1", "doc_id": "d1"}, "vectors": {},
              "suggestions": {"relevance": {"value": "Relevant", "agent": "gpt", "score": 1.0}},
              "responses": answers("relevance", ("u-1", "관련 없음"), ("u-2", 3)) | answers("notes", ("u-1", "왜"))}  # fmt: skip
    return [record, {**record, "metadata": {"query_id": "q1", "doc_id": "d2"}, "responses": {}}]


def test_argilla_v1_responses_are_those_of_their_users_and_drafts_are_no_judgments():
    found = read(argilla_v1(), labels=LABELS)
    assert rows(found, "grade", "kind", "comment") == [
        ["q1", "d1", "u-1", 0, "grade", "왜"],
        ["q1", "d1", "u-2", 3, "grade", "왜"],
        ["q1", "d1", "u-3", None, "skip", "왜"],
        ["q1", "d1", "u-4", None, "empty", "왜"],
    ]
    assert [remark.count for remark in found.remarks if remark.kind == "predictions_not_read"] == [1]


def test_argilla_v2_records_give_the_same_grades_nested_or_flattened():
    nested = read(argilla_v2(), labels=LABELS)
    assert rows(nested, "grade", "comment") == [["q1", "d1", "u-1", 0, "왜"], ["q1", "d1", "u-2", 3, ""]]
    flat = [
        {"id": "r-1", "passage": "...", "query_id": "q1", "doc_id": "d1",
         "relevance.responses": ["관련 없음", 3], "relevance.responses.users": ["u-1", "u-2"],
         "relevance.responses.status": ["submitted", "submitted"], "relevance.suggestion": "Relevant",
         "notes.responses": ["왜"], "notes.responses.users": ["u-1"], "notes.responses.status": ["submitted"]},
    ]  # fmt: skip
    assert rows(read(flat, labels=LABELS), "grade", "comment") == rows(nested, "grade", "comment")


def test_a_quepid_book_has_a_column_for_each_rater_and_an_empty_cell_is_no_judgment():
    book = "query,docid,Ann,김 하나\nred shoes,001,3,\nred shoes,002,1.0,0\n한글 검색,003,,\n"
    found = read_judgments([("book.csv", book.encode())])
    assert rows(found, "grade") == [
        ["red shoes", "001", "Ann", 3],
        ["red shoes", "002", "Ann", 1],
        ["red shoes", "002", "김 하나", 0],
    ]
    assert [remark.count for remark in found.remarks if remark.kind == "records_without_judgment"] == [1]
    one = read_judgments([("case.csv", b"query,docid,rating\nred shoes,001,3\n")])
    assert rows(one, "grade") == [["red shoes", "001", "case", 3]]


def test_texts_of_queries_become_their_ids_and_a_text_of_none_or_two_is_a_fault():
    queries = pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": ["red shoes", "같은 글", "같은 글"]})
    judgments = pd.DataFrame({"query_id": [" red shoes", "q2"], "doc_id": ["a", "b"]})
    assert ids_of_texts(judgments, queries)["query_id"].tolist() == ["q1", "q2"]
    with pytest.raises(InputError, match="one query of the project with the text 같은 글, found queries q2, q3"):
        ids_of_texts(judgments.assign(query_id="같은 글"), queries)
    with pytest.raises(InputError, match="with the text blue, found none"):
        ids_of_texts(judgments.assign(query_id=["blue", "q1"]), queries)


def test_nul_characters_in_ids_are_refused_with_their_line():
    content = b'{"query_id": "q", "doc_id": "d", "grade": 1}\n{"query_id": "q\\u0000", "doc_id": "d", "grade": 1}\n'
    with pytest.raises(InputError, match=r"a\.jsonl line 2: expected a query_id without NUL characters"):
        read_judgments([("a.jsonl", content)])
    with pytest.raises(InputError, match=r"q\.jsonl line 1: expected a query_id without NUL characters"):
        read_queries(b'{"query_id": "q\\u0000", "text": "t"}\n', "q.jsonl")
    with pytest.raises(InputError, match=r"d\.jsonl line 1: expected a doc_id without NUL characters"):
        read_documents(b'{"doc_id": "d\\u0000", "text": "t"}\n', "d.jsonl")
