"""The demo project: made once, from the files beside labeling/demo, through the same doors as everything else.

Knows which files there are; their texts and votes are written for the demo and say so on the screen.
"""

import json
from pathlib import Path

import pandas as pd
from sqlalchemy.orm import Session

from labeling import collection, projects
from labeling.accounts import COMMAND_LINE
from labeling.disputes import decide
from labeling.errors import NotFound
from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import read_judgments
from labeling.exchange.queries import read_queries
from labeling.exchange.references import read_references
from labeling.imports import import_judgments
from labeling.pool import add_pairs, build_pool
from labeling.references import import_references
from labeling.rubrics import levels_of, publish_rubric

__all__ = ["DEMO_NAME", "make_demo"]

DEMO_NAME = "Demo: everyday questions"
FOLDER = Path(__file__).resolve().parent / "demo"
DEPTH, OVERLAP, BATCH = 10, 2, 20


def make_demo(session: Session) -> bool:
    """Add the demo project unless it is there; says whether it was added."""
    try:
        projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME)
    except NotFound:
        _make(session)
        return True
    return False


def _read(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def _make(session: Session) -> None:
    project = projects.create_project(session, COMMAND_LINE, name=DEMO_NAME, is_demo=True, seed=7)
    rubric = json.loads(_read("rubric.json"))
    publish_rubric(session, COMMAND_LINE, project.id, text=rubric["text"], levels=levels_of(rubric["levels"]))
    queries = read_queries(_read("queries.jsonl"), "queries.jsonl")
    collection.add_queries(session, COMMAND_LINE, project.id, queries.table)
    documents = read_documents(_read("documents.jsonl"), "documents.jsonl")
    collection.add_documents(session, COMMAND_LINE, project.id, documents.table)
    for path in sorted((FOLDER / "runs").glob("*.run")):
        collection.add_run(session, COMMAND_LINE, project.id, path.read_bytes(), path.name)
    build_pool(session, COMMAND_LINE, project.id, depth=DEPTH, overlap=OVERLAP)
    votes = read_judgments([("votes.jsonl", _read("votes.jsonl"))])
    import_judgments(session, COMMAND_LINE, project.id, votes.table, files=["votes.jsonl"])
    references = read_references(_read("references.csv"), "references.csv", grades=range(4))
    import_references(session, COMMAND_LINE, project.id, references.table, source="references.csv")
    projects.change_project(session, COMMAND_LINE, project.id, batch_size=BATCH)
    _decide(session, project.id)
    projects.open_project(session, COMMAND_LINE, project.id)


def _decide(session: Session, project_id: int) -> None:
    decisions = [json.loads(line) for line in _read("decisions.jsonl").decode().splitlines() if line.strip()]
    table = pd.DataFrame(decisions)[["query_id", "doc_id"]]
    pairs = add_pairs(session, COMMAND_LINE, project_id, table)
    for number, row in enumerate(decisions, start=1):
        decide(
            session,
            COMMAND_LINE,
            project_id,
            pairs[(row["query_id"], row["doc_id"])],
            grade=row["grade"],
            reason=row["reason"],
            note=row["note"],
            act_id=f"demo:{number}",
        )
