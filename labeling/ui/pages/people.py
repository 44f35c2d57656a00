"""Accounts: who may do what, and links that let people in."""

import pandas as pd
import streamlit as st

from labeling import accounts
from labeling.accounts import Actor
from labeling.database import AnyRow, reading
from labeling.settings import public_address
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import attempt_writing, require, stored
from labeling.ui.texts import _


def role_word(role: str) -> str:
    """A role in the reader's language."""
    return {"rater": _("rater"), "lead": _("lead"), "admin": _("admin")}[role]


def draw_invitation(actor: Actor) -> None:
    """A link for somebody new; it is shown once."""
    st.subheader(_("Let somebody in"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        roles = [role for role in accounts.ROLES if role == "rater" or actor.may("admin")]
        role = st.segmented_control(_("Role"), roles, default="rater", format_func=role_word, key="invite_role")
        if st.button(_("Make a link"), type="primary"):
            token = attempt_writing(lambda session: accounts.invite(session, actor, role=role or "rater"))
            if token is not None:
                show_link(token)


def show_link(token: str) -> None:
    """The link, to be sent to one person."""
    st.code(f"{public_address()}/welcome?token={token}", language=None, wrap_lines=True)
    st.caption(_("Send this link to one person. It works once, within 7 days, and is not shown again."))


def draw_change(actor: Actor, rows: list[AnyRow]) -> None:
    """An admin changes a role, lets an account in or out, or makes a link for a new password."""
    st.subheader(_("Change an account"), anchor=False)
    by_id = {row.id: row for row in rows}
    chosen = st.selectbox(_("Account"), list(by_id), format_func=lambda number: by_id[number].name)
    row = by_id[chosen]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        role = st.segmented_control(
            _("Role"), accounts.ROLES, default=row.role, format_func=role_word, key=f"role_{row.id}_{row.role}"
        )
        if st.button(_("Save the role"), disabled=role in (None, row.role)):
            change(actor, row.id, role=role)
        if st.button(_("Shut out") if row.active else _("Let in again")):
            change(actor, row.id, active=not row.active)
        if st.button(_("Link for a new password")):
            token = attempt_writing(lambda session: accounts.invite(session, actor, role=row.role, account_id=row.id))
            if token is not None:
                show_link(token)
    st.caption(_("A change ends the sign-ins of {name}.", name=plain_label(row.name)))


def change(actor: Actor, account_id: int, *, role: str | None = None, active: bool | None = None) -> None:
    """Change an account; all of it, or nothing with the reason."""
    if stored(lambda session: accounts.change_account(session, actor, account_id, role=role, active=active)):
        st.rerun()


actor = require("lead")
st.title(_("People"), anchor=False)
with reading() as session:
    rows = accounts.list_accounts(session, actor)
table = pd.DataFrame(
    [
        {
            _("Name"): row.name,
            _("Role"): role_word(row.role),
            _("May sign in"): bool(row.active and row.has_password),
            _("Since"): row.created_at.date(),
        }
        for row in rows
    ]
)
st.dataframe(table, hide_index=True, width="stretch")
draw_invitation(actor)
if actor.may("admin"):
    draw_change(actor, rows)
