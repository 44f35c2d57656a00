"""What coefficients say, cautions and reasons in the reader's words.

Knows codes only; the numbers come from labeling.agreement.
"""

from labeling.agreement import Caution
from labeling.i18n import mark
from labeling.ui.components.untrusted import plain_label
from labeling.ui.texts import _

__all__ = ["caution_words", "reading_words", "undefined_words"]

READINGS = {
    "percent_agreement": mark(
        "How often two raters of a pair gave the same grade. High by itself where one grade is common."
    ),
    "krippendorff_alpha": mark(
        "Agreement beyond chance for any number of raters. Ordinal counts a miss by two grades as worse than by one."
    ),
    "cohen_kappa": mark(
        "Agreement of two raters beyond what their own grade shares give by chance; for more raters the mean over every two, by common pairs."
    ),
    "scott_pi": mark(
        "As kappa, with chance from the shares of both raters together; a bias between them counts as disagreement."
    ),
    "fleiss_kappa": mark("Scott's pi for any number of raters, with chance from all votes, single ones included."),
    "gwet_ac1": mark("Agreement beyond chance that stays meaningful where one grade is common, and kappa does not."),
    "gwet_ac2": mark("Gwet's AC1 with partial credit for near misses."),
    "overlap_of_relevant": mark(
        "Of the pairs that either of two votes calls relevant, the share that both do. TREC reports 0.42 to 0.49."
    ),
}
REASONS = {
    "no vote on a pair with two votes reaches this grade": mark("no vote on a pair with two votes reaches this grade"),
    "every two raters with common pairs gave them one and the same grade": mark(
        "every two raters with common pairs gave them one and the same grade"
    ),
    "the ratio level needs grades of 0 or more": mark("the ratio level needs grades of 0 or more"),
    "nobody gave this grade to a pair with two votes": mark("nobody gave this grade to a pair with two votes"),
    "there are no votes": mark("there are no votes"),
    "there is only one rater": mark("there is only one rater"),
    "no pair has two votes": mark("no pair has two votes"),
    "every vote on pairs with two votes is the same grade": mark(
        "every vote on pairs with two votes is the same grade"
    ),
    "both raters gave one and the same grade throughout": mark("both raters gave one and the same grade throughout"),
}
CAUTIONS = {
    "identical_raters": mark(
        "{a} and {b} gave the same grade on all of their {n} common pairs: check the export for copies"
    ),
    "perfect_agreement": mark("every couple of votes on all {n} pairs is equal: check the export for copies"),
    "one_grade_rater": mark("{rater} gave grade {grade} to all of {n} pairs"),
    "few_double_votes": mark("only {n} pairs have two votes or more: fewer than {wanted} say little about agreement"),
    "near_copies": mark(
        "{raters} gave almost always the same grade ({equal} of {n} common pairs and more): are they one source?"
    ),
    "drifting_rater": mark(
        "{rater} drifts: {first} grades from the partners in the first third of {n} shared pairs, {last} in the last third (p = {p})"
    ),
    "look_alike_raters": mark("these rater names look alike and count as different raters: {raters}"),
}


def reading_words(name: str) -> str:
    """What a reader learns from the coefficient."""
    return _(READINGS.get(name, ""))


def undefined_words(reason: str | None) -> str:
    """Why a value is undefined."""
    return _("undefined: {reason}", reason=_(REASONS.get(reason or "", reason or "")))


def caution_words(caution: Caution) -> str:
    """What should make a reader doubt the numbers; names in it are shown as text."""
    values = {name: plain_label(str(value)) for name, value in caution.params.items()}
    return _(CAUTIONS[caution.code], **values) if caution.code in CAUTIONS else plain_label(str(caution))
