"""The charts of a report: Vega-Lite specifications from tables, and their pictures as SVG and PNG, without a browser or network.

Knows tables and words that are ready to be shown. Ink is the color of the text around it, so that one SVG serves light and dark.
"""

import json
import re
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

__all__ = ["DARK", "INK", "draw_bars", "draw_intervals", "draw_png", "draw_shares", "draw_svg"]

INK, DARK = "currentColor", "#1b2422"
GREEN, ORANGE = "#2a9187", "#d9730d"
STEPS = ("#bcc7c5", "#8acbc2", "#3fa196", "#167a70", "#0b5d57")
FONT = "Noto Sans CJK KR, Noto Sans KR, Noto Sans, Apple SD Gothic Neo, Malgun Gothic, sans-serif"
_ROW = 22
_ID = re.compile(r'\bid="([^"]+)"')


def draw_bars(table: pd.DataFrame, *, x: str, y: str, x_title: str, y_title: str) -> dict[str, Any]:
    """Bars of y over the categories of x."""
    mark = alt.Chart(table[[x, y]]).mark_bar(color=GREEN)
    chart = mark.encode(
        x=alt.X(field=x, type="ordinal", title=x_title, axis=alt.Axis(labelAngle=0)),
        y=alt.Y(field=y, type="quantitative", title=y_title),
    )
    return _spec(chart.properties(width=560, height=180))


def draw_intervals(
    table: pd.DataFrame, *, name: str, value: str, spans: list[tuple[str, str]], title: str, zero: bool = True
) -> dict[str, Any]:
    """A point a row at its value, and over it its spans: the first thin, the next thick."""
    order = table[name].tolist()
    base = alt.Chart(_rounded(table)).encode(
        y=alt.Y(field=name, type="nominal", title=None, sort=order, axis=alt.Axis(labelLimit=260, labelOverlap=False))
    )
    layers: list[alt.Chart] = []
    for place, (low, high) in enumerate(spans):
        rule = base.mark_rule(color=(GREEN, ORANGE)[place], strokeWidth=(7, 2.5)[place], opacity=(0.45, 1)[place])
        layers.append(
            rule.encode(
                x=alt.X(field=low, type="quantitative", title=title, scale=alt.Scale(zero=zero)), x2=alt.X2(field=high)
            )
        )
    layers.append(
        base.mark_point(filled=True, size=46, opacity=1, color=INK).encode(
            x=alt.X(field=value, type="quantitative", title=title, scale=alt.Scale(zero=zero))
        )
    )
    return _spec(alt.layer(*layers).properties(width=480, height=_ROW * len(order) + 10))


def draw_shares(counts: pd.DataFrame, *, name: str, grades: list[str], title: str) -> dict[str, Any]:
    """A bar a rater with the share of each grade; counts has a row a rater, and a column a grade."""
    long = counts.melt(id_vars=name, value_vars=grades, var_name="grade", value_name="given")
    long["place"] = long["grade"].map({grade: place for place, grade in enumerate(grades)})
    colors = [STEPS[round(place * (len(STEPS) - 1) / max(len(grades) - 1, 1))] for place in range(len(grades))]
    chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X(field="given", type="quantitative", stack="normalize", title=title, axis=alt.Axis(format="%")),
            y=alt.Y(field=name, type="nominal", title=None, sort=counts[name].tolist(), axis=alt.Axis(labelLimit=260)),
            color=alt.Color(
                field="grade", type="nominal", title=None, scale=alt.Scale(domain=grades, range=colors),
                legend=alt.Legend(orient="top", labelLimit=200, columns=4),
            ),
            order=alt.Order(field="place", type="ordinal"),
        )
    )  # fmt: skip
    return _spec(chart.properties(width=480, height=_ROW * len(counts) + 10))


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers cut to what a picture shows: last digits differ from machine to machine."""
    return table.round(6)


def _spec(chart: Any) -> dict[str, Any]:
    ink = {"labelColor": INK, "titleColor": INK, "labelFont": FONT, "titleFont": FONT}
    axis = {
        **ink,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": INK,
        "gridOpacity": 0.15,
        "titleFontWeight": "normal",
    }
    chart = chart.configure(background="transparent", font=FONT, axis=axis, legend=ink, view={"stroke": None})
    return dict(chart.to_dict())


def draw_svg(spec: dict[str, Any], name: str) -> str:
    """The chart as SVG; ids within it carry its name, so that several stand in one page, and the same each time."""
    svg = str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
    for number, found in enumerate(dict.fromkeys(_ID.findall(svg))):
        svg = re.sub(rf'(id="|url\(#|href="#){re.escape(found)}(?=["\)])', rf"\g<1>{name}-{number}", svg)
    return svg


def draw_png(spec: dict[str, Any]) -> bytes:
    """The chart as PNG in dark ink on white, twice as large as the SVG."""
    inked = json.loads(json.dumps(spec).replace(INK, DARK))
    inked["config"]["background"] = "white"
    return bytes(vl_convert.vegalite_to_png(inked, scale=2, allowed_base_urls=[]))
