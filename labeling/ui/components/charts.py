"""Charts that several pages draw, each with words for those who cannot see it.

Knows tables only; names from files reach the chart as data, never as a specification.
"""

import altair as alt
import pandas as pd
import streamlit as st

__all__ = ["COLORS", "draw_bars"]

COLORS = ["#0b6e69", "#e07a1f", "#5b5fc7", "#b8336a", "#6b8e23", "#3a86c8", "#8d6e63", "#c9a227"]


def draw_bars(
    table: pd.DataFrame, *, x: str, y: str, x_title: str, y_title: str, color: str | None = None, height: int = 220
) -> None:
    """Bars of y over the categories of x, stacked by color where one is given."""
    encodings: dict[str, object] = {
        "x": alt.X(field=x, type="ordinal", title=x_title, axis=alt.Axis(labelAngle=0)),
        "y": alt.Y(field=y, type="quantitative", title=y_title),
        "tooltip": [alt.Tooltip(field=name, type="nominal") for name in table.columns],
    }
    if color is not None:
        scale = alt.Scale(range=COLORS)
        encodings["color"] = alt.Color(field=color, type="nominal", title=None, scale=scale)
    mark = alt.Chart(table).mark_bar(color=COLORS[0], cornerRadiusTopLeft=2, cornerRadiusTopRight=2)
    st.altair_chart(mark.encode(**encodings).properties(height=height), width="stretch")
