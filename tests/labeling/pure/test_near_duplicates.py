"""Texts that were copied or cut stand in one group; texts that only quote the same third do not."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.near_duplicates import Shingles, group_near_duplicates, plain_text
from tests.support.data import shared_data

WORDS = [
    f"{first}{second}" for first in ("ba", "ko", "mu", "ne", "si", "ta") for second in ("rin", "lop", "dak", "ves")
]


def words(seed: int, count: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def groups_of(texts: list[str], similarity: float = 0.9) -> list[int]:
    return group_near_duplicates(Shingles(texts), range(len(texts)), similarity=similarity).group.tolist()


def test_copies_cuts_and_other_blanks_and_case_stand_together() -> None:
    text = words(1, 120)
    assert groups_of([text, text[: len(text) // 2], "A NEW HEADING\n" + text.upper(), words(2, 120)]) == [0, 0, 0, -1]


def test_two_texts_that_hold_the_same_short_one_are_not_put_together_by_it() -> None:
    quoted = words(3, 40)
    longer, other = quoted + " " + words(4, 90), quoted + " " + words(5, 80)
    assert groups_of([longer, other, quoted]) == [0, -1, 0]


def test_short_texts_must_be_equal_in_full() -> None:
    assert groups_of(["Open daily.", "open  DAILY.", "Open daily. Closed on Mondays.", "", ""]) == [0, 0, -1, -1, -1]


def test_similarity_is_the_share_of_the_shorter_text_that_the_longer_one_holds() -> None:
    text = words(6, 200)
    changed = text[: len(text) // 2] + " " + words(7, 100)
    found = group_near_duplicates(Shingles([text, changed]), [0, 1], similarity=0.3)
    one, other = (set(_shingles(plain_text(each))) for each in (text, changed))
    shorter = min(one, other, key=len)
    assert found.group.tolist() == [0, 0]
    assert np.nanmin(found.similarity) == pytest.approx(len(one & other) / len(shorter), abs=0.001)


def _shingles(text: str) -> list[str]:
    return [text[start : start + 8] for start in range(len(text) - 7)]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_texts_changes_no_group(seeds: list[int], shuffler: random.Random) -> None:
    texts = [words(seed, 40)[: 100 + 10 * place] for place, seed in enumerate(seeds)]
    order = list(range(len(texts)))
    shuffler.shuffle(order)
    first, second = groups_of(texts), groups_of([texts[place] for place in order])
    together = {(i, j) for i in order for j in order if first[i] == first[j] >= 0}
    again = {(order[i], order[j]) for i in range(len(order)) for j in range(len(order)) if second[i] == second[j] >= 0}
    assert together == again


def test_no_texts_have_no_groups() -> None:
    assert groups_of([]) == []


def test_passages_of_a_real_campaign_hold_many_copies() -> None:
    folder = shared_data("dl19")
    documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    place = {document["doc_id"]: number for number, document in enumerate(documents)}
    judged = [line.split() for line in (folder / "qrels-nist.txt").read_text().splitlines()]
    rows = sorted({place[doc_id] for query, _, doc_id, _ in judged if query == "168216" and doc_id in place})
    found = group_near_duplicates(Shingles([each["text"] for each in documents]), rows, similarity=0.9)
    assert (found.group >= 0).sum() > len(rows) / 4
    for group in range(int(found.group.max()) + 1):
        members = [plain_text(documents[rows[row]]["text"]) for row in np.flatnonzero(found.group == group)]
        longest = set(_shingles(max(members, key=lambda text: len(set(_shingles(text))))))
        for member in members:
            own = set(_shingles(member))
            assert len(own & longest) >= 0.9 * len(own) - 1
