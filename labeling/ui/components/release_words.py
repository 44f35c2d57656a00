"""Rules and ties in the reader's words.

Knows codes only; what a rule does stands in labeling.rules.
"""

from labeling.aggregation import NO_GOLD
from labeling.errors import AssayError
from labeling.qrels_comparison import ALL_TIED, NO_GRADES, ONE_RUN
from labeling.rules import parse_rule
from labeling.ui.texts import _

__all__ = ["reason_word", "rule_name", "rule_word", "tie_word"]


def rule_word(rule: str) -> str:
    """A rule in words that say what it does."""
    words = {
        "majority": _("majority: the grade given most often"),
        "median": _("median: the middle grade"),
        "mean": _("mean, rounded to the nearest grade"),
        "minimum": _("minimum: the lowest grade"),
        "maximum": _("maximum: the highest grade"),
        "unanimous": _("unanimous: only where all agree"),
        "dawid-skene": _("Dawid-Skene: weighs raters by their fitted errors"),
        "gold-weighted": _("weighted by gold: votes weigh what their rater gets right on gold"),
        "raters": _("an order of raters: the first who voted"),
    }
    return words.get(rule) or rule_name(rule)


def rule_name(rule: str) -> str:
    """A rule in a word or two, for the head of a column."""
    words = {
        "majority": _("majority"),
        "median": _("median"),
        "mean": _("mean (rounded)"),
        "minimum": _("minimum"),
        "maximum": _("maximum"),
        "unanimous": _("unanimous"),
        "dawid-skene": _("Dawid-Skene"),
        "gold-weighted": _("weighted by gold"),
    }
    if rule in words:
        return words[rule]
    try:
        parsed = parse_rule(rule)
    except AssayError:
        return rule
    names = ", ".join(parsed.raters)
    return _("one rater: {name}", name=names) if parsed.name == "rater" else _("in this order: {names}", names=names)


def tie_word(tie: str) -> str:
    """What happens to a tie."""
    return {"open": _("stay open for the lead"), "lower": _("the lower grade"), "higher": _("the higher grade")}[tie]


def reason_word(reason: str) -> str:
    """Why a number or a rule is undefined."""
    words = {
        NO_GOLD: _("no rater has judged a pair of known grade, so that no vote has a weight"),
        ONE_RUN: _("an order needs two runs or more"),
        ALL_TIED: _("all runs have the same mean in one of the two"),
        NO_GRADES: _("one of the two has no grades"),
    }
    return words.get(reason, reason)
