import gzip
import json

import pytest

from labeling.errors import InputError, InputErrors
from labeling.exchange.documents import read_documents
from labeling.exchange.queries import read_queries
from tests.support.data import shared_data


def remarks(imported):
    return {one.kind: one.count for one in imported.remarks}


# Queries


@pytest.mark.parametrize(
    "text",
    [
        "query_id\ttext\n001\tcafé opening\nNA\tnaïve bayes\n",
        "QID,Query\r\n001,café opening\r\nNA,naïve bayes\r\n",
        "id;title\n001;café opening\nNA;naïve bayes",
        '{"_id": "001", "text": "café opening"}\n{"_id": "NA", "text": "naïve bayes"}\n',
        '[{"query-id": "001", "query": "café opening"}, {"query-id": "NA", "query": "naïve bayes"}]',
    ],
)
def test_each_format_gives_the_same_queries(text):
    for content in (
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        gzip.compress(text.encode()),
        text.encode("utf-16"),
    ):
        imported = read_queries(content, "queries")
        assert imported.table[["query_id", "text", "narrative"]].values.tolist() == [
            ["001", "café opening", ""], ["NA", "naïve bayes", ""],
        ]  # fmt: skip
        assert imported.left_out == ()


def test_other_columns_are_kept_as_text_for_slices():
    table = read_queries(b"query_id,text,narrative,type,year\nq1,a,what for,fact,2020\nq2,b,,,007\n", "q.csv").table
    assert table.columns.tolist() == ["query_id", "text", "narrative", "type", "year"]
    assert table.iloc[1].tolist() == ["q2", "b", "", "", "007"]


def test_the_topics_of_a_real_campaign_have_no_header_and_are_said_to_have_none():
    imported = read_queries(shared_data("dl19", "topics.tsv").read_bytes(), "topics.tsv")
    assert len(imported.table) == 43
    assert remarks(imported) == {"no_header": 1}
    assert imported.table["query_id"].str.fullmatch(r"\d+").all()


def test_commas_and_semicolons_in_the_text_do_not_pass_for_separators():
    tabs = b"1\tred, green, or blue\n2\tone, two, or three\n"
    assert read_queries(tabs, "q.tsv").table["text"].tolist() == ["red, green, or blue", "one, two, or three"]
    commas = b"query_id,text\n1,this; that; or both\n2,now; later; or never\n"
    assert read_queries(commas, "q.csv").table["text"].tolist() == ["this; that; or both", "now; later; or never"]
    semicolons = b"query_id;text\n1;a, b\n2;c, d\n"
    assert read_queries(semicolons, "q.csv").table["text"].tolist() == ["a, b", "c, d"]
    unclosed = b'1\t"an open quote\n2\tplain\n3\tplain too\n'
    assert read_queries(unclosed, "q.tsv").table["text"].tolist() == ['"an open quote', "plain", "plain too"]


def test_quotes_in_tab_separated_queries_belong_to_the_text():
    content = b'1\t"how to" boil an egg\n2\twhat is "al dente"\n'
    imported = read_queries(content, "topics.tsv")
    assert imported.table["text"].tolist() == ['"how to" boil an egg', 'what is "al dente"']
    assert remarks(imported)["quotes_kept"] == 1


def test_quotes_that_a_spreadsheet_wrote_around_tab_separated_fields_are_taken_off():
    content = b'query_id\ttext\n1\t"say ""hi"", twice"\n2\tplain\n'
    assert read_queries(content, "topics.tsv").table["text"].tolist() == ['say "hi", twice', "plain"]


def test_a_file_in_latin_1_is_asked_about_with_line_and_byte():
    content = shared_data("dirty", "39_topics_latin1_byte.txt").read_bytes()
    with pytest.raises(
        InputError, match="line 1: expected UTF-8 text, found byte 0xE9 at place 7; name the file's encoding"
    ):
        read_queries(content, "topics.txt")
    assert read_queries(content, "topics.txt", encoding="latin-1").table["text"].tolist() == [
        "café opening hours",
        "naïve bayes",
    ]


def test_a_query_twice_is_counted_and_a_contradiction_is_a_fault():
    imported = read_queries(b"query_id,text\nq,a\nq,a\nr,b\n", "q.csv")
    assert [(one.reason, one.count, one.examples) for one in imported.left_out] == [("repeated_query", 1, ("q",))]
    assert imported.rows_read == len(imported.table) + 1 == 3
    with pytest.raises(InputError, match="line 3: expected one query for each query_id, found q again with b"):
        read_queries(b"query_id,text\nq,a\nq,b\n", "q.csv")


def test_missing_ids_and_texts_are_faults_with_their_lines():
    with pytest.raises(InputErrors) as caught:
        read_queries(b"query_id,text\nq,a\n,b\nr,\n", "q.csv")
    assert [(fault.line, fault.expected) for fault in caught.value.faults] == [(3, "a query_id"), (4, "a text")]


def test_columns_that_are_not_understood_are_listed():
    with pytest.raises(InputError, match=r"line 1: expected columns text \(or query, .*found columns query_id, frage"):
        read_queries(b"query_id,frage\nq,a\n", "q.csv")
    assert read_queries(b"nr,frage\nq,a\n", "q.csv", mapping={"query_id": "nr", "text": "frage"}).table[
        "text"
    ].tolist() == ["a"]
    assert read_queries(b"x,a,y\n", "q.csv", mapping={"query_id": "column 1", "text": "column 3"}).table[
        "text"
    ].tolist() == ["y"]


# Documents


def test_each_format_gives_the_same_documents():
    rows = [
        {"doc_id": "007", "title": "Tea", "text": 'Green, or "black"', "url": "https://example.org"},
        {"doc_id": "NA", "text": "차\n마시기"},
    ]
    jsonl = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    table = 'doc_id,title,text,url\n007,Tea,"Green, or ""black""",https://example.org\nNA,,"차\n마시기",\n'
    for content in (
        jsonl.encode(),
        gzip.compress(jsonl.encode()),
        table.encode(),
        table.encode("utf-16"),
        json.dumps(rows).encode(),
    ):
        imported = read_documents(content, "documents")
        assert imported.table.values.tolist() == [
            ["007", "Tea", 'Green, or "black"', "https://example.org"], ["NA", "", "차\n마시기", ""],
        ]  # fmt: skip


def test_columns_of_other_tools_are_understood():
    for text in (
        '{"id": "1", "contents": "x"}',
        '{"_id": "1", "text": "x", "title": ""}',
        "docno\tbody\n1\tx",
        "1\tx\n",
    ):
        assert read_documents(text.encode(), "d").table[["doc_id", "text"]].values.tolist() == [["1", "x"]]


def test_a_line_separator_inside_json_text_does_not_end_the_line():
    text = json.dumps({"doc_id": "1", "text": "a\u2028b"}, ensure_ascii=False)
    assert read_documents(text.encode(), "d.jsonl").table["text"].tolist() == ["a\u2028b"]


def test_a_text_longer_than_the_csv_librarys_limit_is_read():
    long = "word " * 60_000
    assert read_documents(f"doc_id,text\n1,{long}\n".encode(), "d.csv").table["text"].str.len().tolist() == [len(long)]


def test_documents_without_text_are_kept_and_counted():
    imported = read_documents(b"doc_id,title,text\n1,Tea,\n2,,\n3,,x\n", "d.csv")
    assert len(imported.table) == 3
    assert remarks(imported) == {"no_text": 1, "title_only": 1}


def test_a_document_twice_is_counted_and_a_contradiction_is_a_fault():
    imported = read_documents(b"doc_id,text\n1,a\n1,a\n", "d.csv")
    assert [(one.reason, one.count) for one in imported.left_out] == [("repeated_document", 1)]
    with pytest.raises(InputError, match="line 3: expected one document for each doc_id, found 1 again with b"):
        read_documents(b"doc_id,text\n1,a\n1,b\n", "d.csv")


def test_progress_is_told_and_reaches_no_more_than_its_bound():
    lines = "\n".join(json.dumps({"doc_id": str(number), "text": "x"}) for number in range(25_000))
    for content in (lines.encode(), ("doc_id,text\n" + "\n".join(f"{number},x" for number in range(25_000))).encode()):
        told = []
        read_documents(content, "d", progress=lambda done, total: told.append((done, total)))  # noqa: B023
        assert len(told) >= 2
        assert all(done <= total for done, total in told)


def test_the_passages_of_a_real_campaign_keep_their_ids():
    imported = read_documents(shared_data("dl19", "documents.jsonl").read_bytes(), "documents.jsonl")
    assert (len(imported.table), imported.left_out) == (4507, ())
    assert imported.table["doc_id"].iloc[0] == "350"


def test_korean_queries_with_marks_in_their_ids_are_read():
    imported = read_queries(shared_data("korean_ids", "topics.miracl-v1.0-ko-dev.tsv").read_bytes(), "topics.tsv")
    assert len(imported.table) == 213
