"""Later copies of a text gain nothing: beside a naive twin that walks each ranking.

Knows tables and options only.
"""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics
from metrics.copies import read_copies

DOCS = [f"d{number}" for number in range(8)]
COPIES = (("d0", "a"), ("d1", "a"), ("d2", "a"), ("d5", "b"), ("d6", "b"))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from(DOCS)), st.integers(-1, 3), min_size=1),
    st.dictionaries(st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(DOCS)), st.integers(0, 3), min_size=1),
)  # fmt: skip
def test_later_copies_gain_nothing_as_in_a_naive_twin(graded, scored):
    if not {query for query, _ in graded} & {query for query, _ in scored}:
        return
    qrels = pd.DataFrame([(*pair, grade) for pair, grade in graded.items()], columns=["query_id", "doc_id", "relevance"])  # fmt: skip
    run = pd.DataFrame([(*pair, float(score)) for pair, score in scored.items()], columns=["query_id", "doc_id", "score"])  # fmt: skip
    group_of, renamed, seen = dict(COPIES), [], set()
    ordered = sorted(scored, key=lambda pair: (pair[0], scored[pair], pair[1]), reverse=True)
    for place, (query, doc) in enumerate(ordered):
        group = (query, group_of.get(doc))
        # a later copy stands at its rank as a document that nobody judged
        renamed.append((query, f"unjudged{place}" if doc in group_of and group in seen else doc, -float(place)))
        seen.add(group)
    twin = pd.DataFrame(renamed, columns=["query_id", "doc_id", "score"])
    measures = ["nDCG@5", "AP", "P@3", "R@5", "RR"]
    options = metrics.Options(duplicates="no_gain", copies=COPIES)
    found = metrics.evaluate(qrels, run, measures, options=options)
    expected = metrics.evaluate(qrels, twin, measures)
    assert found.per_query["score"].tolist() == pytest.approx(expected.per_query["score"].tolist(), abs=1e-12)


def test_the_definition_names_the_table_and_the_score_can_be_taken_apart():
    qrels = metrics.read_qrels(b"q 0 d0 2\nq 0 d1 2\nq 0 d9 1\n")
    run = metrics.read_run(b"q Q0 d0 1 3 r\nq Q0 d1 2 2 r\nq Q0 d9 3 1 r\n")
    options = metrics.Options(duplicates="no_gain", copies=COPIES)
    found = metrics.evaluate(qrels, run, ["DCG@10"], options=options)
    assert found.definition["duplicates"] == "no_gain"
    assert found.definition["copies"].startswith("5 documents in 2 groups")
    explained = metrics.explain(found.alignment, "q", "r", "DCG@10")
    assert explained.total == pytest.approx(explained.score) == pytest.approx(2.5)


def test_a_document_in_two_groups_is_an_error_with_its_line():
    with pytest.raises(metrics.InputError) as fault:
        read_copies(b"doc_id\tgroup\nd1\ta\nd1\tb\n")
    assert fault.value.line == 3


def test_the_choice_and_its_table_go_together():
    with pytest.raises(metrics.MeasureError, match="go together"):
        metrics.Options(duplicates="no_gain")
