"""Simulate four raters with known habits: ``python -m labeling.demo.make_votes`` writes votes.jsonl.

Knows the demo's own files. Every choice comes from a hash of rater, query and document, so the votes can be made again.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from labeling.demo import FOLDER
from labeling.demo.make_runs import make_runs
from metrics import read_run

DEPTH = 10  # of the pool
BOTH, ONE = 0.60, 0.83  # shares of a query's pairs: judged by both raters; by one at least


@dataclass(frozen=True)
class Habit:
    """How a simulated rater errs: chances to grade one higher, one lower, or anything; seconds for a pair."""

    name: str
    higher: float
    lower: float
    anything: float
    seconds: float
    comments: float


RATERS = (
    Habit("Mina (careful)", higher=0.07, lower=0.07, anything=0.0, seconds=21.0, comments=0.22),
    Habit("Leo (lenient)", higher=0.55, lower=0.03, anything=0.03, seconds=14.0, comments=0.14),
    Habit("Greta (harsh)", higher=0.03, lower=0.55, anything=0.03, seconds=17.0, comments=0.18),
    Habit("Tae (hasty)", higher=0.16, lower=0.16, anything=0.26, seconds=5.0, comments=0.0),
)

COMMENTS = {
    ("en", "higher"): ("It names the thing, and that helps.", "Not the whole answer, but I could start from here."),
    ("en", "lower"): ("I had to search for it; the text is about something else.", "One sentence of use in the whole text."),
    ("en", "same"): ("Answers it, with the reason.", "The narrative asks for more than this.", "Same words, other subject."),
    ("ko", "higher"): ("바로 답은 아니지만 도움이 됩니다.", "필요한 내용이 들어 있어요."),
    ("ko", "lower"): ("주제는 맞지만 답은 거의 없습니다.", "한 문장만 관련이 있습니다."),
    ("ko", "same"): ("물은 것에 바로 답합니다.", "설명에서 원하는 내용이 일부만 있습니다.", "낱말만 같습니다."),
}  # fmt: skip

CANNOT_JUDGE = {
    "en": "I cannot tell whether this is meant seriously.",
    "ko": "어느 제품을 말하는지 알 수 없어 판단하기 어렵습니다.",
}


def make_votes() -> bytes:
    """The judgments as JSON lines: query_id, doc_id, rater, grade, kind, comment, seconds."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in _judgments()]
    return "".join(lines).encode()


def pool_pairs() -> list[tuple[str, str]]:
    """The union of the first documents of the three runs, in byte order."""
    pairs: set[tuple[str, str]] = set()
    for name, content in make_runs().items():
        table = read_run(content, name=name).table
        ranked = table.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
        first = ranked.groupby("query_id").head(DEPTH)
        pairs |= set(zip(first["query_id"], first["doc_id"], strict=True))
    return sorted(pairs)


def main() -> int:
    """Write the votes beside this file."""
    (FOLDER / "votes.jsonl").write_bytes(make_votes())
    return 0


def _judgments() -> Iterator[dict[str, str | int | float]]:
    known = pd.read_json(FOLDER / "reference.jsonl", lines=True, dtype=False)
    reference = {(row.query_id, row.doc_id): int(str(row.grade)) for row in known.itertuples()}
    languages = {row["query_id"]: row["language"] for row in _read_queries()}
    panels = list(combinations(RATERS, 2))
    queries = sorted(languages)
    pool = pool_pairs()
    for place, query_id in enumerate(queries):
        panel = panels[place % len(panels)]
        pairs = sorted((pair for pair in pool if pair[0] == query_id), key=lambda pair: _chance("order", *pair))
        for number, (_, doc_id) in enumerate(pairs):
            grade = reference.get((query_id, doc_id), 0)
            for rater in _who_judges(panel, number, len(pairs)):
                yield _judgment(rater, query_id, doc_id, grade, languages[query_id])


def _read_queries() -> list[dict[str, str]]:
    return [json.loads(line) for line in (FOLDER / "queries.jsonl").read_text(encoding="utf-8").splitlines()]


def _who_judges(panel: tuple[Habit, Habit], number: int, pairs: int) -> tuple[Habit, ...]:
    """Both raters first, then one of them in turn, then none yet: a visitor finds pairs to judge."""
    if number < BOTH * pairs:
        return panel
    if number < ONE * pairs:
        return (panel[number % 2],)
    return ()


def _judgment(rater: Habit, query_id: str, doc_id: str, grade: int, language: str) -> dict[str, str | int | float]:
    key = (rater.name, query_id, doc_id)
    row: dict[str, str | int | float] = {"query_id": query_id, "doc_id": doc_id, "rater": rater.name}
    seconds = round(rater.seconds * (0.4 + 1.2 * _chance("seconds", *key)), 1)
    if grade in (0, 1) and _chance("cannot judge", *key) < 0.02:
        return row | {"kind": "cannot_judge", "comment": CANNOT_JUDGE[language], "seconds": seconds}
    given = _given_grade(rater, grade, key)
    row |= {"grade": given, "kind": "grade", "seconds": seconds}
    # A slip explains nothing, so it comes without a comment.
    if abs(given - grade) <= 1 and _chance("comment", *key) < rater.comments:
        side = "same" if given == grade else ("higher" if given > grade else "lower")
        choices = COMMENTS[language, side]
        row["comment"] = choices[_fitting(side, given, len(choices))]
    return row


def _given_grade(rater: Habit, grade: int, key: tuple[str, ...]) -> int:
    chance = _chance("grade", *key)
    if chance < rater.anything:
        return int(4 * _chance("anything", *key))
    if chance < rater.anything + rater.higher:
        # Nobody finds an answer in a text about another subject: generosity begins at grade 1.
        return min(grade + 1, 3) if grade else int(_chance("first step", *key) < 0.35)
    if chance < rater.anything + rater.higher + rater.lower:
        return max(grade - 1, 0)
    return grade


def _fitting(side: str, given: int, choices: int) -> int:
    """The comment that suits the grade: a text graded 3 answers, one graded 0 has only the words."""
    if side == "same":
        return {3: 0, 2: 1, 1: 1, 0: 2}[given]
    return given % choices


def _chance(*key: str) -> float:
    """A number from 0 to 1 that only the key decides."""
    digest = hashlib.sha256("\x1f".join(key).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


if __name__ == "__main__":
    sys.exit(main())
