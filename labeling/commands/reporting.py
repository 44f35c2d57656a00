"""``stop``: what further votes can still change between two runs.

Knows options and printing; each command calls one noun.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from labeling import projects
from labeling.accounts import COMMAND_LINE
from labeling.database import reading
from labeling.exchange.writing import csv_bytes
from labeling.i18n import LANGUAGES, translate
from labeling.stop_words import advice_words, assumption_words, stop_words
from labeling.stopping import StopAnswer, ask_to_stop
from metrics.printing import to_json, to_text

__all__ = ["add_parsers"]

_STOP = """examples:
  python -m labeling stop --project dl19 --runs A B -m nDCG@10
  python -m labeling stop --project dl19 --runs A B --format csv > next-pairs.csv

Says what further votes can still change about A less B, and the pairs that are worth judging next."""

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse has no public name for it


def add_parsers(commands: "Commands") -> None:
    """Add the commands; each sets ``run``, a function from the chosen options to an exit code."""
    parser = commands.add_parser(
        "stop",
        help="Say whether more judging can change who wins",
        description="Say whether more judging can change who wins.",
        epilog=_STOP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--project", required=True, metavar="NAME")
    parser.add_argument("--runs", required=True, nargs=2, metavar=("A", "B"), help="tags of two runs of the project")
    parser.add_argument("-m", "--measure", metavar="MEASURE", default="nDCG@10")
    parser.add_argument("--draws", type=int, default=200, help="for the expected number of votes (200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--language", choices=tuple(LANGUAGES), default="en", help="of the sentences (en)")
    parser.add_argument(
        "--format", choices=("table", "csv", "json"), default="table", help="csv: the pairs to judge next"
    )
    parser.set_defaults(run=_stop, parser=parser)


def _stop(chosen: argparse.Namespace) -> int:
    if chosen.draws < 1:
        chosen.parser.error("--draws is 1 or more")
    a, b = chosen.runs
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        answer = ask_to_stop(
            session, COMMAND_LINE, project.id, a, b, chosen.measure, draws=chosen.draws, seed=chosen.seed
        )
    if chosen.format == "json":
        sys.stdout.write(to_json(answer.to_json()))
    elif chosen.format == "csv":
        sys.stdout.write(csv_bytes(answer.next).decode())
    else:
        sys.stdout.write(_stop_text(answer, chosen.language))
    return 0


def _stop_text(answer: StopAnswer, language: str) -> str:
    def say(message: str, **values: object) -> str:
        return translate(language, message, **values)

    lines = [advice_words(answer, say), "", *stop_words(answer, say)]
    if len(answer.next):
        lines += ["", to_text(answer.next.head(max(answer.first, 10))).rstrip("\n")]
    return "\n".join([*lines, "", *assumption_words(say)]) + "\n"
