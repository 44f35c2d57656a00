"""Judgments made elsewhere in the setup: read with choices that are named, shown in numbers, then imported.

Knows what can be chosen; the rules of reading stand in labeling.exchange.
"""

import hashlib
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.collection import read_queries_table
from labeling.database import reading, writing
from labeling.errors import AssayError
from labeling.exchange.judgments import count_labels, ids_of_texts, read_judgments
from labeling.exchange.labels import fold_label
from labeling.exchange.tables import Imported
from labeling.imports import ImportedJudgments, count_stored, import_judgments
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.setup_files import digest, finish, report_of, uploader
from labeling.ui.components.uploads import choose_reading, read_once, show_imported
from labeling.ui.state import attempt, show_fault
from labeling.ui.texts import _, _n

__all__ = ["draw_judgments"]


def draw_judgments(actor: Actor, project: Project) -> None:
    """Judgments made elsewhere: one file with raters, or a file a rater."""
    st.caption(
        _(
            "CSV or JSONL with query_id, doc_id, rater and grade, exports of doccano, Label Studio, Argilla or Quepid, or qrels; without raters, a file is one rater."
        )
    )
    key = f"judgments_{project.id}"
    files = uploader(_("Files of judgments"), key, several=True, kinds=None)
    if not files:
        return
    with reading() as session:
        rubric = get_rubric(session, project.id)
    choices = _choose_rules(key)
    fields = {
        "query_id": _("Query id"),
        "doc_id": _("Document id"),
        "rater": _("Rater"),
        "grade": _("Grade, or the question of the tool"),
    }
    mapping, encoding = choose_reading(files[0], fields, key)
    contents = [(file.name, file.getvalue()) for file in files]
    digests = tuple(digest(file) for file in files)
    words = _list_labels(contents, digests, mapping, encoding)
    if isinstance(words, AssayError):
        show_fault(words)
        return
    choices |= _map_labels(
        words, rubric, f"{key}_{hashlib.sha256(repr((digests, sorted(mapping.items()))).encode()).hexdigest()[:12]}"
    )
    with st.spinner(_("Reading…")):
        found = read_once(
            lambda: _read(contents, project, mapping, encoding, rubric, choices),
            key,
            digests,
            repr(sorted(choices.items(), key=lambda item: item[0])),
            sorted(mapping.items()),
            encoding,
        )
    imported = show_imported(found, columns=["query_id", "doc_id", "rater", "grade", "kind", "comment"])
    if imported is None:
        return
    counted = pd.crosstab(imported.table["rater"], imported.table["grade"].astype("string").fillna("—"))
    st.dataframe(counted.rename(columns=str), width="stretch")
    st.caption(_("Judgments per rater and grade."))
    count = f"{count_stored(imported.table):,}"
    if st.button(_("Import {count} judgments", count=count), type="primary", key=f"{key}_import"):

        def store() -> ImportedJudgments:
            with writing() as session:
                names = [name for name, _content in contents]
                report = {**report_of(imported, *files), "choices": choices}
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
        "queries": (
            _("What names a query"),
            {"id": _("its id"), "text": _("its text (Quepid, OpenSearch)")},
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


def _read(
    contents: list[tuple[str, bytes]],
    project: Project,
    mapping: dict[str, str],
    encoding: str | None,
    rubric: Rubric,
    choices: dict[str, Any],
) -> Imported:
    """The judgments of the files, with queries by their ids where the files name them by their text."""
    options = {name: value for name, value in choices.items() if name != "queries"}
    found = read_judgments(contents, mapping=mapping, grades=rubric.grades, encoding=encoding, **options)
    if choices["queries"] == "id":
        return found
    with reading() as session:
        queries = read_queries_table(session, project.id)
    return replace(found, table=ids_of_texts(found.table, queries))


@st.cache_data(max_entries=8, show_spinner=False)
def _list_labels(
    _contents: list[tuple[str, bytes]],
    digests: tuple[str, ...],  # noqa: ARG001 - stands for the contents, which are not hashed
    mapping: dict[str, str],
    encoding: str | None,
) -> pd.DataFrame | AssayError:
    try:
        return count_labels(_contents, mapping=mapping, encoding=encoding)
    except AssayError as fault:
        return fault


def _map_labels(found: pd.DataFrame, rubric: Rubric, key: str) -> dict[str, Any]:
    """Each label that the files hold, how often, and the grade that it becomes: shown and changed before anything is written."""
    known = {fold_label(level.label): level.grade for level in rubric.levels}
    own = [known.get(fold_label(label), grade) for label, grade in zip(found["label"], found["grade"], strict=True)]
    grades = pd.array([None if grade is pd.NA else grade for grade in own], dtype="Int64")
    st.markdown(_("**What each label becomes**"))
    edited = st.data_editor(
        found.assign(grade=grades),
        hide_index=True,
        disabled=["label", "count"],
        key=f"{key}_labels",
        placeholder=_("choose"),
        column_config={
            "label": st.column_config.TextColumn(_("Label in the files")),
            "count": st.column_config.NumberColumn(_("Times")),
            "grade": st.column_config.SelectboxColumn(_("Grade"), options=list(rubric.grades)),
        },
    )
    mapped = {str(label): None if pd.isna(grade) else int(grade) for label, grade in zip(edited["label"], edited["grade"], strict=True)}  # fmt: skip
    without = sum(grade is None for grade in mapped.values())
    words = {"error": _("stop"), "leave_out": _("leave out")}
    unknown = st.radio(
        _("Labels without a grade"), list(words), format_func=words.__getitem__, horizontal=True, key=f"{key}_unknown"
    )
    if without and unknown == "error":
        st.warning(
            _n(
                "{count} label has no grade: choose one in the table, or leave it out.",
                "{count} labels have no grade: choose them in the table, or leave them out.",
                without,
            )
        )
        st.stop()
    # A number says its own grade: only what differs from that is a choice, and is kept with the import.
    own_grades = dict(zip(found["label"], found["grade"], strict=True))
    changed = {
        label: grade
        for label, grade in mapped.items()
        if (None if pd.isna(own_grades[label]) else int(own_grades[label])) != grade
    }
    return {"labels": changed, "unknown_labels": unknown}
