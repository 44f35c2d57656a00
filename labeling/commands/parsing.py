"""What all commands share: how one is added to the parser, and how it says something beside its answer.

Knows argparse and standard error; no command.
"""

import argparse
import sys
from typing import TypeAlias

__all__ = ["Commands", "add_command", "say"]

# argparse has no public name for it
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def add_command(
    commands: Commands, name: str, summary: str, epilog: str, *, description: str = ""
) -> argparse.ArgumentParser:
    """Add a command with its line in the list of commands, and its help with examples."""
    return commands.add_parser(
        name,
        help=summary,
        description=description or f"{summary}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def say(text: str) -> None:
    """A line on standard error: standard output carries only the answer."""
    sys.stderr.write(f"{text}\n")
