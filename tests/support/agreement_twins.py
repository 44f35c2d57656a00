"""Agreement as the definitions say it, couple of votes by couple of votes; slow, and the measure of the fast code."""

from collections import Counter
from itertools import permutations

import pandas as pd


def votes_table(rows):
    """A votes table from (query_id, doc_id, rater, grade) rows."""
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"])


def naive_alpha(rows, level):
    """Krippendorff's alpha from its definition; None where undefined."""
    units = {}
    for query, doc, _rater, grade in rows:
        units.setdefault((query, doc), []).append(grade)
    couples = []
    for grades in units.values():
        couples += [(a, b, 1 / (len(grades) - 1)) for a, b in permutations(grades, 2)]
    marginal = Counter()
    for a, _, weight in couples:
        marginal[a] += weight
    total = sum(marginal.values())

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        between = sum(count for grade, count in marginal.items() if low <= grade <= high)
        return (between - (marginal[a] + marginal[b]) / 2) ** 2 if a != b else 0.0

    expected = sum(marginal[a] * marginal[b] * distance(a, b) for a in marginal for b in marginal)
    if not expected:
        return None
    observed = sum(weight * distance(a, b) for a, b, weight in couples)
    return 1 - (total - 1) * observed / expected


def naive_share_of_equal_grades(rows):
    """Mean over pairs of the share of equal couples; None where no pair has two votes."""
    units = {}
    for query, doc, _rater, grade in rows:
        units.setdefault((query, doc), []).append(grade)
    shares = []
    for grades in units.values():
        couples = list(permutations(grades, 2))
        if couples:
            shares.append(sum(a == b for a, b in couples) / len(couples))
    return sum(shares) / len(shares) if shares else None
