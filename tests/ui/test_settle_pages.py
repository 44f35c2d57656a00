"""The Settle desk and what hangs on it: the lead's own grade first, orders, suggestions, agenda, new rubric, sent back."""

from collections.abc import Callable

import pytest
from sqlalchemy import text
from streamlit.testing.v1 import AppTest

from labeling import accounts, disputes, projects
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.decisions import read_decision_details
from labeling.demo_project import DEMO_NAME
from labeling.pair_requests import list_requests
from tests.ui.test_pages import go_to_step, words

Open = Callable[..., AppTest]


def press(app: AppTest, label: str) -> AppTest:
    """Click the button whose label begins so."""
    button = next((one for one in app.button if one.label.startswith(label)), None)
    assert button is not None, [one.label for one in app.button]
    return button.click().run()


def choose(app: AppTest, label: str, value: str) -> AppTest:
    return next(one for one in app.segmented_control if one.label == label).set_value(value).run()


def html(app: AppTest) -> str:
    return "\n".join(str(one.proto.body) for one in app.get("html"))


def demo_project() -> int:
    with reading() as session:
        return projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME).id


def give_accounts(*names: str) -> None:
    """Make the simulated raters of the demo into people who can sign in."""
    with writing() as session:
        raters = list(session.execute(text("SELECT id, name FROM rater ORDER BY id")))
        for row in raters:
            number = accounts.create_account(
                session, COMMAND_LINE, name=row.name, role="rater", password="correct horse"
            )
            session.execute(text("UPDATE rater SET account_id = :a WHERE id = :r"), {"a": number, "r": row.id})


def test_votes_are_seen_only_after_the_leads_own_grade(demo: str, open_page: Open) -> None:
    app = open_page("settle")
    assert "A: " not in html(app)
    assert not any(one.label.startswith("Settle and go on") for one in app.button)
    app = press(app, "2 ·")
    assert "<strong>A: " in html(app)
    assert "Your grade before the votes:" in html(app)


def test_a_page_loaded_anew_still_knows_that_the_lead_saw_the_votes(demo: str, open_page: Open) -> None:
    assert "votes: <span><bdi>2 Highly relevant" in html(press(open_page("settle"), "2 ·"))
    again = open_page("settle")
    assert "votes: <span><bdi>2 Highly relevant" in html(again)
    assert "Your grade first." not in words(again)
    assert "Your grade first." in words(press(again, "Next"))


def test_a_decision_is_stored_with_all_that_was_chosen_and_the_next_pair_comes(demo: str, open_page: Open) -> None:
    app = press(open_page("settle"), "2 ·")
    app = press(app, "Settle and go on")
    assert "Choose a grade and a reason first." in [error.value for error in app.error]
    app = press(press(app, "clause of the rubric"), "The rubric needs a change")
    app = press(app, "Clause:")
    app.text_area[0].set_value("the clause on parts is unclear")
    app = press(app, "Settle and go on")
    assert not app.exception
    first = app.query_params["pair"]
    with reading() as session:
        table = read_decision_details(session, COMMAND_LINE, demo_project())
    (row,) = table[table["note"] == "the clause on parts is unclear"].to_dict("records")
    assert (row["grade"], row["blind_grade"], row["reason"], row["decided_by"]) == (2, 2, "rubric_clause", "Lee")
    assert (row["rubric_change"], row["clause"]) == (True, "grade 3")
    assert str(row["pair"]) != first[0]
    agenda = open_page("agenda")
    assert not agenda.exception
    assert any("grade 3" in one.label and "(1)" in one.label for one in agenda.expander)


def test_a_settled_pair_is_opened_again_with_the_grade_from_before_the_votes(demo: str, open_page: Open) -> None:
    app = choose(open_page("settle"), "Which", "settled")
    app = press(app, "Open it again")
    assert not app.exception
    assert any(one.label.startswith("Settle and go on") for one in app.button)


@pytest.mark.parametrize("order", ["query", "raters", "age", "influence"])
def test_disputes_stand_in_the_order_that_is_chosen(demo: str, open_page: Open, order: str) -> None:
    app = press(open_page("settle"), "Next")
    assert "**2** of" in words(app)
    app = choose(app, "Order", order)
    assert not app.exception
    assert "**1** of" in words(app)  # not the pair in hand, wherever it stands now
    if order == "influence":
        text = words(app)
        assert "is ahead of" in text
        assert "and the winner is certain" in text
        app = press(app, "Show the votes without")
        assert "Settling this pair puts A - B between" in words(app)
    if order == "raters":
        couples = next(box for box in app.selectbox if box.label == "Between")
        counts = [int(one.rsplit("(", 1)[1].rstrip(")")) for one in couples.options]
        assert counts == sorted(counts, reverse=True)
        assert f"of {counts[0]}" in words(app)


def test_one_more_rater_takes_the_pair_off_the_list_and_waiting_can_end(demo: str, open_page: Open) -> None:
    app = press(open_page("settle"), "1 ·")
    app = press(app, "Ask one more rater")
    assert not app.exception
    with reading() as session:
        assert [one.kind for one in list_requests(session, COMMAND_LINE, demo_project())] == ["more"]
    app = choose(app, "Which", "waiting")
    app = open_page("settle", pair=str(_waiting()))
    app = press(app, "Show the votes without") if any(b.label.startswith("Show the votes") for b in app.button) else app
    assert "Waits for one more vote." in words(app)
    app = press(app, "Wait no longer")
    with reading() as session:
        assert list_requests(session, COMMAND_LINE, demo_project()) == []


def _waiting() -> int:
    with reading() as session:
        return list_requests(session, COMMAND_LINE, demo_project())[0].pair


def test_what_is_sent_back_stands_above_the_raters_judgments(demo: str, open_page: Open) -> None:
    give_accounts()
    app = press(press(open_page("settle"), "1 ·"), "Send back to the raters")
    next(area for area in app.text_area if area.label.startswith("Your words")).set_value("Is a list an answer?")
    next(button for button in app.button if button.label == "Send").click().run()
    assert not app.exception
    pair = _waiting()
    with reading() as session:
        found = disputes.describe_pairs(session, COMMAND_LINE, demo_project(), [pair])[0]
    own = open_page("history", found.votes[0][0])
    assert not own.exception
    assert "**Sent back to you:** 1 pair" in words(own)
    assert "Is a list an answer?" in html(own)
    assert f"Your grade: {found.votes[0][1]}." in words(own)


def test_a_projects_own_reasons_are_what_the_lead_chooses_from(demo: str, open_page: Open) -> None:
    app = open_page("settle")
    next(area for area in app.text_area if area.label.startswith("One reason a line")).set_value(
        "a list\nslip of a rater"
    )
    app = press(app, "Save the reasons")
    assert not app.exception
    with reading() as session:
        assert projects.get_project(session, COMMAND_LINE, demo_project()).decision_reasons == ["a list", "rater_slip"]
    labels = [one.label for one in press(app, "1 ·").button]
    assert "a list" in labels
    assert "query unclear" not in labels


def test_suggestions_say_what_the_model_finds_and_open_for_settling(demo: str, open_page: Open) -> None:
    app = choose(open_page("settle"), "Which", "unlikely")
    assert not app.exception
    assert any("Suggestions, not judgments" in one.value for one in app.info)
    table = app.dataframe[0].value
    assert table["why"].str.contains(r"^model: \d+ % grade \d|^copy |^gold ", regex=True).all()
    app = press(app, "1 ·")
    assert "model: " in words(app).replace("\\", "")


def test_a_new_version_shows_what_changed_and_sends_pairs_to_be_judged_again(demo: str, open_page: Open) -> None:
    give_accounts()
    app = open_page("setup")
    go_to_step(app, "rubric")
    app.text_area[0].set_value("Judge the text alone.")
    app = press(app, "Publish as version")
    assert not app.exception
    assert "<ins" in html(app)
    assert "<del" in html(app)
    text = words(app)
    assert "pairs go to those who voted on them" in text
    send = next(one for one in app.button if one.label.startswith("Send "))
    number = int(send.label.split()[1])
    send.click().run()
    with reading() as session:
        found = list_requests(session, COMMAND_LINE, demo_project())
    assert {one.kind for one in found} == {"rejudge"}
    assert len(found) == number > 0


def test_words_that_are_not_stored_yet_outlive_a_look_at_another_pair(demo: str, open_page: Open) -> None:
    app = press(press(open_page("settle"), "2 ·"), "Send back to the raters")
    app.text_area[0].set_value("a note in the making")
    app.text_area[1].set_value("words in the making").run()
    app = press(press(app, "Next"), "Previous")
    assert [area.value for area in app.text_area[:2]] == ["a note in the making", "words in the making"]


def test_a_pair_that_another_lead_settled_meanwhile_is_not_settled_over_it(demo: str, open_page: Open) -> None:
    with reading() as session:
        pair = disputes.list_disputes(session, COMMAND_LINE, demo_project(), settled=False)[0].pair
    app = press(press(open_page("settle"), "2 ·"), "slip of a rater")
    with writing() as session:
        disputes.decide(session, COMMAND_LINE, demo_project(), pair, grade=0, reason="other", act_id="the-other-lead")
    app = press(app, "Settle and go on")
    assert not app.exception
    assert any("Your decision was not stored" in one.value for one in app.warning)
    assert "Settled: grade 0, other." in html(app)
    with reading() as session:
        assert disputes.show_disputed_pair(session, COMMAND_LINE, demo_project(), pair).decision.grade == 0
