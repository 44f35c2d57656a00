"""The judging card on a project."""

import streamlit as st

from labeling.database import reading
from labeling.rubrics import get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.judging_card import judging_card
from labeling.ui.components.look import judging_look
from labeling.ui.components.messages import draw_messages
from labeling.ui.state import card_rubric, csrf, current_actor, current_project
from labeling.ui.texts import _

actor = current_actor()
judging_look()
project = current_project(actor)
draw_messages(actor, project.id)
if project.state == "draft":
    empty_state(
        _("This project is not open yet."),
        _("It opens when its pairs are chosen, on the page Setup."),
        icon=":material/hourglass_empty:",
        action=_("Go on with the setup"),
        page="pages/setup.py",
    )
    st.stop()
with reading() as session:
    rubric = get_rubric(session, project.id)
pair = st.query_params.get("pair")
judging_card(
    project=project.id,
    account=actor.account_id or 0,
    csrf=csrf(),
    rubric=card_rubric(rubric),
    pair=int(pair) if pair and pair.isdigit() else None,
    key=f"judging_card_{project.id}_{rubric.version}",
)
