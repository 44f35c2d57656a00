"""What is done about doubtful rows of judgments, each by a named choice and each counted.

Knows the rows of _judgment_rows.py; nothing of bytes. Every function returns the rows that stay and what it counted.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from labeling._cautions import fold_name
from labeling.exchange.faults import Faults
from labeling.exchange.labels import expected_labels, read_label
from labeling.exchange.tables import LeftOut, Remark, excerpt

__all__ = [
    "choose_narrative",
    "drop_repeated_judgments",
    "empty_beside_others",
    "leave_unknown_out",
    "rater_remarks",
    "settle_labels",
]

Counted = list[LeftOut | Remark]
_KEY = ["query_id", "doc_id", "rater"]


def choose_narrative(rows: pd.DataFrame, choice: str) -> tuple[pd.DataFrame, Counted]:
    """Where a query was judged under several narratives: all of them, or the one that comes first or last in the files."""
    told = rows[rows["narrative"] != ""]
    order = told.drop_duplicates(["query_id", "narrative"])
    several = order.groupby("query_id", sort=False).size()
    queries = several[several > 1].index
    if not len(queries):
        return rows, []
    concerned = rows["query_id"].isin(queries) & (rows["narrative"] != "")
    tally = Counter(zip(told["query_id"], told["narrative"], strict=True))
    examples = tuple(
        f"{query}: {tally[query, text]} judgments under {excerpt(text)!r}"
        for query, text in zip(order["query_id"], order["narrative"], strict=True)
        if query in queries
    )[:5]
    text = (
        f"{len(queries)} queries were judged under more than one narrative, {int(concerned.sum())} rows ({choice} kept)"
    )
    counted: Counted = [Remark("several_narratives", int(concerned.sum()), text, examples)]
    if choice == "all":
        return rows, counted
    chosen = order.drop_duplicates("query_id", keep="first" if choice == "first" else "last").set_index("query_id")[
        "narrative"
    ]
    away = concerned & (rows["narrative"] != rows["query_id"].map(chosen).fillna(""))
    if away.any():
        counted.append(LeftOut("other_narrative", int(away.sum()), _examples(rows[away])))
    return rows[~away], counted


def leave_unknown_out(rows: pd.DataFrame, labels: Mapping[str, int | None]) -> tuple[pd.DataFrame, Counted]:
    """Judgments with a label that has no grade: left out and counted, with the labels themselves."""
    cells: list[list[str]] = rows["labels"].tolist()
    tally = Counter(label for cell in cells for label in cell)
    unknown = {label for label in tally if read_label(label, labels).grade is None}
    if not unknown:
        return rows, []
    away = pd.Series([not unknown.isdisjoint(cell) for cell in cells], index=rows.index)
    examples = tuple(f"{excerpt(label)!r}: {tally[label]} times" for label in sorted(unknown)[:5])
    return rows[~away], [LeftOut("unknown_label", int(away.sum()), examples)]


def settle_labels(
    rows: pd.DataFrame, labels: Mapping[str, int | None], grades: tuple[int, ...], double_labels: str, out_of_scale: str
) -> tuple[pd.DataFrame, Counted]:
    """Labels to grades and kinds; doubtful labels by choice, those that nobody can read raise."""
    counted: Counted = []
    cells: list[list[str]] = rows["labels"].tolist()
    tally = Counter(label for cell in cells for label in cell)
    readings = {label: read_label(label, labels) for label in tally}
    _refuse_unread(rows, tally, {label for label, read in readings.items() if read.grade is None}, grades)
    values = {label: read.grade for label, read in readings.items() if read.grade is not None}
    given = [[values[label] for label in cell] for cell in cells]
    kinds = [
        "cannot_judge" if cannot else _kind_of(kind, cell)
        for kind, cell, cannot in zip(rows["kind"].tolist(), given, rows["unrateable"].tolist(), strict=True)
    ]
    double = pd.Series(
        [kind == "grade" and len(set(cell)) > 1 for kind, cell in zip(kinds, given, strict=True)], index=rows.index
    )
    pick = max if double_labels == "higher" else min
    settled = [pick(cell) if cell and kind == "grade" else None for kind, cell in zip(kinds, given, strict=True)]
    rows = rows.assign(
        kind=pd.Series(kinds, index=rows.index, dtype="str"), grade=pd.Series(settled, index=rows.index, dtype="Int64")
    )
    counted += _counted_kinds(rows, sum(count for label, count in tally.items() if readings[label].from_float))
    if double.any():
        examples = _examples(rows[double])
        if double_labels == "leave_out":
            counted.append(LeftOut("double_labels", int(double.sum()), examples))
            rows = rows[~double]
        else:
            text = f"{int(double.sum())} judgments have several labels; the {double_labels} one was taken"
            counted.append(Remark("double_labels", int(double.sum()), text, examples))
    return _settle_scale(rows, grades, out_of_scale, counted)


def rater_remarks(rows: pd.DataFrame, *, merge: bool) -> tuple[pd.DataFrame, Counted]:
    """Raters whose names look alike: said, and made one where asked for."""
    alike: dict[str, list[str]] = {}
    for name in sorted(set(rows["rater"])):
        alike.setdefault(fold_name(name), []).append(name)
    groups = [names for names in alike.values() if len(names) > 1]
    if not groups:
        return rows, []
    examples = tuple(", ".join(repr(name) for name in names) for names in groups[:5])
    count = sum(len(names) for names in groups)
    done = "merged into one each" if merge else "kept as different raters"
    counted: Counted = [Remark("look_alike_raters", count, f"{count} rater names look like another; {done}", examples)]
    if not merge:
        return rows, counted
    one_name = {name: unicodedata.normalize("NFC", names[0]).strip() for names in groups for name in names}
    return rows.assign(rater=rows["rater"].map(lambda name: one_name.get(name, name)).astype("str")), counted


def empty_beside_others(rows: pd.DataFrame) -> tuple[pd.DataFrame, Counted]:
    """Empty labels of a rater who judged the same pair in another row, and all but one of several empty rows."""
    empty = rows["kind"] == "empty"
    if not empty.any():
        return rows, []
    judged = pd.MultiIndex.from_frame(rows.loc[~empty, _KEY])
    keys = pd.MultiIndex.from_frame(rows[_KEY])
    beside = empty & pd.Series(keys.isin(judged), index=rows.index)
    beside |= empty & pd.Series(rows[_KEY].assign(empty=empty).duplicated().to_numpy(), index=rows.index)
    counted: Counted = (
        [LeftOut("empty_label_beside_judgment", int(beside.sum()), _examples(rows[beside]))] if beside.any() else []
    )
    return rows[~beside], counted


def drop_repeated_judgments(rows: pd.DataFrame, choice: str) -> tuple[pd.DataFrame, Counted]:
    """One rater on one pair more than once: the newest or the first stands, or each is a fault."""
    again = rows.duplicated(_KEY, keep=False)
    if not again.any():
        return rows, []
    repeated = rows[again]
    if choice == "error":
        faults = Faults()
        for row in repeated[repeated.duplicated(_KEY)].itertuples():
            found = f"query {row.query_id}, document {row.doc_id}, rater {row.rater} again"
            faults.add(str(row.file), int(str(row.line)), "one judgment of a rater on a pair", found)
        faults.raise_if_any()
    kept = _standing(repeated, choice)
    gone = repeated.drop(kept)
    standing = repeated.loc[kept].set_index(_KEY)["grade"]
    before = pd.Series(standing.reindex(pd.MultiIndex.from_frame(gone[_KEY])).to_numpy(), index=gone.index)
    same = (gone["grade"] == before).fillna(gone["grade"].isna() & before.isna()).astype(bool)
    counted: Counted = [
        LeftOut(reason, int(which.sum()), _examples(gone[which]))
        for reason, which in (("repeat_same_grade", same), ("repeat_other_grade", ~same))
        if which.any()
    ]
    pairs = len(repeated.drop_duplicates(_KEY))
    text = f"{pairs} times a rater judged a pair more than once; the {choice} judgment stands, {int(same.sum())} of {len(gone)} others have its grade"
    counted.append(Remark("repeats", len(gone), text, _examples(repeated)))
    return rows.drop(gone.index), counted


def _standing(repeated: pd.DataFrame, choice: str) -> pd.Index:
    if choice == "first":
        return repeated.drop_duplicates(_KEY, keep="first").index
    moment = pd.to_datetime(repeated["judged_at"].replace("", None), errors="coerce", utc=True, format="ISO8601")
    timed = moment.notna().groupby([repeated[column] for column in _KEY]).transform("all")
    # Without a time for every one of them, the order of the files is the order of judging.
    ordered = repeated.assign(_moment=moment.where(timed)).sort_values("_moment", kind="stable", na_position="first")
    return ordered.drop_duplicates(_KEY, keep="last").index


def _kind_of(written: str, given: Sequence[int]) -> str:
    """The kind as the file says it, but a grade needs a grade."""
    kind = written.strip().casefold()
    return ("grade" if given else "empty") if kind in ("", "grade") else kind


def _refuse_unread(rows: pd.DataFrame, tally: Mapping[str, int], unread: set[str], grades: tuple[int, ...]) -> None:
    if not unread:
        return
    places: dict[str, tuple[str, int]] = {}
    for file, line, cell in zip(rows["file"].tolist(), rows["line"].tolist(), rows["labels"].tolist(), strict=True):
        for label in unread.intersection(cell):
            places.setdefault(label, (str(file), int(line)))
    faults = Faults()
    for label, place in places.items():
        number = "; a decimal number?" if label.replace(",", "").replace(".", "").isdigit() else ""
        faults.add(*place, expected_labels(grades), f"{excerpt(label)!r} ({tally[label]} times{number})")
    faults.raise_if_any()


def _counted_kinds(rows: pd.DataFrame, from_float: int) -> Counted:
    counted: Counted = []
    texts = {
        "empty": "rows have an empty label: not judged yet, no grade",
        "cannot_judge": "rows say that the pair cannot be judged",
    }
    for kind, text in texts.items():
        which = rows[rows["kind"] == kind]
        if len(which):
            counted.append(Remark(f"{kind}_rows", len(which), f"{len(which)} {text}", _examples(which)))
    beside = rows[(rows["kind"] == "cannot_judge") & rows["labels"].map(bool)]
    if len(beside):
        text = f"{len(beside)} rows have a grade and say that the pair cannot be judged; the grade does not count"
        counted.append(Remark("grade_beside_cannot_judge", len(beside), text, _examples(beside)))
    if from_float:
        counted.append(
            Remark("grades_as_floats", from_float, f"{from_float} whole grades were written as floats, such as 2.0")
        )
    return counted


def _settle_scale(
    rows: pd.DataFrame, grades: tuple[int, ...], choice: str, counted: Counted
) -> tuple[pd.DataFrame, Counted]:
    outside = rows["grade"].notna() & ~rows["grade"].isin(grades)
    if not outside.any():
        return rows, counted
    if choice == "error":
        faults = Faults()
        for row in rows[outside].itertuples():
            faults.add(
                str(row.file), int(str(row.line)), f"a grade of the scale {', '.join(map(str, grades))}", str(row.grade)
            )
        faults.raise_if_any()
    examples = _examples(rows[outside])
    if choice == "leave_out":
        return rows[~outside], [*counted, LeftOut("out_of_scale", int(outside.sum()), examples)]
    nearest = rows["grade"].map(
        lambda grade: grade if pd.isna(grade) else min(grades, key=lambda one: (abs(one - grade), one))
    )
    text = f"{int(outside.sum())} grades lie outside the scale; the nearest grade of the scale was taken"
    return rows.assign(grade=nearest.astype("Int64")), [
        *counted,
        Remark("out_of_scale_clipped", int(outside.sum()), text, examples),
    ]


def _examples(rows: pd.DataFrame) -> tuple[str, ...]:
    return tuple(
        f"{row.file} line {row.line}: query {row.query_id}, document {row.doc_id}, rater {row.rater}, {excerpt(row.labels)}"
        for row in rows.head(3).itertuples()
    )
