"""Consolidation one pair at a time, with fractions, and Dawid and Skene with loops; slow, and the measure of the fast code."""

import math
from collections import Counter
from fractions import Fraction


def naive_candidates(grades_given, rule, scale):
    """The grades that a rule cannot choose between."""
    ordered = sorted(grades_given)
    if rule == "majority":
        counts = Counter(ordered)
        return sorted(grade for grade, count in counts.items() if count == max(counts.values()))
    if rule == "median":
        return sorted({ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]})
    if rule == "mean":
        mean = Fraction(sum(ordered), len(ordered))
        nearest = min(abs(grade - mean) for grade in scale)
        return [grade for grade in scale if abs(grade - mean) == nearest]
    if rule == "minimum":
        return ordered[:1]
    if rule == "maximum":
        return ordered[-1:]
    return ordered[:1] if len(set(ordered)) == 1 else []


def naive_consolidation(rows, rule, ties, scale):
    """(query, doc) -> grade or None."""
    pairs = {}
    for query, doc, _rater, grade in rows:
        pairs.setdefault((query, doc), []).append(grade)
    settled = {}
    for pair, given in pairs.items():
        candidates = naive_candidates(given, rule, scale)
        if len(candidates) > 1 and ties == "open":
            candidates = []
        settled[pair] = (candidates[-1] if ties == "higher" else candidates[0]) if candidates else None
    return settled


def naive_m_step(answers, posteriors, items, raters, labels):
    """Priors and error rates from (item, rater, label) triples, with loops."""
    priors = [sum(posteriors[i][t] for i in range(items)) / items for t in range(labels)]
    rates = [[[0.0] * labels for _ in range(labels)] for _ in range(raters)]
    for item, rater, label in answers:
        for true in range(labels):
            rates[rater][true][label] += posteriors[item][true]
    for rater in range(raters):
        for true in range(labels):
            total = sum(rates[rater][true])
            if total:
                rates[rater][true] = [count / total for count in rates[rater][true]]
    return priors, rates


def naive_e_step(answers, priors, rates, items, labels):
    """Posteriors and log-likelihood from products, not logarithms."""
    posteriors, log_likelihood = [], 0.0
    for wanted in range(items):
        weights = list(priors)
        for item, rater, label in answers:
            if item == wanted:
                weights = [weight * rates[rater][true][label] for true, weight in enumerate(weights)]
        posteriors.append([weight / sum(weights) for weight in weights])
        log_likelihood += math.log(sum(weights))
    return posteriors, log_likelihood
