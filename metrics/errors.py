"""The faults that a person can mend: wrong files, wrong measures, wrong use.

Knows nothing of databases, pages or exit codes; whoever catches one decides how to show it.
"""

from collections.abc import Sequence

__all__ = ["AssayError", "InputError", "InputErrors", "MeasureError"]


class AssayError(Exception):
    """Something that a person can mend; the message says what was expected and what was found."""


class InputError(AssayError):
    """One fault at one place of an input.

    Parameters
    ----------
    source : str
        The file as the person named it.
    line : int or None
        Line number from 1; None where the fault is the file's as a whole.
    expected, found : str
        Halves of the sentence "expected ..., found ...".
    """

    def __init__(self, source: str, line: int | None, expected: str, found: str) -> None:
        self.source = source
        self.line = line
        self.expected = expected
        self.found = found
        place = source if line is None else f"{source} line {line}"
        super().__init__(f"{place}: expected {expected}, found {found}")


class InputErrors(AssayError):
    """Several faults, so that a person can mend them all before trying again."""

    def __init__(self, faults: Sequence[InputError]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class MeasureError(AssayError):
    """A measure's text that is not understood, or parameters it does not take."""
