"""Every value that irrCAC 0.4.4 gave for the worked examples, wherever Assay has the same coefficient."""

import csv
import math

import pandas as pd
import pytest

from labeling.agreement import measure_agreement
from tests.labeling.pure.test_agreement import _oracle_table, _oracle_votes
from tests.support.agreement_twins import votes_table
from tests.support.data import shared_data

SAME = {
    ("identity", "pa2"): ("percent_agreement", "nominal"),
    ("identity", "gwet"): ("gwet_ac1", "nominal"),
    ("linear", "gwet"): ("gwet_ac2", "linear"),
    ("quadratic", "gwet"): ("gwet_ac2", "quadratic"),
    ("identity", "fleiss"): ("fleiss_kappa", "nominal"),
    ("identity", "scott"): ("scott_pi", "nominal"),
    ("identity", "cohen"): ("cohen_kappa", "nominal"),
    ("linear", "cohen"): ("cohen_kappa", "linear"),
    ("quadratic", "cohen"): ("cohen_kappa", "quadratic"),
    ("identity", "krippendorff"): ("krippendorff_alpha", "nominal"),
    ("quadratic", "krippendorff"): ("krippendorff_alpha", "interval"),
    ("ratio", "krippendorff"): ("krippendorff_alpha", "ratio"),
}


def raw_votes(name: str) -> pd.DataFrame:
    """One column a rater, as irrCAC's own examples have it."""
    with shared_data("oracles", f"gwet_{name}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    raters = [column for column in rows[0] if column not in ("Group", "Units")]
    given = sorted({row[rater] for row in rows for rater in raters if row[rater]})
    votes = [
        ("q", str(n), rater, given.index(row[rater])) for n, row in enumerate(rows) for rater in raters if row[rater]
    ]
    return votes_table(votes)


def votes_of(name: str) -> pd.DataFrame:
    if name.startswith("raw_"):
        return raw_votes(name)
    return _oracle_votes(f"{name}.csv") if name.startswith("kripp") else _oracle_table(name)


def test_every_coefficient_of_irrcac_comes_out() -> None:
    with shared_data("oracles", "gwet_irrcac_values_run.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if (row["weights"], row["coef"]) in SAME]
    reports = {}
    for row in rows:
        if row["data"] not in reports:
            votes = votes_of(row["data"])
            reports[row["data"]] = measure_agreement(votes, grades=sorted(votes["grade"].unique()), draws=0)
        found = reports[row["data"]].coefficient(*SAME[row["weights"], row["coef"]])
        expected = float(row["value"])
        assert not math.isnan(expected)
        assert found.value == pytest.approx(expected, abs=2e-6), row
    assert len(rows) >= 60
    assert len(reports) == 10
