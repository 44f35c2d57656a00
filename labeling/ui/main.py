"""What runs for every page: the look, who is signed in, which pages their role has, and the page itself.

Knows no content: each page stands in its own file under pages/.
"""

from pathlib import Path

import streamlit as st

from labeling.database import reading
from labeling.questions import count_open_questions
from labeling.ui.components.look import common_look
from labeling.ui.components.outbox import outbox
from labeling.ui.state import csrf, current_actor
from labeling.ui.texts import _

PAGES = Path(__file__).parent / "pages"


def page(name: str, title: str, icon: str, *, default: bool = False) -> st.Page:
    """A page by the name of its file, which is its address too, whatever the language of its title."""
    return st.Page(PAGES / f"{name}.py", title=title, icon=icon, default=default, url_path=None if default else name)


st.set_page_config(page_title="Assay", page_icon="⚖️", layout="wide", initial_sidebar_state="collapsed")
actor = current_actor()
common_look()

pages = {
    "": [
        page("home", _("Projects"), ":material/folder:", default=True),
        page("judge", _("Judge"), ":material/edit_note:"),
        page("history", _("My judgments"), ":material/history:"),
        page("account", _("Account"), ":material/account_circle:"),
    ]
}
if actor.may("lead"):
    with reading() as session:
        waiting = sum(count_open_questions(session, actor).values())
    badge = f" ({waiting:,})" if waiting else ""  # on the menu too: folded, it still says that somebody waits
    pages[_("Labels") + badge] = [
        page("progress", _("Progress"), ":material/monitoring:"),
        page("questions", _("Questions") + badge, ":material/forum:"),
        page("raters", _("Raters"), ":material/groups:"),
        page("agreement", _("Agreement"), ":material/handshake:"),
        page("settle", _("Settle"), ":material/gavel:"),
        page("agenda", _("Agenda"), ":material/format_list_bulleted:"),
    ]
    pages[_("Results")] = [
        page("qrels", _("Qrels"), ":material/output:"),
        page("scores", _("Scores"), ":material/leaderboard:"),
        page("disagreement", _("Disagreement"), ":material/call_split:"),
        page("report", _("Report"), ":material/description:"),
    ]
    pages[_("Manage")] = [
        page("setup", _("Setup"), ":material/tune:"),
        page("people", _("People"), ":material/group:"),
    ]

chosen = st.navigation(pages, position="top")
outbox(account=actor.account_id or 0, csrf=csrf())
chosen.run()
