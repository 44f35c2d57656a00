"""One score by hand: rank, document, grade, gain, discount, contribution, and the ideal beside it.

Knows one query of one run at a time; nothing of files or votes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics.alignment import Alignment
from metrics.copies import later_copies
from metrics.errors import InputError
from metrics.evaluate import plain, records
from metrics.gains import discount_at, gain_of
from metrics.hits import UNJUDGED
from metrics.measure import Measure, parse_measure
from metrics.ranking import rank_query

__all__ = ["Explanation", "explain", "list_lowest"]

_GRADED = ("nDCG", "DCG")


@dataclass(frozen=True, eq=False)
class Explanation:
    """The calculation of one score.

    Parameters
    ----------
    query_id, run : str
    measure : Measure
    ranking : DataFrame
        rank, doc_id, score, grade (missing where unjudged), gain, discount, contribution: down to the cutoff.
    ideal : DataFrame
        rank, doc_id, grade, gain, discount, contribution: the best order of the judged documents; empty for measures
        without an ideal.
    total, ideal_total : float
        Sums of the two contributions; ``score`` is their quotient where the measure has an ideal.
    score : float
    relevant : int
        Documents of the query that the measure looks for.
    """

    query_id: str
    run: str
    measure: Measure
    ranking: pd.DataFrame
    ideal: pd.DataFrame
    total: float
    ideal_total: float
    score: float
    relevant: int

    def to_json(self) -> dict[str, Any]:
        """The answer as programs read it."""
        return {
            "query_id": self.query_id,
            "run": self.run,
            "definition": self.measure.definition(),
            "ranking": records(self.ranking.astype(object).where(self.ranking.notna(), None)),
            "ideal": records(self.ideal),
            "total": plain(self.total),
            "ideal_total": plain(self.ideal_total),
            "score": plain(self.score),
            "relevant": self.relevant,
        }


def explain(alignment: Alignment, query_id: str, run: str, measure: str | Measure) -> Explanation:
    """Take one score apart.

    Parameters
    ----------
    alignment : Alignment
        From :func:`align`, or ``evaluation.alignment``.
    query_id, run : str
    measure : str or Measure
        nDCG, DCG, P, R, AP, RR or RBP are taken apart rank by rank; for others the contributions are missing.

    Raises
    ------
    InputError
        When the qrels lack the query, or no run has that name.
    """
    parsed = parse_measure(measure)
    if query_id not in alignment.judged.queries:
        raise InputError(alignment.qrels_name, None, "a query of the qrels", repr(query_id))
    if run not in alignment.tags:
        raise InputError("runs", None, f"one of {', '.join(alignment.tags)}", repr(run))
    place, query = alignment.tags.index(run), alignment.judged.queries.index(query_id)
    doc_ids, scores, grades = _ranked(alignment, place, query)
    cut = parsed.cutoff or len(doc_ids)
    score = float(alignment.score(parsed).values[place, query])
    own = alignment.judged.query == query
    judged_grades = alignment.judged.grades[own]
    ranks = np.arange(1, len(doc_ids) + 1, dtype=np.int64)
    gain, discount, contribution, relevant = _contributions(parsed, grades, ranks, judged_grades)
    table = pd.DataFrame(
        {
            "rank": ranks,
            "doc_id": pd.array(doc_ids, dtype="str"),
            "score": scores,
            "grade": pd.array(np.where(grades == UNJUDGED, 0, grades), dtype="Int64"),
            "gain": gain,
            "discount": discount,
            "contribution": contribution,
        }
    )
    table.loc[grades == UNJUDGED, "grade"] = pd.NA
    table = table[table["rank"] <= cut]
    ideal = _ideal(parsed, alignment.judged.doc_ids[own], judged_grades)
    ideal_total = float(ideal["contribution"].sum()) if parsed.name == "nDCG" else float("nan")
    return Explanation(
        query_id,
        run,
        parsed,
        table,
        ideal,
        float(table["contribution"].sum(skipna=False)),
        ideal_total,
        score,
        relevant,
    )


def _ranked(alignment: Alignment, place: int, query: int) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64]]:
    """A query's documents in order with their scores and grades; condensed where the options say so."""
    single = alignment.options.precision == "single"
    query_id = alignment.judged.queries[query]
    doc_ids, scores = rank_query(alignment.runs[place].columns, query_id, single_precision=single)
    own = alignment.judged.query == query
    grade_of = dict(zip(alignment.judged.doc_ids[own].tolist(), alignment.judged.grades[own].tolist(), strict=True))
    grades = np.array([grade_of.get(each, UNJUDGED) for each in doc_ids], dtype=np.int64)
    grades[later_copies(doc_ids, alignment.options.copies)] = UNJUDGED
    if alignment.options.unjudged == "condensed":
        kept = np.flatnonzero(grades >= 0)
        return [doc_ids[each] for each in kept], scores[kept], grades[kept]
    return doc_ids, scores, grades


Columns = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]


def _contributions(
    measure: Measure, grades: NDArray[np.int64], ranks: NDArray[np.int64], judged: NDArray[np.int64]
) -> Columns:
    if measure.name in _GRADED:
        gain, discount = gain_of(measure.text("gain"), grades), discount_at(measure.text("discount"), ranks)
        return gain, discount, gain * discount, int((gain_of(measure.text("gain"), judged) > 0).sum())
    rel = measure.integer("rel") if "rel" in dict(measure.parameters) else 1
    gain = (grades >= rel).astype(np.float64)
    relevant = int((judged >= rel).sum())
    share = 1.0 / relevant if relevant else np.nan
    found = np.cumsum(gain)
    unknown = np.full(len(ranks), np.nan)
    discount = {
        "P": np.full(len(ranks), 1.0 / (measure.cutoff or 1)),
        "R": np.full(len(ranks), share),
        "AP": found / ranks * share,
        "RR": np.where(found == 1, 1.0 / ranks, 0.0),
    }.get(measure.name, unknown)
    if measure.name == "RBP":
        p = measure.number("p")
        discount = np.asarray((1 - p) * p ** (ranks - 1.0), dtype=np.float64)
    return gain, discount, gain * discount, relevant


def _ideal(measure: Measure, doc_ids: NDArray[np.object_], grades: NDArray[np.int64]) -> pd.DataFrame:
    columns = ["rank", "doc_id", "grade", "gain", "discount", "contribution"]
    if measure.name != "nDCG":
        return pd.DataFrame(columns=columns)
    gain = gain_of(measure.text("gain"), grades)
    # equal gains stand in byte order of doc_id, as the pairs do
    order = np.argsort(-gain, kind="stable")
    order = order[gain[order] > 0][: measure.cutoff]
    ranks = np.arange(1, len(order) + 1, dtype=np.int64)
    discount = discount_at(measure.text("discount"), ranks)
    values = (ranks, doc_ids[order], grades[order], gain[order], discount, gain[order] * discount)
    return pd.DataFrame(dict(zip(columns, values, strict=True)))


def list_lowest(
    alignment: Alignment, run: str, measure: str | Measure, *, number: int = 10, shown: int = 10
) -> pd.DataFrame:
    """The queries on which a run scores lowest, with what it ranked there.

    Returns
    -------
    DataFrame
        query_id, score, relevant, ranked: "d3 (2), d9 (-), ..." down to ``shown``, "-" where unjudged. Queries with the
        same score stand in byte order.
    """
    parsed = parse_measure(measure)
    if run not in alignment.tags:
        raise InputError("runs", None, f"one of {', '.join(alignment.tags)}", repr(run))
    place = alignment.tags.index(run)
    scores = alignment.score(parsed)
    counted = np.flatnonzero(scores.counted[place])
    order = counted[np.argsort(scores.values[place][counted], kind="stable")][:number]
    rows = []
    for query in order.tolist():
        doc_ids, _, grades = _ranked(alignment, place, query)
        told = [
            f"{doc_id} ({'-' if grade == UNJUDGED else grade})"
            for doc_id, grade in zip(doc_ids[:shown], grades[:shown].tolist(), strict=True)
        ]
        judged = alignment.judged.grades[alignment.judged.query == query]
        relevant = _contributions(parsed, judged, np.arange(1, len(judged) + 1), judged)[3]
        rows.append((alignment.judged.queries[query], float(scores.values[place, query]), relevant, ", ".join(told)))
    return pd.DataFrame(rows, columns=["query_id", "score", "relevant", "ranked"])
