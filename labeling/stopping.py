"""Whether more judging can change who wins: a comparison of two runs, and what its open pairs may still become.

Reads only, for leads; the arithmetic stands in metrics.completions and metrics.disagreement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.collection import read_runs
from labeling.disputes import is_disputed
from labeling.errors import NotFound
from labeling.exchange.writing import table_rows
from labeling.pool import choose_pairs
from labeling.projects import Project, get_project
from labeling.releases import consolidate_project
from labeling.rubrics import get_rubric
from labeling.schema import metadata
from labeling.votes import read_votes
from metrics import Disagreement, Run, disagreement
from metrics.completions import Completions, Expectation, find_completions

__all__ = ["StopAnswer", "ask_to_stop"]

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]
MOST_FIRST = 20
"""Pairs that are named as the next ones to judge, at most."""


@dataclass(frozen=True, eq=False)
class StopAnswer:
    """What is known of one comparison.

    lacking_votes is what the movable pairs lack. advice is stop, level (stop: the two stay level), judge (the pairs of first), settle (votes are complete, only
    decisions are lacking) or noise (votes are complete, and the difference is within what the choice of raters moves).
    strict holds the bounds when every pair that lacks votes may take any grade. next names open pairs, the most useful
    first, with votes, wanted, lacking and disputed. outside counts documents in the first ranks that are no pairs here.
    """

    found: Completions
    strict: tuple[float, float]
    advice: str
    open_pairs: int
    lacking_votes: int
    movable: int
    reversing: int
    expected: Expectation | None
    noise_floor: float | None
    sd_raters: float | None
    verdict: str | None
    next: pd.DataFrame
    first: int
    outside: int
    depth: int
    rule: str

    @property
    def strictly_fixed(self) -> bool:
        """Whether the winner stays even where pairs that lack votes may take any grade of the scale."""
        low, high = self.strict
        return self.found.fixed and (low > 1e-12 or high < -1e-12 or max(abs(low), abs(high)) <= 1e-12)

    def to_json(self) -> dict[str, Any]:
        """The answer as programs read it; undefined numbers are None."""
        found = self.found
        return {
            "a": found.a,
            "b": found.b,
            "definition": {**found.measure.definition(), "queries": found.queries, "rule": self.rule, **ASSUMPTIONS},
            "difference": found.difference,
            "lowest": found.lowest,
            "highest": found.highest,
            "reached": [found.reached_lowest, found.reached_highest],
            "bounded_queries": list(found.bounded),
            "strict": list(self.strict),
            "fixed": found.fixed,
            "winner": found.winner,
            "advice": self.advice,
            "open_pairs": self.open_pairs,
            "lacking_votes": self.lacking_votes,
            "movable": self.movable,
            "reversing": self.reversing,
            "reversal": table_rows(found.reversal),
            "reversal_at_least": found.reversal_at_least,
            "reversal_exact": found.reversal_exact,
            "expected": None if self.expected is None else vars(self.expected),
            "noise_floor": self.noise_floor,
            "sd_raters": self.sd_raters,
            "verdict": self.verdict,
            "first": self.first,
            "outside": self.outside,
            "next": table_rows(self.next),
        }


ASSUMPTIONS = {
    "open": "pairs without a decision that lack votes, are disputed, or that the rule leaves open",
    "with_votes": "an open pair with votes takes a grade from its lowest to its highest vote",
    "without_votes": "a pair without votes takes any grade of the scale",
    "now": "open pairs have the lower median of their votes, pairs without votes the lowest grade",
    "strict": "the same, but every pair that lacks votes takes any grade of the scale",
}


def _read_possible_grades(
    session: Session, actor: Actor, project: Project, scale: tuple[int, ...], votes: pd.DataFrame
) -> pd.DataFrame:
    """Every pair of a project with the grades that it may still take.

    Columns: query_id, doc_id, grade (now), lowest, highest, votes, wanted, lacking (votes), disputed, open.
    """
    cast = _grades_by_pair(votes)
    consolidated = consolidate_project(session, actor, project.id).table
    fixed = {
        (row.query_id, row.doc_id): (row.relevance, row.source)
        for row in consolidated[["query_id", "doc_id", "relevance", "source"]].itertuples(index=False)
    }
    rows = []
    for query_id, doc_id, wanted in _pairs(session, project.id):
        grades = sorted(cast.get((query_id, doc_id), []))
        grade, source = fixed.get((query_id, doc_id), (None, None))
        if not wanted and source is None:
            continue  # practice and gold want no vote
        rows.append((query_id, doc_id, *_possible(project, scale, grades, wanted, grade, source)))
    columns = ["query_id", "doc_id", "grade", "lowest", "highest", "votes", "wanted", "lacking", "disputed", "open"]
    return pd.DataFrame(rows, columns=columns)


def _grades_by_pair(votes: pd.DataFrame) -> dict[Any, list[int]]:
    return votes.groupby(["query_id", "doc_id"])["grade"].apply(list).to_dict()


def _pairs(session: Session, project_id: int) -> list[tuple[str, str, int]]:
    statement = (
        select(_query.c.query_id, _document.c.doc_id, _pair.c.overlap)
        .select_from(_pair)
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.project_id == project_id)
    )
    return sorted((row[0], row[1], row[2]) for row in session.execute(statement))


def _possible(
    project: Project, scale: tuple[int, ...], grades: list[int], wanted: int, grade: Any, source: Any
) -> tuple[int, int, int, int, int, int, bool, bool]:
    """Grade now, lowest, highest, votes, wanted, lacking, disputed, open."""
    known = grade is not None and not pd.isna(grade)
    decided = source == "decision" and known
    lacking = 0 if decided else max(wanted - len(grades), 0)
    disputed = len(grades) > 1 and is_disputed(grades, project.dispute_rule, project.relevant_from) and not decided
    if decided or (known and not lacking and not disputed):
        return int(grade), int(grade), int(grade), len(grades), wanted, 0, False, False
    if not grades:
        return scale[0], scale[0], scale[-1], 0, wanted, lacking, False, True
    middle = grades[(len(grades) - 1) // 2]
    return middle, grades[0], grades[-1], len(grades), wanted, lacking, bool(disputed), True


def ask_to_stop(
    session: Session, actor: Actor, project_id: int, a: str, b: str, measure: str = "nDCG@10", *,
    draws: int = 200, seed: int = 0,
) -> StopAnswer:  # fmt: skip
    """What further votes can still change of the comparison of two runs by a measure.

    Raises NotFound where a run is not in the project or there is no pair yet.
    """
    actor.require("lead")
    project, scale = get_project(session, actor, project_id), get_rubric(session, project_id).grades
    runs = _two_runs(session, project_id, a, b)
    votes = read_votes(session, actor, project_id)
    possible = _read_possible_grades(session, actor, project, scale, votes)
    if possible.empty:
        raise NotFound("expected pairs to judge, found none: make them from the runs first")
    found = find_completions(possible, scale, runs, measure, a, b)
    loose = possible.assign(
        lowest=possible["lowest"].where(possible["lacking"] == 0, scale[0]),
        highest=possible["highest"].where(possible["lacking"] == 0, scale[-1]),
    )
    strict = found if loose.equals(possible) else find_completions(loose, scale, runs, measure, a, b, most=0)
    coming = _next_pairs(found, possible)
    noise = _noise(votes, runs, found)
    depth = found.measure.cutoff or 10
    shown = {tuple(row) for row in choose_pairs(runs, depth).itertuples(index=False)}
    expected = None if found.fixed else _expect(found, possible, votes, scale, draws, seed)
    advice, first = _advise(found, coming, expected, noise)
    return StopAnswer(
        found=found,
        strict=(strict.lowest, strict.highest),
        advice=advice,
        open_pairs=int(possible["open"].sum()),
        lacking_votes=int(coming["lacking"].sum()),
        movable=int((found.pairs["swing"] > 1e-12).sum()),
        reversing=int(found.pairs["reverses"].sum()),
        expected=expected,
        noise_floor=noise[0],
        sd_raters=noise[1],
        verdict=noise[2],
        next=coming,
        first=first,
        outside=len(shown - set(zip(possible["query_id"], possible["doc_id"], strict=True))),
        depth=depth,
        rule=project.rule,
    )


def _two_runs(session: Session, project_id: int, a: str, b: str) -> list[Run]:
    runs = read_runs(session, project_id)
    tags = [run.tag for run in runs]
    for tag in (a, b):
        if tag not in tags:
            raise NotFound(f"expected a run of the project ({', '.join(tags) or 'there is none'}), found {tag!r}")
    if a == b:
        raise NotFound(f"expected two runs to compare, found {a!r} twice")
    return [run for run in runs if run.tag in (a, b)]


def _next_pairs(found: Completions, possible: pd.DataFrame) -> pd.DataFrame:
    """The open pairs that can move the difference, the most useful first."""
    known = possible[["query_id", "doc_id", "votes", "wanted", "lacking", "disputed"]]
    moving = found.pairs[found.pairs["swing"] > 1e-12]
    return moving.merge(known, on=["query_id", "doc_id"], how="left")


def _noise(votes: pd.DataFrame, runs: list[Run], found: Completions) -> tuple[float | None, float | None, str | None]:
    """Noise floor, standard deviation from raters and verdict, one vote drawn for each pair; None where no pair has two votes."""
    if votes.empty or not votes.duplicated(["query_id", "doc_id"]).any():
        return None, None, None
    study: Disagreement = disagreement(votes, runs, [found.measure], by="pair", draws=500)
    row = study.comparisons.iloc[0]
    return float(study.noise_floor[str(found.measure)]), float(row["sd_raters"]), str(row["verdict"])


def _expect(
    found: Completions, possible: pd.DataFrame, votes: pd.DataFrame, scale: tuple[int, ...], draws: int, seed: int
) -> Expectation | None:
    """How many votes may be needed: a pair's grade is drawn from its votes, without any from all votes of the project."""
    cast = _grades_by_pair(votes)
    shares = votes["grade"].value_counts(normalize=True)
    usual = {grade: float(shares.get(grade, 0.0)) or (0.0 if len(votes) else 1.0) for grade in scale}
    rows = possible[possible["open"]].set_index(["query_id", "doc_id"])["lacking"].to_dict()
    keys = list(zip(found.pairs["query_id"], found.pairs["doc_id"], strict=True))
    chances: dict[tuple[str, str], Mapping[int, float]] = {}
    for key in keys:
        own = cast.get(key)
        chances[key] = usual if not own else {int(g): own.count(g) / len(own) for g in np.unique(own)}
    costs = {key: float(max(rows.get(key, 1), 1)) for key in keys}  # a disputed pair takes one decision or vote more
    return found.expect(chances, costs, draws=draws, seed=seed)


def _advise(
    found: Completions, coming: pd.DataFrame, expected: Expectation | None,
    noise: tuple[float | None, float | None, str | None],
) -> tuple[str, int]:  # fmt: skip
    """What to do, and how many of the next pairs that concerns."""
    if found.fixed:
        return ("stop" if found.winner else "level"), 0
    enough = len(coming) if expected is None else max(1, round(expected.pairs + 0.499))
    first = min(len(coming), max(1, min(enough, MOST_FIRST)))
    if coming["lacking"].sum() > 0:
        return "judge", first
    within = noise[0] is not None and abs(found.difference) <= noise[0]
    return ("noise" if within else "settle"), first
