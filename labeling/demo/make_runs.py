"""Rank the demo's documents with three simple rankers: ``python -m labeling.demo.make_runs`` writes runs/*.run.

Knows the demo's own files; deterministic, so that a test can say when the runs are stale.
"""

import io
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

from labeling.demo import FOLDER
from labeling.exchange.documents import read_documents
from labeling.exchange.queries import read_queries
from metrics import write_run

DEPTH = 20
_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "between",
        "can",
        "do",
        "does",
        "during",
        "for",
        "from",
        "how",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "the",
        "to",
        "what",
        "when",
        "why",
        "you",
        "your",
        "my",
    ]
)

Scores = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def make_runs() -> dict[str, bytes]:
    """File name to content, in TREC's run format."""
    queries = read_queries((FOLDER / "queries.jsonl").read_bytes(), "queries.jsonl").table
    documents = read_documents((FOLDER / "documents.jsonl").read_bytes(), "documents.jsonl").table
    texts = (documents["title"] + " " + documents["text"]).tolist()
    asked = queries["text"].tolist()
    scores = {
        "bm25-words": _score_words(asked, texts),
        "char-ngrams": _score_ngrams(asked, texts),
        "title-overlap": _score_titles(asked, documents["title"].tolist(), texts),
    }
    return {f"{tag}.run": _run_bytes(queries, documents, tag, found) for tag, found in scores.items()}


def main() -> int:
    """Write the runs beside this file."""
    folder = FOLDER / "runs"
    folder.mkdir(exist_ok=True)
    _write(folder, make_runs())
    return 0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _stems(text: str) -> list[str]:
    """Words without the commonest ones; English without the plural's s, Korean by its first two syllables."""
    return [_stem(word) for word in _words(text) if word not in _STOP_WORDS]


def _stem(word: str) -> str:
    if not word.isascii():
        return word[:2]
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _score_words(queries: Sequence[str], texts: Sequence[str], k1: float = 1.2, b: float = 0.75) -> Scores:
    """BM25 over crude stems."""
    counts = [Counter(_stems(text)) for text in texts]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    found = Counter(word for count in counts for word in count)
    saturation = k1 * (1.0 - b + b * lengths / lengths.mean())
    scores = np.zeros((len(queries), len(texts)))
    for place, query in enumerate(queries):
        for word in _stems(query):
            rarity = math.log(1.0 + (len(texts) - found[word] + 0.5) / (found[word] + 0.5))
            frequency = np.array([count[word] for count in counts], dtype=np.float64)
            scores[place] += rarity * frequency * (k1 + 1.0) / (frequency + saturation)
    return scores


def _score_ngrams(queries: Sequence[str], texts: Sequence[str]) -> Scores:
    """Cosine of TF-IDF over three and four characters in a row: finds inflected words, and parts of words that mean something else."""
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4))
    documents = vectorizer.fit_transform(texts)
    similarity: Scores = (vectorizer.transform(queries) @ documents.T).toarray()
    return similarity


def _score_titles(queries: Sequence[str], titles: Sequence[str], texts: Sequence[str]) -> Scores:
    """Share of the query's words in the title, a third as much for those in the text; ignores how rare a word is."""
    scores = np.zeros((len(queries), len(titles)))
    for place, query in enumerate(queries):
        wanted = set(_words(query))
        for number, (title, text) in enumerate(zip(titles, texts, strict=True)):
            in_title, in_text = len(wanted & set(_words(title))), len(wanted & set(_words(text)))
            scores[place, number] = (in_title + in_text / 3.0) / len(wanted)
    return scores


def _run_bytes(queries: pd.DataFrame, documents: pd.DataFrame, tag: str, scores: Scores) -> bytes:
    rows = []
    for query_id, row in zip(queries["query_id"], np.round(scores, 6), strict=True):
        # Highest score first, ties by doc_id descending: the order in which the run will be read.
        ranked = sorted(zip(row.tolist(), documents["doc_id"], strict=True), reverse=True)[:DEPTH]
        rows += [(query_id, doc_id, score) for score, doc_id in ranked if score > 0.0]
    target = io.BytesIO()
    write_run(pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]), target, tag=tag)
    return target.getvalue()


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    for name, content in contents.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
