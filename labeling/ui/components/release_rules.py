"""The rule of a project: chosen by a lead, and set beside the others with what each does to the pairs and to the runs.

Knows votes and runs; the numbers come from labeling.rule_comparison.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from labeling import projects
from labeling.accounts import Actor
from labeling.projects import Project
from labeling.rule_comparison import COMPARED, RuleComparison, RuleScores, compare_rules, score_rules
from labeling.rules import SIMPLE_RULES, Rule, parse_rule
from labeling.ui.components.release_words import reason_word, rule_name, rule_word, tie_word
from labeling.ui.components.run_choice import choose_runs, one_measure
from labeling.ui.state import stored
from labeling.ui.texts import _
from metrics import Run, parse_measure

__all__ = ["choose_rule", "compared_rules", "compared_with", "draw_side_by_side"]

SHOWN_PAIRS = 500


def choose_rule(actor: Actor, project: Project, raters: Sequence[str]) -> tuple[str, str]:
    """The rule and what it does with ties; the project keeps the choice."""
    rules = [*SIMPLE_RULES, "dawid-skene", "gold-weighted", "raters", *(f"rater:{name}" for name in raters)]
    kept = parse_rule(project.rule)
    chosen = "raters" if kept.name == "raters" else project.rule
    rule = st.selectbox(
        _("Rule"),
        rules,
        index=rules.index(chosen) if chosen in rules else 0,
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
    if rule == "raters":
        rule = _choose_order(project, kept, raters)
    if (rule, tie) != (project.rule, project.ties):
        stored(lambda session: projects.change_project(session, actor, project.id, rule=rule, ties=str(tie)))
    return str(rule), str(tie)


def _choose_order(project: Project, kept: Rule, raters: Sequence[str]) -> str:
    """The raters in the order in which their votes are asked for; the page stops until there is one."""
    order = st.multiselect(
        _("Raters, the first before the second"),
        list(raters),
        default=[name for name in kept.raters if name in raters] if kept.name == "raters" else [],
        placeholder=_("choose"),
        key=f"rule_order_{project.id}",
    )
    if not order:
        st.info(_("Choose the raters in their order: of each pair, the vote of the first who has one counts."))
        st.stop()
    return str(Rule("raters", tuple(str(name) for name in order)))


def compared_rules(weights: Mapping[str, float], rule: str, raters: Sequence[str] = ()) -> list[str]:
    """The rules worth a column: those that need nothing, gold's where there is gold, the project's own."""
    rules = [*COMPARED, *(["gold-weighted"] if weights else []), *(f"rater:{name}" for name in raters)]
    return rules if rule in rules else [*rules, rule]


@st.cache_data(max_entries=32, show_spinner=False)
def compared_with(
    rules: Sequence[str],
    votes: pd.DataFrame,
    decisions: pd.DataFrame,
    grades: tuple[int, ...],
    ties: str,
    weights: Mapping[str, float],
) -> RuleComparison:
    """The rules on these votes; the same votes are consolidated once."""
    return compare_rules(votes, rules, ties=ties, grades=grades, decisions=decisions, weights=weights)  # type: ignore[arg-type]


@st.cache_data(max_entries=32, show_spinner=False)
def _scored(
    _found: RuleComparison,
    _runs: Sequence[Run],
    key: tuple[object, ...],  # noqa: ARG001 - stands for votes, rules and runs, which are not hashed
    measure: str,
) -> RuleScores:
    return score_rules(_found.found, _runs, parse_measure(measure))


def draw_side_by_side(project: Project, found: RuleComparison, key: tuple[object, ...]) -> None:
    """What each rule leaves open, what it does to the runs, and the pairs on which the rules part."""
    _draw_counts(found)
    st.subheader(_("What each rule does to the runs"), anchor=False)
    runs, hashes = choose_runs(project, "rules")
    if runs:
        measure = one_measure(project, "rules")
        _draw_scores(_scored(found, runs, (*key, hashes), measure), measure)
    else:
        st.caption(_("There are no runs yet."))
    _draw_pairs(project, found)


def _draw_counts(found: RuleComparison) -> None:
    table = found.table.assign(rule=[rule_name(rule) for rule in found.table["rule"]]).drop(columns="undefined")
    names = {
        "rule": _("Rule"),
        "graded": _("Graded"),
        "open": _("Open"),
        "ties": _("Ties"),
        "differs": _("Other than the majority"),
        "mean": _("Mean grade"),
    }
    number = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(table.rename(columns=names), hide_index=True, width="stretch", column_config={_("Mean grade"): number})
    st.caption(_("Decisions of a lead win over every rule; a tie goes as chosen above."))
    for row in found.table.itertuples():
        if row.undefined:
            st.caption(f"{rule_name(str(row.rule))}: {reason_word(str(row.undefined))}")


def _draw_scores(found: RuleScores, measure: str) -> None:
    number = st.column_config.NumberColumn(format="%.4f")
    means = found.means.sort_values(found.means.columns[0], ascending=False)
    shown = means.rename(columns=rule_name).rename_axis(_("Run")).reset_index()
    config = dict.fromkeys((rule_name(rule) for rule in found.first), number)
    st.dataframe(shown, hide_index=True, width="stretch", column_config=config)
    st.caption(_("Mean {measure} of each run under each rule, over the queries that the rule grades.", measure=measure))
    first: dict[str, list[str]] = {}
    for rule, run in found.first.items():
        first.setdefault(run or "—", []).append(f"{rule_name(rule)} ({found.queries[rule]})")
    lines = pd.DataFrame(
        {_("First"): list(first), _("under (queries)"): [", ".join(rules) for rules in first.values()]}
    )
    st.dataframe(lines, hide_index=True, width="stretch")
    if len(found.means) > 1:
        st.markdown(_("**Kendall's tau between the orders of the runs under two rules**"))
        taus = found.taus.rename(index=rule_name, columns=rule_name).rename_axis(_("Rule")).reset_index()
        st.dataframe(taus, hide_index=True, width="stretch", column_config=dict.fromkeys(config, st.column_config.NumberColumn(format="%.3f")))  # fmt: skip
        st.caption(
            _("1: the same order; -1: the reverse. Undefined where a rule grades nothing or puts all runs level.")
        )


def _draw_pairs(project: Project, found: RuleComparison) -> None:
    st.subheader(_("Pairs on which the rules part"), anchor=False)
    if found.pairs.empty:
        st.caption(_("All these rules give every pair the same grade."))
        return
    pairs = found.pairs.rename(columns={"votes": _("votes"), **{rule: rule_name(rule) for rule in found.found}})
    st.dataframe(pairs.head(SHOWN_PAIRS), hide_index=True, width="stretch", height=320, placeholder=_("open"))
    st.caption(_("{count} pairs; {shown} at most are shown.", count=f"{len(pairs):,}", shown=SHOWN_PAIRS))
    st.download_button(
        _("These pairs (CSV)"),
        lambda: found.pairs.to_csv(index=False).encode(),
        f"assay-{project.id}-rules.csv",
        "text/csv",
        on_click="ignore",
    )
