"""What disputes say about the rubric and the queries: counted, with pairs and notes, as an agenda for the next version.

Knows decisions and disputes as tables; no database and no page. The words come from whoever asks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import pandas as pd

__all__ = ["Agenda", "Item", "build_agenda", "write_agenda"]

Words = Callable[[str], str]
Key = TypeVar("Key", str, tuple[str, str])


@dataclass(frozen=True)
class Item:
    """A settled pair on the agenda: what was decided, from which votes, and what the lead wrote."""

    pair: int
    query_id: str
    query: str
    doc_id: str
    title: str
    grade: int
    votes: tuple[int, ...]
    reason: str
    rubric_change: bool
    clause: str
    note: str
    rubric_version: int


@dataclass(frozen=True)
class Agenda:
    """Counts, highest first, and the settled pairs.

    reasons and clauses count settled pairs: clauses those alone whose decision says that the rubric needs a change.
    queries and rater_pairs count disputes, settled or not: (key, disputes, of them settled).
    """

    items: tuple[Item, ...]
    reasons: tuple[tuple[str, int], ...]
    clauses: tuple[tuple[str, int], ...]
    queries: tuple[tuple[str, int, int], ...]
    rater_pairs: tuple[tuple[tuple[str, str], int, int], ...]


def build_agenda(decisions: pd.DataFrame, disputes: pd.DataFrame) -> Agenda:
    """Count what leads decided and what is disputed.

    Parameters
    ----------
    decisions : DataFrame
        As read_decision_details gives them.
    disputes : DataFrame
        query_id, doc_id, votes (a tuple of (rater, grade)), settled (bool), one row a dispute.
    """
    items = tuple(_item(row) for row in decisions.sort_values(["query_id", "doc_id"]).to_dict("records"))
    by_query: list[tuple[str, bool]] = []
    by_raters: list[tuple[tuple[str, str], bool]] = []
    for query_id, votes, settled in disputes[["query_id", "votes", "settled"]].itertuples(index=False, name=None):
        by_query.append((query_id, settled))
        differing = [(one, two) for (one, a), (two, b) in combinations(sorted(votes), 2) if a != b]
        by_raters += [(couple, settled) for couple in differing]
    return Agenda(
        items=items,
        reasons=_most_first(item.reason for item in items),
        clauses=_most_first(item.clause for item in items if item.rubric_change),
        queries=_with_settled(by_query),
        rater_pairs=_with_settled(by_raters),
    )


def _item(row: Mapping[Any, Any]) -> Item:
    votes = row["votes"] if isinstance(row["votes"], list) else []
    return Item(
        pair=int(row["pair"]),
        query_id=str(row["query_id"]),
        query=str(row["query"] or ""),
        doc_id=str(row["doc_id"]),
        title=str(row["title"] or ""),
        grade=int(row["grade"]),
        votes=tuple(sorted(int(vote["grade"]) for vote in votes)),
        reason=str(row["reason"]),
        rubric_change=bool(row["rubric_change"]),
        clause=str(row["clause"]),
        note=str(row["note"]),
        rubric_version=int(row["rubric_version"]),
    )


def _most_first(found: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(found).items(), key=lambda each: (-each[1], each[0])))


def _with_settled(found: Sequence[tuple[Key, bool]]) -> tuple[tuple[Key, int, int], ...]:
    counts = Counter(key for key, _ in found)
    settled = Counter(key for key, done in found if done)
    return tuple((key, counts[key], settled[key]) for key in sorted(counts, key=lambda key: (-counts[key], key)))


def write_agenda(agenda: Agenda, *, title: str, labels: dict[str, str], reason: Words, clause: Words) -> str:
    """The agenda as markdown: clauses that need a change with their pairs and notes first, then the counts.

    Names, queries and notes are written so that markdown takes no sign of theirs for its own. The same agenda gives the
    same text; it holds no name of a rater beside a single vote.
    """
    lines = [f"# {_plain(title)}", ""]
    lines += [f"## {labels['clauses']}", ""]
    marked = [item for item in agenda.items if item.rubric_change]
    if not marked:
        lines += [labels["no_clause"], ""]
    for name, count in agenda.clauses:
        lines += [f"### {_plain(clause(name))} ({count})", ""]
        lines += [_line(item, labels, reason) for item in marked if item.clause == name]
        lines.append("")
    lines += _table(
        labels["reasons"], (labels["reason"], labels["pairs"]), [(reason(one), n) for one, n in agenda.reasons]
    )
    texts = {item.query_id: item.query for item in agenda.items}
    queries = [(f"{one} {texts.get(one, '')}".strip(), n, settled) for one, n, settled in agenda.queries]
    lines += _table(labels["queries"], (labels["query"], labels["disputes"], labels["settled"]), queries)
    couples = [(f"{one}, {two}", n, settled) for (one, two), n, settled in agenda.rater_pairs]
    lines += _table(labels["rater_pairs"], (labels["raters"], labels["disputes"], labels["settled"]), couples)
    lines += [f"## {labels['others']}", ""]
    lines += [_line(item, labels, reason) for item in agenda.items if not item.rubric_change]
    return "\n".join(lines).rstrip() + "\n"


def _line(item: Item, labels: dict[str, str], reason: Words) -> str:
    head = f"{item.query_id} · {item.query} · {item.doc_id} {item.title}".strip()
    votes = ", ".join(map(str, item.votes))
    told = f"{labels['votes']} {votes}; {labels['decided']} {item.grade}; {reason(item.reason)}"
    note = f" — {_plain(item.note)}" if item.note else ""
    return f"- {_plain(head)}: {_plain(told)}{note}"


def _table(title: str, names: Sequence[str], rows: Sequence[tuple[object, ...]]) -> list[str]:
    if not rows:
        return []
    lines = [f"## {title}", "", f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    lines += [f"| {' | '.join(_plain(str(cell)) for cell in row)} |" for row in rows]
    return [*lines, ""]


def _plain(text: str) -> str:
    """One line whose signs markdown leaves alone."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#~$" else sign for sign in " ".join(text.split()))
