"""How errors that nobody had listed fare, on tables that nobody had tuned for: ``make bench-unseen DATA=directory``.

The directory has ``feeds`` (folders of one file per day) and ``relational`` (folders of tables; those that
:data:`TABLES` names are cut by a date). Each goes through the product as a table of appended
rows, one delta per run, in one session; on some days deltas with the errors of ``unseen_errors.py`` go before the clean
one, as dry runs. ``--all`` adds the errors that the product has met: in 1 % of the rows, of whole loads, and between a
source and a table. A feed of ``data/feeds.csv`` can be named, too; those have been seen.
"""

import argparse
import csv
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from pathlib import Path

from benchmarks.pages import table
from benchmarks.signal_errors import IN_ROWS
from benchmarks.signal_everyday_errors import BETWEEN
from benchmarks.signal_feeds import FEEDS as SEEN
from benchmarks.signal_feeds import RIGHT, Feed, Row, cut, feed
from benchmarks.signal_load_errors import OF_LOADS
from benchmarks.signal_scores import Outcome, replayed
from benchmarks.spoiling import Spoiled
from benchmarks.unseen_errors import UNSEEN

_MONTH, _YEAR = 7, 4


def _week(text: str) -> str:
    day = date.fromisoformat(text[:10])
    return (day - timedelta(days=day.weekday())).isoformat()


def _upto(length: int) -> Callable[[str], str]:
    return lambda text: f"{text[:length]}-01-01"[:10] if length == _YEAR else f"{text[:length]}-01"[:10]


def _day(text: str) -> str:
    return text[:10]


# Per feed: the file, the column of its date, how long a load is, columns that are left out, and the first load.
TABLES: Mapping[str, tuple[str, str, Callable[[str], str], Sequence[str], str]] = {
    "currency rates": ("adventureworks/currencyrate", "CurrencyRateDate", _day, ("ModifiedDate",), ""),
    "purchases": ("adventureworks/purchaseorderheader", "OrderDate", _week, ("ModifiedDate",), "2023-06"),
    "purchase lines": ("adventureworks/purchaseorderdetail", "DueDate", _week, ("ModifiedDate",), "2023-06"),
    "northwind": ("northwind/orders", "order_date", _week, ("ship_address",), ""),
    "salaries": ("lahman/salaries", "yearID", _upto(_YEAR), (), ""),
    "batting": ("lahman/battingpost", "yearID", _upto(_YEAR), (), "1940"),
    "hall of fame": ("lahman/halloffame", "yearID", _upto(_YEAR), ("needed_note",), ""),
    "lego sets": ("lego/sets", "year", _upto(_YEAR), (), "1960"),
    "visits": ("omop/visit_detail", "visit_detail_start_date", _upto(_MONTH), (), "2011"),
    "measurements": ("omop/measurement", "measurement_date", _upto(_MONTH), ("measurement_datetime",), "2011"),
}
FEEDS = ("ecb", "regioni", "air")


def feed_of(data: Path, name: str) -> Feed:
    """One of the tables, one of the seen feeds, or a folder of the feeds."""
    if name in SEEN and name not in TABLES:
        return feed(name)
    if name not in TABLES:
        folder = data / "feeds" / name
        rows = [(path.stem, row) for path in sorted(folder.glob("*.csv")) for row in _read(path)]
    else:
        path, by, period, without, first = TABLES[name]
        known = [row for row in _read(data / "relational" / f"{path}.csv") if row[by]]
        kept = ({column: text for column, text in row.items() if column not in without} for row in known)
        labelled = sorted(((period(str(row[by])), row) for row in kept), key=lambda one: one[0])
        rows = [(label, row) for label, row in labelled if label >= first]
    labels = {id(row): label for label, row in rows}
    columns = [column for column in rows[0][1] if all(column in row for _, row in rows)]
    return cut(name, ({**_same(row, columns, labels)} for _, row in rows), lambda row: str(row.pop("\0")), {})


def _same(row: Row, columns: Sequence[str], labels: Mapping[int, str]) -> Row:
    return {column: row[column] for column in columns} | {"\0": labels[id(row)]}


def _read(path: Path) -> list[Row]:
    text = path.read_text(encoding="utf-8-sig")
    apart = ";" if text.partition("\n")[0].count(";") > 1 else ","
    rows = csv.DictReader(text.splitlines(), delimiter=apart)
    return [{name: _text(value, apart) for name, value in row.items() if name} for row in rows if any(row.values())]


def _text(value: str | None, apart: str) -> str | None:
    if not value:
        return None
    if apart == ";" and value.count("/") == 2:
        return "-".join(reversed(value.split("/")))
    parts = value.split(",")
    decimal = apart == ";" and len(parts) == 2 and all(part.lstrip("-").isdigit() for part in parts)
    return ".".join(parts) if decimal else value.removesuffix(" 00:00:00.000")


def summary(outcomes: Sequence[Outcome]) -> str:
    """The page's tables: clean days, and errors by kind: told, with a headline that names the cause, rows."""
    clean = [(o.name, o.days, len(o.clean), sum((o.name, label) in RIGHT for label in o.clean)) for o in outcomes]
    clean.append(("all", *(sum(row[i] for row in clean) for i in (1, 2, 3))))
    lines, total = [], [0.0] * 6
    for kind in UNSEEN:
        found = [o.scores[kind] for o in outcomes]
        sums = [sum(getattr(s, name) for s in found) for name in ("batches", "caught", "named", "found", "wrong")]
        right = sum(
            _is_right(kind, one) for o in outcomes for batch, one in o.heard.items() if batch.endswith(f" {kind}")
        )
        row = [*sums[:2], right, *sums[2:]]
        total = [a + b for a, b in zip(total, row, strict=True)]
        lines.append(_line(kind, row))
    days = table(("table", "days", "with an alert", "judged right"), clean)
    header = ("error", "batches", "told", "right headline", "of the rows named, wrong", "of the wrong rows, named")
    return f"{days}\n\n{table(header, [*lines, _line('all', total)])}"


def evidence(outcomes: Sequence[Outcome]) -> str:
    """The page's table of what tells: by kind of evidence, errors and clean loads told by it, and by nothing else."""
    errors = [{_kind(str(one[0])) for one in heard["told"]} for o in outcomes for heard in o.heard.values()]
    clean = [{_kind(text) for text in news} for o in outcomes for news in o.clean.values()]
    kinds = sorted(set().union(*errors, *clean), key=lambda kind: (-sum(kind in one for one in errors), kind))
    rows = [(kind, *(n for of in (errors, clean) for n in _with_and_alone(kind, of))) for kind in kinds]
    return table(("evidence", "errors told", "by it alone", "clean loads told", "by it alone"), rows)


def _kind(text: str) -> str:
    """The kind of evidence of a text such as ``rule values: …`` or ``mix: …``."""
    return text.partition(":")[0]


def _with_and_alone(kind: str, of: Sequence[AbstractSet[str]]) -> tuple[int, int]:
    return sum(kind in one for one in of), sum(one == {kind} for one in of)


def _of_all_lists(of: Feed, label: str, before: str, seed: int) -> Iterable[tuple[str, Spoiled]]:
    """The errors of this list and of those that the product has met."""
    yield from UNSEEN.of(of, label, before, seed)
    for errors in (IN_ROWS, OF_LOADS, BETWEEN):
        yield from ((f"{kind} (listed)", spoiled) for kind, spoiled in errors.of(of, label, before, seed))


def _is_right(kind: str, one: Mapping[str, list[list[str]]]) -> bool:
    said = [str(told[0]) for told in one["told"]]
    return bool(said) and any(word.casefold() in said[0].casefold() for word in UNSEEN.words[kind].split("|"))


def _line(kind: str, row: Sequence[float]) -> tuple[object, ...]:
    batches, told, right, named, found, wrong = row
    shares = [f"{a / b:.0%}" if b else "–" for a, b in ((found, named), (found, wrong))]
    return (kind, int(batches), int(told), int(right), *shares)


def main() -> int:
    """Replays the feeds that are named, or all, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--days", type=int, default=24)
    parser.add_argument("--errors", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="what judges loads and columns, without the product")
    parser.add_argument("--all", action="store_true", help="the errors of the other lists, too")
    parser.add_argument("feeds", nargs="*")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    if options.alone:
        from benchmarks.unseen_alone import replayed_in_process as replay
    else:
        replay = replayed
    outcomes, made = [], _of_all_lists if options.all else UNSEEN.of
    for name in options.feeds or (*FEEDS, *TABLES):
        began = time.process_time()
        outcome = replay(feed_of(options.data, name), options.days, options.errors, made)
        outcome.keep()
        outcomes.append(outcome)
        sys.stdout.write(f"{name}: {time.process_time() - began:.0f} s, {json.dumps(outcome.clean, indent=1)}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{summary(outcomes)}\n\n{evidence(outcomes)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
