"""The pages Raters and Agreement as a lead works with them, and what reaches the rater."""

from collections.abc import Callable
from datetime import UTC, datetime

import pandas as pd
import pytest
from sqlalchemy import insert
from streamlit.testing.v1 import AppTest

from labeling import accounts, projects, rater_notes
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.demo_project import DEMO_NAME
from labeling.imports import import_judgments
from labeling.raters import ensure_rater, list_raters
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.votes import read_votes
from tests.ui.test_pages import words

Open = Callable[..., AppTest]


def demo_id() -> int:
    with reading() as session:
        return projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME).id


def voters() -> set[str]:
    with reading() as session:
        return set(read_votes(session, COMMAND_LINE, demo_id())["rater"])


def choose(app: AppTest, label: str, value: object) -> AppTest:
    next(one for one in app.selectbox if one.label == label).set_value(value)
    return app.run()


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return app.run()


def overview(app: AppTest) -> pd.DataFrame:
    return app.dataframe[0].value.set_index("Rater")


def test_every_rater_has_a_line_and_who_needs_attention_comes_first(demo: str, open_page: Open) -> None:
    app = open_page("raters")
    assert not app.exception
    table = overview(app)
    assert set(table.index) == {"Greta (harsh)", "Leo (lenient)", "Mina (careful)", "Tae (hasty)"}
    assert table["Needs attention"].iloc[0]
    assert table.loc["Greta (harsh)", "Difference"] < 0 < table.loc["Leo (lenient)", "Difference"]
    assert table["Share of votes"].sum() == pytest.approx(1)


def test_a_lead_sets_a_rater_aside_after_seeing_the_numbers_and_brings_them_back(demo: str, open_page: Open) -> None:
    app = choose(open_page("raters"), "Rater", "Greta (harsh)")
    votes = 56
    assert f"**{votes}** grades stop counting" in words(app)
    assert "Greta (harsh)" in voters()
    press(app, "Set aside now")
    assert f"{votes} grades no longer count" in words(app)
    assert "Greta (harsh)" not in voters()
    assert overview(app).loc["Greta (harsh)", "Counts as"] == "set aside"
    assert overview(app).loc["Greta (harsh)", "Judged"] == votes  # the work is still described
    press(app, "Bring back now")
    assert "Greta (harsh)" in voters()
    assert overview(app).loc["Greta (harsh)", "Counts as"] == "votes"


def test_a_message_is_written_read_and_dismissed(demo: str, open_page: Open) -> None:
    with writing() as session:
        rae = next(row for row in accounts.list_accounts(session, COMMAND_LINE) if row.name == "Rae")
        ensure_rater(session, Actor(rae.id, rae.name, rae.role), demo_id())
    app = choose(open_page("raters"), "Rater", "Rae")
    app.text_area[0].set_value("Please read **clause 2** again.")
    press(app, "Send")
    assert "Sent to Rae" in words(app)
    assert app.text_area[0].value == ""
    app.text_area[0].set_value(" ")
    press(app, "Send")
    assert app.text_area[0].value == " "  # what was not sent stays in its box
    assert "Lee wrote to you" not in words(open_page("home"))
    seen = open_page("judge", "Rae", project=str(demo_id()))
    assert "Lee wrote to you" in words(seen)
    press(seen, "I have read it")
    assert "wrote to you" not in words(open_page("home", "Rae"))
    with reading() as session:
        number = next(one.id for one in list_raters(session, demo_id()) if one.name == "Rae")
        assert rater_notes.list_notes(session, COMMAND_LINE, demo_id(), number)[0].read_at is not None


def add_model() -> None:
    with writing() as session:
        table = read_votes(session, COMMAND_LINE, demo_id())
        own = table[table["rater"] == "Mina (careful)"].assign(rater="gpt", kind="grade")
        import_judgments(session, COMMAND_LINE, demo_id(), own, files=["gpt.csv"], models=["gpt"])


def test_a_model_stands_in_the_table_and_votes_when_a_lead_says_so(demo: str, open_page: Open) -> None:
    add_model()
    app = open_page("raters")
    assert overview(app).index[-1] == "gpt"
    assert overview(app).loc["gpt", "Counts as"] == "model, no vote"
    choose(app, "Rater", "gpt")
    press(app, "Yes, change it")
    assert overview(app).loc["gpt", "Counts as"] == "model, votes"
    assert "gpt" in voters()


def test_models_join_agreement_only_when_asked(demo: str, open_page: Open) -> None:
    add_model()
    app = open_page("agreement")
    assert "228 votes of 4 raters" in words(app)
    app.toggle[0].set_value(True).run()
    assert "of 5 raters" in words(app)
    assert "Mina (careful) and gpt" in words(app).replace("\\", "")  # the copy is pointed out


@pytest.mark.parametrize("cut", ["boundary", "grade", "query", "version", "day", "tenth", "slice:language"])
def test_agreement_is_cut_every_way(demo: str, open_page: Open, cut: str) -> None:
    app = open_page("agreement")
    next(one for one in app.segmented_control if one.label == "Cut by").set_value(cut).run()
    assert not app.exception
    assert not app.error
    table = app.dataframe[0].value
    assert len(table) == {"boundary": 3, "grade": 4, "version": 1, "day": 1, "tenth": 10}.get(cut, len(table))


def test_a_selection_changes_what_is_measured_and_says_so(demo: str, open_page: Open) -> None:
    app = open_page("agreement")
    whole = words(app)
    next(one for one in app.multiselect if one.label == "Queries with language").set_value(["ko"]).run()
    assert "Only: language: ko" in words(app)
    assert "228 votes of 4 raters" in whole
    assert "228 votes of 4 raters" not in words(app)


def test_who_passed_no_practice_set_waits_for_the_lead_who_sees_the_tries_and_lets_them_in(
    demo: str, open_page: Open
) -> None:
    moment = datetime.now(UTC)
    with writing() as session:
        rae = next(row for row in accounts.list_accounts(session, COMMAND_LINE) if row.name == "Rae")
        rater = ensure_rater(session, Actor(rae.id, rae.name, rae.role), demo_id())
        projects.change_project(session, COMMAND_LINE, demo_id(), calibration=True)
        tried = {"rater_id": rater.id, "rubric_id": get_rubric(session, demo_id()).id, "practice_set": 1}
        failed = {"started_at": moment, "finished_at": moment, "passed": False, "kappa": 0.25}
        session.execute(insert(metadata.tables["calibration"]).values(**tried, **failed))
    app = open_page("raters")
    assert overview(app).loc["Rae", "Needs attention"] == "passed no practice set and waits for you"
    choose(app, "Rater", "Rae")
    assert "practice set 1, rubric version 2: agreement 0.25, 0.60 is needed" in words(app)
    press(app, "Let them in")
    assert "Rae can judge." in words(app)
    assert overview(app).loc["Rae", "Calibration"] == "let in by hand"
    assert not overview(app).loc["Rae", "Needs attention"]
    assert "Let them in" not in {button.label for button in app.button}


def test_habits_are_not_told_of_a_rater_who_shares_no_pair(demo: str, open_page: Open) -> None:
    with writing() as session:
        votes = read_votes(session, COMMAND_LINE, demo_id())
        alone = votes[votes["rater"] == "Mina (careful)"].head(1).assign(rater="Solo", kind="grade", doc_id="d001")
        assert ("d001", alone["query_id"].iloc[0]) not in set(zip(votes["doc_id"], votes["query_id"], strict=True))
        import_judgments(session, COMMAND_LINE, demo_id(), alone, files=["solo.csv"])
    app = choose(open_page("raters"), "Rater", "Solo")
    assert not app.exception
    assert "No grade on a pair that somebody else voted on." in words(app)
