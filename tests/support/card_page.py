"""One page with the judging card and the outbox, for driving them in a browser without a database."""

import streamlit as st

from labeling.ui.components.judging_card import judging_card
from labeling.ui.components.look import judging_look
from labeling.ui.components.outbox import outbox
from labeling.ui.texts import choose_language, current_language
from tests.support.card_pairs import LEVELS

st.set_page_config(page_title="Card", layout="wide")
ask = st.query_params
if ask.get("language"):
    choose_language(ask["language"])
account = ask.get("account", "7")
if ask.get("again"):
    st.button("Again")
if ask.get("dialog"):

    @st.dialog("A dialog")
    def _show() -> None:
        st.text("It hides the card.")

    _show()
outbox(account=account, csrf=ask.get("csrf", "good"))
if not ask.get("elsewhere"):
    levels = [
        {"grade": grade, "label": label, "definition": line, "examples": examples}
        for grade, label, line, examples in LEVELS["ko" if current_language() == "ko" else "en"]
    ]
    judging_look()
    judging_card(
        project=ask.get("project", "plain"),
        account=account,
        csrf=ask.get("csrf", "good"),
        rubric={
            "version": 1,
            "levels": levels,
            "text": "Judge whether the text answers what the asker needs, as the narrative says.",
        },
        older=bool(ask.get("older")),
        pair=int(ask["pair"]) if ask.get("pair") else None,
    )
