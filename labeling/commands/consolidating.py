"""``consolidate``: votes to qrels by a named rule; and a given file of final grades beside what each rule gives.

Knows options, formats and files; computes nothing itself. Standard output carries only the answer.
"""

import argparse
import sys
from typing import Any

import pandas as pd

from labeling.aggregation import Consolidation, consolidate, parse_rule, weigh_by_gold
from labeling.commands.inputs import CommandVotes, add_votes_arguments, print_notes, read_checked_votes, read_files
from labeling.commands.parsing import Commands, add_command, say
from labeling.commands.writing import build_manifest, write_together
from labeling.exchange.judgments import read_judgments, votes_of
from labeling.exchange.writing import csv_bytes, describe_file, qrels_bytes, table_rows
from labeling.rule_comparison import COMPARED, FinalCheck, check_final, compare_rules
from metrics import read_qrels
from metrics.printing import print_remarks, to_json, to_text

__all__ = ["add_parser"]

_EXAMPLES = """examples:
  python -m labeling consolidate judgments/*.jsonl --rule median --output qrels.txt
  python -m labeling consolidate votes.csv --rule majority --ties open --decisions settled.csv --output qrels.txt
  python -m labeling consolidate votes.csv --rule raters:ann,bob --output qrels.txt --table grades.csv
  python -m labeling consolidate votes.csv --rule gold-weighted --gold known.csv --output qrels.txt
  python -m labeling consolidate votes.csv --against final.qrels

Writes QRELS in TREC's four columns and QRELS.manifest.json: rule, counts, hashes, what was left out. Same inputs, same
bytes. Open pairs are counted and not written. Decisions win over the rule. --against says for every rule how often FINAL
has its grade, and where FINAL contradicts votes that all agree or has a grade that nobody gave."""


def add_parser(commands: Commands) -> None:
    """Add the command; it sets ``run``, a function from the chosen options to an exit code."""
    parser = add_command(commands, "consolidate", "Turn votes into qrels by a named rule", _EXAMPLES)
    add_votes_arguments(parser)
    parser.add_argument(
        "--rule",
        metavar="RULE",
        help="majority, median, mean, minimum, maximum, unanimous, rater:NAME, raters:NAME,NAME,... (the first who voted), "
        "dawid-skene or gold-weighted",
    )
    parser.add_argument(
        "--ties",
        choices=("lower", "higher", "open"),
        default="lower",
        help="among grades that the rule cannot choose between (lower)",
    )
    parser.add_argument("--decisions", metavar="FILE", help="settled grades: query_id, doc_id, grade")
    parser.add_argument(
        "--gold",
        metavar="FILE",
        help="known grades: query_id, doc_id, grade; for gold-weighted (a project has its own)",
    )
    parser.add_argument("--output", metavar="QRELS", help="where the qrels go; QRELS.manifest.json stands beside")
    parser.add_argument("--table", metavar="CSV", help="every pair with grade, votes, dissent and the decimal mean")
    parser.add_argument("--against", metavar="FINAL", help="qrels to set beside every rule, or beside --rule")
    parser.add_argument(
        "--show", choices=("rules", "pairs"), default="rules", help="which table csv prints with --against"
    )
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table", help="of what --against says")
    parser.set_defaults(run=_run, parser=parser)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.output and not chosen.rule:
        chosen.parser.error("--output needs --rule RULE")
    if not chosen.against and not (chosen.output and chosen.rule):
        chosen.parser.error("--rule RULE with --output QRELS, or --against FINAL, is needed")
    rule = str(parse_rule(chosen.rule)) if chosen.rule else None
    given = read_checked_votes(chosen)
    decisions, inputs = given.decisions, list(given.inputs)
    if chosen.decisions:
        decisions, described = _read_grades(chosen.decisions, given.grades, "decisions")
        inputs.append(described)
    weights = given.weights
    if chosen.gold:
        gold, described = _read_grades(chosen.gold, given.grades, "gold")
        inputs.append(described)
        weights = weigh_by_gold(
            given.votes.merge(gold.rename(columns={"grade": "reference"}), on=["query_id", "doc_id"])
        )
    options: dict[str, Any] = {"ties": chosen.ties, "grades": given.grades, "decisions": decisions, "weights": weights}
    if rule and chosen.output:
        _write(chosen, given, consolidate(given.votes, rule, **options), inputs)
    if chosen.against:
        rules = [rule] if rule else [*COMPARED, *(["gold-weighted"] if weights else []), *_raters(given)]
        final = read_qrels(chosen.against, name=chosen.against)
        print_remarks(final.remarks)
        _print_check(chosen, check_final(compare_rules(given.votes, rules, **options).found, given.votes, final.table))
    return 0


def _raters(given: CommandVotes) -> list[str]:
    return [f"rater:{name}" for name in sorted(given.votes["rater"].unique())]


def _write(chosen: argparse.Namespace, given: CommandVotes, found: Consolidation, inputs: list[dict[str, Any]]) -> None:
    if found.undefined:
        say(f"note: the rule is undefined: {found.undefined}")
    qrels = qrels_bytes(found.qrels())
    manifest = build_manifest(given, found, inputs, chosen.output, qrels)
    files = {chosen.output: qrels, f"{chosen.output}.manifest.json": manifest}
    if chosen.table:
        files[chosen.table] = csv_bytes(found.table)
    write_together(files)
    counts = found.counts
    say(
        f"{counts['pairs']} pairs: {counts['by_rule']} by rule, {counts['decided']} decided, {counts['open']} open; "
        f"{counts['ties']} ties, {counts['dissent_pairs']} pairs with dissent"
    )


def _read_grades(path: str, grades: tuple[int, ...], what: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    files = read_files([path])
    imported = read_judgments(files, grades=grades, repeats="error")
    print_notes((*imported.left_out, *imported.remarks))
    known = votes_of(imported.table)[["query_id", "doc_id", "grade"]]
    return known, {**describe_file(path, files[0][1]), what: True}


def _print_check(chosen: argparse.Namespace, found: FinalCheck) -> None:
    if chosen.format == "csv":
        sys.stdout.write(csv_bytes(found.table if chosen.show == "rules" else found.against).decode())
        return
    if chosen.format == "json":
        tables = {"rules": table_rows(found.table), "pairs": table_rows(found.against)}
        sys.stdout.write(to_json({"counts": dict(found.counts), "followed": found.followed(), **tables}))
        return
    counts = found.counts
    followed = ", ".join(found.followed())
    sys.stdout.write(
        f"{counts['pairs']} pairs in {chosen.against}: {counts['voted']} have votes, {counts['without_votes']} have none; "
        f"{counts['only_votes']} pairs with votes are not in it\n"
        f"{counts['contradicts_unanimous']} contradict a vote on which all agree, {counts['nobodys_grade']} have a grade "
        f"that nobody gave\n{f'It follows {followed}' if followed else 'It follows none of these rules'}\n\n"
    )
    sys.stdout.write(to_text(found.table))
