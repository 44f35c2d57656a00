"""Votes of several raters: the table, its check, and reading it from CSV, TSV or JSON lines.

Knows columns; nothing of runs or measures. Other judgment formats are read elsewhere.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics._json import is_json, read_json_lines
from metrics._layout import recognise
from metrics._lines import MOST_FAULTS, Rows, raise_faults, read_exactly
from metrics._source import Source, load_source
from metrics._values import QrelsChoices, convert_grades
from metrics.errors import InputError
from metrics.tables import Remark

__all__ = ["Votes", "as_votes", "read_votes"]

COLUMNS = ("query_id", "doc_id", "rater", "grade")
_NO_VOTES = {"cannot_judge", "skip", "failed", "empty"}
_TRUE, _FALSE = {"true", "1", "yes"}, {"false", "0", "no"}


@dataclass(frozen=True, eq=False)
class Votes:
    """One grade for each pair and rater.

    Parameters
    ----------
    table : DataFrame
        query_id, doc_id, rater, grade; at most one row for a pair and rater.
    name : str
    remarks : tuple of Remark
    """

    table: pd.DataFrame
    name: str = "votes"
    remarks: tuple[Remark, ...] = ()


def read_votes(source: Source, *, name: str | None = None) -> Votes:
    """Read votes: CSV or TSV with the columns query_id, doc_id, rater, grade, or JSON lines; plain or gzip.

    Raises
    ------
    InputError, InputErrors
        With file and line, when a column is absent, a grade is no whole number, a row of kind grade has none, or a
        rater graded a pair twice.

    Notes
    -----
    Rows that are no votes are left out and counted: those without a grade, those whose column ``kind`` says cannot_judge,
    skip, failed or empty, and those that ``is_vote`` (false) or ``surplus`` (true) takes out.
    """
    text, called = load_source(source, name)
    rows = read_json_lines(text, called, "votes") if is_json(text) else None
    if rows is None:
        rows = read_exactly(text, recognise(text, "votes", called), called)
        raise_faults(rows.faults[:MOST_FAULTS])
    remarks: list[Remark] = []
    _leave_out_no_votes(rows, called, remarks)
    columns = convert_grades(rows, called, QrelsChoices(), remarks)
    table = pd.DataFrame(
        {name: pd.array(columns[name].to_pylist(), dtype="str") for name in COLUMNS[:3]}
        | {"grade": columns["relevance"].to_numpy()}
    )
    twice = table.duplicated(["query_id", "doc_id", "rater"], keep="first")
    faults = [
        InputError(called, rows.lines[row], "one grade for a pair and rater", f"{table['rater'][row]!r} again for query {table['query_id'][row]!r}, document {table['doc_id'][row]!r}")
        for row in np.flatnonzero(twice.to_numpy())[:MOST_FAULTS]
    ]  # fmt: skip
    raise_faults(faults)
    return Votes(table, called, tuple(remarks))


def _leave_out_no_votes(rows: Rows, called: str, remarks: list[Remark]) -> None:
    blank = [""] * len(rows.lines)
    grades = [each.strip() for each in rows.fields["relevance"]]
    kinds = [each.strip().lower() for each in rows.fields.get("kind", blank)]
    is_vote = [each.strip().lower() for each in rows.fields.get("is_vote", blank)]
    surplus = [each.strip().lower() for each in rows.fields.get("surplus", blank)]
    kept, faults, passed = [], [], 0
    lost: Counter[str] = Counter()
    for row, (grade, kind) in enumerate(zip(grades, kinds, strict=True)):
        if kind in _NO_VOTES or (not grade and kind != "grade"):
            lost[kind or "empty"] += 1
        elif not grade:
            faults.append(InputError(called, rows.lines[row], "a grade in a row of kind grade", "none"))
        elif is_vote[row] in _FALSE or surplus[row] in _TRUE:
            passed += 1
        else:
            kept.append(row)
    raise_faults(faults[:MOST_FAULTS])
    if lost:
        each = ", ".join(f"{count} {kind}" for kind, count in sorted(lost.items()))
        said = f"{lost.total()} rows without a grade are no votes and were left out ({each})"
        remarks.append(Remark.of("no_grade", lost.total(), said))
    if passed:
        said = f"{passed} graded rows do not count as votes (is_vote false, or surplus) and were left out"
        remarks.append(Remark.of("not_counted", passed, said))
    if lost or passed:
        for column in rows.fields.values():
            column[:] = [column[row] for row in kept]
        rows.lines[:] = [rows.lines[row] for row in kept]


def as_votes(votes: Votes | pd.DataFrame) -> Votes:
    """Votes from votes or from a table query_id, doc_id, rater, grade, which is checked."""
    if isinstance(votes, Votes):
        return votes
    lacking = [column for column in COLUMNS if column not in votes.columns]
    if lacking:
        raise InputError("votes", None, f"the columns {', '.join(COLUMNS)}", ", ".join(map(str, votes.columns)))
    if votes["grade"].isna().any():
        raise InputError("votes", None, "a grade in every row", f"{int(votes['grade'].isna().sum())} rows without one")
    twice = votes.duplicated(["query_id", "doc_id", "rater"])
    if twice.any():
        row = votes[twice].iloc[0]
        raise InputError("votes", None, "one grade for a pair and rater", f"{row['rater']!r} twice for query {row['query_id']!r}, document {row['doc_id']!r}")  # fmt: skip
    return Votes(votes[list(COLUMNS)].reset_index(drop=True))
