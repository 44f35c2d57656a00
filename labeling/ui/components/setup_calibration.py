"""Calibration and gold in the setup: who practises before judging, what is mixed in, and the pairs whose grade is known.

Knows switches, a table and a file; the rules stand with the references and the queue.
"""

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import AnyRow, reading
from labeling.exchange.references import read_references
from labeling.projects import Project
from labeling.references import (
    ReferencePreview,
    import_references,
    list_references,
    preview_references,
    remove_reference,
)
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.setup_files import digest, finish, uploader
from labeling.ui.components.setup_settings import save_settings
from labeling.ui.components.tables import choose_row
from labeling.ui.components.untrusted import show_inline, show_text
from labeling.ui.components.uploads import choose_reading, read_once, show_imported
from labeling.ui.state import attempt_reading, attempt_writing, stored
from labeling.ui.texts import _, _n

__all__ = ["draw"]


def draw(actor: Actor, project: Project) -> None:
    """Switches and rates, the references that are there, and a file with more."""
    with reading() as session:
        rows = list_references(session, actor, project.id)
        rubric = get_rubric(session, project.id)
    _draw_switches(actor, project, rows)
    st.subheader(_("Pairs whose grade is known"), anchor=False)
    st.caption(
        _("They are judged for practice or as gold only: they want no votes and never stand in agreement or qrels.")
    )
    if rows:
        _draw_references(actor, project, rubric, rows)
    else:
        empty_state(
            _("No practice set and no gold yet."),
            _("Bring them in from a file, below."),
            icon=":material/school:",
        )
    _draw_file(actor, project, rubric)


def _draw_switches(actor: Actor, project: Project, rows: list[AnyRow]) -> None:
    gold = sum(row.purpose == "gold" for row in rows)
    with st.form(f"calibration_{project.id}"):
        calibration = st.toggle(
            _("Raters practise before they judge"),
            project.calibration,
            help=_(
                "A rater first judges a practice set and sees the reference and its reason after each pair. "
                "A new version of the rubric asks everybody again."
            ),
        )
        first, second, third = st.columns(3)
        mark = first.number_input(
            _("Agreement that lets a rater in"),
            0.0,
            1.0,
            float(project.pass_mark),
            0.05,
            help=_(
                "Cohen's kappa with quadratic weights between the rater and the references of a set: "
                "1 is full agreement, 0 is what chance gives. Where it is undefined, the share of equal grades decides."
            ),
        )
        gold_every = second.number_input(
            _("Gold: one pair in"),
            0,
            1000,
            project.gold_every,
            help=_("A pair with a known grade among the others, without a mark. 0 gives none."),
        )
        repeat_every = third.number_input(
            _("Repeats: one pair in"),
            0,
            1000,
            project.repeat_every,
            help=_("A pair that the rater graded at least 20 pairs ago, given again without a mark. 0 gives none."),
        )
        st.caption(_("Practice, gold and repeats never count as votes. You find what they say on the page Raters."))
        if project.gold_every and not gold:
            st.warning(_("There is no gold in this project: none is given."))
        if st.form_submit_button(_("Save"), type="primary"):
            save_settings(
                actor, project,
                calibration=calibration, pass_mark=mark, gold_every=gold_every, repeat_every=repeat_every,
            )  # fmt: skip


def _place_words(row: AnyRow) -> str:
    return _("Gold") if row.purpose == "gold" else _("Practice set {set}", set=row.practice_set)


def _draw_references(actor: Actor, project: Project, rubric: Rubric, rows: list[AnyRow]) -> None:
    """The references with their grades and reasons; the one that was clicked can be read, and taken out."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[_place_words(row)] = counts.get(_place_words(row), 0) + 1
    chosen = st.pills(
        _("Sets"),
        list(counts),
        format_func=lambda words: f"{words} ({counts[words]:,})",
        label_visibility="collapsed",
        key=f"references_set_{project.id}",
    )
    listed = [row for row in rows if chosen is None or _place_words(row) == chosen]
    labels = {level.grade: f"{level.grade} {level.label}" for level in rubric.levels}
    table = pd.DataFrame(
        {
            "place": [_place_words(row) for row in listed],
            "grade": [labels.get(row.grade, str(row.grade)) for row in listed],
            "reason": [row.reason for row in listed],
            "query": [row.query for row in listed],
            "document": [row.title or " ".join((row.text or "").split())[:120] for row in listed],
            "judged": [row.judged for row in listed],
        }
    )
    selected = choose_row(
        table,
        f"references_{project.id}_{chosen}_{len(listed)}",
        height=min(420, 38 + 35 * len(listed)),
        columns={
            "place": st.column_config.TextColumn(_("Set"), width=110),
            "grade": st.column_config.TextColumn(_("Grade"), width=150),
            "reason": st.column_config.TextColumn(_("Reason"), width=300),
            "query": st.column_config.TextColumn(_("Query"), width=200),
            "document": st.column_config.TextColumn(_("Document"), width=220),
            "judged": st.column_config.NumberColumn(_("Judged by"), width=90),
        },
    )
    if selected is not None:
        _draw_reference(actor, project, listed[selected], labels)
    else:
        st.caption(_("Choose a row to read it, or to take it out."))


def _draw_reference(actor: Actor, project: Project, row: AnyRow, labels: dict[int, str]) -> None:
    with st.container(border=True):
        show_inline(row.query or row.query_id, strong=True)
        show_inline(row.title or row.doc_id)
        show_text(row.text or "")
        show_inline(labels.get(row.grade, str(row.grade)), before=_("Known grade:"), strong=True)
        if row.reason:
            show_text(row.reason)
        seen = row.judged > 0
        words = (
            _("It was judged: it stays out of the pairs to judge, and what was judged is kept.")
            if seen
            else _("Nobody has judged it: it goes back to the pairs to judge.")
        )
        st.caption(words)
        pressed = st.button(_("Take it out"), icon=":material/remove:", key=f"remove_reference_{row.pair}")
        if pressed and stored(lambda session: remove_reference(session, actor, project.id, row.pair)):
            st.toast(_("Taken out."))
            st.rerun()


def _draw_file(actor: Actor, project: Project, rubric: Rubric) -> None:
    """A file of references: read, shown with what it would do, imported when asked."""
    key = f"references_file_{project.id}"
    st.caption(
        _(
            "CSV or JSONL with query_id, doc_id, grade, reason, purpose (practice or gold) and set (1, 2 and so on). "
            "Queries and documents have to be in the project, and nobody may have judged the pair."
        )
    )
    for file in uploader(_("File of practice and gold pairs"), key):
        fields = {"query_id": _("Query id"), "doc_id": _("Document id"), "grade": _("Grade"), "reason": _("Reason"),
                  "purpose": _("Purpose"), "set": _("Set")}  # fmt: skip
        mapping, encoding = choose_reading(file, fields, key)
        content, name = file.getvalue(), file.name
        found = read_once(
            lambda: read_references(content, name, grades=rubric.grades, mapping=mapping, encoding=encoding),  # noqa: B023
            key,
            digest(file),
            sorted(mapping.items()),
            encoding,
        )
        imported = show_imported(found, columns=["query_id", "doc_id", "grade", "reason", "purpose", "set"])
        if imported is None:
            continue
        given = (actor, project.id, imported.table)
        preview = attempt_reading(lambda session: preview_references(session, *given, source=name))  # noqa: B023
        if preview is None:
            continue
        st.markdown(_preview_words(preview))
        if st.button(_n("Import {count} pair", "Import {count} pairs", len(imported.table)), type="primary", key=key):
            done = attempt_writing(lambda session: import_references(session, *given, source=name))  # noqa: B023
            if done is not None:
                finish(key, _preview_words(done))


def _preview_words(preview: ReferencePreview) -> str:
    parts = [
        _("{new} new, {changed} changed, {unchanged} there already", new=f"{preview.new:,}",
          changed=f"{preview.changed:,}", unchanged=f"{preview.unchanged:,}"),
        *(_("practice set {set}: {count}", set=number, count=f"{count:,}") for number, count in preview.sets.items()),
    ]  # fmt: skip
    if preview.gold:
        parts.append(_("gold: {count}", count=f"{preview.gold:,}"))
    return "; ".join(parts)
