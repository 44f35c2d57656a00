"""What a lead can do about a rater: each act says first what it changes, in numbers, and can be undone.

Knows the noun functions of rater_notes and calibration.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

import streamlit as st

from labeling import calibration, rater_notes
from labeling.accounts import Actor
from labeling.calibration import RaterCalibration
from labeling.database import reading
from labeling.projects import Project
from labeling.rater_notes import LONGEST_MESSAGE, Effect
from labeling.raters import Rater
from labeling.ui.components.done import keep_done
from labeling.ui.components.rater_charts import draw_heading
from labeling.ui.components.rater_words import note_words, try_words
from labeling.ui.components.untrusted import plain_label, show_text
from labeling.ui.state import attempt_writing
from labeling.ui.texts import _

__all__ = ["draw_acts", "draw_notes"]

_SENT = "rater_messages_sent"  # how many, in this session

Result = TypeVar("Result")


def draw_acts(actor: Actor, project: Project, rater: Rater, calibrated: RaterCalibration | None) -> None:
    """The acts side by side; those that cannot be taken say why."""
    with reading() as session:
        effect = rater_notes.preview_effect(session, actor, project.id, rater.id, now=datetime.now(UTC))
    draw_heading(_("What you can do"))
    with st.container(horizontal=True):
        _draw_message(actor, project, rater)
        _draw_calibration(actor, project, rater, calibrated)
        if calibrated is not None and calibrated.state in {"not_started", "practising", "failed"}:
            _draw_admission(actor, project, rater, calibrated)
        _draw_reassign(actor, project, rater, effect)
        if rater.set_aside:
            _draw_bring_back(actor, project, rater)
        else:
            _draw_set_aside(actor, project, rater, effect)
        if rater.is_model:
            _draw_model_votes(actor, project, rater, effect)


def _act(act: Callable[..., Result], words: Callable[[Result], str]) -> None:
    """Do it in a transaction of its own, keep the words for the next run, and draw the page anew."""
    done = attempt_writing(lambda session: words(act(session)))
    if done is not None:
        keep_done(done)
        st.rerun()


def _draw_message(actor: Actor, project: Project, rater: Rater) -> None:
    lacks_account = rater.account_id is None
    why = _("This rater came with a file and reads nothing here.") if lacks_account else None
    with st.popover(_("Write a message"), icon=":material/mail:", disabled=lacks_account, help=why):
        st.caption(_("They see it above the judging card and among their projects until they say they have read it."))
        box = f"message_{rater.id}_{st.session_state.get(_SENT, 0)}"
        with st.form(box, border=False):
            text = st.text_area(_("Message"), max_chars=LONGEST_MESSAGE, key=f"{box}_text")
            if st.form_submit_button(_("Send"), type="primary"):
                _act(
                    lambda session: rater_notes.send_message(session, actor, project.id, rater.id, text=text),
                    lambda _done: _sent(rater),
                )


def _sent(rater: Rater) -> str:
    """Another box from now on: a second press of the old one sends nothing, and a text that was not sent stays."""
    st.session_state[_SENT] = st.session_state.get(_SENT, 0) + 1
    return _("Sent to {name}.", name=plain_label(rater.name))


def _draw_calibration(actor: Actor, project: Project, rater: Rater, calibrated: RaterCalibration | None) -> None:
    why = None
    if rater.account_id is None:
        why = _("This rater came with a file and reads nothing here.")
    elif not project.calibration:
        why = _("This project asks for no calibration; the settings of the project switch it on.")
    elif calibrated is not None and calibrated.state in {"not_started", "practising"}:
        why = _("They practise already.")
    with st.popover(_("Calibrate again"), icon=":material/school:", disabled=why is not None, help=why):
        st.markdown(_("Before the next pair they practise again. What they have judged stays and counts."))
        text = st.text_input(_("Reason, for the record"), max_chars=200, key=f"calibrate_text_{rater.id}")
        if st.button(_("Ask for calibration"), type="primary", key=f"calibrate_{rater.id}"):
            _act(
                lambda session: calibration.require_calibration_again(session, actor, project.id, rater.id, text=text),
                lambda _done: _("{name} calibrates before the next pair.", name=plain_label(rater.name)),
            )


def _draw_admission(actor: Actor, project: Project, rater: Rater, calibrated: RaterCalibration) -> None:
    with st.popover(_("Let them judge"), icon=":material/how_to_reg:"):
        for each in calibrated.tries:
            st.markdown(f"- {try_words(each, project.pass_mark)}")
        st.markdown(_("They judge from the next pair on, as if they had passed; what they tried stays on record."))
        if st.button(_("Let them in"), type="primary", key=f"admit_{rater.id}"):
            _act(
                lambda session: calibration.admit_rater(session, actor, project.id, rater.id),
                lambda _done: _("{name} can judge.", name=plain_label(rater.name)),
            )


def _draw_reassign(actor: Actor, project: Project, rater: Rater, effect: Effect) -> None:
    why = None if effect.released else _("This rater holds no pair now.")
    with st.popover(_("Give their pairs to others"), icon=":material/move_up:", disabled=why is not None, help=why):
        st.markdown(
            _(
                "They hold **{count}** pairs now. These are free for others at once; a grade that is on its way is kept.",
                count=effect.released,
            )
        )
        if st.button(_("Give away"), type="primary", key=f"reassign_{rater.id}"):
            _act(
                lambda session: rater_notes.reassign_pairs(session, actor, project.id, rater.id),
                lambda done: _("{count} pairs are free for others.", count=done.released),
            )


def _draw_set_aside(actor: Actor, project: Project, rater: Rater, effect: Effect) -> None:
    with st.popover(_("Set aside"), icon=":material/person_off:"):
        st.markdown(
            _(
                "**{votes}** grades stop counting in agreement, rules and qrels. They stay in the ledger, and you can bring them back.",
                votes=f"{effect.votes:,}",
            )
        )
        st.markdown(
            _(
                "**{opened}** pairs will lack votes again, **{promoted}** surplus grades of others take a free place, "
                "**{released}** held pairs become free.",
                opened=f"{effect.opened:,}",
                promoted=f"{effect.promoted:,}",
                released=effect.released,
            )
        )
        text = st.text_input(_("Reason, for the record"), max_chars=200, key=f"set_aside_text_{rater.id}")
        if st.button(_("Set aside now"), type="primary", key=f"set_aside_{rater.id}"):
            _act(
                lambda session: rater_notes.set_aside_rater(session, actor, project.id, rater.id, text=text),
                lambda done: _(
                    "{name} is set aside: {votes} grades no longer count, {opened} pairs are open again.",
                    name=plain_label(rater.name),
                    votes=f"{done.votes:,}",
                    opened=f"{done.opened:,}",
                ),
            )


def _draw_bring_back(actor: Actor, project: Project, rater: Rater) -> None:
    with st.popover(_("Bring back"), icon=":material/person_check:"):
        st.markdown(
            _(
                "Their grades count again wherever the place is still free. Where others have judged the pair since, "
                "the grade stays as surplus."
            )
        )
        if st.button(_("Bring back now"), type="primary", key=f"bring_back_{rater.id}"):
            _act(
                lambda session: rater_notes.bring_back_rater(session, actor, project.id, rater.id),
                lambda done: _(
                    "{name} is back: {votes} grades count, {surplus} found their place taken.",
                    name=plain_label(rater.name),
                    votes=f"{done.votes:,}",
                    surplus=f"{done.surplus:,}",
                ),
            )


def _draw_model_votes(actor: Actor, project: Project, rater: Rater, effect: Effect) -> None:
    label = _("Let its votes no longer count") if rater.casts_vote else _("Let its votes count")
    with st.popover(label, icon=":material/smart_toy:"):
        st.markdown(
            _("**{votes}** grades of this model stop counting as votes.", votes=f"{effect.votes:,}")
            if rater.casts_vote
            else _(
                "**{votes}** grades of this model count as votes: in agreement, in rules, in qrels and toward the overlap.",
                votes=f"{effect.votes:,}",
            )
        )
        if st.button(_("Yes, change it"), type="primary", key=f"model_votes_{rater.id}"):
            _act(
                lambda session: rater_notes.let_rater_vote(
                    session, actor, project.id, rater.id, votes=not rater.casts_vote
                ),
                lambda done: _("{votes} grades changed.", votes=f"{done.votes:,}"),
            )


def draw_notes(actor: Actor, project: Project, rater: Rater) -> None:
    """What was done about the rater before."""
    with reading() as session:
        notes = rater_notes.list_notes(session, actor, project.id, rater.id)
    if not notes:
        return
    with st.expander(_("What was done before ({count})", count=len(notes))):
        for note in notes:
            who = plain_label(note.written_by or _("the command line"))
            words = note_words(note.kind, note.text, is_model=rater.is_model)
            st.markdown(f"{note.written_at:%Y-%m-%d %H:%M} UTC · {who} · {words}")
            if note.kind == "message":
                st.caption(_("read on {day}", day=f"{note.read_at:%Y-%m-%d}") if note.read_at else _("not read yet"))
            if note.text and note.text != "casts_vote":
                show_text(note.text)
