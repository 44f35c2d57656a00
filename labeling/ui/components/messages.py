"""What leads wrote to the person who looks, until it is dismissed.

Call it on pages where people work; it draws nothing where there is nothing.
"""

import streamlit as st

from labeling import rater_notes
from labeling.accounts import Actor
from labeling.database import reading
from labeling.ui.components.untrusted import plain_label, show_text
from labeling.ui.state import stored
from labeling.ui.texts import _

__all__ = ["draw_messages"]


def draw_messages(actor: Actor, project_id: int | None = None) -> None:
    """Each unread message in a box with a way to dismiss it; those of one project, or of all."""
    with reading() as session:
        messages = rater_notes.list_messages(session, actor, project_id)
    for message in messages:
        with st.container(border=True, key=f"message_{message.id}"):
            who, when = plain_label(message.written_by or _("a lead")), f"{message.written_at:%Y-%m-%d}"
            head = _("{who} wrote to you on {day}", who=who, day=when)
            st.markdown(f":material/mail: **{head}** · {plain_label(message.project)}")
            show_text(message.text)
            if st.button(_("I have read it"), key=f"dismiss_{message.id}"):
                number = message.id
                stored(lambda session: rater_notes.dismiss_message(session, actor, number))  # noqa: B023 - done at once
                st.rerun()
