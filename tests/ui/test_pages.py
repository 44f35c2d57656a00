"""Every page as its people see it, on the demo and where there is nothing yet."""

import io
import json
import zipfile
from collections.abc import Callable
from hashlib import sha256

import pytest
from streamlit.testing.v1 import AppTest

from labeling import accounts, collection, projects
from labeling.accounts import COMMAND_LINE
from labeling.collection import list_imports, list_runs
from labeling.database import reading, writing
from labeling.demo_project import DEMO_NAME
from labeling.votes import read_votes
from tests.support.pages import LEAD_PAGES

Open = Callable[..., AppTest]
FOR_RATERS = ("home", "judge", "history", "account")


def words(app: AppTest) -> str:
    """What stands on the page, as one text."""
    parts = [
        *app.markdown,
        *app.caption,
        *app.title,
        *app.subheader,
        *app.info,
        *app.warning,
        *app.success,
        *app.metric,
    ]
    return "\n".join(str(getattr(one, "value", "")) + str(getattr(one, "label", "")) for one in parts)


def go_to_step(app: AppTest, step: str) -> None:
    next(control for control in app.segmented_control if control.label == "Step").set_value(step).run()


@pytest.mark.parametrize(
    "step",
    ["rubric", "queries", "documents", "runs", "judgments", "pairs", "calibration", "twins", "questions", "settings"],
)
def test_every_step_of_the_setup_opens(demo: str, open_page: Open, step: str) -> None:
    app = open_page("setup")
    go_to_step(app, step)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("page", [*FOR_RATERS, *LEAD_PAGES])
def test_every_page_of_the_demo_opens_for_a_lead(demo: str, open_page: Open, page: str) -> None:
    app = open_page(page)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("page", LEAD_PAGES)
def test_a_rater_has_no_page_of_a_lead(demo: str, open_page: Open, page: str) -> None:
    with pytest.raises(ValueError, match=page):
        open_page(page, "Rae")


@pytest.mark.parametrize("page", FOR_RATERS)
def test_a_rater_has_the_pages_of_a_rater(demo: str, open_page: Open, page: str) -> None:
    assert not open_page(page, "Rae").exception


def test_nobody_sees_anything_without_a_sign_in(demo: str, open_page: Open) -> None:
    app = open_page("home", None)
    assert "signed out" in words(app)
    assert DEMO_NAME not in words(app)


@pytest.mark.parametrize("page", [page for page in (*FOR_RATERS, *LEAD_PAGES) if page != "people"])
def test_every_page_says_something_where_there_is_nothing_yet(database: str, open_page: Open, page: str) -> None:
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Lee", role="lead", password="correct horse")
    assert not open_page(page).exception
    with writing() as session:
        projects.create_project(session, COMMAND_LINE, name="empty")
    app = open_page(page)
    assert not app.exception
    assert not app.error


def test_the_demo_says_that_its_votes_are_simulated(demo: str, open_page: Open) -> None:
    assert "simulated" in words(open_page("progress"))


def test_a_deep_link_names_its_project(demo: str, open_page: Open) -> None:
    with writing() as session:
        other = projects.create_project(session, COMMAND_LINE, name="another")
    app = open_page("setup", project=str(other.id))
    assert app.selectbox[0].value == other.id


@pytest.mark.parametrize("odd", ["²", "9" * 30, "-1", "one"])
@pytest.mark.parametrize("page", ["settle", "judge"])
def test_an_address_with_an_odd_number_opens_the_page_as_without_it(
    demo: str, open_page: Open, page: str, odd: str
) -> None:
    assert not open_page(page, project=odd, pair=odd).exception


def test_a_lead_makes_a_project_by_its_name(demo: str, open_page: Open) -> None:
    app = open_page("home")
    app.text_input[0].set_value("My project")
    next(button for button in app.button if button.label == "Create").click().run()
    with reading() as session:
        assert projects.get_project_by_name(session, COMMAND_LINE, "my project").state == "draft"


def test_the_rule_that_is_chosen_is_the_projects_and_shapes_the_qrels(demo: str, open_page: Open) -> None:
    app = open_page("qrels")
    next(box for box in app.selectbox if box.label == "Rule").set_value("minimum").run()
    assert not app.exception
    with reading() as session:
        assert projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME).rule == "minimum"


def test_the_disagreement_page_says_who_is_ahead_in_how_many_qrels(demo: str, open_page: Open) -> None:
    text = words(open_page("disagreement"))
    assert "char-ngrams is ahead in" in text.replace("\\", "")
    assert "of 64 qrels" in text


@pytest.mark.parametrize(("way", "sets"), [("ties", "100"), ("bounds", "2"), ("dawid-skene", "100")])
def test_sets_of_qrels_are_made_in_every_way_that_the_study_knows(
    demo: str, open_page: Open, way: str, sets: str
) -> None:
    app = open_page("disagreement")
    next(box for box in app.number_input if box.label == "Sets at most").set_value(100)
    next(box for box in app.multiselect if box.label == "Leave out queries").set_value(["e01"])
    next(box for box in app.selectbox if box.label == "A set of qrels takes").set_value(way).run()
    assert not app.exception
    assert f"of {sets} qrels" in words(app)


def test_scores_say_what_other_choices_would_change_and_where_a_run_is_lowest(demo: str, open_page: Open) -> None:
    app = open_page("scores")
    assert not app.exception
    tables = {tuple(frame.value.columns): frame.value for frame in app.dataframe}
    choices = next(table for columns, table in tables.items() if "Lead" in columns)
    assert len(choices) == 9
    assert set(choices["First"]) <= {"bm25-words", "char-ngrams", "title-overlap"}
    assert ("The first place depends on neither." in words(app)) == (choices["First"].nunique() == 1)
    bounds = next(table for columns, table in tables.items() if "All worst" in columns)
    assert (bounds["All worst"] <= bounds["mean"]).all()
    assert (bounds["mean"] <= bounds["All best"]).all()
    lowest = next(table for columns, table in tables.items() if "ranked" in columns)
    assert lowest["score"].is_monotonic_increasing


def test_a_measure_that_is_not_understood_is_named(demo: str, open_page: Open) -> None:
    app = open_page("scores")
    measures = next(box for box in app.multiselect if box.label.startswith("Measures"))
    measures.set_value(["nDCG@10", "mdcg@x"]).run()
    assert not app.exception
    assert any("mdcg@x" in code.value for code in app.code)


def test_queries_come_in_with_a_preview_and_what_was_left_out(demo: str, open_page: Open) -> None:
    with writing() as session:
        made = projects.create_project(session, COMMAND_LINE, name="fresh")
    app = open_page("setup", project=str(made.id))
    go_to_step(app, "queries")
    uploader = next(one for one in app.file_uploader if one.label == "File of queries")
    content = b"query_id\ttext\n001\tfirst\n002\tsecond\n001\tfirst\n"
    uploader.set_value(("topics.tsv", content, "text/tab-separated-values")).run()
    assert not app.exception
    assert any("1 row left out" in warning.value for warning in app.warning)
    next(button for button in app.button if button.label == "Import 2 rows").click().run()
    assert not app.exception
    with reading() as session:
        assert projects.count_project(session, COMMAND_LINE, made.id).queries == 2


def test_runs_come_in_and_the_import_keeps_the_hash_of_their_file(demo: str, open_page: Open) -> None:
    app = open_page("setup")
    go_to_step(app, "runs")
    content = b"e01 Q0 d001 1 2 newcomer\n"
    next(one for one in app.file_uploader).set_value(("new.run", content, "text/plain")).run()
    assert not app.exception
    next(button for button in app.button if button.label == "Import 1 run").click().run()
    assert not app.exception
    with reading() as session:
        number = projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME).id
        assert "newcomer" in {run.tag for run in list_runs(session, number)}
        kept = list_imports(session, COMMAND_LINE, number)[-1]
    assert (kept.kind, kept.report) == ("runs", {"runs": 1, "sha256": {"new.run": sha256(content).hexdigest()}})


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"a,b,c,d\n1,2,3,4\n", "expected"),
        (b"\x1f\x8b", "expected"),
        ("질의\n".encode("cp949"), "expected"),
    ],
)
def test_a_file_that_is_wrong_says_what_was_expected(demo: str, open_page: Open, content: bytes, expected: str) -> None:
    app = open_page("setup")
    go_to_step(app, "documents")
    uploader = next(one for one in app.file_uploader if one.label == "File of documents")
    uploader.set_value(("documents.csv", content, "text/csv")).run()
    assert not app.exception
    assert any(expected in code.value and "documents.csv" in code.value for code in app.code)


def test_the_release_of_the_page_holds_every_file_of_its_manifest(demo: str) -> None:
    from labeling.releases import build_release, pack

    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME)
        archive = zipfile.ZipFile(io.BytesIO(pack(build_release(session, COMMAND_LINE, project.id))))
    manifest = json.loads(archive.read("manifest.json"))
    assert set(archive.namelist()) == {*manifest["files"], "manifest.json"}


def test_word_labels_are_mapped_to_grades_before_anything_is_written(demo: str, open_page: Open) -> None:
    with writing() as session:
        made = projects.create_project(session, COMMAND_LINE, name="words")
    app = open_page("setup", project=str(made.id))
    go_to_step(app, "judgments")
    content = b"query_id,product_id,rater,label\nq1,p1,ann,Perfectly relevant\nq1,p2,ann,not  RELEVANT\nq1,p3,ann,\n"
    uploader = next(one for one in app.file_uploader if one.label == "Files of judgments")
    uploader.set_value([("labels.csv", content, "text/csv")]).run()
    assert not app.exception
    next(button for button in app.button if button.label == "Import 2 judgments").click().run()
    assert not app.exception
    with reading() as session:
        assert read_votes(session, COMMAND_LINE, made.id)["grade"].tolist() == [3, 0]


def test_an_encoding_that_a_person_names_is_used(demo: str, open_page: Open) -> None:
    with writing() as session:
        made = projects.create_project(session, COMMAND_LINE, name="latin")
    app = open_page("setup", project=str(made.id))
    go_to_step(app, "queries")
    uploader = next(one for one in app.file_uploader if one.label == "File of queries")
    uploader.set_value(("topics.txt", "query_id\ttext\n1\tcaf\xe9\n".encode("latin-1"), "text/plain")).run()
    assert any("byte 0xE9" in code.value for code in app.code)
    next(box for box in app.selectbox if box.label == "Encoding").set_value("latin-1").run()
    next(button for button in app.button if button.label == "Import 1 row").click().run()
    with reading() as session:
        assert collection.read_queries_table(session, made.id)["text"].tolist() == ["caf\xe9"]
