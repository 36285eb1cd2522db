"""Whether incidents stay true: ``make bench-incidents DATA=directory``, which writes ``docs/benchmarks/incidents.md``.

The directory is that of ``bench-feeds``. Everything goes through ``init``'s proposal and the steps of ``apply``, on
files: an error while an incident of its column is open, acknowledged or closed; the same errors in a snapshot and in
appended files; a delta that is refused twice; and two messages whose first wording was wrong.
"""

import argparse
import csv
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from benchmarks.datasets import REPOSITORY, WORK
from benchmarks.feeds import DATASET, applied, begun, labels_of, replay
from benchmarks.pages import table, write_page
from profiling_core.model.errors import HoldfastError
from profiling_core.model.incident import IncidentStatus
from profiling_core.pipeline import steps
from profiling_core.pipeline.incident_handling import set_status
from profiling_core.pipeline.workspace import Workspace

Row = dict[str, str]
Change = Callable[[list[Row]], list[Row]]
_FIRST = 30  # loads before the first error
_PAGE = REPOSITORY / "docs" / "benchmarks" / "incidents.md"
_COMMAND = "make bench-incidents DATA=<directory>"


def _each(name: str, change: Callable[[str], str], rows: range = range(10**6)) -> Change:
    """What changes the texts of a column in some of the rows."""
    return lambda load: [row | {name: change(row[name])} if place in rows else row for place, row in enumerate(load)]


def _times(factor: float) -> Callable[[str], str]:
    return lambda text: f"{float(text) * factor:.10g}"


def _permuted(name: str) -> Change:
    return lambda load: [row | {name: other[name]} for row, other in zip(load, reversed(load), strict=True)]


# Per error the feed, the column, what was wrong with it the day before, and what is now.
_TWO, _NAMES = range(2), "denominazione_regione"
_TEN = _times(10)
AFTER_ANOTHER: Sequence[tuple[str, str, Callable[[str], str], str, Change]] = (
    ("ecb", "rate", _TEN, "all rates × 100", _each("rate", _times(100))),
    ("ecb", "rate", _TEN, "no rate", _each("rate", lambda _: "")),
    ("ecb", "currency", str.lower, "one is TEST", _each("currency", lambda _: "TEST", range(5, 6))),
    ("regioni", "totale_casi", _TEN, "numbers in other rows", _permuted("totale_casi")),
    ("regioni", "deceduti", _TEN, "one number in all rows", _each("deceduti", lambda _: "777")),
    ("regioni", "tamponi", _TEN, "one region × 1000", _each("tamponi", _times(1000), range(7, 8))),
    ("regioni", _NAMES, lambda text: f"{text} ?", "names in capitals", _each(_NAMES, str.upper)),
)
_HANDLED = {"open": None, "acknowledged": IncidentStatus.ACKNOWLEDGED, "closed": IncidentStatus.CLOSED}


def _rows(path: Path) -> list[Row]:
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def _write(path: Path, rows: Sequence[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    os.utime(path, (time.time() - 60, time.time() - 60))


def _first_loads(folder: Path, name: str, loads: int) -> Path:
    """A folder with the first loads of a feed."""
    chosen = WORK / "staying" / name
    shutil.rmtree(chosen, ignore_errors=True)
    chosen.mkdir(parents=True)
    for path in sorted(folder.glob("*.csv"))[:loads]:
        shutil.copy(path, chosen / path.name)
    return chosen


def after_another(data: Path) -> list[list[object]]:
    """Per error what was told of it where yesterday's incident of its column was open, acknowledged or closed."""
    lines = []
    for feed in ("ecb", "regioni"):
        landing, _ = begun(_first_loads(data / feed, feed, _FIRST + 2), "")
        *before, yesterday, today = sorted(landing.iterdir())
        applied(before[-1].stem, before)
        right = {path: _rows(path) for path in (yesterday, today)}
        root, kept = landing.parents[1], WORK / "staying" / "kept"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(root, kept)
        for _, column, first, what, second in (one for one in AFTER_ANOTHER if one[0] == feed):
            line: list[object] = [f"{feed}.{column}: {what}"]
            for status in _HANDLED.values():
                shutil.rmtree(root)
                shutil.copytree(kept, root)
                _write(yesterday, _each(column, first, _TWO)(right[yesterday]))
                _write(today, second(right[today]))
                opened = applied(yesterday.stem, [])
                _handle(status)
                told = applied(today.stem, [])
                line.append(f"{told[0] if told else '–'}" if opened else "nothing was open")
            lines.append(line)
    return lines


def _handle(status: IncidentStatus | None) -> None:
    work = Workspace.open(DATASET)
    for incident in work.catalog.incidents(DATASET) if status else ():
        set_status(work, incident.number, status, who="ana")


def by_kind(data: Path) -> list[list[object]]:
    """The labelled errors, and what was told of them in a snapshot and in appended files."""
    lines, labels = [], labels_of(data)
    for feed in ("ecb_bad", "regioni_bad"):
        errors = {day: label for day, label in labels[feed].items() if label.kind == "error"}
        found = {kind: replay(data / feed, errors, kind).told for kind in ("snapshot", "append")}
        for day, label in errors.items():
            lines.append([f"{feed}: {label.what}", *((found[kind].get(day) or ["–"])[0] for kind in found)])
    return lines


def refused_twice(data: Path) -> list[list[object]]:
    """What becomes of a delta that is refused, tried again, and refused for another reason."""
    landing, _ = begun(_first_loads(data / "ecb", "ecb", _FIRST + 2), "")
    *before, bad, after = sorted(landing.iterdir())
    applied(before[-1].stem, before)
    right = _rows(bad)
    without, other = list(right[0])[-1], list(right[0])[1]
    tries = {
        "a column is missing": [{n: t for n, t in row.items() if n != without} for row in right],
        "tried again": None,
        "another column is missing": [{n: t for n, t in row.items() if n != other} for row in right],
        "with the next day's file": None,
    }
    lines = []
    for what, rows in tries.items():
        if rows:
            _write(bad, rows)
        label = after.stem if "next" in what else bad.stem
        lines.append([what, *_refused(label)])
    _write(bad, right)
    applied(after.stem, [])
    return [*lines, ["mended and applied", *_standing()]]


def _refused(label: str) -> list[object]:
    plan = steps.plan(DATASET, label=label)
    try:
        refused = steps.refused([steps.ingest(DATASET, plan["run_id"], name) for name in plan["pending"]])
    except HoldfastError:
        return _standing()
    return _standing() if refused else [*_standing(), "not refused"]


def _standing() -> list[object]:
    """How many incidents there are, how many go on, and what the last of them says."""
    work = Workspace.open(DATASET)
    known = work.catalog.incidents(DATASET)
    return [len(known), sum(one.status.goes_on for one in known), known[-1].diagnosis.headline]


def _daily(name: str, load: Callable[[int], list[Row]], loads: int) -> tuple[list[str], str]:
    """What is told of the last of some generated loads, and the whole message."""
    folder = WORK / "staying" / name
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(loads):
        _write(folder / f"{date(2020, 2, 20) + timedelta(days=number)}.csv", load(number))
    landing, _ = begun(folder, "append")
    *before, last = sorted(landing.iterdir())
    applied(before[-1].stem, before)
    said = applied(last.stem, [])
    bodies = Workspace.open(DATASET).catalog.outbox.undelivered(DATASET)
    return said, next((str(one.body["text"]) for one in reversed(bodies)), "")


_COUNTRIES = [f"{a}{b}land" for a in ("Al", "Bel", "Cor", "Dun", "Est") for b in "abcdefghij"]


def _reports(number: int, *, every: int, moment: str) -> list[Row]:
    """Reports by country and province, as a public collection had them."""
    places = [(country, place, part) for place, country in enumerate(_COUNTRIES) for part in range(every)]
    return [
        {
            "Province": f"Part {part}",
            "Country": country,
            "Last Update": moment,
            "Confirmed": str(7 * number + 13 * place + part),
        }
        for country, place, part in places
    ]


def _of_last_update(number: int) -> list[Row]:
    day = date(2020, 2, 20) + timedelta(days=number)
    last = number == _FIRST
    moment = f"{day.month}/{day.day}/{day:%y} 23:45" if last else f"{day}T10:13:{number + 10}"
    if number < 3:
        moment = f"{day.month}/{day.day}/{day.year} 17:00"
    return _reports(number, every=60 if last else 6, moment=moment)


def _of_two_countries(number: int) -> list[Row]:
    day = date(2020, 2, 20) + timedelta(days=number)
    rows = _reports(number, every=3, moment=f"{day}T10:13:{number + 10}")
    rows = [row | {"Province": f"{row['Province']} of {row['Country']}"} for row in rows]
    ship = {"Province": "From the ship", "Last Update": rows[0]["Last Update"]}
    came = ["Australia", "Israel"] if number == _FIRST else ["Australia"]
    more = [{**ship, "Country": country, "Confirmed": "8"} for country in came]
    return [*rows, *({name: row[name] for name in rows[0]} for row in more)]


def messages() -> Mapping[str, tuple[list[str], str]]:
    """The two messages."""
    return {
        "All rows have another format of `Last Update`, and there are ten times as many": _daily(
            "last_update", _of_last_update, _FIRST + 1
        ),
        "One name of a province comes for a second country, beside the first": _daily(
            "two_countries", _of_two_countries, _FIRST + 1
        ),
    }


def _told(lines: Sequence[Sequence[object]], places: int) -> list[int]:
    return [sum(line[1 + place] not in ("–", "nothing was open") for line in lines) for place in range(places)]


def _of_another(data: Path) -> list[str]:
    lines = after_another(data)
    told = [f"{n} of {len(lines)}" for n in _told(lines, len(_HANDLED))]
    return [
        "## An error while another incident of its column is open",
        "Another error of the column was told the day before. The first message of each:",
        table(("error", *_HANDLED), [*lines, ["told", *told]]),
    ]


def _of_kinds(data: Path) -> list[str]:
    lines = by_kind(data)
    told = [f"{n} of {len(lines)}" for n in _told(lines, 2)]
    header = ("error", "snapshot", "append")
    return ["## The same errors in a snapshot and in appended files", table(header, [*lines, ["told", *told]])]


def _of_refusals(data: Path) -> list[str]:
    header = ("try", "incidents", "of these go on", "the last says")
    return ["## A delta that is refused again and again", table(header, refused_twice(data))]


def _of_messages(_: Path) -> list[str]:
    told = [f"{what}:\n\n```\n{text or said[0]}\n```" for what, (said, text) in messages().items()]
    return ["## Two messages", *told]


PARTS: Mapping[str, Callable[[Path], list[str]]] = {
    "another": _of_another,
    "refused": _of_refusals,
    "messages": _of_messages,
    "kinds": _of_kinds,
}


def _said(part: list[str]) -> list[str]:
    """The paragraphs of a part, printed as soon as they are known."""
    sys.stdout.write("\n\n".join(part) + "\n\n")
    sys.stdout.flush()
    return part


def main() -> int:
    """Runs the four parts, or those that are named, and writes the page where all ran."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; by default all")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    made = [
        part for name, make in PARTS.items() if name in (options.parts or PARTS) for part in _said(make(options.data))
    ]
    if not options.parts:
        write_page(_PAGE, "Incidents that stay true", _COMMAND, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
