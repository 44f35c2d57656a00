"""``python -m labeling``: the work with people from the command line, on files or on the database.

Knows which commands there are; each is a thin function in labeling.commands.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from labeling.commands import files, store
from labeling.errors import AssayError

_EXAMPLES = """examples:
  python -m labeling agreement judgments/*.jsonl
  python -m labeling consolidate judgments/*.jsonl --rule median --output qrels.txt
  python -m labeling disagreement judgments/*.jsonl --runs runs/*.run.gz

Each command has its own --help with examples. Exit status: 0 done, 1 the input is wrong, 2 wrong use."""


def build_parser() -> argparse.ArgumentParser:
    """The parser of ``python -m labeling``."""
    parser = argparse.ArgumentParser(
        prog="python -m labeling",
        description="Judge, agree, settle, consolidate: on judgment files, or on the database of ASSAY_DATABASE_URL.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    files.add_parsers(commands)
    store.add_parsers(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 the input is wrong; wrong use leaves with 2."""
    chosen = build_parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = chosen.run
    try:
        status = run(chosen)
        sys.stdout.flush()
    except AssayError as fault:
        print(fault, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever reads has seen enough; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


if __name__ == "__main__":
    sys.exit(main())
