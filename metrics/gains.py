"""What a grade is worth, and what a rank leaves of it: gain and discount, by name or as a table.

Knows grades and ranks as arrays; nothing of runs, files or measures.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from metrics.errors import MeasureError

__all__ = ["discount_at", "gain_of", "read_discount", "read_gain"]

_LARGEST_EXPONENT = 60


def read_gain(text: str) -> str:
    """Bring the text of a gain into its one written form.

    Parameters
    ----------
    text : str
        ``linear``, ``exp2`` (also ``exp``), or a table ``0:0,1:1,2:4,3:10``; the short table ``0,1,10,100`` gives the
        gains of grades 0, 1, 2, ...

    Returns
    -------
    str
        The form that measures print.

    Raises
    ------
    MeasureError
        When the text is no gain, or gives a grade two gains, or a gain below 0.
    """
    plain = text.strip().strip("'\"").strip("{}").replace(" ", "")
    if plain in {"linear", "exp2"}:
        return plain
    if plain in {"exp", "exponential"}:
        return "exp2"
    table = _read_table(text, plain)
    return ",".join(f"{grade}:{value:g}" for grade, value in sorted(table.items()))


def _read_table(text: str, plain: str) -> dict[int, float]:
    table: dict[int, float] = {}
    try:
        for position, item in enumerate(plain.split(",")):
            grade_text, colon, value_text = item.rpartition(":")
            grade = int(grade_text) if colon else position
            if grade in table:
                raise MeasureError(f"gain {text!r}: grade {grade} has two gains")
            table[grade] = float(value_text)
    except ValueError:
        raise MeasureError(f"gain {text!r}: expected linear, exp2 or a table such as 0:0,1:1,2:4,3:10") from None
    if any(not np.isfinite(value) or value < 0 for value in table.values()):
        raise MeasureError(f"gain {text!r}: a gain is a number of 0 or more")
    return table


def gain_of(gain: str, grades: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each grade is worth.

    Parameters
    ----------
    gain : str
        A gain as :func:`read_gain` returns it.
    grades : array of int
        Grades; negative ones, and documents without a judgment, are worth nothing, as in trec_eval.

    Returns
    -------
    array of float, of the shape of ``grades``

    Raises
    ------
    MeasureError
        When a table has no gain for a grade that occurs, naming the grade.

    Examples
    --------
    >>> gain_of("exp2", np.array([0, 1, 2, 3, -1]))
    array([0., 1., 3., 7., 0.])
    """
    kept = np.maximum(grades, 0)
    if gain == "linear":
        return kept.astype(np.float64)
    top = int(kept.max()) if kept.size else 0
    if gain == "exp2":
        if top > _LARGEST_EXPONENT:
            raise MeasureError(f"gain exp2: grade {top} is beyond {_LARGEST_EXPONENT}")
        return np.exp2(kept) - 1.0
    table = _read_table(gain, gain)
    if top > max(table, default=0) + 1000:
        raise MeasureError(f"gain {gain}: no gain for grade {top}")
    values = np.full(max(top, *table, 0) + 1, np.nan)
    for grade, value in table.items():
        if grade >= 0:
            values[grade] = value
    found: NDArray[np.float64] = np.where(grades < 0, 0.0, values[kept])
    if np.isnan(found).any():
        lost = int(kept[np.isnan(found)].min())
        raise MeasureError(f"gain {gain}: no gain for grade {lost}")
    return found


def read_discount(text: str) -> str:
    """Bring the text of a discount into its one written form.

    Parameters
    ----------
    text : str
        ``log2`` (1/log2(rank+1)), ``jk`` or ``jk:b`` (Järvelin and Kekäläinen's own, base b, 2 unless given),
        ``zipf`` (1/rank) or ``none``.

    Raises
    ------
    MeasureError
        When the text is no discount.
    """
    plain = text.strip().strip("'\"")
    if plain in {"log2", "zipf", "none"}:
        return plain
    name, colon, base_text = plain.partition(":")
    if name == "jk":
        try:
            base = float(base_text) if colon else 2.0
        except ValueError:
            base = 0.0
        if base > 1 and np.isfinite(base):
            return "jk" if base == 2 else f"jk:{base:g}"
    raise MeasureError(f"discount {text!r}: expected log2, jk, jk:BASE, zipf or none")


def discount_at(discount: str, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """What is left of a gain at each rank.

    Parameters
    ----------
    discount : str
        A discount as :func:`read_discount` returns it.
    ranks : array of int >= 1

    Returns
    -------
    array of float in (0, 1], of the shape of ``ranks``

    Examples
    --------
    Järvelin and Kekäläinen's discount begins after its base:

    >>> discount_at("jk", np.array([1, 2, 4]))
    array([1. , 1. , 0.5])
    >>> discount_at("log2", np.array([1, 3]))
    array([1. , 0.5])
    """
    name, _, base = discount.partition(":")
    return _DISCOUNTS[name](ranks.astype(np.float64), float(base or 2))


def _jarvelin(ranks: NDArray[np.float64], base: float) -> NDArray[np.float64]:
    return np.asarray(1.0 / np.maximum(np.log2(ranks) / np.log2(base), 1.0))


_DISCOUNTS: dict[str, Callable[[NDArray[np.float64], float], NDArray[np.float64]]] = {
    "log2": lambda ranks, _: np.asarray(1.0 / np.log2(ranks + 1.0)),
    "jk": _jarvelin,
    "zipf": lambda ranks, _: 1.0 / ranks,
    "none": lambda ranks, _: np.ones_like(ranks),
}
