"""A file on its way into a project: read, shown as it was understood, and imported only when asked.

Knows no kind of file: the page says how one is read and what to do with its rows.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from labeling.errors import AssayError
from labeling.exchange.tables import Imported, read_raw
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import show_fault
from labeling.ui.texts import _, _n

__all__ = ["choose_reading", "left_out_word", "read_once", "show_examples", "show_imported"]

_KEPT = "assay_read_files"
PREVIEW_ROWS = 8


def read_once(read: Callable[[], Imported], *parts: object) -> Imported | AssayError:
    """What a reader makes of a file; read once for the same file and choices, however often the page runs."""
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    kept: dict[str, Imported | AssayError] = st.session_state.setdefault(_KEPT, {})
    if key not in kept:
        while len(kept) >= 4:
            kept.pop(next(iter(kept)))
        try:
            kept[key] = read()
        except AssayError as fault:
            kept[key] = fault
    return kept[key]


def choose_reading(file: UploadedFile, fields: Mapping[str, str], key: str) -> tuple[dict[str, str], str | None]:
    """Let a person say which column holds which field, and the encoding; both are left to the file unless they do.

    fields: name of the field -> its words on the screen. The answer: field -> column, and the encoding or None.
    """
    with st.expander(_("Columns and encoding: read from the file; change them here"), icon=":material/view_column:"):
        encodings = {"": _("as the file says"), "utf-8": "UTF-8", "cp949": "CP949 (EUC-KR)", "latin-1": "Latin-1",
                     "utf-16": "UTF-16"}  # fmt: skip
        *places, last = st.columns(len(fields) + 1)
        encoding = last.selectbox(
            _("Encoding"), list(encodings), format_func=encodings.__getitem__, key=f"{key}_encoding_{file.file_id}"
        )
        columns = _columns_of(file, encoding or None)
        by_name = _("by its name")
        chosen = {}
        for place, (field, words) in zip(places, fields.items(), strict=True):
            column = place.selectbox(
                words, [by_name, *columns], accept_new_options=True, key=f"{key}_{field}_{file.file_id}"
            )
            if column and column != by_name:
                chosen[field] = str(column)
    return chosen, encoding or None


def _columns_of(file: UploadedFile, encoding: str | None) -> list[str]:
    """The columns that a file names; none where it cannot be read, which the preview then says."""
    try:
        return list(read_raw(file.getvalue(), file.name, encoding=encoding).columns)
    except AssayError:
        return []


def show_imported(found: Imported | AssayError, *, columns: Sequence[str]) -> Imported | None:
    """The first rows as understood, and in numbers what was left out and noticed; None after a fault, which is shown."""
    if isinstance(found, AssayError):
        show_fault(found)
        return None
    st.markdown(
        _(
            "**{read}** rows read, **{kept}** understood.",
            read=f"{found.rows_read:,}",
            kept=f"{len(found.table):,}",
        )
    )
    for left in found.left_out:
        words = left_out_word(left.reason)
        st.warning(_n("{count} row left out: {why}", "{count} rows left out: {why}", left.count, why=words))
        show_examples(left.examples)
    for remark in found.remarks:
        st.info(_("Noticed: {what}", what=plain_label(remark.text, longest=300)), icon=":material/info:")
        show_examples(remark.examples)
    shown = [name for name in columns if name in found.table.columns]
    preview: Any = found.table[[*shown, *(name for name in found.table.columns if name not in shown)]]
    st.dataframe(preview.head(PREVIEW_ROWS), hide_index=True, width="stretch")
    st.caption(_("The first rows, as they were understood."))
    return found


def show_examples(examples: Sequence[str]) -> None:
    """A few rows as they stand in the file."""
    if examples:
        st.code("\n".join(str(example) for example in examples), language=None, wrap_lines=True)


def left_out_word(reason: str) -> str:
    """A reason for leaving a row out, in words."""
    words = {
        "repeated_query": _("the same query again"),
        "repeated_document": _("the same document again"),
        "double_labels": _("two labels at once"),
        "other_narrative": _("judged under another narrative"),
        "empty_label_beside_judgment": _("an empty label beside a judgment of the same pair"),
        "out_of_scale": _("a grade outside the scale"),
        "unknown_label": _("a label without a grade"),
        "repeat_same_grade": _("the same rater gave the pair the same grade again"),
        "repeat_other_grade": _("the same rater gave the pair another grade at another time"),
    }
    return words.get(reason, reason.replace("_", " "))
