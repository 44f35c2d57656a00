"""The same runs under many equally valid qrels: spread, first places, tau, and who is ahead of whom.

Knows votes, aligned runs and measures; nothing of files.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics._draw_scores import DrawScores, score_draws
from metrics._draws import (
    GradeDraws,
    RaterDraws,
    VoteGrid,
    draw_distribution,
    draw_pairs,
    draw_raters,
    draw_ties,
    grid_votes,
    list_bounds,
)
from metrics.alignment import Alignment, Runs, align_pairs
from metrics.correlation import SAME, tau_matrix
from metrics.errors import InputError, MeasureError
from metrics.evaluate import DEFAULT_MEASURES, plain, records, remark_record
from metrics.measure import Measure, parse_measures
from metrics.options import Options
from metrics.tables import Remark
from metrics.votes import Votes, as_votes

__all__ = ["Disagreement", "disagreement"]

UNITS = ("panel", "query", "pair", "ties", "bounds", "distribution")
SURE = 0.95
"""Share of qrels, or of resampled query sets, from which on a lead counts as holding."""

VERDICTS = {
    (True, True): "A beats B whoever judges",
    (False, True): "depends on the rater",
    (True, False): "depends on the queries",
    (False, False): "cannot be told apart",
}


@dataclass(frozen=True, eq=False)
class Disagreement:
    """What disagreement between raters does to the scores of runs.

    Parameters
    ----------
    alignment : Alignment
    measures : tuple of Measure
    by, seed
        As given.
    panels : list of dict
        {"raters": [...], "queries": [...]}: the sets of raters who judged the same queries.
    draws : RaterDraws or GradeDraws
    by_measure : dict of str to DrawScores
    remarks : tuple of Remark
    rule : str or None
        Whose ties the sets differ in, for ``by="ties"``.
    """

    alignment: Alignment
    measures: tuple[Measure, ...]
    by: str
    seed: int
    panels: list[dict[str, list[str]]]
    draws: RaterDraws | GradeDraws
    by_measure: dict[str, DrawScores]
    remarks: tuple[Remark, ...]
    rule: str | None = None

    @property
    def qrels_count(self) -> int:
        """How many sets of qrels were scored."""
        return len(self.draws)

    @property
    def draw_labels(self) -> tuple[str, ...]:
        """A name for each set: its raters, one a panel, where that is short."""
        return self.draws.labels

    @property
    def tags(self) -> list[str]:
        """The runs' names, in the order given."""
        return self.alignment.tags

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The mean of every system: (measure, system, draw)."""
        shape = (0, len(self.tags), len(self.draws))
        return np.stack([each.means for each in self.by_measure.values()]) if self.by_measure else np.zeros(shape)

    @cached_property
    def definition(self) -> dict[str, Any]:
        """Everything that fixes these numbers."""
        return {
            "measures": [measure.definition() for measure in self.measures],
            "votes": self.alignment.qrels_name,
            "queries": len(self.alignment.judged.queries),
            "by": self.by,
            "rule": self.rule,
            "draws": len(self.draws),
            "all_sets": self.draws.whole,
            "seed": self.seed,
            "interval": "2.5 and 97.5 percentiles over the sets of qrels",
            "first": "share of sets with the highest mean; systems tied for it share it equally",
            "verdict": f"ahead in at least {SURE:.0%} of the sets, and in at least {SURE:.0%} of resampled query sets",
            **self.alignment.options.definition(),
        }

    @cached_property
    def systems(self) -> pd.DataFrame:
        """run, measure, mean, low, high, min, max, first, range, rank_best, rank_worst.

        ``low`` and ``high`` bound the middle 95 % of the sets of qrels; ``first`` is the share of sets in which the
        system comes first, shared equally where several tie.
        """
        parts = []
        for measure in self.measures:
            means = self.by_measure[str(measure)].means
            low, high = np.quantile(means, [0.025, 0.975], axis=1) if means.size else np.zeros((2, len(means)))
            best = means >= means.max(axis=0, initial=-np.inf) - SAME
            above = np.stack([(means > each + SAME).sum(axis=0) for each in means]) if len(means) else means
            lowest, highest = means.min(axis=1), means.max(axis=1)
            parts.append(
                pd.DataFrame(
                    {
                        "run": self.tags,
                        "measure": str(measure),
                        "mean": means.mean(axis=1),
                        "low": low,
                        "high": high,
                        "min": lowest,
                        "max": highest,
                        "first": (best / np.maximum(best.sum(axis=0), 1)).mean(axis=1),
                        "range": highest - lowest,
                        "rank_best": above.min(axis=1) + 1,
                        "rank_worst": above.max(axis=1) + 1,
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def tau(self) -> dict[str, dict[str, float]]:
        """For each measure: mean, min and max of Kendall's tau-b between the orders under every two sets of qrels."""
        found = {}
        for name, scores in self.by_measure.items():
            taus = tau_matrix(np.ascontiguousarray(scores.means.T))
            between = taus[np.triu_indices(len(taus), 1)]
            known = between[~np.isnan(between)]
            found[name] = (
                {"mean": float(known.mean()), "min": float(known.min()), "max": float(known.max())}
                if len(known)
                else dict.fromkeys(("mean", "min", "max"), float("nan"))
            )
        return found

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """a, b, measure, a_ahead, ahead_count, tied_count, qrels, verdict, and what stands behind it.

        ``a`` is the system with the higher mean over the sets. ``a_ahead`` is the share of sets in which it is ahead,
        ``queries_ahead`` the share of resampled query sets, ``both_ahead`` the share when sets and queries are drawn
        together; ``difference`` is the mean of A - B, ``sd_raters`` and ``sd_queries`` its standard deviation over sets
        of qrels and over resampled queries, ``rater_share`` the raters' part of the two variances.
        """
        parts = [_compare_all(self.tags, str(each), self.by_measure[str(each)]) for each in self.measures]
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def noise_floor(self) -> dict[str, float]:
        """For each measure, the difference that rater disagreement cannot explain here.

        In 95 of 100 cases (two systems, one set of qrels) the difference stays within this of its mean over the sets.
        """
        found = {}
        for name, scores in self.by_measure.items():
            left, right = np.triu_indices(len(scores.means), 1)
            centred = scores.means - scores.means.mean(axis=1, keepdims=True)
            moved = np.abs(centred[left] - centred[right])
            found[name] = float(np.quantile(moved, 0.95)) if moved.size else float("nan")
        return found

    def to_json(self) -> dict[str, Any]:
        """The answer as programs read it; undefined numbers are None.

        ``tau`` belongs to the first measure; ``tau_by_measure`` has them all.
        """
        taus = {name: {key: plain(value) for key, value in each.items()} for name, each in self.tau.items()}
        return {
            "definition": self.definition,
            "qrels": len(self.draws),
            "systems": records(self.systems),
            "tau": next(iter(taus.values()), None),
            "tau_by_measure": taus,
            "noise_floor": {name: plain(value) for name, value in self.noise_floor.items()},
            "panels": self.panels,
            "comparisons": records(self.comparisons),
            "remarks": [remark_record(remark) for remark in self.remarks],
        }


def _compare_all(tags: list[str], name: str, scores: DrawScores) -> pd.DataFrame:
    mean = scores.means.mean(axis=1)
    order = np.argsort(-mean, kind="stable")
    rows: list[pd.DataFrame] = []
    draws = scores.means.shape[1]
    for place, a in enumerate(order):
        others = order[place + 1 :]
        step = scores.means[a] - scores.means[others]
        ahead, tied = (step > SAME).sum(axis=1), (np.abs(step) <= SAME).sum(axis=1)
        by_query = scores.by_query[a] - scores.by_query[others]
        by_both = scores.by_both[a] - scores.by_both[others]
        rater_variance, query_variance = step.var(axis=1), np.nanvar(by_query, axis=1)
        variance = rater_variance + query_variance
        queries_ahead = (by_query > SAME).mean(axis=1)
        rows.append(
            pd.DataFrame(
                {
                    "a": tags[a],
                    "b": [tags[b] for b in others],
                    "measure": name,
                    "a_ahead": ahead / draws,
                    "ahead_count": ahead,
                    "tied_count": tied,
                    "qrels": draws,
                    "verdict": [
                        VERDICTS[bool(rater), bool(query)]
                        for rater, query in zip(ahead / draws >= SURE, queries_ahead >= SURE, strict=True)
                    ],
                    "difference": step.mean(axis=1),
                    "queries_ahead": queries_ahead,
                    "both_ahead": (by_both > SAME).mean(axis=1),
                    "sd_raters": np.sqrt(rater_variance),
                    "sd_queries": np.sqrt(query_variance),
                    "rater_share": np.divide(rater_variance, variance, out=np.zeros(len(others)), where=variance > 0),
                }
            )
        )
    return pd.concat(rows, ignore_index=True)


def disagreement(
    votes: Votes | pd.DataFrame,
    runs: Runs,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    by: str = "panel",
    draws: int = 1000,
    seed: int = 0,
    exclude_queries: Collection[str] = (),
    options: Options | None = None,
    distributions: pd.DataFrame | None = None,
    rule: str = "majority",
) -> Disagreement:
    """Score runs under many sets of qrels that the votes make equally valid.

    Parameters
    ----------
    votes : Votes or DataFrame
        query_id, doc_id, rater, grade.
    runs, measures, options
        As for :func:`evaluate`.
    by : {"panel", "query", "pair", "ties", "bounds", "distribution"}
        One rater of each panel for all its queries (a panel is the set of raters who judged the same queries; to have judged a query is to have
        graded at least half as many of its pairs as the rater who graded most), one rater for each query, one vote for each pair, the grade that ``rule`` gives each
        pair with its ties falling either way, the lowest and the highest vote of each pair, or grades drawn from ``distributions``. With panel and
        query, a set of qrels holds only the chosen rater's pairs.
    draws : int >= 1
        All sets are scored when they are at most so many; else so many are drawn.
    seed : int
    exclude_queries : collection of str
    distributions : DataFrame, optional
        query_id, doc_id, grade, probability, for ``by="distribution"``; for example Dawid-Skene posteriors.
    rule : {"majority", "median", "mean"}
        For ``by="ties"``; other rules have no ties, or (Dawid-Skene) have their own distributions.

    Returns
    -------
    Disagreement

    Raises
    ------
    MeasureError
        When a measure, ``by``, ``rule`` or ``draws`` is not understood.
    InputError
        When no vote is left, or a run and the votes share no query.
    """
    parsed = parse_measures(measures)
    if by not in UNITS or draws < 1 or (by == "distribution") != (distributions is not None):
        raise MeasureError(
            f"by is one of {', '.join(UNITS)}, draws 1 or more, and distributions go with by='distribution'"
        )
    known = as_votes(votes)
    table, remarks = leave_out(known, exclude_queries)
    grid = grid_votes(table)
    generator = np.random.default_rng(seed)
    sets = (
        draw_ties(grid, rule=rule, draws=draws, generator=generator)
        if by == "ties"
        else _draw(grid, by, draws, generator, distributions)
    )
    alignment = align_pairs(grid.judged, runs, options or Options(), remarks, known.name)
    scored = {
        str(measure): score_draws(
            alignment.hits, sets, measure, alignment.options, np.random.default_rng([seed, 1]), max(draws, 1000)
        )
        for measure in parsed
    }
    panels = _name_panels(grid)
    notes = (*alignment.remarks, *_notice_panels(panels), *_notice_strays(grid, by))
    return Disagreement(alignment, parsed, by, seed, panels, sets, scored, notes, rule if by == "ties" else None)


def _name_panels(grid: VoteGrid) -> list[dict[str, list[str]]]:
    return [
        {"raters": [grid.raters[each] for each in who], "queries": [grid.judged.queries[each] for each in queries]}
        for who, queries in grid.panels()
    ]


def leave_out(votes: Votes, exclude: Collection[str]) -> tuple[pd.DataFrame, list[Remark]]:
    remarks = list(votes.remarks)
    gone = votes.table["query_id"].isin(list(exclude))
    if gone.any():
        number = votes.table.loc[gone, "query_id"].nunique()
        said = f"{number} queries ({int(gone.sum())} votes) were left out as asked"
        remarks.append(Remark.of("excluded_queries", number, said, sorted(set(exclude))))
    unknown = sorted(set(exclude) - set(votes.table["query_id"]))
    if unknown:
        remarks.append(
            Remark.of("unknown_queries", len(unknown), f"{len(unknown)} queries to leave out have no vote", unknown)
        )
    table = votes.table[~gone]
    if not len(table):
        raise InputError(votes.name, None, "at least one vote", "none")
    return table, remarks


def _draw(
    grid: VoteGrid, by: str, draws: int, generator: np.random.Generator, distributions: pd.DataFrame | None
) -> RaterDraws | GradeDraws:
    if by in {"panel", "query"}:
        return draw_raters(grid, by=by, draws=draws, generator=generator)
    if by == "pair":
        return draw_pairs(grid, draws=draws, generator=generator)
    if distributions is not None:
        return draw_distribution(grid.judged, distributions, draws=draws, generator=generator)
    return list_bounds(grid)


def _notice_panels(panels: list[dict[str, list[str]]]) -> list[Remark]:
    single = [query for panel in panels if len(panel["raters"]) == 1 for query in panel["queries"]]
    if not single:
        return []
    return [
        Remark.of(
            "single_rater",
            len(single),
            f"{len(single)} queries were judged by one rater only: they move nothing here",
            single,
        )
    ]


def _notice_strays(grid: VoteGrid, by: str) -> list[Remark]:
    if by not in {"panel", "query"} or not grid.stray:
        return []
    said = f"{grid.stray} votes come from raters who graded less than half of the query; they form no set of qrels"
    return [Remark.of("stray_votes", grid.stray, said)]
