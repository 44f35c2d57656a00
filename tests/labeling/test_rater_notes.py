"""What a lead does about a rater, on a real database: votes, places, claims and messages."""

import pandas as pd
import pytest
from sqlalchemy import select

from labeling import rater_notes
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import AssayError, NotAllowed, NotFound
from labeling.imports import import_judgments
from labeling.ledger_check import set_derived_right
from labeling.places import fill_free_places
from labeling.projects import count_project
from labeling.raters import list_raters
from labeling.schema import metadata
from labeling.votes import read_ledger, read_votes
from tests.support.campaign import NOW, Card, make_people, make_project

pytestmark = pytest.mark.usefixtures("database")


def rater_id(project: int, name: str) -> int:
    with reading() as session:
        return next(rater.id for rater in list_raters(session, project) if rater.name == name)


def votes_of(project: int) -> set[tuple[str, str, str, int]]:
    with reading() as session:
        return set(read_votes(session, COMMAND_LINE, project).itertuples(index=False, name=None))


def counts_per_pair(project: int) -> list[int]:
    pair = metadata.tables["pair"]
    with reading() as session:
        return list(
            session.execute(select(pair.c.vote_count).where(pair.c.project_id == project).order_by(pair.c.id)).scalars()
        )


def judge_all(actor, project: int, grade: int = 1) -> Card:
    card = Card(actor, project)
    card.send(hello=True)
    while card.held:
        assert card.grade(grade)["status"] == "saved"
    return card


def test_setting_aside_takes_the_votes_out_of_every_count_and_leaves_the_ledger_alone() -> None:
    ann, bob = make_people("ann", "bob")
    (lead,) = make_people("lea", role="lead")
    project = make_project(queries=1, documents=4, overlap=2)
    judge_all(ann, project)
    judge_all(bob, project, 2)
    with reading() as session:
        ledger = read_ledger(session, lead, project)
        shown = rater_notes.preview_effect(session, lead, project, rater_id(project, "ann"), now=NOW)
    assert (shown.votes, shown.opened, shown.promoted) == (4, 4, 0)
    with writing() as session:
        effect = rater_notes.set_aside_rater(session, lead, project, rater_id(project, "ann"), text="seen too fast")
    assert (effect.votes, effect.opened) == (shown.votes, shown.opened)
    assert {vote[2] for vote in votes_of(project)} == {"bob"}
    assert counts_per_pair(project) == [1, 1, 1, 1]
    with reading() as session:
        assert len(read_ledger(session, lead, project)) == len(ledger)
        note = rater_notes.list_notes(session, lead, project, rater_id(project, "ann"))[0]
    assert (note.kind, note.text, note.written_by) == ("set_aside", "seen too fast", "lea")


def test_bringing_back_undoes_setting_aside() -> None:
    ann, bob = make_people("ann", "bob")
    project = make_project(queries=1, documents=3, overlap=2)
    judge_all(ann, project)
    judge_all(bob, project, 2)
    before = votes_of(project)
    with writing() as session:
        rater_notes.set_aside_rater(session, COMMAND_LINE, project, rater_id(project, "ann"))
    with writing() as session:
        effect = rater_notes.bring_back_rater(session, COMMAND_LINE, project, rater_id(project, "ann"))
    assert (effect.votes, effect.surplus, effect.promoted) == (3, 0, 0)
    assert votes_of(project) == before
    with writing() as session:
        again = rater_notes.bring_back_rater(session, COMMAND_LINE, project, rater_id(project, "ann"))
        found = set_derived_right(session)
    assert again == rater_notes.Effect()
    assert (found.wrong_current, found.wrong_counts) == (0, 0)


def surplus_campaign() -> tuple[int, str]:
    """Ann and Bob fill the one pair; Cid's grade came after his claim had run out, and is surplus."""
    ann, bob, cid = make_people("ann", "bob", "cid")
    project = make_project(queries=1, documents=1, overlap=2)
    late = Card(cid, project)
    late.send(hello=True)
    shown = late.held[0]
    for actor in (ann, bob):
        card = Card(actor, project)
        card.wait(minutes=30)
        card.send(hello=True)
        card.grade(1)
    late.wait(minutes=45)
    outcome = late.grade(3, shown)
    assert outcome["surplus"]
    return project, shown["doc_id"]


def test_a_surplus_grade_takes_the_place_that_became_free_and_gives_it_back() -> None:
    project, doc = surplus_campaign()
    assert votes_of(project) == {("q0", doc, "ann", 1), ("q0", doc, "bob", 1)}
    with writing() as session:
        effect = rater_notes.set_aside_rater(session, COMMAND_LINE, project, rater_id(project, "ann"))
    assert (effect.promoted, effect.opened) == (1, 0)
    assert votes_of(project) == {("q0", doc, "bob", 1), ("q0", doc, "cid", 3)}
    assert counts_per_pair(project) == [2]
    with reading() as session:
        moved = read_ledger(session, COMMAND_LINE, project)
    rows = moved[moved["rater"] == "cid"]
    assert rows["surplus"].tolist() == [True, False]
    assert len(set(rows["judged_at"])) == 1  # the same judgment, of the same moment, in a new row
    with writing() as session:
        effect = rater_notes.bring_back_rater(session, COMMAND_LINE, project, rater_id(project, "ann"))
    assert (effect.promoted, effect.surplus) == (1, 0)
    assert votes_of(project) == {("q0", doc, "ann", 1), ("q0", doc, "bob", 1)}
    with writing() as session:
        found = set_derived_right(session)
    assert (found.wrong_current, found.wrong_counts) == (0, 0)


def test_a_place_that_others_have_filled_since_is_not_taken_from_them() -> None:
    ann, bob, cid = make_people("ann", "bob", "cid")
    project = make_project(queries=1, documents=2, overlap=2)
    judge_all(ann, project)
    judge_all(bob, project, 2)
    with writing() as session:
        rater_notes.set_aside_rater(session, COMMAND_LINE, project, rater_id(project, "ann"), now=NOW)
    card = Card(cid, project)
    card.wait(hours=1)
    card.send(hello=True)
    card.grade(3)
    with writing() as session:
        effect = rater_notes.bring_back_rater(session, COMMAND_LINE, project, rater_id(project, "ann"))
    assert effect.surplus == 1
    assert counts_per_pair(project) == [2, 2]
    with reading() as session:
        counts = count_project(session, COMMAND_LINE, project)
    assert counts.votes == 4


def test_votes_from_files_beyond_the_overlap_survive_setting_aside_and_back() -> None:
    project = make_project(queries=1, documents=2, overlap=1)
    rows = [("q0", doc, rater, 1, "grade") for doc in ("d0", "d1") for rater in ("x", "y", "z")]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade", "kind"])
    with writing() as session:
        import_judgments(session, COMMAND_LINE, project, table, files=["f.csv"])
    before = votes_of(project)
    for act in (rater_notes.set_aside_rater, rater_notes.bring_back_rater):
        with writing() as session:
            act(session, COMMAND_LINE, project, rater_id(project, "x"))
    assert votes_of(project) == before


def test_the_pairs_of_a_rater_go_to_others_and_a_grade_on_its_way_is_kept() -> None:
    ann, bob = make_people("ann", "bob")
    project = make_project(queries=1, documents=3, overlap=1)
    card = Card(ann, project)
    card.send(hello=True)
    shown = card.held[0]
    held = len(card.held)
    waiting = Card(bob, project)
    waiting.send(hello=True)
    assert shown["pair"] not in {pair["pair"] for pair in waiting.held}
    with writing() as session:
        effect = rater_notes.reassign_pairs(session, COMMAND_LINE, project, rater_id(project, "ann"), now=NOW)
    assert effect.released == held
    waiting.send()
    assert shown["pair"] in {pair["pair"] for pair in waiting.held}
    outcome = card.send(card.act("grade", shown, grade=2), want=0)["acts"][0]
    assert (outcome["status"], outcome["surplus"]) == ("saved", True)


def test_a_free_place_that_somebody_holds_is_left_to_them() -> None:
    project, doc = surplus_campaign()
    (dan,) = make_people("dan")
    with writing() as session:
        ann = rater_id(project, "ann")
        session.execute(
            metadata.tables["rater"].update().where(metadata.tables["rater"].c.id == ann).values(set_aside=True)
        )
        session.execute(metadata.tables["pair"].update().values(vote_count=1))
    card = Card(dan, project)
    card.wait(hours=2)
    card.send(hello=True)
    assert card.held
    with writing() as session:
        assert fill_free_places(session, project, now=card.now) == 0
    card.wait(hours=1)
    with writing() as session:
        assert fill_free_places(session, project, now=card.now) == 1
    assert ("q0", doc, "cid", 3) in votes_of(project)


def test_a_model_votes_only_when_a_lead_says_so() -> None:
    project = make_project(queries=1, documents=2, overlap=1)
    rows = [("q0", doc, "gpt", 1, "grade") for doc in ("d0", "d1")]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade", "kind"])
    with writing() as session:
        import_judgments(session, COMMAND_LINE, project, table, files=["f.csv"], models=["gpt"])
    assert votes_of(project) == set()
    with writing() as session:
        assert (
            rater_notes.let_rater_vote(session, COMMAND_LINE, project, rater_id(project, "gpt"), votes=True).votes == 2
        )
    assert len(votes_of(project)) == 2
    assert counts_per_pair(project) == [1, 1]
    with writing() as session:
        rater_notes.let_rater_vote(session, COMMAND_LINE, project, rater_id(project, "gpt"), votes=False)
    assert votes_of(project) == set()
    assert counts_per_pair(project) == [0, 0]


def test_a_person_cannot_be_told_to_cast_no_vote_as_a_model() -> None:
    (ann,) = make_people("ann")
    project = make_project(queries=1, documents=1, overlap=1)
    judge_all(ann, project)
    with writing() as session, pytest.raises(AssayError, match="ann, a person"):
        rater_notes.let_rater_vote(session, COMMAND_LINE, project, rater_id(project, "ann"), votes=False)


def test_a_message_reaches_its_rater_alone_until_it_is_dismissed() -> None:
    ann, bob = make_people("ann", "bob")
    (lead,) = make_people("lea", role="lead")
    project = make_project(queries=1, documents=1, overlap=2)
    judge_all(ann, project)
    judge_all(bob, project)
    with writing() as session:
        rater_notes.send_message(session, lead, project, rater_id(project, "ann"), text=" Please read clause 2. ")
    with reading() as session:
        (message,) = rater_notes.list_messages(session, ann)
        assert (message.text, message.written_by, message.project) == ("Please read clause 2.", "lea", "campaign")
        assert rater_notes.list_messages(session, bob) == []
        assert rater_notes.list_messages(session, ann, project) == [message]
        assert rater_notes.list_messages(session, ann, project + 1) == []
    with writing() as session, pytest.raises(NotFound):
        rater_notes.dismiss_message(session, bob, message.id)
    with writing() as session:
        rater_notes.dismiss_message(session, ann, message.id, now=NOW)
    with reading() as session:
        assert rater_notes.list_messages(session, ann) == []
        assert rater_notes.list_notes(session, lead, project, rater_id(project, "ann"))[0].read_at == NOW


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001])
def test_a_message_has_words_and_an_end(text: str) -> None:
    (ann,) = make_people("ann")
    project = make_project(queries=1, documents=1, overlap=1)
    judge_all(ann, project)
    with writing() as session, pytest.raises(AssayError, match="1 to 2,000 characters"):
        rater_notes.send_message(session, COMMAND_LINE, project, rater_id(project, "ann"), text=text)


def test_nothing_about_a_rater_is_done_or_read_below_lead() -> None:
    (ann,) = make_people("ann")
    project = make_project(queries=1, documents=1, overlap=1)
    judge_all(ann, project)
    number = rater_id(project, "ann")
    acts = (
        lambda session: rater_notes.set_aside_rater(session, ann, project, number),
        lambda session: rater_notes.bring_back_rater(session, ann, project, number),
        lambda session: rater_notes.reassign_pairs(session, ann, project, number),
        lambda session: rater_notes.send_message(session, ann, project, number, text="hello"),
        lambda session: rater_notes.let_rater_vote(session, ann, project, number, votes=True),
        lambda session: rater_notes.preview_effect(session, ann, project, number, now=NOW),
        lambda session: rater_notes.list_notes(session, ann, project, number),
    )
    for act in acts:
        with writing() as session, pytest.raises(NotAllowed):
            act(session)
    with writing() as session, pytest.raises(NotFound):
        rater_notes.set_aside_rater(session, COMMAND_LINE, project, 999)
