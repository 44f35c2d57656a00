"""Which texts carry the same words, cut or copied: groups of near-duplicates among the documents of one query.

Knows texts only; no query, no pair, no database.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

__all__ = ["Groups", "Shingles", "group_near_duplicates"]

READ_CHARACTERS = 20_000  # of each text; a copy that differs only after these counts as one
SHINGLE = 8  # characters
FEWEST_SHINGLES = 24  # a text with fewer is too short to be told from a quotation: it must be equal in full
_FEATURES = 1 << 22


@dataclass(frozen=True)
class Groups:
    """Groups of near-duplicates.

    Parameters
    ----------
    group : array of int, shape (texts,)
        The group of each text, numbered from 0 in the order of its first member; -1 for a text without twins.
    similarity : array of float, shape (texts,)
        The share of a text's shingles that the longest text of its group holds, or the other way round, whichever is
        greater; nan for a text without twins.
    """

    group: NDArray[np.int64]
    similarity: NDArray[np.float64]


class Shingles:
    """The shingles of many texts, so that a text that stands under several queries is cut up once.

    Parameters
    ----------
    texts : sequence of str
        Case, width and runs of blanks make no difference.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer  # noqa: PLC0415 -- a second at every start otherwise

        self.plain = [plain_text(text) for text in texts]
        cutter = HashingVectorizer(
            analyzer="char", ngram_range=(SHINGLE, SHINGLE), lowercase=False, binary=True, norm=None,
            alternate_sign=False, n_features=_FEATURES, dtype=np.float32,
        )  # fmt: skip
        self.table: csr_matrix = cutter.transform(self.plain) if self.plain else csr_matrix((0, _FEATURES))
        self.sizes = np.diff(self.table.indptr)


def plain_text(text: str) -> str:
    """The beginning of a text in one case and width, with single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text[: 2 * READ_CHARACTERS]).casefold().split())[:READ_CHARACTERS]


def group_near_duplicates(shingles: Shingles, rows: Sequence[int], *, similarity: float) -> Groups:
    """Group some of the texts: a text joins the longest text that it shares enough with.

    Two texts are near-duplicates where the shorter one's shingles (runs of eight characters) stand in the longer one to
    the share asked for: a copy, a cut, a copy with a new heading. Each group has one longest text that all its members
    share enough with, so that two different texts that quote the same third are not put together.

    Parameters
    ----------
    shingles : Shingles
    rows : sequence of int
        Which texts.
    similarity : float in (0, 1]

    Returns
    -------
    Groups
        In the order of ``rows``; the order of the rows changes nothing but the numbers of the groups.

    Examples
    --------
    >>> news = "The bridge over the river will be closed for repairs from Monday to Friday next week."
    >>> texts = [news, news + " Drivers should take the ring road.", "A recipe for bread with rye flour and seeds."]
    >>> group_near_duplicates(Shingles(texts), [0, 1, 2], similarity=0.9).group.tolist()
    [0, 0, -1]
    """
    chosen = np.asarray(rows, dtype=np.int64)
    table, sizes = shingles.table[chosen], shingles.sizes[chosen]
    plain = [shingles.plain[row] for row in rows]
    order = sorted(range(len(rows)), key=lambda place: (-int(sizes[place]), plain[place]))
    turn = np.empty(len(rows), dtype=np.int64)
    turn[order] = np.arange(len(rows))
    leader = np.full(len(rows), -1, dtype=np.int64)
    share = np.full(len(rows), np.nan)
    shared = _count_shared(table)
    leads = np.zeros(len(rows), dtype=bool)
    equals: dict[str, int] = {}
    for place in order:
        found = None
        if sizes[place] >= FEWEST_SHINGLES:
            found = _best_leader(place, leads, turn, shared, sizes, similarity)
        elif plain[place] in equals:
            found = equals[plain[place]], 1.0
        leads[place] = found is None
        leader[place], share[place] = found or (place, np.nan)
        if plain[place]:
            equals.setdefault(plain[place], place)
    return _number(leader, share)


def _count_shared(table: csr_matrix) -> csr_matrix:
    """How many shingles each two texts share."""
    return csr_matrix(table @ table.T)


def _best_leader(
    place: int,
    leads: NDArray[np.bool_],
    turn: NDArray[np.int64],
    shared: csr_matrix,
    sizes: NDArray[np.int32],
    similarity: float,
) -> tuple[int, float] | None:
    """The leader that shares most with a text, the longest of several; None where none shares enough."""
    row = slice(shared.indptr[place], shared.indptr[place + 1])
    others, counts = shared.indices[row], shared.data[row]
    near = leads[others] & (counts >= similarity * sizes[place])
    if not near.any():
        return None
    others, counts = others[near], counts[near]
    best = np.lexsort((turn[others], -counts))[0]
    return int(others[best]), float(counts[best] / sizes[place])


def _number(leader: NDArray[np.int64], share: NDArray[np.float64]) -> Groups:
    members = np.bincount(leader, minlength=len(leader)) if len(leader) else np.zeros(0, dtype=np.int64)
    group = np.full(len(leader), -1, dtype=np.int64)
    numbers: dict[int, int] = {}
    for place, of in enumerate(leader.tolist()):
        if members[of] > 1:
            group[place] = numbers.setdefault(of, len(numbers))
    similarity = np.where((group >= 0) & np.isnan(share), 1.0, share)
    return Groups(group, similarity)
