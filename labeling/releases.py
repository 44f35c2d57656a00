"""What leaves the house: qrels, the votes behind them, and a manifest that says how they came about.

Knows no page. The same ledger, rule and rubric give the same bytes, whoever makes them and when.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import asdict, dataclass
from importlib import metadata as packages
from typing import Any

import pandas as pd
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.aggregation import Consolidation, consolidate, parse_rule
from labeling.disputes import read_decisions
from labeling.projects import Project, get_project
from labeling.rubrics import Rubric, get_rubric
from labeling.votes import read_judgments, read_votes
from metrics import parse_measure, write_qrels

__all__ = ["Release", "build_release", "consolidate_project", "pack"]

DEFAULT_MEASURE = "nDCG@10"


@dataclass(frozen=True)
class Release:
    """The files of an export by their names, and what the rule made of the votes."""

    files: dict[str, bytes]
    consolidation: Consolidation
    manifest: dict[str, Any]


def consolidate_project(
    session: Session, actor: Actor, project_id: int, *, rule: str | None = None, ties: str | None = None
) -> Consolidation:
    """One grade a pair by a rule, the project's own by default; decisions win."""
    project, rubric = get_project(session, actor, project_id), get_rubric(session, project_id)
    return consolidate(
        read_votes(session, actor, project_id),
        parse_rule(rule or project.rule),
        ties=ties or project.ties,  # type: ignore[arg-type]
        grades=rubric.grades,
        decisions=read_decisions(session, actor, project_id)[["query_id", "doc_id", "grade"]],
    )


def build_release(
    session: Session, actor: Actor, project_id: int, *, rule: str | None = None, ties: str | None = None
) -> Release:
    """Qrels, the consolidated table, judgments and decisions as files, with their manifest. For leads."""
    actor.require("lead")
    project, rubric = get_project(session, actor, project_id), get_rubric(session, project_id)
    consolidation = consolidate_project(session, actor, project_id, rule=rule, ties=ties)
    judgments = read_judgments(session, actor, project_id)
    decisions = read_decisions(session, actor, project_id)
    files = {
        "qrels.txt": _qrels_bytes(consolidation),
        "consolidated.csv": _csv(consolidation.table),
        "consolidated.jsonl": _jsonl(consolidation.table),
        "judgments.csv": _csv(_with_text_times(judgments, "judged_at")),
        "judgments.jsonl": _jsonl(_with_text_times(judgments, "judged_at")),
        "decisions.csv": _csv(_with_text_times(decisions, "decided_at")),
        "rubric.json": _json(_rubric(rubric)),
    }
    manifest = _manifest(project, rubric, consolidation, judgments, files, rule or project.rule, ties or project.ties)
    return Release({**files, "manifest.json": _json(manifest)}, consolidation, manifest)


def pack(release: Release) -> bytes:
    """The files of a release in one zip archive, the same bytes each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(release.files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # as on Unix, wherever it is made
            archive.writestr(entry, release.files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _manifest(
    project: Project,
    rubric: Rubric,
    consolidation: Consolidation,
    judgments: pd.DataFrame,
    files: dict[str, bytes],
    rule: str,
    ties: str,
) -> dict[str, Any]:
    kinds = judgments["kind"].value_counts().sort_index()
    return {
        "project": project.name,
        "tool": {"name": "Assay", "version": _version()},
        "rule": {"rule": str(parse_rule(rule)), "ties": ties, "decisions": "win over the rule"},
        "rubric": {"version": rubric.version, "scale": list(rubric.grades)},
        "overlap": project.overlap,
        "depth": project.depth,
        "counts": {
            **{name: int(value) for name, value in consolidation.counts.items()},
            "votes": int(judgments["is_vote"].sum()),
            "raters": int(judgments.loc[judgments["is_vote"], "rater"].nunique()),
            "judgments_by_kind": {str(kind): int(count) for kind, count in kinds.items()},
            "by_rubric_version": {
                str(version): int(count)
                for version, count in judgments["rubric_version"].value_counts().sort_index().items()
            },
        },
        "measures": [parse_measure(DEFAULT_MEASURE).definition()],
        "files": {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        },
    }


def _version() -> str:
    try:
        return packages.version("assay")
    except packages.PackageNotFoundError:
        return "0.1.0"


def _rubric(rubric: Rubric) -> dict[str, Any]:
    levels = [asdict(level) for level in rubric.levels]
    return {"version": rubric.version, "text": rubric.text, "note": rubric.note, "levels": levels}


def _qrels_bytes(consolidation: Consolidation) -> bytes:
    buffer = io.BytesIO()
    write_qrels(consolidation.qrels(), buffer)
    return buffer.getvalue()


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()


def _jsonl(table: pd.DataFrame) -> bytes:
    rows = json.loads(table.to_json(orient="records", force_ascii=False))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _with_text_times(table: pd.DataFrame, column: str) -> pd.DataFrame:
    copy = table.copy()
    copy[column] = [None if value is None else value.isoformat() for value in table[column]]
    return copy
