"""Which days get errors, and what counts as told of them: the same for the product and for the judges alone."""

from collections.abc import Sequence

from benchmarks.signal_errors import Spoiled
from benchmarks.signal_outcomes import Outcome, Score
from benchmarks.signal_product import Day, Heard

FIRST = 28
STALE = 7
_MOST_KEPT = 3000


def days_with_errors(later: Sequence[str], count: int) -> frozenset[str]:
    """``count`` of the days, spread evenly over them."""
    if not count:
        return frozenset()
    return frozenset(later[len(later) // (2 * count) :: max(1, len(later) // count)][:count])


def fresh(found: Day, clean: Day) -> list[Heard]:
    """What is told of the delta with errors and not of the clean one, in whatever figures."""
    return [heard for name, heard in found.heard.items() if name not in clean.heard]


def score(outcome: Outcome, batch: str, kind: str, spoiled: Spoiled, told: Sequence[Heard]) -> None:
    """Counts a batch with errors, and keeps what was told of it beside what was wrong."""
    outcome.heard[batch] = {
        "wrong": sorted(spoiled.wrong)[:_MOST_KEPT],
        "told": [[heard.text, heard.count, sorted(heard.shown)[:_MOST_KEPT]] for heard in told],
    }
    if not told:
        outcome.missed.setdefault(kind, []).append(batch)
    # Of rows that are counted and not shown as many are taken for wrong as of those shown.
    best = max(told, key=lambda heard: heard.count, default=Heard(""))
    shown = frozenset[int]().union(*(heard.shown for heard in told))
    named = max(len(shown), best.count)
    found = min(len(spoiled.wrong), named * len(shown & spoiled.wrong) / max(1, len(shown)))
    wrong = len(spoiled.wrong) if told else 0
    if not spoiled.wrong:
        named = found = 0
    outcome.scores[kind] = outcome.scores[kind].joined(Score(1, bool(told), wrong, named, found))
