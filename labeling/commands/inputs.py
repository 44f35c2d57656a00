"""Votes for a command, from judgment files or from a project, and the options that say how doubtful rows are read.

Knows paths, options and standard error; the reading itself is in labeling.exchange.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from labeling.commands.parsing import say
from labeling.errors import InputError
from labeling.exchange.judgments import JUDGMENT_FIELDS, read_judgments, votes_of
from labeling.exchange.tables import Imported, LeftOut
from labeling.exchange.writing import describe_file
from metrics import Run
from metrics.tables import Remark

__all__ = [
    "CommandVotes",
    "add_reading_options",
    "add_votes_arguments",
    "print_notes",
    "read_checked_votes",
    "read_files",
    "reading_choices",
]

_FILE_HELP = "judgments: CSV, TSV, JSON lines, exports of doccano, Label Studio, Argilla or Quepid, or TREC qrels, plain or gzip; - reads standard input. A file without a rater column is one rater, named after the file"


@dataclass(frozen=True)
class CommandVotes:
    """The votes of a command and where they come from.

    inputs lists each file's name, SHA-256 and size, or names the project; notes says what was left out or converted;
    choices how doubtful rows were read. runs, decisions and weights by gold are a project's own.
    """

    votes: pd.DataFrame
    grades: tuple[int, ...]
    inputs: list[dict[str, Any]]
    notes: tuple[LeftOut | Remark, ...] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    decisions: pd.DataFrame | None = None
    runs: tuple[Run, ...] = ()
    weights: Mapping[str, float] | None = None
    details: pd.DataFrame | None = None  # the votes of files with rubric_version and judged_at, as far as they say them


def add_votes_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE..., --project, --exclude-query and the options of reading."""
    parser.add_argument("files", metavar="FILE", nargs="*", help=_FILE_HELP)
    parser.add_argument("--project", metavar="NAME", help="the votes of a project of the database instead of files")
    parser.add_argument(
        "--exclude-query", action="append", default=[], metavar="ID", help="leave a query out; may be repeated"
    )
    add_reading_options(parser)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """The choices for rows that can be read in more than one way."""
    group = parser.add_argument_group("how files are read")
    group.add_argument(
        "--grades",
        type=_scale,
        default=(0, 1, 2, 3),
        metavar="LOW-HIGH",
        help="the scale, such as 0-3 (the default) or 0,1,3",
    )
    group.add_argument(
        "--column",
        type=_column,
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help=f"which column holds a field ({', '.join(list(JUDGMENT_FIELDS)[:4])}, ...); may be repeated",
    )
    group.add_argument(
        "--repeats",
        choices=("newest", "first", "error"),
        default="newest",
        help="one rater, one pair, judged more than once: which judgment stands (newest)",
    )
    group.add_argument(
        "--double-labels",
        choices=("leave_out", "lower", "higher"),
        default="leave_out",
        help="several labels at once (leave_out)",
    )
    group.add_argument(
        "--narrative",
        choices=("all", "first", "last"),
        default="all",
        help="one query judged under several narratives: which of them counts (all)",
    )
    group.add_argument(
        "--out-of-scale",
        choices=("error", "leave_out", "clip"),
        default="error",
        help="a grade outside the scale (error)",
    )
    group.add_argument(
        "--look-alikes",
        choices=("keep", "merge"),
        default="keep",
        help="rater names that differ only in case, blanks or Unicode form (keep)",
    )
    _add_label_options(group)
    group.add_argument("--encoding", metavar="NAME", help="for files that are neither UTF-8 nor marked, such as cp949 or latin-1")  # fmt: skip


def _add_label_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--label",
        type=_label,
        action="append",
        default=[],
        metavar="WORD=GRADE",
        help="what a word label means; may be repeated",
    )
    group.add_argument(
        "--unknown-labels",
        choices=("error", "leave_out"),
        default="error",
        help="a label that says no grade and that no --label explains (error)",
    )


def read_checked_votes(chosen: argparse.Namespace) -> CommandVotes:
    """The votes that the arguments ask for, without the excluded queries; notes go to standard error.

    Wrong use where they name neither files nor a project, or both.
    """
    if bool(chosen.files) == bool(chosen.project):
        chosen.parser.error("give judgment files, or --project NAME, and not both")
    if chosen.files.count("-") > 1:
        chosen.parser.error("only one input can be standard input (-)")
    if chosen.project:
        from labeling.commands.store_details import read_project  # noqa: PLC0415 - it makes CommandVotes itself

        found = read_project(chosen.project)
    else:
        found = _read_file_votes(chosen)
    print_notes(found.notes)
    return _without_queries(found, chosen.exclude_query)


def read_files(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Name and content of each file; - is standard input."""
    return [(_name(path), _content(path)) for path in paths]


def print_notes(notes: Sequence[LeftOut | Remark]) -> None:
    """One line a note on standard error."""
    for note in notes:
        text = f"left out: {note}" if isinstance(note, LeftOut) else f"note: {note.text}"
        example = f" (such as {note.examples[0]})" if note.examples else ""
        say(f"{text}{example}")


def reading_choices(chosen: argparse.Namespace) -> dict[str, Any]:
    """How doubtful rows are read, as read_judgments takes it."""
    names = ("repeats", "double_labels", "narrative", "out_of_scale", "look_alikes", "unknown_labels")
    return {**{name: getattr(chosen, name) for name in names}, "labels": dict(chosen.label)}


def _read_file_votes(chosen: argparse.Namespace) -> CommandVotes:
    files = read_files(chosen.files)
    choices = reading_choices(chosen)
    imported: Imported = read_judgments(
        files, mapping=dict(chosen.column), grades=chosen.grades, encoding=chosen.encoding, **choices
    )
    inputs = [describe_file(name, content) for name, content in files]
    notes: tuple[LeftOut | Remark, ...] = (*imported.left_out, *imported.remarks)
    votes = votes_of(imported.table)
    return CommandVotes(votes, chosen.grades, inputs, notes, choices, details=_with_details(votes, imported.table))


def _with_details(votes: pd.DataFrame, judgments: pd.DataFrame) -> pd.DataFrame:
    keys = ["query_id", "doc_id", "rater"]
    graded = judgments[(judgments["kind"] == "grade") & judgments["grade"].notna()]
    newest = graded.drop_duplicates(keys, keep="last")[[*keys, "rubric_version", "judged_at"]]
    details = votes.merge(newest, on=keys, how="left")
    versions = pd.to_numeric(details["rubric_version"], errors="coerce").astype("Float64")
    said = details["judged_at"].astype(object).where(details["judged_at"].notna() & (details["judged_at"] != ""), None)
    return details.assign(rubric_version=versions.where(versions % 1 == 0).astype("Int64"), judged_at=said)


def _without_queries(found: CommandVotes, excluded: Sequence[str]) -> CommandVotes:
    if not excluded:
        return found
    known = set(found.votes["query_id"])
    strangers = sorted(query for query in set(excluded) if query not in known)
    if strangers:
        say(f"note: {len(strangers)} queries to leave out have no vote ({', '.join(strangers[:5])})")
    votes = found.votes[~found.votes["query_id"].isin(excluded)].reset_index(drop=True)
    decisions = found.decisions
    if decisions is not None:
        decisions = decisions[~decisions["query_id"].isin(excluded)].reset_index(drop=True)
    choices = {**found.choices, "excluded_queries": sorted(excluded)}
    details = found.details
    if details is not None:
        details = details[~details["query_id"].isin(excluded)].reset_index(drop=True)
    return replace(found, votes=votes, choices=choices, decisions=decisions, details=details)


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


def _content(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    place = Path(path)
    if place.is_dir():
        raise InputError(path, None, "a file", "a folder")
    try:
        return place.read_bytes()
    except OSError as error:
        raise InputError(path, None, "a file that can be read", (error.strerror or str(error)).lower()) from error


def _scale(text: str) -> tuple[int, ...]:
    try:
        low, dash, high = text.partition("-")
        grades = tuple(range(int(low), int(high) + 1)) if dash and low else tuple(int(part) for part in text.split(","))
    except ValueError:
        grades = ()
    if len(grades) < 2 or sorted(set(grades)) != list(grades):
        raise argparse.ArgumentTypeError(f"expected two or more rising grades such as 0-3 or 0,1,3, found {text}")
    return grades


def _label(text: str) -> tuple[str, int]:
    word, equals, grade = text.rpartition("=")
    if not equals or not word or not grade.lstrip("-").isdigit():
        raise argparse.ArgumentTypeError(f"expected WORD=GRADE such as 'Exact=3', found {text}")
    return word, int(grade)


def _column(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not equals or name not in JUDGMENT_FIELDS or not column:
        raise argparse.ArgumentTypeError(
            f"expected FIELD=COLUMN with a field of {', '.join(JUDGMENT_FIELDS)}, found {text}"
        )
    return name, column
