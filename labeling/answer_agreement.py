"""How often raters of a pair answer a second question alike: pandas only, no database.

Knows no grade. An answer is a label; "does not apply" is an answer of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

__all__ = ["AnswerAgreement", "measure_answers"]


@dataclass(frozen=True)
class AnswerAgreement:
    """One question: answers given, couples of answers to the same pair, how many are equal, and their share.

    share is None where no pair has two answers: undefined, not 0.
    """

    name: str
    answers: int
    couples: int
    equal: int

    @property
    def share(self) -> float | None:
        """Equal couples among all couples."""
        return self.equal / self.couples if self.couples else None


def measure_answers(votes: pd.DataFrame, names: Sequence[str]) -> list[AnswerAgreement]:
    """The share of equal answers of each question, over every two raters of a pair.

    Parameters
    ----------
    votes : DataFrame
        Columns query_id, doc_id, answers (name to label, or None); one row a rater and pair.
    names : sequence of str
        The questions, in the order wanted.

    Examples
    --------
    >>> votes = pd.DataFrame(
    ...     {"query_id": "q", "doc_id": "d", "answers": [{"use": "yes"}, {"use": "no"}, {"use": "yes"}]}
    ... )
    >>> measure_answers(votes, ["use", "source"])
    [AnswerAgreement(name='use', answers=3, couples=3, equal=1), AnswerAgreement(name='source', answers=0, couples=0, equal=0)]
    """
    return [_measure(votes, name) for name in names]


def _measure(votes: pd.DataFrame, name: str) -> AnswerAgreement:
    found = [(answers or {}).get(name) for answers in votes["answers"]]
    labels = pd.Series(found, index=votes.index, dtype=object)
    table = votes[["query_id", "doc_id"]].assign(label=labels).dropna(subset="label")
    by_pair = table.groupby(["query_id", "doc_id"]).size()
    by_label = table.groupby(["query_id", "doc_id", "label"]).size()
    couples, equal = (int((counts * (counts - 1) // 2).sum()) for counts in (by_pair, by_label))
    return AnswerAgreement(name, len(table), couples, equal)
