"""What is known of a comparison's open votes, in sentences: the same for the page, the command line and the report.

Knows the numbers and a way to say words; no page and no database.
"""

from collections.abc import Callable

from labeling.i18n import mark
from labeling.stopping import StopAnswer
from labeling.words import Say

__all__ = ["advice_words", "assumption_words", "stop_words"]

_ADVICE = {
    "stop": mark("Stop: {winner} stays ahead by {measure}, whatever the open pairs become."),
    "level": mark("Stop: {a} and {b} stay level by {measure}, whatever the open pairs become."),
    "judge": mark("Go on: judge the first {first} of the pairs below next; they move the difference most."),
    "settle": mark(
        "The votes that matter are complete: only decisions can fix the winner. Settle the first {first} of the pairs below."
    ),
    "noise": mark(
        "It cannot be decided with these raters: the votes that matter are complete, and the difference lies within what the "
        "choice of raters alone moves. Only decisions on disputed pairs, or other raters, can tell {a} and {b} apart."
    ),
}
_ASSUMPTIONS = (
    mark("Open are pairs without a decision that lack votes, are disputed, or that the rule leaves open."),
    mark("An open pair with votes may take any grade from its lowest to its highest vote; a pair without votes, any grade of the scale."),
    mark("“Now” gives an open pair the lower median of its votes, a pair without votes the lowest grade."),
    mark("Documents that are no pairs of this project count as not relevant."),
    mark("The expected number draws an open pair's grade from its own votes, or from all votes where it has none; a disputed pair costs one more vote."),
)  # fmt: skip


def _number(value: float) -> str:
    return f"{value:+.4f}"


def advice_words(answer: StopAnswer, say: Say, name: Callable[[str], str] = str) -> str:
    """What to do, in plain words; name makes a run's tag fit to be shown."""
    found = answer.found
    return say(
        _ADVICE[answer.advice],
        winner=name(found.winner or ""),
        a=name(found.a),
        b=name(found.b),
        measure=name(str(found.measure)),
        first=answer.first,
    )


def assumption_words(say: Say) -> list[str]:
    """What the numbers assume."""
    return [say(text) for text in _ASSUMPTIONS]


def stop_words(answer: StopAnswer, say: Say, name: Callable[[str], str] = str) -> list[str]:
    """Everything that is known, a sentence each, the most important first."""
    found = answer.found
    lines = [
        say(
            mark("{a} less {b} by {measure}, over {queries} queries: {difference} now; from {lowest} to {highest} is still possible."),
            a=name(found.a),
            b=name(found.b),
            measure=name(str(found.measure)),
            queries=found.queries,
            difference=_number(found.difference),
            lowest=_number(found.lowest),
            highest=_number(found.highest),
        ),
        _fixed_words(answer, say, name),
        *_reversal_words(answer, say),
        *_expected_words(answer, say),
        _noise_words(answer, say),
    ]  # fmt: skip
    if found.bounded:
        lines.append(
            say(
                mark("In {count} queries there are too many open pairs to try every completion: the range is an outer bound; {lowest} to {highest} is reached."),
                count=len(found.bounded),
                lowest=_number(found.reached_lowest),
                highest=_number(found.reached_highest),
            )
        )  # fmt: skip
    if answer.strict != (found.lowest, found.highest):
        lines.append(
            say(
                mark("If pairs that lack votes could take any grade, whatever their votes: from {lowest} to {highest}."),
                lowest=_number(answer.strict[0]),
                highest=_number(answer.strict[1]),
            )
        )  # fmt: skip
    if answer.outside:
        lines.append(
            say(
                mark("{count} documents in the first {depth} of the two runs are no pairs of this project: votes cannot reach them until they are added."),
                count=answer.outside,
                depth=answer.depth,
            )
        )  # fmt: skip
    return lines


def _fixed_words(answer: StopAnswer, say: Say, name: Callable[[str], str]) -> str:
    found = answer.found
    if found.winner:
        return say(mark("No further vote can change the winner: it is {winner}."), winner=name(found.winner))
    if found.fixed:
        return say(mark("No further vote can change that the two are level."))
    return say(
        mark("{movable} of {open} open pairs can move the difference, {reversing} of them can reverse the winner alone; {votes} votes are lacking on them."),
        movable=answer.movable,
        open=answer.open_pairs,
        reversing=answer.reversing,
        votes=answer.lacking_votes,
    )  # fmt: skip


def _reversal_words(answer: StopAnswer, say: Say) -> list[str]:
    found = answer.found
    if found.fixed or abs(found.difference) <= 1e-12:
        return []
    if len(found.reversal) and found.reversal_exact:
        return [say(mark("Pairs in the smallest set that reverses the winner: {count}."), count=len(found.reversal))]
    if len(found.reversal):
        text = mark(
            "Pairs in a set that was found to reverse the winner: {count}. A smaller set is not ruled out; it has {least} at least."
        )
        return [say(text, count=len(found.reversal), least=found.reversal_at_least)]
    return [say(mark("No set of pairs was found that reverses the winner."))]


def _expected_words(answer: StopAnswer, say: Say) -> list[str]:
    if answer.found.fixed:
        return []
    expected = answer.expected
    if expected is None:
        return [say(mark("Expected number of further votes: undefined, as some queries have too many open pairs to follow."))]  # fmt: skip
    return [
        say(
            mark("Expected until the winner is fixed: {votes} further votes or decisions, on {pairs} pairs (95 of 100 draws: {low} to {high} pairs)."),
            votes=f"{expected.costs:.1f}",
            pairs=f"{expected.pairs:.1f}",
            low=f"{expected.low:.0f}",
            high=f"{expected.high:.0f}",
        )
    ]  # fmt: skip


def _noise_words(answer: StopAnswer, say: Say) -> str:
    if answer.noise_floor is None or answer.sd_raters is None:
        return say(mark("Noise floor: undefined, as no pair has two votes."))
    return say(
        mark("Noise floor, one vote drawn for each pair: {floor}; the difference is {difference} now, its standard deviation from raters {sd}."),
        floor=f"{answer.noise_floor:.4f}",
        difference=_number(answer.found.difference),
        sd=f"{answer.sd_raters:.4f}",
    )  # fmt: skip
