"""A measure as a frozen value that prints itself and parses back, and the registry of all measures.

Knows names and parameters; how a measure is computed stands in the measure's own file.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metrics.errors import MeasureError
from metrics.gains import read_discount, read_gain

if TYPE_CHECKING:
    from metrics.hits import JudgedHits

__all__ = [
    "Declaration",
    "Measure",
    "Parameter",
    "declare",
    "find_declaration",
    "list_measures",
    "parse_measure",
    "parse_measures",
]

Value = int | float | str


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: its name, its usual value, how its text is read, and what it means."""

    name: str
    usual: Value
    read: Callable[[str], Value]
    help: str


@dataclass(frozen=True)
class Declaration:
    """What the registry knows of a measure.

    Parameters
    ----------
    name : str
    summary : str
        One line for help pages.
    formula : str
        In plain symbols.
    score : callable
        (hits, measure) -> one score a row (a row is one query of one run); nan where undefined.
    has_relevant : callable
        (hits, measure) -> for each query, whether it holds anything that this measure looks for.
    cutoff : {"optional", "needed", "none"}
    trec_cut, trec_whole : str
        trec_eval's names with and without cutoff; empty where it has none.
    undefined : str
        When a single ranking has no score.
    notes : str
        Where other tools differ.
    source : str
        Who defined it.
    """

    name: str
    summary: str
    formula: str
    score: "Callable[[JudgedHits, Measure], NDArray[np.float64]]"
    has_relevant: "Callable[[JudgedHits, Measure], NDArray[np.bool_]]"
    parameters: tuple[Parameter, ...] = ()
    cutoff: str = "optional"
    trec_cut: str = ""
    trec_whole: str = ""
    undefined: str = ""
    notes: str = ""
    source: str = ""


@dataclass(frozen=True)
class Measure:
    """A measure with all its parameters: equal values print equal texts, and a text parses back to an equal value.

    Parameters
    ----------
    name : str
        ``nDCG``, ``AP``, ...; see :func:`list_measures`.
    cutoff : int >= 1 or None
        Last rank counted; None counts the whole ranking.
    parameters : tuple of (name, value)
        Every parameter of the measure in alphabetical order, usual values filled in.

    Examples
    --------
    >>> str(parse_measure("nDCG(gain=exp2)@10"))
    'nDCG(gain=exp2)@10'
    >>> parse_measure("P(rel=1)@10") == parse_measure("P_10")
    True
    """

    name: str
    cutoff: int | None = None
    parameters: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        usual = {parameter.name: parameter.usual for parameter in find_declaration(self.name).parameters}
        said = ",".join(f"{name}={_write(value)}" for name, value in self.parameters if value != usual.get(name))
        return self.name + (f"({said})" if said else "") + ("" if self.cutoff is None else f"@{self.cutoff}")

    def integer(self, name: str) -> int:
        """The value of a parameter that is a whole number."""
        return int(self._value(name))

    def number(self, name: str) -> float:
        """The value of a parameter that is a number."""
        return float(self._value(name))

    def text(self, name: str) -> str:
        """The value of a parameter that is a text."""
        return str(self._value(name))

    def _value(self, name: str) -> Value:
        return dict(self.parameters)[name]

    def definition(self) -> dict[str, Value | None]:
        """Everything that fixes the score, for reports."""
        return {"measure": str(self), "name": self.name, "cutoff": self.cutoff, **dict(self.parameters)}

    def trec_name(self) -> str:
        """trec_eval's name where trec_eval has this measure with these parameters, else the measure's own text."""
        declaration = find_declaration(self.name)
        usual = tuple(sorted((parameter.name, parameter.usual) for parameter in declaration.parameters))
        if self.parameters == usual:
            if self.cutoff is None and declaration.trec_whole:
                return declaration.trec_whole
            if self.cutoff is not None and declaration.trec_cut:
                return f"{declaration.trec_cut}_{self.cutoff}"
        return str(self)

    @property
    def declared(self) -> Declaration:
        """The registry's entry."""
        return find_declaration(self.name)


def _write(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


_REGISTRY: dict[str, Declaration] = {}
_OTHER_NAMES = {
    "map": "AP", "mrr": "RR", "recip_rank": "RR", "recall": "R", "precision": "P", "hit": "Success", "hits": "Success",
    "hit_rate": "Success", "r-precision": "Rprec", "r_precision": "Rprec", "set_p": "SetP", "set_recall": "SetR", "set_r": "SetR", "set_f": "SetF",
}  # fmt: skip
_TEXT = re.compile(r"(?P<name>[A-Za-z][\w-]*?)\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<cutoff>\d+))?")
_NEXT_PARAMETER = re.compile(r",\s*(?=[A-Za-z_]+\s*=)")


def declare(declaration: Declaration) -> Declaration:
    """Enter a measure into the registry; called once by the measure's own file."""
    _REGISTRY[declaration.name] = declaration
    return declaration


def find_declaration(name: str) -> Declaration:
    """The registry's entry of a measure's name, whatever its case; raises MeasureError for an unknown name."""
    if name in _REGISTRY:
        return _REGISTRY[name]
    folded = {known.lower(): known for known in _REGISTRY} | _OTHER_NAMES
    if name.lower() in folded:
        return _REGISTRY[folded[name.lower()]]
    raise MeasureError(f"measure {name!r} is unknown; known are {', '.join(sorted(_REGISTRY, key=str.lower))}")


def parse_measure(text: str | Measure) -> Measure:
    """Read a measure from its text.

    Parameters
    ----------
    text : str
        As ir_measures writes it (``nDCG@10``, ``P(rel=2)@10``, ``nDCG(gain=exp2)@10``), or trec_eval's name
        (``ndcg_cut_10``, ``map``, ``recip_rank``, ``P_10``).

    Returns
    -------
    Measure
        ``str`` of it is the whole definition and parses back to an equal value.

    Raises
    ------
    MeasureError
        When the name or a parameter is unknown, a value is out of its range, or a needed cutoff is missing.

    Examples
    --------
    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    >>> str(parse_measure("nDCG(gain=0:0,1:1,2:4,3:10)@5"))
    'nDCG(gain=0:0,1:1,2:4,3:10)@5'
    """
    if isinstance(text, Measure):
        return text
    plain = text.strip()
    trec = _parse_trec_name(plain)
    if trec is not None:
        return trec
    match = _TEXT.fullmatch(plain)
    if match is None:
        raise MeasureError(f"measure {text!r} is not understood; write for example nDCG@10 or P(rel=2)@10")
    declaration = find_declaration(match["name"])
    given = _split_parameters(text, match["inside"] or "")
    cutoff = None if match["cutoff"] is None else int(match["cutoff"])
    return _build(text, declaration, given, cutoff)


def _parse_trec_name(plain: str) -> Measure | None:
    stem, _, digits = plain.rpartition("_")
    for declaration in _REGISTRY.values():
        if declaration.trec_whole and plain == declaration.trec_whole:
            return _build(plain, declaration, {}, None)
        if declaration.trec_cut and stem == declaration.trec_cut and digits.isdecimal():
            return _build(plain, declaration, {}, int(digits))
    return None


def _split_parameters(text: str, inside: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for item in _NEXT_PARAMETER.split(inside) if inside.strip() else []:
        name, equals, value = item.partition("=")
        name = name.strip()
        if not equals or name in given:
            raise MeasureError(f"measure {text!r}: expected name=value once for each parameter, found {item.strip()!r}")
        given[name] = value.strip()
    return given


def _build(text: str, declaration: Declaration, given: dict[str, str], cutoff: int | None) -> Measure:
    # ir_measures writes the exponential gain as dcg='exp-log2'
    if "dcg" in given and "gain" not in given:
        given = {name: value for name, value in given.items() if name != "dcg"} | {
            "gain": {"exp-log2": "exp2", "log2": "linear"}.get(given["dcg"].strip("'\""), given["dcg"])
        }
    unknown = set(given) - {parameter.name for parameter in declaration.parameters}
    if unknown:
        takes = ", ".join(parameter.name for parameter in declaration.parameters) or "none"
        raise MeasureError(
            f"measure {text!r}: {declaration.name} has no parameter {min(unknown)!r} (it takes: {takes})"
        )
    if cutoff == 0:
        raise MeasureError(f"measure {text!r}: a cutoff is 1 or more")
    if cutoff is None and declaration.cutoff == "needed":
        raise MeasureError(f"measure {text!r}: {declaration.name} needs a cutoff, as in {declaration.name}@10")
    if cutoff is not None and declaration.cutoff == "none":
        raise MeasureError(f"measure {text!r}: {declaration.name} takes no cutoff")
    values = []
    for parameter in sorted(declaration.parameters, key=lambda each: each.name):
        try:
            value = parameter.read(given[parameter.name]) if parameter.name in given else parameter.usual
        except (ValueError, MeasureError) as fault:
            raise MeasureError(f"measure {text!r}: {fault}") from None
        values.append((parameter.name, value))
    return Measure(declaration.name, cutoff, tuple(values))


def parse_measures(texts: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Read several measures; equal ones are kept once, in the order given."""
    return tuple(dict.fromkeys(parse_measure(text) for text in texts))


def list_measures() -> pd.DataFrame:
    """The registry as a table: name, example, summary, formula, parameters, trec_eval, undefined, notes, source."""
    rows = []
    for declaration in sorted(_REGISTRY.values(), key=lambda each: each.name.lower()):
        example = declaration.name + ("" if declaration.cutoff == "none" else "@10")
        names = (declaration.trec_whole, declaration.trec_cut and f"{declaration.trec_cut}_K")
        rows.append(
            {
                "name": declaration.name,
                "example": example,
                "summary": declaration.summary,
                "formula": declaration.formula,
                "parameters": "; ".join(
                    f"{each.name}={_write(each.usual)}: {each.help}" for each in declaration.parameters
                ),
                "cutoff": declaration.cutoff,
                "trec_eval": ", ".join(filter(None, names)),
                "undefined": declaration.undefined,
                "notes": declaration.notes,
                "source": declaration.source,
            }
        )
    return pd.DataFrame(rows)


def _whole_number_from(least: int, name: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise MeasureError(f"{name} is a whole number of {least} or more, found {text!r}")
        return value

    return read


def _number_between(low: float, high: float, name: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low
        if not low < value < high:
            raise MeasureError(f"{name} is a number between {low:g} and {high:g}, found {text!r}")
        return value

    return read


RELEVANT = Parameter("rel", 1, _whole_number_from(1, "rel"), "the least relevant grade")
GAIN = Parameter(
    "gain", "linear", read_gain, "linear (the grade), exp2 (2^grade - 1), or a table such as 0:0,1:1,2:4,3:10"
)
DISCOUNT = Parameter("discount", "log2", read_discount, "log2 (1/log2(rank+1)), jk or jk:BASE, zipf (1/rank), none")
PERSISTENCE = Parameter("p", 0.8, _number_between(0, 1, "p"), "chance that a reader goes on to the next rank")
TOP_GRADE = Parameter("max", 4, _whole_number_from(1, "max"), "the scale's top grade")
BETA = Parameter(
    "beta",
    1.0,
    _number_between(0, float("inf"), "beta"),
    "weight of recall against precision, as trec_eval's set_F parameter",
)
