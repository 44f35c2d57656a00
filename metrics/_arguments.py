"""The command line's words: options, help and examples.

Knows argparse; computes nothing.
"""

import argparse
from typing import TYPE_CHECKING

from metrics._draws import RULES
from metrics.disagreement import UNITS
from metrics.errors import MeasureError
from metrics.measure import Measure, find_declaration, parse_measure

__all__ = ["build_parser"]

_MEASURE_HELP = (
    "a measure, such as nDCG@10, AP, 'P(rel=2)@10' or trec_eval's ndcg_cut_10; may be repeated (nDCG@10 unless given)"
)
_RUN_HELP = "runs: TREC, MS MARCO, CSV, TSV or JSON, plain or gzip; - reads standard input"
_QRELS_HELP = "qrels: TREC, BEIR, CSV, TSV or JSON, plain or gzip; - reads standard input"

_EVALUATE = """examples:
  python -m metrics evaluate qrels.txt bm25.run dense.run.gz
  python -m metrics evaluate qrels.txt bm25.run -m nDCG@10 -m 'P(rel=2)@10' -m map --format json
  python -m metrics evaluate qrels.txt bm25.run -m ndcg_cut_10 --per-query --format trec
  python -m metrics evaluate qrels.txt bm25.run --slices queries.csv type

The mean runs over the queries of the qrels. A query that a run lacks scores 0, and so does one without a relevant
document, as in trec_eval -c; both are counted, and mean_without is the mean without them."""
_COMPARE = """examples:
  python -m metrics compare qrels.txt bm25.run dense.run
  python -m metrics compare qrels.txt *.run --baseline bm25 -m nDCG@10 -m AP --format csv

a is the run with the higher mean. low and high bound the bootstrapped middle 95 % of the difference; p_tukey corrects
for the number of runs; detectable is the smallest true difference that these queries show in 4 of 5 cases."""
_DISAGREEMENT = """examples:
  python -m metrics disagreement votes.csv *.run
  python -m metrics disagreement votes.csv bm25.run dense.run --by pair --draws 2000 -m nDCG@10 --format json
  python -m metrics disagreement votes.jsonl *.run --exclude-query 443396 --show comparisons

VOTES is a CSV, TSV or JSON lines with query_id, doc_id, rater, grade. A panel is the set of raters who judged the same
queries. panel takes one rater of each panel for all its queries; query one rater for each query; pair one vote for each
pair; ties the grade of --rule, its ties falling either way; bounds the lowest and the highest vote of each pair. With
panel and query, a set of qrels holds only the chosen rater's pairs."""
_MEASURES = """examples:
  python -m metrics measures
  python -m metrics measures nDCG
  python -m metrics measures --format markdown > docs/measures.md"""


def _measure(text: str) -> Measure:
    try:
        return parse_measure(text)
    except MeasureError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text}")
    return number


def build_parser() -> argparse.ArgumentParser:
    """The parser of ``python -m metrics``."""
    parser = argparse.ArgumentParser(
        prog="python -m metrics",
        description="Score runs against qrels, compare them, and see how far disagreement between raters moves the scores.",
        epilog="Each command has its own --help with examples. Exit status: 0 done, 1 the input is wrong, 2 wrong use.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_evaluate(commands)
    _add_compare(commands)
    _add_disagreement(commands)
    _add_measures(commands)
    return parser


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 -- argparse has no public name for it


def _add(commands: "Commands", name: str, summary: str, epilog: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return made


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--measure", action="append", type=_measure, metavar="MEASURE", help=_MEASURE_HELP)
    parser.add_argument(
        "--missing",
        choices=("zero", "exclude"),
        default="zero",
        help="a query that a run lacks scores 0 (the default), or is left out of its mean",
    )
    parser.add_argument(
        "--no-relevant",
        choices=("zero", "exclude"),
        default="zero",
        help="a query without a relevant document scores 0 (the default), or is left out",
    )
    parser.add_argument(
        "--unjudged", choices=("nonrelevant", "condensed"), default="nonrelevant",
        help="unjudged documents gain nothing (the default), or are taken out of the ranking first (trec_eval -J)",
    )  # fmt: skip
    parser.add_argument(
        "--precision",
        choices=("double", "single"),
        default="double",
        help="compare scores as trec_eval 10 does (the default), or as trec_eval 9",
    )
    parser.add_argument(
        "--no-gain-for-copies",
        metavar="FILE",
        help="later copies of a text in a ranking gain nothing; FILE is a CSV or TSV with doc_id and group",
    )


def _add_evaluate(commands: "Commands") -> None:
    parser = _add(commands, "evaluate", "Score runs under one set of qrels", _EVALUATE)
    parser.add_argument("qrels", metavar="QRELS", help=_QRELS_HELP)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=_RUN_HELP)
    _add_options(parser)
    parser.add_argument(
        "--per-query", action="store_true", help="the score of every query too (table and csv: instead)"
    )
    parser.add_argument(
        "--coverage", action="store_true", help="table and csv: what each run covers, instead of its means"
    )
    parser.add_argument(
        "--bounds", action="store_true", help="table and csv: nDCG if unjudged documents were worst or best"
    )
    parser.add_argument(
        "--lowest",
        type=_positive,
        metavar="N",
        help="table and csv: the N lowest queries of each run, with its documents",
    )
    parser.add_argument(
        "--sensitivity", action="store_true", help="table and csv: who is first under other gains and cutoffs of nDCG"
    )
    parser.add_argument(
        "--slices", nargs=2, metavar=("QUERIES", "COLUMN"), help="means by a column of a CSV or TSV with query_id"
    )
    parser.add_argument("--format", choices=("table", "csv", "json", "trec"), default="table")


def _add_compare(commands: "Commands") -> None:
    parser = _add(commands, "compare", "Compare runs by paired tests over queries", _COMPARE)
    parser.add_argument("qrels", metavar="QRELS", help=_QRELS_HELP)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=_RUN_HELP + "; two or more")
    _add_options(parser)
    parser.add_argument("--baseline", metavar="TAG", help="compare every run with this one only")
    parser.add_argument(
        "--draws", type=_positive, default=10_000, metavar="N", help="draws of the tests (10000 unless given)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="fixes the draws (0 unless given)")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")


def _add_disagreement(commands: "Commands") -> None:
    parser = _add(
        commands, "disagreement", "Score runs under every set of qrels that the votes make equally valid", _DISAGREEMENT
    )
    parser.add_argument("votes", metavar="VOTES", help="CSV, TSV or JSON lines with query_id, doc_id, rater, grade")
    parser.add_argument("runs", metavar="RUN", nargs="+", help=_RUN_HELP)
    _add_options(parser)
    parser.add_argument(
        "--by", choices=UNITS[:-1], default="panel", help="what a set of qrels takes one rater for (panel unless given)"
    )
    parser.add_argument(
        "--rule", choices=RULES, default="majority", help="with --by ties: whose ties fall either way (majority)"
    )
    parser.add_argument(
        "--draws",
        type=_positive,
        default=1000,
        metavar="N",
        help="every set when they are at most N, else N draws (1000)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="fixes the draws (0 unless given)")
    parser.add_argument(
        "--exclude-query", action="append", default=[], metavar="ID", help="leave a query out; may be repeated"
    )
    parser.add_argument(
        "--show",
        choices=("systems", "comparisons"),
        default="systems",
        help="which table csv prints, and table prints whole",
    )
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")


def _add_measures(commands: "Commands") -> None:
    parser = _add(commands, "measures", "Say which measures there are, and what they mean", _MEASURES)
    parser.add_argument("name", nargs="?", type=_measure_name, metavar="MEASURE", help="one measure in full")
    parser.add_argument("--format", choices=("table", "csv", "json", "markdown"), default="table")


def _measure_name(text: str) -> str:
    try:
        return find_declaration(text.partition("@")[0].partition("(")[0]).name
    except MeasureError:
        return _measure(text).name
