"""Which votes the page Agreement is about: queries, slices, raters, versions, days, models too.

Knows tables and widgets; what is chosen is a Selection.
"""

from typing import Any

import pandas as pd
import streamlit as st

from labeling.selection import Selection, slice_columns
from labeling.ui.texts import _

__all__ = ["choose_selection", "votes_among"]


def votes_among(judgments: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """The votes that count and, where wanted, the grades of these models."""
    graded = judgments["is_vote"]
    if models:
        production = (judgments["kind"] == "grade") & (judgments["purpose"] == "production")
        graded = graded | (production & judgments["rater"].isin(models))
    columns = ["query_id", "doc_id", "rater", "grade", "rubric_version", "judged_at"]
    return judgments.loc[graded, columns].astype({"grade": "int64"}).reset_index(drop=True)


def choose_selection(votes: pd.DataFrame, queries: pd.DataFrame, key: str) -> tuple[Selection, str]:
    """What is asked for, and what the intervals resample."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ids = sorted(votes["query_id"].unique())
        without = st.multiselect(_("Leave out queries"), ids, placeholder=_("none"), key=f"agreement_without_{key}")
        names = sorted(votes["rater"].unique())
        raters = st.multiselect(
            _("Only these raters"), names, placeholder=_("all of them"), key=f"agreement_raters_{key}"
        )
        with st.popover(_("More choices"), icon=":material/filter_list:"):
            more = _choose_more(votes, queries, ids, key)
        resample = st.segmented_control(
            _("Intervals resample"),
            ["query", "pair"],
            default="query",
            format_func=lambda one: {"query": _("queries"), "pair": _("pairs")}[one],
            key=f"agreement_resample_{key}",
            required=True,
        )
    selection = Selection(without_queries=tuple(without), raters=tuple(raters), **more)
    words = _chosen_words(selection)
    if words:
        st.caption(_("Only: {choices}", choices=words))
    return selection, str(resample)


def _choose_more(votes: pd.DataFrame, queries: pd.DataFrame, ids: list[str], key: str) -> dict[str, Any]:
    only = st.multiselect(_("Only these queries"), ids, placeholder=_("all of them"), key=f"agreement_queries_{key}")
    slices = {}
    for column in slice_columns(queries):
        values = sorted(set(queries[column].fillna("").astype(str)))
        chosen = st.multiselect(
            _("Queries with {column}", column=column),
            values,
            format_func=lambda value: value or _("(empty)"),
            placeholder=_("all of them"),
            key=f"agreement_slice_{column}_{key}",
        )
        if chosen:
            slices[column] = tuple(chosen)
    known = sorted({int(version) for version in votes["rubric_version"].dropna()})
    versions = (
        st.multiselect(
            _("Versions of the rubric"), known, placeholder=_("all of them"), key=f"agreement_versions_{key}"
        )
        if len(known) > 1
        else []
    )
    days = pd.to_datetime(votes["judged_at"], utc=True, errors="coerce").dropna()
    span: dict[str, Any] = {}
    if not days.empty and days.min().date() < days.max().date():
        edges: dict[str, Any] = {"min_value": days.min().date(), "max_value": days.max().date(), "format": "YYYY-MM-DD"}
        span["since"] = st.date_input(_("Judged from (UTC)"), None, key=f"agreement_since_{key}", **edges)
        span["until"] = st.date_input(_("Judged until (UTC)"), None, key=f"agreement_until_{key}", **edges)
    return {"queries": tuple(only), "slices": slices, "versions": tuple(versions), **span}


def _chosen_words(selection: Selection) -> str:
    """What the closed box holds, so that nobody forgets it."""
    empty = _("(empty)")
    parts = [", ".join(selection.queries)]
    parts += [f"{name}: {', '.join(value or empty for value in values)}" for name, values in selection.slices.items()]
    parts.append(", ".join(_("version {number}", number=number) for number in selection.versions))
    parts.append(_("from {day}", day=selection.since) if selection.since else "")
    parts.append(_("until {day}", day=selection.until) if selection.until else "")
    return "; ".join(part for part in parts if part)
