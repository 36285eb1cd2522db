"""Feeds replayed with errors on some days, and what counts as told of them: by the product, or by its judges alone."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from benchmarks.datasets import WORK
from benchmarks.signal_feeds import Feed, Row
from benchmarks.signal_product import Day, Heard, Product
from benchmarks.spoiling import Spoiled

FIRST = 28
STALE = 7
_MOST_KEPT = 3000
_State = TypeVar("_State")
# Of a feed, a delta, an earlier one and a seed the deltas with errors that come before it, by the error's name.
Trials = Callable[[Feed, str, str, int], Iterable[tuple[str, Spoiled]]]
KEPT = WORK / "signal"


@dataclass
class Score:
    """Of one kind: batches, those that were told, and of these: wrong rows, rows named, and wrong ones among them."""

    batches: int = 0
    caught: int = 0
    wrong: float = 0
    named: float = 0
    found: float = 0

    def joined(self, other: "Score") -> "Score":
        return Score(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass
class Outcome:
    """One feed: clean days, those with errors, what was told on clean ones, and the scores of errors.

    ``heard`` says per batch with errors which rows were wrong, and what was told.
    """

    name: str
    first: int
    with_errors: int
    days: int = 0
    clean: dict[str, list[str]] = field(default_factory=dict)
    scores: defaultdict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    heard: dict[str, Any] = field(default_factory=dict)

    def keep(self) -> None:
        """Writes the outcome to its file."""
        KEPT.mkdir(parents=True, exist_ok=True)
        scores = {kind: asdict(score) for kind, score in self.scores.items()}
        (KEPT / f"{self.name}.json").write_text(json.dumps(vars(self) | {"scores": scores}), encoding="utf-8")


def days_with_errors(later: Sequence[str], count: int) -> frozenset[str]:
    """``count`` of the days, spread evenly over them."""
    if not count:
        return frozenset()
    return frozenset(later[len(later) // (2 * count) :: max(1, len(later) // count)][:count])


def fresh(found: Day, clean: Day) -> list[Heard]:
    """What is told of the delta with errors and not of the clean one, in whatever figures."""
    return [heard for name, heard in found.items() if name not in clean]


def score(outcome: Outcome, batch: str, kind: str, spoiled: Spoiled, told: Sequence[Heard]) -> None:
    """Counts a batch with errors, and keeps what was told of it beside what was wrong."""
    outcome.heard[batch] = {
        "wrong": sorted(spoiled.wrong)[:_MOST_KEPT],
        "told": [[heard.text, heard.count, sorted(heard.shown)[:_MOST_KEPT]] for heard in told],
    }
    # Of rows that are counted and not shown as many are taken for wrong as of those shown.
    best = max(told, key=lambda heard: heard.count, default=Heard(""))
    shown = frozenset[int]().union(*(heard.shown for heard in told))
    named = max(len(shown), best.count)
    found = min(len(spoiled.wrong), named * len(shown & spoiled.wrong) / max(1, len(shown)))
    wrong = len(spoiled.wrong) if told else 0
    if not spoiled.wrong:
        named = found = 0
    outcome.scores[kind] = outcome.scores[kind].joined(Score(1, bool(told), wrong, named, found))


def replayed(of: Feed, days: int, with_errors: int, made: Trials) -> Outcome:
    """A feed through the product: the first deltas in one run, then ``days`` one by one, some with errors before."""
    product, labels = Product(of), list(of.deltas)
    outcome = Outcome(of.name, FIRST, with_errors)
    product.begin(labels[:FIRST])
    later = labels[FIRST : FIRST + days]
    chosen = days_with_errors(later, with_errors)
    for number, label in enumerate(later, start=FIRST):
        trials = made(of, label, labels[number - STALE], number) if label in chosen else ()
        heard = [(kind, spoiled, product.preview(label, spoiled)) for kind, spoiled in trials]
        day = product.apply(label, of.deltas[label])
        for kind, spoiled, found in heard:
            score(outcome, f"{label} {kind}", kind, spoiled, fresh(found, day))
        outcome.days += 1
        if day:
            outcome.clean[label] = [heard.text for heard in day.values()]
    return outcome


def replayed_alone(
    of: Feed,
    days: int,
    with_errors: int,
    made: Trials,
    heard: Callable[[str, Sequence[Row], _State], tuple[Day, _State]],
    state: _State,
) -> Outcome:
    """A feed's loads one by one in this process, those after the first heard, some of them with errors before.

    Args:
        of: the feed.
        days: loads that are heard.
        with_errors: of these, the number that come with errors before.
        made: the errors.
        heard: of a delta's name, its rows and the state before it what is told, and the state after it.
        state: before the first load.
    """
    labels = list(of.deltas)
    outcome = Outcome(of.name, FIRST, with_errors)
    chosen = days_with_errors(labels[FIRST : FIRST + days], with_errors)
    going: frozenset[str] = frozenset()
    for number, label in enumerate(labels[: FIRST + days]):
        clean, after = heard(label, of.deltas[label], state)
        for kind, spoiled in made(of, label, labels[number - STALE], number) if label in chosen else ():
            told = heard(label, spoiled.rows, state)[0]
            news = {name: one for name, one in told.items() if name not in going}
            score(outcome, f"{label} {kind}", kind, spoiled, fresh(news, clean))
        if number >= FIRST:
            outcome.days += 1
            if told_anew := [one.text for name, one in clean.items() if name not in going]:
                outcome.clean[label] = told_anew
        going, state = frozenset(clean), after
    return outcome
