"""At which places of a rater's queue a gold pair or a repeat stands: one in every N, at a place nobody can guess.

Numbers only; the same seed, rater and rate give the same places on every machine.
"""

from hashlib import blake2b

__all__ = ["FIRST_REPEAT", "LEAST_APART", "find_slots", "places_needed"]

LEAST_APART = 20  # acts between a pair and its repeat
FIRST_REPEAT = 41  # a card holds up to 20 pairs ahead of the acts


def find_slots(seed: int, rater: int, rates: dict[str, int], first: int, last: int) -> dict[int, str]:
    """The places from first to last that belong to gold or to a repeat, by purpose; gold goes first.

    Places begin at 1. rates: purpose -> one in how many; 0 is none. Each run of that many places has one.
    """
    gold = _places(seed, rater, "gold", rates["gold"], first - 1, last)
    repeat = _places(seed, rater, "repeat", rates["repeat"], first - 1, last)
    repeat = {place + 1 if place in gold else place for place in repeat} - gold
    found = dict.fromkeys(gold, "gold") | dict.fromkeys((one for one in repeat if one >= FIRST_REPEAT), "repeat")
    return {place: purpose for place, purpose in sorted(found.items()) if first <= place <= last}


def _places(seed: int, rater: int, purpose: str, every: int, first: int, last: int) -> set[int]:
    if every <= 0:
        return set()
    runs = range((max(first, 1) - 1) // every, (last - 1) // every + 1)
    return {_place(seed, rater, purpose, every, run) for run in runs}


def _place(seed: int, rater: int, purpose: str, every: int, run: int) -> int:
    digest = blake2b(f"{seed}:{rater}:{purpose}:{run}".encode(), digest_size=8).digest()
    return 1 + run * every + int.from_bytes(digest) % every


def _count_places(seed: int, rater: int, purpose: str, every: int, first: int, last: int) -> int:
    """How many places there are from first to last, however far apart: only the runs at both ends are looked into."""
    if every <= 0 or last < first:
        return 0
    lowest, highest = (first - 1) // every, (last - 1) // every
    inside = sum(first <= _place(seed, rater, purpose, every, run) <= last for run in {lowest, highest})
    return inside + max(highest - lowest - 1, 0)


def places_needed(seed: int, rater: int, rates: dict[str, int], last: int, pairs: int, gold: int) -> int:
    """How many places so many production pairs take after a place, the gold and the repeats between them included.

    gold: how many gold pairs there are to give; repeats are taken to be there, at most one for each pair. Two at one place
    count as two: the number can be one off for a moment, and is right again after it.
    """
    total = pairs
    while pairs:
        end = last + total
        found = min(_count_places(seed, rater, "gold", rates["gold"], last + 1, end), gold)
        found += min(_count_places(seed, rater, "repeat", rates["repeat"], max(last + 1, FIRST_REPEAT), end), pairs)
        if pairs + found <= total:
            break
        total = pairs + found
    return total
