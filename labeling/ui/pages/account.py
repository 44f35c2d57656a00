"""One's own account: language, password, and the way out."""

import streamlit as st

from labeling import accounts
from labeling.database import reading, writing
from labeling.i18n import LANGUAGES
from labeling.ui.components.sign_out import sign_out_button
from labeling.ui.components.untrusted import show_inline
from labeling.ui.state import current_actor, stored
from labeling.ui.texts import _

actor = current_actor()
st.title(_("Account"), anchor=False)
roles = {"rater": _("rater"), "lead": _("lead"), "admin": _("admin")}
show_inline(actor.name, strong=True)
st.caption(_("Role: {role}", role=roles[actor.role]))

st.subheader(_("Language"), anchor=False)
choices = {"": _("as the browser says"), **LANGUAGES}
language = st.segmented_control(
    _("Language"),
    list(choices),
    default=actor.language or "",
    format_func=choices.__getitem__,
    label_visibility="collapsed",
    required=True,
)
if (language or None) != actor.language:
    with writing() as session:
        accounts.choose_language(session, actor, language or None)
    st.rerun()

st.subheader(_("Password"), anchor=False)
with st.form("password", clear_on_submit=True, width=420):
    old = st.text_input(_("Password now"), type="password", autocomplete="current-password")
    new = st.text_input(_("New password (8 characters or more)"), type="password", autocomplete="new-password")
    pressed = st.form_submit_button(_("Change the password"))
    if pressed and stored(lambda session: accounts.change_own_password(session, actor, old=old, new=new)):
        st.success(_("Changed. Other sign-ins of yours have ended; sign in again."))

st.subheader(_("Sign out"), anchor=False)
sign_out_button(_("Sign out"))
with reading() as session:
    count = accounts.count_sign_ins(session, actor)
st.caption(_("Places where you are signed in: {count}", count=count))
