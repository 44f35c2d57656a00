"""One grade a pair by a rule that everybody can see, rules side by side, and the files that go out."""

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.aggregation import Consolidation
from labeling.database import reading
from labeling.disputes import read_decisions
from labeling.errors import AssayError
from labeling.exchange.archives import QRELS
from labeling.exchange.writing import find_id_without_trec
from labeling.projects import Project
from labeling.releases import ReleaseChoices, build_release, pack, read_weights
from labeling.rubrics import get_rubric
from labeling.ui.components.charts import draw_bars
from labeling.ui.components.empty import empty_state
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.release_final import draw_final
from labeling.ui.components.release_frozen import draw_releases
from labeling.ui.components.release_rules import choose_rule, compared_rules, compared_with, draw_side_by_side
from labeling.ui.components.release_words import reason_word
from labeling.ui.components.untrusted import plain_label
from labeling.ui.state import current_project, project_switch, require, show_fault
from labeling.ui.texts import _
from labeling.votes import read_votes


def draw_counts(found: Consolidation) -> None:
    """What the rule made of the votes, in numbers."""
    counts = found.counts
    figures = (
        (_("Pairs"), counts["pairs"]),
        (_("By the rule"), counts["by_rule"]),
        (_("Decided by a lead"), counts["decided"]),
        (_("Open"), counts["open"]),
        (_("Ties"), counts["ties"]),
        (_("With dissent"), counts["dissent_pairs"]),
    )
    draw_figures([(words, f"{figure:,}") for words, figure in figures])
    if found.undefined:
        st.warning(_("This rule is undefined here: {why}.", why=reason_word(found.undefined)), icon=":material/rule:")
    if counts["open"]:
        st.info(
            _("{count} pairs have no grade yet and are not in the qrels.", count=f"{counts['open']:,}"),
            icon=":material/info:",
        )
        st.page_link("pages/settle.py", label=_("Settle them"), icon=":material/arrow_forward:")


def draw_weights(found: Consolidation) -> None:
    """Each rater's weight, where the rule has weights."""
    weights = found.definition.get("weights")
    if weights and not found.undefined:
        table = pd.DataFrame({_("Rater"): list(weights), _("Weight"): list(weights.values())})
        number = st.column_config.NumberColumn(format="%.3f")
        st.dataframe(table, hide_index=True, width="content", column_config={_("Weight"): number})
        st.caption(
            _(
                "(right + 1) / (judged + 2) on gold. A rater without gold has no weight, and their votes do not count here."
            )
        )


def draw_downloads(actor: Actor, project: Project, rule: str, tie: str, odd: str | None) -> None:
    """The files, with the manifest that says how they came about; made when they are asked for. odd is an id without a place in TREC's format."""
    st.subheader(_("Files"), anchor=False)
    if odd is not None:
        words = _(
            "TREC's format has no place for an id that is empty or holds a blank, such as {id}: the TREC qrels, those of each rater "
            "and the folder for ir_datasets are left out. The other files hold every grade.",
            id=plain_label(odd),
        )
        st.info(words, icon=":material/info:")
    texts = st.checkbox(_("With the texts of the documents (large)"), key=f"texts_{project.id}")
    choices = ReleaseChoices(rule, tie, texts)

    def make(file: str | None) -> bytes:
        with reading() as session:
            release = build_release(session, actor, project.id, choices)
        return pack(release) if file is None else release.files[file]

    name = f"assay-{project.id}"
    files = (
        (None, _("Everything (zip)"), "application/zip"),
        (QRELS, _("Qrels (TREC)"), "text/plain"),
        ("consolidated.csv", _("Grades (CSV)"), "text/csv"),
        ("judgments.csv", _("Judgments (CSV)"), "text/csv"),
        ("soft_qrels.csv", _("Soft qrels (CSV)"), "text/csv"),
        ("quepid/ratings.csv", _("Quepid (CSV)"), "text/csv"),
        ("opensearch/judgments.json", _("OpenSearch (JSON)"), "application/json"),
        ("manifest.json", _("Manifest"), "application/json"),
    )
    with st.container(horizontal=True):
        for file, words, kind in files:
            if file == QRELS and odd is not None:
                continue
            st.download_button(
                words,
                lambda file=file: make(file),  # type: ignore[misc]
                f"{name}.zip" if file is None else f"{name}-{file.replace('/', '-')}",
                kind,
                type="primary" if file is None else "secondary",
                on_click="ignore",
                key=f"get_{project.id}_{file}",
            )
    st.caption(_("The zip also holds JSON lines, qrels of each rater, and folders as ir_datasets and BEIR read them."))


def draw_grades(found: Consolidation) -> None:
    """How often each grade came out, and the first pairs."""
    closed = found.table[found.table["relevance"].notna()]
    counted = closed.groupby("relevance").size().rename("pairs").reset_index().rename(columns={"relevance": "grade"})
    left, right = st.columns([2, 3])
    with left:
        draw_bars(
            counted.astype({"grade": int}), x="grade", y="pairs", x_title=_("grade"), y_title=_("pairs"), height=240
        )
    with right:
        dissent = found.table.sort_values(["dissent", "query_id", "doc_id"], ascending=[False, True, True])
        number = st.column_config.NumberColumn(format="%.2f")
        st.dataframe(dissent.head(500), hide_index=True, width="stretch", height=240, column_config={"mean": number})
        st.caption(_("Pairs with the most dissent first (500 at most). mean: of the votes, as a decimal number."))


def choose_view() -> str:
    """Which part of the page is shown."""
    words = {
        "grades": _("Grades and files"),
        "rules": _("Rules side by side"),
        "releases": _("Releases"),
        "final": _("Beside a file"),
    }
    view = st.segmented_control(
        _("View"),
        list(words),
        default="grades",
        required=True,
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key=f"qrels_view_{project.id}",
    )
    return str(view)


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Qrels"))
with reading() as session:
    votes = read_votes(session, actor, project.id)
    decisions = read_decisions(session, actor, project.id)[["query_id", "doc_id", "grade"]]
    grades = get_rubric(session, project.id).grades
    weights = read_weights(session, actor, project.id)
if votes.empty:
    empty_state(_("No votes yet."), _("Qrels are made of votes and decisions."), icon=":material/output:")
    st.stop()
raters = sorted(votes["rater"].unique())
rule, tie = choose_rule(actor, project, raters)
try:
    with st.spinner(_("Consolidating…")):
        found = compared_with((rule,), votes, decisions, grades, tie, weights).found[rule]
except AssayError as fault:
    show_fault(fault)
    st.stop()
view = choose_view()
if view == "grades":
    draw_counts(found)
    draw_weights(found)
    draw_grades(found)
    draw_downloads(actor, project, rule, tie, find_id_without_trec(found.table))
elif view == "releases":
    draw_releases(actor, project, rule, tie, sorted(found.table["query_id"].unique()))
else:
    wanted = compared_rules(weights, rule, raters if view == "final" else ())
    with st.spinner(_("Consolidating…")):
        compared = compared_with(wanted, votes, decisions, grades, tie, weights)
    if view == "rules":
        key = (project.id, tie, tuple(wanted), int(pd.util.hash_pandas_object(votes).sum()), tuple(weights.items()))
        draw_side_by_side(project, compared, (*key, decisions.to_csv()))
    else:
        draw_final(project, compared, votes)
