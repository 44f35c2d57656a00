"""Which votes a question is about: queries, a slice of them, raters, versions of the rubric, a span of time.

Knows tables only: no database, no page, no option of a command.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

import pandas as pd

from labeling.errors import AssayError

__all__ = ["Selection", "select_votes", "slice_columns"]

_NO_SLICES = ("query_id", "text", "narrative")


@dataclass(frozen=True)
class Selection:
    """What is asked for; whatever is left empty asks for everything.

    slices names columns of the queries and the values wanted of each. since and until are days (UTC), both included.
    """

    queries: tuple[str, ...] = ()
    without_queries: tuple[str, ...] = ()
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    since: date | None = None
    until: date | None = None

    def to_json(self) -> dict[str, Any]:
        """What was asked for, as plain values; what asks for everything is left out."""
        plain: dict[str, Any] = {
            "queries": list(self.queries),
            "excluded_queries": sorted(self.without_queries),
            "slices": {name: list(values) for name, values in self.slices.items()},
            "raters": list(self.raters),
            "rubric_versions": list(self.versions),
            "since": self.since and self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
        }
        return {name: value for name, value in plain.items() if value}


def slice_columns(queries: pd.DataFrame) -> list[str]:
    """The columns of the queries that cut them into slices: those of their files with more than one value."""
    return [str(name) for name in queries.columns if name not in _NO_SLICES and len(set(queries[name].fillna(""))) > 1]


def select_votes(votes: pd.DataFrame, chosen: Selection, queries: pd.DataFrame | None = None) -> pd.DataFrame:
    """The votes that are asked for, in their order.

    Parameters
    ----------
    votes : DataFrame with query_id, doc_id, rater, grade
        And with rubric_version where versions, with judged_at where a span of time is asked for.
    queries : DataFrame with query_id and the columns that slices name, optional

    Raises
    ------
    AssayError
        Something is asked for that the votes do not say.
    """
    wanted = pd.Series(data=True, index=votes.index)
    for name, values in chosen.slices.items():
        wanted &= votes["query_id"].isin(_queries_of_slice(queries, name, values))
    if chosen.queries:
        wanted &= votes["query_id"].isin(chosen.queries)
    wanted &= ~votes["query_id"].isin(chosen.without_queries)
    if chosen.raters:
        wanted &= votes["rater"].isin(chosen.raters)
    if chosen.versions:
        wanted &= _said(votes, "rubric_version").astype("Int64").isin(chosen.versions)
    if chosen.since is not None:
        wanted &= _moments(votes) >= _start_of(chosen.since)
    if chosen.until is not None:
        wanted &= _moments(votes) < _start_of(chosen.until) + pd.Timedelta(days=1)
    return votes[wanted.astype(bool)].reset_index(drop=True)


def _queries_of_slice(queries: pd.DataFrame | None, name: str, values: tuple[str, ...]) -> pd.Series:
    known = [] if queries is None else slice_columns(queries)
    if queries is None or name not in queries.columns:
        raise AssayError(
            f"a slice: expected a column of the queries ({', '.join(known) or 'there is none'}), found {name}"
        )
    return queries.loc[queries[name].fillna("").astype(str).isin(values), "query_id"]


def _said(votes: pd.DataFrame, column: str) -> pd.Series:
    if column not in votes.columns or votes[column].isna().all():
        raise AssayError(f"expected judgments that say their {column}, found none that does")
    return pd.to_numeric(votes[column], errors="coerce") if column == "rubric_version" else votes[column]


def _moments(votes: pd.DataFrame) -> pd.Series:
    return pd.to_datetime(_said(votes, "judged_at"), utc=True, format="ISO8601", errors="coerce")


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
