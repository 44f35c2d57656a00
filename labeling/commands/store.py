"""``init``, ``user``, ``project``, ``pool``, ``backup``, ``restore``, ``check``: what needs the database.

Knows options and printing; each command calls one noun.
"""

import argparse
import getpass
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labeling import accounts, projects
from labeling.accounts import COMMAND_LINE
from labeling.commands import releasing, reporting, store_import
from labeling.commands.parsing import Commands, add_command, say
from labeling.database import back_up, check_database, migrate, put_back, reading, writing
from labeling.errors import AssayError
from labeling.ledger_check import set_derived_right
from labeling.pool import build_pool, preview_pool
from labeling.rubrics import levels_of, publish_rubric
from labeling.settings import database_url, public_address
from labeling.twins import refresh_twins

__all__ = ["add_parsers"]


def add_parsers(commands: Commands) -> None:
    """Add the commands; each sets ``run``, a function from the chosen options to an exit code."""
    parser = _add(commands, "init", "Create or update the database", "  python -m labeling init --demo")
    parser.add_argument("--demo", action="store_true", help="add the demo project where there is none")
    parser.set_defaults(run=_init)
    _add_user(commands)
    _add_project(commands)
    store_import.add_parser(commands)
    _add_pool(commands)
    releasing.add_parsers(commands)
    reporting.add_parsers(commands)
    parser = _add(
        commands, "backup", "Copy the database while it is in use", "  python -m labeling backup assay.backup"
    )
    parser.add_argument("file", metavar="FILE", help="where the copy goes; an existing file is not overwritten")
    parser.set_defaults(run=_backup)
    parser = _add(
        commands, "restore", "Put a copy in the database's place", "  python -m labeling restore assay.backup"
    )
    parser.add_argument("file", metavar="FILE", help="a copy that backup made")
    parser.add_argument("--yes", action="store_true", help="replace what is in the database now")
    parser.set_defaults(run=_restore)
    parser = _add(
        commands, "check", "Check the database and set derived counts right", "  python -m labeling check --format json"
    )
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=_check)


def _add(commands: Commands, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    described = f"{summary}. The database is that of ASSAY_DATABASE_URL (sqlite:///data/assay.db)."
    return add_command(commands, name, summary, f"examples:\n{examples}", description=described)


def _add_user(commands: Commands) -> None:
    examples = (
        "  python -m labeling user add Ann --role admin\n  python -m labeling user link Bo --role rater\n"
        "  python -m labeling user list"
    )
    parser = _add(commands, "user", "Make accounts, and links that let people in", examples)
    acts = parser.add_subparsers(dest="act", required=True, metavar="add|link|list")
    add = acts.add_parser("add", help="make an account; asks for the password, or reads it from standard input")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", choices=accounts.ROLES, default="rater")
    add.set_defaults(run=_user_add)
    link = acts.add_parser("link", help="print a link for a new account, or with NAME for a new password")
    link.add_argument("name", metavar="NAME", nargs="?")
    link.add_argument("--role", choices=accounts.ROLES, default="rater", help="of the new account")
    link.set_defaults(run=_user_link)
    listing = acts.add_parser("list", help="name, role and state of every account")
    listing.add_argument("--format", choices=("table", "json"), default="table")
    listing.set_defaults(run=_user_list)


def _add_project(commands: Commands) -> None:
    examples = (
        "  python -m labeling project create dl19\n  python -m labeling project show dl19 --format json\n"
        "  python -m labeling project open dl19"
    )
    parser = _add(commands, "project", "Make, show, open and close projects", examples)
    acts = parser.add_subparsers(dest="act", required=True, metavar="create|show|list|open|close")
    create = acts.add_parser("create", help="make a project, still closed to raters")
    create.add_argument("name", metavar="NAME")
    create.add_argument("--note", default="", help="a word for the team")
    create.add_argument("--rubric", metavar="FILE", help='JSON: {"text": ..., "levels": [{"grade", "label", "definition", "examples"}]}')  # fmt: skip
    create.set_defaults(run=_project_create)
    for act, summary in (
        ("show", "settings and counts"),
        ("open", "let raters in"),
        ("close", "take no more judgments"),
    ):
        one = acts.add_parser(act, help=summary)
        one.add_argument("name", metavar="NAME")
        one.add_argument("--format", choices=("table", "json"), default="table")
        one.set_defaults(run=_project_act)
    listing = acts.add_parser("list", help="every project")
    listing.add_argument("--format", choices=("table", "json"), default="table")
    listing.set_defaults(run=_project_list)


def _add_pool(commands: Commands) -> None:
    examples = "  python -m labeling pool --project dl19 --depth 10 --overlap 2 --dry-run"
    parser = _add(commands, "pool", "Choose the pairs to judge: the union of the runs' top documents", examples)
    parser.add_argument("--project", required=True, metavar="NAME")
    parser.add_argument("--depth", type=int, metavar="N", help="top documents of every run (the project's)")
    parser.add_argument("--overlap", type=int, metavar="N", help="votes wanted per pair (the project's)")
    parser.add_argument("--dry-run", action="store_true", help="only say what it would make")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=_pool)


def _answer(values: dict[str, Any] | list[dict[str, Any]], form: str) -> None:
    if form == "json":
        sys.stdout.write(json.dumps(values, ensure_ascii=False, indent=2, default=str) + "\n")
        return
    rows = [values] if isinstance(values, dict) else values
    for row in rows:
        width = max(24, *(len(name) + 2 for name in row))
        sys.stdout.write("".join(f"{name:<{width}}{value}\n" for name, value in row.items()))
        if len(rows) > 1:
            sys.stdout.write("\n")


def _init(chosen: argparse.Namespace) -> int:
    migrate()
    say(f"database ready: {database_url()}")
    if chosen.demo:
        # The demo's texts are read only where they are wanted.
        from labeling.demo_project import make_demo  # noqa: PLC0415

        with writing() as session:
            made = make_demo(session)
        say("demo project added" if made else "demo project is there")
    return 0


def _user_add(chosen: argparse.Namespace) -> int:
    migrate()
    if sys.stdin.isatty():
        password = getpass.getpass("Password (8 characters or more): ")
        if password != getpass.getpass("The same password again: "):
            raise AssayError("expected the same password twice, found two that differ")
    else:
        password = sys.stdin.readline().rstrip("\n")
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name=chosen.name, role=chosen.role, password=password)
    say(f"{chosen.role} {chosen.name} can sign in at {public_address()}")
    return 0


def _user_link(chosen: argparse.Namespace) -> int:
    migrate()
    with writing() as session:
        account_id = None
        if chosen.name:
            key = accounts.name_key(chosen.name)
            known = {accounts.name_key(row.name): row.id for row in accounts.list_accounts(session, COMMAND_LINE)}
            if key not in known:
                raise AssayError(f"expected an account, found none called {chosen.name}")
            account_id = known[key]
        token = accounts.invite(session, COMMAND_LINE, role=chosen.role, account_id=account_id)
    sys.stdout.write(f"{public_address()}/welcome?token={token}\n")
    return 0


def _user_list(chosen: argparse.Namespace) -> int:
    with reading() as session:
        rows = accounts.list_accounts(session, COMMAND_LINE)
    listed = [
        {"name": row.name, "role": row.role, "active": bool(row.active), "has_password": bool(row.has_password)}
        for row in rows
    ]
    _answer(listed, chosen.format)
    return 0


def _project_create(chosen: argparse.Namespace) -> int:
    migrate()
    with writing() as session:
        project = projects.create_project(session, COMMAND_LINE, name=chosen.name, note=chosen.note)
        if chosen.rubric:
            text, levels = _read_rubric(chosen.rubric)
            publish_rubric(session, COMMAND_LINE, project.id, text=text, levels=levels)
    say(f"project {project.name} made")
    return 0


def _read_rubric(path: str) -> tuple[str, Any]:
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
        return str(given["text"]), levels_of(given["levels"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AssayError(f"{path}: expected JSON with text and levels, found {error}") from error


def _project_act(chosen: argparse.Namespace) -> int:
    with reading() if chosen.act == "show" else writing() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.name)
        if chosen.act == "open":
            project = projects.open_project(session, COMMAND_LINE, project.id)
        elif chosen.act == "close":
            project = projects.close_project(session, COMMAND_LINE, project.id)
        counts = projects.count_project(session, COMMAND_LINE, project.id)
    _answer({**asdict(project), **{f"count_{name}": value for name, value in asdict(counts).items()}}, chosen.format)
    return 0


def _project_list(chosen: argparse.Namespace) -> int:
    with reading() as session:
        found = projects.list_projects(session, COMMAND_LINE)
    _answer([{"name": one.name, "state": one.state, "overlap": one.overlap} for one in found], chosen.format)
    return 0


def _pool(chosen: argparse.Namespace) -> int:
    with reading() if chosen.dry_run else writing() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        act = preview_pool if chosen.dry_run else build_pool
        preview = act(
            session,
            COMMAND_LINE,
            project.id,
            depth=project.depth if chosen.depth is None else chosen.depth,
            overlap=project.overlap if chosen.overlap is None else chosen.overlap,
        )
    twins = None if chosen.dry_run else refresh_twins(COMMAND_LINE, project.id)
    left_out = {
        "unknown_queries": len(preview.unknown_queries),
        "documents_without_text": len(preview.documents_without_text),
    }
    _answer({**asdict(preview), **left_out, "pairs_with_near_duplicates": twins and twins.pairs}, chosen.format)
    return 0


def _backup(chosen: argparse.Namespace) -> int:
    target = Path(chosen.file)
    if target.exists():
        raise AssayError(f"{target}: expected a new file, found one that exists")
    back_up(target)
    say(f"copied to {target}")
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    source = Path(chosen.file)
    if not source.is_file():
        raise AssayError(f"{source}: expected a copy that backup made, found none")
    if not chosen.yes:
        raise AssayError(f"this replaces what is in {database_url()}: say --yes to go on")
    put_back(source)
    say(f"restored from {source}")
    return 0


def _check(chosen: argparse.Namespace) -> int:
    faults = check_database()
    with writing() as session:
        findings = set_derived_right(session)
    _answer({**asdict(findings), "broken": faults or "nothing"}, chosen.format)
    return 1 if faults else 0
