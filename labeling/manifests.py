"""The manifest of a release: everything that stands behind its numbers, in one file that names the hash of every other.

Knows what a release holds; holds no time and no folder, so that the same state gives the same bytes.
"""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.aggregation import Consolidation
from labeling.agreement import measure_agreement
from labeling.collection import list_imports, list_runs
from labeling.exchange.writing import base_name, describe_tool
from labeling.projects import Project
from labeling.raters import list_raters
from labeling.rubrics import Rubric
from labeling.rules import RULES, parse_rule
from labeling.votes import votes_among
from metrics import parse_measure

if TYPE_CHECKING:
    from labeling.releases import ReleaseChoices

__all__ = ["ReleaseInputs", "build_manifest"]

DEFAULT_MEASURE = "nDCG@10"
RESAMPLES = 1000
DECIMALS = 6

_CONTENTS = {
    "qrels.txt": "one grade a pair in TREC's four columns; open pairs are not in it",
    "consolidated.csv": "every pair: grade, where it comes from, votes, votes that differ, the mean as a decimal number",
    "consolidated.jsonl": "the same as JSON lines",
    "judgments.csv": "every current judgment, votes or not: kind, reason, comment, rubric version, seconds, carried, answers",
    "judgments.jsonl": "the same as JSON lines",
    "decisions.csv": "grades settled by a lead, with reason and note",
    "rubric.json": "the written rule, its version and its levels",
    "soft_qrels.csv": "the share of each grade among the votes of each pair",
    "raters/": "qrels of one rater's own votes",
    "ir_datasets/": "docs.jsonl (with texts only), queries.jsonl, qrels: as ir_datasets reads JSON lines and TREC qrels",
    "beir/": "corpus.jsonl (with texts only), queries.jsonl, qrels/test.tsv: as BEIR's GenericDataLoader reads",
    "quepid/": "ratings.csv (query, docid, rating) for a case, book.csv (a column a rater) for a book; queries by their text",
    "opensearch/": "body of PUT _plugins/_search_relevance/judgments; queries by their text",
}


@dataclass(frozen=True)
class ReleaseInputs:
    """What a release was made of."""

    project: Project
    rubric: Rubric
    consolidation: Consolidation
    judgments: pd.DataFrame
    decisions: pd.DataFrame
    facts: dict[str, Any]
    files: dict[str, bytes]


def build_manifest(session: Session, actor: Actor, made: ReleaseInputs, choices: "ReleaseChoices") -> dict[str, Any]:
    """Name, rule, rubric, filters, counts, agreement, inputs and hashes, ready for JSON."""
    project, consolidation = made.project, made.consolidation
    rule = parse_rule(choices.rule or project.rule)
    return {
        "project": project.name,
        "release": {"name": choices.name, "note": choices.note},
        "tool": describe_tool(),
        "rule": {
            **consolidation.definition,
            "ties": choices.ties or project.ties,
            "means": RULES[rule.name],
            "undefined": consolidation.undefined,
            "decisions": "win over the rule",
        },
        "rubric": {"version": made.rubric.version, "scale": list(made.rubric.grades), "file": "rubric.json"},
        "filters": _filters(session, project, choices, made.facts),
        "overlap": project.overlap,
        "depth": project.depth,
        "counts": _counts(made),
        "agreement": _agreement(made),
        "inputs": _inputs(session, actor, project),
        "measures": [parse_measure(DEFAULT_MEASURE).definition()],
        "raters": made.facts["raters"],
        **_left_out(made),
        "files": {name: _file(name, content) for name, content in sorted(made.files.items())},
    }


def _left_out(made: ReleaseInputs) -> dict[str, Any]:
    """What there would be, had its format a place for every id; where nothing is left out, no word of it."""
    odd = made.facts["id_without_trec"]
    if odd is None:
        return {}
    why = f"their formats take no id that is empty or holds a blank (BEIR's: a tab or a line break), and one is {odd!a}"
    names = [
        name
        for name in ("qrels.txt", "raters/", "ir_datasets/", "beir/")
        if not any(file.startswith(name) for file in made.files)
    ]
    return {"left_out": {"files": names, "because": why}}


def _filters(session: Session, project: Project, choices: "ReleaseChoices", facts: dict[str, Any]) -> dict[str, Any]:
    raters = list_raters(session, project.id)
    return {
        "votes": "graded, made in production, within the overlap, by raters who vote and are not set aside",
        "raters_set_aside": sorted(rater.name for rater in raters if rater.set_aside),
        "raters_without_vote": sorted(rater.name for rater in raters if not rater.casts_vote),
        "excluded_queries": sorted(choices.exclude_queries),
        "texts": "with the texts of the documents" if choices.texts else "without the texts of the documents",
        "documents": facts["documents"],
        "queries_named_by_id": facts["queries_named_by_id"],
    }


def _counts(made: ReleaseInputs) -> dict[str, Any]:
    judgments, counts = made.judgments, made.consolidation.counts
    votes = judgments[judgments["is_vote"]]
    return {
        **{name: int(value) for name, value in counts.items()},
        "votes": len(votes),
        "carried_votes": int(votes["carried"].sum()),
        "raters": int(votes["rater"].nunique()),
        "decisions": len(made.decisions),
        "judgments_by_kind": _tally(judgments["kind"]),
        "by_rubric_version": _tally(judgments["rubric_version"]),
    }


def _tally(column: pd.Series) -> dict[str, int]:
    return {str(value): int(count) for value, count in column.value_counts().sort_index().items()}


def _agreement(made: ReleaseInputs) -> dict[str, Any]:
    """The coefficients with their intervals, over the votes of the release."""
    report = measure_agreement(votes_among(made.judgments), grades=made.rubric.grades, draws=RESAMPLES).to_json()
    coefficients = [{name: _rounded(value) for name, value in one.items()} for one in report["coefficients"]]
    kept = {name: report[name] for name in ("definition", "pairs", "raters", "votes", "paired")}
    return {**kept, "decimals": DECIMALS, "coefficients": coefficients}


def _rounded(value: Any) -> Any:
    """Sums of many numbers differ in their last digits from machine to machine; the bytes of a release must not."""
    return round(value, DECIMALS) if isinstance(value, float) else value


def _inputs(session: Session, actor: Actor, project: Project) -> list[dict[str, Any]]:
    """What was imported, in an order that does not tell when."""
    rows = list_imports(session, actor, project.id)
    inputs = [
        {"kind": row.kind, "file": base_name(name), "sha256": (row.report.get("sha256") or {}).get(name)}
        for row in rows
        if row.kind != "runs"
        for name in row.files
    ]
    inputs += [{"kind": "run", "file": base_name(row.file_name), "tag": row.tag, "sha256": row.sha256}
               for row in list_runs(session, project.id)]  # fmt: skip
    return sorted(inputs, key=lambda one: (one["kind"], one["file"], one["sha256"] or ""))


def _file(name: str, content: bytes) -> dict[str, Any]:
    folder = f"{name.partition('/')[0]}/"
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "what": _CONTENTS.get(name) or _CONTENTS[folder],
    }
