"""The words of the judging card, in the language of its rater.

Knows no state of the card; the front end picks a message by its name and fills the placeholders.
"""

from collections.abc import Sequence
from typing import Any

from labeling.ui.texts import _

__all__ = ["REASONS", "card_keys", "card_labels", "card_reasons"]

REASONS = ("did_not_load", "wrong_language", "query_unclear", "needs_expert", "other")


def card_reasons() -> list[tuple[str, str]]:
    """Why a pair cannot be judged: the code that is stored, and its words. The key is the place in the list."""
    words = (
        _("It did not load or is empty"),
        _("It is in the wrong language"),
        _("The query is unclear"),
        _("It needs an expert"),
        _("Another reason, in words"),
    )
    return list(zip(REASONS, words, strict=True))


def card_keys(levels: Sequence[Any], *, older: bool = False) -> list[tuple[list[str], str]]:
    """The keys and what they do, for the help panel."""
    grades = [str(level["grade"]) for level in levels if 0 <= level["grade"] <= 9]
    confirming = [(["Enter", "C"], _("Keep the judgment as it was"))] if older else []
    return [
        *confirming,
        (grades, _("Give this grade; the next pair is there")),
        (["U"], _("Cannot be judged; then a number for the reason")),
        (["S"], _("Later: the pair comes back after the others")),
        (["Z"], _("Take the last act back, as often as you like")),
        (["E"], _("Write a comment; Esc or Ctrl+Enter leaves it")),
        (["Q"], _("Ask your lead, or propose a narrative")),
        (["A"], _("Show or fold what was answered about the query")),
        (["G"], _("Show or fold the rubric's examples")),
        (["H"], _("Mark the query's words, or not")),
        ([_("Space"), "↑", "↓"], _("Scroll the document")),
        (["?"], _("Show these keys")),
    ]


def card_labels() -> dict[str, str]:
    """All other words of the card by the names that the front end uses."""
    return {
        **_on_screen(),
        **_of_acts(),
        **_of_status(),
        **_of_ends(),
        **_of_practice(),
        **_of_results(),
        **_of_questions(),
        **_of_second(),
        **_of_older(),
    }


def _on_screen() -> dict[str, str]:
    return {
        "card": _("Judging"),
        "document": _("Document"),
        "grades": _("Grades"),
        "keys": _("Keys"),
        "batch": _("{done} of {size} in this batch"),
        "minutes_left": _("about {minutes} minutes left"),
        "minute_left": _("about a minute left"),
        "twin": _("You gave a near-duplicate of this text: {what}"),
        "empty_document": _("This document is empty."),
        "open_source": _("Open the source at {host} in a new tab"),
        "show_all": _("Show all {count} characters"),
        "not_loaded": _("The rest did not arrive. Try again."),
        "examples": _("Examples"),
        "highlight": _("Mark words"),
        "comment": _("Comment"),
        "comment_hint": _("Goes with your judgment"),
        "last": _("Your last acts"),
        "more": _("More"),
        "close": _("Close"),
        "cancel": _("Cancel"),
    }


def _of_acts() -> dict[str, str]:
    return {
        "undo": _("Undo"),
        "undo_last": _("Take the last one back"),
        "skip": _("Later"),
        "skipped": _("Later"),
        "cannot": _("Can't judge"),
        "cannot_because": _("Can't judge: {reason}"),
        "why": _("Why can't it be judged?"),
        "other_words": _("In a few words"),
        "send_reason": _("Send"),
        "take_back": _("Take back: {what}, {title}"),
        "taken_back": _("Taken back; it was: {what}"),
        "again": _("Your judgment so far: {what}. Choose again to change it."),
        "nothing_to_undo": _("There is nothing to take back."),
        "cannot_take_back": _("This one cannot be taken back right now. Try again in a moment."),
        "no_pair": _("This pair is not open for you."),
        "too_quick": _("Too quick to be meant for this pair: ignored"),
        "lost": _("This pair has gone to another rater. Nothing that you judged is lost."),
    }


def _of_status() -> dict[str, str]:
    return {
        "status_saving": _("saving {count}…"),
        "status_saved": _("all saved"),
        "status_offline": _("offline: {count} kept, trying again"),
        "status_offline_none": _("offline: trying again"),
        "status_signed_out": _("signed out: {count} kept."),
        "sign_in": _("Sign in again"),
        "status_reload": _("{count} kept; load the page anew to go on."),
        "status_stopped": _("You may not judge here; {count} kept."),
        "reload": _("Load"),
        "refused_not_held": _("Not kept: the pair is no longer held for you."),
        "refused_changed_text": _("Not kept: the text has changed since; you will see the new one."),
        "refused_old_rubric": _("Not kept: the rubric has changed. Load the page anew to see it."),
        "refused_settled": _("Not kept: the pair has been settled in the meantime."),
        "refused_bad_act": _("Not kept: the server did not understand this act."),
        "refused_too_large": _("Not kept: it is larger than the server takes."),
        "refused_closed": _("Not kept: the project is closed."),
        "refused_known": _("Not kept: you have seen the reference of this pair, and your first answer stands."),
    }


def _of_ends() -> dict[str, str]:
    return {
        "go_on": _("Go on"),
        "pause": _("Time for a breath"),
        "pause_text": _("That was a batch of {size}. Look up for a moment; go on when you like."),
        "pause_left": _("{left} pairs are left for you."),
        "end_loading": _("Looking for pairs"),
        "end_loading_text": _("The next ones are on their way."),
        "end_done": _("You have judged all you can"),
        "end_done_text": _("There is no pair left for you in this project. Thank you."),
        "end_skipped": _("Set aside by you: {count}. They come back here."),
        "end_waiting": _("Others hold the last pairs"),
        "end_waiting_text": _("{count} pairs are held by other raters until {time}. What they leave comes to you."),
        "end_looking": _("This page looks again by itself."),
        "end_complete": _("The project is complete"),
        "end_complete_text": _("Every pair has all the votes that it needs. Thank you."),
        "end_set_aside": _("Your judging here is paused"),
        "end_set_aside_text": _(
            "Your lead has paused it for now. What you judged is kept; ask your lead what comes next."
        ),
        "end_closed": _("The project is closed"),
        "end_closed_text": _("Judging has ended here. Your lead knows what comes next."),
    }


def _of_practice() -> dict[str, str]:
    return {
        "practice_title": _("First, some practice"),
        "practice_text": _(
            "{of} pairs whose grade is known. After each you see the reference and the reason for it; take your time."
        ),
        "practice_no_vote": _("Practice never counts as a vote."),
        "practice_first": _("Practice comes first now. What you judged before is kept."),
        "practice_batch": _("Practice set {set}: {done} of {size}"),
        "practice_yours": _("Your answer"),
        "practice_reference": _("Reference"),
        "practice_comparing": _("The reference is on its way…"),
        "practice_same": _("The same grade"),
        "practice_one_higher": _("Yours is one grade higher"),
        "practice_one_lower": _("Yours is one grade lower"),
        "practice_more_higher": _("Yours is {count} grades higher"),
        "practice_more_lower": _("Yours is {count} grades lower"),
        "practice_not_graded": _("Not graded"),
        "practice_next": _("Next"),
        "practice_key": _("Enter or Space goes on"),
        "practice_stands": _("The reference was shown: this answer stands."),
    }


def _of_questions() -> dict[str, str]:
    return {
        "ask": _("Ask"),
        "ask_title": _("Ask your lead"),
        "ask_about": _("What it is about"),
        "ask_query": _("A question about this query"),
        "ask_rubric": _("A question about the rubric"),
        "ask_narrative": _("Propose a narrative"),
        "ask_query_hint": _("What is unclear about what the asker wants?"),
        "ask_rubric_hint": _("What does the rubric leave open?"),
        "ask_narrative_hint": _("What the asker needs, in your words"),
        "ask_clause": _("Which part"),
        "ask_whole_rubric": _("The rubric as a whole"),
        "ask_text": _("Your words"),
        "ask_seen": _("Once answered, all raters can read it, without your name. Do not write which grade you gave."),
        "send": _("Send"),
        "asked": _("Your question goes to your lead."),
        "about_rubric": _("On the rubric:"),
        "one_answer": _("1 answer"),
        "answers": _("{count} answers"),
        "question_waits": _("your question waits for an answer"),
        "questions_wait": _("{count} of your questions wait for an answer"),
        "waits": _("Waits for an answer"),
        "accepted": _("Accepted: it is the query's narrative now."),
        "declined": _("Declined:"),
        "yours": _("Yours"),
        "new": _("new"),
        "no_answers": _("Nothing was asked about this query yet."),
    }


def _of_second() -> dict[str, str]:
    return {
        "yes": _("Yes"),
        "no": _("No"),
        "not_applicable": _("Does not apply"),
        "regrade": _("Another grade"),
        "second_first": _("Answer first, or press Esc for another grade"),
    }


def _of_older() -> dict[str, str]:
    return {
        "keep": _("Keep"),
        "again_older": _("Your judgment under version {version}: {what}. Enter keeps it, another grade changes it."),
        "older_done": _("{done} of {size} looked at"),
        "older_last": _("This is the last one."),
        "end_older": _("All looked at"),
        "end_older_text": _("{count} of your judgments stand under the rubric's version in force now. Thank you."),
    }


def _of_results() -> dict[str, str]:
    return {
        "practice_passed": _("You are in"),
        "practice_failed": _("Not there yet"),
        "practice_kappa": _(
            "Agreement with the reference: {kappa}; {mark} is needed. "
            "(Cohen's kappa with quadratic weights: 1 is full agreement, 0 is what chance gives.)"
        ),
        "practice_undefined": _(
            "Kappa is undefined, as you and the reference gave one and the same grade throughout. "
            "The share of equal grades decides: {share}; {mark} is needed."
        ),
        "practice_nothing": _("There is no agreement to tell: no pair of the set was graded."),
        "practice_too_few": _("Half of the set has to be graded; it was {graded} of {of}."),
        "practice_equal": _("{equal} of {graded} grades are equal; the set has {of} pairs."),
        "boundary": _("Boundary"),
        "same_side": _("Same side"),
        "you_higher": _("You higher"),
        "you_lower": _("You lower"),
        "share_of": _("{count} of {of}"),
        "practice_next_in": _("The pairs to judge come next."),
        "practice_let_in": _("Your lead has let you in. The pairs to judge come next."),
        "practice_next_set": _("Another set comes next. Read the rubric again before it, and the reasons in it."),
        "end_calibration": _("The practice sets are done"),
        "end_calibration_text": _("There is no further set. Your lead sees this and knows what comes next."),
    }
