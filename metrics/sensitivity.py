"""Whether the winner depends on the gain function or on the cutoff.

Knows aligned runs and measures; nothing of votes or files.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metrics.alignment import Alignment
from metrics.correlation import tau_b
from metrics.measure import parse_measure

__all__ = ["GAINS", "list_sensitivity"]

GAINS = ("linear", "exp2", "0:0,1:1,2:4,3:10")


def list_sensitivity(
    alignment: Alignment, *, gains: Sequence[str] | None = None, cutoffs: Sequence[int] = (5, 10, 20)
) -> pd.DataFrame:
    """The winner under every gain function and cutoff of nDCG; gains not given are those of GAINS that know every grade.

    Returns
    -------
    DataFrame
        measure, gain, cutoff, first (the best run; several joined by " = " where they tie), mean, second, lead (the
        distance to the next run), tau (Kendall's tau-b with the order under the first gain and cutoff given).

    Raises
    ------
    MeasureError
        When a gain is not understood or has no gain for a grade that occurs.
    """
    rows = []
    reference = None
    highest = int(alignment.judged.grades.max(initial=0))
    # the table has no gain above grade 3
    for gain in gains or (GAINS if highest <= 3 else GAINS[:2]):
        for cutoff in cutoffs:
            measure = parse_measure(f"nDCG(gain={gain})@{cutoff}")
            means = alignment.score(measure).means()
            reference = means if reference is None else reference
            order = np.argsort(-means, kind="stable")
            best = np.flatnonzero(np.abs(means - means[order[0]]) <= 1e-12) if len(order) else order
            others = [place for place in order if place not in best]
            rows.append(
                {
                    "measure": str(measure),
                    "gain": measure.text("gain"),
                    "cutoff": cutoff,
                    "first": " = ".join(alignment.tags[place] for place in best),
                    "mean": float(means[order[0]]) if len(order) else float("nan"),
                    "second": alignment.tags[others[0]] if others else "",
                    "lead": float(means[order[0]] - means[others[0]]) if others else float("nan"),
                    "tau": tau_b(reference, means),
                }
            )
    return pd.DataFrame(rows)
