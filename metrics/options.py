"""The choices of a whole evaluation, part of every printed definition.

Knows their names and meanings only.
"""

from dataclasses import dataclass, fields
from typing import Final

from metrics.errors import MeasureError

__all__ = ["Options"]

_CHOICES: Final = {
    "missing": ("zero", "exclude"),
    "no_relevant": ("zero", "exclude"),
    "unjudged": ("nonrelevant", "condensed"),
    "precision": ("double", "single"),
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

    Raises
    ------
    MeasureError
        When a choice is none of these.
    """

    missing: str = "zero"
    no_relevant: str = "zero"
    unjudged: str = "nonrelevant"
    precision: str = "double"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value not in _CHOICES[field.name]:
                raise MeasureError(f"{field.name} is {' or '.join(_CHOICES[field.name])}, found {value!r}")

    def definition(self) -> dict[str, str]:
        """Every choice, and the order rule."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "query_set": "the queries of the qrels",
            "order": ORDER_RULE,
            "negative_grades": "no gain; unjudged for Bpref, infAP and condensed rankings",
        }
