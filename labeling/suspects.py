"""Pairs whose grades may be wrong: what a model finds unlikely, copies with different grades, and failed gold.

Reads only, for leads; every entry is a suggestion with its reason, and none is a vote.
"""

from dataclasses import dataclass

import pandas as pd
from sqlalchemy import select
from sqlalchemy.orm import Session

from labeling.accounts import Actor
from labeling.checks import read_gold_results
from labeling.projects import get_project
from labeling.schema import metadata
from labeling.twins import list_twin_conflicts
from labeling.votes import read_votes

__all__ = ["Suspect", "list_known_suspects", "read_model_material"]

_query = metadata.tables["query"]
_document = metadata.tables["document"]


@dataclass(frozen=True)
class Suspect:
    """A pair with the reason to look at it again.

    kind model: grade was given, probability is its own, and low to high with range_probability is what is likely. kind
    twin: other_doc_id, a copy, has other_grades. kind gold: grade was given where other_grades holds the known one.
    """

    kind: str
    query_id: str
    doc_id: str
    grades: tuple[int, ...]
    probability: float = 0.0
    low: int = 0
    high: int = 0
    range_probability: float = 0.0
    other_doc_id: str = ""
    other_grades: tuple[int, ...] = ()


def list_known_suspects(session: Session, actor: Actor, project_id: int) -> list[Suspect]:
    """Copies with different grades, widest first, then grades of gold two or more away from the known one."""
    actor.require("lead")
    found = []
    for conflict in list_twin_conflicts(session, actor, project_id):
        for place, doc_id in enumerate(conflict.doc_ids):
            others = [one for one in range(len(conflict.doc_ids)) if conflict.grades[one] != conflict.grades[place]]
            if others:
                other = max(others, key=lambda one: abs(conflict.grades[one][0] - conflict.grades[place][0]))
                found.append(
                    Suspect(
                        "twin", conflict.query_id, doc_id, conflict.grades[place],
                        other_doc_id=conflict.doc_ids[other], other_grades=conflict.grades[other],
                    )
                )  # fmt: skip
    gold = read_gold_results(session, actor, project_id)
    far = gold[(gold["grade"] - gold["reference"]).abs() >= 2]
    for query_id, doc_id, grade, known in far[["query_id", "doc_id", "grade", "reference"]].itertuples(index=False):
        found.append(Suspect("gold", query_id, doc_id, (int(grade),), other_grades=(int(known),)))
    return found


def read_model_material(
    session: Session, actor: Actor, project_id: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """What a model of the votes learns from: the votes, the queries with their texts, the documents with title and text."""
    actor.require("lead")
    get_project(session, actor, project_id)
    votes = read_votes(session, actor, project_id)
    asked = select(_query.c.query_id, _query.c.text, _query.c.narrative).where(_query.c.project_id == project_id)
    queries = [(row.query_id, f"{row.text or ''} {row.narrative}".strip()) for row in session.execute(asked)]
    told = select(_document.c.doc_id, _document.c.title, _document.c.text).where(_document.c.project_id == project_id)
    documents = [(row.doc_id, f"{row.title} {row.text or ''}".strip()) for row in session.execute(told)]
    return (
        votes,
        pd.DataFrame(sorted(queries), columns=["query_id", "text"], dtype=object),
        pd.DataFrame(sorted(documents), columns=["doc_id", "text"], dtype=object),
    )
