"""``stop`` and ``report``: what further votes can still change, and everything that a team sends along with its scores.

Knows options and printing; each command calls one noun.
"""

import argparse
import sys

from labeling import projects
from labeling.accounts import COMMAND_LINE
from labeling.commands.parsing import Commands, add_command, say
from labeling.commands.writing import write_folder, write_together
from labeling.database import reading
from labeling.draws import WAYS
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

_REPORT = """examples:
  python -m labeling report --project dl19 --output report.html
  python -m labeling report --project dl19 -m nDCG@10 -m "AP(rel=2)@100" --language ko --output report/

The same ledger gives the same bytes: the report's date is that of the newest judgment. HTML needs no other file."""


def add_parsers(commands: Commands) -> None:
    """Add the commands; each sets ``run``, a function from the chosen options to an exit code."""
    parser = add_command(commands, "stop", "Say whether more judging can change who wins", _STOP)
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
    _add_report(commands)


def _add_report(commands: Commands) -> None:
    summary = "Write the report of a project: HTML, or Markdown with tables and charts"
    parser = add_command(commands, "report", summary, _REPORT)
    parser.add_argument("--project", required=True, metavar="NAME")
    parser.add_argument("--output", required=True, metavar="PLACE", help="FILE.html, FILE.zip, or a folder")
    parser.add_argument(
        "-m", "--measure", action="append", default=[], metavar="MEASURE", help="may be repeated (nDCG@10)"
    )
    parser.add_argument("--runs", nargs="+", default=[], metavar="TAG", help="runs of the project (all)")
    parser.add_argument(
        "--by",
        choices=WAYS,
        default="panel",
        help="as disagreement's (panel)",
    )
    parser.add_argument("--draws", type=int, default=1000, help="sets of qrels at most (1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--language", choices=tuple(LANGUAGES), default="en")
    parser.set_defaults(run=_report, parser=parser)


def _report(chosen: argparse.Namespace) -> int:
    # charts take half a second to load, which no other command should wait for
    from labeling.exchange.report_html import write_html  # noqa: PLC0415
    from labeling.report import ReportChoices, build_report, report_archive, report_files  # noqa: PLC0415

    if chosen.draws < 1:
        chosen.parser.error("--draws is 1 or more")
    choices = ReportChoices(
        tuple(chosen.measure) or ("nDCG@10",), chosen.by, chosen.draws, chosen.seed, tuple(chosen.runs), chosen.language
    )
    with reading() as session:
        project = projects.get_project_by_name(session, COMMAND_LINE, chosen.project)
        report = build_report(session, COMMAND_LINE, project.id, choices)
    output = str(chosen.output)
    if output.endswith(".html"):
        write_together({output: write_html(report).encode()})
    elif output.endswith(".zip"):
        write_together({output: report_archive(report)})
    else:
        write_folder(output, report_files(report))
    say(f"{report.title}: {report.subtitle}")
    return 0


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
