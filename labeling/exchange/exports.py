"""Qrels and votes in the shapes that other programs read: ir_datasets, BEIR, Quepid, OpenSearch, soft qrels, qrels a rater.

Knows tables and bytes; no database. Each function gives files by their names within an archive.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from labeling.aggregation import share_grades
from labeling.exchange.writing import csv_bytes, json_bytes, jsonl_bytes, qrels_bytes, safe_file_name, table_rows

__all__ = [
    "export_beir",
    "export_by_rater",
    "export_ir_datasets",
    "export_opensearch",
    "export_quepid",
    "export_soft",
    "name_queries",
]


_USUAL = ("query_id", "doc_id", "title", "text", "narrative", "url")

Files = dict[str, bytes]


def export_by_rater(votes: pd.DataFrame) -> tuple[Files, dict[str, str]]:
    """Qrels of each rater's own votes, and which file is whose."""
    files: Files = {}
    names: dict[str, str] = {}
    for rater, rows in votes.sort_values(["rater", "query_id", "doc_id"]).groupby("rater", sort=True):
        name = f"raters/{safe_file_name(str(rater))}.qrels"
        files[name] = qrels_bytes(rows.rename(columns={"grade": "relevance"}))
        names[name] = str(rater)
    return files, names


def export_soft(votes: pd.DataFrame, grades: Sequence[int]) -> Files:
    """The share of each grade among the votes of each pair."""
    return {"soft_qrels.csv": csv_bytes(share_grades(votes, grades))}


def export_ir_datasets(qrels: pd.DataFrame, queries: pd.DataFrame, documents: pd.DataFrame | None) -> Files:
    """A folder that ir_datasets reads with its JSON lines and TREC readers; docs.jsonl only with documents.

    queries.jsonl: query_id, text, narrative, and the queries' further columns. docs.jsonl: doc_id, title, text, url. qrels:
    TREC's four columns.
    """
    files = {
        "ir_datasets/qrels": qrels_bytes(qrels),
        "ir_datasets/queries.jsonl": jsonl_bytes(_filled(queries, "query_id")),
    }
    if documents is not None:
        files["ir_datasets/docs.jsonl"] = jsonl_bytes(_filled(documents, "doc_id"))
    return files


def export_beir(qrels: pd.DataFrame, queries: pd.DataFrame, documents: pd.DataFrame | None) -> Files:
    """A folder that BEIR's GenericDataLoader reads: corpus.jsonl (only with documents), queries.jsonl, qrels/test.tsv.

    Nothing where an id holds a tab or a line break.
    """
    if pd.concat([qrels["query_id"], qrels["doc_id"]]).astype(str).str.contains(r"[\t\r\n]").any():
        return {}  # its qrels have no way to write such an id
    lines = ["query-id\tcorpus-id\tscore\n"]
    ordered = qrels.sort_values(["query_id", "doc_id"])
    lines += [f"{row.query_id}\t{row.doc_id}\t{row.relevance}\n" for row in ordered.itertuples()]
    asked = [
        {"_id": row["query_id"], "text": row["text"] or "", "metadata": _metadata(row, ("query_id", "text"))}
        for row in _filled(queries, "query_id")
    ]
    files = {"beir/qrels/test.tsv": "".join(lines).encode(), "beir/queries.jsonl": jsonl_bytes(asked)}
    if documents is not None:
        corpus = [
            {"_id": row["doc_id"], "title": row["title"], "text": row["text"], "metadata": _metadata(row, ("doc_id", "title", "text"))}
            for row in _filled(documents, "doc_id")
        ]  # fmt: skip
        files["beir/corpus.jsonl"] = jsonl_bytes(corpus)
    return files


def name_queries(queries: pd.DataFrame) -> tuple[dict[str, str], int]:
    """What Quepid and OpenSearch know each query by: its text; its id where it has none or shares it. How many go by id."""
    texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    shared = Counter(text for text in texts.values() if text)
    names = {one: text if text and shared[text] == 1 and text not in texts else one for one, text in texts.items()}
    return names, sum(names[one] == one and text != one for one, text in texts.items())


def export_quepid(qrels: pd.DataFrame, votes: pd.DataFrame, names: Mapping[str, str]) -> Files:
    """Quepid's CSV: ratings.csv (query, docid, rating) for a case, book.csv (a column for each rater) for a book."""
    ratings = pd.DataFrame(
        {
            "query": [names.get(one, one) for one in qrels["query_id"]],
            "docid": qrels["doc_id"],
            "rating": qrels["relevance"],
        }
    )
    wide = votes.pivot_table(index=["query_id", "doc_id"], columns="rater", values="grade", aggfunc="first", sort=True)
    wide = wide.astype("Int64").reset_index().rename(columns={"query_id": "query", "doc_id": "docid"})
    wide["query"] = [names.get(one, one) for one in wide["query"]]
    return {"quepid/ratings.csv": csv_bytes(ratings), "quepid/book.csv": csv_bytes(wide)}


def export_opensearch(qrels: pd.DataFrame, names: Mapping[str, str], title: str) -> Files:
    """What OpenSearch's Search Relevance Workbench takes as PUT _plugins/_search_relevance/judgments; ratings are text there."""
    ratings = [
        {
            "query": names.get(str(query_id), str(query_id)),
            "ratings": [
                {"docId": doc_id, "rating": f"{grade:.3f}"}
                for doc_id, grade in zip(rows["doc_id"], rows["relevance"], strict=True)
            ],
        }
        for query_id, rows in qrels.groupby("query_id", sort=True)
    ]
    body = {
        "name": title,
        "description": "Grades consolidated by Assay; manifest.json says how",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": ratings,
    }
    return {"opensearch/judgments.json": json_bytes(body)}


def _filled(table: pd.DataFrame, key: str) -> list[dict[str, Any]]:
    """Rows in byte order of their ids, further columns by name; a text that is missing is empty."""
    usual = [name for name in _USUAL if name in table.columns]
    ordered = table[[*usual, *sorted(set(table.columns) - set(usual))]].sort_values(key)
    return [{name: "" if value is None else value for name, value in row.items()} for row in table_rows(ordered)]


def _metadata(row: Mapping[str, Any], without: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in without and value != ""}
