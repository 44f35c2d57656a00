"""Numbers: qrels and runs in, scores out, and how far disagreement moves them.

Knows no database, no pages, and nothing of the work with people.
"""

from metrics import average_precision as _average_precision  # noqa: F401 -- measures enter the registry on import
from metrics import bpref as _bpref  # noqa: F401
from metrics import err as _err  # noqa: F401
from metrics import judged as _judged  # noqa: F401
from metrics import ndcg as _ndcg  # noqa: F401
from metrics import precision as _precision  # noqa: F401
from metrics import rbp as _rbp  # noqa: F401
from metrics import recall as _recall  # noqa: F401
from metrics import reciprocal_rank as _reciprocal_rank  # noqa: F401
from metrics import success as _success  # noqa: F401
from metrics.alignment import Alignment, align
from metrics.compare import Comparison, compare, compare_evaluated, compare_scores
from metrics.correlation import rbo, tau_ap, tau_ap_b, tau_b
from metrics.disagreement import Disagreement, disagreement
from metrics.errors import AssayError, InputError, InputErrors, MeasureError
from metrics.evaluate import Evaluation, evaluate, evaluate_aligned
from metrics.explain import Explanation, explain, list_lowest
from metrics.hits import UNJUDGED
from metrics.influence import Influence, find_influence
from metrics.measure import Measure, list_measures, parse_measure, parse_measures
from metrics.options import Options
from metrics.sensitivity import list_sensitivity
from metrics.tables import Qrels, Remark, Run
from metrics.trec import read_qrels, read_run, read_runs, write_qrels, write_run
from metrics.votes import Votes, read_votes

__all__ = [
    "UNJUDGED",
    "Alignment",
    "AssayError",
    "Comparison",
    "Disagreement",
    "Evaluation",
    "Explanation",
    "Influence",
    "InputError",
    "InputErrors",
    "Measure",
    "MeasureError",
    "Options",
    "Qrels",
    "Remark",
    "Run",
    "Votes",
    "align",
    "compare",
    "compare_evaluated",
    "compare_scores",
    "disagreement",
    "evaluate",
    "evaluate_aligned",
    "explain",
    "find_influence",
    "list_lowest",
    "list_measures",
    "list_sensitivity",
    "parse_measure",
    "parse_measures",
    "rbo",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_votes",
    "tau_ap",
    "tau_ap_b",
    "tau_b",
    "write_qrels",
    "write_run",
]
