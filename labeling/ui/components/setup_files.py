"""Files in the setup: queries, documents and runs.

Knows which reader reads what; the rules of reading stand in labeling.exchange and metrics.trec.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from labeling import collection
from labeling.accounts import Actor
from labeling.collection import Stored, read_documents_table, read_queries_table
from labeling.database import reading, writing
from labeling.errors import AssayError
from labeling.exchange.documents import read_documents
from labeling.exchange.queries import read_queries
from labeling.exchange.tables import Imported
from labeling.projects import Counts, Project
from labeling.twins import refresh_twins
from labeling.ui.components.setup_twins import say_twins
from labeling.ui.components.uploads import choose_reading, read_once, show_imported
from labeling.ui.state import attempt, show_fault
from labeling.ui.texts import _, _n
from metrics import read_run

__all__ = ["digest", "draw_documents", "draw_queries", "draw_runs", "finish", "report_of", "uploader"]

TABLES = ["csv", "tsv", "txt", "jsonl", "ndjson", "json", "gz"]
DONE = "assay_setup_done"


def report_of(found: Imported, *files: UploadedFile) -> dict[str, Any]:
    """What a reader counted, to be kept with the import, and the hashes of the files."""
    return {
        "sha256": collection.hashes_of([(file.name, file.getvalue()) for file in files]),
        "rows_read": found.rows_read,
        "kept": len(found.table),
        "left_out": {left.reason: left.count for left in found.left_out},
        "remarks": [remark.text for remark in found.remarks],
    }


def import_words(rows: int) -> str:
    """What the button that imports says."""
    return _n("Import {count} row", "Import {number} rows", rows, number=f"{rows:,}")


def digest(file: UploadedFile) -> str:
    """The hash of a file's content, which tells whether it was read before."""
    return hashlib.sha256(file.getvalue()).hexdigest()


def finish(key: str, message: str) -> None:
    """Say what was done after the page has run again and the uploader is empty."""
    st.session_state[DONE] = (key, message)
    st.session_state["assay_upload_round"] = st.session_state.get("assay_upload_round", 0) + 1
    st.rerun()


def uploader(
    label: str, key: str, *, several: bool = False, kinds: Sequence[str] | None = TABLES
) -> list[UploadedFile]:
    """A place for files, and above it what became of the last ones."""
    done = st.session_state.get(DONE)
    if done and done[0] == key:
        st.success(done[1], icon=":material/check_circle:")
        del st.session_state[DONE]
    files: Any = st.file_uploader(
        label,
        type=list(kinds) if kinds else None,
        accept_multiple_files=several,
        key=f"{key}_{st.session_state.get('assay_upload_round', 0)}",
    )
    return list(files) if several else [files] if files else []


def _stored_words(stored: Stored) -> str:
    return _(
        "Imported: {added} new, {changed} changed, {unchanged} there already.",
        added=f"{stored.added:,}",
        changed=f"{stored.changed:,}",
        unchanged=f"{stored.unchanged:,}",
    )


def _draw_table_file(
    project: Project,
    *,
    key: str,
    label: str,
    fields: dict[str, str],
    read: Callable[[bytes, str, dict[str, str], str | None], Imported],
    store: Callable[[UploadedFile, Imported, bool], Stored],
) -> None:
    """One file of queries or documents: choose, look, import."""
    key = f"{key}_{project.id}"
    for file in uploader(label, key):
        reading_as = choose_reading(file, fields, key)
        with st.spinner(_("Reading…")):
            found = read_once(lambda: read(file.getvalue(), file.name, *reading_as), key, digest(file), reading_as)  # noqa: B023
        imported = show_imported(found, columns=list(fields))
        if imported is None:
            continue
        replace = st.checkbox(_("Replace texts that are stored already"), key=f"{key}_replace")
        if st.button(import_words(len(imported.table)), type="primary", key=f"{key}_import"):
            stored = attempt(lambda: store(file, imported, replace))  # noqa: B023
            if stored is not None:
                finish(key, _stored_words(stored))


def draw_queries(actor: Actor, project: Project, counts: Counts) -> None:
    """Queries: what was asked, and what the asker needs."""

    def store(file: UploadedFile, found: Imported, replace: bool) -> Stored:
        with writing() as session:
            stored = collection.add_queries(session, actor, project.id, found.table, replace=replace)
            collection.record_import(session, actor, project.id, "queries", [file.name], report_of(found, file))
        return stored

    st.caption(
        _(
            "CSV, TSV or JSONL with query_id and text; narrative and any further columns (they become slices) are welcome."
        )
    )
    fields = {"query_id": _("Query id"), "text": _("Text"), "narrative": _("Narrative")}
    _draw_table_file(
        project,
        key="queries",
        label=_("File of queries"),
        fields=fields,
        read=lambda content, name, mapping, encoding: read_queries(content, name, mapping=mapping, encoding=encoding),
        store=store,
    )
    if counts.queries:
        with reading() as session:
            table = read_queries_table(session, project.id)
        _draw_narratives(actor, project, table)


def _draw_narratives(actor: Actor, project: Project, table: pd.DataFrame) -> None:
    """The stored queries; their narratives can be written here."""
    key = f"narratives_{project.id}"
    edited = st.data_editor(
        table,
        hide_index=True,
        width="stretch",
        disabled=[name for name in table.columns if name != "narrative"],
        key=key,
        column_config={"narrative": st.column_config.TextColumn(_("narrative (click to write)"), width="large")},
    )
    changed = edited["narrative"].fillna("") != table["narrative"].fillna("")
    if changed.any() and st.button(
        _n("Save {count} narrative", "Save {count} narratives", int(changed.sum())), type="primary"
    ):
        with writing() as session:
            for query_id, narrative in edited.loc[changed, ["query_id", "narrative"]].itertuples(index=False):
                collection.write_narrative(session, actor, project.id, str(query_id), str(narrative or ""))
        st.rerun()


def draw_documents(actor: Actor, project: Project, counts: Counts) -> None:
    """Documents: what is judged."""

    def store(file: UploadedFile, found: Imported, replace: bool) -> Stored:
        bar = st.progress(0.0, text=_("Importing…"))

        def tell(done: int, total: int) -> None:
            bar.progress(done / total, text=f"{done:,} / {total:,}")

        with writing() as session:
            stored = collection.add_documents(session, actor, project.id, found.table, replace=replace, progress=tell)
            collection.record_import(session, actor, project.id, "documents", [file.name], report_of(found, file))
        if counts.pairs:
            say_twins(refresh_twins(actor, project.id))
        return stored

    st.caption(_("JSONL, CSV or TSV with doc_id and text; title and url are welcome."))
    fields = {"doc_id": _("Document id"), "title": _("Title"), "text": _("Text"), "url": _("Link")}
    _draw_table_file(
        project,
        key="documents",
        label=_("File of documents"),
        fields=fields,
        read=lambda content, name, mapping, encoding: read_documents(content, name, mapping=mapping, encoding=encoding),
        store=store,
    )
    if counts.documents:
        with reading() as session:
            table = read_documents_table(session, project.id, limit=20)
        st.dataframe(table, hide_index=True, width="stretch")
        st.caption(_("The first {shown} of {all} documents.", shown=len(table), all=f"{counts.documents:,}"))


def draw_runs(actor: Actor, project: Project) -> None:
    """Runs: what systems ranked."""
    st.caption(_("TREC format (query_id Q0 doc_id rank score tag), plain or gzip; several at once."))
    key = f"runs_{project.id}"
    files = uploader(_("Files of runs"), key, several=True, kinds=None)
    if files:
        _preview_runs(actor, project, files, key)
    with reading() as session:
        runs = collection.list_runs(session, project.id)
    if runs:
        names = {"tag": _("Tag"), "file_name": _("File"), "queries": _("Queries"), "rows": _("Rows")}
        table = pd.DataFrame([{words: getattr(run, name) for name, words in names.items()} for run in runs])
        st.dataframe(table, hide_index=True, width="stretch")


def _preview_runs(actor: Actor, project: Project, files: list[UploadedFile], key: str) -> None:
    rows: list[tuple[str, str, int, int, str]] = []
    faults: list[AssayError] = []
    bar = st.progress(0.0, text=_("Reading…"))
    for number, file in enumerate(files, start=1):
        bar.progress(number / len(files), text=f"{number} / {len(files)}")
        try:
            run = read_run(file.getvalue(), name=file.name)
        except AssayError as fault:
            faults.append(fault)
            continue
        remarks = "; ".join(remark.text for remark in run.remarks)
        rows.append((file.name, run.tag, run.table["query_id"].nunique(), len(run.table), remarks))
    bar.empty()
    names = [_("File"), _("Tag"), _("Queries"), _("Rows"), _("Noticed")]
    st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, width="stretch")
    for one in faults:
        show_fault(one)
    if faults:
        st.caption(_("Take these files out of the list, or mend them; then import."))
        return
    if st.button(_n("Import {count} run", "Import {count} runs", len(files)), type="primary", key=f"{key}_import"):

        def store() -> int:
            with writing() as session:
                collection.import_runs(session, actor, project.id, [(file.name, file.getvalue()) for file in files])
            return len(files)

        count = attempt(store)
        if count is not None:
            finish(key, _n("Imported {count} run.", "Imported {count} runs.", count))
