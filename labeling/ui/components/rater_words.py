"""What a rater's numbers mean, and what needs a lead's attention, in the reader's words.

Knows codes only; the numbers come from labeling.rater_report.
"""

import math

from labeling.agreement import Caution
from labeling.calibration import Try
from labeling.i18n import mark
from labeling.rater_report import Estimate, RaterReport
from labeling.ui.texts import _

__all__ = [
    "attention_words",
    "estimate_words",
    "interval_words",
    "leaning_words",
    "note_words",
    "standing_words",
    "try_words",
]

ATTENTION = {
    "harsh": mark("grades {difference} lower than the partners"),
    "lenient": mark("grades {difference} higher than the partners"),
    "low_agreement": mark("agrees less with the partners ({share}) than others do with each other ({others})"),
    "low_accuracy": mark("{right} of {n} gold pairs as known"),
    "inconsistent": mark("{same} of {n} repeated pairs graded the same"),
    "fast": mark("{series} very fast series, {acts} judgments in all"),
    "refuses": mark("can't judge or skips {share} of the pairs"),
    "one_grade": mark("grade {grade} on all of {n} pairs"),
    "drifts": mark("drifts: {first} from the partners at first, {last} at last"),
    "few": mark("{n} pairs in common with others: too few to say much"),
}
NOTES = {
    "message": mark("message"),
    "calibrate": mark("calibration asked for again"),
    "set_aside": mark("set aside: votes no longer count"),
    "bring_back": mark("votes count again"),
    "reassign": mark("pairs given to others"),
}


def attention_words(caution: Caution) -> str:
    """One thing that a lead should look at."""
    return _(ATTENTION[caution.code], **caution.params)


def leaning_words(report: RaterReport) -> str:
    """Harsh, lenient or neither, as far as the interval allows to say."""
    difference = report.difference
    if not difference.known:
        return _("no pair in common with a voter")
    if math.isnan(difference.low):
        return _("too few queries to say")
    if difference.low > 0:
        return _("more lenient than the partners")
    if difference.high < 0:
        return _("harsher than the partners")
    return _("neither harsh nor lenient")


def estimate_words(found: Estimate, *, signed: bool = False, share: bool = False) -> str:
    """A value, or that there is none."""
    if not found.known:
        return "-"
    return f"{found.value:.0%}" if share else f"{found.value:+.2f}" if signed else f"{found.value:.2f}"


def interval_words(found: Estimate, *, signed: bool = False, share: bool = False) -> str:
    """The bounds of a value and what it was counted on."""
    if not found.known:
        return _("nothing to count yet")
    if math.isnan(found.low):
        return _("counted on {n}; too few queries for an interval", n=f"{found.n:,}")
    form = ".0%" if share else "+.2f" if signed else ".2f"
    return _(
        "95 %: {low} to {high}; n = {n}", low=format(found.low, form), high=format(found.high, form), n=f"{found.n:,}"
    )


def try_words(tried: Try, pass_mark: float) -> str:
    """How one try at a practice set went."""
    if tried.by_hand:
        return _("let in by hand, rubric version {version}", version=tried.version)
    values = {"set": tried.practice_set, "version": tried.version, "needed": f"{pass_mark:.2f}"}
    if tried.finished_at is None:
        return _("practice set {set}, rubric version {version}: begun", **values)
    if tried.kappa is None:
        return _("practice set {set}, rubric version {version}: agreement undefined, {needed} is needed", **values)
    return _(
        "practice set {set}, rubric version {version}: agreement {kappa}, {needed} is needed",
        kappa=f"{tried.kappa:.2f}",
        **values,
    )


def standing_words(report: RaterReport) -> str:
    """What a rater's grades count for."""
    state = report.state
    if state.set_aside:
        return _("set aside")
    if state.is_model:
        return _("model, votes") if state.casts_vote else _("model, no vote")
    return _("votes") if state.casts_vote else _("no vote")


def note_words(kind: str, text: str, *, is_model: bool) -> str:
    """What was done about a rater."""
    if is_model and text == "casts_vote":
        return _("the model's votes count") if kind == "bring_back" else _("the model's votes no longer count")
    return _(NOTES[kind])
