"""``import references``: practice sets and gold from files into a project, all of a file or nothing.

Knows printing; the reader stands in labeling.exchange.references.
"""

import argparse

from labeling import projects
from labeling.accounts import COMMAND_LINE
from labeling.commands.inputs import print_notes, read_files
from labeling.commands.parsing import say
from labeling.database import migrate, reading, writing
from labeling.exchange.references import read_references
from labeling.references import import_references, preview_references
from labeling.rubrics import get_rubric

__all__ = ["run_references"]


def run_references(chosen: argparse.Namespace) -> int:
    """Import the files, or with --dry-run only say what that would do."""
    if not chosen.dry_run:
        migrate()
    files = read_files(chosen.files)
    with reading() if chosen.dry_run else writing() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        grades = get_rubric(session, project.id).grades
        for name, content in files:
            found = read_references(content, name, grades=grades, mapping=dict(chosen.column), encoding=chosen.encoding)
            print_notes((*found.left_out, *found.remarks))
            act = preview_references if chosen.dry_run else import_references
            done = act(session, COMMAND_LINE, project.id, found.table, source=name)
            sets = ", ".join(f"set {number} with {count}" for number, count in done.sets.items()) or "no practice set"
            counts = f"{done.new} new, {done.changed} changed, {done.unchanged} there already"
            would = "would be: " if chosen.dry_run else ""
            say(f"{name}: {would}{counts}; {sets}, {done.gold} gold")
    return 0
