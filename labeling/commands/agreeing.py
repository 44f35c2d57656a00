"""``agreement``: how far raters agree, over any selection of votes, and where it breaks.

Knows options and formats; computes nothing itself. Standard output carries only the answer.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

import pandas as pd

from labeling import breakdown
from labeling.agreement import AgreementReport, RaterPair, count_grades, measure_agreement
from labeling.commands.inputs import CommandVotes, add_votes_arguments, read_checked_votes
from labeling.commands.parsing import Commands, add_command, say
from labeling.commands.store_details import read_details
from labeling.errors import AssayError
from labeling.selection import Selection, select_votes
from metrics.printing import to_csv, to_json, to_text

__all__ = ["add_parser"]

_EPILOG = """examples:
  python -m labeling agreement judgments/*.jsonl
  python -m labeling agreement votes.csv --exclude-query 443396 --format json
  python -m labeling agreement votes.csv --rater ann --rater bob --since 2026-03-01 --by boundary
  python -m labeling agreement --project "My project" --slice language=ko --by query
  python -m labeling agreement ann.csv bob.csv --label Exact=3 --label Partial=1 --label Irrelevant=0

Read the coefficients together: where one grade is rare, kappa and alpha are low in spite of many equal grades.
low and high bound the bootstrap's middle 95 %; an undefined value says why. cohen_kappa of more than two raters is the
mean over every two, by common pairs. --by boundary cuts the scale in two at each grade: the lowest is the clause of the
rubric that fails."""

_CUTS = ("boundary", "grade", "query", "version", "day", "tenth")


def add_parser(commands: Commands) -> None:
    """Add the command; it sets ``run``, a function from the chosen options to an exit code."""
    parser = add_command(commands, "agreement", "Say how far raters agree", _EPILOG)
    add_votes_arguments(parser)
    _add_selection(parser)
    parser.add_argument(
        "--resample", choices=("query", "pair"), default="query", help="what the intervals resample (query)"
    )
    parser.add_argument(
        "--draws", type=_count, default=1000, metavar="N", help="resamples; 0 leaves the intervals out (1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="fixes the resamples (0)")
    parser.add_argument(
        "--by", type=_cut, metavar="CUT", help=f"where it breaks: {', '.join(_CUTS)}, or slice:COLUMN of a project"
    )
    shown = ("coefficients", "raters", "grades", "breakdown")
    parser.add_argument("--show", choices=shown, default="coefficients", help="which table csv prints")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(run=_run, parser=parser)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which votes")
    several = (
        ("--query", str, "ID", "only this query"),
        ("--rater", str, "NAME", "only this rater"),
        ("--rubric-version", int, "N", "only judgments under this version"),
        ("--slice", _slice, "COLUMN=VALUE", "only queries with this value in a column of a project's queries"),
    )
    for name, kind, metavar, words in several:
        told = f"{words}; may be repeated"
        group.add_argument(name, type=kind, action="append", default=[], metavar=metavar, help=told)
    group.add_argument("--since", type=_day, metavar="DATE", help="only judgments of this day (UTC) and later")
    group.add_argument("--until", type=_day, metavar="DATE", help="only judgments of this day (UTC) and earlier")


def _run(chosen: argparse.Namespace) -> int:
    if chosen.show == "breakdown" and chosen.by is None:
        chosen.parser.error("--show breakdown needs --by")
    given = read_checked_votes(chosen)
    votes, queries = _details(chosen, given)
    selection = _selection(chosen)
    votes = select_votes(votes, selection, queries)
    report = measure_agreement(
        votes, grades=given.grades, draws=chosen.draws, seed=chosen.seed, resample=chosen.resample
    )
    for caution in report.warnings:
        say(f"warning: {caution}")
    grades = count_grades(votes, given.grades)
    broken = None if chosen.by is None else _break(chosen, votes, queries, given.grades)
    if chosen.format == "json":
        sys.stdout.write(to_json(_json(report, grades, selection, chosen.by, broken)))
    elif chosen.format == "csv":
        tables = {
            "coefficients": _coefficient_table(report),
            "raters": _rater_table(report),
            "grades": grades.reset_index(),
        }
        sys.stdout.write(to_csv(broken if chosen.show == "breakdown" and broken is not None else tables[chosen.show]))
    else:
        sys.stdout.write(_text(report, grades, broken))
    return 0


def _details(chosen: argparse.Namespace, given: CommandVotes) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """The votes with their rubric version and moment, where they have any; and the queries of a project."""
    if not chosen.project:
        return given.votes if given.details is None else given.details, None
    votes, queries = read_details(chosen.project)
    return votes[~votes["query_id"].isin(chosen.exclude_query)].reset_index(drop=True), queries


def _selection(chosen: argparse.Namespace) -> Selection:
    slices: dict[str, tuple[str, ...]] = {}
    for column, value in chosen.slice:
        slices[column] = (*slices.get(column, ()), value)
    return Selection(
        queries=tuple(chosen.query),
        without_queries=tuple(chosen.exclude_query),
        slices=slices,
        raters=tuple(chosen.rater),
        versions=tuple(chosen.rubric_version),
        since=chosen.since,
        until=chosen.until,
    )


def _break(
    chosen: argparse.Namespace, votes: pd.DataFrame, queries: pd.DataFrame | None, grades: Sequence[int]
) -> pd.DataFrame:
    how = {"draws": chosen.draws, "seed": chosen.seed, "resample": chosen.resample}
    if chosen.by == "boundary":
        return breakdown.by_boundary(votes, grades, **how)
    if chosen.by == "grade":
        return breakdown.by_grade(votes, grades, draws=chosen.draws, seed=chosen.seed)
    if chosen.by == "query":
        return breakdown.by_query(votes, grades)
    if chosen.by in ("day", "tenth"):
        _refuse_unsaid(votes, "judged_at")
        return breakdown.by_time(votes, grades, step=chosen.by, **how)
    if chosen.by == "version":
        _refuse_unsaid(votes, "rubric_version")
        return breakdown.by_group(votes, votes["rubric_version"], grades, **how)
    column = chosen.by.removeprefix("slice:")
    if queries is None or column not in queries.columns:
        raise AssayError(f"--by: expected a column of a project's queries, found {column}")
    values = dict(zip(queries["query_id"], queries[column].fillna("").astype(str), strict=True))
    return breakdown.by_group(votes, votes["query_id"].map(values), grades, **how)


def _refuse_unsaid(votes: pd.DataFrame, column: str) -> None:
    if column not in votes.columns or votes[column].isna().all():
        raise AssayError(f"--by: expected judgments that say their {column}, found none that does")


def _json(
    report: AgreementReport, grades: pd.DataFrame, selection: Selection, by: str | None, broken: pd.DataFrame | None
) -> dict[str, Any]:
    found = report.to_json() | {"grade_counts": _grade_counts(grades)}
    found["definition"] |= {"selection": selection.to_json()}
    if broken is not None:
        plain = broken.astype(object).where(broken.notna(), None)
        found["breakdown"] = {"by": by, "parts": plain.to_dict("records")}
    return found


def _grade_counts(grades: pd.DataFrame) -> dict[str, dict[str, int]]:
    return {str(rater): {str(grade): int(row[grade]) for grade in grades.columns} for rater, row in grades.iterrows()}


def _coefficient_table(report: AgreementReport) -> pd.DataFrame:
    table = pd.DataFrame([vars(found) for found in report.coefficients])
    return table.assign(undefined=table["undefined"].fillna(""))


def _rater_table(report: AgreementReport) -> pd.DataFrame:
    rows = [
        dict(zip("ab", pair.raters, strict=True)) | vars(pair) | {"undefined": pair.undefined or ""}
        for pair in report.rater_pairs
    ]
    columns = ["a", "b", *(name for name in RaterPair.__dataclass_fields__ if name != "raters")]
    return pd.DataFrame(rows, columns=columns)


def _text(report: AgreementReport, grades: pd.DataFrame, broken: pd.DataFrame | None) -> str:
    parts = [
        f"{report.pairs} pairs, {report.raters} raters, {report.votes} votes; {report.paired} pairs with two votes or more\n",
        to_text(_coefficient_table(report)),
    ]
    if broken is not None:
        parts.append(to_text(broken.assign(undefined=broken["undefined"].fillna(""))))
    if report.rater_pairs:
        parts.append(to_text(_rater_table(report)))
    shown = grades.rename(columns={grade: f"grade {grade}" for grade in grades.columns}).reset_index()
    parts.append(to_text(shown))
    return "\n".join(parts)


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected 0 or more, found {text}")
    return int(text)


def _cut(text: str) -> str:
    if text not in _CUTS and not text.startswith("slice:"):
        raise argparse.ArgumentTypeError(f"expected {', '.join(_CUTS)} or slice:COLUMN, found {text}")
    return text


def _slice(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise argparse.ArgumentTypeError(f"expected COLUMN=VALUE such as language=ko, found {text}")
    return column, value


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected a day such as 2026-03-01, found {text}") from error
