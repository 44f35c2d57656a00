"""Codes in words that pages, reports and the command line share, to be said in the reader's language.

Knows codes and a way to say words; no number, no page and no database.
"""

from collections.abc import Callable

from labeling.i18n import mark

__all__ = ["DISPUTE_RULES", "UNITS", "VERDICTS", "Say", "coefficient_words", "reason_words"]

Say = Callable[..., str]

COEFFICIENTS = {
    "percent_agreement": mark("Equal grades"),
    "krippendorff_alpha": mark("Krippendorff's alpha"),
    "fleiss_kappa": mark("Fleiss' kappa"),
    "gwet_ac1": mark("Gwet's AC1"),
    "gwet_ac2": mark("Gwet's AC2"),
    "scott_pi": mark("Scott's pi"),
    "cohen_kappa": mark("Cohen's kappa"),
    "overlap_of_relevant": mark("Overlap of what is relevant"),
}
LEVELS = {
    "nominal": mark("nominal"),
    "ordinal": mark("ordinal"),
    "interval": mark("interval"),
    "ratio": mark("ratio"),
    "linear": mark("linear"),
    "quadratic": mark("quadratic"),
}
REASONS = {
    "query_unclear": mark("query unclear"),
    "document_unclear": mark("document unclear"),
    "rater_slip": mark("slip of a rater"),
    "rubric_clause": mark("clause of the rubric"),
    "other": mark("other"),
}
DISPUTE_RULES = {
    "any": mark("any difference"),
    "two_apart": mark("two grades apart"),
    "threshold": mark("across the relevance threshold"),
}
UNITS = {
    "panel": mark("one rater of each panel, for all its queries"),
    "query": mark("one rater for each query"),
    "pair": mark("one vote for each pair"),
    "ties": mark("the grade most votes have, ties falling either way"),
    "bounds": mark("the lowest vote of every pair, and then the highest"),
    "dawid-skene": mark("for each pair a grade that Dawid and Skene's model holds possible"),
}
VERDICTS = {
    "A beats B whoever judges": mark("A beats B whoever judges"),
    "depends on the rater": mark("depends on the rater"),
    "depends on the queries": mark("depends on the queries"),
    "cannot be told apart": mark("cannot be told apart"),
}


def coefficient_words(name: str, level: str, say: Say) -> str:
    """A coefficient's name, with its level where it has several."""
    words = say(COEFFICIENTS.get(name, name))
    if name == "overlap_of_relevant":
        return say(mark("{words}, from grade {grade}"), words=words, grade=level)
    alone = name in ("percent_agreement", "fleiss_kappa", "gwet_ac1", "scott_pi")
    return words if alone else f"{words}, {say(LEVELS.get(level, level))}"


def reason_words(reason: str, say: Say) -> str:
    """A reason for a decision; a project's own as it stands."""
    return say(REASONS[reason]) if reason in REASONS else reason
