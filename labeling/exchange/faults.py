"""Faults of one import, gathered so that a person can mend several at once and is not buried under thousands.

Knows nothing of formats.
"""

from labeling.errors import InputError, InputErrors

__all__ = ["Faults"]

_SHOWN = 20


class _ManyErrors(InputErrors):
    """The faults shown, a last one that says how many more there are, and that number."""

    def __init__(self, shown: list[InputError], more: int) -> None:
        tail = InputError(shown[-1].source, None, f"no more than these {_SHOWN} faults", f"{more} more")
        super().__init__([*shown, tail])
        self.shown = shown
        self.more = more


class Faults:
    """Keeps the first 20 faults and counts the others."""

    def __init__(self) -> None:
        self._kept: list[InputError] = []
        self._more = 0

    def __bool__(self) -> bool:
        """Whether there is a fault."""
        return bool(self._kept)

    def add(self, source: str, line: int | None, expected: str, found: str) -> None:
        """Note one fault."""
        if len(self._kept) < _SHOWN:
            self._kept.append(InputError(source, line, expected, found))
        else:
            self._more += 1

    def take(self, error: InputError | InputErrors) -> None:
        """Note the faults of another reading."""
        faults = [error] if isinstance(error, InputError) else list(error.faults)
        if isinstance(error, _ManyErrors):
            faults = error.shown
            self._more += error.more
        for fault in faults:
            self.add(fault.source, fault.line, fault.expected, fault.found)

    def raise_if_any(self) -> None:
        """Raise what was noted: InputError for one fault, InputErrors for several."""
        if not self._kept:
            return
        if len(self._kept) == 1:
            raise self._kept[0]
        if self._more:
            raise _ManyErrors(self._kept, self._more)
        raise InputErrors(self._kept)
