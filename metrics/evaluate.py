"""Per-query scores, means and coverage; what happens to missing and empty queries is counted and said.

Knows aligned runs and measures; nothing of files.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from metrics.alignment import Alignment, Runs, Scores, align, mean_where
from metrics.bounds import COLUMNS as BOUND_COLUMNS
from metrics.bounds import bound_ndcg
from metrics.measure import Measure, parse_measure, parse_measures
from metrics.options import Options
from metrics.tables import Qrels, Remark

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate", "evaluate_aligned"]

DEFAULT_MEASURES = ("nDCG@10",)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of runs under one set of qrels.

    Parameters
    ----------
    alignment : Alignment
    measures : tuple of Measure
    scores : dict of str to Scores
        By the measure's text.
    """

    alignment: Alignment
    measures: tuple[Measure, ...]
    scores: dict[str, Scores]

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What was noticed while reading and aligning."""
        return self.alignment.remarks

    @property
    def tags(self) -> list[str]:
        """The runs' names, in the order given."""
        return self.alignment.tags

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries of the qrels, in byte order."""
        return self.alignment.judged.queries

    @cached_property
    def definition(self) -> dict[str, Any]:
        """Everything that fixes these numbers."""
        return {
            "measures": [measure.definition() for measure in self.measures],
            "qrels": self.alignment.qrels_name,
            "queries": len(self.query_ids),
            **self.alignment.options.definition(),
        }

    @cached_property
    def means(self) -> pd.DataFrame:
        """run, measure, mean, queries, missing, no_relevant, zero, mean_without.

        ``queries`` count in the mean; ``missing`` and ``no_relevant`` are counted over all queries of the qrels;
        ``zero`` are queries that count and score 0; ``mean_without`` is the mean without missing queries and without
        those that hold nothing relevant.
        """
        parts = []
        for measure in self.measures:
            scores = self.scores[str(measure)]
            parts.append(
                pd.DataFrame(
                    {
                        "run": self.tags,
                        "measure": str(measure),
                        "mean": scores.means(),
                        "queries": scores.counted.sum(axis=1),
                        "missing": scores.missing.sum(axis=1),
                        "no_relevant": int(scores.no_relevant.sum()),
                        "zero": ((scores.values == 0) & scores.counted).sum(axis=1),
                        "mean_without": scores.means_without(),
                    }
                )
            )
        return _join(parts, ["run", "measure", "mean", "queries", "missing", "no_relevant", "zero", "mean_without"])

    @cached_property
    def per_query(self) -> pd.DataFrame:
        """run, measure, query_id, score: the queries that count, in byte order."""
        parts = []
        ids = np.array(self.query_ids, dtype=object)
        for measure in self.measures:
            scores = self.scores[str(measure)]
            for tag, values, counted in zip(self.tags, scores.values, scores.counted, strict=True):
                parts.append(
                    pd.DataFrame(
                        {"run": tag, "measure": str(measure), "query_id": ids[counted], "score": values[counted]}
                    )
                )
        return _join(parts, ["run", "measure", "query_id", "score"])

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """run, queries, missing, other_queries, retrieved, judged, and judged_at_k for 10 and every cutoff of the measures.

        judged_at_k is the mean over the queries that the run has of Judged@k.
        """
        cutoffs = sorted({10} | {measure.cutoff for measure in self.measures if measure.cutoff is not None})
        queries = len(self.query_ids)
        table = pd.DataFrame(
            {
                "run": self.tags,
                "queries": queries,
                "missing": [int((each.retrieved == 0).sum()) for each in self.alignment.ranked],
                "other_queries": [each.other_queries for each in self.alignment.ranked],
                "retrieved": [int(each.retrieved.sum()) for each in self.alignment.ranked],
                "judged": [len(each.pair) for each in self.alignment.ranked],
            }
        )
        for cutoff in cutoffs:
            scores = self.alignment.score(parse_measure(f"Judged@{cutoff}"))
            table[f"judged_at_{cutoff}"] = mean_where(scores.values, ~scores.missing)
        return table

    def scores_of(self, measure: str | Measure) -> pd.DataFrame:
        """One measure as a table: a row a query, a column a run; nan where a query does not count."""
        scores = self.scores[str(parse_measure(measure))]
        values = np.where(scores.counted, scores.values, np.nan).T
        return pd.DataFrame(values, index=pd.Index(self.query_ids, name="query_id"), columns=self.tags)

    def bounds(self) -> pd.DataFrame:
        """run, measure, mean, worst, best, unjudged: nDCG if every unjudged document within the cutoff were worst, or best.

        For the evaluation's nDCG measures; for nDCG@10 where it has none.
        """
        graded = [each for each in self.measures if each.name == "nDCG"] or [parse_measure("nDCG@10")]
        return _join([bound_ndcg(self.alignment, each) for each in graded], BOUND_COLUMNS)

    def slice(self, queries: pd.DataFrame, column: str) -> pd.DataFrame:
        """Means by a column of a queries table: slice, run, measure, mean, queries.

        Parameters
        ----------
        queries : DataFrame
            query_id and ``column``; queries that it lacks form the slice "".
        """
        labels = queries.drop_duplicates("query_id").set_index("query_id")[column]
        of_query = labels.reindex(list(self.query_ids)).fillna("").astype(str).to_numpy()
        parts = []
        for measure in self.measures:
            scores = self.scores[str(measure)]
            for label in sorted(set(of_query)):
                counted = scores.counted & (of_query == label)
                parts.append(
                    pd.DataFrame(
                        {
                            "slice": label,
                            "run": self.tags,
                            "measure": str(measure),
                            "mean": mean_where(scores.values, counted),
                            "queries": counted.sum(axis=1),
                        }
                    )
                )
        return _join(parts, ["slice", "run", "measure", "mean", "queries"])

    def to_json(self, *, per_query: bool = False) -> dict[str, Any]:
        """The answer as programs read it; undefined numbers are None."""
        answer = {
            "definition": self.definition,
            "means": records(self.means),
            "coverage": records(self.coverage),
            "remarks": [remark_record(remark) for remark in self.remarks],
        }
        return answer | ({"per_query": records(self.per_query)} if per_query else {})


def _join(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table as JSON objects; undefined numbers are None."""
    return [{str(key): plain(value) for key, value in row.items()} for row in table.to_dict("records")]


def plain(value: Any) -> Any:
    """A value as JSON can carry it."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def remark_record(remark: Remark) -> dict[str, Any]:
    """A remark as JSON can carry it."""
    return {"kind": remark.kind, "count": remark.count, "text": remark.text, "examples": list(remark.examples)}


def evaluate(
    qrels: Qrels | pd.DataFrame,
    runs: Runs,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    options: Options | None = None,
) -> Evaluation:
    r"""Score runs under one set of qrels.

    Parameters
    ----------
    qrels : Qrels or DataFrame
        As :func:`read_qrels` returns it, or a table query_id, doc_id, relevance.
    runs : Run, DataFrame, a sequence of them, or a mapping from tag to them
        As :func:`read_run` returns it, or tables query_id, doc_id, score (tag).
    measures : iterable of str or Measure
    options : Options, optional
        Defaults reproduce ``trec_eval -c``.

    Returns
    -------
    Evaluation
        Its tables: means, per_query, coverage; its definition and remarks.

    Raises
    ------
    MeasureError
        When a measure is not understood.
    InputError
        When a run and the qrels share no query.

    Examples
    --------
    >>> import metrics
    >>> qrels = metrics.read_qrels(b"q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 1\n")
    >>> run = metrics.read_run(b"q1 Q0 d2 1 9.0 bm25\nq1 Q0 d1 2 8.0 bm25\n")
    >>> metrics.evaluate(qrels, run, ["nDCG@10"]).means[["mean", "queries", "missing"]].to_dict("records")
    [{'mean': 0.42985..., 'queries': 2, 'missing': 1}]
    """
    return evaluate_aligned(align(qrels, runs, options), measures)


def evaluate_aligned(alignment: Alignment, measures: Iterable[str | Measure] = DEFAULT_MEASURES) -> Evaluation:
    """Score runs that are aligned already: a further measure costs next to nothing."""
    parsed = parse_measures(measures)
    return Evaluation(alignment, parsed, {str(measure): alignment.score(measure) for measure in parsed})
