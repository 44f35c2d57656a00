"""Dawid and Skene's model: each rater's habits and each item's grade, estimated together from who gave what to what.

Knows arrays of item, rater and label numbers; nothing of tables or scales.
"""

from dataclasses import dataclass

import numpy as np

from labeling._coefficients import FloatArray
from labeling._votes import IntArray

__all__ = [
    "Answers",
    "DawidSkene",
    "average_start",
    "common_habits",
    "estimate_habits",
    "fit_dawid_skene",
    "infer_grades",
]


@dataclass(frozen=True)
class Answers:
    """Who gave which label to which item, as three arrays of equal length; one rater may answer an item several times.

    weight, shape (items,), says for how many items each stands; None is one each.
    """

    item: IntArray
    rater: IntArray
    label: IntArray
    items: int
    raters: int
    labels: int
    weight: FloatArray | None = None


@dataclass(frozen=True)
class DawidSkene:
    """The fitted model.

    posteriors_[i, l] is the probability that item i is of grade l; error_rates_[r, l, k] that rater r gives k where l is
    right; priors_[l] the share of grade l. iterations_ counts E steps; converged_ says whether the last of them changed no posterior by
    more than the tolerance.
    """

    priors_: FloatArray
    error_rates_: FloatArray
    posteriors_: FloatArray
    log_likelihood_: float
    iterations_: int
    converged_: bool


def fit_dawid_skene(
    answers: Answers, *, smoothing: float = 0.0, tolerance: float = 1e-10, iterations: int = 2000
) -> DawidSkene:
    """Alternate habits and grades until no posterior moves.

    Plain (smoothing 0) the model is overconfident: a rater with two votes is taken to have shown all their habits. With
    smoothing s each rater's confusion matrix is drawn towards that of all raters together, as if they had given s more votes
    of each grade in its proportions. Those proportions are taken once, from the shares of the votes: were they estimated
    along, a grade that raters often disagree on would be explained away.

    Items that got the same labels from the same raters are of one mind in every step: each such group is worked out once.
    """
    whole, answers, kind = answers, *_group_alike(answers)
    posteriors = average_start(answers)
    converged, count, log_likelihood = False, 0, float("-inf")
    common = common_habits(whole, smoothing)
    priors, error_rates = estimate_habits(answers, posteriors, common)
    while count < iterations and not converged:
        before = posteriors
        posteriors, log_likelihood = infer_grades(answers, priors, error_rates)
        count += 1
        converged = bool(np.abs(posteriors - before).max(initial=0.0) <= tolerance)
        priors, error_rates = estimate_habits(answers, posteriors, common)
    return DawidSkene(priors, error_rates, posteriors[kind], log_likelihood, count, converged)


def _group_alike(answers: Answers) -> tuple[Answers, IntArray]:
    """One item for all that got the same answers, weighted by their number; and which of these each item is."""
    cells = answers.rater * answers.labels + answers.label
    order = np.lexsort((cells, answers.item))
    ends = np.cumsum(np.bincount(answers.item, minlength=answers.items))
    starts = np.concatenate(([0], ends[:-1]))
    ordered = cells[order]
    kinds: dict[bytes, int] = {}
    kind = np.fromiter(
        (kinds.setdefault(ordered[start:end].tobytes(), len(kinds)) for start, end in zip(starts, ends, strict=True)),
        dtype=np.int64,
        count=answers.items,
    )
    _, first = np.unique(kind, return_index=True)
    kept = np.isin(answers.item, first)
    number = kind[answers.item[kept]]
    weight = np.bincount(kind, minlength=len(kinds)).astype(np.float64)
    grouped = Answers(
        number, answers.rater[kept], answers.label[kept], len(kinds), answers.raters, answers.labels, weight
    )
    return grouped, kind


def common_habits(answers: Answers, smoothing: float) -> FloatArray:
    """The votes that smoothing adds to those of every rater: `smoothing` of each grade, as all raters together give them."""
    counts = _count_habits(answers, average_start(answers)).sum(axis=0)
    return smoothing * _shares(counts, np.eye(answers.labels))


def average_start(answers: Answers) -> FloatArray:
    """Each item's share of each label: shape (items, labels)."""
    counts = np.bincount(answers.item * answers.labels + answers.label, minlength=answers.items * answers.labels)
    table = counts.reshape(answers.items, answers.labels).astype(np.float64)
    shares: FloatArray = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    return shares


def estimate_habits(
    answers: Answers, posteriors: FloatArray, common: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """The M step: priors (labels,) and error rates (raters, labels, labels) that fit the posteriors best.

    common (labels, labels) holds votes that are added to those of every rater.
    """
    counts = _count_habits(answers, posteriors)
    shared = np.zeros(counts.shape[1:]) if common is None else common
    pooled = _shares(counts.sum(axis=0) + shared, np.eye(answers.labels))
    rates = _shares(counts + shared, np.broadcast_to(pooled, counts.shape))
    if not len(posteriors):
        return np.full(answers.labels, 1.0 / answers.labels), rates
    priors: FloatArray = np.average(posteriors, axis=0, weights=answers.weight)
    return priors, rates


def _count_habits(answers: Answers, posteriors: FloatArray) -> FloatArray:
    """How often each rater gave each label where each label is held to be right: shape (raters, right, given)."""
    labels = answers.labels
    cells = answers.rater * labels + answers.label
    held = posteriors if answers.weight is None else posteriors * answers.weight[:, None]
    held = held[answers.item]
    size = answers.raters * labels
    by_true = [np.bincount(cells, weights=held[:, true], minlength=size) for true in range(labels)]
    return np.stack([column.reshape(answers.raters, labels) for column in by_true], axis=1)


def infer_grades(answers: Answers, priors: FloatArray, error_rates: FloatArray) -> tuple[FloatArray, float]:
    """The E step, in logarithms so that 30,000 labels do not underflow: posteriors (items, labels), log-likelihood."""
    with np.errstate(divide="ignore"):
        log_priors, log_rates = np.log(priors), np.log(error_rates)
    evidence = log_rates[answers.rater, :, answers.label]
    scores = np.stack(
        [np.bincount(answers.item, weights=column, minlength=answers.items) for column in evidence.T], axis=1
    )
    scores = scores + log_priors
    highest = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - highest)
    total = weights.sum(axis=1, keepdims=True)
    likelihoods = (highest + np.log(total))[:, 0]
    return weights / total, float(likelihoods.sum() if answers.weight is None else likelihoods @ answers.weight)


def _shares(counts: FloatArray, where_none: FloatArray) -> FloatArray:
    """Rows that add up to 1; rows without any count are taken from where_none."""
    total = counts.sum(axis=-1, keepdims=True)
    shares: FloatArray = np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), where_none)
    return shares
