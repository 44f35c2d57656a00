"""Two versions of a text, word by word: what stayed, what went and what came.

Knows texts alone; no database and no page.
"""

import re
from difflib import SequenceMatcher

__all__ = ["Piece", "mark_words"]

Piece = tuple[str, str]
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


def mark_words(before: str, after: str) -> list[Piece]:
    """The pieces of both texts in reading order, each "same", "gone" or "new".

    Put together, the pieces that are not new are the text before, and those that are not gone the text after.

    Examples
    --------
    >>> mark_words("The whole answer.", "The exact answer.")
    [('same', 'The '), ('gone', 'whole'), ('new', 'exact'), ('same', ' answer.')]
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    pieces: list[Piece] = []
    for what, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            pieces.append(("same", "".join(old[start:end])))
            continue
        if end > start:
            pieces.append(("gone", "".join(old[start:end])))
        if new_end > new_start:
            pieces.append(("new", "".join(new[new_start:new_end])))
    return pieces
