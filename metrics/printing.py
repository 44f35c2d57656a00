"""Answers as text: aligned tables, CSV, trec_eval's three columns, and the page of measures.

Knows tables; computes nothing.
"""

import json
import math
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import pandas as pd

from metrics.evaluate import Evaluation, records
from metrics.measure import list_measures
from metrics.tables import Remark

__all__ = ["describe_measures", "print_remarks", "to_csv", "to_json", "to_text", "to_trec"]

_SHOWN_OF_A_KIND = 3


def to_text(table: pd.DataFrame) -> str:
    """Columns aligned: text to the left, numbers to the right, four decimals, undefined as "-"."""
    cells = [[_show(value) for value in table[column]] for column in table.columns]
    left = [not pd.api.types.is_numeric_dtype(table[column]) for column in table.columns]
    widths = [max([len(str(name)), *map(len, column)]) for name, column in zip(table.columns, cells, strict=True)]
    lines = []
    for row in [[str(name) for name in table.columns], *map(list, zip(*cells, strict=True))]:
        parts = [
            text.ljust(width) if flush else text.rjust(width)
            for text, width, flush in zip(row, widths, left, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def _show(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4f}"
    return str(value)


def to_csv(table: pd.DataFrame) -> str:
    """CSV with a header, full precision, undefined as an empty field."""
    return table.to_csv(index=False, lineterminator="\n")


def to_json(answer: dict[str, Any]) -> str:
    """JSON with two blanks of indent."""
    return json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_trec(evaluation: Evaluation, *, per_query: bool) -> str:
    """trec_eval's three columns: measure, query or "all", value; each run begins with its runid."""
    lines = []
    for place, tag in enumerate(evaluation.tags):
        lines.append(f"{'runid':<22}\tall\t{tag}")
        if per_query:
            for query, query_id in enumerate(evaluation.query_ids):
                for measure in evaluation.measures:
                    scores = evaluation.scores[str(measure)]
                    if scores.counted[place, query]:
                        lines.append(f"{measure.trec_name():<22}\t{query_id}\t{scores.values[place, query]:6.4f}")
        for measure in evaluation.measures:
            mean = evaluation.scores[str(measure)].means()[place]
            lines.append(f"{measure.trec_name():<22}\tall\t{mean:6.4f}")
    return "\n".join(lines) + "\n"


def print_remarks(remarks: Iterable[Remark], stream: TextIO | None = None) -> None:
    """One line a remark, at most three of a kind, on standard error unless told otherwise."""
    target = stream or sys.stderr
    by_kind: dict[str, list[Remark]] = {}
    for remark in remarks:
        by_kind.setdefault(remark.kind, []).append(remark)
    for same in by_kind.values():
        for remark in same[:_SHOWN_OF_A_KIND]:
            shown = f" ({', '.join(remark.examples)})" if remark.examples else ""
            print(f"note: {remark.text}{shown}", file=target)
        if len(same) > _SHOWN_OF_A_KIND:
            print(
                f"note: {len(same) - _SHOWN_OF_A_KIND} more notes of this kind; --format json has them all", file=target
            )


def describe_measures() -> str:
    """The page docs/measures.md, from the registry."""
    lines = [
        "# Measures",
        "",
        "This page is written by `python -m metrics measures --format markdown`; a test says when it is stale.",
        "",
        "A measure's text is its whole definition: `nDCG@10`, `P(rel=2)@10`, `nDCG(gain=exp2)@10`, `RBP(p=0.95)`.",
        "Parameters at their usual value are not printed. `@k` is the cutoff: the last rank counted.",
        "",
        "- Order: score descending, ties by `doc_id` descending in byte order; the rank column is ignored.",
        "- A mean runs over the queries of the qrels; a missing query, or one without anything relevant, scores 0 and is counted.",
        "- A document without a judgment, or with a negative grade, has no gain.",
        "- R is the number of relevant documents of the query, retrieved or not.",
        "",
        "## Where tools differ",
        "",
        "- trec_eval 9 and pytrec_eval compare scores as 32-bit numbers, trec_eval 10 as 64-bit ones: scores that are nearly",
        "  equal tie in one and not in the other. Assay compares as trec_eval 10; `--precision single`",
        "  (`Options(precision='single')`) compares as trec_eval 9.",
        "- trec_eval 9 computes infAP with 32-bit numbers; it agrees to about 7 digits.",
        "- A query of the qrels that a run lacks: `trec_eval -c`, ir_measures and Assay count 0; pytrec_eval and trec_eval 9",
        "  without `-c` leave it out, as `--missing exclude` does.",
        "- ir_measures breaks ties by `doc_id` ascending for RR@k and Judged; trec_eval and Assay always descending.",
        "- A document twice in a ranking, two grades of one pair, and a score that is no number are errors with file and line.",
        "",
    ]
    for row in records(list_measures()):
        lines += [f"## {row['name']}", "", f"{row['summary']}.", "", f"    {row['formula']}", ""]
        facts = {
            "Example": f"`{row['example']}`",
            "Cutoff": {"optional": "may be given", "needed": "must be given", "none": "none"}[row["cutoff"]],
            "Parameters": row["parameters"],
            "trec_eval": row["trec_eval"] and f"`{row['trec_eval']}`",
            "Undefined": row["undefined"],
            "Note": row["notes"],
            "Source": row["source"],
        }
        lines += [f"- {name}: {said}" for name, said in facts.items() if said]
        lines.append("")
    return "\n".join(lines)
