"""``export``, ``releases`` and ``compare-releases``: qrels out of the house, frozen ones, and two of them side by side.

Knows options, paths and printing; each command calls one noun.
"""

import argparse
import json
import sys
from typing import Any

import pandas as pd

from labeling import frozen, projects
from labeling.accounts import COMMAND_LINE
from labeling.collection import read_runs
from labeling.commands.inputs import read_files
from labeling.commands.parsing import Commands, add_command, say
from labeling.commands.writing import write_folder, write_together
from labeling.database import migrate, reading, writing
from labeling.errors import AssayError
from labeling.exchange.archives import Archive, open_archive
from labeling.exchange.writing import csv_bytes, table_rows
from labeling.qrels_comparison import QrelsChange, ScoreChange, compare_qrels, compare_scores
from labeling.releases import Release, ReleaseChoices, build_release, pack
from metrics import Run, parse_measure, read_run
from metrics.printing import to_json, to_text

__all__ = ["add_parsers"]

_EXPORT = """examples:
  python -m labeling export --project dl19 --output dl19.zip
  python -m labeling export --project dl19 --rule median --ties lower --output release/
  python -m labeling export --project dl19 --release "spring" --note "before the new rubric"

--release freezes the export in the database under a name: the very bytes can be had again, and are never changed."""
_RELEASES = """examples:
  python -m labeling releases --project dl19
  python -m labeling releases --project dl19 --get spring --output spring.zip"""
_COMPARE = """examples:
  python -m labeling compare-releases spring summer --project dl19
  python -m labeling compare-releases spring.zip summer.zip --runs runs/*.run -m nDCG@10
  python -m labeling compare-releases spring.zip summer.zip --format csv --show pairs

A and B are zip files, or with --project names of its releases. Each mean runs over the queries of its own qrels."""


def add_parsers(commands: Commands) -> None:
    """Add the three commands."""
    parser = add_command(
        commands, "export", "Write qrels, votes, decisions and their manifest, or freeze them", _EXPORT
    )
    parser.add_argument("--project", required=True, metavar="NAME")
    parser.add_argument("--rule", metavar="RULE", help="as consolidate's (the project's)")
    parser.add_argument("--ties", choices=("lower", "higher", "open"), help="as consolidate's (the project's)")
    parser.add_argument("--texts", action="store_true", help="with the texts of the documents (without)")
    parser.add_argument("--exclude-query", action="append", default=[], metavar="ID", help="may be repeated")
    parser.add_argument("--release", metavar="NAME", default="", help="freeze it under this name")
    parser.add_argument("--note", default="", help="a word on the release")
    parser.add_argument(
        "--output", metavar="PLACE", help="a folder, or a file ending in .zip; not needed with --release"
    )
    parser.set_defaults(run=_export, parser=parser)
    parser = add_command(commands, "releases", "List frozen releases, or write one's bytes", _RELEASES)
    parser.add_argument("--project", required=True, metavar="NAME")
    parser.add_argument("--get", metavar="NAME", help="the release to write")
    parser.add_argument("--output", metavar="FILE", help="where its zip archive goes")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(run=_releases, parser=parser)
    parser = add_command(
        commands, "compare-releases", "Say what changed between two releases, and what it did to scores", _COMPARE
    )
    parser.add_argument("before", metavar="A")
    parser.add_argument("after", metavar="B")
    parser.add_argument("--project", metavar="NAME", help="A and B are its releases, and the runs are its own")
    parser.add_argument("--runs", metavar="RUN", nargs="+", default=[], help="runs to score under both")
    parser.add_argument("-m", "--measure", metavar="MEASURE", default="nDCG@10")
    parser.add_argument("--show", choices=("pairs", "moves", "scores"), default="pairs", help="which table csv prints")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(run=_compare)


def _export(chosen: argparse.Namespace) -> int:
    if not chosen.output and not chosen.release:
        chosen.parser.error("--output PLACE or --release NAME is needed")
    choices = ReleaseChoices(
        chosen.rule, chosen.ties, chosen.texts, tuple(chosen.exclude_query), chosen.release.strip(), chosen.note
    )
    if chosen.release:
        migrate()
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        if chosen.release:
            frozen.check_name(session, COMMAND_LINE, project.id, chosen.release)
        release = build_release(session, COMMAND_LINE, project.id, choices)
    if release.consolidation.undefined:
        say(f"note: the rule is undefined: {release.consolidation.undefined}")
    if "left_out" in release.manifest:
        left_out = release.manifest["left_out"]
        say(f"note: left out {', '.join(left_out['files'])}: {left_out['because']}")
    if chosen.output:
        _write(chosen.output, release)
    if chosen.release:
        with writing() as session:
            kept = frozen.freeze(session, COMMAND_LINE, project.id, release)
        say(f"release {kept.name}: {kept.size:,} bytes, SHA-256 {kept.sha256}")
    counts = release.consolidation.counts
    say(f"{counts['pairs']} pairs: {counts['by_rule']} by rule, {counts['decided']} decided, {counts['open']} open")
    return 0


def _write(output: str, release: Release) -> None:
    if output.endswith(".zip"):
        write_together({output: pack(release)})
        return
    write_folder(output, release.files)


def _releases(chosen: argparse.Namespace) -> int:
    if bool(chosen.get) != bool(chosen.output):
        chosen.parser.error("--get NAME and --output FILE go together")
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        if chosen.get:
            write_together({chosen.output: frozen.read_release(session, COMMAND_LINE, project.id, chosen.get)})
            return 0
        found = frozen.list_releases(session, COMMAND_LINE, project.id)
    columns = ["name", "frozen_at", "by", "rule", "ties", "pairs", "open", "bytes", "sha256", "note"]
    rows = [_row(one) for one in found]
    _print(pd.DataFrame(rows, columns=columns), chosen.format)
    return 0


def _row(one: frozen.FrozenRelease) -> dict[str, Any]:
    rule, counts = one.manifest["rule"], one.manifest["counts"]
    return {
        "name": one.name,
        "frozen_at": one.created_at.isoformat(timespec="seconds"),
        "by": one.created_by or "command line",
        "rule": rule["rule"],
        "ties": rule["ties"],
        "pairs": counts["pairs"],
        "open": counts["open"],
        "bytes": one.size,
        "sha256": one.sha256,
        "note": one.note,
    }


def _print(table: pd.DataFrame, form: str) -> None:
    if form == "json":
        sys.stdout.write(json.dumps(table_rows(table), ensure_ascii=False, indent=2) + "\n")
    elif form == "csv":
        sys.stdout.write(csv_bytes(table).decode())
    else:
        sys.stdout.write(to_text(table))


def _compare(chosen: argparse.Namespace) -> int:
    measure = parse_measure(chosen.measure)
    (before, after), runs = _sides(chosen)
    runs = [*runs, *(read_run(path) for path in chosen.runs)]
    one, two = before.qrels(), after.qrels()
    change = compare_qrels(one, two)
    scores = compare_scores(one, two, runs, measure) if runs else None
    if chosen.format == "json":
        sys.stdout.write(to_json(_json(before, after, change, scores)))
    elif chosen.format == "csv":
        if chosen.show == "scores" and scores is None:
            raise AssayError("expected runs to score, found none: give --runs, or --project with runs")
        tables = {"pairs": change.table, "moves": change.moves, "scores": scores.table if scores else None}
        sys.stdout.write(csv_bytes(tables[chosen.show]).decode())  # type: ignore[arg-type] # refused above
    else:
        sys.stdout.write(_text(change, scores, chosen.measure))
    return 0


def _sides(chosen: argparse.Namespace) -> tuple[list[Archive], list[Run]]:
    names = [chosen.before, chosen.after]
    if not chosen.project:
        return [open_archive(content, name) for name, content in read_files(names)], []
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        kept = [open_archive(frozen.read_release(session, COMMAND_LINE, project.id, name), name) for name in names]
        return kept, read_runs(session, project.id)


def _json(before: Archive, after: Archive, change: QrelsChange, scores: ScoreChange | None) -> dict[str, Any]:
    sides = {side: {"name": one.name, "rule": one.manifest.get("rule"), "rubric": one.manifest.get("rubric")}
             for side, one in (("before", before), ("after", after))}  # fmt: skip
    answer = {
        **sides,
        "counts": dict(change.counts),
        "moves": table_rows(change.moves),
        "pairs": table_rows(change.table),
    }
    if scores is not None:
        answer["scores"] = {
            "definition": dict(scores.definition),
            "runs": table_rows(scores.table),
            "tau": None if scores.undefined else scores.tau,
            "undefined": scores.undefined,
            "swapped": scores.swapped,
        }
    return answer


def _text(change: QrelsChange, scores: ScoreChange | None, measure: str) -> str:
    counts = change.counts
    both = f"{counts['same']} the same, {counts['changed']} with another grade"
    differ = f"{both}, {counts['added']} added, {counts['removed']} removed"
    parts = [f"{counts['before']} pairs before, {counts['after']} after: {differ}\n"]
    moved = change.moves[change.moves["before"] != change.moves["after"]]
    if len(moved):
        parts.append(to_text(moved))
    if scores is not None:
        tau = f"undefined: {scores.undefined}" if scores.undefined else f"{scores.tau:.4f}"
        parts.append(
            f"{measure}; Kendall's tau between the two orders {tau}; {scores.swapped} couples of runs change places\n"
        )
        parts.append(to_text(scores.table))
    return "\n".join(parts)
