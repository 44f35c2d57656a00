"""One's own judgments in a project: to find one again, to read it, and to judge it again while it is not settled."""

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import AnyRow, reading
from labeling.history import list_history, show_own_pair
from labeling.older_rule import count_older
from labeling.projects import Project
from labeling.rubrics import Rubric, get_rubric
from labeling.ui.components.empty import empty_state
from labeling.ui.components.judging_card.labels import card_reasons
from labeling.ui.components.question_words import draw_own_questions
from labeling.ui.components.rubric_changes import draw_changes
from labeling.ui.components.sent_back import draw_sent_back
from labeling.ui.components.untrusted import as_html, plain_label, show_inline, show_text
from labeling.ui.state import current_actor, current_project, go_to_project, project_switch
from labeling.ui.texts import _, _n

KINDS = ("cannot_judge", "skip")


def judgment_words(row: AnyRow, rubric: Rubric) -> str:
    """What was chosen: the grade with its word, or why there is none."""
    if row.kind == "grade":
        label = next((level.label for level in rubric.levels if level.grade == row.grade), "")
        return f"{row.grade} {label}".strip()
    if row.kind == "skip":
        return _("Later")
    reason = dict(card_reasons()).get(row.reason)
    return _("Can't judge: {reason}", reason=reason) if reason else _("Can't judge")


def mark_words(row: AnyRow, rubric: Rubric) -> str:
    """What a rater has to know of a judgment beside the grade."""
    older = _("made under version {version}", version=row.version) if row.version < rubric.version else ""
    return ", ".join(part for part in (_("settled") if row.settled else "", older) if part)


def answer_words(row: AnyRow) -> str:
    """Answers to second questions in a line, each with its question's name."""
    common = {"yes": _("Yes"), "no": _("No"), "-": _("Does not apply")}
    return ", ".join(f"{name}: {common.get(label, label)}" for name, label in (row.answers or {}).items())


def document_words(row: AnyRow) -> str:
    """The document in a line: its title, else how its text begins."""
    return row.title or " ".join((row.text or "").split())[:120] or row.doc_id


def choose_rows(rows: list[AnyRow], rubric: Rubric, project: Project) -> list[AnyRow]:
    """The filters, and what they leave."""
    counts: dict[int | str, int] = {
        grade: sum(row.kind == "grade" and row.grade == grade for row in rows) for grade in rubric.grades
    }
    counts |= {kind: sum(row.kind == kind for row in rows) for kind in KINDS}
    names: dict[int | str, str] = {"cannot_judge": _("Can't judge"), "skip": _("Later")}
    names |= {level.grade: f"{level.grade} {plain_label(level.label)}" for level in rubric.levels}
    queries = {row.query_id: row.query or row.query_id for row in rows}
    kinds = st.pills(
        _("Judgment"),
        [one for one in counts if counts[one]],
        selection_mode="multi",
        format_func=lambda one: f"{names[one]} ({counts[one]:,})",
        label_visibility="collapsed",
        key=f"history_kinds_{project.id}",
    )
    left, middle, right = st.columns([2, 2, 1], vertical_alignment="center")
    query = left.selectbox(
        _("Query"),
        list(queries),
        index=None,
        format_func=lambda one: queries[one],
        placeholder=_("All queries"),
        label_visibility="collapsed",
        key=f"history_query_{project.id}",
    )
    words = middle.text_input(
        _("Words"),
        placeholder=_("Words in document, query or comment"),
        label_visibility="collapsed",
        key=f"history_words_{project.id}",
    )
    commented = right.toggle(_("With a comment"), key=f"history_commented_{project.id}")
    older = [row for row in rows if row.version < rubric.version]
    only_older = bool(older) and st.toggle(
        _("Only those made under an older version of the rubric ({count})", count=f"{len(older):,}"),
        key=f"history_older_{project.id}",
    )
    return [
        row
        for row in rows
        if (not kinds or (row.grade if row.kind == "grade" else row.kind) in kinds)
        and (query is None or row.query_id == query)
        and (not commented or row.comment)
        and (not only_older or row.version < rubric.version)
        and words.casefold().strip() in "\n".join((row.title, row.text or "", row.query or "", row.comment)).casefold()
    ]


def draw_table(rows: list[AnyRow], rubric: Rubric, project: Project) -> AnyRow | None:
    """The judgments, newest first; the one that was clicked comes back."""
    table = pd.DataFrame(
        {
            "judgment": [judgment_words(row, rubric) for row in rows],
            "answers": [answer_words(row) for row in rows],
            "document": [document_words(row) for row in rows],
            "comment": [row.comment for row in rows],
            "query": [row.query or row.query_id for row in rows],
            "judged_at": pd.to_datetime([row.judged_at for row in rows], utc=True),
            "mark": [mark_words(row, rubric) for row in rows],
        }
    )
    table = table.drop(columns=[name for name in ("mark", "comment", "answers") if not table[name].any()])
    event = st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        height=min(520, 38 + 35 * len(rows)),
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "judgment": st.column_config.TextColumn(_("Judgment"), width=170),
            "answers": st.column_config.TextColumn(_("Second questions"), width=170),
            "document": st.column_config.TextColumn(_("Document"), width=260),
            "comment": st.column_config.TextColumn(_("Comment"), width=170),
            "query": st.column_config.TextColumn(_("Query"), width=200),
            "judged_at": st.column_config.DatetimeColumn(
                _("When"), format="YYYY-MM-DD HH:mm", timezone=st.context.timezone, width=130
            ),
            "mark": st.column_config.TextColumn(_("Mark"), width=190),
        },
        key=f"history_table_{project.id}_{hash(tuple(row.act_id for row in rows))}",
    )
    cells = event.selection.cells
    return rows[cells[0][0]] if cells and cells[0][0] < len(rows) else None


def draw_judgment(actor: Actor, project: Project, row: AnyRow, rubric: Rubric) -> None:
    """One judgment with its document, and the way to judge it again."""
    show_inline(judgment_words(row, rubric), before=_("Your judgment:"), strong=True)
    if row.version < rubric.version:
        now = _(
            "Made under version {version}; the rubric now is version {now}.", version=row.version, now=rubric.version
        )
        st.caption(now)
    if row.answers:
        show_inline(answer_words(row))
    if row.comment:
        show_text(row.comment)
    if row.settled:
        st.info(_("Settled by a lead: it cannot be changed any more."), icon=":material/gavel:")
    elif project.state != "open":
        st.info(_("The project is closed: nothing can be changed."), icon=":material/lock:")
    elif st.button(_("Judge again"), type="primary", icon=":material/edit:", key=f"judge_again_{row.pair}"):
        go_to_project(project.id, "pages/judge.py", pair=str(row.pair))
    with reading() as session:
        pair = show_own_pair(session, actor, project.id, row.pair)
    with st.container(border=True):
        st.html(f'<div dir="auto" style="font-weight:650;overflow-wrap:anywhere">{as_html(pair["query"])}</div>')
        if pair["narrative"]:
            show_text(pair["narrative"])
        st.html('<hr style="margin:.1rem 0;border:0;border-top:1px solid rgba(128,128,128,.35)">')
        if pair["title"]:
            show_inline(pair["title"], strong=True)
        show_text(pair["text"], height=340)


def draw_older(actor: Actor, project: Project) -> None:
    """Judgments under an older version of the rubric: how many, what changed, and the way to confirm or change them."""
    with reading() as session:
        counts = count_older(session, actor, project.id)
    if not counts.waiting or project.state != "open":
        return
    words = _n(
        "{count} judgment was made before the rubric changed. It takes one key: Enter keeps it, a grade changes it.",
        "{count} judgments were made before the rubric changed. Each takes one key: Enter keeps it, a grade changes it.",
        counts.waiting,
    )
    left_out = _n(
        "{count} more is settled by a lead and left out.",
        "{count} more are settled by a lead and left out.",
        counts.settled,
    )
    with st.container(border=True):
        st.markdown(_("**Your judgments under the older rule**"))
        st.caption(f"{words} {left_out}" if counts.settled else words)
        draw_changes(project, counts.versions)
        if st.button(_("Confirm or change them"), type="primary", icon=":material/fact_check:"):
            go_to_project(project.id, "pages/judge.py", older="1")


def draw_history(actor: Actor, project: Project) -> None:
    """Filters, table, and the judgment that was clicked."""
    with reading() as session:
        rows = list_history(session, actor, project.id)
        rubric = get_rubric(session, project.id)
    if not rows:
        empty_state(
            _("You have not judged anything here yet."),
            _("What you judge shows up here; until it is settled you can change your mind."),
            icon=":material/history:",
            action=_("Judge") if project.state == "open" else None,
            page="pages/judge.py",
        )
        return
    listed = choose_rows(rows, rubric, project)
    if not listed:
        st.caption(_("None of your judgments fits these filters."))
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        chosen = draw_table(listed, rubric, project)
        st.caption(_n("{count} judgment, newest first", "{count} judgments, newest first", len(listed)))
    with right:
        if chosen is not None:
            draw_judgment(actor, project, chosen, rubric)
        else:
            st.caption(_("Choose a row to read its document or to judge it again."))


actor = current_actor()
project = current_project(actor)
project_switch(actor, project, _("My judgments"))
draw_own_questions(actor, project)
draw_older(actor, project)
draw_sent_back(actor, project)
draw_history(actor, project)
