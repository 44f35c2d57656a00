"""Measures and disagreement as a patient person would compute them: loops, dictionaries, one query at a time."""

from itertools import product
from math import log2

from hypothesis import strategies as st

QUERIES = ["q1", "q2", "q10", "질의3"]
DOCUMENTS = ["d1", "d2", "D1", "d10", "é", "문서", "d1#2", "0d", "zz"]


def order_naively(scores):
    """Documents of {doc: score}, best first; ties by doc_id descending in byte order."""
    return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def ndcg_naively(grades, scores, cutoff, gain=lambda grade: max(grade, 0)):
    ranked = order_naively(scores)[:cutoff]
    found = sum(gain(grades.get(doc, 0)) / log2(rank + 1) for rank, doc in enumerate(ranked, start=1))
    best = sorted((gain(grade) for grade in grades.values()), reverse=True)[:cutoff]
    ideal = sum(worth / log2(rank + 1) for rank, worth in enumerate(best, start=1))
    return found / ideal if ideal else 0.0


def mean_ndcg_naively(qrels, run, cutoff):
    scores = [ndcg_naively(grades, run.get(query, {}), cutoff) for query, grades in qrels.items()]
    return sum(scores) / len(scores)


def panel_sets_naively(votes, panels):
    """Every {query: {doc: grade}} that takes one rater of each panel; votes are (query, doc, rater, grade)."""
    for chosen in product(*(raters for raters, _ in panels)):
        rater_of = {query: rater for rater, (_, queries) in zip(chosen, panels, strict=True) for query in queries}
        qrels = {}
        for query, doc, rater, grade in votes:
            if rater_of.get(query) == rater:
                qrels.setdefault(query, {})[doc] = grade
        yield chosen, qrels


def quarters():
    """Scores that 32-bit numbers hold exactly, with many ties."""
    return st.integers(-6, 12).map(lambda number: number / 4)


def some_qrels():
    grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), min_size=1)
    return st.dictionaries(st.sampled_from(QUERIES), grades, min_size=1)


def some_run():
    ranking = st.dictionaries(st.sampled_from(DOCUMENTS), quarters(), min_size=1)
    return st.dictionaries(st.sampled_from(QUERIES), ranking, min_size=1)
