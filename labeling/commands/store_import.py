"""``import``: queries, documents, runs and judgments from files into a project, each all or nothing.

Knows options and printing; the readers stand in labeling.exchange and metrics.trec.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labeling import collection, projects
from labeling.accounts import COMMAND_LINE
from labeling.commands.inputs import add_reading_options, print_notes, read_files
from labeling.database import migrate, writing
from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import read_judgments
from labeling.exchange.queries import read_queries
from labeling.exchange.tables import Imported
from labeling.imports import import_judgments
from labeling.projects import Project
from labeling.rubrics import get_rubric

__all__ = ["add_parser"]

_EXAMPLES = """examples:
  python -m labeling import queries topics.tsv --project dl19
  python -m labeling import documents passages.jsonl --project dl19 --column text=passage
  python -m labeling import runs runs/*.run.gz --project dl19
  python -m labeling import judgments judgments/*.jsonl --project dl19"""

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse has no public name for it


def add_parser(commands: "Commands") -> None:
    """Add the command with its four kinds."""
    parser = commands.add_parser(
        "import",
        help="Bring queries, documents, runs and judgments into a project",
        description="Bring files into a project of the database. A file that is wrong changes nothing.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="queries|documents|runs|judgments")
    acts = {"queries": _queries, "documents": _documents, "runs": _runs, "judgments": _judgments}
    for kind, act in acts.items():
        one = kinds.add_parser(kind, help=f"{kind} from files")
        one.add_argument("files", metavar="FILE", nargs="+")
        one.add_argument("--project", required=True, metavar="NAME")
        if kind in ("queries", "documents"):
            one.add_argument("--column", action="append", default=[], metavar="FIELD=COLUMN", type=_column)
            one.add_argument("--encoding", metavar="NAME")
            one.add_argument("--replace", action="store_true", help="replace texts that are stored already")
        if kind == "judgments":
            one.add_argument(
                "--model", action="append", default=[], metavar="RATER", help="this rater is a model and casts no vote"
            )
            add_reading_options(one)
        one.set_defaults(run=act)


def _column(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not equals or not name or not column:
        raise argparse.ArgumentTypeError(f"expected FIELD=COLUMN, found {text}")
    return name, column


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _report(imported: Imported) -> dict[str, Any]:
    print_notes((*imported.left_out, *imported.remarks))
    left_out = {left.reason: left.count for left in imported.left_out}
    return {"rows_read": imported.rows_read, "kept": len(imported.table), "left_out": left_out}


def _project(session: Any, chosen: argparse.Namespace) -> Project:
    return projects.get_project_by_name(session, COMMAND_LINE, chosen.project)


def _queries(chosen: argparse.Namespace) -> int:
    migrate()
    with writing() as session:
        project = _project(session, chosen)
        for name, content in read_files(chosen.files):
            found = read_queries(content, name, mapping=_mapping(chosen), encoding=chosen.encoding)
            stored = collection.add_queries(session, COMMAND_LINE, project.id, found.table, replace=chosen.replace)
            collection.record_import(session, COMMAND_LINE, project.id, "queries", [name], _report(found))
            _say(f"{name}: {stored.added} new, {stored.changed} changed, {stored.unchanged} there already")
    return 0


def _documents(chosen: argparse.Namespace) -> int:
    migrate()
    with writing() as session:
        project = _project(session, chosen)
        for name, content in read_files(chosen.files):
            found = read_documents(content, name, mapping=_mapping(chosen), encoding=chosen.encoding)
            stored = collection.add_documents(
                session, COMMAND_LINE, project.id, found.table, replace=chosen.replace, progress=_tell
            )
            collection.record_import(session, COMMAND_LINE, project.id, "documents", [name], _report(found))
            _say(f"{name}: {stored.added} new, {stored.changed} changed, {stored.unchanged} there already")
    return 0


def _mapping(chosen: argparse.Namespace) -> Mapping[str, str]:
    return dict(chosen.column)


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done:,} of {total:,}{'' if done < total else chr(10)}")


def _runs(chosen: argparse.Namespace) -> int:
    migrate()
    files = read_files(chosen.files)
    with writing() as session:
        project = _project(session, chosen)
        for name, content in files:
            run = collection.add_run(session, COMMAND_LINE, project.id, content, name)
            for remark in run.remarks:
                _say(f"{name}: {remark.text}")
        report = {"runs": len(files)}
        collection.record_import(session, COMMAND_LINE, project.id, "runs", [name for name, _ in files], report)
    _say(f"{len(files)} runs imported")
    return 0


def _judgments(chosen: argparse.Namespace) -> int:
    migrate()
    files = read_files(chosen.files)
    with writing() as session:
        project = _project(session, chosen)
        choices: dict[str, Any] = {
            "repeats": chosen.repeats,
            "double_labels": chosen.double_labels,
            "narrative": chosen.narrative,
            "out_of_scale": chosen.out_of_scale,
            "look_alikes": chosen.look_alikes,
            "labels": dict(chosen.label),
        }
        grades = get_rubric(session, project.id).grades
        found = read_judgments(files, mapping=dict(chosen.column), grades=grades, encoding=chosen.encoding, **choices)
        report = {**_report(found), "choices": choices}
        names = [name for name, _ in files]
        done = import_judgments(
            session, COMMAND_LINE, project.id, found.table, files=names, report=report, models=chosen.model
        )
    _say(
        f"{done.judgments} judgments ({done.votes} grades) of {len(done.raters)} raters on {done.pairs} pairs, "
        f"{done.new_pairs} of them new"
    )
    if done.documents_without_text or done.queries_without_text:
        _say(
            f"{len(done.queries_without_text)} queries and {len(done.documents_without_text)} documents have no text here: "
            "their pairs count and are not handed out"
        )
    return 0
