"""The same work on many parts, on every processor.

Knows threads; nothing of what is done in them.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["at_once"]

Part = TypeVar("Part")
Found = TypeVar("Found")
_MOST_WORKERS = 8


def at_once(function: Callable[[Part], Found], parts: Iterable[Part], *, workers: int | None = None) -> list[Found]:
    """What the function finds for each part, in their order; the first part's fault is raised.

    Pays only where the function leaves the interpreter free, as numpy and arrow do on large arrays.
    """
    waiting = list(parts)
    number = min(workers or min(_MOST_WORKERS, os.cpu_count() or 1), len(waiting))
    if number < 2:
        return [function(part) for part in waiting]
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(function, waiting))
