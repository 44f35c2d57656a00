"""One grade a pair by a rule that everybody can see, and the files that go out."""

import pandas as pd
import streamlit as st

from labeling import projects
from labeling.accounts import Actor
from labeling.aggregation import Consolidation, consolidate, parse_rule
from labeling.database import reading, writing
from labeling.disputes import read_decisions
from labeling.projects import Project
from labeling.releases import build_release, pack
from labeling.rubrics import get_rubric
from labeling.ui.components.charts import draw_bars
from labeling.ui.components.empty import empty_state
from labeling.ui.components.figures import draw_figures
from labeling.ui.state import attempt, current_project, project_switch, require
from labeling.ui.texts import _
from labeling.votes import read_votes

RULES = ("majority", "median", "mean", "minimum", "maximum", "unanimous", "dawid-skene")


def rule_word(rule: str) -> str:
    """A rule in words that say what it does."""
    return {
        "majority": _("majority: the grade given most often"),
        "median": _("median: the middle grade"),
        "mean": _("mean, rounded to the nearest grade"),
        "minimum": _("minimum: the lowest grade"),
        "maximum": _("maximum: the highest grade"),
        "unanimous": _("unanimous: only where all agree"),
        "dawid-skene": _("Dawid-Skene: weighs raters by their fitted errors"),
    }.get(rule) or _("one rater: {name}", name=rule.removeprefix("rater:"))


def tie_word(tie: str) -> str:
    """What happens to a tie."""
    return {"open": _("stay open for the lead"), "lower": _("the lower grade"), "higher": _("the higher grade")}[tie]


def choose_rule(actor: Actor, project: Project, raters: list[str]) -> tuple[str, str]:
    """The rule and what it does with ties; the project keeps the choice."""
    rules = [*RULES, *(f"rater:{name}" for name in raters)]
    rule = st.selectbox(
        _("Rule"),
        rules,
        index=rules.index(project.rule) if project.rule in rules else 0,
        format_func=rule_word,
        key=f"rule_{project.id}",
    )
    tie = st.segmented_control(
        _("Ties"),
        ["open", "lower", "higher"],
        default=project.ties,
        required=True,
        format_func=tie_word,
        key=f"ties_{project.id}",
    )
    if (rule, tie) != (project.rule, project.ties):
        with writing() as session:
            attempt(lambda: projects.change_project(session, actor, project.id, rule=rule, ties=str(tie)))
    return str(rule), str(tie)


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
    if counts["open"]:
        st.info(
            _("{count} pairs have no grade yet and are not in the qrels.", count=f"{counts['open']:,}"),
            icon=":material/info:",
        )
        st.page_link("pages/settle.py", label=_("Settle them"), icon=":material/arrow_forward:")


@st.cache_data(max_entries=64, show_spinner=False)
def compare_rules(votes: pd.DataFrame, decisions: pd.DataFrame, grades: tuple[int, ...], ties: str) -> pd.DataFrame:
    """How many pairs each rule leaves open, and how many it grades otherwise than the median of the same votes."""
    tables = {
        rule: consolidate(votes, parse_rule(rule), ties=ties, grades=grades, decisions=decisions)  # type: ignore[arg-type]
        for rule in RULES
    }
    reference = tables["majority"].table["relevance"]
    rows = []
    for rule, found in tables.items():
        grade = found.table["relevance"]
        both = grade.notna() & reference.notna()
        rows.append(
            {
                "rule": rule,
                "graded": int(grade.notna().sum()),
                "open": found.counts["open"],
                "differs": int((grade[both] != reference[both]).sum()),
                "mean": float(grade.dropna().astype(float).mean()) if grade.notna().any() else float("nan"),
            }
        )
    return pd.DataFrame(rows)


def draw_comparison(votes: pd.DataFrame, decisions: pd.DataFrame, grades: tuple[int, ...], tie: str) -> None:
    """The rules side by side."""
    with st.expander(_("The rules side by side")):
        table = compare_rules(votes, decisions, grades, tie)
        table["rule"] = [rule_word(rule) for rule in table["rule"]]
        names = {
            "rule": _("Rule"),
            "graded": _("Graded"),
            "open": _("Open"),
            "differs": _("Other than the majority"),
            "mean": _("Mean grade"),
        }
        number = st.column_config.NumberColumn(format="%.3f")
        st.dataframe(
            table.rename(columns=names), hide_index=True, width="stretch", column_config={_("Mean grade"): number}
        )


def draw_downloads(actor: Actor, project: Project, rule: str, tie: str) -> None:
    """The files, with the manifest that says how they came about."""
    with reading() as session:
        release = attempt(lambda: build_release(session, actor, project.id, rule=rule, ties=tie))
    if release is None:
        return
    st.subheader(_("Files"), anchor=False)
    name = f"assay-{project.id}"
    with st.container(horizontal=True):
        st.download_button(
            _("Everything (zip)"), pack(release), f"{name}.zip", "application/zip", type="primary", on_click="ignore"
        )
        for file, words, kind in (
            ("qrels.txt", _("Qrels (TREC)"), "text/plain"),
            ("consolidated.csv", _("Grades (CSV)"), "text/csv"),
            ("consolidated.jsonl", _("Grades (JSONL)"), "application/jsonl"),
            ("judgments.csv", _("Judgments (CSV)"), "text/csv"),
            ("judgments.jsonl", _("Judgments (JSONL)"), "application/jsonl"),
            ("manifest.json", _("Manifest"), "application/json"),
        ):
            st.download_button(words, release.files[file], f"{name}-{file}", kind, on_click="ignore")
    with st.expander(_("The manifest: rule, rubric, counts, hashes")):
        st.code(release.files["manifest.json"].decode(), language="json")


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
        st.dataframe(dissent.head(500), hide_index=True, width="stretch", height=240)
        st.caption(_("Pairs with the most dissent first (500 at most)."))


actor = require("lead")
project = current_project(actor)
project_switch(actor, project, _("Qrels"))
with reading() as session:
    votes = read_votes(session, actor, project.id)
    decisions = read_decisions(session, actor, project.id)[["query_id", "doc_id", "grade"]]
    grades = get_rubric(session, project.id).grades
if votes.empty:
    empty_state(_("No votes yet."), _("Qrels are made of votes and decisions."), icon=":material/output:")
    st.stop()
rule, tie = choose_rule(actor, project, sorted(votes["rater"].unique()))
found = consolidate(votes, parse_rule(rule), ties=tie, grades=grades, decisions=decisions)  # type: ignore[arg-type]
draw_counts(found)
draw_grades(found)
draw_downloads(actor, project, rule, tie)
draw_comparison(votes, decisions, grades, tie)
