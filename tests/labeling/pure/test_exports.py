"""Qrels leave in the shapes that other programs read, and come back equal where there is a reader."""

import json
import random

import pandas as pd
import pytest

import metrics
from labeling.errors import InputError
from labeling.exchange import exports
from labeling.exchange.archives import open_archive, pack_files
from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import ids_of_texts, read_judgments, votes_of
from labeling.exchange.queries import read_queries
from labeling.exchange.writing import json_bytes, qrels_bytes

QUERIES = pd.DataFrame(
    {
        "query_id": ["q2", "q1", "q3", "q4", "q5"],
        "text": ["선크림 추천", "red shoes", "red shoes", None, "q2"],
        "narrative": ["", "for running", "", "", ""],
        "length": ["2", "2", "2", "0", "1"],
    },
    dtype=object,
)
DOCUMENTS = pd.DataFrame(
    {"doc_id": ["d2", "001"], "title": ["", "제목"], "text": ["two\nlines\t|", "본문"], "url": ["", "https://x.kr/1"]}
)
QRELS = pd.DataFrame(
    [("q1", "001", 3), ("q1", "d2", 0), ("q2", "d2", 1), ("q4", "001", 2)], columns=["query_id", "doc_id", "relevance"]
)
VOTES = pd.DataFrame(
    [("q1", "001", "Ann", 3), ("q1", "001", "김 하나", 2), ("q2", "d2", "김 하나", 1), ("q4", "001", "a/b:c", 2)],
    columns=["query_id", "doc_id", "rater", "grade"],
)


def keyed(table, value):
    return dict(zip(zip(table["query_id"], table["doc_id"], strict=True), table[value].astype(int), strict=True))


def test_queries_go_by_their_text_unless_it_is_missing_shared_or_another_ones_id():
    names, by_id = exports.name_queries(QUERIES)
    assert names == {"q2": "선크림 추천", "q1": "q1", "q3": "q3", "q4": "q4", "q5": "q5"}
    assert by_id == 4


def test_quepid_files_read_back_to_the_same_grades_and_votes():
    names, _ = exports.name_queries(QUERIES)
    files = exports.export_quepid(QRELS, VOTES, names)
    assert files["quepid/ratings.csv"].decode().splitlines()[:2] == ["query,docid,rating", "q1,001,3"]
    ratings = read_judgments([("case.csv", files["quepid/ratings.csv"])]).table
    assert keyed(ids_of_texts(ratings, QUERIES), "grade") == keyed(QRELS, "relevance")
    book = votes_of(ids_of_texts(read_judgments([("book.csv", files["quepid/book.csv"])]).table, QUERIES))
    order = ["query_id", "doc_id", "rater"]
    pd.testing.assert_frame_equal(
        book.sort_values(order, ignore_index=True), VOTES.sort_values(order, ignore_index=True), check_dtype=False
    )


def test_opensearch_judgments_have_the_documented_shape_and_read_back():
    names, _ = exports.name_queries(QUERIES)
    content = exports.export_opensearch(QRELS, names, "봄")["opensearch/judgments.json"]
    body = json.loads(content)
    assert (body["type"], body["name"], set(body)) == (
        "IMPORT_JUDGMENT", "봄", {"name", "description", "type", "judgmentRatings"},
    )  # fmt: skip
    assert body["judgmentRatings"][0] == {
        "query": "q1",
        "ratings": [{"docId": "001", "rating": "3.000"}, {"docId": "d2", "rating": "0.000"}],
    }
    back = read_judgments([("judgments.json", content)]).table
    assert keyed(ids_of_texts(back, QUERIES), "grade") == keyed(QRELS, "relevance")


def test_beir_files_read_back_and_hold_a_corpus_only_with_documents():
    files = exports.export_beir(QRELS, QUERIES, DOCUMENTS)
    assert set(files) == {"beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/test.tsv"}
    assert set(exports.export_beir(QRELS, QUERIES, None)) == {"beir/queries.jsonl", "beir/qrels/test.tsv"}
    assert files["beir/qrels/test.tsv"].decode().splitlines()[:2] == ["query-id\tcorpus-id\tscore", "q1\t001\t3"]
    found = metrics.read_qrels(files["beir/qrels/test.tsv"], name="test.tsv").table
    assert keyed(found, "relevance") == keyed(QRELS, "relevance")
    first = json.loads(files["beir/corpus.jsonl"].decode().splitlines()[0])
    assert first == {"_id": "001", "title": "제목", "text": "본문", "metadata": {"url": "https://x.kr/1"}}
    queries = [json.loads(line) for line in files["beir/queries.jsonl"].decode().splitlines()]
    assert [query["_id"] for query in queries] == ["q1", "q2", "q3", "q4", "q5"]
    assert queries[0]["metadata"] == {"narrative": "for running", "length": "2"}


def test_the_ir_datasets_folder_reads_back_with_our_readers_and_with_ir_measures(tmp_path):
    import ir_measures

    files = exports.export_ir_datasets(QRELS, QUERIES[QUERIES["text"].notna()], DOCUMENTS)
    for name, content in files.items():
        (tmp_path / name.removeprefix("ir_datasets/")).write_bytes(content)
    theirs = {(one.query_id, one.doc_id): one.relevance for one in ir_measures.read_trec_qrels(str(tmp_path / "qrels"))}
    assert theirs == keyed(QRELS, "relevance")
    queries = read_queries(files["ir_datasets/queries.jsonl"], "queries.jsonl").table.set_index("query_id")
    assert queries.loc["q1", ["text", "narrative", "length"]].tolist() == ["red shoes", "for running", "2"]
    documents = read_documents(files["ir_datasets/docs.jsonl"], "docs.jsonl").table
    assert documents.sort_values("doc_id")["text"].tolist() == ["본문", "two\nlines\t|"]


def test_ir_datasets_itself_loads_the_folder(tmp_path):
    ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    files = exports.export_ir_datasets(QRELS, QUERIES[QUERIES["text"].notna()], DOCUMENTS)
    for name, content in files.items():
        (tmp_path / name.removeprefix("ir_datasets/")).write_bytes(content)
    place = {name: ir_datasets.util.LocalDownload(tmp_path / name) for name in ("docs.jsonl", "queries.jsonl", "qrels")}
    loaded = ir_datasets.datasets.base.Dataset(
        ir_datasets.formats.JsonlDocs(place["docs.jsonl"]),
        ir_datasets.formats.JsonlQueries(place["queries.jsonl"]),
        ir_datasets.formats.TrecQrels(place["qrels"], {}),
    )
    assert {(one.query_id, one.doc_id): one.relevance for one in loaded.qrels_iter()} == keyed(QRELS, "relevance")
    assert next((one.query_id, one.text) for one in loaded.queries_iter()) == ("q1", "red shoes")
    assert [(one.doc_id, one.text) for one in loaded.docs_iter()] == [("001", "본문"), ("d2", "two\nlines\t|")]


def test_each_rater_has_qrels_of_their_own_under_a_name_that_every_system_takes():
    files, names = exports.export_by_rater(VOTES)
    assert names == {
        "raters/Ann.qrels": "Ann",
        "raters/a%2Fb%3Ac.qrels": "a/b:c",
        "raters/김 하나.qrels": "김 하나",
    }
    assert files["raters/김 하나.qrels"] == b"q1 0 001 2\nq2 0 d2 1\n"
    assert list(exports.export_by_rater(VOTES.assign(rater=".."))[0]) == ["raters/%2E..qrels"]


def test_soft_qrels_hold_the_share_of_each_grade():
    lines = exports.export_soft(VOTES, (0, 1, 2, 3))["soft_qrels.csv"].decode().splitlines()
    assert lines[:2] == ["query_id,doc_id,votes,share_0,share_1,share_2,share_3", "q1,001,2,0.0,0.0,0.5,0.5"]


def test_an_id_with_a_nul_character_or_a_blank_is_refused_with_its_reason():
    with pytest.raises(InputError, match="qrels: expected a doc_id without NUL characters, found 'd"):
        qrels_bytes(QRELS.assign(doc_id="d\0"))
    with pytest.raises(InputError, match="blank"):
        qrels_bytes(QRELS.assign(doc_id="d 1"))


def archive(**files):
    import hashlib

    told = {name: {"sha256": hashlib.sha256(content).hexdigest()} for name, content in files.items()}
    return {**files, "manifest.json": json_bytes({"files": told})}


def test_an_archive_reads_back_and_any_other_byte_is_found():
    files = archive(**{"qrels.txt": qrels_bytes(QRELS), "한글.csv": b"x\n"})
    content = pack_files(files)
    assert content == pack_files(dict(reversed(files.items())))
    assert keyed(open_archive(content, "a.zip").qrels(), "relevance") == keyed(QRELS, "relevance")
    for changed, said in (
        ({**files, "qrels.txt": b"q1 0 001 2\n"}, "expected qrels.txt with SHA-256"),
        ({**files, "more.txt": b""}, "the files that manifest.json names, found 1 more or fewer, such as more.txt"),
        ({"qrels.txt": b""}, "a release with manifest.json, found 1 files without it"),
        ({**files, "manifest.json": b"[]"}, "manifest.json with files and their SHA-256"),
    ):
        with pytest.raises(InputError, match=said):
            open_archive(pack_files(changed), "a.zip")
    with pytest.raises(InputError, match=r"a\.zip: expected a release as a zip archive"):
        open_archive(b"PK not really", "a.zip")


def test_an_archive_damaged_in_any_way_is_refused_in_words_or_whole() -> None:
    content, chance = pack_files(archive()), random.Random(1)
    refused = 0
    for _ in range(3000):
        damaged = bytearray(content)
        ends = range(
            max(0, len(content) - 1200), len(content)
        )  # the directory of the zip, where its reader trusts numbers
        for _ in range(3):
            damaged[chance.choice(ends)] = chance.randrange(256)
        try:
            open_archive(bytes(damaged), "a.zip")
        except InputError:
            refused += 1
    assert refused > 1000


def test_an_archive_without_a_graded_pair_has_empty_qrels():
    found = open_archive(pack_files(archive(**{"qrels.txt": b""})), "a.zip").qrels()
    assert (len(found), list(found.columns)) == (0, ["query_id", "doc_id", "relevance"])
