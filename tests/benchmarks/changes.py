"""How soon a change for good is recognised as one: ``make bench-changes DATA=directory``.

The feeds and tables of ``unseen.py`` come as files of one load each, and the last four have a change: a value has
another name, a column another unit, a group is split, texts are written otherwise, numbers lie higher, a column is no
longer filled, what depends on a value is another one. A change is recognised if a message of its first three loads
asks whether it is for good. With ``--alone`` loads go before their judges in one process, and what these find becomes
incidents; rules have no part in it.
"""

import argparse
import csv
import logging
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.datasets import WORK
from benchmarks.feeds import Label, replay
from benchmarks.pages import table
from benchmarks.signal_errors import NUMBERS
from benchmarks.signal_feeds import Feed, Row, typed
from benchmarks.unseen import TABLES, feed_of
from profiling_core.alert.brief import first_line
from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.diff.incidents import IncidentMoment, advance
from profiling_core.model.finding import Evidence, Finding
from profiling_core.model.incident import Incident
from profiling_core.model.types import LogicalType

_BEFORE, _CHANGED, _LASTING = 40, 4, 3
_LEAST, _MOST_VALUES = 3, 40
_ASKED = "changed for good?"
Change = Callable[[Row], Row]


def _groups(feed: Feed, rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The columns of few texts, and their commonest values."""
    found = []
    for column in feed.schema.columns:
        counts = Counter(text for row in rows if (text := row[column.name]) is not None)
        if column.type is LogicalType.STRING and _LEAST <= len(counts) <= _MOST_VALUES:
            found.append((column.name, counts.most_common(1)[0][0]))
    return found


def _measures(feed: Feed, rows: Sequence[Row]) -> list[str]:
    names = [c.name for c in feed.schema.columns if c.type in NUMBERS and not c.name.lower().endswith(("id", "key"))]
    names = [name for name in names if not name.startswith("codice")]
    return [name for name in names if len({row[name] for row in rows if row[name] not in (None, "0", "0.0")}) > _LEAST]


def _each(name: str, change: Callable[[str], str | None]) -> Change:
    """What changes each text of a column."""
    return lambda row: row if (text := row[name]) is None else row | {name: change(text)}


def _where(by: str, value: str, name: str, change: Callable[[str], str | None]) -> Change:
    """What changes each text of a column in the rows of one value of another one."""
    each = _each(name, change)
    return lambda row: each(row) if row[by] == value else row


def _split(name: str, value: str) -> Change:
    turns = cycle(("North", "South"))
    return _where(name, value, name, lambda text: f"{text} {next(turns)}")


def changes_of(feed: Feed, rows: Sequence[Row]) -> Mapping[str, Change]:
    """The changes for which a feed has room, each in the first columns that have it."""
    found: dict[str, Change] = {}
    groups, measures = _groups(feed, rows), _measures(feed, rows)
    if groups:
        name, value = groups[0]
        found["another name"] = _where(name, value, name, lambda text: f"{text} Group")
        found["capitals"] = _each(name, str.swapcase)
        if sum(row[name] == value for row in rows) > 1:
            found["a group split"] = _split(name, value)
    if measures:
        found["another unit"] = _each(measures[0], lambda text: f"{float(text) * 1000:.10g}")
        found["a higher level"] = _each(measures[0], lambda text: f"{float(text) * 1.6:.10g}")
        found["no longer filled"] = _each(measures[0], lambda _: None)
    if len(groups) > 1:
        found["another dependent value"] = _where(*groups[0], groups[1][0], lambda text: f"New {text}")
    return found


def _write(folder: Path, feed: Feed, labels: Sequence[str], change: Change) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.csv"):
        path.unlink()
    for number, label in enumerate(labels):
        rows = feed.deltas[label]
        with (folder / f"{label}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(map(change, rows) if number >= len(labels) - _CHANGED else rows)


def _alone(feed: Feed, labels: Sequence[str], change: Change, history: LoadHistory) -> list[list[str]]:
    """What is told of the loads that have a change, by the judges of loads and as incidents."""
    known: dict[int, Incident] = {}
    told = []
    for number, label in enumerate(labels):
        rows = typed([change(row) for row in feed.deltas[label]], feed.schema)[0]
        odd, history = judged(label, profile(rows, feed.schema), history, feed.schema)
        moment = IncidentMoment(number, label, (feed.name,), (), (), lambda _: "")
        after = advance(list(known.values()), [_finding(feed.name, label, rows, one) for one in odd], moment)
        known |= {step.incident.number: step.incident for step in after}
        told.append([first_line("feeds", step.incident) for step in after if step.told])
    return told


def _finding(table: str, label: str, rows: pa.Table, odd: Anomaly) -> Finding:
    named = np.flatnonzero(odd.suspect_rows(rows)) if odd.suspect_rows else ()
    shown = tuple(Evidence({}, identity=f"{label} {number}") for number in named)
    own = {name: getattr(odd, name) for name in ("size", "values", "explains", "again", "whole_load", "subject")}
    said = (odd.kind, table, label, odd.headline, odd.columns, odd.cause, odd.details, shown, len(shown), len(rows))
    return Finding(*said, magnitude=odd.magnitude, **own)


def _told(feed: Feed, labels: Sequence[str], kind: str, change: Change) -> list[list[str]]:
    """What the product tells of the loads that have a change."""
    folder = WORK / "changes" / f"{feed.name} {kind}".replace(" ", "_")
    _write(folder, feed, labels, change)
    told = replay(folder, dict.fromkeys(labels[-_CHANGED:], Label(kind, "change")), "").told
    return [told.get(label, []) for label in labels[-_CHANGED:]]


def main() -> int:
    """Replays the changes of the feeds that are named and prints, for each, what was told and whether it was asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--alone", action="store_true", help="the judges of loads alone, without the product")
    parser.add_argument("feeds", nargs="*")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    lines = []
    for name in options.feeds or ("ecb", "regioni", *TABLES):
        feed = feed_of(options.data, name)
        labels = list(feed.deltas)[: _BEFORE + _CHANGED]
        history = LoadHistory()
        for label in labels[:_BEFORE] if options.alone else ():
            rows = typed(feed.deltas[label], feed.schema)[0]
            history = judged(label, profile(rows, feed.schema), history, feed.schema)[1]
        for kind, change in changes_of(feed, feed.deltas[labels[-1]]).items():
            later = labels[_BEFORE:]
            days = _alone(feed, later, change, history) if options.alone else _told(feed, labels, kind, change)
            first = days[:_LASTING]
            asked = any(_ASKED in text for day in first for text in day)
            lines.append((name, kind, "yes" if any(first) else "no", "yes" if asked else "no"))
            said = "".join(f"    {text}\n" for day in days for text in day or ["–"])
            sys.stdout.write(f"{name}: {kind}\n{said}")
            sys.stdout.flush()
    sys.stdout.write(f"{table(('feed', 'change', 'told', 'asked within three loads'), lines)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
