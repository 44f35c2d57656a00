"""Charts about one rater: habits against what is likely right, and the course of time.

Knows tables only.
"""

import altair as alt
import pandas as pd
import streamlit as st

from labeling._coefficients import FloatArray
from labeling.ui.components.charts import COLORS
from labeling.ui.texts import _

__all__ = ["draw_habits", "draw_heading", "draw_trend"]


def draw_heading(words: str) -> None:
    """What the next part of a rater's details is about."""
    st.markdown(f"**{words}**")


def draw_habits(rates: FloatArray, grades: tuple[int, ...]) -> None:
    """How likely each grade is given where each grade is right; the diagonal is being right."""
    table = pd.DataFrame(rates, index=list(grades), columns=list(grades))
    long = table.rename_axis(index="right").reset_index().melt(id_vars="right", var_name="given", value_name="share")
    rows, columns = _("grade that is likely right"), _("grade given")
    base = alt.Chart(long).encode(
        x=alt.X("given:O", title=columns, axis=alt.Axis(labelAngle=0, orient="top")), y=alt.Y("right:O", title=rows)
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color("share:Q", scale=alt.Scale(range=["#eef3f2", "#0b6e69"], domain=[0, 1]), legend=None),
        tooltip=[
            alt.Tooltip("right:O", title=rows),
            alt.Tooltip("given:O", title=columns),
            alt.Tooltip("share:Q", title=_("share"), format=".1%"),
        ],
    )
    numbers = base.mark_text(fontSize=14).encode(
        text=alt.Text("share:Q", format=".0%"),
        color=alt.condition(alt.datum.share > 0.55, alt.value("white"), alt.value("#17211f")),
    )
    st.altair_chart((cells + numbers).properties(height=260), width="stretch")


def draw_trend(trend: pd.DataFrame) -> None:
    """The mean difference to the partners in each tenth of a rater's judgments; 0 is in step with them."""
    titles = {"part": _("part of the judgments, in order"), "difference": _("difference to partners")}
    widest = max(0.5, float(trend["difference"].abs().max()))
    base = alt.Chart(trend).encode(x=alt.X("part:O", title=titles["part"], axis=alt.Axis(labelAngle=0)))
    bars = base.mark_bar(color=COLORS[0], cornerRadius=2).encode(
        y=alt.Y("difference:Q", title=titles["difference"], scale=alt.Scale(domain=[-widest, widest])),
        tooltip=[
            alt.Tooltip("difference:Q", title=titles["difference"], format="+.2f"),
            alt.Tooltip("equal:Q", title=_("equal grades"), format=".0%"),
            alt.Tooltip("n:Q", title=_("pairs")),
            alt.Tooltip("seconds:Q", title=_("seconds"), format=".1f"),
        ],
    )
    zero = alt.Chart(pd.DataFrame({"difference": [0.0]})).mark_rule(color="#7a8583").encode(y="difference:Q")
    st.altair_chart((bars + zero).properties(height=220), width="stretch")
