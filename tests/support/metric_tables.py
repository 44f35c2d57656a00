"""Dictionaries as the tables that metrics reads, and back."""

import pandas as pd


def as_table(nested, value):
    rows = [(query, doc, found) for query, docs in nested.items() for doc, found in docs.items()]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", value]).astype({"query_id": "str", "doc_id": "str"})
    return table.astype({value: "int64" if value == "relevance" else "float64"})


def as_nested(table):
    nested = {}
    for query, doc, value in table.itertuples(index=False):
        nested.setdefault(query, {})[doc] = value
    return nested


def as_votes(rows):
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])
    return table.astype({"query_id": "str", "doc_id": "str", "rater": "str", "grade": "int64"})
