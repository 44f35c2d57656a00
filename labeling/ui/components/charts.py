"""Charts that several pages draw, each with words for those who cannot see it.

Knows tables only; names from files reach the chart as data, never as a specification.
"""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from labeling.ui.components.untrusted import as_html

__all__ = ["COLORS", "draw_ahead", "draw_bars", "draw_score_bars", "draw_shares", "draw_spread", "pick_cell"]

COLORS = ["#0b6e69", "#e07a1f", "#5b5fc7", "#b8336a", "#6b8e23", "#3a86c8", "#8d6e63", "#c9a227"]

ROW, AXIS = 26, 64  # pixels of a row, and of the axis with its title


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


def _melt(table: pd.DataFrame, rows: str, columns: str, values: str) -> pd.DataFrame:
    """A table of numbers as one row a cell, so that a chart can draw it."""
    return table.rename_axis(index=rows).reset_index().melt(id_vars=rows, var_name=columns, value_name=values)


def draw_shares(counts: pd.DataFrame, *, grade_words: dict[int, str], height_each: int = 28) -> None:
    """A bar a rater: the share of each grade, darker for higher grades; counts has raters as index, grades as columns."""
    long = _melt(counts, "rater", "grade", "votes")
    long["share"] = long["votes"] / long.groupby("rater")["votes"].transform("sum")
    long["word"] = [f"{grade} · {grade_words.get(int(grade), '')}" for grade in long["grade"]]
    steps = ["#bcc7c5", "#8acbc2", "#3fa196", "#167a70", "#0b5d57"]
    domain = [f"{grade} · {grade_words.get(int(grade), '')}" for grade in counts.columns]
    shades = _spread(steps, len(domain))
    _draw_legend(dict(zip(domain, shades, strict=True)))
    colors = alt.Scale(domain=domain, range=shades)
    chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X("share:Q", axis=alt.Axis(format="%"), title=None, scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("rater:N", title=None, sort=list(counts.index), axis=alt.Axis(labelOverlap=False, labelLimit=200)),
            color=alt.Color("word:N", scale=colors, legend=None),
            order=alt.Order("grade:O"),
            tooltip=[
                alt.Tooltip("rater:N"),
                alt.Tooltip("word:N"),
                alt.Tooltip("votes:Q"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .properties(height=height_each * len(counts) + 40)
    )
    st.altair_chart(chart, width="stretch")


def _draw_legend(colors: dict[str, str]) -> None:
    """What the colors mean, in as many lines as a narrow screen needs; a chart's own legend would be cut off there."""
    box = "display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px;background:"
    words = "".join(f'<span><i style="{box}{color}"></i>{as_html(word)}</span>' for word, color in colors.items())
    st.html(f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.875rem">{words}</div>')


def _spread(colors: list[str], count: int) -> list[str]:
    """As many colors as there are grades, from the lightest to the darkest."""
    if count <= 1:
        return colors[:1]
    return [colors[round(number * (len(colors) - 1) / (count - 1))] for number in range(count)]


def pick_cell(matrix: pd.DataFrame, *, rows: str, columns: str, key: str) -> tuple[int, int] | None:
    """A confusion matrix; the cell that a person clicked, as (row's grade, column's grade), or None."""
    long = _melt(matrix, "row", "column", "pairs")
    long["equal"] = long["row"] == long["column"]
    picked = alt.selection_point(name="cell", fields=["row", "column"], on="click", empty=False)
    base = alt.Chart(long).encode(
        x=alt.X("column:O", title=columns, axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("row:O", title=rows),
    )
    cells = base.mark_rect(cursor="pointer").encode(
        color=alt.Color("pairs:Q", scale=alt.Scale(range=["#eef3f2", "#0b6e69"]), legend=None),
        stroke=alt.condition(picked, alt.value("#e07a1f"), alt.value("white")),
        strokeWidth=alt.condition(picked, alt.value(4), alt.value(1)),
        tooltip=[alt.Tooltip("row:O", title=rows), alt.Tooltip("column:O", title=columns), alt.Tooltip("pairs:Q")],
    )
    dark = alt.datum.pairs > float(long["pairs"].max()) * 0.55
    numbers = base.mark_text(fontSize=15).encode(
        text="pairs:Q", color=alt.condition(dark, alt.value("white"), alt.value("#17211f"))
    )
    chart = (cells.add_params(picked) + numbers).properties(height=280)
    event = st.altair_chart(chart, width="stretch", on_select="rerun", selection_mode="cell", key=key)
    chosen = event.selection.get("cell") if event else None
    return (int(chosen[0]["row"]), int(chosen[0]["column"])) if chosen else None


def draw_score_bars(table: pd.DataFrame, *, value: str, title: str) -> None:
    """A bar a run, best first; the axis starts at 0 so that lengths can be compared."""
    ordered = table.sort_values(value, ascending=False)
    chart = (
        alt.Chart(ordered)
        .mark_bar(color=COLORS[0], cornerRadiusEnd=2)
        .encode(
            x=alt.X(f"{value}:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(orient="top", tickCount=8)),
            y=alt.Y("run:N", title=None, sort=list(ordered["run"]), axis=alt.Axis(labelLimit=260, labelOverlap=False)),
            tooltip=[alt.Tooltip("run:N"), alt.Tooltip(f"{value}:Q", format=".4f")],
        )
    )
    _draw_rows(chart, len(ordered))


def _draw_rows(chart: alt.Chart | alt.LayerChart, rows: int) -> None:
    """A chart with a row a run; a long one scrolls, with its axis on top."""
    height = ROW * rows + AXIS
    with st.container(height=min(height + 30, 640), border=False):
        st.altair_chart(chart.properties(height=height), width="stretch")


def draw_spread(systems: pd.DataFrame, *, title: str) -> None:
    """A bar a system at its mean, and over it the spread from its worst to its best set of qrels."""
    ordered = systems.sort_values("mean", ascending=False)
    runs = list(ordered["run"])
    tips = [alt.Tooltip("run:N"), *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "min", "max"))]
    base = alt.Chart(ordered).encode(
        y=alt.Y("run:N", title=None, sort=runs, axis=alt.Axis(labelLimit=260, labelOverlap=False))
    )
    bars = base.mark_bar(color="#2a9187", opacity=0.45, cornerRadiusEnd=2).encode(
        x=alt.X("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(orient="top", tickCount=8)),
        tooltip=tips,
    )
    lines = base.mark_rule(color="#e07a1f", strokeWidth=3).encode(x=alt.X("min:Q"), x2="max:Q", tooltip=tips)
    points = base.mark_point(color="#e07a1f", filled=True, size=60, opacity=1).encode(x="mean:Q", tooltip=tips)
    _draw_rows(bars + lines + points, len(runs))


def draw_ahead(difference: NDArray[np.float64], *, label: str) -> None:
    """The difference of two systems in every set of qrels, sorted; above 0 the first is ahead."""
    table = pd.DataFrame({"place": np.arange(1, len(difference) + 1), "difference": np.sort(difference)})
    table["ahead"] = table["difference"] > 0
    colors = alt.condition(alt.datum.ahead, alt.value("#0b6e69"), alt.value("#e07a1f"))
    mark = alt.Chart(table).mark_bar() if len(table) <= 200 else alt.Chart(table).mark_area()
    encoded = mark.encode(
        x=alt.X("place:Q" if len(table) > 200 else "place:O", title=None, axis=None),
        y=alt.Y("difference:Q", title=label),
        tooltip=[alt.Tooltip("difference:Q", format="+.4f")],
    )
    st.altair_chart(
        (encoded.encode(color=colors) if len(table) <= 200 else encoded).properties(height=200), width="stretch"
    )
