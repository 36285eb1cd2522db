"""How many alerts clean data raise, and how much of injected errors is told: ``make bench-signal``.

Each feed goes through the product itself, one delta per run: the steps of a run from the plan to the diff, in one warm
session, with the shipped settings. On some days deltas with errors go the same way before the clean one, as dry
runs. Told is what a person hears, with the delta that brings it: constraints that alert, and findings. The goals: an
alert in at most one of forty clean table-days, 60 % of them right; of batches with errors in 1 % of the rows 92 % told,
of those with an error of the whole load 80 %; of the rows named 90 % wrong ones, of the wrong rows 80 % named.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.datasets import REPOSITORY
from benchmarks.pages import table, write_page
from benchmarks.rules_data import DATA
from benchmarks.signal_errors import IN_ROWS
from benchmarks.signal_everyday_errors import BETWEEN
from benchmarks.signal_feeds import FEEDS, RIGHT, WRONG, Feed, feed
from benchmarks.signal_judges import SUFFIX, judged_alone
from benchmarks.signal_load_errors import OF_LOADS
from benchmarks.signal_outcomes import Outcome, Score, kept
from benchmarks.signal_pairs import DELTAS, PAIR_KINDS, PAIRS, dirtied, pairs
from benchmarks.signal_product import Product
from benchmarks.signal_scores import FIRST, STALE, Trials, days_with_errors, fresh, score
from benchmarks.spoiling import Spoiled

_WIDEST = 110


_METHOD = f"""The first {FIRST} deltas of a table are applied in one run. Errors are described in
`tests/benchmarks/signal_errors.py` (in 1 % of the rows, one at least) and `tests/benchmarks/signal_load_errors.py`.
Rows named are those shown; where more are counted than shown, as many of these are taken for wrong as of those."""


_RUNS = (DATA / "signal_runs.md").read_text(encoding="utf-8").strip()


def replayed(of: Feed, days: int, with_errors: int, made: Trials | None = None) -> Outcome:
    """A feed: the first deltas in one run, then ``days`` deltas one by one, some of them with errors before."""
    product, labels = Product(of), list(of.deltas)
    outcome = Outcome(of.name, FIRST, with_errors)
    product.begin(labels[:FIRST])
    later = labels[FIRST : FIRST + days]
    chosen = days_with_errors(later, with_errors)
    presented: frozenset[str] = frozenset()
    for number, label in enumerate(later, start=FIRST):
        trials = list((made or listed)(of, label, labels[number - STALE], number)) if label in chosen else []
        heard = [(kind, spoiled, product.preview(label, spoiled)) for kind, spoiled in trials]
        day = product.apply(label, of.deltas[label])
        for kind, spoiled, found in heard:
            score(outcome, f"{label} {kind}", kind, spoiled, fresh(found, day))
        outcome.days += 1
        if day.heard:
            outcome.clean[label] = [heard.text for heard in day.heard.values()]
        outcome.newcomers += [len(day.presented - presented)] if presented else []
        presented = day.presented
    outcome.costs = product.costs
    return outcome


def listed(of: Feed, label: str, before: str, seed: int) -> Iterable[tuple[str, Spoiled]]:
    """The errors of the three lists for which a delta has room."""
    for errors in (IN_ROWS, OF_LOADS, BETWEEN):
        yield from errors.of(of, label, before, seed)


def _of_goals(of: Feed, label: str, before: str, seed: int) -> Iterable[tuple[str, Spoiled]]:
    """The errors that goals are set for: in 1 % of the rows, and of whole loads."""
    return (*IN_ROWS.of(of, label, before, seed), *OF_LOADS.of(of, label, before, seed))


def _dirty(of: Feed, label: str, _: str, seed: int) -> Iterable[tuple[str, Spoiled]]:
    for kind in PAIR_KINDS:
        if (spoiled := dirtied(kind, of.deltas[label], of, seed)) is not None:
            yield kind, spoiled


def _percent(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def _table(outcome: Outcome) -> str:
    return outcome.name.removesuffix(SUFFIX)


def _clean_table(outcomes: Sequence[Outcome]) -> str:
    rows = [(_table(o), o.days, len(o.clean), sum((_table(o), label) in RIGHT for label in o.clean)) for o in outcomes]
    total = tuple(sum(row[i] for row in rows) for i in (1, 2, 3))
    return table(("table", "table-days", "with an alert", "of them right"), [*rows, ("all", *total)])


def _errors_table(outcomes: Sequence[Outcome], kinds: Iterable[str]) -> str:
    rows, total = [], Score()
    for kind in kinds:
        score = Score()
        for outcome in outcomes:
            score = score.joined(outcome.scores[kind])
        total = total.joined(score)
        rows.append(_score_row(kind, score))
    header = ("error", "batches", "told", "share", "of the rows named, wrong", "of the wrong rows, named")
    return table(header, [*rows, _score_row("all", total)])


def _score_row(name: str, s: Score) -> tuple[object, ...]:
    shares = (_percent(s.caught, s.batches), _percent(s.found, s.named), _percent(s.found, s.wrong))
    return (name, s.batches, s.caught, *shares)


def _by_feed(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for o in outcomes:
        parts = [[o.scores[kind] for kind in kinds] for kinds in (IN_ROWS, OF_LOADS, BETWEEN)]
        shares = [_percent(sum(s.caught for s in part), sum(s.batches for s in part)) for part in parts]
        whole, learning = o.costs
        newcomers = f"{sum(o.newcomers) / max(1, len(o.newcomers)):.2f}"
        rows.append((o.name, *shares, newcomers, f"{whole / max(1, o.days):.2f}", _percent(learning, whole - learning)))
    costs = ("CPU seconds of a day", "learning of loads on top")
    return table(
        (
            "table",
            "errors in 1 % told",
            "of loads",
            "between source and table",
            "newcomers to the list per delta",
            *costs,
        ),
        rows,
    )


def _alerts(outcomes: Sequence[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        for label, texts in outcome.clean.items():
            shown = "; ".join(f"`{text[:_WIDEST]}`" for text in texts[:3])
            more = f" and {len(texts) - 3} more" if texts[3:] else ""
            lines.append((_table(outcome), label, shown + more, _judged((_table(outcome), label))))
    return table(("table", "delta", "told", "right?"), lines)


def _judged(alert: tuple[str, str]) -> str:
    return RIGHT.get(alert) or (f"no: {WRONG[alert]}" if alert in WRONG else "no")


def _missed(outcomes: Sequence[Outcome]) -> str:
    lines = [
        (o.name, kind, ", ".join(b.partition(" ")[0] for b in found))
        for o in outcomes
        for kind, found in o.missed.items()
    ]
    return table(("table", "error", "deltas"), lines)


def main() -> None:
    """Replays the feeds that are named, or all, and writes the page of all that have been."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--days", type=int, default=40)
    parser.add_argument("--errors", type=int, default=3)
    parser.add_argument("--goals", action="store_true", help="only errors that goals are set for")
    parser.add_argument("--judges", action="store_true", help="the judges of loads alone")
    parser.add_argument("--data", type=Path, help="a directory with hospital.csv and tax10k.csv: only these")
    chosen = parser.parse_args()
    for of in pairs(chosen.data) if chosen.data else ():
        replayed(of, DELTAS - FIRST, chosen.errors, _dirty).keep()
        write([outcome for known in FEEDS if (outcome := kept(known))])
    for name in () if chosen.data else chosen.tables or FEEDS:
        began = time.monotonic()
        if chosen.judges:
            judged_alone(feed(name), chosen.days, chosen.errors).keep()
        else:
            replayed(feed(name), chosen.days, chosen.errors, _of_goals if chosen.goals else None).keep()
        sys.stdout.write(f"{name}: {time.monotonic() - began:.0f} s\n")
        write([outcome for known in FEEDS if (outcome := kept(known))])


def write(outcomes: Sequence[Outcome]) -> None:
    """Writes the page."""
    names = " ".join(f"'{outcome.name}'" for outcome in outcomes)
    days, errors = (max((getattr(o, name) for o in outcomes), default=0) for name in ("days", "with_errors"))
    goals = "" if any(o.scores[kind].batches for o in outcomes for kind in BETWEEN) else " GOALS=1"
    command = f'make bench-signal TABLES="{names}" DAYS={days} ERRORS={errors}{goals}'
    missing = [name for name in FEEDS if name not in {outcome.name for outcome in outcomes}]
    parts = (
        (__doc__ or "").partition("\n\n")[2].strip(),
        _METHOD,
        f"Not replayed: {', '.join(missing)}." if missing else "All tables are on the page.",
        *([_RUNS] if missing else []),
        "## Clean deltas",
        _clean_table(outcomes),
        "## Errors in 1 % of the rows",
        _errors_table(outcomes, IN_ROWS),
        "## Errors of whole loads",
        _errors_table(outcomes, OF_LOADS),
        *([] if goals else ["## Errors between a source and a table", _errors_table(outcomes, BETWEEN)]),
        *_dirty_tables(),
        *_judges_alone(),
        "## Table by table",
        _by_feed(outcomes),
        "## What was not told",
        _missed(outcomes),
        "## Alerts on clean deltas, one by one",
        _alerts(outcomes),
    )
    write_page(REPOSITORY / "docs" / "benchmarks" / "signal.md", "Signal", command, parts)


def _judges_alone() -> Sequence[str]:
    made = [outcome for name in FEEDS if (outcome := kept(name + SUFFIX))]
    intro = """`make bench-signal JUDGES=1` puts the same loads, and more of them, to the judges of loads alone: no
constraint, no rule of columns and no incident has a part in these figures."""
    tables = (_clean_table(made), _errors_table(made, OF_LOADS), _alerts(made))
    return ("## The judges of loads alone", intro, *tables) if made else ()


def _dirty_tables() -> Sequence[str]:
    made = [outcome for name in PAIRS if (outcome := kept(name))]
    intro = f"""`make bench-signal DATA=directory` makes clean tables dirty, as `tests/benchmarks/signal_pairs.py`
describes: in 5 % of the rows one cell is wrong. {FIRST} deltas are applied in one run, the others one by one."""
    clean = [f"Of {o.days} clean deltas of {o.name} {len(o.clean)} raised an alert." for o in made]
    tables = [part for o in made for part in (f"### {o.name}", _errors_table([o], PAIR_KINDS))]
    return ("## Clean tables made dirty", intro, " ".join(clean), *tables) if made else ()


if __name__ == "__main__":
    main()
