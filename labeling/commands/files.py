"""``agreement``, ``consolidate`` and ``disagreement``: what works on judgment files with no database.

Knows options, formats and files; computes nothing itself. Standard output carries only the answer.
"""

import argparse
import hashlib
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from labeling.aggregation import consolidate, parse_rule
from labeling.agreement import AgreementReport, RaterPair, count_grades, measure_agreement
from labeling.commands.inputs import CommandVotes, add_votes_arguments, print_notes, read_files, read_votes
from labeling.commands.writing import build_manifest, qrels_bytes, write_together
from labeling.exchange.judgments import read_judgments, votes_of
from metrics import Disagreement, Votes, disagreement, parse_measure, read_run
from metrics._printing import print_remarks, to_csv, to_json, to_text

__all__ = ["add_parsers"]

_AGREEMENT = """examples:
  python -m labeling agreement judgments/*.jsonl
  python -m labeling agreement votes.csv --exclude-query 443396 --format json
  python -m labeling agreement ann.csv bob.csv --label Exact=3 --label Partial=1 --label Irrelevant=0

Read the coefficients together: where one grade is rare, kappa and alpha are low in spite of many equal grades.
low and high bound the bootstrap's middle 95 %; an undefined value says why."""
_CONSOLIDATE = """examples:
  python -m labeling consolidate judgments/*.jsonl --rule median --output qrels.txt
  python -m labeling consolidate votes.csv --rule majority --ties open --decisions settled.csv --output qrels.txt
  python -m labeling consolidate votes.csv --rule rater:ann --output ann.qrels

Writes QRELS in TREC's four columns and QRELS.manifest.json: rule, counts, hashes, what was left out. Same inputs, same
bytes. Open pairs are counted and not written. Decisions win over the rule."""
_DISAGREEMENT = """examples:
  python -m labeling disagreement judgments/*.jsonl --runs runs/*.run.gz --exclude-query 443396
  python -m labeling disagreement votes.csv --runs bm25.run dense.run -m nDCG@10 -m AP --by query --draws 2000
  python -m labeling disagreement --project demo --format json

As python -m metrics disagreement, on any judgments format."""

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse has no public name for it


def add_parsers(subparsers: "Commands") -> None:
    """Add the three commands; each sets ``run``, a function from the chosen options to an exit code."""
    _add_agreement(subparsers)
    _add_consolidate(subparsers)
    _add_disagreement(subparsers)


def _add_agreement(subparsers: "Commands") -> None:
    parser = _add(subparsers, "agreement", "Say how far raters agree", _AGREEMENT)
    add_votes_arguments(parser)
    parser.add_argument(
        "--resample", choices=("query", "pair"), default="query", help="what the intervals resample (query)"
    )
    parser.add_argument(
        "--draws", type=_count, default=1000, metavar="N", help="resamples; 0 leaves the intervals out (1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="fixes the resamples (0)")
    parser.add_argument(
        "--show", choices=("coefficients", "raters", "grades"), default="coefficients", help="which table csv prints"
    )
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(run=_run_agreement, parser=parser)


def _add_consolidate(subparsers: "Commands") -> None:
    parser = _add(subparsers, "consolidate", "Turn votes into qrels by a named rule", _CONSOLIDATE)
    add_votes_arguments(parser)
    parser.add_argument(
        "--rule",
        required=True,
        metavar="RULE",
        help="majority, median, mean, minimum, maximum, unanimous, rater:NAME or dawid-skene",
    )
    parser.add_argument(
        "--ties",
        choices=("lower", "higher", "open"),
        default="lower",
        help="among grades that the rule cannot choose between (lower)",
    )
    parser.add_argument("--decisions", metavar="FILE", help="settled grades: query_id, doc_id, grade")
    parser.add_argument(
        "--output", required=True, metavar="QRELS", help="where the qrels go; QRELS.manifest.json stands beside"
    )
    parser.set_defaults(run=_run_consolidate, parser=parser)


def _add_disagreement(subparsers: "Commands") -> None:
    parser = _add(
        subparsers,
        "disagreement",
        "Score runs under every set of qrels that the votes make equally valid",
        _DISAGREEMENT,
    )
    add_votes_arguments(parser)
    parser.add_argument("--runs", metavar="RUN", nargs="+", default=[], help="runs in TREC's format, plain or gzip")
    parser.add_argument(
        "-m", "--measure", action="append", metavar="MEASURE", help="a measure; may be repeated (nDCG@10)"
    )
    parser.add_argument(
        "--by",
        choices=("panel", "query", "pair", "bounds"),
        default="panel",
        help="what a set of qrels takes one rater for (panel)",
    )
    parser.add_argument(
        "--draws",
        type=_positive,
        default=1000,
        metavar="N",
        help="every set when they are at most N, else N draws (1000)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="fixes the draws (0)")
    parser.add_argument("--show", choices=("systems", "comparisons"), default="systems", help="which table csv prints")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(run=_run_disagreement, parser=parser)


def _add(subparsers: "Commands", name: str, summary: str, epilog: str) -> argparse.ArgumentParser:
    return subparsers.add_parser(
        name,
        help=summary,
        description=summary + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected 0 or more, found {text}")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text}")
    return int(text)


def _checked_votes(chosen: argparse.Namespace) -> CommandVotes:
    if bool(chosen.files) == bool(chosen.project):
        chosen.parser.error("give judgment files, or --project NAME, and not both")
    if chosen.files.count("-") > 1:
        chosen.parser.error("only one input can be standard input (-)")
    return read_votes(chosen)


def _run_agreement(chosen: argparse.Namespace) -> int:
    given = _checked_votes(chosen)
    report = measure_agreement(
        given.votes, grades=given.grades, draws=chosen.draws, seed=chosen.seed, resample=chosen.resample
    )
    for caution in report.warnings:
        sys.stderr.write(f"warning: {caution}\n")
    grades = count_grades(given.votes, given.grades)
    if chosen.format == "json":
        sys.stdout.write(to_json(report.to_json() | {"grade_counts": _grade_counts(grades)}))
    elif chosen.format == "csv":
        tables = {"coefficients": _coefficient_table, "raters": _rater_table}
        table = grades.reset_index() if chosen.show == "grades" else tables[chosen.show](report)
        sys.stdout.write(to_csv(table))
    else:
        sys.stdout.write(_agreement_text(report, grades))
    return 0


def _grade_counts(grades: pd.DataFrame) -> dict[str, dict[str, int]]:
    return {str(rater): {str(grade): int(row[grade]) for grade in grades.columns} for rater, row in grades.iterrows()}


def _coefficient_table(report: AgreementReport) -> pd.DataFrame:
    table = pd.DataFrame([vars(found) for found in report.coefficients])
    return table.assign(undefined=table["undefined"].fillna(""))


def _rater_table(report: AgreementReport) -> pd.DataFrame:
    rows = [
        dict(zip("ab", pair.raters, strict=True)) | vars(pair) | {"undefined": pair.undefined or ""}
        for pair in report.rater_pairs
    ]
    columns = ["a", "b", *(name for name in RaterPair.__dataclass_fields__ if name != "raters")]
    return pd.DataFrame(rows, columns=columns)


def _agreement_text(report: AgreementReport, grades: pd.DataFrame) -> str:
    parts = [
        f"{report.pairs} pairs, {report.raters} raters, {report.votes} votes; {report.paired} pairs with two votes or more\n",
        to_text(_coefficient_table(report)),
    ]
    if report.rater_pairs:
        parts.append(to_text(_rater_table(report)))
    shown = grades.rename(columns={grade: f"grade {grade}" for grade in grades.columns}).reset_index()
    parts.append(to_text(shown))
    return "\n".join(parts)


def _run_consolidate(chosen: argparse.Namespace) -> int:
    rule = parse_rule(chosen.rule)
    given = _checked_votes(chosen)
    decisions, inputs = given.decisions, list(given.inputs)
    if chosen.decisions:
        decisions, described = _read_decisions(chosen.decisions, given.grades)
        inputs.append(described)
    found = consolidate(given.votes, rule, ties=chosen.ties, grades=given.grades, decisions=decisions)
    qrels = qrels_bytes(found.qrels())
    manifest = build_manifest(given, found, inputs, chosen.output, qrels)
    write_together({chosen.output: qrels, f"{chosen.output}.manifest.json": manifest})
    counts = found.counts
    sys.stderr.write(
        f"{counts['pairs']} pairs: {counts['by_rule']} by rule, {counts['decided']} decided, {counts['open']} open; "
        f"{counts['ties']} ties, {counts['dissent_pairs']} pairs with dissent\n"
    )
    return 0


def _read_decisions(path: str, grades: tuple[int, ...]) -> tuple[pd.DataFrame, dict[str, Any]]:
    files = read_files([path])
    imported = read_judgments(files, grades=grades, repeats="error")
    print_notes((*imported.left_out, *imported.remarks))
    content = files[0][1]
    described = {
        "file": Path(path).name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "decisions": True,
    }
    return votes_of(imported.table)[["query_id", "doc_id", "grade"]], described


def _run_disagreement(chosen: argparse.Namespace) -> int:
    measures = [parse_measure(text) for text in chosen.measure or ["nDCG@10"]]
    given = _checked_votes(chosen)
    runs = [read_run(path) for path in chosen.runs] or list(given.runs)
    if not runs:
        chosen.parser.error("--runs RUN... is needed")
    found = disagreement(
        Votes(
            given.votes,
            name=given.inputs[0].get("file", chosen.project)
            if len(given.inputs) == 1
            else f"{len(given.inputs)} files",
        ),
        runs,
        measures,
        by=chosen.by,
        draws=chosen.draws,
        seed=chosen.seed,
    )
    print_remarks(found.remarks)
    if chosen.format == "json":
        sys.stdout.write(to_json(found.to_json()))
    elif chosen.format == "csv":
        sys.stdout.write(to_csv(found.systems if chosen.show == "systems" else found.comparisons))
    else:
        sys.stdout.write(_disagreement_text(found))
    return 0


def _disagreement_text(found: Disagreement) -> str:
    shown = ["run", "measure", "mean", "low", "high", "min", "max", "first"]
    systems = found.systems.sort_values(["measure", "mean"], ascending=[True, False], kind="stable")
    parts = [f"{found.qrels_count} equally valid sets of qrels\n", to_text(systems[shown])]
    for name, tau in found.tau.items():
        moved = systems.loc[systems["measure"] == name, ["min", "max"]]
        spread = float((moved["max"] - moved["min"]).mean())
        parts.append(
            f"{name}: a system moves by {spread:.4f} on average; Kendall's tau between two sets: {_tau_text(tau)}\n"
        )
    pairs = found.comparisons
    neighbours = pairs[~pairs.duplicated(["a", "measure"])]
    told = neighbours.assign(
        ahead=[f"{a} of {n}" for a, n in zip(neighbours["ahead_count"], neighbours["qrels"], strict=True)]
    )
    parts.append(to_text(told[["a", "b", "measure", "ahead", "verdict"]]))
    if len(neighbours) < len(pairs):
        parts.append(f"neighbours only; --format csv --show comparisons has all {len(pairs)} pairs\n")
    return "\n".join(parts)


def _tau_text(tau: dict[str, float]) -> str:
    if math.isnan(tau["mean"]):
        return "undefined"
    return f"mean {tau['mean']:.4f}, least {tau['min']:.4f}, most {tau['max']:.4f}"
