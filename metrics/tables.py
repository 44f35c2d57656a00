"""Qrels, runs and remarks as values: what every other file of this package passes on.

Knows columns; nothing of files or measures.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from metrics._sieve import find_duplicate, mark_texts
from metrics.errors import InputError
from metrics.ranking import as_arrow

__all__ = ["Qrels", "Remark", "Run", "as_qrels", "as_runs"]


@dataclass(frozen=True)
class Remark:
    """Something noticed, converted or left out.

    Parameters
    ----------
    kind : str
        A code that programs may compare and translate.
    count : int
        How many rows, queries or documents it concerns.
    text : str
        One sentence for a person.
    examples : tuple of str
        At most five.
    """

    kind: str
    count: int
    text: str
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, kind: str, count: int, text: str, examples: Iterable[object] = ()) -> "Remark":
        """A remark with its first five examples."""
        return cls(kind, int(count), text, tuple(str(each) for each in islice(examples, 5)))


@dataclass(frozen=True, eq=False)
class Qrels:
    """One grade a pair.

    Parameters
    ----------
    table : DataFrame
        query_id, doc_id, relevance; no pair twice.
    name : str
        The file as the person named it.
    remarks : tuple of Remark
    """

    table: pd.DataFrame
    name: str = "qrels"
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, eq=False)
class Run:
    """Ranked documents with scores for many queries.

    Parameters
    ----------
    columns : pyarrow table
        query_id, doc_id, score; no (query_id, doc_id) twice.
    tag : str
        The run's own name.
    marks : array of int, shape (rows,)
        What _sieve.mark_texts says of the documents: known to whoever made sure that none stands twice.
    name : str
        The file as the person named it.
    remarks : tuple of Remark
    file_ranks : pyarrow array of int, optional
        The ranks that the file gives, kept only where they contradict the scores.
    """

    columns: pa.Table
    tag: str
    marks: NDArray[np.uint64]
    name: str = ""
    remarks: tuple[Remark, ...] = ()
    file_ranks: pa.Array | None = None

    @classmethod
    def of(cls, table: pd.DataFrame, tag: str, name: str = "", remarks: Sequence[Remark] = ()) -> "Run":
        """A run from a table query_id, doc_id, score.

        Raises
        ------
        InputError
            When a column is absent, a score is no number, or a document stands twice in a ranking.
        """
        called = name or tag
        _need_columns(table, ("query_id", "doc_id", "score"), called)
        scores = pd.to_numeric(table["score"]).to_numpy(dtype=float)
        columns = pa.table(
            {"query_id": as_arrow(table["query_id"]), "doc_id": as_arrow(table["doc_id"]), "score": scores}
        )
        if pd.isna(scores).any():
            row = int(pd.isna(scores).argmax())
            raise InputError(called, None, "a number as score", f"none for {table['doc_id'].iloc[row]!r}")
        documents = columns["doc_id"].combine_chunks()
        marks = mark_texts(documents)
        twice = find_duplicate(columns["query_id"].combine_chunks(), documents, marks)
        if twice is not None:
            query_id, doc_id = table["query_id"].iloc[twice[1]], table["doc_id"].iloc[twice[1]]
            raise InputError(called, None, "a document once in a ranking", f"{doc_id!r} twice for query {query_id!r}")
        return cls(columns, tag, marks, called, tuple(remarks))

    @cached_property
    def table(self) -> pd.DataFrame:
        """query_id, doc_id, score in the order of the file."""
        decoded = {
            name: column.cast(pa.large_string()) if name != "score" else column
            for name, column in zip(self.columns.column_names, self.columns.columns, strict=True)
        }
        return pd.DataFrame(
            {
                name: pd.array(column, dtype="str") if name != "score" else column.to_numpy()
                for name, column in decoded.items()
            }
        )

    def __len__(self) -> int:
        return int(self.columns.num_rows)


def _need_columns(table: pd.DataFrame, columns: tuple[str, ...], called: str) -> None:
    lacking = [column for column in columns if column not in table.columns]
    if lacking:
        raise InputError(called, None, f"the columns {', '.join(columns)}", f"{', '.join(map(str, table.columns))}")
    for column in columns:
        if column.endswith("_id") and not (
            pd.api.types.is_string_dtype(table[column]) or pd.api.types.is_object_dtype(table[column])
        ):
            raise InputError(called, None, f"text in the column {column}", f"{table[column].dtype}")


def as_qrels(qrels: Qrels | pd.DataFrame) -> Qrels:
    """Qrels from qrels or from a table query_id, doc_id, relevance, which is checked."""
    if isinstance(qrels, Qrels):
        return qrels
    _need_columns(qrels, ("query_id", "doc_id", "relevance"), "qrels")
    twice = qrels.duplicated(["query_id", "doc_id"])
    if twice.any():
        query_id, doc_id = qrels.loc[twice, ["query_id", "doc_id"]].iloc[0]
        raise InputError("qrels", None, "one grade a pair", f"query {query_id!r}, document {doc_id!r} twice")
    return Qrels(qrels[["query_id", "doc_id", "relevance"]])


def as_runs(runs: Run | pd.DataFrame | Sequence[Run | pd.DataFrame] | Mapping[str, Run | pd.DataFrame]) -> list[Run]:
    """Runs with tags that differ.

    Parameters
    ----------
    runs : Run, DataFrame, sequence of them, or mapping from tag to them
        A table may carry its tag in a column ``tag``.

    Notes
    -----
    Runs of one tag are told apart by their file name; the tag of a mapping is its key.
    """
    if isinstance(runs, Run | pd.DataFrame):
        runs = [runs]
    if isinstance(runs, Mapping):
        pairs: list[tuple[str | None, Run | pd.DataFrame]] = list(runs.items())
    else:
        pairs = [(None, run) for run in runs]
    made = [_as_run(run, tag, f"run {number}") for number, (tag, run) in enumerate(pairs, start=1)]
    return _tell_apart(made)


def _as_run(run: Run | pd.DataFrame, tag: str | None, otherwise: str) -> Run:
    if isinstance(run, Run):
        return run if tag is None or tag == run.tag else replace(run, tag=tag)
    if tag is None and "tag" in run.columns and len(run):
        tag = str(run["tag"].iloc[0])
    return Run.of(run, tag or otherwise)


def _tell_apart(runs: list[Run]) -> list[Run]:
    seen: dict[str, int] = {}
    for run in runs:
        seen[run.tag] = seen.get(run.tag, 0) + 1
    apart: list[Run] = []
    used: set[str] = set()
    for run in runs:
        tag = run.tag if seen[run.tag] == 1 else f"{run.tag} ({run.name})"
        number = 2
        unique = tag
        while unique in used:
            unique = f"{tag} {number}"
            number += 1
        used.add(unique)
        if unique != run.tag:
            note = Remark.of(
                "same_tag", seen[run.tag], f"several runs are called {run.tag}; this one is shown as {unique}"
            )
            run = replace(run, tag=unique, remarks=(*run.remarks, note))  # noqa: PLW2901
        apart.append(run)
    return apart
