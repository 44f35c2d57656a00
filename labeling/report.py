"""The report of a project: everything a team sends along with its qrels and scores, gathered from one state of the ledger.

Reads only, for leads. Holds no clock: its date is that of the newest judgment, so that the same ledger gives the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.breakdown import by_boundary
from labeling.collection import read_queries_table, read_runs
from labeling.disputes import list_disputes
from labeling.draws import tell_way
from labeling.errors import AssayError
from labeling.exchange.archives import pack_files
from labeling.exchange.report_html import write_html
from labeling.exchange.report_markdown import write_markdown_files
from labeling.exchange.report_parts import Report
from labeling.progress import votes_per_pair
from labeling.projects import Project, get_project
from labeling.releases import build_release
from labeling.report_sections import Facts, Study, compose
from labeling.rubrics import Rubric, get_rubric
from labeling.votes import votes_among
from metrics import Qrels, disagreement, evaluate, parse_measures

__all__ = ["ReportChoices", "build_report", "report_archive", "report_files"]


@dataclass(frozen=True)
class ReportChoices:
    """What a report is about: measures, what a set of qrels takes one rater for, how many sets, the seed, runs (none: all)."""

    measures: tuple[str, ...] = ("nDCG@10",)
    by: str = "panel"
    draws: int = 1000
    seed: int = 0
    runs: tuple[str, ...] = ()
    language: str = "en"


def build_report(
    session: Session, actor: Actor, project_id: int, choices: ReportChoices | None = None, **chosen: Any
) -> Report:
    """The report of a project as it stands, by ReportChoices or its fields by name. For leads."""
    actor.require("lead")
    choices = choices or ReportChoices(**chosen)
    project, rubric = get_project(session, actor, project_id), get_rubric(session, project_id)
    release = build_release(session, actor, project_id)
    judgments, votes = release.judgments, votes_among(release.judgments)
    disputes = list_disputes(session, actor, project_id)
    facts = Facts(
        project=project,
        rubric=rubric,
        manifest=release.manifest,
        votes=votes,
        judgments=judgments,
        newest=_newest(judgments),
        queries=read_queries_table(session, project_id),
        per_pair=votes_per_pair(session, actor, project_id),
        boundaries=by_boundary(votes, rubric.grades) if len(votes) else None,
        disputed=len(disputes),
        settled=sum(one.decided is not None for one in disputes),
        decisions=release.decisions,
        studies=_study(session, project, rubric, votes, release.consolidation.qrels(), choices),
        by=choices.by,
        seed=choices.seed,
    )
    return compose(facts, choices.language)


def _newest(judgments: pd.DataFrame) -> datetime | None:
    moments = [one for one in judgments["judged_at"] if one is not None]
    return max(moments) if moments else None


def _study(
    session: Session,
    project: Project,
    rubric: Rubric,
    votes: pd.DataFrame,
    qrels: pd.DataFrame,
    choices: ReportChoices,
) -> Mapping[str, Study]:
    """Scores and disagreement for each measure; empty where there is nothing to compare."""
    runs = read_runs(session, project.id, choices.runs or None)
    missing = sorted(set(choices.runs) - {run.tag for run in runs})
    if missing:
        raise AssayError(f"expected runs of the project, found {missing[0]!r}")
    measures = parse_measures(choices.measures)
    if not runs or votes.empty:
        return {}
    way = tell_way(choices.by, votes, grades=rubric.grades)
    study = disagreement(votes, runs, measures, **way, draws=choices.draws, seed=choices.seed)
    scored = evaluate(Qrels(qrels, name=project.name), runs, measures) if len(qrels) else None
    return {str(measure): Study(measure, study, scored) for measure in measures}


def report_files(report: Report) -> dict[str, bytes]:
    """The report in every shape, by file name: report.html, report.md, tables/NAME.csv, charts/NAME.svg and .png."""
    return {"report.html": write_html(report).encode(), **write_markdown_files(report)}


def report_archive(report: Report) -> bytes:
    """Every shape in one zip archive, the same bytes each time."""
    return pack_files(report_files(report))
