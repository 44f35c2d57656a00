"""Coefficients with intervals, side by side in one run: Assay, krippendorff, statsmodels and irrCAC on the same votes.

    python benchmarks/bench_agreement.py            # 100,000 pairs x 5 raters, 1,000 draws
    python benchmarks/bench_agreement.py --quick    # a tenth of the pairs, to see that it runs

The others draw no bootstrap of their own: one value of theirs is timed on all the votes, and the bootstrap is a loop over it,
timed on a few draws and scaled up; the line says so. Values are compared first. What is not installed is named as absent.
"""

import argparse
import sys
import time
from importlib import import_module, util
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

sys.path.insert(0, str(Path(__file__).parents[1]))

from labeling.agreement import measure_agreement

DRAWS = 1000
GRADES = [0, 1, 2, 3]


def make_votes(pairs, raters=5, seed=0):
    """Everybody's grade of every pair, as a table of votes and as raters x pairs."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 4, pairs)
    wide = np.clip(truth + generator.choice([-1, 0, 0, 1], size=(raters, pairs)), 0, 3)
    table = pd.DataFrame(
        {
            "query_id": np.repeat([f"q{n % max(2, pairs // 500)}" for n in range(pairs)], raters),
            "doc_id": np.repeat([f"d{n}" for n in range(pairs)], raters),
            "rater": np.tile([f"rater-{n}" for n in range(raters)], pairs),
            "grade": wide.T.reshape(-1),
        }
    )
    return table, wide


def timed(work):
    """Seconds that the work took, and what came of it."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def ours(table):
    """Everything that Assay says of the votes: 20 coefficients and each couple's kappa, all with intervals."""
    measure_agreement(table.head(1000), draws=10)  # imports and first calls
    for resample in ("query", "pair"):
        seconds, report = timed(lambda how=resample: measure_agreement(table, draws=DRAWS, resample=how))
        count = len(report.coefficients) + len(report.rater_pairs)
        print(f"Assay, {count} values, {DRAWS} draws by {resample}: {seconds:.2f} s")
    return report


def compare(name, value, expected, seconds, repeats, per_draw):
    """One line about a rival."""
    same = "equal" if abs(value - expected) < 1e-6 else f"DIFFERENT: {value:.6f} and {expected:.6f}"
    print(
        f"{name}: one value {seconds:.2f} s ({same}); {DRAWS} draws would take {per_draw * DRAWS:,.0f} s, "
        f"scaled up from {repeats}"
    )


def against_krippendorff(wide, report, repeats=3):
    """Alpha, and its bootstrap as a loop over resampled columns."""

    def alpha(columns):
        return krippendorff.alpha(columns, level_of_measurement="ordinal", value_domain=GRADES)

    seconds, value = timed(lambda: alpha(wide))
    generator = np.random.default_rng(1)
    drawn = [wide[:, generator.integers(0, wide.shape[1], wide.shape[1])] for _ in range(repeats)]
    loop, _ = timed(lambda: [alpha(columns) for columns in drawn])
    compare("krippendorff, ordinal alpha", value, report.coefficient("krippendorff_alpha", "ordinal").value, seconds, repeats, loop / repeats)  # fmt: skip


def against_statsmodels(wide, report, repeats=3):
    """Fleiss' kappa, and its bootstrap as a loop over resampled rows of counts."""
    seconds, value = timed(lambda: fleiss_kappa(aggregate_raters(wide.T, 4)[0]))
    counts = aggregate_raters(wide.T, 4)[0]
    generator = np.random.default_rng(1)
    drawn = [counts[generator.integers(0, len(counts), len(counts))] for _ in range(repeats)]
    loop, _ = timed(lambda: [fleiss_kappa(rows) for rows in drawn])
    compare("statsmodels, Fleiss' kappa", value, report.coefficient("fleiss_kappa", "nominal").value, seconds, repeats, loop / repeats)  # fmt: skip


def against_irrcac(wide):
    """Gwet's AC1 on a part of the pairs; its interval comes from a formula, not from draws."""
    CAC = import_module("irrCAC.raw").CAC  # noqa: N806 - its name there
    part = wide[:, : min(wide.shape[1], 2000)]
    votes = pd.DataFrame(
        [("q", str(n), str(r), int(grade)) for r, row in enumerate(part) for n, grade in enumerate(row)]
    )
    votes.columns = ["query_id", "doc_id", "rater", "grade"]
    expected = measure_agreement(votes, draws=0).coefficient("gwet_ac1", "nominal").value
    seconds, found = timed(lambda: CAC(pd.DataFrame(part.T), categories=GRADES).gwet())
    value = found["est"]["coefficient_value"]
    same = "equal" if abs(value - expected) < 1e-5 else f"DIFFERENT: {value} and {expected}"
    print(f"irrCAC, AC1 on {part.shape[1]:,} of the pairs: one value {seconds:.2f} s ({same})")


def main():
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs")
    pairs = 10_000 if parser.parse_args().quick else 100_000
    table, wide = make_votes(pairs)
    print(f"{pairs:,} pairs x {len(wide)} raters = {len(table):,} votes")
    report = ours(table)
    against_krippendorff(wide, report)
    against_statsmodels(wide, report)
    if util.find_spec("irrCAC"):
        against_irrcac(wide)
    else:
        print("irrCAC: absent (it needs older libraries; its values on worked examples are in the tests)")


if __name__ == "__main__":
    main()
