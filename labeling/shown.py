"""What the judging card shows of a pair, and the hash by which a judgment names what was on the screen.

Knows no vote, no claim and no rater's grade.
"""

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from labeling.schema import metadata

__all__ = ["SHOWN_CHARACTERS", "pair_hash", "repeat_hash", "show_pairs"]

SHOWN_CHARACTERS = 200_000

_pair = metadata.tables["pair"]
_query = metadata.tables["query"]
_document = metadata.tables["document"]


def pair_hash(query_hash: str, document_hash: str) -> str:
    """The hash of what was on the screen: made of the hashes of the query's and the document's texts."""
    return blake2b(f"{query_hash}:{document_hash}".encode(), digest_size=16).hexdigest()


def repeat_hash(plain: str, rater_id: int) -> str:
    """The hash that a repeat shows in place of the pair's: by it an act on a repeat is told from a change of mind."""
    return blake2b(f"{plain}:again:{rater_id}".encode(), digest_size=16).hexdigest()


def show_pairs(
    session: Session, ids: Sequence[int], rubric_version: int, *, rater_id: int = 0, repeats: Collection[int] = ()
) -> list[dict[str, Any]]:
    """What the card shows of pairs, in the order asked for: texts and the hash that a judgment has to name.

    Repeats look like the others; only their hash, which is opaque to the card, is the repeat's.
    """
    statement = (
        select(
            _pair.c.id,
            _query.c.query_id,
            _query.c.text.label("query"),
            _query.c.narrative,
            _query.c.shown_hash.label("query_hash"),
            _document.c.doc_id,
            _document.c.title,
            _document.c.url,
            func.substr(_document.c.text, 1, SHOWN_CHARACTERS).label("text"),
            func.length(_document.c.text).label("length"),
            _document.c.shown_hash.label("document_hash"),
        )
        .join(_query, _query.c.id == _pair.c.query_pk)
        .join(_document, _document.c.id == _pair.c.document_pk)
        .where(_pair.c.id.in_(ids))
    )
    shown = {}
    for row in session.execute(statement):
        safe = row.url if row.url.startswith(("https://", "http://")) else ""
        plain = pair_hash(row.query_hash, row.document_hash)
        shown[row.id] = {
            "pair": row.id,
            "query_id": row.query_id,
            "query": row.query or "",
            "narrative": row.narrative,
            "doc_id": row.doc_id,
            "title": row.title,
            "url": safe,
            "text": row.text or "",
            "length": row.length or 0,
            "shown": repeat_hash(plain, rater_id) if row.id in repeats else plain,
            "rubric_version": rubric_version,
            "mine": None,
        }
    return [shown[number] for number in ids]
