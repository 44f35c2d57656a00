"""Which disputed pairs matter: what each could do to a comparison, and which few could reverse it.

Knows votes, aligned runs and measures; nothing of files.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics._draws import VoteGrid, grid_votes
from metrics._reversal import find_reversal
from metrics.alignment import Runs, align_pairs, score_hits
from metrics.correlation import SAME
from metrics.disagreement import leave_out
from metrics.errors import InputError
from metrics.evaluate import records
from metrics.hits import JudgedHits
from metrics.measure import Measure, parse_measure
from metrics.options import Options
from metrics.votes import Votes, as_votes

__all__ = ["Influence", "find_influence"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influence:
    """What each disputed pair can do to the difference between two runs.

    Parameters
    ----------
    a, b : str
        The two runs.
    measure : Measure
    difference : float
        A - B when every pair has the lower median of its votes.
    pairs : DataFrame
        query_id, doc_id, votes, grade, lowest, highest, swing, reverses, swaps, variance, remaining. ``lowest`` and
        ``highest`` are A - B over the pair's possible grades, the other pairs staying as they are; ``swaps`` is the
        most pairs of systems that change places; ``variance`` is that of A - B when one of the pair's votes is drawn
        and the other pairs stay as they are; ``remaining`` is the share of the sum of these variances left once this
        pair and those above it are settled. Sorted by swing.
    reversal : DataFrame
        query_id, doc_id, grade, difference: disputed pairs whose settlement reverses the winner; empty where none was
        found.
    reversal_at_least : int
        No set of fewer disputed pairs reverses the winner; proven.
    reversal_exact : bool
        Whether ``reversal`` is a smallest set, or none exists where it is empty; else it is only an upper bound.
    """

    a: str
    b: str
    measure: Measure
    difference: float
    pairs: pd.DataFrame
    reversal: pd.DataFrame
    reversal_at_least: int = 0
    reversal_exact: bool = False

    @property
    def reversal_says(self) -> str:
        """What is known of the smallest reversal, in one sentence."""
        found, least = len(self.reversal), self.reversal_at_least
        if abs(self.difference) <= SAME:
            return "the two runs are level: there is no winner to reverse"
        if self.reversal_exact:
            return (
                f"{found} pairs are the fewest whose settlement reverses the winner"
                if found
                else "no settlement of the disputed pairs reverses the winner"
            )
        fewer = f"no set of fewer than {least} pairs does" if least > 1 else "fewer were not tried"
        return (
            f"{found} pairs reverse the winner, as an upper bound: {fewer}"
            if found
            else f"no set of pairs was found that reverses the winner: {fewer}, larger sets were not all tried"
        )

    def expect_gain(self, number: int) -> dict[str, float]:
        r"""What settling the next disputed pairs in the table's order can be expected to bring, to a first approximation.

        Parameters
        ----------
        number : int >= 0
            Pairs to settle.

        Returns
        -------
        dict
            ``sd_now``, the standard deviation of A - B when each disputed pair takes one of its votes by chance;
            ``sd_after``, the same when the first ``number`` pairs are settled; ``share``, the part of the variance gone.

        Notes
        -----
        Exact for P, DCG and RBP, where pairs add up. For measures with an ideal or a count of relevant documents it is a
        first approximation: each pair's variance is taken with all others as they are, and the variances are added, as if
        pairs did not act on one another and raters erred independently. It says nothing of which way a pair will be
        settled, and settling may as well make the difference larger as smaller.

        Examples
        --------
        >>> import metrics
        >>> votes = metrics.read_votes(b"query_id,doc_id,rater,grade\nq,d1,a,0\nq,d1,b,1\nq,d2,a,1\nq,d2,b,1\n")
        >>> runs = [metrics.read_run(b"q Q0 d1 1 2.0 one\n"), metrics.read_run(b"q Q0 d2 1 2.0 two\n")]
        >>> metrics.find_influence(votes, runs, "P@1", "one", "two").expect_gain(1)
        {'sd_now': 0.5, 'sd_after': 0.0, 'share': 1.0}
        """
        variance = self.pairs["variance"].to_numpy(dtype=float)
        now, after = float(variance.sum()), float(variance[max(number, 0) :].sum())
        return {"sd_now": now**0.5, "sd_after": after**0.5, "share": 1 - after / now if now > 0 else 0.0}

    def to_json(self) -> dict[str, Any]:
        """The answer as programs read it."""
        return {
            "a": self.a,
            "b": self.b,
            "definition": self.measure.definition(),
            "difference": self.difference,
            "pairs": records(self.pairs),
            "reversal": records(self.reversal),
            "reversal_at_least": self.reversal_at_least,
            "reversal_exact": self.reversal_exact,
            "reversal_says": self.reversal_says,
        }


@dataclass(frozen=True)
class _Disputes:
    """Alternatives to the settled grades: one entry a pair and grade that a vote gives and the median does not."""

    pair: Integers
    grade: Integers


def find_influence(
    votes: Votes | pd.DataFrame,
    runs: Runs,
    measure: str | Measure,
    a: str,
    b: str,
    *,
    exclude_queries: Collection[str] = (),
    options: Options | None = None,
    most: int = 100,
) -> Influence:
    """Find out which disputed pairs matter to the comparison of two runs.

    Parameters
    ----------
    votes, runs, exclude_queries, options
        As for :func:`disagreement`; missing queries and queries without relevant documents score 0 here.
    measure : str or Measure
    a, b : str
        Tags of the two runs.
    most : int
        Pairs that a reversal may hold at most.

    Raises
    ------
    InputError
        When a tag is not among the runs.
    """
    parsed, known = parse_measure(measure), as_votes(votes)
    table, _ = leave_out(known, exclude_queries)
    grid = grid_votes(table)
    given = options or Options()
    plain = replace(given, missing="zero", no_relevant="zero")
    alignment = align_pairs(grid.judged, runs, plain, (), known.name)
    for tag in (a, b):
        if tag not in alignment.tags:
            raise InputError("runs", None, f"one of {', '.join(alignment.tags)}", repr(tag))
    place = (alignment.tags.index(a), alignment.tags.index(b))
    settled = _lower_median(grid)
    hits = alignment.hits.with_grades(settled)
    base = score_hits(hits, parsed, plain).values
    disputes = _list_disputes(grid, settled)
    changes = _score_alternatives(hits, disputes, parsed, plain, base)
    difference = float((base[place[0]] - base[place[1]]).mean())
    moved = difference + (changes[:, place[0]] - changes[:, place[1]]) / hits.queries
    pairs = _pair_table(grid, settled, disputes, moved, difference)
    pairs["swaps"] = _count_swaps(base.mean(axis=1), changes / hits.queries, disputes)
    pairs = pairs.sort_values(["swing", "query_id", "doc_id"], ascending=[False, True, True], ignore_index=True)
    total = pairs["variance"].sum()
    pairs["remaining"] = np.maximum(1 - pairs["variance"].cumsum() / total, 0.0) if total > 0 else 0.0
    reversal = find_reversal(hits, place, disputes.pair, disputes.grade, parsed, plain, most)
    reversal_table = pd.DataFrame(
        [(*_name(grid, pair), grade, after) for pair, grade, after in reversal.changes],
        columns=["query_id", "doc_id", "grade", "difference"],
    )
    return Influence(a, b, parsed, difference, pairs, reversal_table, reversal.at_least, reversal.exact)


def _lower_median(grid: VoteGrid) -> Integers:
    order = np.lexsort((grid.grade, grid.pair))
    starts = np.searchsorted(grid.pair, np.arange(len(grid.judged.grades)))
    sizes = np.diff(np.append(starts, len(grid.pair)))
    return np.asarray(grid.grade[order][starts + (sizes - 1) // 2])


def _list_disputes(grid: VoteGrid, settled: Integers) -> _Disputes:
    given = np.unique(np.stack([grid.pair, grid.grade], axis=1), axis=0)
    other = given[given[:, 1] != settled[given[:, 0]]]
    return _Disputes(other[:, 0], other[:, 1])


def _score_alternatives(
    hits: JudgedHits, disputes: _Disputes, measure: Measure, options: Options, base: Floats
) -> Floats:
    """What each alternative adds to its query's score of every run: array (alternatives, runs).

    A score of a query depends on that query's pairs only, so one evaluation tries one alternative of every query.
    """
    query = hits.pair_query[disputes.pair]
    turn = np.arange(len(query)) - np.searchsorted(query, query)
    changes = np.zeros((len(query), hits.runs))
    for number in range(int(turn.max(initial=-1)) + 1):
        (now,) = np.nonzero(turn == number)
        grades = hits.grades.copy()
        grades[disputes.pair[now]] = disputes.grade[now]
        values = score_hits(hits.with_grades(grades), measure, options).values
        changes[now] = (values - base)[:, query[now]].T
    return changes


def _name(grid: VoteGrid, pair: int) -> tuple[str, str]:
    return grid.judged.queries[grid.judged.query[pair]], str(grid.judged.doc_ids[pair])


def _pair_table(
    grid: VoteGrid, settled: Integers, disputes: _Disputes, moved: Floats, difference: float
) -> pd.DataFrame:
    starts = np.searchsorted(grid.pair, np.arange(len(settled) + 1))
    rows = []
    for pair in np.unique(disputes.pair).tolist():
        own = np.flatnonzero(disputes.pair == pair)
        value_of = {int(settled[pair]): difference} | dict(
            zip(disputes.grade[own].tolist(), moved[own].tolist(), strict=True)
        )
        cast = sorted(grid.grade[starts[pair] : starts[pair + 1]].tolist())
        low, high = min(value_of.values()), max(value_of.values())
        rows.append(
            {
                "query_id": _name(grid, pair)[0],
                "doc_id": _name(grid, pair)[1],
                "votes": ",".join(map(str, cast)),
                "grade": int(settled[pair]),
                "lowest": low,
                "highest": high,
                "swing": high - low,
                "reverses": bool(low * difference < 0 or high * difference < 0),
                "variance": float(np.var([value_of[grade] for grade in cast])),
            }
        )
    columns = ["query_id", "doc_id", "votes", "grade", "lowest", "highest", "swing", "reverses", "variance"]
    return pd.DataFrame(rows, columns=columns)


def _count_swaps(means: Floats, changes: Floats, disputes: _Disputes) -> list[int]:
    """For each disputed pair, the most pairs of systems that change places under one of its grades."""
    upper = np.triu_indices(len(means), 1)

    def order(values: Floats) -> Floats:
        step = values[upper[0]] - values[upper[1]]
        return np.where(np.abs(step) <= SAME, 0.0, np.sign(step))

    before = order(means)
    most: dict[int, int] = {}
    for pair, change in zip(disputes.pair.tolist(), changes, strict=True):
        swapped = int((order(means + change) != before).sum())
        most[pair] = max(most.get(pair, 0), swapped)
    return [most[pair] for pair in sorted(most)]
