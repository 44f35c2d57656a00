import gzip
import json
import unicodedata

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.agreement import count_grades, measure_agreement
from labeling.errors import AssayError, InputError, InputErrors
from labeling.exchange.judgments import JUDGMENT_COLUMNS, read_judgments, votes_of, write_votes_csv, write_votes_jsonl
from tests.support.data import shared_data


def read(text, name="ann.csv", **choices):
    return read_judgments([(name, text if isinstance(text, bytes) else text.encode())], **choices)


def dirty(name, **choices):
    return read_judgments([(name, shared_data("dirty", name).read_bytes())], **choices)


def rows_of(imported, *columns):
    columns = columns or ("query_id", "doc_id", "rater", "grade")
    return [tuple(None if pd.isna(cell) else cell for cell in row) for row in imported.table[list(columns)].to_numpy()]


def left_out(imported):
    return {one.reason: one.count for one in imported.left_out}


def remarks(imported):
    return {one.kind: one.count for one in imported.remarks}


# Formats


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "query_id,doc_id,rater,grade\nq1,d1,ann,2\nq1,d2,bob,0\n"),
        ("a.csv", "\ufeffquery_id,doc_id,rater,grade\r\nq1,d1,ann,2\r\nq1,d2,bob,0\r\n"),
        ("a.tsv", "qid\tdocno\tannotator\trelevance\nq1\td1\tann\t2\nq1\td2\tbob\t0"),
        ("a.txt", "Query ID;Document ID;User;Label\nq1;d1;ann;2\n\nq1;d2;bob;0\n"),
        ("a.jsonl", '{"query_id":"q1","doc_id":"d1","rater":"ann","grade":2}\n{"query_id":"q1","doc_id":"d2","rater":"bob","grade":0}'),
        ("a.json", '[{"query_id":"q1","doc_id":"d1","rater":"ann","grade":2},\n{"query_id":"q1","doc_id":"d2","rater":"bob","grade":"0"}]'),
        ("a.jsonl", '{"query_id":"q1","doc_id":"d1","rater":"ann","label":["Highly Relevant (2)"]}\n{"query_id":"q1","doc_id":"d2","rater":"bob","label":["Not Relevant (0)"]}'),
    ],
)  # fmt: skip
def test_each_format_gives_the_same_judgments(name, text):
    for content in (text.encode(), gzip.compress(text.encode()), text.encode("utf-16")):
        imported = read_judgments([(name, content)])
        assert rows_of(imported) == [("q1", "d1", "ann", 2), ("q1", "d2", "bob", 0)]
        assert imported.table.columns.tolist() == list(JUDGMENT_COLUMNS)
        assert imported.rows_read == 2


def test_qrels_are_one_raters_grades_named_after_the_file():
    imported = read("q1 0 d1 3\nq1\t0\td2   0\n", "folder/rater-7.qrels.gz")
    assert rows_of(imported) == [("q1", "d1", "rater-7", 3), ("q1", "d2", "rater-7", 0)]


def test_a_file_without_a_rater_column_is_one_rater_named_after_the_file():
    for name in ("ann.jsonl", "C:\\exports\\ann.jsonl", "/tmp/ann.jsonl.gz"):
        assert rows_of(read('{"query_id": "q", "doc_id": "d", "grade": 1}', name)) == [("q", "d", "ann", 1)]


def test_comments_and_times_come_along():
    row = {
        "query_id": "q",
        "doc_id": "d",
        "label": ["Relevant (1)"],
        "comments": [],
        "Comments": ["why", "so"],
        "seconds": 4.5,
    }
    imported = read(json.dumps(row) + "\n", "ann.jsonl")
    assert rows_of(imported, "comment", "seconds", "kind") == [("why\nso", 4.5, "grade")]


def test_a_mapping_names_columns_that_are_not_understood():
    text = "frage,treffer,note\nq,d,2\n"
    with pytest.raises(InputError, match=r"expected columns query_id .*found columns frage, treffer, note"):
        read(text, mapping={"grade": "note"})
    assert rows_of(read(text, mapping={"query_id": "frage", "doc_id": "treffer", "grade": "note"})) == [
        ("q", "d", "ann", 2)
    ]
    with pytest.raises(InputError, match="expected a column nota for grade"):
        read(text, mapping={"query_id": "frage", "doc_id": "treffer", "grade": "nota"})


@given(
    st.lists(
        st.tuples(st.text(min_size=1), st.text(min_size=1), st.integers(0, 3)),
        min_size=1,
        max_size=8,
        unique_by=lambda row: row[:2],
    )
)
@settings(max_examples=60, deadline=None)
def test_ids_come_through_csv_and_jsonl_byte_for_byte(rows):
    rows = [row for row in rows if all(part.strip() and "\0" not in part and part.isprintable() for part in row[:2])]
    if not rows:
        return
    table = pd.DataFrame([(*row[:2], "ann", row[2]) for row in rows], columns=["query_id", "doc_id", "rater", "grade"])
    for name, content in (("a.csv", write_votes_csv(table)), ("a.jsonl", write_votes_jsonl(table))):
        assert sorted(rows_of(read_judgments([(name, content)]))) == sorted(table.itertuples(index=False, name=None))


def test_ids_that_look_like_numbers_dates_or_missing_values_stay_text():
    text = "query_id,doc_id,grade\n001,NA,1\n1,null,2\n1e5,2024-01-02,0\n,x,1\n".replace(",x,1\n", "")
    text = text.rstrip(",\n") + "\nNaN,9223372036854775808123,3\n"
    assert [row[:2] for row in rows_of(read(text))] == [
        ("001", "NA"), ("1", "null"), ("1e5", "2024-01-02"), ("NaN", "9223372036854775808123"),
    ]  # fmt: skip


def test_json_numbers_as_ids_stay_as_they_are_written():
    text = (
        '{"query_id": 1.0, "doc_id": 12345678901234567890123, "grade": 1}\n{"query_id": 1, "doc_id": 7e3, "grade": 1}'
    )
    assert [row[:2] for row in rows_of(read(text, "a.jsonl"))] == [("1.0", "12345678901234567890123"), ("1", "7e3")]


# Labels


def test_labels_that_carry_their_grade_are_understood():
    text = "query_id,doc_id,grade\nq,1,Perfectly Relevant (3)\nq,2,2 - Highly relevant\nq,3,1: relevant\nq,4,0.0\n"
    imported = read(text)
    assert [row[3] for row in rows_of(imported)] == [3, 2, 1, 0]
    assert remarks(imported) == {"grades_as_floats": 1}


def test_words_need_a_label_map_in_which_case_and_blanks_do_not_count():
    with pytest.raises(InputErrors) as caught:
        dirty("16_judg_text_grades.csv")
    assert [fault.found for fault in caught.value.faults] == [
        "'Exact' (1 times)", "'Partial' (1 times)", "'Irrelevant' (1 times)", "'exact' (1 times)",
    ]  # fmt: skip
    imported = dirty("16_judg_text_grades.csv", labels={"exact": 2, " Partial": 1, "IRRELEVANT": 0})
    assert [row[3] for row in rows_of(imported)] == [2, 1, 0, 2]


def test_a_decimal_number_is_asked_about_and_never_cut_or_joined():
    for label in ("1.5", '"1,5"'):
        with pytest.raises(InputError, match=r"line 2: .*a decimal number"):
            read(f"query_id,doc_id,grade\nq,d,{label}\n")
    with pytest.raises(InputError, match=r"line 4: .*'1,5' \(1 times; a decimal number\?\)"):
        dirty("40_judg_semicolon_quotes.csv")


def test_semicolons_and_quotes_are_read_as_a_spreadsheet_writes_them():
    imported = dirty("40_judg_semicolon_quotes.csv", labels={"1,5": 2})
    assert [row[0] for row in rows_of(imported)] == ["cable; 2 m", 'say "hi"', "a, b"]


def test_a_grade_outside_the_scale_is_an_error_or_left_out_or_clipped_by_choice():
    text = "query_id,doc_id,grade\nq,1,3\nq,2,5\nq,3,-1\n"
    with pytest.raises(InputErrors) as caught:
        read(text)
    assert [(fault.line, fault.found) for fault in caught.value.faults] == [(3, "5"), (4, "-1")]
    dropped = read(text, out_of_scale="leave_out")
    assert (len(dropped.table), left_out(dropped)) == (1, {"out_of_scale": 2})
    clipped = read(text, out_of_scale="clip")
    assert [row[3] for row in rows_of(clipped)] == [3, 3, 0]
    assert remarks(clipped) == {"out_of_scale_clipped": 2}


def test_two_labels_at_once_are_left_out_or_settled_by_choice():
    text = '{"query_id":"q","doc_id":"d","label":["Not Relevant (0)","Relevant (1)"]}\n{"query_id":"q","doc_id":"e","label":["Relevant (1)","Relevant (1)"]}'
    assert left_out(read(text, "a.jsonl")) == {"double_labels": 1}
    assert [row[3] for row in rows_of(read(text, "a.jsonl", double_labels="lower"))] == [0, 1]
    assert [row[3] for row in rows_of(read(text, "a.jsonl", double_labels="higher"))] == [1, 1]


def test_cannot_rate_and_not_yet_rated_are_told_apart_and_neither_is_grade_0():
    imported = dirty("24_judg_unrateable.csv")
    assert rows_of(imported, "doc_id", "grade", "kind") == [
        ("100", 3, "grade"),
        ("101", None, "cannot_judge"),
        ("102", None, "empty"),
    ]
    assert remarks(imported) == {"empty_rows": 1, "cannot_judge_rows": 1}
    assert len(votes_of(imported.table)) == 1


def test_a_kind_is_kept_as_written_but_a_grade_needs_a_grade():
    text = "query_id,doc_id,grade,kind\nq,1,2,grade\nq,2,,grade\nq,3,,skip\nq,4,3,cannot_judge\nq,5,1,\n"
    imported = read(text)
    assert rows_of(imported, "doc_id", "grade", "kind") == [
        ("1", 2, "grade"), ("2", None, "empty"), ("3", None, "skip"), ("4", None, "cannot_judge"), ("5", 1, "grade"),
    ]  # fmt: skip
    assert remarks(imported)["grade_beside_cannot_judge"] == 1


# Repeats and raters


def test_a_rater_who_judged_a_pair_twice_is_one_rater_and_the_choice_says_which_grade_stands():
    newest, first = dirty("19_judg_same_rater_twice.csv"), dirty("19_judg_same_rater_twice.csv", repeats="first")
    assert [row[3] for row in rows_of(newest) if row[1:3] == ("d1", "ann")] == [1]
    assert [row[3] for row in rows_of(first) if row[1:3] == ("d1", "ann")] == [3]
    for imported in (newest, first):
        assert left_out(imported) == {"repeat_other_grade": 1}
        assert remarks(imported)["repeats"] == 1
        assert measure_agreement(votes_of(imported.table), draws=0).votes == 4
    with pytest.raises(
        InputError,
        match=r"line 4: expected one judgment of a rater on a pair, found query q1, document d1, rater ann again",
    ):
        dirty("19_judg_same_rater_twice.csv", repeats="error")


def test_the_newest_judgment_goes_by_its_time_where_every_one_has_a_time():
    text = "query_id,doc_id,grade,judged_at\nq,d,1,2024-05-02T10:00:00Z\nq,d,2,2024-05-01T10:00:00Z\n"
    assert rows_of(read(text))[0][3] == 1
    assert rows_of(read(text.replace("2024-05-02T10:00:00Z", "")))[0][3] == 2


def test_rater_names_that_look_alike_are_said_and_merged_only_when_asked():
    kept = dirty("23_judg_rater_name_variants.csv")
    assert (len(kept.table), remarks(kept)["look_alike_raters"]) == (5, 5)
    merged = dirty("23_judg_rater_name_variants.csv", look_alikes="merge")
    assert sorted(row[2] for row in rows_of(merged)) == ["KIM", "김민수"]
    assert left_out(merged) == {"repeat_same_grade": 2, "repeat_other_grade": 1}


def test_identical_raters_come_with_a_warning():
    report = measure_agreement(votes_of(dirty("20_judg_identical_raters.csv").table))
    assert report.coefficient("percent_agreement").value == 1.0
    assert [str(caution) for caution in report.warnings if caution.code == "identical_raters"]


def test_a_single_grade_leaves_agreement_undefined():
    report = measure_agreement(votes_of(dirty("21_judg_single_value.csv").table))
    assert (
        report.coefficient("krippendorff_alpha", "ordinal").undefined
        == "every vote on pairs with two votes is the same grade"
    )


def test_without_a_pair_that_two_raters_judged_the_number_of_such_pairs_is_said():
    report = measure_agreement(votes_of(dirty("22_judg_no_overlap.csv").table))
    assert (report.paired, report.coefficient("krippendorff_alpha").undefined) == (0, "no pair has two votes")


# Encodings and broken files


def test_cp949_is_read_as_korean_and_said():
    imported = dirty("37_judg_cp949.csv")
    assert [row[3] for row in rows_of(imported)] == [3, 0]
    assert all(
        unicodedata.name(letter).startswith("HANGUL")
        for row in rows_of(imported)
        for letter in row[0]
        if not letter.isascii()
    )
    assert remarks(imported)["encoding_guessed"] == 1


def test_utf_16_is_read_by_its_mark():
    assert [row[2:] for row in rows_of(dirty("38_judg_utf16le_tab.csv"))] == [("가", 3), ("나", 1)]


def test_other_encodings_are_asked_for_with_line_and_byte():
    content = "query_id,doc_id,grade\ncafé au lait,d,1\n".encode("latin-1")
    with pytest.raises(
        InputError, match=r"line 2: expected UTF-8 text, found byte 0xE9 at place 4; name the file's encoding"
    ):
        read(content)
    assert rows_of(read(content, encoding="latin-1"))[0][0] == "café au lait"
    with pytest.raises(InputError, match="expected a known encoding"):
        read(content, encoding="latin-99")


def test_a_line_break_inside_a_quoted_comment_stays_inside():
    imported = dirty("41_judg_newline_in_field.csv")
    assert rows_of(imported, "doc_id", "grade", "comment") == [
        ("d1", 2, "first line\nsecond line, with comma"),
        ("d2", 0, "ok"),
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "an empty file"),
        (b" \n\n", "an empty file"),
        (b"\x1f\x8b\x08\x00", "a damaged one"),
        (gzip.compress(b""), "an empty file"),
        (b"PK\x03\x04rest", "a zip archive or a spreadsheet"),
        (b"query_id,doc_id,grade\n", "none"),
        (b"query_id,doc_id\nq,d\n", "columns query_id, doc_id"),
        (b"a,b,c\n1,2,3\n", "a, b, c"),
        (b"q\x001\x00\n\x00", "NUL characters"),
        (b'query_id,doc_id,grade\n"q,d,1\n', "unexpected end of data"),
        (b"[]", "an empty list"),
        (b"query_id,query_id,doc_id,grade\nq,q,d,1\n", "query_id twice"),
    ],
)
def test_files_that_hold_no_judgments_are_refused_with_what_was_found(content, found):
    with pytest.raises(InputError) as caught:
        read(content, "folder/bad.csv")
    assert found in caught.value.found
    assert caught.value.source == "folder/bad.csv"


def test_a_gzip_file_of_0_bytes_is_called_one():
    with pytest.raises(InputError, match=r"a\.csv\.gz: expected a gzip file with rows, found an empty file of 0 bytes"):
        read(b"", "a.csv.gz")


def test_faults_of_several_rows_and_files_come_at_once_with_their_lines():
    first = b"query_id,doc_id,grade\nq,d\nq,,1\nq,d,1,9\n"
    second = b'{"query_id": "q", "doc_id": "d", "grade": 1}\n{"query_id": "q"\n[1]\n'
    with pytest.raises(InputErrors) as caught:
        read_judgments([("a.csv", first), ("b.jsonl", second)])
    assert [(fault.source, fault.line) for fault in caught.value.faults] == [
        ("a.csv", 2),
        ("a.csv", 4),
        ("b.jsonl", 2),
        ("b.jsonl", 3),
    ]


def test_faults_in_a_json_list_name_their_line():
    good = '[\n{"query_id": "q", "doc_id": "d", "grade": 1},\n{"query_id": "q", "doc_id": "e", "grade": 9}\n]\n'
    with pytest.raises(InputError, match="line 3: expected a grade of the scale"):
        read(good, "a.json")
    for bad in (good.replace("9}", "9"), good.replace("},", "}"), good + "x", "[1]", '[{"query_id": "q"}', "[,]"):
        with pytest.raises(InputError):
            read(bad, "a.json")


def test_thousands_of_faults_are_not_all_listed():
    text = "query_id,doc_id,grade\n" + "q,d\n" * 5000
    with pytest.raises(InputErrors) as caught:
        read(text)
    assert len(caught.value.faults) == 21
    assert caught.value.faults[-1].found == "4980 more"


def test_a_choice_that_does_not_exist_is_refused():
    with pytest.raises(AssayError, match="repeats: expected newest, first, error, found last"):
        read("query_id,doc_id,grade\nq,d,1\n", repeats="last")


def test_ids_that_a_spreadsheet_changed_are_pointed_out():
    imported = read("query_id,doc_id,grade\n1.23E+11,3-Apr,1\nq,d\u200b,1\nq,d,1\n")
    assert remarks(imported) == {"mangled_ids": 1, "unseen_characters": 1, "look_alike_ids": 2}


# Real campaigns


def _folder(*parts):
    return [(path.name, path.read_bytes()) for path in sorted(shared_data("dl19", *parts).glob("*.jsonl"))]


def test_the_eight_files_of_a_real_campaign_import_in_one_go():
    imported = read_judgments(_folder("judgments"))
    assert (imported.rows_read, len(imported.table), imported.left_out) == (9004, 9004, ())
    votes = votes_of(imported.table)
    assert votes["rater"].nunique() == 8
    assert len(votes.drop_duplicates(["query_id", "doc_id"])) == 4511
    assert sorted(count_grades(votes, (0, 1, 2, 3)).loc[["rater-3", "rater-6"], 3]) == [14, 211]


def test_kappas_and_alphas_of_a_real_campaign_equal_the_independent_tools():
    expected = json.loads(shared_data("dl19", "expected.json").read_text())
    votes = votes_of(read_judgments(_folder("judgments")).table)
    whole = measure_agreement(votes, draws=0)
    for level, value in expected["alpha_all"].items():
        assert whole.coefficient("krippendorff_alpha", level).value == pytest.approx(value, abs=1e-9)
    _compare_pairs(whole, expected["kappa_all_queries"])
    without = measure_agreement(votes[votes["query_id"] != "443396"], draws=0)
    _compare_pairs(without, expected["kappa"])


def test_binary_kappa_and_overlap_of_relevant_sets_equal_the_independent_tools():
    from labeling._coefficients import cohen_kappa
    from labeling.agreement import count_confusions, cut_confusions, overlap_of_relevant

    expected = json.loads(shared_data("dl19", "expected.json").read_text())["kappa"]
    votes = votes_of(read_judgments(_folder("judgments")).table)
    votes = votes[votes["query_id"] != "443396"]
    for name, values in expected.items():
        table = count_confusions(votes, *name.split("|"), (0, 1, 2, 3))
        assert cohen_kappa(cut_confusions(table, (0, 1, 2, 3), 2), (0, 1), "none") == pytest.approx(
            values["cohen_binary_rel2"], abs=1e-9
        )
        assert overlap_of_relevant(table, (0, 1, 2, 3), 2) == pytest.approx(values["overlap_rel2"], abs=1e-12)


def _compare_pairs(report, expected):
    found = {"|".join(pair.raters): pair for pair in report.rater_pairs}
    assert set(found) >= set(expected)
    for name, values in expected.items():
        pair = found[name]
        assert pair.n == values["n"]
        for field, keys in (
            ("agreement", ("agree", "agreement")),
            ("cohen_kappa", ("cohen", "cohen_kappa")),
            ("cohen_kappa_linear", ("cohen_linear", "cohen_kappa_linear")),
            ("cohen_kappa_quadratic", ("cohen_quadratic", "cohen_kappa_quadratic")),
        ):
            value = next(values[key] for key in keys if key in values)
            assert getattr(pair, field) == pytest.approx(
                float("nan") if value is None else value, abs=1e-9, nan_ok=True
            )
        assert (pair.undefined is None) == (
            next(v for k, v in values.items() if k in ("cohen", "cohen_kappa")) is not None
        )


def test_the_agreement_round_reports_repeats_empty_labels_double_labels_and_two_narratives():
    files = _folder("agreement-round")
    everything = read_judgments(files)
    assert everything.rows_read == 2634
    assert left_out(everything) == {
        "double_labels": 1, "empty_label_beside_judgment": 754, "repeat_same_grade": 242, "repeat_other_grade": 134,
    }  # fmt: skip
    assert remarks(everything) == {"several_narratives": 2634, "empty_rows": 754, "repeats": 376}
    assert len(everything.table) == 2634 - 1 - 754 - 242 - 134 == 8 * 188 - 1
    narratives = {choice: read_judgments(files, narrative=choice) for choice in ("first", "last")}
    assert {choice: sorted(set(one.table["rater"])) for choice, one in narratives.items()} == {
        "first": ["rater-1", "rater-3", "rater-4", "rater-5"],
        "last": ["rater-2", "rater-6", "rater-7", "rater-8"],
    }
    assert {choice: left_out(one)["other_narrative"] for choice, one in narratives.items()} == {
        "first": 1410,
        "last": 1224,
    }
    assert len(narratives["first"].table) == 752
    lower = read_judgments(files, double_labels="lower")
    assert "double_labels" not in left_out(lower)
    assert len(lower.table) == 8 * 188
    for imported in (everything, lower, *narratives.values()):
        assert imported.rows_read == len(imported.table) + sum(one.count for one in imported.left_out)
    with pytest.raises(InputErrors):
        read_judgments(files, repeats="error")


def test_models_as_raters_are_compared_with_the_human_grades_as_published():
    import csv

    models = read_judgments(
        [("judgments_long.csv.gz", shared_data("llmjudge", "judgments_long.csv.gz").read_bytes())],
        out_of_scale="leave_out",
    )
    assert left_out(models) == {"out_of_scale": 3}
    human = read_judgments([("human.qrels", shared_data("llmjudge", "nist_gold.qrels").read_bytes())])
    votes = pd.concat([votes_of(models.table), votes_of(human.table)])
    report = measure_agreement(votes, draws=0)
    kappas = {
        next(name for name in pair.raters if name != "human"): pair.cohen_kappa
        for pair in report.rater_pairs
        if "human" in pair.raters
    }
    with shared_data("llmjudge", "published_table.csv").open() as lines:
        published = {row["rater"]: float(row["pub_kappa"]) for row in csv.DictReader(lines)}
    near = {rater for rater, kappa in published.items() if abs(kappas[rater] - kappa) <= 0.00051}
    assert len(near) >= len(published) - 2  # those with labels outside the scale were published with them
