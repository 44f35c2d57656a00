"""The page of progress: how far, when it ends, who holds what, more votes, a new run, and whether it is time to stop."""

from collections.abc import Callable

import pytest
from sqlalchemy import text
from streamlit.testing.v1 import AppTest

from labeling import accounts, collection, projects
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.demo_project import DEMO_NAME
from labeling.stopping import ask_to_stop
from tests.support.campaign import Card

Open = Callable[..., AppTest]


def find(widgets, label):
    return next(one for one in widgets if one.label == label)


def words(app: AppTest) -> str:
    parts = [*app.markdown, *app.caption, *app.info, *app.success, *app.warning]
    return "\n".join(str(one.value) for one in parts)


def demo_project() -> projects.Project:
    with reading() as session:
        return projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME)


def test_the_page_says_whether_it_is_time_to_stop_and_asks_for_more_votes_where_they_matter(
    demo: str, open_page: Open
) -> None:
    app = open_page("progress")
    assert not app.exception
    with reading() as session:
        tags = [row.tag for row in collection.list_runs(session, demo_project().id)]
        answer = ask_to_stop(session, COMMAND_LINE, demo_project().id, tags[0], tags[1])
    said = words(app)
    assert f"{answer.found.lowest:+.4f}" in said
    assert f"{answer.found.highest:+.4f}" in said
    assert answer.first > 0
    before = overlaps()
    full = int((answer.next.head(answer.first)["lacking"] == 0).sum())
    assert full > 0
    label = f"Votes wanted for those of the first {answer.first} that have all their votes"
    find(app.number_input, label).set_value(9).run()
    button = next(one for one in app.button if one.label == f"Set 9 votes for {full} pairs")
    button.click().run()
    assert not app.exception
    assert "further votes are wanted" in words(app)
    assert sum(value == 9 for value in overlaps().values()) == full
    assert len(before) == len(overlaps())


def overlaps() -> dict[int, int]:
    with reading() as session:
        return {row[0]: row[1] for row in session.execute(text("SELECT id, overlap FROM pair"))}


def test_held_pairs_are_given_back_and_a_query_gets_more_votes(demo: str, open_page: Open) -> None:
    project = demo_project()
    with writing() as session:
        (rae,) = (one for one in accounts.list_accounts(session, COMMAND_LINE) if one.name == "Rae")
    with writing() as session:
        session.execute(text("UPDATE pair SET overlap = 6 WHERE project_id = :p AND overlap > 0"), {"p": project.id})
    from datetime import UTC, datetime

    card = Card(accounts.Actor(rae.id, "Rae", "rater"), project.id, now=datetime.now(UTC))
    card.send(hello=True)
    assert card.held
    app = open_page("progress")
    find(app.button, "Give back").click().run()
    assert not app.exception
    assert "Nobody holds a pair at the moment." in words(app)
    find(app.selectbox, "Which pairs").set_value("query").run()
    find(app.multiselect, "Queries").set_value(["e01"]).run()
    assert not app.exception
    find(app.number_input, "Votes wanted per pair").set_value(7).run()
    next(one for one in app.button if one.label.startswith("Set 7 votes for ")).click().run()
    assert sum(value == 7 for value in overlaps().values()) > 0


def test_the_unjudged_top_of_a_new_run_is_added_with_one_click(demo: str, open_page: Open) -> None:
    project = demo_project()
    with reading() as session:
        documents = collection.read_documents_table(session, project.id)["doc_id"].tolist()
    lines = "\n".join(
        f"e01 Q0 {doc_id} {n} {100 - n} newcomer" for n, doc_id in enumerate([*documents, "no-text"])
    ).encode()
    with writing() as session:
        collection.add_run(session, COMMAND_LINE, project.id, lines, "newcomer.run")
    app = open_page("progress")
    next(one for one in app.multiselect if one.key.startswith("top_runs")).set_value(["newcomer"]).run()
    find(app.number_input, "First ranks (k)").set_value(1000).run()
    assert any("1 pairs are left out: their documents have no text here." in one.value for one in app.warning)
    before = len(overlaps())
    (button,) = [one for one in app.button if one.label.startswith("Add ") and "pairs" in one.label]
    button.click().run()
    assert not app.exception
    assert button.label == f"Add {len(overlaps()) - before} pairs to what is judged"
    assert "pairs added;" in words(app)


@pytest.mark.parametrize("language", ["ko"])
def test_the_page_speaks_the_persons_language(demo: str, open_page: Open, language: str) -> None:
    with writing() as session:
        session.execute(text("UPDATE account SET language = :l WHERE name = 'Lee'"), {"l": language})
    app = open_page("progress")
    assert not app.exception
    assert "그만" in words(app) + " ".join(tab.label for tab in app.tabs)


@pytest.mark.parametrize(("lacking", "share"), [(0, "100%"), (1, "99%")])
def test_no_share_of_the_votes_is_rounded_up_to_all_of_them(
    demo: str, open_page: Open, lacking: int, share: str
) -> None:
    with writing() as session:
        session.execute(text("UPDATE pair SET overlap = max(vote_count, 1), vote_count = max(vote_count, 1)"))
        session.execute(text("UPDATE pair SET overlap = overlap + :n WHERE id = 1"), {"n": lacking})
    (bar,) = open_page("progress").get("progress")
    assert bar.proto.text == f"{share} of the votes"
