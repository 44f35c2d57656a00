"""The sections of a report on systems: scores with their spread, verdicts, and the definition of every number.

Knows studies and scores that are ready, and words; no database.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labeling.exchange.report_charts import draw_intervals
from labeling.exchange.report_parts import Block, Chart, Table
from labeling.words import UNITS, VERDICTS, Say
from metrics import Disagreement, Evaluation, Measure

__all__ = ["Study", "define", "show_scores", "show_verdicts", "sum_up_verdicts"]

MOST_SYSTEMS, MOST_COMPARISONS = 100, 60


@dataclass(frozen=True, eq=False)
class Study:
    """One measure: the systems under many equally valid qrels, and under the project's own."""

    measure: Measure
    found: Disagreement
    scored: Evaluation | None


def _file_name(measure: str) -> str:
    return "".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in measure).strip("-")


def _systems(study: Study) -> pd.DataFrame:
    """run, score (under the project's qrels), judged (at 10), mean, and the spreads from raters and from queries."""
    name = str(study.measure)
    table = study.found.systems[study.found.systems["measure"] == name].drop(columns="measure")
    drawn = study.found.by_measure[name].by_query
    low, high = np.nanquantile(drawn, [0.025, 0.975], axis=1) if drawn.size else (np.nan, np.nan)
    spread = pd.DataFrame({"run": study.found.tags, "queries_low": low, "queries_high": high})
    table = table.merge(spread, on="run")
    score: dict[str, float] = {}
    judged: dict[str, float] = {}
    if study.scored is not None:
        means = study.scored.means[study.scored.means["measure"] == name]
        score = dict(zip(means["run"], means["mean"], strict=True))
        judged = dict(zip(study.scored.coverage["run"], study.scored.coverage["judged_at_10"], strict=True))
    table.insert(1, "score", [score.get(run, np.nan) for run in table["run"]])
    table.insert(2, "judged_at_10", [judged.get(run, np.nan) for run in table["run"]])
    return table.round(6).sort_values(["mean", "run"], ascending=[False, True], ignore_index=True)


def show_scores(studies: Mapping[str, Study], _: Say) -> list[Block]:
    """Each system's mean, and how far raters and queries move it."""
    if not studies:
        return [_("There are no scores: the project has no runs, or no votes.")]
    blocks: list[Block] = []
    for name, study in studies.items():
        table = _systems(study)
        floor = study.found.noise_floor[name]
        blocks.append(
            _(
                "{measure} over {queries} queries, under {sets} equally valid sets of qrels. A system moves by {moves} on average from its worst set "
                "to its best; two systems that differ by less than {floor} can differ by the choice of raters alone (the noise floor).",
                measure=name,
                queries=len(study.found.alignment.judged.queries),
                sets=f"{study.found.qrels_count:,}",
                moves=f"{table['range'].mean():.4f}",
                floor=f"{floor:.4f}" if not np.isnan(floor) else _("undefined"),
            )
        )
        shown = {
            "run": _("Run"),
            "score": _("Score by the project's rule"),
            "judged_at_10": "Judged@10",
            "mean": _("Mean over the sets"),
            "low": _("Raters: low"),
            "high": _("Raters: high"),
            "queries_low": _("Queries: low"),
            "queries_high": _("Queries: high"),
            "first": _("First in"),
        }
        more = _("The first {count} of {all}; all of them are in the file.", count=MOST_SYSTEMS, all=len(table))
        title = _("Systems by {measure}", measure=name)
        blocks.append(Table(f"systems-{_file_name(name)}", title, table, shown, MOST_SYSTEMS, more))
        spans = [("queries_low", "queries_high"), ("low", "high")]
        spec = draw_intervals(table.head(MOST_SYSTEMS), name="run", value="mean", spans=spans, title=name, zero=False)
        words = _("A point a system at its mean; the wide line is the spread from queries, the narrow one from raters")
        blocks.append(Chart(f"systems-{_file_name(name)}", words, spec, words))
    return blocks


def show_verdicts(studies: Mapping[str, Study], _: Say) -> list[Block]:
    """How many comparisons hold whoever judges, and the systems next to each other."""
    if not any(len(study.found.tags) > 1 for study in studies.values()):
        return [_("There is nothing to compare: that takes two runs and votes.")]
    blocks: list[Block] = [
        _(
            "A is the system with the higher mean. It beats B whoever judges when it is ahead in at least 95 % of the sets of qrels and in at least "
            "95 % of resampled query sets; where only one of the two holds, the verdict depends on the rater, or on the queries."
        )
    ]
    for name, study in studies.items():
        table = study.found.comparisons[study.found.comparisons["measure"] == name].drop(columns="measure").round(6)
        table = table.assign(words=[_(VERDICTS.get(one, one)) for one in table["verdict"]])
        counts = table["verdict"].value_counts()
        told = [f"{_(VERDICTS[one])}: {counts[one]:,}" for one in VERDICTS if one in counts]
        tau = study.found.tau[name]
        blocks.append(_("{measure}, {count} comparisons. {told}.", measure=name, count=f"{len(table):,}", told="; ".join(told)))  # fmt: skip
        if not np.isnan(tau["mean"]):
            blocks.append(
                _("Kendall's tau between the orders under two sets: {mean} on average, from {low} to {high}.",
                  mean=f"{tau['mean']:.3f}", low=f"{tau['min']:.3f}", high=f"{tau['max']:.3f}")
            )  # fmt: skip
        order = _systems(study)["run"].tolist()
        place = {run: number for number, run in enumerate(order)}
        apart = table["b"].map(place) - table["a"].map(place)
        table = table.assign(_apart=apart.abs(), _first=table["a"].map(place))
        table = table.sort_values(["_apart", "_first"], ignore_index=True).drop(columns=["_apart", "_first"])
        shown = {
            "a": "A",
            "b": "B",
            "difference": _("Mean difference"),
            "a_ahead": _("A ahead in sets"),
            "queries_ahead": _("A ahead in query sets"),
            "sd_raters": _("SD, raters"),
            "sd_queries": _("SD, queries"),
            "words": _("Verdict"),
        }
        more = _("The first {count} of {all}, neighbours in the order first; all of them are in the file.", count=MOST_COMPARISONS, all=f"{len(table):,}")  # fmt: skip
        title = _("Pairs of systems by {measure}", measure=name)
        blocks.append(Table(f"verdicts-{_file_name(name)}", title, table, shown, MOST_COMPARISONS, more))
    return blocks


def sum_up_verdicts(studies: Mapping[str, Study], _: Say) -> list[Block]:
    """For each measure, the first two systems and what can be said of them."""
    blocks: list[Block] = []
    for name, study in studies.items():
        order = _systems(study)["run"].tolist()
        if len(order) > 1:
            table = study.found.comparisons[study.found.comparisons["measure"] == name]
            row = table[(table["a"] == order[0]) & (table["b"] == order[1])]
            verdict = _(VERDICTS[row["verdict"].iloc[0]]) if len(row) else _(VERDICTS["cannot be told apart"])
            words = _("{measure}: {a} comes first, {b} second; {verdict}.", measure=name, a=order[0], b=order[1], verdict=verdict)  # fmt: skip
            blocks.append(words)
    return blocks


def define(manifest: Mapping[str, Any], studies: Mapping[str, Study], by: str, seed: int, _: Say) -> list[Block]:
    """Measures, options, rule, query set, order rule, seeds, inputs."""
    rule = manifest["rule"]
    blocks: list[Block] = [
        _(
            "Score by the project's rule: one grade a pair by the rule {rule} (ties: {ties}); decisions of leads win over it. {graded} pairs have a grade, {open} are open and count as unjudged.",
            rule=rule["rule"],
            ties=rule["ties"],
            graded=f"{manifest['counts']['pairs'] - manifest['counts']['open']:,}",
            open=f"{manifest['counts']['open']:,}",
        ),
        _("A set of qrels takes {unit}. Seed: {seed}.", unit=_(UNITS.get(by, by)), seed=seed),
    ]
    if rule.get("undefined"):
        blocks.append(_("The rule is undefined here: {why}.", why=rule["undefined"]))
    definition = {
        "rule": rule,
        "rubric": manifest["rubric"],
        "filters": manifest["filters"],
        "agreement": manifest["agreement"]["definition"],
        "disagreement": {name: study.found.definition for name, study in studies.items()},
        "scores": {name: study.scored.definition for name, study in studies.items() if study.scored is not None},
        "tool": manifest["tool"],
    }
    rows = pd.DataFrame(_flat(definition), columns=["what", "value"])
    blocks.append(Table("definitions", _("Definitions"), rows, {"what": _("What"), "value": _("Value")}, len(rows)))
    inputs = pd.DataFrame(manifest["inputs"], columns=["kind", "file", "tag", "sha256"]).fillna("")
    if len(inputs):
        shown = {"kind": _("Kind"), "file": _("File"), "sha256": "SHA-256"}
        blocks.append(Table("inputs", _("What was imported"), inputs, shown, MOST_SYSTEMS))
    remarks = [remark.text for study in list(studies.values())[:1] for remark in study.found.remarks]
    blocks += [_("Noticed: {what}", what=text) for text in remarks[:20]]
    return blocks


def _flat(value: Any, path: str = "") -> list[tuple[str, str]]:
    """Nested values as lines: the way to each, and its text; lists of plain values stay in one line."""
    if isinstance(value, Mapping):
        return [row for name, one in value.items() for row in _flat(one, f"{path}.{name}" if path else str(name))]
    if isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value):
        return [row for number, one in enumerate(value) for row in _flat(one, f"{path}[{number}]")]
    if isinstance(value, list | tuple):
        return [(path, ", ".join(map(str, value)))]
    return [(path, "" if value is None else str(value))]
