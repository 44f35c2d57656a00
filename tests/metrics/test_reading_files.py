"""Qrels and runs as people really have them."""

import gzip
import io
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics
from metrics import InputError, InputErrors, _sieve
from metrics._layout import recognise
from metrics._lines import read_exactly, read_fast
from metrics.trec import _RUN_TYPES
from tests.support.data import shared_data


def dirty(name):
    return shared_data("dirty", name)


def rows(table):
    return [tuple(row) for row in table.itertuples(index=False)]


def kinds(found):
    return {remark.kind: remark.count for remark in found.remarks}


QRELS_OUTCOMES = {
    "01_qrels_mixed_tabs_spaces.txt": ([("t1", "d1", 2), ("t1", "d2", 0), ("t1", "d3", 1)], {}),
    "02_qrels_crlf.txt": ([("t1", "d1", 3), ("t1", "d2", 0)], {}),
    "03_qrels_bom.txt": ([("t1", "d1", 3), ("t1", "d2", 1), ("t2", "d1", 2)], {}),
    "04_qrels_trailing_blanks.txt": ([("t1", "d1", 2), ("t1", "d2", 1), ("t2", "d9", 0)], {}),
    "05_qrels_no_final_newline.txt": ([("t1", "d1", 2), ("t1", "d2", 1)], {}),
    "06_qrels_three_columns.txt": ([("t1", "d1", 2), ("t1", "d2", 0)], {}),
    "07_qrels_header_row.tsv": ([("q1", "d1", 2), ("q1", "d2", 0)], {}),
    "08_qrels_swapped_iteration.txt": ([("t1", "d1", 2), ("t1", "d2", 0), ("t1", "d3", 1)], {}),
    "10_qrels_comment_hash_ids.txt": ([("12", "317339#6", 1), ("12", "317339#9", 0)], {"comments": 1}),
    "11_qrels_negative_grades.txt": (
        [("t1", "d1", -2), ("t1", "d2", -1), ("t1", "d3", 0), ("t1", "d4", 2)],
        {"negative_grades": 2},
    ),
    "12_qrels_float_like_ints.txt": ([("t1", "d1", 2), ("t1", "d2", 0), ("t1", "d3", 1)], {"decimal_grades": 3}),
    "14_qrels_out_of_range.txt": ([("t1", "d1", 3), ("t1", "d2", 5), ("t1", "d3", 10), ("t1", "d4", 1)], {}),
    "15_qrels_inverted_scale.txt": (
        [("1", "184", 2), ("1", "29", 1), ("1", "31", 4), ("1", "12", -1)],
        {"negative_grades": 1, "scale_without_zero": 4},
    ),
    "17_qrels_exact_duplicates.txt": ([("t1", "d1", 2), ("t1", "d2", 1)], {"repeated_pairs": 1}),
    "25_qrels_leading_zero_ids.csv": ([("001", "0001", 2), ("010", "0002", 0)], {}),
    "26_qrels_na_null_ids.csv": ([("NA", "null", 2), ("nan", "None", 1), ("TRUE", "N/A", 0)], {}),
    "27_qrels_big_int_ids.csv": (
        [("9223372036854775809", "479386071891505153", 1), ("9223372036854775810", "479386071891505154", 2)],
        {},
    ),
    "29_qrels_date_like_ids.csv": ([("2021-03-01", "03-04-2021", 1), ("10:30", "1/2", 2)], {}),
}


@pytest.mark.parametrize("name", QRELS_OUTCOMES)
def test_a_qrels_file_with_a_known_oddity_is_read_as_its_author_meant(name):
    expected, remarks = QRELS_OUTCOMES[name]
    found = metrics.read_qrels(dirty(name))
    assert rows(found.table) == expected
    assert kinds(found) == remarks


def test_a_line_without_a_grade_is_named_and_can_be_left_out_and_counted():
    with pytest.raises(InputError, match=r"line 2: expected query_id, iteration, doc_id, grade"):
        metrics.read_qrels(dirty("09_qrels_missing_grade.txt"))
    found = metrics.read_qrels(dirty("09_qrels_missing_grade.txt"), faulty_lines="leave_out")
    assert len(found.table) == 2
    assert kinds(found) == {"lines_left_out": 1}


def test_fractional_grades_are_never_cut_short_but_rounded_when_asked():
    with pytest.raises(InputErrors) as caught:
        metrics.read_qrels(dirty("13_qrels_fractional_grades.txt"))
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3]
    found = metrics.read_qrels(dirty("13_qrels_fractional_grades.txt"), rounding="nearest")
    assert found.table["relevance"].tolist() == [2, 1, 2]
    assert kinds(found) == {"rounded_grades": 3}


def test_grades_outside_a_declared_scale_are_listed_or_treated_as_chosen():
    path, scale = dirty("14_qrels_out_of_range.txt"), (0, 1, 2, 3)
    with pytest.raises(InputErrors) as caught:
        metrics.read_qrels(path, scale=scale)
    assert [(fault.line, fault.found) for fault in caught.value.faults] == [(2, "5"), (3, "10")]
    assert metrics.read_qrels(path, scale=scale, out_of_scale="clip").table["relevance"].tolist() == [3, 3, 3, 1]
    left = metrics.read_qrels(path, scale=scale, out_of_scale="leave_out")
    assert left.table["relevance"].tolist() == [3, 1]
    assert kinds(left) == {"outside_scale": 2}


def test_one_pair_with_two_grades_is_an_error_that_names_both_lines():
    with pytest.raises(InputError, match=r"line 3: expected one grade a pair, found .* 0 here and 2 in line 1"):
        metrics.read_qrels(dirty("18_qrels_conflicting_duplicates.txt"))


def test_ids_that_a_spreadsheet_destroyed_are_pointed_out():
    found = metrics.read_qrels(dirty("28_qrels_excel_mangled_ids.csv"))
    assert {remark.kind for remark in found.remarks} == {"spreadsheet_ids"}


def test_ids_that_look_alike_are_kept_apart_and_pointed_out():
    for name in ("32_qrels_nfc_nfd.tsv", "35_qrels_invisible_chars.txt"):
        found = metrics.read_qrels(dirty(name))
        assert len(found.table) == found.table.drop_duplicates(["query_id", "doc_id"]).shape[0]
        assert "look_alike_ids" in kinds(found)


def test_a_run_whose_ids_hold_blanks_is_refused_with_advice():
    with pytest.raises(InputError, match=r"line 1: .*ids with blanks need a tab between columns, or CSV"):
        metrics.read_run(dirty("30_run_docid_with_spaces.txt"))


def test_ids_with_blanks_are_read_when_tabs_part_the_columns():
    run = metrics.read_run(b"q1\tQ0\tannual report.pdf\t1\t12.5\tsysA\n")
    assert run.table["doc_id"].tolist() == ["annual report.pdf"]


def test_commas_and_quotes_in_ids_have_no_meaning_in_a_trec_file():
    run = metrics.read_run(dirty("31_run_docid_with_comma_quote.txt"))
    assert run.table["doc_id"].tolist() == ["IPCC_report,_1992", '"Heroes"_(album)', "O'Brien"]


def test_a_run_in_another_unicode_form_says_why_nothing_matches():
    qrels = metrics.read_qrels(dirty("34_qrels_nfc.txt"))
    run = metrics.read_run(dirty("33_run_nfd_ids_vs_nfc_qrels.run"))
    (remark,) = [each for each in metrics.evaluate(qrels, run).remarks if each.kind == "look_alike_documents"]
    assert remark.count == 2
    assert "0 of 2 documents are judged; 2 would be" in remark.text


def test_a_run_of_another_query_set_stops_with_both_examples():
    qrels = metrics.read_qrels(b"2024-1 0 d1 1\n2024-2 0 d2 1\n")
    run = metrics.read_run(dirty("36_run_qid_suffix_mismatch.txt"))
    with pytest.raises(InputError, match=r"'2024-1'.*'2024-1\.0'"):
        metrics.evaluate(qrels, run)


@pytest.mark.parametrize("name", ["42_run_rank_from_zero.txt", "43_run_all_rank_zero.txt"])
def test_the_score_orders_a_run_whatever_its_ranks_say(name):
    qrels = metrics.read_qrels(b"q1 0 d1 1\n")
    evaluation = metrics.evaluate(qrels, metrics.read_run(dirty(name)), ["RR"])
    assert evaluation.means["mean"].tolist() == [1.0]


def test_ranks_that_contradict_the_scores_are_pointed_out():
    run = metrics.read_run(dirty("44_run_rank_contradicts_score.txt"))
    assert "rank_contradicts_score" in kinds(run)
    qrels = metrics.read_qrels(b"q1 0 d2 1\n")
    found = metrics.evaluate(qrels, run, ["RR"])
    assert found.means["mean"].tolist() == [1.0]
    (said,) = [each.text for each in found.remarks if each.kind == "score_by_either_order"]
    assert "nDCG@10 is 1.0000 by the scores" in said
    assert "0.6309 by the ranks" in said


def test_gzip_is_found_by_content_and_a_damaged_one_is_named():
    packed = gzip.compress(b"q1 0 d1 2\n")
    assert len(metrics.read_qrels(packed, name="plain-name.txt").table) == 1
    with pytest.raises(InputError, match="whole gzip"):
        metrics.read_qrels(packed[:-6])


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b""), b"\xef\xbb\xbf"])
def test_an_empty_file_is_called_empty(content):
    with pytest.raises(InputError, match="an empty file"):
        metrics.read_qrels(content)
    with pytest.raises(InputError, match="an empty file"):
        metrics.read_run(content)


def test_a_directory_and_an_absent_file_are_named(tmp_path):
    with pytest.raises(InputError, match="a directory"):
        metrics.read_run(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        metrics.read_run(tmp_path / "absent.run")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_marked_encoding_and_line_end_reads_the_same(encoding, end):
    text = end.join(["q1 Q0 문서 1 2.5 bm25", "q1 Q0 d2 2 1.5 bm25", ""])
    run = metrics.read_run(text.encode(encoding))
    assert rows(run.table) == [("q1", "문서", 2.5), ("q1", "d2", 1.5)]
    assert run.tag == "bm25"


def test_bytes_that_are_no_utf8_are_named_with_their_line():
    with pytest.raises(InputError, match=r"line 2: expected text in UTF-8 .* byte 0xE9"):
        metrics.read_qrels(b"q1 0 d1 1\nq1 0 caf\xe9 1\n")


def test_words_that_other_readers_take_for_missing_stay_words():
    run = metrics.read_run(b"NA Q0 null 1 2.0 nan\nNA Q0 001 2 1.0 nan\n")
    assert rows(run.table) == [("NA", "null", 2.0), ("NA", "001", 1.0)]
    assert run.tag == "nan"


def test_msmarco_ranks_become_scores_and_it_is_said():
    run = metrics.read_run(b"7\td3\t1\n7\td1\t2\n8\td9\t1\n", name="folder/msmarco-bm25.tsv")
    assert run.table["score"].tolist() == [-1.0, -2.0, -1.0]
    assert run.tag == "msmarco-bm25"
    assert kinds(run) == {"rank_as_score": 3}
    scored = metrics.read_run(b"7\td3\t3.5\n7\td1\t2\n")
    assert scored.table["score"].tolist() == [3.5, 2.0]
    assert kinds(scored) == {"third_is_score": 2}


def test_csv_and_tsv_headers_map_columns_by_name():
    for text in (b"rank,score,doc_id,query_id\n1,2.5,d1,q1\n", b"qid\tdocid\tscore\nq1\td1\t2.5\n"):
        assert rows(metrics.read_run(text).table) == [("q1", "d1", 2.5)]
    quoted = metrics.read_qrels(b'query_id,doc_id,relevance\nq1,"a, ""b""",2\n')
    assert rows(quoted.table) == [("q1", 'a, "b"', 2)]


def test_a_header_without_a_needed_column_says_which():
    with pytest.raises(InputError, match="line 1: expected a column for the grade"):
        metrics.read_qrels(b"query_id,doc_id,text\nq1,d1,x\n")


def test_json_of_ranx_and_pytrec_eval_and_json_lines_are_read():
    nested = json.dumps({"q1": {"d1": 2, "d2": 0}}).encode()
    assert rows(metrics.read_qrels(nested).table) == [("q1", "d1", 2), ("q1", "d2", 0)]
    assert rows(metrics.read_run(json.dumps({"q1": {"d1": 2.5}}).encode()).table) == [("q1", "d1", 2.5)]
    lines = b'{"query_id": "q1", "doc_id": "d1", "relevance": 3}\n{"query_id": "q1", "doc_id": "d2", "relevance": 0}\n'
    assert rows(metrics.read_qrels(lines).table) == [("q1", "d1", 3), ("q1", "d2", 0)]
    with pytest.raises(InputError, match="twice"):
        metrics.read_qrels(b'{"q1": {"d1": 2, "d1": 1}}')
    with pytest.raises(InputError, match="expected JSON"):
        metrics.read_qrels(b'{"q1": {"d1": 2')


def test_a_document_twice_in_a_ranking_is_an_error_that_names_both_lines():
    with pytest.raises(InputError, match=r"line 3: .*'d1' again for query 'q1' \(first in line 1\)"):
        metrics.read_run(b"q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq1 Q0 d1 3 1 a\n")


@pytest.mark.parametrize("score", ["nan", "1,5", "1_0", "", "٣"])
def test_a_score_that_is_no_number_is_named_with_its_line(score):
    with pytest.raises(InputError, match="line 2"):
        metrics.read_run(f"q1\tQ0\td1\t1\t2.0\ta\nq1\tQ0\td2\t2\t{score}\ta\n".encode())


def test_text_after_the_tag_is_passed_over_as_trec_eval_does():
    run = metrics.read_run(shared_data("trec_eval_tests", "results.trunc"))
    assert run.tag == "STANDARD"
    assert len(run) > 0


def test_comments_are_passed_over_and_a_hash_within_an_id_is_no_comment():
    plain = metrics.read_qrels(shared_data("trec_eval_tests", "qrels.test"))
    commented = metrics.read_qrels(shared_data("trec_eval_tests", "qrels.test.with-comments"))
    restored = commented.table["doc_id"].str.replace("#", "")
    assert commented.table.assign(doc_id=restored).equals(plain.table)
    assert kinds(commented) == {"comments": 3}


def test_ids_with_hash_signs_are_kept_whole():
    found = metrics.read_qrels(shared_data("korean_ids", "qrels.miracl-v1.0-ko-dev.tsv"))
    assert found.table["doc_id"].str.contains("#").all()


def test_what_is_written_reads_back_equal_and_in_one_order():
    qrels = metrics.read_qrels(b"q2 0 d1 1\nq1 0 d2 0\nq1 0 d1 3\n")
    first, second = io.BytesIO(), io.BytesIO()
    metrics.write_qrels(qrels.table, first)
    metrics.write_qrels(qrels.table.iloc[::-1], second)
    assert first.getvalue() == second.getvalue() == b"q1 0 d1 3\nq1 0 d2 0\nq2 0 d1 1\n"
    run = metrics.read_run(b"q1 Q0 d1 1 1.0 t\nq1 Q0 d2 2 1.0 t\nq1 Q0 d3 3 0.1 t\n")
    out = io.BytesIO()
    metrics.write_run(run, out)
    assert out.getvalue() == b"q1 Q0 d2 1 1.0 t\nq1 Q0 d1 2 1.0 t\nq1 Q0 d3 3 0.1 t\n"
    with pytest.raises(InputError, match="without blanks"):
        metrics.write_run(metrics.read_run(b"q1\tQ0\ta b\t1\t1\tt\n"), io.BytesIO())


def test_a_large_plain_file_is_read_by_the_fast_reader():
    lines = b"".join(
        b"%d Q0 D%d %d %d.5 big\n" % (q, q * 7919 + d, d, 1000 - d) for q in range(20) for d in range(1000)
    )
    run = metrics.read_run(lines)
    assert len(run) == 20_000
    assert run.remarks == ()
    assert read_fast(lines, recognise(lines, "run", "big"), _RUN_TYPES) is not None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["q1", "é", "001"]), st.integers(0, 30), st.integers(-8, 8)),
        min_size=1,
        max_size=20,
        unique_by=lambda row: row[:2],
    )
)
def test_the_fast_and_the_exact_reader_agree(lines):
    text = "".join(
        f"{query} Q0 d{doc} {place} {score / 4} t\n" for place, (query, doc, score) in enumerate(lines)
    ).encode()
    table, _ = read_fast(text, recognise(text, "run", "x"), _RUN_TYPES)
    exact = read_exactly(text, recognise(text, "run", "x"), "x")
    assert table["query_id"].to_pylist() == exact.fields["query_id"]
    assert table["doc_id"].to_pylist() == exact.fields["doc_id"]
    assert table["score"].to_pylist() == [float(score) for score in exact.fields["score"]]
    odd = metrics.read_run(text.replace(b" Q0 ", b"\t \tQ0  "))
    assert odd.table.equals(metrics.read_run(text).table)


def test_several_runs_are_read_in_the_order_given(tmp_path):
    for tag in "abcdefgh":
        (tmp_path / f"{tag}.run").write_text(f"q1 Q0 d 1 1.0 {tag}\n")
    runs = metrics.read_runs([tmp_path / f"{tag}.run" for tag in "hgfedcba"])
    assert [run.tag for run in runs] == list("hgfedcba")
    with pytest.raises(InputError, match="absent"):
        metrics.read_runs([tmp_path / "a.run", tmp_path / "absent.run"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["", "a", "aa", "x" * 8, "x" * 9, "x" * 17, "y" + "x" * 16, "é"])), max_size=12), st.integers(1, 4))  # fmt: skip
def test_the_first_repeated_pair_is_found_wherever_it_stands(pairs, block):
    seen, expected = {}, None
    for row, pair in enumerate(pairs):
        if pair in seen:
            expected = (seen[pair], row)
            break
        seen[pair] = row
    queries, documents = (pa.array([pair[part] for pair in pairs], type=pa.string()) for part in (0, 1))
    kept = _sieve._BLOCK_ROWS
    try:
        _sieve._BLOCK_ROWS = block
        found = _sieve.find_duplicate(queries, documents, _sieve.mark_texts(documents))
    finally:
        _sieve._BLOCK_ROWS = kept
    assert (found is None) == (expected is None)
    if found is not None:
        assert pairs[found[0]] == pairs[found[1]]
        assert found[0] < found[1]
    scattered = len({pair[0] for pair in pairs}) < sum(
        a[0] != b[0] for a, b in zip(pairs, [(None,), *pairs], strict=False)
    )
    assert scattered or found == expected


@settings(max_examples=120)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["q1", "q10", "q2", "", "질의", "a-long-query-id-1", "a-long-query-id-2"]),
            st.integers(1, 12),
        ),
        max_size=9,
    ),
    st.integers(1, 9),
    st.integers(0, 3),
)
def test_runs_of_equal_texts_are_coded_as_a_dictionary_codes_them(runs, block, skipped):
    texts = [text for text, number in runs for _ in range(number)]
    column = pa.array(texts, type=pa.string()).slice(min(skipped, len(texts)))
    kept = _sieve._MARK_ROWS
    try:
        _sieve._MARK_ROWS = block
        found = _sieve.encode_runs(column)
    finally:
        _sieve._MARK_ROWS = kept
    expected = column.dictionary_encode()
    assert found.to_pylist() == column.to_pylist()
    assert found.dictionary.to_pylist() == expected.dictionary.to_pylist()
