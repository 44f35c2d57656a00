"""Runs laid beside qrels once, so that every further measure costs next to nothing.

Knows qrels, runs and measures; nothing of files or reports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from metrics._noticing import plain_form
from metrics._workers import at_once
from metrics.copies import drop_later_copies
from metrics.errors import InputError
from metrics.hits import JudgedHits
from metrics.measure import Measure, parse_measure
from metrics.options import Options
from metrics.ranking import JudgedPairs, RankedHits, rank_hits, stack_hits
from metrics.tables import Qrels, Remark, Run, as_qrels, as_runs

__all__ = ["Alignment", "Runs", "Scores", "align", "align_pairs", "score_hits"]

_WORTH_THREADS = 200_000
"""Rows from which on several threads rank faster than one."""

Runs = Run | pd.DataFrame | Sequence[Run | pd.DataFrame] | Mapping[str, Run | pd.DataFrame]


@dataclass(frozen=True, eq=False)
class Scores:
    """One measure on all runs and queries.

    Parameters
    ----------
    values : array of float, shape (runs, queries)
        0 where undefined or missing.
    counted : array of bool, shape (runs, queries)
        Which of them the options let into a mean.
    missing : array of bool, shape (runs, queries)
    no_relevant : array of bool, shape (queries,)
    """

    values: NDArray[np.float64]
    counted: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    no_relevant: NDArray[np.bool_]

    def means(self) -> NDArray[np.float64]:
        """The mean of each run; nan where no query counts."""
        return mean_where(self.values, self.counted)

    def means_without(self) -> NDArray[np.float64]:
        """The mean of each run without missing queries and without queries that hold nothing relevant."""
        return mean_where(self.values, ~self.missing & ~self.no_relevant)


def mean_where(values: NDArray[np.float64], counted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean over the last axis of the values that count; nan where none does."""
    number = counted.sum(axis=-1)
    total = np.where(counted, values, 0.0).sum(axis=-1)
    means: NDArray[np.float64] = np.full(total.shape, np.nan)
    np.divide(total, number, out=means, where=number > 0)
    return means


def score_hits(hits: JudgedHits, measure: Measure, options: Options) -> Scores:
    """Score every row of the hits."""
    runs = hits.runs
    seen = hits.condensed() if options.unjudged == "condensed" else hits
    values = np.nan_to_num(measure.declared.score(seen, measure)).reshape(runs, hits.queries)
    missing = hits.retrieved.reshape(runs, hits.queries) == 0
    no_relevant = ~measure.declared.has_relevant(hits, measure)
    counted = np.ones(values.shape, dtype=bool)
    if options.missing == "exclude":
        counted &= ~missing
    if options.no_relevant == "exclude":
        counted &= ~no_relevant
    return Scores(np.where(missing, 0.0, values), counted, missing, no_relevant)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Runs beside the judged pairs.

    Parameters
    ----------
    runs : tuple of Run
    judged : JudgedPairs
    ranked : tuple of RankedHits
        One a run.
    hits : JudgedHits
        All runs, one under another.
    options : Options
    remarks : tuple of Remark
    qrels_name : str
    """

    runs: tuple[Run, ...]
    judged: JudgedPairs
    ranked: tuple[RankedHits, ...]
    hits: JudgedHits
    options: Options
    remarks: tuple[Remark, ...]
    qrels_name: str

    @property
    def tags(self) -> list[str]:
        """The runs' names, in the order given."""
        return [run.tag for run in self.runs]

    def score(self, measure: Measure) -> Scores:
        """One measure on all runs and queries."""
        return score_hits(self.hits, measure, self.options)


def align(qrels: Qrels | pd.DataFrame, runs: Runs, options: Options | None = None) -> Alignment:
    """Lay runs beside qrels.

    Raises
    ------
    InputError
        When a run and the qrels share no query, with what could be the reason.
    """
    known = as_qrels(qrels)
    found = align_pairs(JudgedPairs.of(known.table), runs, options or Options(), known.remarks, known.name)
    said = _notice_other_orders(found)
    return replace(found, remarks=(*found.remarks, *said)) if said else found


def _notice_other_orders(alignment: Alignment) -> list[Remark]:
    """nDCG@10 in both orders, for runs whose ranks contradict their scores."""
    measure, noticed = parse_measure("nDCG@10"), []
    for place, run in enumerate(alignment.runs):
        if run.file_ranks is None:
            continue
        by_rank = run.columns.set_column(
            run.columns.schema.get_field_index("score"), "score", pc.cast(pc.negate(run.file_ranks), pa.float64())
        )
        hits = _rank_all([replace(run, columns=by_rank)], alignment.judged, alignment.options)
        other = score_hits(stack_hits(hits, alignment.judged), measure, alignment.options).means()[0]
        used = alignment.score(measure).means()[place]
        said = f"{run.tag}: {measure} is {used:.4f} by the scores, which decide, and would be {other:.4f} by the ranks in the file"
        noticed.append(Remark.of("score_by_either_order", 1, said))
    return noticed


def align_pairs(
    judged: JudgedPairs, runs: Runs, options: Options, remarks: Sequence[Remark] = (), qrels_name: str = "qrels"
) -> Alignment:
    """Lay runs beside judged pairs."""
    given = as_runs(runs)
    noticed = list(remarks)
    ranked = _rank_all(given, judged, options)
    for run, hits in zip(given, ranked, strict=True):
        noticed += [Remark(each.kind, each.count, f"{run.tag}: {each.text}", each.examples) for each in run.remarks]
        noticed += _notice_overlap(run, hits, judged, qrels_name)
    if not judged.queries:
        noticed.append(Remark.of("empty_qrels", 0, "the qrels hold no pair: every mean is undefined"))
    return Alignment(
        tuple(given), judged, tuple(ranked), stack_hits(ranked, judged), options, tuple(noticed), qrels_name
    )


def _rank_all(runs: list[Run], judged: JudgedPairs, options: Options) -> list[RankedHits]:
    def rank(run: Run) -> RankedHits:
        single = options.precision == "single"
        hits = rank_hits(run.columns, run.marks, judged, single_precision=single)
        if options.duplicates == "keep":
            return hits
        return drop_later_copies(run.columns, judged, hits, options.copies, single_precision=single)

    return at_once(rank, runs, workers=1 if sum(map(len, runs)) < _WORTH_THREADS else None)


def _notice_overlap(run: Run, hits: RankedHits, judged: JudgedPairs, qrels_name: str) -> list[Remark]:
    if not len(run) or not judged.queries:
        return []
    missing = int((hits.retrieved == 0).sum())
    if missing == len(judged.queries):
        raise _no_common_query(run, judged, qrels_name)
    found = []
    if missing:
        lost = (judged.queries[place] for place in np.flatnonzero(hits.retrieved == 0))
        said = f"{run.tag}: {missing} of {len(judged.queries)} queries of the qrels are missing from the run"
        found.append(Remark.of("missing_queries", missing, said, lost))
    if hits.other_queries:
        said = f"{run.tag}: {hits.other_queries} queries ({hits.other_rows} rows) have no judgment and were left out"
        found.append(Remark.of("other_queries", hits.other_queries, said))
    if not len(hits.pair):
        ids = pc.unique(run.columns["doc_id"]).to_pylist()
        alike, examples = _count_alike(ids, judged.documents.to_pylist())
        said = f"{run.tag}: 0 of {len(ids)} documents are judged" + (
            f"; {alike} would be if ids were compared without regard to Unicode form and invisible characters"
            if alike
            else ""
        )
        found.append(
            Remark.of("look_alike_documents" if alike else "nothing_judged", alike or len(ids), said, examples)
        )
    return found


def _count_alike(ids: list[str], known: list[str]) -> tuple[int, list[str]]:
    plain = {plain_form(each): each for each in known}
    alike = [each for each in ids if plain_form(each) in plain]
    return len(alike), [f"{each!a} and {plain[plain_form(each)]!a}" for each in alike[:5]]


def _no_common_query(run: Run, judged: JudgedPairs, qrels_name: str) -> InputError:
    column = run.columns["query_id"].combine_chunks()
    values = column.dictionary if pa.types.is_dictionary(column.type) else pc.unique(column)
    ids = values.to_pylist()
    alike, examples = _count_alike(ids, list(judged.queries))
    hint = ""
    if alike:
        hint = f"; {alike} differ only in Unicode form or invisible characters ({examples[0]})"
    elif any(each.lstrip("0") in {known.lstrip("0") for known in judged.queries} for each in ids[:1000]):
        hint = "; some differ only in leading zeros"
    expected = f"queries of {qrels_name} (such as {judged.queries[0]!r})"
    return InputError(run.name or run.tag, None, expected, f"none of them (but such as {ids[0]!r}){hint}")
