"""The sections of a report, in a language: what was judged, how well raters agree, what was settled, scores and verdicts.

Knows numbers that are ready and words; no database. Scores and verdicts stand in report_scores.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd

from labeling.exchange.report_charts import draw_bars, draw_intervals, draw_shares
from labeling.exchange.report_parts import Block, Chart, Quote, Report, Section, Table
from labeling.i18n import mark, translate
from labeling.projects import Project
from labeling.report_scores import Study, define, show_scores, show_verdicts, sum_up_verdicts
from labeling.rubrics import Rubric
from labeling.words import DISPUTE_RULES, Say, coefficient_words, reason_words

__all__ = ["Facts", "Study", "compose"]


@dataclass(frozen=True, eq=False)
class Facts:
    """Everything that a report says, from one state of the ledger."""

    project: Project
    rubric: Rubric
    manifest: Mapping[str, Any]
    votes: pd.DataFrame
    judgments: pd.DataFrame
    newest: datetime | None
    queries: pd.DataFrame
    per_pair: pd.DataFrame
    boundaries: pd.DataFrame | None
    disputed: int
    settled: int
    decisions: pd.DataFrame
    studies: Mapping[str, Study]
    by: str
    seed: int


def compose(facts: Facts, language: str) -> Report:
    """The report of these facts."""

    def say(message: str, **values: object) -> str:
        return translate(language, message, **values)

    sections = (
        Section(say(mark("In short")), _sum_up(facts, say)),
        Section(say(mark("What was judged")), _show_judged(facts, say)),
        Section(say(mark("The rubric")), _show_rubric(facts, say)),
        Section(say(mark("How well raters agree")), _show_agreement(facts, say)),
        Section(say(mark("How disputes were settled")), _show_disputes(facts, say)),
        Section(say(mark("Scores")), show_scores(facts.studies, say)),
        Section(say(mark("Which system is better")), show_verdicts(facts.studies, say)),
        Section(say(mark("What every number means")), define(facts.manifest, facts.studies, facts.by, facts.seed, say)),
    )
    title = say(mark("Label quality report: {project}"), project=facts.project.name)
    subtitle = say(mark("Nobody has judged yet."))
    if facts.newest:
        newest = f"{facts.newest:%Y-%m-%d}"
        subtitle = say(mark("The state of {day} (UTC), the day of the newest judgment"), day=newest)
    return Report(title, subtitle, language, sections)


def _sum_up(facts: Facts, _: Say) -> list[Block]:
    """What a reader takes away who reads no further."""
    alpha = next(
        one
        for one in facts.manifest["agreement"]["coefficients"]
        if (one["name"], one["level"]) == ("krippendorff_alpha", "ordinal")
    )
    counts = facts.manifest["counts"]
    blocks: list[Block] = [
        _("{votes} votes, {raters} raters, {decisions} decisions; {graded} of {pairs} pairs have a grade.",
          votes=f"{counts['votes']:,}", raters=counts["raters"], decisions=f"{counts['decisions']:,}",
          graded=f"{counts['pairs'] - counts['open']:,}", pairs=f"{counts['pairs']:,}")
    ]  # fmt: skip
    if counts["open"]:
        words = _("{open} pairs are open: the rule {rule} leaves them without a grade, and scores by it count them as unjudged.",
                  open=f"{counts['open']:,}", rule=facts.manifest["rule"]["rule"])  # fmt: skip
        blocks.append(words)
    if alpha["undefined"]:
        blocks.append(_("Agreement is undefined, as {why}.", why=_(alpha["undefined"])))
    else:
        interval = "" if alpha["low"] is None else f" ({alpha['low']:.3f} to {alpha['high']:.3f})"
        blocks.append(_("Krippendorff's alpha, ordinal: {value}.", value=f"{alpha['value']:.3f}{interval}"))
    return [*blocks, *sum_up_verdicts(facts.studies, _)]


def _show_judged(facts: Facts, _: Say) -> list[Block]:
    counts = facts.manifest["counts"]
    judged = facts.votes.groupby(["query_id", "doc_id"]).ngroups
    blocks: list[Block] = [
        _(
            "{votes} votes of {raters} raters on {pairs} pairs of {queries} queries. Wanted were {overlap} votes a pair unless said otherwise.",
            votes=f"{counts['votes']:,}",
            raters=f"{counts['raters']:,}",
            pairs=f"{judged:,}",
            queries=f"{facts.votes['query_id'].nunique():,}",
            overlap=facts.project.overlap,
        ),
        _(
            "A vote is a grade given in production, within the votes wanted, by a rater who votes and is not set aside. {all} current "
            "judgments are in the ledger, those that are no votes included; {carried} votes were carried over from near-duplicates.",
            all=f"{len(facts.judgments):,}",
            carried=f"{counts['carried_votes']:,}",
        ),
    ]
    if facts.project.note:
        blocks.append(Quote(facts.project.note))
    if len(facts.per_pair):
        title, words = _("Pairs by number of votes"), _("How many pairs have how many votes")
        blocks.append(
            Chart("votes", title, draw_bars(facts.per_pair, x="votes", y="pairs", x_title=_("votes"), y_title=_("pairs")), words)
        )  # fmt: skip
    if len(facts.votes):
        blocks += _show_raters(facts, _)
    return blocks


def _show_raters(facts: Facts, _: Say) -> list[Block]:
    levels = {level.grade: f"{level.grade} {level.label}" for level in facts.rubric.levels}
    table = pd.crosstab(facts.votes["rater"], facts.votes["grade"]).reindex(columns=list(levels), fill_value=0)
    table = table.rename(columns=levels).rename_axis(columns=None).reset_index()
    table.insert(1, "votes", table[list(levels.values())].sum(axis=1))
    shown = {"rater": _("Rater"), "votes": _("Votes"), **{name: name for name in levels.values()}}
    spec = draw_shares(table, name="rater", grades=list(levels.values()), title=_("share of the rater's votes"))
    return [
        Table("raters", _("Votes of each rater, by grade"), table, shown),
        Chart("grades", _("The share of each grade among a rater's votes"), spec, _("A bar a rater, cut by grades")),
    ]


def _show_rubric(facts: Facts, _: Say) -> list[Block]:
    rubric = facts.rubric
    levels = pd.DataFrame(
        [(one.grade, one.label, one.definition, one.examples) for one in rubric.levels],
        columns=["grade", "label", "definition", "examples"],
    )
    shown = {"grade": _("Grade"), "label": _("Word"), "definition": _("Meaning"), "examples": _("Examples")}
    if not levels["examples"].astype(bool).any():
        del shown["examples"]
    blocks: list[Block] = [
        _("The current rubric is version {version}.", version=rubric.version),
        Quote(rubric.text),
        Table("levels", _("The grades"), levels, shown),
    ]
    made = facts.manifest["counts"]["by_rubric_version"]
    if made:
        each = ", ".join(_("{count} under version {version}", count=f"{n:,}", version=name) for name, n in made.items())
        blocks.append(_("Judgments were made: {each}.", each=each))
    return blocks


def _show_agreement(facts: Facts, _: Say) -> list[Block]:
    found = facts.manifest["agreement"]
    blocks: list[Block] = [
        _(
            "Over {paired} pairs with two votes or more. Intervals are the middle 95 % of resampled queries ({interval}; seed {seed}). "
            "1 is perfect agreement, 0 what chance would give.",
            paired=f"{found['paired']:,}",
            interval=found["definition"]["interval"],
            seed=found["definition"]["seed"],
        )
    ]
    rows = [
        (coefficient_words(one["name"], one["level"], _), one["value"], one["low"], one["high"], one["n"], one["undefined"] or "")
        for one in found["coefficients"]
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["coefficient", "value", "low", "high", "n", "undefined"])
    shown = {"coefficient": _("Coefficient"), "value": _("Value"), "low": _("Low"), "high": _("High"), "n": _("Pairs"), "undefined": _("Undefined, as")}  # fmt: skip
    if not table["undefined"].astype(bool).any():
        del shown["undefined"]
    table = table.astype(dict.fromkeys(("value", "low", "high"), float))
    blocks.append(Table("agreement", _("Agreement"), table, shown))
    known = table[table["value"].notna()]
    if len(known):
        spec = draw_intervals(known, name="coefficient", value="value", spans=[("low", "high")], title=_("agreement"))
        words = _("A point a coefficient, and a line over its interval")
        blocks.append(Chart("agreement", _("Coefficients with their intervals"), spec, words))
    if facts.boundaries is not None and len(facts.boundaries):
        blocks += _show_boundaries(facts.boundaries, _)
    return blocks


def _show_boundaries(boundaries: pd.DataFrame, _: Say) -> list[Block]:
    table = boundaries[["part", "equal", "alpha", "alpha_low", "alpha_high", "undefined"]].round(6)
    table = table.assign(undefined=[one or "" for one in table["undefined"]])
    shown = {
        "part": _("Between grades"),
        "equal": _("Equal grades"),
        "alpha": _("Alpha"),
        "alpha_low": _("Low"),
        "alpha_high": _("High"),
    }
    words = _("Which step of the rubric fails: agreement on the side of each boundary that a pair lies on.")
    return [words, Table("boundaries", _("Agreement at each boundary of the scale"), table, shown)]


def _show_disputes(facts: Facts, _: Say) -> list[Block]:
    blocks: list[Block] = [
        _(
            "A pair is disputed when its votes are complete and differ by the rule: {rule}. {disputed} pairs are disputed, {settled} of them "
            "settled by a lead. Every vote against a decision is kept beside it.",
            rule=_(DISPUTE_RULES[facts.project.dispute_rule]),
            disputed=f"{facts.disputed:,}",
            settled=f"{facts.settled:,}",
        )
    ]
    if facts.decisions.empty:
        return [*blocks, _("No decision was made.")]
    counts = facts.decisions["reason"].value_counts().rename_axis("reason").reset_index(name="decisions")
    counts = counts.sort_values(["decisions", "reason"], ascending=[False, True], ignore_index=True)
    counts["words"] = [reason_words(one, _) for one in counts["reason"]]
    shown = {"words": _("Reason"), "decisions": _("Decisions")}
    return [*blocks, Table("decisions", _("Decisions by reason"), counts, shown)]
