"""Rules, releases and a file of final grades on the page of qrels, and the labels of a file before its import."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy import text
from streamlit.testing.v1 import AppTest

from labeling import frozen, projects
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.demo_project import DEMO_NAME
from labeling.exchange.archives import open_archive
from labeling.releases import consolidate_project
from labeling.votes import read_judgments
from metrics import write_qrels

Open = Callable[..., AppTest]


def show(app: AppTest, view: str) -> AppTest:
    next(one for one in app.segmented_control if one.label in ("View", "Step")).set_value(view).run()
    assert not app.exception
    return app


def find(widgets, label):
    return next(one for one in widgets if one.label == label)


def demo_project():
    with reading() as session:
        return projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME)


def columns(app: AppTest) -> list[list[str]]:
    return [list(table.value.columns) for table in app.dataframe]


def test_an_order_of_raters_is_chosen_and_kept_as_the_projects_rule(demo: str, open_page: Open) -> None:
    app = open_page("qrels")
    find(app.selectbox, "Rule").set_value("raters").run()
    assert any("Choose the raters in their order" in info.value for info in app.info)
    find(app.multiselect, "Raters, the first before the second").set_value(["Tae (hasty)", "Leo (lenient)"]).run()
    assert not app.exception
    assert demo_project().rule == "raters:Tae (hasty),Leo (lenient)"
    assert find(open_page("qrels").selectbox, "Rule").value == "raters"


def test_an_id_with_a_blank_leaves_the_trec_file_out_and_says_so(demo: str, open_page: Open) -> None:
    with writing() as session:
        session.execute(
            text("UPDATE document SET doc_id = 'New York' WHERE id = (SELECT document_pk FROM pair LIMIT 1)")
        )
    app = open_page("qrels")
    assert not app.exception
    assert any("New York" in info.value and "TREC" in info.value for info in app.info)
    labels = [one.label for one in app.get("download_button")]
    assert "Everything (zip)" in labels
    assert "Qrels (TREC)" not in labels


def test_rules_stand_side_by_side_with_what_they_leave_open_and_do_to_the_runs(demo: str, open_page: Open) -> None:
    app = show(open_page("qrels"), "rules")
    counts, means, first, taus, pairs = (table.value for table in app.dataframe)
    assert list(counts.columns) == ["Rule", "Graded", "Open", "Ties", "Other than the majority", "Mean grade"]
    assert set(counts["Rule"]) >= {"majority", "median", "minimum", "maximum", "unanimous", "Dawid-Skene"}
    assert list(means["Run"]) == ["bm25-words", "char-ngrams", "title-overlap"]
    assert set(first["First"]) == {"bm25-words", "char-ngrams"}
    assert taus.set_index("Rule").loc["majority", "maximum"] == pytest.approx(1 / 3)
    assert len(pairs) == 40
    find(app.selectbox, "Measure").set_value("AP(rel=2)@100").run()
    assert not app.exception
    assert any("Mean AP(rel=2)@100 of each run" in caption.value for caption in app.caption)


def test_a_release_is_frozen_listed_and_compared_with_the_one_before(demo: str, open_page: Open) -> None:
    app = show(open_page("qrels"), "releases")
    assert any(caption.value == "Nothing is frozen yet." for caption in app.caption)
    for name, rule in (("봄", "minimum"), ("여름", "maximum")):
        find(app.selectbox, "Rule").set_value(rule).run()
        find(app.text_input, "Name of the release").set_value(name)
        find(app.button, "Freeze").click().run()
        assert not app.exception
        assert any(f"Frozen: {name}" in success.value for success in app.success)
    with reading() as session:
        kept = frozen.list_releases(session, COMMAND_LINE, demo_project().id)
        archives = {one.name: open_archive(frozen.read_release(session, COMMAND_LINE, demo_project().id, one.name), one.name) for one in kept}  # fmt: skip
    assert [(one.name, one.created_by, one.manifest["rule"]["rule"]) for one in kept] == [
        ("여름", "Lee", "maximum"), ("봄", "Lee", "minimum"),
    ]  # fmt: skip
    changed = int((archives["봄"].qrels()["relevance"] != archives["여름"].qrels()["relevance"]).sum())
    figures = {metric.label: metric.value for metric in app.metric}
    assert (figures["Another grade"], figures["Added"]) == (f"{changed}", "0")
    assert ["Run", "Before", "After", "Difference", "Place before", "Place after"] in columns(app)
    find(app.text_input, "Name of the release").set_value("봄")
    places = len(app.main.children)
    find(app.button, "Freeze").click().run()
    assert len(app.main.children) == places  # the box with the fault keeps its place, or the browser would shut it
    assert any("a release is never replaced" in code.value for code in app.code)


def test_a_file_beside_the_rules_says_which_rule_it_follows(demo: str, open_page: Open, tmp_path) -> None:
    with reading() as session:
        found = consolidate_project(session, COMMAND_LINE, demo_project().id, rule="minimum", ties="lower")
    write_qrels(found.qrels(), tmp_path / "final.qrels")
    app = show(open_page("qrels"), "final")
    find(app.file_uploader, "File of qrels").set_value(
        ("final.qrels", (tmp_path / "final.qrels").read_bytes(), "")
    ).run()
    assert not app.exception
    assert any("minimum" in success.value for success in app.success)
    find(app.file_uploader, "File of qrels").set_value(("final.qrels", b"e01 0 d026 3\n", "")).run()
    assert any("follows none of these rules" in warning.value for warning in app.warning)
    assert {metric.label: metric.value for metric in app.metric}["A grade that nobody gave"] == "1"


def test_gold_weights_are_undefined_with_their_reason_where_there_is_no_gold(demo: str, open_page: Open) -> None:
    app = open_page("qrels")
    find(app.selectbox, "Rule").set_value("gold-weighted").run()
    assert not app.exception
    with reading() as session:
        undefined = consolidate_project(session, COMMAND_LINE, demo_project().id).undefined
    told = any("undefined here: no rater has judged a pair of known grade" in warning.value for warning in app.warning)
    assert told == (undefined is not None)


def test_the_labels_of_a_file_are_shown_with_their_grades_and_those_without_one_stop_the_import(
    demo: str, open_page: Open
) -> None:
    tasks = [
        {"id": n, "data": {"query_id": "e01", "doc_id": f"new{n}"},
         "annotations": [{"completed_by": 9, "result": [{"from_name": "r", "type": "choices", "value": {"choices": [label]}}]}]}
        for n, label in enumerate(["Exact", "관련 없음", "2"])
    ]  # fmt: skip
    app = show(open_page("setup"), "judgments")
    find(app.file_uploader, "Files of judgments").set_value(("ls.json", json.dumps(tasks).encode(), "")).run()
    assert not app.exception
    assert any("2 labels have no grade" in warning.value for warning in app.warning)
    assert not any(button.label.startswith("Import ") for button in app.button)
    find(app.radio, "Labels without a grade").set_value("leave_out").run()
    assert any("2 rows left out: a label without a grade" in warning.value for warning in app.warning)
    find(app.button, "Import 1 judgments").click().run()
    assert not app.exception
    with reading() as session:
        table = read_judgments(session, COMMAND_LINE, demo_project().id)
    assert table[table["rater"] == "9"][["doc_id", "grade"]].to_numpy().tolist() == [["new2", 2]]


def test_a_rule_that_names_a_rater_who_is_set_aside_is_said_on_the_page_of_scores(demo: str, open_page: Open) -> None:
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, demo_project().id, rule="raters:Tae (hasty),Nobody")
    app = open_page("scores")
    assert not app.exception
    assert any("no rater Nobody among these votes" in code.value for code in app.code)
