"""What leaves the house: qrels in the shapes that other programs read, the votes behind them, and how they came about.

Knows no page. The same ledger, rule and rubric give the same bytes, whoever makes them and when; frozen.py keeps them.
"""

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.aggregation import Consolidation, consolidate, weigh_by_gold
from labeling.checks import read_gold_results
from labeling.collection import read_documents_table, read_queries_table
from labeling.disputes import read_decisions
from labeling.exchange import exports
from labeling.exchange.archives import MANIFEST, QRELS, TABLE, pack_files
from labeling.exchange.writing import csv_bytes, find_id_without_trec, json_bytes, jsonl_bytes, qrels_bytes, table_rows
from labeling.manifests import ReleaseInputs, build_manifest
from labeling.projects import Project, get_project
from labeling.rubrics import Rubric, get_rubric
from labeling.rules import parse_rule
from labeling.votes import read_judgments, read_votes, votes_among

__all__ = ["Release", "ReleaseChoices", "build_release", "consolidate_project", "pack", "read_weights"]


@dataclass(frozen=True)
class ReleaseChoices:
    """What a person chooses for a release: rule and ties (the project's by default), texts of documents, queries left out, its name."""

    rule: str | None = None
    ties: str | None = None
    texts: bool = False
    exclude_queries: tuple[str, ...] = ()
    name: str = ""
    note: str = ""


@dataclass(frozen=True)
class Release:
    """The files of an export by their names, what the rule made of the votes, and the judgments and decisions it had."""

    files: dict[str, bytes]
    consolidation: Consolidation
    manifest: dict[str, Any]
    judgments: pd.DataFrame
    decisions: pd.DataFrame


def read_weights(session: Session, actor: Actor, project_id: int) -> dict[str, float]:
    """Each rater's weight from their grades on gold; empty while there are none."""
    return weigh_by_gold(read_gold_results(session, actor, project_id))


def consolidate_project(
    session: Session, actor: Actor, project_id: int, *, rule: str | None = None, ties: str | None = None
) -> Consolidation:
    """One grade a pair by a rule, the project's own by default; decisions win."""
    project = get_project(session, actor, project_id)
    votes, decisions = read_votes(session, actor, project_id), read_decisions(session, actor, project_id)
    return _consolidate(session, actor, project, votes, decisions, ReleaseChoices(rule, ties))


def _consolidate(
    session: Session,
    actor: Actor,
    project: Project,
    votes: pd.DataFrame,
    decisions: pd.DataFrame,
    choices: ReleaseChoices,
) -> Consolidation:
    rule = parse_rule(choices.rule or project.rule)
    return consolidate(
        votes,
        rule,
        ties=choices.ties or project.ties,  # type: ignore[arg-type]
        grades=get_rubric(session, project.id).grades,
        decisions=decisions[["query_id", "doc_id", "grade"]],
        weights=read_weights(session, actor, project.id) if rule.name == "gold-weighted" else None,
    )


def build_release(
    session: Session, actor: Actor, project_id: int, choices: ReleaseChoices | None = None, **chosen: Any
) -> Release:
    """Every file of a release with its manifest, by ReleaseChoices or its fields by name. For leads."""
    actor.require("lead")
    choices = choices or ReleaseChoices(**chosen)
    project, rubric = get_project(session, actor, project_id), get_rubric(session, project_id)
    judgments = _without(read_judgments(session, actor, project_id), choices.exclude_queries)
    decisions = _without(read_decisions(session, actor, project_id), choices.exclude_queries)
    votes = votes_among(judgments)
    consolidation = _consolidate(session, actor, project, votes, decisions, choices)
    files = _own_files(consolidation, judgments, decisions, rubric)
    shapes, facts = _shapes(session, project, consolidation, votes, rubric, choices)
    files |= shapes
    manifest = build_manifest(
        session, actor, ReleaseInputs(project, rubric, consolidation, judgments, decisions, facts, files), choices
    )
    return Release({**files, MANIFEST: json_bytes(manifest)}, consolidation, manifest, judgments, decisions)


def pack(release: Release) -> bytes:
    """The files of a release in one zip archive, the same bytes each time."""
    return pack_files(release.files)


def _own_files(
    consolidation: Consolidation, judgments: pd.DataFrame, decisions: pd.DataFrame, rubric: Rubric
) -> dict[str, bytes]:
    """Qrels and everything behind them."""
    judged = _with_text_times(judgments, "judged_at")
    decided = _with_text_times(decisions, "decided_at")
    flat = judged.assign(answers=[_answers_text(value) for value in judged["answers"]])
    return {
        TABLE: csv_bytes(consolidation.table),
        "consolidated.jsonl": jsonl_bytes(table_rows(consolidation.table)),
        "judgments.csv": csv_bytes(flat),
        "judgments.jsonl": jsonl_bytes(table_rows(judged)),
        "decisions.csv": csv_bytes(decided),
        "rubric.json": json_bytes(_rubric(rubric)),
    }


def _shapes(
    session: Session,
    project: Project,
    consolidation: Consolidation,
    votes: pd.DataFrame,
    rubric: Rubric,
    choices: ReleaseChoices,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The qrels and votes as other programs read them, and what a reader must know about these shapes."""
    qrels = consolidation.qrels()
    concerned = set(consolidation.table["query_id"])
    queries = read_queries_table(session, project.id)
    queries = queries[queries["query_id"].isin(concerned)].reset_index(drop=True)
    documents = None
    if choices.texts:
        documents = read_documents_table(session, project.id)
        documents = documents[documents["doc_id"].isin(set(consolidation.table["doc_id"]))].reset_index(drop=True)
    names, by_id = exports.name_queries(queries)
    odd = find_id_without_trec(consolidation.table)
    trec, raters = ({}, {}) if odd is not None else _trec_shapes(qrels, votes, queries, documents)
    files = {
        **trec,
        **exports.export_soft(votes, rubric.grades),
        **exports.export_beir(qrels, queries, documents),
        **exports.export_quepid(qrels, votes, names),
        **exports.export_opensearch(qrels, names, choices.name or project.name),
    }
    facts = {
        "raters": raters,
        "id_without_trec": odd,
        "queries_named_by_id": by_id,
        "documents": None if documents is None else len(documents),
    }
    return files, facts


def _trec_shapes(
    qrels: pd.DataFrame, votes: pd.DataFrame, queries: pd.DataFrame, documents: pd.DataFrame | None
) -> tuple[dict[str, bytes], dict[str, str]]:
    """What is in TREC's columns, or needs such a file; and which file is whose."""
    by_rater, raters = exports.export_by_rater(votes)
    return {
        QRELS: qrels_bytes(qrels),
        **by_rater,
        **exports.export_ir_datasets(qrels, queries, documents),
    }, raters


def _without(table: pd.DataFrame, queries: tuple[str, ...]) -> pd.DataFrame:
    return table[~table["query_id"].isin(queries)].reset_index(drop=True) if queries else table


def _rubric(rubric: Rubric) -> dict[str, Any]:
    levels = [asdict(level) for level in rubric.levels]
    return {"version": rubric.version, "text": rubric.text, "note": rubric.note, "levels": levels}


def _answers_text(answers: Any) -> str:
    return json_bytes(answers).decode().strip().replace("\n", "") if answers else ""


def _with_text_times(table: pd.DataFrame, column: str) -> pd.DataFrame:
    copy = table.copy()
    copy[column] = [None if value is None else value.isoformat() for value in table[column]]
    return copy
