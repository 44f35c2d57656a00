"""The named rules that turn votes into one grade a pair: their names, what they say, and how they are written.

Knows no votes; what a rule makes of them stands in aggregation.py.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from labeling.errors import AssayError

__all__ = ["RULES", "SIMPLE_RULES", "Rule", "parse_rule"]

RULES: Mapping[str, str] = {
    "majority": "the grade with most votes; ties between grades with equally many votes",
    "median": "the middle vote; ties between two middle votes that differ",
    "mean": "the grade nearest to the mean of the votes; ties where it lies halfway",
    "minimum": "the lowest vote",
    "maximum": "the highest vote",
    "unanimous": "the grade that all votes share; else open",
    "rater": "the vote of one named rater; open where they have none",
    "raters": "the vote of the first of several named raters who has one; open where none has",
    "dawid-skene": "the likeliest grade, given each rater's estimated habits",
    "gold-weighted": "the grade with the greatest sum of weights, a rater's weight being their accuracy on gold",
}
SIMPLE_RULES = ("majority", "median", "mean", "minimum", "maximum", "unanimous")

_WRITTEN = {"rater": "rater:NAME", "raters": "raters:NAME,NAME,..."}


@dataclass(frozen=True)
class Rule:
    """A rule by name, with the raters it names in their order; str() parses back to an equal rule."""

    name: str
    raters: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The rule as parse_rule reads it."""
        if self.name == "rater":
            return f"rater:{self.raters[0]}"
        return f"raters:{_joined(self.raters)}" if self.name == "raters" else self.name


def parse_rule(text: str) -> Rule:
    """Read a rule: a name of RULES; rater:NAME; raters:NAME,NAME,... (names with commas in double quotes, as in CSV).

    Raises
    ------
    AssayError
        Another text, naming the rules there are; a rater twice in an order.

    Examples
    --------
    >>> parse_rule("rater:ann")
    Rule(name='rater', raters=('ann',))
    >>> parse_rule("raters:ann,bob")
    Rule(name='raters', raters=('ann', 'bob'))
    >>> str(parse_rule("median"))
    'median'
    """
    name, colon, named = text.partition(":")
    if name not in RULES or bool(colon) != (name in _WRITTEN) or (colon and not named.strip()):
        raise AssayError(f"a rule: expected {', '.join(_WRITTEN.get(rule, rule) for rule in RULES)}, found {text}")
    if name != "raters":
        return Rule(name, (named,) if colon else ())
    raters = _parted(named)
    if not all(raters) or len(set(raters)) < len(raters):
        raise AssayError(f"an order of raters: expected names that differ, with commas between, found {named}")
    return Rule(name, raters)


def _joined(names: tuple[str, ...]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _parted(text: str) -> tuple[str, ...]:
    try:
        return tuple(next(csv.reader([text], strict=True)))
    except csv.Error as error:
        raise AssayError(f"an order of raters: expected names with commas between, found {text} ({error})") from error
