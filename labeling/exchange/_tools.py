"""Exports of annotation tools to one row a judgment: Label Studio, Argilla (v1, v2, flattened), Quepid's books, OpenSearch's lists.

Knows raw tables; what a label means is read elsewhere. What is no person's judgment (predictions, suggestions) is counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labeling.errors import InputError
from labeling.exchange.columns import fold_column
from labeling.exchange.tables import RawTable, Remark, excerpt

__all__ = ["flatten_tool"]

Row = dict[str, Any]
Answers = dict[str, Any]

_GRADE_NAMES = ("grade", "label", "relevance", "rating", "relevant", "등급", "점수")
_COMMENT_NAMES = ("comment", "comments", "note", "notes", "explanation", "reason", "의견", "메모")
_LIST_OF_QUERIES = ("judgmentRatings", "judgment_ratings")


def flatten_tool(raw: RawTable, mapping: Mapping[str, str] | None) -> tuple[RawTable, dict[str, str] | None]:
    """The table with one row a judgment where it is a tool's export, and the mapping that then holds; else both as they are.

    mapping["grade"] may name the question of the tool whose answers are grades; without it there must be one, or one that is called like a grade.
    """
    told = dict(mapping) if mapping else None
    if not raw.is_json:
        return (_melt_book(raw), told) if _is_book(raw, told) else (raw, told)
    rows: Sequence[Mapping[str, Any]] = raw.rows  # type: ignore[assignment] # JSON rows are objects
    readers = ((_is_label_studio, _label_studio), (_is_argilla, _argilla), (_is_flat_argilla, _flat_argilla))
    for knows, read in readers:
        if any(knows(row) for row in rows):
            return _one_question(raw, list(read(rows)), told)
    if any(name in row for row in rows for name in _LIST_OF_QUERIES):
        return _replaced(raw, list(_opensearch(rows)), ()), told
    return raw, told


def _one_question(
    raw: RawTable, found: Sequence[tuple[int, Row, Answers, Sequence[str]]], mapping: dict[str, str] | None
) -> tuple[RawTable, dict[str, str] | None]:
    """Rows with the answers to the one question that gives grades; comments from questions that are called so."""
    names = list(dict.fromkeys(name for _place, _row, answers, _texts in found for name in answers))
    names = [name for name in names if fold_column(name) not in _COMMENT_NAMES]
    question = _choose_question(raw, names, (mapping or {}).get("grade"))
    rows: list[tuple[int, Row]] = []
    for place, row, answers, texts in found:
        beside = [str(value) for name, value in answers.items() if fold_column(name) in _COMMENT_NAMES and value]
        row["comment"] = "\n".join((*texts, *beside))
        row["grade"] = None if row["kind"] else answers.get(question)
        rows.append((place, row))
    left = {field: column for field, column in (mapping or {}).items() if field != "grade"}
    return _replaced(raw, rows, _count_models(raw)), {**left, "grade": "grade"}


def _choose_question(raw: RawTable, names: Sequence[str], wanted: str | None) -> str:
    if wanted in names:
        return str(wanted)
    like_grades = [name for name in names if fold_column(name) in _GRADE_NAMES]
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted is None and len(like_grades) == 1:
        return like_grades[0]
    expected = f"a question called {excerpt(wanted)}" if wanted else "one question with grades, or grade=QUESTION"
    raise InputError(raw.name, None, expected, f"questions {', '.join(names)}" if names else "no answers at all")


def _replaced(raw: RawTable, rows: Sequence[tuple[int, Row]], remarks: Sequence[Remark]) -> RawTable:
    if not rows:
        raise InputError(raw.name, None, "judgments", f"{len(raw.rows)} records without any")
    columns = tuple(dict.fromkeys(name for _place, row in rows for name in row))
    bare = len(raw.rows) - len({place for place, _row in rows})
    text = f"{raw.name}: {bare} records have no judgment"
    said = [Remark("records_without_judgment", bare, text)] if bare > 0 else []
    lines = [raw.lines[place] for place, _row in rows]
    found = [row for _place, row in rows]
    return RawTable(
        raw.name, columns, found, lines, raw.has_header, is_json=True, remarks=(*raw.remarks, *said, *remarks)
    )


def _count_models(raw: RawTable) -> list[Remark]:
    count = sum(bool(row.get(name)) for row in raw.rows for name in ("predictions", "suggestions"))  # type: ignore[union-attr]
    text = f"{raw.name}: {count} records carry predictions or suggestions of models, which are no judgments and were not read"
    return [Remark("predictions_not_read", count, text)] if count else []


# Label Studio


def _is_label_studio(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("data"), dict) and isinstance(row.get("annotations", row.get("completions")), list)


def _label_studio(
    rows: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[int, Row, Answers, Sequence[str]]]:
    for place, task in enumerate(rows):
        for annotation in task.get("annotations", task.get("completions")) or []:
            answers: Answers = {}
            texts: list[str] = []
            for result in annotation.get("result") or []:
                value = result.get("value") or {}
                for kind in ("choices", "rating", "number"):
                    if kind in value:
                        answers[str(result.get("from_name"))] = value[kind]
                if "text" in value and result.get("type") == "textarea":
                    texts += value["text"] if isinstance(value["text"], list) else [str(value["text"])]
            row = {**task["data"], "rater": _person(annotation.get("completed_by")), "kind": "",
                   "judged_at": annotation.get("updated_at") or annotation.get("created_at"),
                   "seconds": annotation.get("lead_time")}  # fmt: skip
            if annotation.get("was_cancelled") is True:
                row["kind"] = "skip"
            yield place, row, answers, texts


def _person(who: Any) -> Any:
    if isinstance(who, dict):
        return next((who[name] for name in ("email", "username", "id") if who.get(name)), None)
    return who


# Argilla


def _is_argilla(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("fields"), dict) and isinstance(row.get("responses"), list | dict)


def _argilla(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Row, Answers, Sequence[str]]]:
    for place, record in enumerate(rows):
        base = {**record["fields"], **(record.get("metadata") or {})}
        responses = record.get("responses") or []
        by_user = _by_user(responses) if isinstance(responses, dict) else [_v1(one) for one in responses]
        for user, status, answers in by_user:
            moment = record.get("updated_at") or record.get("inserted_at")
            yield place, {**base, "rater": user, "kind": _kind(status), "judged_at": moment}, answers, ()


def _v1(response: Mapping[str, Any]) -> tuple[Any, Any, Answers]:
    values = response.get("values") or {}
    answers = {name: value.get("value") if isinstance(value, dict) else value for name, value in values.items()}
    return response.get("user_id"), response.get("status"), answers


def _by_user(responses: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[tuple[Any, Any, Answers]]:
    """Responses that stand by question, gathered by their users in the order in which these appear."""
    users: dict[Any, tuple[Any, Any, Answers]] = {}
    for question, given in responses.items():
        for one in given or []:
            user = one.get("user_id")
            users.setdefault(user, (user, one.get("status"), {}))[2][question] = one.get("value")
    return list(users.values())


def _kind(status: Any) -> str:
    """Discarded is a record that the rater passed over, a draft is not judged yet."""
    return {"discarded": "skip", "draft": "empty", "pending": "empty"}.get(str(status or "").casefold(), "")


def _is_flat_argilla(row: Mapping[str, Any]) -> bool:
    return any(name.endswith(".responses.users") for name in row)


def _flat_argilla(
    rows: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[int, Row, Answers, Sequence[str]]]:
    for place, record in enumerate(rows):
        base = {name: value for name, value in record.items() if ".responses" not in name and ".suggestion" not in name}
        responses: dict[str, list[Mapping[str, Any]]] = {}
        for name, users in record.items():
            if not name.endswith(".responses.users"):
                continue
            question = name.removesuffix(".responses.users")
            values = record.get(f"{question}.responses") or []
            status = record.get(f"{question}.responses.status") or [None] * len(values)
            responses[question] = [
                {"user_id": user, "value": value, "status": state}
                for user, value, state in zip(users or [], values, status, strict=True)
            ]
        for user, state, answers in _by_user(responses):
            yield place, {**base, "rater": user, "kind": _kind(state)}, answers, ()


# OpenSearch: a list of queries, each with its ratings


def _opensearch(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Row]]:
    for place, body in enumerate(rows):
        for query in next((body[name] for name in _LIST_OF_QUERIES if body.get(name)), []):
            for rating in query.get("ratings") or []:
                yield place, {"query": query.get("query"), "docid": rating.get("docId"), "rating": rating.get("rating")}


# Quepid: a column for each rater


def _is_book(raw: RawTable, mapping: Mapping[str, str] | None) -> bool:
    names = [fold_column(name) for name in raw.columns]
    other = set(names[2:]) & {*_GRADE_NAMES, "rater", "user", "annotator", "score"}
    return names[:2] == ["query", "docid"] and len(names) > 2 and not other and not mapping


def _melt_book(raw: RawTable) -> RawTable:
    """One row for each cell that is filled: an empty one says that this rater did not judge the pair."""
    rows: list[tuple[int, Row]] = []
    for place, cells in enumerate(raw.rows):
        for rater, cell in zip(raw.columns[2:], cells[2:], strict=True):  # type: ignore[index] # text rows are lists
            if str(cell).strip():
                rows.append((place, {"query": cells[0], "docid": cells[1], "rater": rater, "grade": cell}))  # type: ignore[index]
    return _replaced(raw, rows, ())
