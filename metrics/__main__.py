"""``python -m metrics``: evaluate, compare, disagreement, measures.

Knows files, options and formats; computes nothing itself. Standard output carries only the answer.
"""

import argparse
import os
import sys
from collections.abc import Sequence

import pandas as pd

from metrics import (
    AssayError,
    Options,
    Run,
    compare,
    disagreement,
    evaluate,
    list_lowest,
    list_measures,
    list_sensitivity,
    read_qrels,
    read_runs,
    read_votes,
)
from metrics._arguments import build_parser
from metrics.copies import read_copies
from metrics.disagreement import Disagreement
from metrics.evaluate import DEFAULT_MEASURES, Evaluation, records
from metrics.printing import describe_measures, print_remarks, to_csv, to_json, to_text, to_trec
from metrics.queries import read_slices

_MOST_PAIRS = 45


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 the input is wrong; wrong use leaves with 2."""
    parser = build_parser()
    chosen = parser.parse_args(arguments)
    _check_use(parser, chosen)
    command = {"evaluate": _evaluate, "compare": _compare, "disagreement": _disagreement, "measures": _measures}
    try:
        answer = command[chosen.command](chosen)
        sys.stdout.write(answer)
        sys.stdout.flush()
    except AssayError as fault:
        print(fault, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # whoever reads has seen enough; nothing more may be written, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _check_use(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    if chosen.command == "compare" and len(chosen.runs) < 2:
        parser.error("compare takes two runs or more")
    first = getattr(chosen, "qrels", getattr(chosen, "votes", ""))
    if [first, *getattr(chosen, "runs", [])].count("-") > 1:
        parser.error("only one input can be standard input (-)")


def _options(chosen: argparse.Namespace) -> Options:
    copies = read_copies(chosen.no_gain_for_copies) if chosen.no_gain_for_copies else ()
    return Options(
        missing=chosen.missing,
        no_relevant=chosen.no_relevant,
        unjudged=chosen.unjudged,
        precision=chosen.precision,
        duplicates="no_gain" if copies else "keep",
        copies=copies,
    )


def _read_runs(sources: Sequence[str]) -> list[Run]:
    if sys.stderr.isatty() and len(sources) > 1:
        print(f"reading {len(sources)} runs", file=sys.stderr, flush=True)
    return read_runs(sources)


def _evaluate(chosen: argparse.Namespace) -> str:
    qrels = read_qrels(chosen.qrels)
    runs = _read_runs(chosen.runs)
    found = evaluate(qrels, runs, chosen.measure or DEFAULT_MEASURES, options=_options(chosen))
    print_remarks(found.remarks)
    slices = None
    if chosen.slices:
        queries, column = chosen.slices
        slices = found.slice(read_slices(queries, column), column)
    if chosen.format == "json":
        answer = found.to_json(per_query=chosen.per_query)
        return to_json(answer if slices is None else answer | {"slices": records(slices)})
    if chosen.format == "trec":
        return to_trec(found, per_query=chosen.per_query)
    table = _chosen_table(found, chosen) if slices is None else slices
    return to_csv(table) if chosen.format == "csv" else to_text(table)


def _chosen_table(found: Evaluation, chosen: argparse.Namespace) -> pd.DataFrame:
    if chosen.per_query:
        return found.per_query
    if chosen.coverage:
        return found.coverage
    if chosen.bounds:
        return found.bounds()
    if chosen.sensitivity:
        return list_sensitivity(found.alignment)
    if chosen.lowest:
        return _lowest(found, chosen.lowest)
    if chosen.format == "csv":
        return found.means
    means = found.means
    judged = dict(zip(found.coverage["run"], found.coverage["judged_at_10"], strict=True))
    shown = means.assign(judged_at_10=[judged[run] for run in means["run"]])
    unequal = (means["missing"] > 0) | (means["no_relevant"] > 0)
    return shown if unequal.any() else shown.drop(columns="mean_without")


def _lowest(found: Evaluation, number: int) -> pd.DataFrame:
    """The lowest queries of each run under each measure."""
    tables = [
        list_lowest(found.alignment, run, measure, number=number).assign(run=run, measure=str(measure))
        for measure in found.measures
        for run in found.tags
    ]
    return pd.concat(tables)[["run", "measure", "query_id", "score", "relevant", "ranked"]]


def _compare(chosen: argparse.Namespace) -> str:
    qrels = read_qrels(chosen.qrels)
    runs = _read_runs(chosen.runs)
    found = compare(
        qrels,
        runs,
        chosen.measure or DEFAULT_MEASURES,
        baseline=chosen.baseline,
        draws=chosen.draws,
        seed=chosen.seed,
        options=_options(chosen),
    )
    print_remarks(found.remarks)
    if chosen.format == "json":
        return to_json(found.to_json())
    if chosen.format == "csv":
        return to_csv(found.differences)
    shown = ["a", "b", "measure", "difference", "low", "high", "won", "tied", "lost", "p_t", "p_randomization", "p_tukey", "detectable"]  # fmt: skip
    text = to_text(found.differences[shown])
    return text if found.orders.empty else text + "\n" + to_text(found.orders)


def _disagreement(chosen: argparse.Namespace) -> str:
    votes = read_votes(chosen.votes)
    runs = _read_runs(chosen.runs)
    found = disagreement(
        votes,
        runs,
        chosen.measure or DEFAULT_MEASURES,
        by=chosen.by,
        rule=chosen.rule,
        draws=chosen.draws,
        seed=chosen.seed,
        exclude_queries=chosen.exclude_query,
        options=_options(chosen),
    )
    print_remarks(found.remarks)
    if chosen.format == "json":
        return to_json(found.to_json())
    if chosen.format == "csv":
        return to_csv(found.systems if chosen.show == "systems" else found.comparisons)
    return _disagreement_text(found, whole=chosen.show == "comparisons")


def _disagreement_text(found: Disagreement, *, whole: bool) -> str:
    shown = ["run", "measure", "mean", "low", "high", "min", "max", "first", "rank_best", "rank_worst"]
    systems = found.systems.sort_values(["measure", "mean"], ascending=[True, False], kind="stable")
    parts = [f"{found.qrels_count} equally valid sets of qrels\n", to_text(systems[shown])]
    for name, tau in found.tau.items():
        floor = found.noise_floor[name]
        moved = found.systems.loc[found.systems["measure"] == name, "range"].mean()
        parts.append(
            f"{name}: a system moves by {moved:.4f} on average; Kendall's tau between two sets: mean {tau['mean']:.4f}, "
            f"least {tau['min']:.4f}, most {tau['max']:.4f}; differences up to {floor:.4f} can come from the raters\n"
        )
    pairs = found.comparisons
    if len(pairs) > _MOST_PAIRS and not whole:
        neighbours = pairs[~pairs.duplicated(["a", "measure"])]
        parts.append(f"neighbours only; --show comparisons prints all {len(pairs)} pairs\n")
        pairs = neighbours
    told = pairs.assign(ahead=[f"{a} of {n}" for a, n in zip(pairs["ahead_count"], pairs["qrels"], strict=True)])
    told = told[["a", "b", "measure", "difference", "ahead", "queries_ahead", "verdict"]]
    return "\n".join([*parts, to_text(told) if len(told) else ""])


def _measures(chosen: argparse.Namespace) -> str:
    table = list_measures()
    if chosen.name:
        table = table[table["name"] == chosen.name]
    if chosen.format == "markdown":
        return describe_measures()
    if chosen.format == "csv":
        return to_csv(table)
    if chosen.format == "json":
        return to_json({"measures": records(table)})
    if chosen.name:
        row = table.iloc[0]
        return "".join(f"{column:<11} {row[column]}\n" for column in table.columns if row[column])
    return to_text(table[["example", "trec_eval", "summary"]])


if __name__ == "__main__":
    sys.exit(main())
