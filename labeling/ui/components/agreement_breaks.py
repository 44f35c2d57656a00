"""Where agreement breaks, one cut at a time: a chart, a table, and the pairs of the worst query.

Knows tables from labeling.breakdown; no database.
"""

from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from labeling import breakdown
from labeling.agreement import Resample
from labeling.projects import Project
from labeling.rubrics import Rubric
from labeling.selection import slice_columns
from labeling.ui.components.agreement_words import undefined_words
from labeling.ui.components.charts import COLORS
from labeling.ui.components.tables import choose_row
from labeling.ui.texts import _

__all__ = ["draw_breaks", "draw_pair_link"]


@st.cache_data(max_entries=64, show_spinner=False)
def _table(
    votes: pd.DataFrame, cut: str, grades: tuple[int, ...], resample: Resample, labels: tuple[object, ...]
) -> pd.DataFrame:
    if cut == "boundary":
        return breakdown.by_boundary(votes, grades, resample=resample)
    if cut == "grade":
        return breakdown.by_grade(votes, grades)
    if cut == "query":
        return breakdown.by_query(votes, grades)
    if cut in ("day", "tenth"):
        return breakdown.by_time(votes, grades, step=cut, resample=resample)  # type: ignore[arg-type]
    groups = votes["rubric_version"] if cut == "version" else pd.Series(labels, index=votes.index, dtype=object)
    return breakdown.by_group(votes, groups, grades, resample=resample)


def cut_words(cut: str) -> str:
    """A way of cutting the votes."""
    words = {
        "boundary": _("Boundaries"),
        "grade": _("Grades"),
        "query": _("Queries"),
        "version": _("Rubric versions"),
        "day": _("Days"),
        "tenth": _("Tenths of the pairs"),
    }
    return words.get(cut, cut.removeprefix("slice:"))


def draw_breaks(
    votes: pd.DataFrame, queries: pd.DataFrame, rubric: Rubric, project: Project, resample: Resample
) -> None:
    """One cut of the votes, chosen by the reader."""
    st.subheader(_("Where it breaks"), anchor=False)
    cuts = ["boundary", "grade", "query", "version", "day", "tenth"]
    cuts += [f"slice:{name}" for name in slice_columns(queries)]
    cut = st.segmented_control(
        _("Cut by"), cuts, default="boundary", format_func=cut_words, key=f"break_{project.id}", required=True
    )
    labels: tuple[object, ...] = ()
    if str(cut).startswith("slice:"):
        named = dict(zip(queries["query_id"], queries[str(cut).removeprefix("slice:")], strict=True))
        labels = tuple(str(named.get(query) or _("(empty)")) for query in votes["query_id"])
    table = _table(votes, str(cut), rubric.grades, resample, labels)
    if table.empty:
        st.caption(_("The votes do not say this."))
    elif cut == "grade":
        _draw_grades(table, rubric)
    elif cut == "query":
        _draw_queries(table, votes, queries, project)
    else:
        _draw_parts(table, str(cut), rubric)


def _draw_parts(table: pd.DataFrame, cut: str, rubric: Rubric) -> None:
    words = {level.grade: level.label for level in rubric.levels}
    shown = table.astype({"part": str})
    if cut == "boundary":
        st.caption(
            _(
                "Each boundary by itself: do raters agree on which side a pair lies? The lowest is the clause to rewrite."
            )
        )
        names = {
            f"{low}|{high}": f"{low} | {high} {words.get(high, '')}"
            for low, high in zip(rubric.grades, rubric.grades[1:], strict=False)
        }
        shown["part"] = shown["part"].map(names)
    elif cut in ("day", "tenth"):
        st.caption(
            _(
                "A pair belongs to the moment of its last vote; a vote from a file without moments to that of its import."
            )
        )
    _draw_intervals(
        shown, "alpha", _("Krippendorff's alpha, nominal") if cut == "boundary" else _("Krippendorff's alpha, ordinal")
    )
    columns = {
        "part": cut_words(cut),
        "votes": _("Votes"),
        "pairs": _("Pairs"),
        "equal": _("Equal"),
        "alpha": _("Alpha"),
        "alpha_low": _("Low"),
        "alpha_high": _("High"),
        **({"kappa": _("Kappa"), "ac1": _("Gwet's AC1")} if cut == "boundary" else {}),
        "undefined": _("Undefined because"),
    }
    _draw_table(shown, columns)


def _draw_grades(table: pd.DataFrame, rubric: Rubric) -> None:
    words = {level.grade: level.label for level in rubric.levels}
    st.caption(_("Where one vote gives a grade, how often another vote on the same pair gives it too."))
    shown = table.assign(part=[f"{grade} {words.get(grade, '')}" for grade in table["grade"]])
    shown = shown.rename(columns={"low": "agreement_low", "high": "agreement_high"})
    _draw_intervals(shown, "agreement", _("specific agreement"))
    columns = {
        "part": _("Grade"),
        "votes": _("Votes"),
        "agreement": _("Agreement"),
        "agreement_low": _("Low"),
        "agreement_high": _("High"),
        "undefined": _("Undefined because"),
    }
    _draw_table(shown, columns)


def _draw_queries(table: pd.DataFrame, votes: pd.DataFrame, queries: pd.DataFrame, project: Project) -> None:
    st.caption(_("The fewest equal grades first. Choose a query to see its pairs."))
    texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    shown = table.assign(text=table["query_id"].map(texts))
    columns = {
        "query_id": _("Query id"),
        "text": _("Text"),
        "pairs": _("Pairs"),
        "equal": _("Equal"),
        "distance": _("Distance"),
        "alpha": _("Alpha"),
        "undefined": _("Undefined because"),
    }
    worded = _worded(shown, columns)
    chosen = choose_row(worded, f"worst_queries_{project.id}", columns=_formats(columns), height=320)
    if chosen is not None:
        _draw_pairs(str(table["query_id"].iloc[chosen]), votes, project)


def _draw_pairs(query_id: str, votes: pd.DataFrame, project: Project) -> None:
    """The pairs of a query with two votes or more, the widest apart first; one can be opened."""
    wide = (
        votes[votes["query_id"] == query_id]
        .pivot_table(index="doc_id", columns="rater", values="grade")
        .astype("Int64")
    )
    wide = wide[wide.notna().sum(axis=1) >= 2].dropna(axis=1, how="all")
    apart = (wide.max(axis=1) - wide.min(axis=1)).rename(_("Apart"))
    shown = (
        pd.concat([apart, wide], axis=1)
        .sort_values(_("Apart"), ascending=False, kind="stable")
        .reset_index(names="doc_id")
    )
    chosen = choose_row(shown, f"pairs_{project.id}_{query_id}", height=320, placeholder="")
    draw_pair_link(project, query_id, None if chosen is None else str(shown["doc_id"].iloc[chosen]))


def draw_pair_link(project: Project, query_id: str, doc_id: str | None) -> None:
    """The way to a pair's text and votes."""
    if doc_id is None:
        st.caption(_("Choose a row to read the pair."))
        return
    st.page_link(
        "pages/settle.py",
        label=_("Read this pair"),
        icon=":material/arrow_forward:",
        query_params={"project": str(project.id), "query": query_id, "doc": doc_id},
    )


def _draw_intervals(table: pd.DataFrame, value: str, title: str) -> None:
    """A point and its interval for each part, in the order of the table."""
    data = table[["part", value, f"{value}_low", f"{value}_high"]].dropna(subset=[value])
    if data.empty:
        return
    parts = list(data["part"])
    base = alt.Chart(data).encode(
        y=alt.Y("part:N", sort=parts, title=None, axis=alt.Axis(labelOverlap=False, labelLimit=220)),
        tooltip=[alt.Tooltip("part:N"), *(alt.Tooltip(f"{name}:Q", format=".3f") for name in data.columns[1:])],
    )
    rules = base.mark_rule(color=COLORS[1], strokeWidth=3).encode(
        x=alt.X(f"{value}_low:Q", title=title, axis=alt.Axis(tickCount=8)), x2=f"{value}_high:Q"
    )
    points = base.mark_point(color=COLORS[0], filled=True, size=80, opacity=1).encode(
        x=alt.X(f"{value}:Q", title=title)
    )
    st.altair_chart((rules + points).properties(height=alt.Step(30)), width="stretch")


def _draw_table(table: pd.DataFrame, columns: dict[str, str]) -> None:
    st.dataframe(_worded(table, columns), hide_index=True, width="stretch", column_config=_formats(columns))


def _worded(table: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    reasons = [undefined_words(reason) if isinstance(reason, str) else "" for reason in table["undefined"]]
    return table.assign(undefined=reasons)[list(columns)].rename(columns=columns)


def _formats(columns: dict[str, str]) -> dict[str, Any]:
    number, share = st.column_config.NumberColumn(format="%.3f"), st.column_config.NumberColumn(format="percent")
    kinds = {"equal": share, "agreement": share, "agreement_low": share, "agreement_high": share}
    kinds |= dict.fromkeys(("alpha", "alpha_low", "alpha_high", "kappa", "ac1", "distance"), number)
    return {columns[name]: kind for name, kind in kinds.items() if name in columns}
