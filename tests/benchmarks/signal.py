"""How many alerts clean data raise, and how much of injected errors is caught: ``make bench-signal``.

Every feed is replayed twice at once: clean, and on some days with errors in a copy of the day that is thrown away
afterwards. The goals: an alert in at most one of twenty table-days, 90 % of the batches of errors at 1 % caught,
80 % of the wrong rows named.
"""

import sys
import time
from collections.abc import Sequence

from benchmarks.datasets import REPOSITORY
from benchmarks.pages import table, write_page
from benchmarks.signal_errors import KINDS, spoil
from benchmarks.signal_feeds import FEEDS, Feed, feed
from benchmarks.signal_list import MOST_ROWS, steadiness
from benchmarks.signal_outcomes import Outcome, Score, kept
from benchmarks.signal_replay import BURN_IN, TABLE, Day, Replay

SHARES = (0.001, 0.01, 0.05)
DAYS_WITH_ERRORS = 8
STALE = 7
_WIDEST = 60
# Clean deltas whose alert tells of something that is so: found by looking at the rows that the alerts name.
RIGHT = {
    ("flights", "2013-02-08"): "a blizzard: half of the flights cancelled, without times",
    ("flights", "2013-03-01"): "EWR to EGE is a mile shorter from this day on",
    ("flights", "2013-07-27"): "a flight over 17 miles, EWR to LGA, scheduled at 1 in the morning",
    ("flights", "2013-05-16"): "two new destinations for the summer, Nantucket and Martha's Vineyard",
    ("weather", "2013-02-12"): "a wind of 1,048 miles an hour",
    ("weather", "2013-03-27"): "a measurement without a wind speed, the first one",
    ("weather", "2013-05-22"): "a measurement without a wind speed, after two months",
    ("weather", "2013-07-04"): "a measurement without a wind speed, after six weeks",
    ("weather", "2013-07-20"): "a measurement without a wind speed, after two weeks",
    ("weather", "2013-08-22"): "a measurement without temperature and humidity, the only one",
    ("football", "2016-05-01"): "matches without a result",
    ("football", "2016-05-08"): "a match without a result",
    ("bird strikes", "2002-06-01"): "a damage of B, where all others are words",
    ("movies", "2006-10-01"): "a film without a title",
    ("movies", "2008-04-01"): "a film without a budget, the first one",
    ("movies", "2016-07-01"): "a film of 1916, its year misread",
    ("movies", "2027-07-01"): "a film of 1927, its year misread",
    ("movies", "2040-10-01"): "a film of 1940, its year misread",
}


_METHOD = f"""Errors are described in `tests/benchmarks/signal_errors.py`; what the replay leaves out in
`tests/benchmarks/signal_replay.py`. Errors come on {DAYS_WITH_ERRORS} days or a few more of each table, in at least one
row each. What is not caught with the delta that brings it counts as missed, so that the days to detection are 0 for all
that is caught. An alert names at most 20 rows per constraint."""


_HELD_OUT = """No rule was made with a view to these, and they stand as they were replayed for the first time. The stock
index, the two cities and the movies had been held out before. What they showed then, 86 % of the batches at 1 % caught
and an alert in one of 27 table-days, led to rules on bounds and on the order of columns (decision 40), and they are
among the others since. The replay of the storms stopped at first, at a dependency without a left side: the replay was
mended, and nothing else."""
_BOUNDS = """Of the batches at 1 % that are missed in the tables that are not held out, 16 of 20 with swapped columns,
7 of 10 with shifted units and 5 of 6 with nulls put only such values in a column as it had had before: texts and nulls
that had come, numbers between the extremes so far.

- A value that is as usual in its new place is not told: home and away exchanged, rain of 3 mm that becomes 7.6, a speed
  of 160 knots that becomes 73. It is where another column bounds it (the lowest price of a day is at most its highest).
- A misspelt word of free text (a title, a director's name) is no stranger than the next new one, nor is a made-up
  code there. Most of what is missed in the movies is of this kind.
- Rows that come twice are no news where real ones do (bird strikes).
- What has hardly begun is not known: errors soon after the burn-in are missed where a rule needs more deltas.
- Sets of values have holes. Of the sources of films, six are those of at most six films each, and one of a single film;
  one earthquake in 1,707 has the magnitude type mw, the 706th. A person would let such values pass, and each
  is told when it comes first. Of a quarter with a single film little can be said at all."""
_STEADY = f"""The {TABLE.presented} constraints of a table that are presented, from one delta to the next after the
burn-in, as long as the table has at most {MOST_ROWS:,} rows: how many were presented that had not been with the delta
before. Early on these are constraints that the table has only now enough rows for. Found by
`tests/benchmarks/signal_list.py`."""


def replayed(of: Feed) -> Outcome:
    """A feed from its first delta to its last."""
    outcome, replay, labels = Outcome(of.name, of.held_out, steadiness(of)), Replay(of), list(of.deltas)
    later = labels[2 * BURN_IN :]
    chosen = set(later[:: max(1, len(later) // DAYS_WITH_ERRORS)])
    for number, label in enumerate(labels):
        rows = of.deltas[label]
        if label in chosen:
            clean = replay.step(label, rows, keep=False)
            _inject(outcome, replay, label, clean, of.deltas[labels[number - STALE]], number)
        day = replay.step(label, rows)
        if number >= BURN_IN:
            outcome.days += 1
            if day.alerts:
                outcome.clean[label] = [c.measured.constraint.text for c in day.alerts.values()]
    return outcome


def _inject(
    outcome: Outcome, replay: Replay, label: str, clean: Day, earlier: Sequence[dict[str, str | None]], seed: int
) -> None:
    of = replay.feed
    for kind in KINDS:
        for share in SHARES:
            spoiled = spoil(kind, of.deltas[label], share, of, earlier, seed)
            if spoiled is None:
                continue
            day = replay.step(label, spoiled.rows, keep=False)
            fresh = day.alerts.keys() - clean.alerts.keys()
            named = frozenset[int]().union(*(day.named[f] for f in fresh), day.rejected)
            outcome.scores[kind, share].add(spoiled.wrong, named, caught=bool(fresh or day.rejected))


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""


def _clean_table(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for outcome in outcomes:
        right = sum((outcome.name, label) in RIGHT for label in outcome.clean)
        wrong = len(outcome.clean) - right
        rows.append((outcome.name, outcome.days, len(outcome.clean), right, wrong, _one_in(outcome)))
    days, alerts = sum(o.days for o in outcomes), sum(len(o.clean) for o in outcomes)
    right = sum((o.name, label) in RIGHT for o in outcomes for label in o.clean)
    rows.append(("all", days, alerts, right, alerts - right, f"{days / max(1, alerts):.0f}"))
    return table(("table", "table-days", "with an alert", "of them right", "not right", "table-days per alert"), rows)


def _one_in(outcome: Outcome) -> str:
    return f"{outcome.days / len(outcome.clean):.0f}" if outcome.clean else "no alert"


def _sum(outcomes: Sequence[Outcome], kind: str | None, share: float) -> Score:
    total = Score()
    for outcome in outcomes:
        for (k, s), score in outcome.scores.items():
            if s == share and kind in (None, k):
                for name in vars(total):
                    setattr(total, name, getattr(total, name) + getattr(score, name))
    return total


def _recall_table(outcomes: Sequence[Outcome]) -> str:
    header = ["error", *(f"caught at {share:.1%}" for share in SHARES), "rows named at 1 %", "of the rows named, wrong"]
    rows = []
    for kind in (*KINDS, None):
        scores = [_sum(outcomes, kind, share) for share in SHARES]
        middle = scores[1]
        caught = [f"{_percent(s.caught, s.batches)} of {s.batches}" for s in scores]
        rows.append(
            [kind or "all", *caught, _percent(middle.found, middle.wrong), _percent(middle.found, middle.named)]
        )
    return table(header, rows)


def _by_feed(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for outcome in outcomes:
        scores = [_sum([outcome], None, share) for share in SHARES]
        rows.append([outcome.name, *(_percent(s.caught, s.batches) for s in scores)])
    return table(("table", *(f"caught at {share:.1%}" for share in SHARES)), rows)


def _list_table(outcomes: Sequence[Outcome]) -> str:
    header = ("table", "deltas", "with a newcomer", "newcomers", "of them back again", "newcomers per delta")
    rows = [
        (o.name, s.deltas, s.changed, s.came, s.again, f"{s.came / s.deltas:.2f}")
        for o in outcomes
        if (s := o.steady).deltas
    ]
    return table(header, rows)


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


def _alerts(outcomes: Sequence[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        for label, texts in outcome.clean.items():
            why = RIGHT.get((outcome.name, label), "")
            shown = "; ".join(f"`{_short(text)}`" for text in texts[:3]) + (
                f" and {len(texts) - 3} more" if texts[3:] else ""
            )
            lines.append((outcome.name, label, shown, why or "no"))
    return table(("table", "delta", "broke", "right?"), lines)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Replays the feeds that are named, or all, and writes the page of all that have been."""
    for name in sys.argv[1:] or FEEDS:
        began = time.process_time()
        outcome = replayed(feed(name))
        outcome.keep()
        _say(f"{name}: {time.process_time() - began:.0f} s")
    write([outcome for name in FEEDS if (outcome := kept(name))])


def _left_out(outcomes: Sequence[Outcome]) -> str:
    missing = [name for name in FEEDS if name not in {outcome.name for outcome in outcomes}]
    return (
        f"Not on this page, for they were not replayed: {', '.join(missing)}." if missing else "All tables are on it."
    )


def _command(outcomes: Sequence[Outcome]) -> str:
    """What makes the page again: all tables, or those that it is made of."""
    names = " ".join(f"'{outcome.name}'" for outcome in outcomes)
    return "make bench-signal" if len(outcomes) == len(FEEDS) else f'make bench-signal TABLES="{names}"'


def write(outcomes: Sequence[Outcome]) -> None:
    """Writes the page, and says what is on it."""
    known = [outcome for outcome in outcomes if not outcome.held_out]
    held_out = [outcome for outcome in outcomes if outcome.held_out]
    parts = (
        (__doc__ or "").partition("\n\n")[2].strip(),
        _left_out(outcomes),
        f"Burn-in {BURN_IN} deltas; the shipped settings for all tables. {_METHOD}",
        "## Clean deltas",
        _clean_table(known),
        "## Errors",
        _recall_table(known),
        _by_feed(known),
        "## Tables that were held out",
        _HELD_OUT,
        _clean_table(held_out),
        _recall_table(held_out),
        _by_feed(held_out),
        "## What is not caught, and what is wrongly told",
        _BOUNDS,
        "## How steady the list is",
        _STEADY,
        _list_table(outcomes),
        "## Alerts on clean deltas, one by one",
        _alerts(outcomes),
    )
    for part in parts[2:]:
        _say(part)
    write_page(REPOSITORY / "docs" / "benchmarks" / "signal.md", "Signal", _command(outcomes), parts)


if __name__ == "__main__":
    main()
