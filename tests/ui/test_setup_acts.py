"""Acts of the setup and of the account: what is pressed is stored, what is refused is said and changes nothing."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from labeling import accounts, projects
from labeling.accounts import COMMAND_LINE
from labeling.database import reading
from labeling.second_questions import list_second_questions
from tests.ui.conftest import PASSWORD
from tests.ui.test_pages import go_to_step

Open = Callable[..., AppTest]
pytestmark = pytest.mark.usefixtures("demo")


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def write(app: AppTest, label: str, value: str) -> None:
    next(field for field in app.text_input if field.label == label).set_value(value)


def test_settings_pairs_and_second_questions_are_stored(open_page: Open) -> None:
    app = open_page("setup")
    go_to_step(app, "settings")
    next(field for field in app.number_input if field.label == "Pairs a batch").set_value(7)
    press(app, "Save")
    go_to_step(app, "pairs")
    next(field for field in app.number_input if field.label.startswith("Overlap")).set_value(3).run()
    press(app, "Make these pairs")
    go_to_step(app, "questions")
    write(app, "Question", "Is the source right?")
    write(app, "Name in exports", "source")
    press(app, "Ask it from now on")
    with reading() as session:
        project = projects.list_projects(session, COMMAND_LINE)[0]
        (question,) = list_second_questions(session, project.id)
    assert (project.batch_size, project.overlap) == (7, 3)
    assert (question.name, question.active) == ("source", True)
    next(toggle for toggle in app.toggle if toggle.label == "Asked").set_value(False).run()
    with reading() as session:
        assert list_second_questions(session, project.id, active=True) == []


def test_a_wrong_password_changes_nothing_and_a_right_one_does(open_page: Open) -> None:
    app = open_page("account")
    for old in ("not my password", PASSWORD):
        write(app, "Password now", old)
        write(app, "New password (8 characters or more)", "another horse")
        press(app, "Change the password")
        with reading() as session:
            changed = accounts.check_password(session, "Lee", "another horse") is not None
        assert changed == (old == PASSWORD) == bool(app.success)
        assert bool(app.error) != changed


def test_an_invitation_is_shown_once(open_page: Open) -> None:
    app = open_page("people")
    press(app, "Make a link")
    assert "/welcome?token=" in app.code[0].value
