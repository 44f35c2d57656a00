"""Judgments made elsewhere in the setup: read with choices that are named, shown in numbers, then imported.

Knows what can be chosen; the rules of reading stand in labeling.exchange.
"""

from typing import Any

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.exchange.judgments import read_judgments
from labeling.imports import ImportedJudgments, import_judgments
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.setup_files import digest, finish, report_of, uploader
from labeling.ui.components.uploads import choose_reading, read_once, show_imported
from labeling.ui.state import attempt
from labeling.ui.texts import _

__all__ = ["draw_judgments"]


def draw_judgments(actor: Actor, project: Project) -> None:
    """Judgments made elsewhere: one file with raters, or a file a rater."""
    st.caption(
        _(
            "CSV or JSONL with query_id, doc_id, rater and grade, doccano JSONL, or qrels; without raters, a file is one rater."
        )
    )
    key = f"judgments_{project.id}"
    files = uploader(_("Files of judgments"), key, several=True, kinds=None)
    if not files:
        return
    with reading() as session:
        rubric = get_rubric(session, project.id)
    choices = _choose_rules(key) | _choose_words(rubric, key)
    fields = {"query_id": _("Query id"), "doc_id": _("Document id"), "rater": _("Rater"), "grade": _("Grade")}
    mapping, encoding = choose_reading(files[0], fields, key)
    contents = [(file.name, file.getvalue()) for file in files]
    digests = [digest(file) for file in files]
    with st.spinner(_("Reading…")):
        found = read_once(
            lambda: read_judgments(contents, mapping=mapping, grades=rubric.grades, encoding=encoding, **choices),
            key,
            digests,
            sorted(choices.items()),
            sorted(mapping.items()),
            encoding,
        )
    imported = show_imported(found, columns=["query_id", "doc_id", "rater", "grade", "kind", "comment"])
    if imported is None:
        return
    counted = pd.crosstab(imported.table["rater"], imported.table["grade"].astype("string").fillna("—"))
    st.dataframe(counted.rename(columns=str), width="stretch")
    st.caption(_("Judgments per rater and grade."))
    if st.button(_("Import {count} judgments", count=f"{len(imported.table):,}"), type="primary", key=f"{key}_import"):

        def store() -> ImportedJudgments:
            with writing() as session:
                names = [name for name, _content in contents]
                report = {**report_of(imported), "choices": choices}
                return import_judgments(session, actor, project.id, imported.table, files=names, report=report)

        done = attempt(store)
        if done is not None:
            finish(key, _judgments_words(done))


def _judgments_words(done: ImportedJudgments) -> str:
    words = _(
        "Imported {count} judgments of {raters} raters on {pairs} pairs, {new} of them new.",
        count=f"{done.judgments:,}",
        raters=len(done.raters),
        pairs=f"{done.pairs:,}",
        new=f"{done.new_pairs:,}",
    )
    absent = len(done.documents_without_text) + len(done.queries_without_text)
    if absent:
        words += " " + _(
            "{queries} queries and {documents} documents have no text here: their pairs count, and are not handed out.",
            queries=f"{len(done.queries_without_text):,}",
            documents=f"{len(done.documents_without_text):,}",
        )
    return words


def _choose_rules(key: str) -> dict[str, Any]:
    """What to do with rows that cannot all count; nothing is chosen in silence."""
    words: dict[str, tuple[str, dict[str, str]]] = {
        "repeats": (
            _("The same rater judged a pair twice"),
            {"newest": _("the newest counts"), "first": _("the first counts"), "error": _("stop")},
        ),
        "double_labels": (
            _("Two labels at once"),
            {"leave_out": _("leave out"), "lower": _("the lower"), "higher": _("the higher")},
        ),
        "narrative": (
            _("Judged under several narratives"),
            {"all": _("all rows"), "first": _("the first narrative"), "last": _("the last narrative")},
        ),
        "look_alikes": (
            _("Rater names that look alike"),
            {"keep": _("different raters"), "merge": _("one rater")},
        ),
        "out_of_scale": (
            _("A grade outside the scale"),
            {"error": _("stop"), "leave_out": _("leave out"), "clip": _("the nearest grade")},
        ),
    }
    chosen: dict[str, Any] = {}
    for place, (name, (label, options)) in zip(st.columns(len(words)), words.items(), strict=True):
        chosen[name] = place.selectbox(label, list(options), format_func=options.__getitem__, key=f"{key}_{name}")
    return chosen


def _choose_words(rubric: Rubric, key: str) -> dict[str, Any]:
    """What grade a word label means: the rubric's own words to begin with, others as a person adds them."""
    with st.expander(
        _("Words for grades: for files that say Exact or Partial in place of a number"), icon=":material/translate:"
    ):
        table = pd.DataFrame({"word": [level.label for level in rubric.levels], "grade": list(rubric.grades)})
        edited = st.data_editor(
            table,
            num_rows="dynamic",
            hide_index=True,
            key=f"{key}_words",
            column_config={
                "word": st.column_config.TextColumn(_("Word in the file")),
                "grade": st.column_config.NumberColumn(
                    _("Grade"), min_value=rubric.grades[0], max_value=rubric.grades[-1], step=1
                ),
            },
        )
    known = edited.dropna()
    return {"labels": {str(word): int(grade) for word, grade in zip(known["word"], known["grade"], strict=True)}}
