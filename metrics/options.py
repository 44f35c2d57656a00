"""The choices of a whole evaluation, part of every printed definition.

Knows their names and meanings only.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from metrics.errors import MeasureError

__all__ = ["Options"]

_CHOICES: Final = {
    "missing": ("zero", "exclude"),
    "no_relevant": ("zero", "exclude"),
    "unjudged": ("nonrelevant", "condensed"),
    "precision": ("double", "single"),
    "duplicates": ("keep", "no_gain"),
}
ORDER_RULE: Final = "score descending, ties by doc_id descending in byte order; ranks in files are ignored"


@dataclass(frozen=True)
class Options:
    """What happens to queries and documents that a plain mean would hide.

    Parameters
    ----------
    missing : {"zero", "exclude"}
        A query of the qrels that a run lacks scores 0 (``trec_eval -c``), or is left out of that run's mean.
    no_relevant : {"zero", "exclude"}
        A query without anything that the measure looks for scores 0 (trec_eval), or is left out of every mean.
    unjudged : {"nonrelevant", "condensed"}
        Documents without a judgment take a rank and gain nothing, or are taken out of the ranking first (``trec_eval -J``).
    precision : {"double", "single"}
        How scores are compared: as trec_eval 10 does, or as 32-bit numbers, as trec_eval 9 and pytrec_eval do.
    duplicates : {"keep", "no_gain"}
        Later copies of a text in a ranking count as any other document, or keep their rank and gain nothing, as unjudged
        documents do; what is relevant in all (the ideal, R) stays as judged.
    copies : tuple of (doc_id, group)
        The near-duplicates, as :func:`metrics.copies.read_copies` reads them; needed for ``no_gain``.

    Raises
    ------
    MeasureError
        When a choice is none of these, or copies are given or lacking against ``duplicates``.
    """

    missing: str = "zero"
    no_relevant: str = "zero"
    unjudged: str = "nonrelevant"
    precision: str = "double"
    duplicates: str = "keep"
    copies: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                raise MeasureError(f"{name} is {' or '.join(known)}, found {value!r}")
        if (self.duplicates == "no_gain") != bool(self.copies):
            raise MeasureError("duplicates='no_gain' and a table of near-duplicates (copies) go together")

    def definition(self) -> dict[str, str]:
        """Every choice, and the order rule."""
        groups = len({group for _, group in self.copies})
        digest = hashlib.sha256(json.dumps(sorted(self.copies)).encode()).hexdigest()[:16]
        table = {"copies": f"{len(self.copies)} documents in {groups} groups, sha256 {digest}"} if self.copies else {}
        return (
            {name: getattr(self, name) for name in _CHOICES}
            | table
            | {
                "query_set": "the queries of the qrels",
                "order": ORDER_RULE,
                "negative_grades": "no gain; unjudged for Bpref, infAP and condensed rankings",
            }
        )
