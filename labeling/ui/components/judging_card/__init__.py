"""The judging card: pairs in, acts out, over POST /api/judge. Front end beside this file.

Streamlit carries only what is small and rarely changes: who judges, the rubric, the words. Pairs and acts never pass through it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import streamlit as st

from labeling.ui.components.front_end import api_address, join_scripts, read_text
from labeling.ui.components.judging_card.labels import card_keys, card_labels, card_reasons
from labeling.ui.texts import current_language

__all__ = ["CardRubric", "Level", "card_keys", "card_labels", "card_reasons", "judging_card"]


class Level(TypedDict):
    """One grade of the scale, as the rubric words it."""

    grade: int
    label: str
    definition: str
    examples: str


class CardRubric(TypedDict):
    """The rubric's version that judgments on this card are made under; levels in the order they are shown."""

    version: int
    levels: Sequence[Level]
    text: NotRequired[str]


_PARTS = ("markdown", "terms", "keys", "commands", "timer", "window", "document", "view", "desk",
          "practice", "folds", "second", "asking", "answers", "older", "card")  # fmt: skip
_SCRIPTS = (
    "base.js",
    "outbox.js",
    *(f"judging_card/{name}.js" for name in _PARTS),
)

_card = st.components.v2.component(
    "assay_judging_card",
    html=read_text("judging_card/card.html"),
    css=read_text("judging_card/card.css"),
    js=join_scripts(*_SCRIPTS),
)


def judging_card(
    *,
    project: int | str,
    account: int | str,
    csrf: str,
    rubric: CardRubric,
    labels: Mapping[str, str] | None = None,
    pair: int | str | None = None,
    older: bool = False,
    key: str = "judging_card",
) -> None:
    """Draw the card; from then on it talks to the server by itself, without a run of the page.

    Parameters
    ----------
    project, account : id
        Whose acts these are; acts that wait for the server are kept in the browser under both.
    csrf : str
        Sent as the header X-CSRF with every request.
    rubric : CardRubric
        What the grade buttons and their keys are made of.
    labels : mapping, optional
        Other words than those of `card_labels`, by the same names.
    pair : id, optional
        A pair of the rater's own to judge again, put on top.
    older : bool
        Walk through the rater's own judgments under an older version of the rubric in place of new pairs.
    """
    data: dict[str, Any] = {
        "project": project,
        "account": str(account),
        "csrf": csrf,
        "rubric": {
            "version": rubric["version"],
            "text": rubric.get("text", ""),
            "levels": [dict(level) for level in rubric["levels"]],
        },
        "labels": {**card_labels(), **(labels or {})},
        "reasons": card_reasons(),
        "keys": card_keys(rubric["levels"], older=older),
        "language": current_language(),
        "api": api_address(),
        "sign_in": api_address("/sign-in"),
        "pair": pair,
        "older": older,
    }
    _card(key=key, data=data)
