"""A small campaign on a migrated database: people, a project with pairs, and cards that judge."""

import itertools
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pandas as pd

from labeling import accounts, collection, pool, projects
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import writing
from labeling.judging import answer_card

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_numbers = itertools.count(1)


def make_people(*names: str, role: str = "rater") -> list[Actor]:
    """Accounts with these names; without passwords, as nobody signs in here."""
    with writing() as session:
        numbers = [accounts.create_account(session, COMMAND_LINE, name=name, role=role) for name in names]
    return [Actor(number, name, role) for number, name in zip(numbers, names, strict=True)]


def make_project(
    *, queries: int = 3, documents: int = 5, overlap: int = 2, name: str = "campaign", **settings: int | str
) -> int:
    """An open project whose pairs are every document for every query."""
    with writing() as session:
        project = projects.create_project(session, COMMAND_LINE, name=name)
        query_ids = [f"q{number}" for number in range(queries)]
        doc_ids = [f"d{number}" for number in range(documents)]
        table = pd.DataFrame({"query_id": query_ids, "text": [f"query {one}" for one in query_ids], "narrative": ""})
        collection.add_queries(session, COMMAND_LINE, project.id, table)
        texts = pd.DataFrame({"doc_id": doc_ids, "title": "", "text": [f"text of {one}" for one in doc_ids], "url": ""})
        collection.add_documents(session, COMMAND_LINE, project.id, texts)
        projects.change_project(session, COMMAND_LINE, project.id, overlap=overlap, **settings)
        pairs = pd.DataFrame([(q, d) for q in query_ids for d in doc_ids], columns=["query_id", "doc_id"])
        pool.add_pairs(session, COMMAND_LINE, project.id, pairs)
        projects.open_project(session, COMMAND_LINE, project.id)
    return project.id


@dataclass
class Card:
    """A judging card without a screen: it holds pairs and sends acts as the front end does."""

    actor: Actor
    project: int
    tab: str = "tab-1"
    now: datetime = NOW
    held: list[dict] = field(default_factory=list)
    last: dict = field(default_factory=dict)

    def send(self, *acts: dict, want: int = 20, hello: bool = False) -> dict:
        """Send acts and take what comes back."""
        body = {
            "project": self.project,
            "tab": self.tab,
            "hello": hello,
            "acts": list(acts),
            "have": [pair["pair"] for pair in self.held],
            "want": want,
        }
        self.last = answer_card(self.actor, body, now=self.now)
        self.held = [pair for pair in self.held if pair["pair"] not in self.last["lost"]] + self.last["pairs"]
        return self.last

    def act(self, kind: str, pair: dict, **values: object) -> dict:
        """An act on a pair as it was on the screen."""
        number = next(_numbers)
        return {
            "act_id": str(uuid.uuid4()),
            "seq": number,
            "kind": kind,
            "pair": pair["pair"],
            "shown": pair["shown"],
            "rubric_version": pair["rubric_version"],
            "shown_at": self.now.timestamp() * 1000,
            "seconds": 4.0,
            **values,
        }

    def grade(self, grade: int, pair: dict | None = None) -> dict:
        """Grade the pair on the screen, or another; the outcome of the act."""
        shown = self.held.pop(0) if pair is None else pair
        return self.send(self.act("grade", shown, grade=grade))["acts"][0]

    def wait(self, **duration: float) -> None:
        """Let time pass."""
        self.now += timedelta(**duration)
