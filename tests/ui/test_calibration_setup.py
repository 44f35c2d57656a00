"""Calibration and gold in the setup: switches with their words, what is refused, and the pairs whose grade is known."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from labeling import projects
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.references import list_references, remove_reference
from tests.ui.test_pages import go_to_step, words

Open = Callable[..., AppTest]


def open_step(open_page: Open) -> AppTest:
    app = open_page("setup")
    go_to_step(app, "calibration")
    assert not app.exception
    return app


def save(app: AppTest) -> None:
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception


def read_project() -> projects.Project:
    with reading() as session:
        return projects.list_projects(session, COMMAND_LINE)[0]


def test_a_lead_switches_calibration_gold_and_repeats_on(demo: str, open_page: Open) -> None:
    app = open_step(open_page)
    app.toggle[0].set_value(True)
    for number, value in zip(app.number_input, (0.75, 8, 12), strict=True):
        number.set_value(value)
    save(app)
    project = read_project()
    assert (project.calibration, project.pass_mark) == (True, 0.75)
    assert (project.gold_every, project.repeat_every) == (8, 12)


def test_the_references_of_the_demo_are_listed_with_grade_and_reason(demo: str, open_page: Open) -> None:
    app = open_step(open_page)
    table = app.dataframe[0].value
    assert table["place"].value_counts().to_dict() == {"Practice set 1": 6, "Gold": 4}
    assert table["reason"].str.len().min() > 10
    assert table["grade"].iloc[0] == "3 Perfectly relevant"
    assert "never count as votes" in words(app)
    assert not read_project().calibration  # a newcomer judges the demo at once


@pytest.mark.usefixtures("demo")
def test_calibration_without_a_practice_set_is_refused_in_words(open_page: Open) -> None:
    project = read_project()
    with writing() as session:
        for row in list_references(session, COMMAND_LINE, project.id):
            remove_reference(session, COMMAND_LINE, project.id, row.pair)
    app = open_step(open_page)
    assert "No practice set and no gold yet." in words(app)
    app.toggle[0].set_value(True)
    save(app)
    assert "expected a practice set before calibration is switched on" in app.code[0].value
    assert not read_project().calibration


def test_gold_is_asked_for_where_there_is_none(demo: str, open_page: Open) -> None:
    project = read_project()
    with writing() as session:
        projects.change_project(session, COMMAND_LINE, project.id, gold_every=5)
        for row in list_references(session, COMMAND_LINE, project.id):
            if row.purpose == "gold":
                remove_reference(session, COMMAND_LINE, project.id, row.pair)
    assert "There is no gold in this project" in words(open_step(open_page))
