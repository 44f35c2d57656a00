"""``disagreement``; with agreement and consolidate, what works on judgment files with no database.

Knows options, formats and files; computes nothing itself. Standard output carries only the answer.
"""

import argparse
import math
import sys

from labeling.commands import agreeing, consolidating
from labeling.commands.inputs import add_votes_arguments, read_checked_votes
from labeling.commands.parsing import Commands, add_command
from labeling.draws import WAYS, tell_way
from metrics import Disagreement, Votes, disagreement, parse_measure, read_run
from metrics.printing import print_remarks, to_csv, to_json, to_text

__all__ = ["add_parsers"]

_DISAGREEMENT = """examples:
  python -m labeling disagreement judgments/*.jsonl --runs runs/*.run.gz --exclude-query 443396
  python -m labeling disagreement votes.csv --runs bm25.run dense.run -m nDCG@10 -m AP --by query --draws 2000
  python -m labeling disagreement --project demo --format json

As python -m metrics disagreement, on any judgments format."""


def add_parsers(commands: Commands) -> None:
    """Add the three commands; each sets ``run``, a function from the chosen options to an exit code."""
    agreeing.add_parser(commands)
    consolidating.add_parser(commands)
    _add_disagreement(commands)


def _add_disagreement(commands: Commands) -> None:
    parser = add_command(
        commands,
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
        choices=WAYS,
        default="panel",
        help="what a set of qrels takes one rater for (panel); or ties, bounds, draws of Dawid and Skene's model",
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


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text}")
    return int(text)


def _run_disagreement(chosen: argparse.Namespace) -> int:
    measures = [parse_measure(text) for text in chosen.measure or ["nDCG@10"]]
    given = read_checked_votes(chosen)
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
        **tell_way(chosen.by, given.votes, grades=given.grades),
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
