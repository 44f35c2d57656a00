"""What kind of lines a qrels or run file holds, found out from its first line.

Knows column names and shapes of lines; reads no values.
"""

import csv
from dataclasses import dataclass

from metrics.errors import InputError

__all__ = ["Layout", "recognise"]

QUERY_NAMES = ("query_id", "query-id", "queryid", "qid", "q_id", "topic_id", "topic-id", "topic", "query")
DOCUMENT_NAMES = (
    "doc_id", "doc-id", "docid", "corpus-id", "corpus_id", "docno", "did", "document_id", "document-id", "passage_id", "pid", "document", "doc",
)  # fmt: skip
GRADE_NAMES = ("relevance", "grade", "rel", "relevancy", "label", "rating", "judgment", "judgement", "score")
SCORE_NAMES = ("score", "similarity", "sim")
RANK_NAMES = ("rank", "position")
TAG_NAMES = ("tag", "run", "run_id", "run_tag", "runid", "system")
RATER_NAMES = ("rater", "rater_id", "annotator", "annotator_id", "assessor", "judge", "user", "worker")

NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "qrels": {"query_id": QUERY_NAMES, "doc_id": DOCUMENT_NAMES, "relevance": GRADE_NAMES},
    "run": {
        "query_id": QUERY_NAMES,
        "doc_id": DOCUMENT_NAMES,
        "score": SCORE_NAMES,
        "rank": RANK_NAMES,
        "tag": TAG_NAMES,
    },
    "votes": {
        "query_id": QUERY_NAMES,
        "doc_id": DOCUMENT_NAMES,
        "rater": RATER_NAMES,
        "relevance": ("grade", *GRADE_NAMES),
        "kind": ("kind",),
        "is_vote": ("is_vote",),
        "surplus": ("surplus",),
    },
}
_SHAPES: dict[str, dict[int, tuple[str, ...]]] = {
    "qrels": {4: ("query_id", "", "doc_id", "relevance"), 3: ("query_id", "doc_id", "relevance")},
    "run": {
        6: ("query_id", "", "doc_id", "rank", "score", "tag"),
        5: ("query_id", "", "doc_id", "rank", "score"),
        4: ("query_id", "doc_id", "rank", "score"),
        3: ("query_id", "doc_id", "third"),
    },
    "votes": {4: ("query_id", "doc_id", "rater", "relevance")},
}
EXPECTED = {
    "qrels": "query_id, iteration, doc_id, grade (4 columns), or query_id, doc_id, grade (3 columns)",
    "run": "query_id, Q0, doc_id, rank, score, tag (6 columns)",
    "votes": "the columns query_id, doc_id, rater, grade",
}
_NEEDED = {"qrels": ("query_id", "doc_id", "relevance"), "votes": ("query_id", "doc_id", "rater", "relevance")}


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are to be split.

    Parameters
    ----------
    kind : {"qrels", "run", "votes"}
    separator : str
        ``" "`` stands for any run of blanks and tabs; else the one character between fields.
    columns : tuple of str
        The role of each field; empty for fields that are not read.
    header : bool
    quoted : bool
        Whether double quotes have the meaning they have in CSV.
    """

    kind: str
    separator: str
    columns: tuple[str, ...]
    header: bool
    quoted: bool


def recognise(text: bytes, kind: str, source: str) -> Layout:
    """Find out the layout from the first line that is neither empty nor a comment.

    Raises
    ------
    InputError
        When the line has none of the known shapes, naming the shapes.
    """
    number, line = _first_line(text, source)
    for separator in ("\t", ",", ";", " "):
        named = _recognise_header(line, separator, kind, number, source)
        if named is not None:
            return named
    shapes = _SHAPES[kind]
    tabbed = line.strip("\n").split("\t")
    if len(tabbed) in shapes and len(tabbed) > 1 and all(field.strip() for field in tabbed):
        return Layout(kind, "\t", shapes[len(tabbed)], header=False, quoted=False)
    blanks = [field.decode() for field in line.encode().split()]  # a no-break space does not part fields
    if len(blanks) in shapes:
        return Layout(kind, " ", shapes[len(blanks)], header=False, quoted=False)
    if kind == "run" and len(blanks) > 6:
        return Layout(kind, " ", shapes[6], header=False, quoted=False)
    for separator in (",", ";", "\t"):
        fields = next(csv.reader([line], delimiter=separator))
        if len(fields) in shapes and len(fields) > 1:
            return Layout(kind, separator, shapes[len(fields)], header=False, quoted=True)
    raise InputError(source, number, EXPECTED[kind], f"{len(blanks)} columns: {line.strip()[:80]!r}")


def _first_line(text: bytes, source: str) -> tuple[int, str]:
    start = 0
    number = 0
    while start < len(text):
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        number += 1
        line = text[start:end]
        if line.strip() and not line.startswith(b"#"):
            return number, line.decode()
        start = end + 1
    raise InputError(source, None, "at least one line that is no comment", "comments only")


def _recognise_header(line: str, separator: str, kind: str, number: int, source: str) -> Layout | None:
    fields = line.split() if separator == " " else next(csv.reader([line], delimiter=separator))
    plain = [field.strip().strip('"').lower() for field in fields]
    found: dict[str, int] = {}
    for role, names in NAMES[kind].items():
        place = next((plain.index(name) for name in names if name in plain), None)
        if place is not None and place not in found.values():
            found[role] = place
    if "query_id" not in found or "doc_id" not in found:
        return None
    needed = _NEEDED.get(kind, ())
    lacking = [role for role in needed if role not in found]
    if kind == "run" and "score" not in found and "rank" not in found:
        lacking = ["score"]
    if lacking:
        said = "grade" if lacking[0] == "relevance" else lacking[0]
        raise InputError(source, number, f"a column for the {said}", f"the columns {', '.join(plain)}")
    columns = [""] * len(fields)
    for role, place in found.items():
        columns[place] = role
    return Layout(kind, separator, tuple(columns), header=True, quoted=separator != " ")
