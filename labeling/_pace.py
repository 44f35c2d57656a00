"""How quickly acts follow each other: series of judgments that are quicker than anybody reads.

Knows tables of judgments only.
"""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pandas as pd

__all__ = ["FAST_SECONDS", "Series", "find_fast_series"]

FAST_SECONDS = 2.0
SHORTEST_SERIES = 5


@dataclass(frozen=True)
class Series:
    """Acts one after the other, each under the limit: how many, from when to when, and their median of seconds."""

    acts: int
    first_at: datetime
    last_at: datetime
    seconds: float


def find_fast_series(own: pd.DataFrame, limit: float = FAST_SECONDS) -> tuple[Series, ...]:
    """The series of five acts or more of one rater, each quicker than the limit, in the order of time.

    own has kind, judged_at and seconds. An act without seconds (idle for two minutes, or from a file) ends a series; a skip
    is no judgment and neither ends nor lengthens one.
    """
    acts = own[own["kind"].isin(("grade", "cannot_judge")) & own["judged_at"].notna()]
    if acts.empty:
        return ()
    moments = pd.to_datetime(acts["judged_at"], utc=True, format="ISO8601", errors="coerce")
    ordered = acts.assign(moment=moments).sort_values(["moment", "query_id", "doc_id"])
    seconds = pd.to_numeric(ordered["seconds"], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    quick = np.nan_to_num(seconds, nan=np.inf) < limit
    edges = np.flatnonzero(np.diff(np.concatenate([[False], quick, [False]]).astype(np.int8)))
    found = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - start >= SHORTEST_SERIES:
            first, last = ordered["moment"].iloc[start], ordered["moment"].iloc[end - 1]
            median = float(np.median(seconds[start:end]))
            found.append(Series(end - start, first.to_pydatetime(), last.to_pydatetime(), median))
    return tuple(found)
