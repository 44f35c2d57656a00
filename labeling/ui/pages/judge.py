"""The judging card on a project: new pairs, or one's own judgments under an older version of the rubric."""

import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.older_rule import count_older
from labeling.projects import Project
from labeling.rubrics import get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.judging_card import judging_card
from labeling.ui.components.look import judging_look
from labeling.ui.components.messages import draw_messages
from labeling.ui.components.rubric_changes import draw_changes
from labeling.ui.state import card_rubric, csrf, current_actor, current_project, number_in_address
from labeling.ui.texts import _, _n


def draw_older_line(actor: Actor, project: Project, *, walking: bool) -> None:
    """A line above the card: how many judgments were made under an older rule; in the walk, what changed since."""
    with reading() as session:
        counts = count_older(session, actor, project.id)
    if walking:
        draw_changes(project, counts.versions)
    elif counts.waiting and project.state == "open":
        words = _n(
            "The rubric has changed: look at {count} judgment that you made before",
            "The rubric has changed: look at {count} judgments that you made before",
            counts.waiting,
        )
        address = {"project": str(project.id), "older": "1"}
        st.page_link("pages/judge.py", label=words, icon=":material/fact_check:", query_params=address)


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
walking = st.query_params.get("older") == "1"
draw_older_line(actor, project, walking=walking)
judging_card(
    project=project.id,
    account=actor.account_id or 0,
    csrf=csrf(),
    rubric=card_rubric(rubric),
    pair=number_in_address("pair"),
    older=walking,
    key=f"judging_card_{project.id}_{rubric.version}_{walking}",
)
