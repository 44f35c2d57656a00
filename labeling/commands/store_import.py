"""``import``: queries, documents, runs, judgments and references from files into a project, each all or nothing.

Knows options and printing; the readers stand in labeling.exchange and metrics.trec.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from labeling import collection, projects
from labeling.accounts import COMMAND_LINE
from labeling.collection import hashes_of, read_queries_table
from labeling.commands.inputs import add_reading_options, print_notes, read_files, reading_choices
from labeling.commands.parsing import Commands, add_command, say
from labeling.commands.store_references import run_references
from labeling.database import migrate, reading, writing
from labeling.exchange.documents import read_documents
from labeling.exchange.judgments import count_labels, ids_of_texts, read_judgments
from labeling.exchange.queries import read_queries
from labeling.exchange.tables import Imported
from labeling.imports import ImportedJudgments, count_stored, import_judgments
from labeling.projects import Project
from labeling.rubrics import get_rubric
from labeling.twins import refresh_twins
from metrics.printing import to_text

__all__ = ["add_parser"]

_EXAMPLES = """examples:
  python -m labeling import queries topics.tsv --project dl19
  python -m labeling import documents passages.jsonl --project dl19 --column text=passage
  python -m labeling import runs runs/*.run.gz --project dl19
  python -m labeling import judgments judgments/*.jsonl --project dl19
  python -m labeling import judgments labelstudio.json --project dl19 --label Relevant=2 --label Off=0 --dry-run
  python -m labeling import judgments book.csv --project shop --queries text
  python -m labeling import references practice.csv --project dl19 --dry-run"""


def add_parser(commands: Commands) -> None:
    """Add the command with its four kinds."""
    parser = add_command(
        commands,
        "import",
        "Bring queries, documents, runs, judgments and references into a project",
        _EXAMPLES,
        description="Bring files into a project of the database. A file that is wrong changes nothing.",
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="queries|documents|runs|judgments|references")
    acts = {
        "queries": _queries,
        "documents": _documents,
        "runs": _runs,
        "judgments": _judgments,
        "references": run_references,
    }
    for kind, act in acts.items():
        one = kinds.add_parser(kind, help=f"{kind} from files")
        one.add_argument("files", metavar="FILE", nargs="+")
        one.add_argument("--project", required=True, metavar="NAME")
        if kind in ("queries", "documents", "references"):
            one.add_argument("--column", action="append", default=[], metavar="FIELD=COLUMN", type=_column)
            one.add_argument("--encoding", metavar="NAME")
        if kind == "references":
            one.add_argument("--dry-run", action="store_true", help="only say what it would do")
        if kind in ("queries", "documents"):
            one.add_argument("--replace", action="store_true", help="replace texts that are stored already")
        if kind == "judgments":
            one.add_argument(
                "--model", action="append", default=[], metavar="RATER", help="this rater is a model and casts no vote"
            )
            one.add_argument(
                "--queries",
                choices=("id", "text"),
                default="id",
                help="what names a query in the files; text for Quepid and OpenSearch (id)",
            )
            one.add_argument(
                "--dry-run", action="store_true", help="only list each label with the grade it would get; write nothing"
            )
            add_reading_options(one)
        one.set_defaults(run=act)


def _column(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not equals or not name or not column:
        raise argparse.ArgumentTypeError(f"expected FIELD=COLUMN, found {text}")
    return name, column


def _report(imported: Imported, files: Sequence[tuple[str, bytes]]) -> dict[str, Any]:
    print_notes((*imported.left_out, *imported.remarks))
    left_out = {left.reason: left.count for left in imported.left_out}
    return {
        "rows_read": imported.rows_read,
        "kept": len(imported.table),
        "left_out": left_out,
        "sha256": hashes_of(files),
    }


def _project(session: Any, chosen: argparse.Namespace) -> Project:
    return projects.get_project_by_name(session, COMMAND_LINE, chosen.project)


def _queries(chosen: argparse.Namespace) -> int:
    migrate()
    with writing() as session:
        project = _project(session, chosen)
        for name, content in read_files(chosen.files):
            found = read_queries(content, name, mapping=_mapping(chosen), encoding=chosen.encoding)
            stored = collection.add_queries(session, COMMAND_LINE, project.id, found.table, replace=chosen.replace)
            collection.record_import(
                session, COMMAND_LINE, project.id, "queries", [name], _report(found, [(name, content)])
            )
            say(f"{name}: {stored.added} new, {stored.changed} changed, {stored.unchanged} there already")
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
            collection.record_import(
                session, COMMAND_LINE, project.id, "documents", [name], _report(found, [(name, content)])
            )
            say(f"{name}: {stored.added} new, {stored.changed} changed, {stored.unchanged} there already")
    _find_twins(project.id)
    return 0


def _find_twins(project_id: int) -> None:
    """Near-duplicates among the texts that came in; a project without pairs has none yet."""
    found = refresh_twins(COMMAND_LINE, project_id)
    if found.groups:
        say(f"{found.pairs} pairs are near-duplicates, in {found.groups} groups")


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
        for run in collection.import_runs(session, COMMAND_LINE, project.id, files):
            for remark in run.remarks:
                say(f"{run.name}: {remark.text}")
    say(f"{len(files)} runs imported")
    return 0


def _judgments(chosen: argparse.Namespace) -> int:
    if not chosen.dry_run:
        migrate()
    files = read_files(chosen.files)
    with reading() if chosen.dry_run else writing() as session:
        project = _project(session, chosen)
        grades = get_rubric(session, project.id).grades
        choices = reading_choices(chosen)
        options = {"mapping": dict(chosen.column), "encoding": chosen.encoding}
        if chosen.dry_run:
            labels = count_labels(files, labels=choices["labels"], **options)
            sys.stdout.write(to_text(labels.assign(grade=labels["grade"].astype("string").fillna("-"))))
        found = read_judgments(files, grades=grades, **options, **choices)
        report = {**_report(found, files), "choices": choices}
        table = (
            ids_of_texts(found.table, read_queries_table(session, project.id))
            if chosen.queries == "text"
            else found.table
        )
        if chosen.dry_run:
            say(f"{count_stored(table)} judgments would be imported; nothing was written")
            return 0
        names = [name for name, _ in files]
        done = import_judgments(
            session, COMMAND_LINE, project.id, table, files=names, report=report, models=chosen.model
        )
    _say_done(done)
    return 0


def _say_done(done: ImportedJudgments) -> None:
    say(
        f"{done.judgments} judgments ({done.votes} grades) of {len(done.raters)} raters on {done.pairs} pairs, "
        f"{done.new_pairs} of them new"
    )
    if done.documents_without_text or done.queries_without_text:
        say(
            f"{len(done.queries_without_text)} queries and {len(done.documents_without_text)} documents have no text here: "
            "their pairs count and are not handed out"
        )
