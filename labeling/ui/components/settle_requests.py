"""What a lead can do instead of settling: ask one more rater, or send the pair back to those who voted.

Knows the pair on the screen and its open request, if it has one.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from labeling import pair_requests
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.disputes import DisputedPair
from labeling.errors import AssayError
from labeling.pair_requests import Request
from labeling.projects import Project
from labeling.ui.components.settle_note import note_area
from labeling.ui.components.untrusted import show_text
from labeling.ui.state import show_fault
from labeling.ui.texts import _, _n

__all__ = ["draw_instead", "draw_waiting", "read_requests"]

_TEXT = "settle_back_text"


def read_requests(actor: Actor, project: Project) -> list[Request]:
    """The requests that wait for somebody; those that everybody has answered are written down as over."""
    with reading() as session:
        found = pair_requests.list_requests(session, actor, project.id)
    if any(one.is_answered for one in found):
        with writing() as session:
            pair_requests.close_answered(session, actor, project.id)
    return [one for one in found if not one.is_answered]


def draw_waiting(actor: Actor, project: Project, request: Request) -> None:
    """Whom a pair waits for, and the way to wait no longer."""
    words = {
        "more": _("Waits for one more vote."),
        "discuss": _("Sent back to the raters: {answered} of {asked} have answered.", answered=request.answered, asked=request.asked),
        "rejudge": _("Judged again under the new rubric: {answered} of {asked} have answered.", answered=request.answered, asked=request.asked),
    }  # fmt: skip
    with st.container(border=True):
        st.markdown(words[request.kind])
        if request.text:
            show_text(request.text)
        st.button(
            _("Wait no longer"),
            shortcut="o",
            on_click=_close,
            args=(actor, project.id, request.id),
            key=f"close_request_{request.id}",
        )


def _close(actor: Actor, project_id: int, request_id: int) -> None:
    _try(lambda: _write_close(actor, project_id, request_id))


def _write_close(actor: Actor, project_id: int, request_id: int) -> None:
    with writing() as session:
        pair_requests.close_request(session, actor, project_id, request_id)


def draw_instead(actor: Actor, project: Project, pair: DisputedPair, go_on: Callable[[], None]) -> None:
    """One more rater, or back to those who voted."""
    writing_back = f"settle_back_{pair.pair}"
    with st.container(horizontal=True, gap="small"):
        st.button(
            _("Ask one more rater"),
            shortcut="m",
            icon=":material/person_add:",
            help=_("The pair wants one vote more and leaves this list until it is there."),
            on_click=_ask_more,
            args=(actor, project.id, pair.pair, go_on),
            key=f"more_{pair.pair}_{len(pair.votes)}",
        )
        st.button(
            _("Send back to the raters"),
            shortcut="b",
            icon=":material/forum:",
            on_click=lambda: st.session_state.update({writing_back: not st.session_state.get(writing_back)}),
            key=f"back_{pair.pair}",
        )
    if st.session_state.get(writing_back):
        _draw_words(actor, project, pair, go_on)


def _draw_words(actor: Actor, project: Project, pair: DisputedPair, go_on: Callable[[], None]) -> None:
    area, show = f"{_TEXT}_{pair.pair}", f"settle_back_grades_{pair.pair}"
    with st.container(border=True):
        note_area(
            _("Your words to those who voted; they see them with the comments of the others, without names"),
            area,
            height=90,
        )
        st.toggle(_("Tell them the grades too"), key=show)
        st.button(
            _("Send"),
            shortcut="Ctrl+Enter",
            type="primary",
            on_click=_send_back,
            args=(actor, project.id, pair.pair, [vote.grade for vote in pair.votes], go_on),
            key=f"send_{pair.pair}",
        )


def _ask_more(actor: Actor, project_id: int, pair: int, go_on: Callable[[], None]) -> None:
    def write() -> None:
        with writing() as session:
            pair_requests.ask_for_more(session, actor, project_id, pair)
        go_on()
        st.toast(_("The pair waits for one more vote."))

    _try(write)


def _send_back(actor: Actor, project_id: int, pair: int, grades: Sequence[int], go_on: Callable[[], None]) -> None:
    words = str(st.session_state.get(f"{_TEXT}_{pair}") or "").strip()
    if words and st.session_state.get(f"settle_back_grades_{pair}"):
        words += "\n\n" + _("The grades so far: {grades}.", grades=", ".join(map(str, sorted(grades))))

    def write() -> None:
        with writing() as session:
            number = pair_requests.ask_for_discussion(session, actor, project_id, pair, text=words)
        st.session_state[f"settle_back_{pair}"] = False
        go_on()
        st.toast(
            _n("{count} rater sees it among their judgments.", "{count} raters see it among their judgments.", number)
        )

    _try(write)


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except AssayError as fault:
        show_fault(fault)
