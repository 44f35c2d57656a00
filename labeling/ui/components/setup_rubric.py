"""The rubric in the setup: the version in force, and a form for the next one.

Knows no judgment; publishing is the noun's work.
"""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.projects import Project
from labeling.rubrics import TEMPLATES, Level, Rubric, levels_of, list_rubrics, publish_rubric
from labeling.ui.components.rubric_again import draw_again, draw_diff
from labeling.ui.components.untrusted import show_text
from labeling.ui.state import attempt
from labeling.ui.texts import _

__all__ = ["draw", "show_rubric"]


def template_word(name: str) -> str:
    """A rubric template's name in words."""
    return {
        "passages": _("Passages for a question"),
        "products": _("Products for a shopper"),
        "sources": _("Sources for a written answer"),
    }.get(name, name)


def show_rubric(rubric: Rubric) -> None:
    """A rubric as raters read it, as text."""
    show_text(rubric.text)
    table = pd.DataFrame([asdict(level) for level in rubric.levels])
    names = {"grade": _("Grade"), "label": _("Word"), "definition": _("Definition"), "examples": _("Examples")}
    st.dataframe(table.rename(columns=names), hide_index=True, width="stretch", row_height=60)


def draw(actor: Actor, project: Project) -> None:
    """The version in force, earlier ones, and the form for the next."""
    with reading() as session:
        versions = list_rubrics(session, project.id)
    current = versions[0]
    st.caption(
        _(
            "Version {version} is in force. Every judgment names the version it was made under; a new version changes none.",
            version=current.version,
        )
    )
    start = _choose_start(current, project)
    with st.form(f"rubric_{project.id}_{current.version}_{start}"):
        text, levels = _start_of(current, start)
        written = st.text_area(_("What raters read first"), value=text, height=120)
        rows = st.data_editor(
            pd.DataFrame([asdict(level) for level in levels]),
            hide_index=True,
            num_rows="fixed" if project.state != "draft" else "dynamic",
            width="stretch",
            column_config={
                "grade": st.column_config.NumberColumn(_("Grade"), min_value=0, max_value=10, step=1, width="small"),
                "label": st.column_config.TextColumn(_("Word")),
                "definition": st.column_config.TextColumn(_("Definition"), width="large"),
                "examples": st.column_config.TextColumn(_("Examples"), width="large"),
            },
            key=f"levels_{project.id}_{current.version}_{start}",
        )
        note = st.text_input(_("What changed, and why (optional)"))
        if st.form_submit_button(_("Publish as version {version}", version=current.version + 1), type="primary"):
            _publish(actor, project, written, rows, note)
    if len(versions) > 1:
        words = _("What changed from version {before} to {now}", before=versions[1].version, now=current.version)
        with st.expander(words, expanded=True):
            draw_diff(versions[1], current)
        if project.state != "draft":
            with st.container(border=True):
                draw_again(actor, project, current)
        with st.expander(_("Earlier versions")):
            for version in versions[1:]:
                st.markdown(_("**Version {version}**", version=version.version))
                show_text(version.note)
                show_rubric(version)


def _choose_start(current: Rubric, project: Project) -> str:
    """Start from the version in force, or from one of the rubrics that come along."""
    choices = ["current", *TEMPLATES]
    chosen = st.segmented_control(
        _("Start from"),
        choices,
        default="current",
        format_func=lambda name: (
            _("Version {version}", version=current.version) if name == "current" else template_word(name)
        ),
        key=f"rubric_start_{project.id}_{current.version}",
    )
    return chosen or "current"


def _start_of(current: Rubric, start: str) -> tuple[str, tuple[Level, ...]]:
    return (current.text, current.levels) if start == "current" else TEMPLATES[start]


def _publish(actor: Actor, project: Project, text: str, rows: pd.DataFrame, note: str) -> None:
    def publish() -> Rubric:
        levels = levels_of(rows.to_dict("records"))  # type: ignore[arg-type]
        with writing() as session:
            return publish_rubric(session, actor, project.id, text=text, levels=levels, note=note)

    if attempt(publish) is not None:
        st.rerun()
