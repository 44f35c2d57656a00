"""The same thing twice in a file: equal rows are left out and counted, contradicting rows are faults.

Knows tables only. Repeated judgments are another matter, a rater may change their mind: see judgments.py.
"""

from collections.abc import Sequence

import pandas as pd

from labeling.exchange.faults import Faults
from labeling.exchange.tables import LeftOut, RawTable, excerpt

__all__ = ["drop_repeats"]


def drop_repeats(
    raw: RawTable, table: pd.DataFrame, key: Sequence[str], content: Sequence[str], what: str
) -> tuple[pd.DataFrame, tuple[LeftOut, ...]]:
    """The first row of each key; rows that repeat it word for word are left out, rows that contradict it raise."""
    again = table.duplicated(list(key), keep="first")
    if not again.any():
        return table, ()
    first = table[~again].set_index(list(key))
    repeated = table[again]
    original = (
        first.loc[repeated[key[0]]] if len(key) == 1 else first.loc[list(zip(*(repeated[k] for k in key), strict=True))]
    )
    differs = pd.Series(data=False, index=repeated.index)
    for column in content:
        differs |= repeated[column].fillna("").to_numpy() != original[column].fillna("").to_numpy()
    faults = Faults()
    for place in differs[differs].index:
        row = table.loc[place]
        found = f"{excerpt(row[key[0]])} again with {excerpt(' '.join(str(row[column]) for column in content))}"
        faults.add(raw.name, raw.lines[int(place)], f"one {what} for each {' and '.join(key)}", found)
    faults.raise_if_any()
    examples = tuple(str(one) for one in repeated[key[0]].head(5))
    kept = table[~again].reset_index(drop=True)
    return kept, (LeftOut(f"repeated_{what}", int(again.sum()), examples),)
