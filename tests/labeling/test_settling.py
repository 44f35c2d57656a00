"""Settling: reasons of a project's own, the lead's blind grade, requests to raters, pairs judged again, what adds up."""

from datetime import UTC, datetime
from functools import partial

import pandas as pd
import pytest
from sqlalchemy import text

from labeling import disputes, projects, rubrics
from labeling.accounts import COMMAND_LINE, Actor
from labeling.agenda import build_agenda, write_agenda
from labeling.database import reading, writing
from labeling.decisions import read_decision_details
from labeling.errors import AssayError, NotAllowed, NotFound
from labeling.history import show_own_pair
from labeling.judging_again import preview_again, send_again
from labeling.pair_requests import (
    ask_for_discussion,
    ask_for_more,
    close_answered,
    close_request,
    list_requests,
    list_sent_back,
)
from labeling.reasons import DECISION_REASONS, list_clauses, list_reasons, set_decision_reasons
from labeling.rubric_diff import mark_words
from labeling.rubrics import get_rubric, publish_rubric
from tests.support.campaign import Card, make_people, make_project


@pytest.fixture
def campaign(database: str) -> tuple[int, list[Card]]:
    """Two queries with two documents, on all of which Ann and Bo differ; Cy has not begun."""
    project = make_project(queries=2, documents=2, overlap=2)
    cards = [Card(actor, project, tab=actor.name, now=datetime.now(UTC)) for actor in make_people("Ann", "Bo", "Cy")]
    for card, grade in zip(cards[:2], (0, 3), strict=True):
        card.send()
        while card.held:
            card.send(card.act("grade", card.held.pop(0), grade=grade, comment=f"{card.actor.name} thinks {grade}"))
    return project, cards


def open_disputes(project: int) -> list[disputes.Dispute]:
    with reading() as session:
        return disputes.list_disputes(session, COMMAND_LINE, project, settled=False)


def judge_again(card: Card, pair: int, grade: int) -> dict:
    """Open a pair that one has judged, as the card does from the history, and grade it."""
    card.now = datetime.now(UTC)
    with reading() as session:
        shown = show_own_pair(session, card.actor, card.project, pair)
    return card.send(card.act("grade", shown, grade=grade))["acts"][0]


def sent_back(card: Card) -> list:
    with reading() as session:
        return list_sent_back(session, card.actor, card.project)


class TestOrders:
    def test_a_dispute_names_who_differs_and_when_it_was_complete(self, campaign) -> None:
        project, _ = campaign
        found = open_disputes(project)
        assert [one.rater_pairs for one in found] == [(("Ann", "Bo"),)] * 4
        assert all(one.completed_at is not None for one in found)

    def test_raters_who_agree_are_no_couple_of_a_dispute(self) -> None:
        votes = (("Ann", 1), ("Bo", 1), ("Cy", 3))
        one = disputes.Dispute(1, "q", "", "d", "", (1, 1, 3), None, votes)
        assert one.rater_pairs == (("Ann", "Cy"), ("Bo", "Cy"))


class TestDecisions:
    def test_the_blind_grade_and_the_clause_stay_with_the_decision(self, campaign) -> None:
        project, _ = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            disputes.decide(
                session, COMMAND_LINE, project, pair, grade=2, blind_grade=1, reason="rubric_clause",
                rubric_change=True, clause="grade 2", note="partly?", act_id="first-act",
            )  # fmt: skip
        with reading() as session:
            row = read_decision_details(session, COMMAND_LINE, project).iloc[0]
        assert (row["grade"], row["blind_grade"], row["rubric_change"], row["clause"]) == (2, 1, True, "grade 2")
        assert sorted(vote["grade"] for vote in row["votes"]) == [0, 3]

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({"reason": "mood"}, "expected a reason of"),
            ({"reason": "other", "blind_grade": 7}, "expected a grade from 0 to 3, found 7"),
            ({"reason": "other", "clause": "grade 2"}, "only with the mark"),
            ({"reason": "other", "rubric_change": True, "clause": "grade 9"}, "expected a clause of"),
        ],
    )
    def test_what_does_not_fit_is_refused_and_nothing_is_stored(self, campaign, values, said) -> None:
        project, _ = campaign
        pair = open_disputes(project)[0].pair
        with pytest.raises(AssayError, match=said), writing() as session:
            disputes.decide(session, COMMAND_LINE, project, pair, grade=1, act_id="first-act", **values)
        assert len(open_disputes(project)) == 4

    def test_a_projects_own_reasons_hold_and_old_ones_stay_readable(self, campaign) -> None:
        project, _ = campaign
        first, second, *_rest = [one.pair for one in open_disputes(project)]
        with writing() as session:
            disputes.decide(session, COMMAND_LINE, project, first, grade=1, reason="rater_slip", act_id="first-act")
            set_decision_reasons(session, COMMAND_LINE, project, ["a table, not a text", "  too   old ", ""])
            own = list_reasons(projects.get_project(session, COMMAND_LINE, project))
            assert own == ("a table, not a text", "too old")
            disputes.decide(session, COMMAND_LINE, project, second, grade=1, reason="too old", act_id="second-act")
        with pytest.raises(AssayError, match="expected a reason of a table"), writing() as session:
            disputes.decide(session, COMMAND_LINE, project, second, grade=1, reason="rater_slip", act_id="third-act")
        with reading() as session:
            table = disputes.read_decisions(session, COMMAND_LINE, project)
        assert sorted(table["reason"]) == ["rater_slip", "too old"]
        with writing() as session:
            usual = set_decision_reasons(session, COMMAND_LINE, project, [])
        assert list_reasons(usual) == DECISION_REASONS

    @pytest.mark.parametrize("reasons", [["same", "same"], ["x" * 81], [str(number) for number in range(13)]])
    def test_a_list_of_reasons_that_cannot_be_is_refused(self, campaign, reasons) -> None:
        with pytest.raises(AssayError, match="expected"), writing() as session:
            set_decision_reasons(session, COMMAND_LINE, campaign[0], reasons)

    def test_the_clauses_are_the_levels_the_headings_and_the_whole_text(self, campaign) -> None:
        with writing() as session:
            before = get_rubric(session, campaign[0])
            words = "# Who asks\nsome words\n\n## Partial answers ##\nmore"
            rubric = publish_rubric(session, COMMAND_LINE, campaign[0], text=words, levels=before.levels)
        levels = ("grade 0", "grade 1", "grade 2", "grade 3")
        assert list_clauses(rubric) == (*levels, "Who asks", "Partial answers", "text")


class TestOneMoreRater:
    def test_the_pair_leaves_the_list_until_the_vote_is_there(self, campaign) -> None:
        project, cards = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            ask_for_more(session, COMMAND_LINE, project, pair)
        assert pair not in [one.pair for one in open_disputes(project)]
        cy = cards[2]
        cy.now = datetime.now(UTC)
        assert [one["pair"] for one in cy.send()["pairs"]] == [pair]
        cy.grade(2)
        found = next(one for one in open_disputes(project) if one.pair == pair)
        assert found.grades == (0, 2, 3)
        with writing() as session:
            assert [one.is_answered for one in list_requests(session, COMMAND_LINE, project)] == [True]
            assert close_answered(session, COMMAND_LINE, project) == 1
            assert list_requests(session, COMMAND_LINE, project) == []

    def test_two_leads_who_ask_at_once_want_one_vote_more(self, campaign) -> None:
        project, _ = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            ask_for_more(session, COMMAND_LINE, project, pair)
        with pytest.raises(AssayError, match="found an open request"), writing() as session:
            ask_for_more(session, COMMAND_LINE, project, pair)
        with reading() as session:
            overlap = session.execute(text("SELECT overlap FROM pair WHERE id = :pair"), {"pair": pair}).scalar_one()
        assert overlap == 3

    def test_a_lead_who_waits_no_longer_has_the_pair_back(self, campaign) -> None:
        project, _ = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            ask_for_more(session, COMMAND_LINE, project, pair)
            request = list_requests(session, COMMAND_LINE, project)[0]
            close_request(session, COMMAND_LINE, project, request.id)
        assert pair in [one.pair for one in open_disputes(project)]
        with pytest.raises(NotFound), writing() as session:
            close_request(session, COMMAND_LINE, project, request.id)

    def test_a_settled_pair_takes_no_further_vote(self, campaign) -> None:
        project, _ = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            disputes.decide(session, COMMAND_LINE, project, pair, grade=1, reason="other", act_id="first-act")
        for ask in (ask_for_more, partial(ask_for_discussion, text="why?")):
            with pytest.raises(AssayError, match="open it again first"), writing() as session:
                ask(session, COMMAND_LINE, project, pair)


class TestDiscussion:
    def test_those_who_voted_see_the_words_and_comments_without_names_and_grades(self, campaign) -> None:
        project, cards = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            assert ask_for_discussion(session, COMMAND_LINE, project, pair, text="Is a table an answer?") == 2
        (seen,) = sent_back(cards[0])
        assert (seen.text, seen.grade, seen.comments) == ("Is a table an answer?", 0, ("Bo thinks 3",))
        assert not {"votes", "grades", "raters"} & set(vars(seen))
        assert sent_back(cards[2]) == []

    def test_the_request_is_over_when_all_have_confirmed_or_changed(self, campaign) -> None:
        project, (ann, bo, _) = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            ask_for_discussion(session, COMMAND_LINE, project, pair, text="Look again, please.")
        assert judge_again(ann, pair, 0)["status"] == "saved"
        assert sent_back(ann) == []
        assert len(sent_back(bo)) == 1
        with reading() as session:
            (request,) = list_requests(session, COMMAND_LINE, project)
            assert (request.asked, request.answered, request.is_answered) == (2, 1, False)
        assert judge_again(bo, pair, 1)["status"] == "saved"
        with reading() as session:
            assert list_requests(session, COMMAND_LINE, project)[0].is_answered
        assert next(one for one in open_disputes(project) if one.pair == pair).grades == (0, 1)

    def test_votes_from_files_cannot_be_asked(self, campaign) -> None:
        project, _ = campaign
        pair = open_disputes(project)[0].pair
        with writing() as session:
            session.execute(text("UPDATE rater SET account_id = NULL"))
        with pytest.raises(AssayError, match="expected a voter with an account"), writing() as session:
            ask_for_discussion(session, COMMAND_LINE, project, pair, text="why?")


def publish_second(project: int) -> rubrics.Rubric:
    with writing() as session:
        before = get_rubric(session, project)
        return publish_rubric(session, COMMAND_LINE, project, text=before.text + " New.", levels=before.levels)


class TestJudgingAgain:
    def test_pairs_marked_for_a_clause_go_to_their_voters_under_the_new_version(self, campaign) -> None:
        project, (ann, bo, _) = campaign
        first, second, *_rest = [one.pair for one in open_disputes(project)]
        marked = {"reason": "rubric_clause", "rubric_change": True}
        with writing() as session:
            disputes.decide(
                session, COMMAND_LINE, project, first, grade=2, clause="grade 2", act_id="act-one", **marked
            )
            disputes.decide(
                session, COMMAND_LINE, project, second, grade=1, clause="grade 1", act_id="act-two", **marked
            )
        with reading() as session:  # before there is a new version, nothing is older
            assert preview_again(session, COMMAND_LINE, project, clause="").pairs == ()
        publish_second(project)
        with writing() as session:
            found = preview_again(session, COMMAND_LINE, project, clause="grade 2")
            assert (found.pairs, found.raters, found.settled, found.unreachable) == ((first,), 2, 1, 0)
            assert send_again(session, COMMAND_LINE, project, found.pairs, act_id="again-1") == 1
            assert preview_again(session, COMMAND_LINE, project, clause="").pairs == (second,)
            assert send_again(session, COMMAND_LINE, project, found.pairs, act_id="again-2") == 0  # it waits already
        assert [one.kind for one in sent_back(ann)] == ["rejudge"]
        for card, grade in ((ann, 2), (bo, 2)):
            assert judge_again(card, first, grade)["status"] == "saved"
        with reading() as session:
            assert list_requests(session, COMMAND_LINE, project)[0].is_answered
            rows = session.execute(
                text(
                    "SELECT r.version FROM judgment j JOIN rubric r ON r.id = j.rubric_id WHERE pair_id = :p ORDER BY j.id"
                ),
                {"p": first},
            )
            assert list(rows.scalars()) == [1, 1, 2, 2]

    def test_pairs_of_a_grade_and_a_query_are_counted_before_they_go(self, campaign) -> None:
        project, (ann, _, _) = campaign
        publish_second(project)
        with reading() as session:
            assert len(preview_again(session, COMMAND_LINE, project).pairs) == 4
            assert len(preview_again(session, COMMAND_LINE, project, query_id="q1").pairs) == 2
            assert len(preview_again(session, COMMAND_LINE, project, grade=3, query_id="q1").pairs) == 2
            assert preview_again(session, COMMAND_LINE, project, grade=1).pairs == ()
        with pytest.raises(NotAllowed), reading() as session:
            preview_again(session, ann.actor, project)


def test_only_leads_ask_raters(campaign) -> None:
    project, cards = campaign
    rater: Actor = cards[0].actor
    pair = open_disputes(project)[0].pair
    acts = [
        lambda session: ask_for_more(session, rater, project, pair),
        lambda session: ask_for_discussion(session, rater, project, pair, text="why?"),
        lambda session: send_again(session, rater, project, [pair], act_id="an-act-id"),
        lambda session: list_requests(session, rater, project),
        lambda session: set_decision_reasons(session, rater, project, ["mine"]),
        lambda session: read_decision_details(session, rater, project),
        lambda session: disputes.describe_pairs(session, rater, project, [pair]),
    ]
    for act in acts:
        with pytest.raises(NotAllowed), writing() as session:
            act(session)


LABELS = {
    name: name
    for name in ("clauses", "no_clause", "reasons", "reason", "pairs", "queries", "query", "disputes", "settled",
                 "rater_pairs", "raters", "others", "votes", "decided")
}  # fmt: skip


class TestAgenda:
    def test_reasons_clauses_queries_and_raters_are_counted(self, campaign) -> None:
        project, _ = campaign
        first, second, *_rest = open_disputes(project)
        with writing() as session:
            disputes.decide(
                session, COMMAND_LINE, project, first.pair, grade=2, reason="rubric_clause", rubric_change=True,
                clause="grade 2", note="*stars* | bars\nand lines", act_id="first-act",
            )  # fmt: skip
            disputes.decide(
                session, COMMAND_LINE, project, second.pair, grade=0, reason="rater_slip", act_id="second-act"
            )
        with reading() as session:
            decisions = read_decision_details(session, COMMAND_LINE, project)
            found = disputes.list_disputes(session, COMMAND_LINE, project)
        rows = [(one.query_id, one.doc_id, one.votes, one.decided is not None) for one in found]
        table = pd.DataFrame(rows, columns=["query_id", "doc_id", "votes", "settled"])
        agenda = build_agenda(decisions, table)
        assert agenda.reasons == (("rater_slip", 1), ("rubric_clause", 1))
        assert agenda.clauses == (("grade 2", 1),)
        assert agenda.queries == (("q0", 2, 2), ("q1", 2, 0))
        assert agenda.rater_pairs == ((("Ann", "Bo"), 4, 2),)
        written = write_agenda(agenda, title="Agenda", labels=LABELS, reason=str, clause=str)
        assert "### grade 2 (1)" in written
        assert "\\*stars\\* \\| bars and lines" in written
        shuffled = build_agenda(decisions.iloc[::-1], table.iloc[::-1])
        assert write_agenda(shuffled, title="Agenda", labels=LABELS, reason=str, clause=str) == written


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "new"), ("gone", ""), ("the same", "the same"), ("a b  c, d", "a c; d e"), ("가 나", "가 다")],
)
def test_the_marked_words_are_both_texts(before: str, after: str) -> None:
    pieces = mark_words(before, after)
    assert "".join(words for kind, words in pieces if kind != "new") == before
    assert "".join(words for kind, words in pieces if kind != "gone") == after
    assert before != after or {kind for kind, _ in pieces} <= {"same"}


def test_a_pair_whose_grade_is_known_is_shown_and_never_settled(campaign) -> None:
    project, _ = campaign
    pair = open_disputes(project)[0].pair
    with writing() as session:
        session.execute(
            text(
                "INSERT INTO reference (pair_id, purpose, position, grade, reason, set_at) "
                "VALUES (:pair, 'gold', 0, 3, '', '2026-01-01 00:00:00.000000')"
            ),
            {"pair": pair},
        )
    with reading() as session:
        assert disputes.show_disputed_pair(session, COMMAND_LINE, project, pair).known == 3
    with pytest.raises(AssayError, match="whose grade is known"), writing() as session:
        disputes.decide(session, COMMAND_LINE, project, pair, grade=1, reason="other", act_id="first-act")
    with pytest.raises(AssayError, match="whose grade is known"), writing() as session:
        ask_for_more(session, COMMAND_LINE, project, pair)
