"""Small work of every sort, done so that what it needs is compiled: ``python -m profiling_core.pipeline.warming NAME``.

``discoveries`` are those of files, ``deltas`` the steps of datasets, over Spark. What they find is of no interest. They
name no kernel, so that a new one is compiled ahead as soon as an engine uses it.
"""

import csv
import logging
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.model.constraint import DenialConstraint, Kind
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.types import NullSemantics

if TYPE_CHECKING:
    from profiling_core.pipeline.discovery_request import DiscoveryRequest

_CITIES = ("Bonn", "Ulm", "Trier", "Essen", "Jena")
_REGIONS = ("West", "South", "West", "West", "East")
# Enough rows that the pairs of a table are counted, and its new rows looked up, as in large tables.
_LARGE = 2_400
_ERRORS = "errors: {fd: 0.01, ucc: 0.01}"
# By table, what its configuration says. Engines for tables that no process holds compile nothing that these do not.
_TABLES = {
    "counted": ("engine: counted", "max_predicates: 3", _ERRORS),
    "unbounded": ("engine: counted", "space: same-column", "max_predicates: 0", "leave_out: [seen, paid]"),
    "indexed": ("engine: indexed", "max_predicates: 3"),
    "agree-sets": ("engine: agree-sets", "max_predicates: 3", _ERRORS, "leave_out: [shipped]"),  # without nulls
    "wide": ("engine: agree-sets", "max_predicates: 3", _ERRORS),
    "partitions": ("engine: partitions", "max_predicates: 3", _ERRORS),
}


def discoveries(place: Path) -> None:
    """Discovers constraints of every kind, by every engine and in every sense, of files of several shapes."""
    from profiling_core.pipeline.discover import discover

    small = [_write(place, name, _rows(size, seed)) for seed, (name, size) in enumerate({"a": 60, "b": 90}.items())]
    wide = _write(place, "wide", _wide(60, 45))
    tall = _write(place, "tall", ({"k": i % 97, "v": i % 97 % 13, "w": i} for i in range(30_000)))
    for request in _requests():
        discover(small, request)
    large = _write(place, "large", ({"k": i, "text": "x" * 4096} for i in range(4_200)))
    discover([large], _plain(Kind.IND))  # inclusions read large files in parts
    for kind, error in product((Kind.FD, Kind.UCC), (0.0, 0.01)):
        asked = replace(_plain(kind), max_error=error)
        discover([tall], asked)
        discover([wide], replace(asked, max_predicates=3))


def deltas(place: Path) -> None:
    """Applies three deltas to a table per engine, and judges, emits and alerts as any run does."""
    from profiling_core.pipeline.walk import walk

    for variable in [name for name in os.environ if name.startswith("HOLDFAST_") and "SPARK" not in name]:
        del os.environ[variable]
    os.environ["HOLDFAST_ROOT"] = str(place)
    datasets = place / "dags" / "datasets"
    datasets.mkdir(parents=True)
    (datasets / "warm.yaml").write_text(_dataset(place), "utf-8")
    for name in _TABLES:
        for number, changes in enumerate(_OTHER_DAYS.get(name, _days)()):
            _write(place / name, f"{number}", changes)
    walk("warm", label="0")
    _pin()
    walk("warm", dry_run=True)  # what follows a commit compiles nothing more


def _pin() -> None:
    """Lets each table follow what its later days break, as an FD and as a denial constraint that no FD says."""
    from profiling_core.pipeline.workspace import Workspace

    work = Workspace.open("warm")
    forms = ((("zip", Operator.EQ), ("region", Operator.NE)), (("zip", Operator.LT), ("rate", Operator.GT)))
    for table, form in product(_TABLES.keys() - _OTHER_DAYS.keys(), forms):
        predicates = tuple(Predicate(Operand("t", column), op, Operand("s", column)) for column, op in form)
        broken = DenialConstraint(table, predicates).familiar
        work.catalog.decide("warm", Decision(broken, Verdict.PIN, "holdfast warm"))


def _plain(kind: Kind) -> "DiscoveryRequest":
    from profiling_core.pipeline.discovery_request import DiscoveryRequest

    return DiscoveryRequest(kind=kind)


def _requests() -> "Iterator[DiscoveryRequest]":
    yield from map(_plain, (Kind.FD, Kind.DC, Kind.UCC, Kind.IND))  # what people type first
    for nulls in NullSemantics:
        denial = replace(_plain(Kind.DC), nulls=nulls, max_predicates=3)
        yield denial
        yield replace(denial, engine="hydra")
        yield replace(denial, engine="pairs", cross=False, max_predicates=None)
        yield replace(denial, max_error=0.01, max_predicates=2)
        yield replace(denial, reduced=False)
        for kind, error in product((Kind.FD, Kind.UCC), (0.0, 0.01)):
            yield replace(_plain(kind), nulls=nulls, max_error=error)
    inclusions = replace(_plain(Kind.IND), max_arity=2)
    yield inclusions
    yield replace(inclusions, values="text", max_error=0.1)


def _rows(size: int, seed: int) -> Iterator[dict[str, Any]]:
    """Rows with values of every type, nulls, dependencies that hold and some that nearly do."""
    chance = random.Random(seed)  # noqa: S311  # no secret: the same rows each time
    for i in range(size):
        zip_code = chance.randrange(5)
        yield {
            "id": i,
            "zip": zip_code,
            "city": _CITIES[zip_code] if i % 40 else "Elsewhere",
            "region": _REGIONS[zip_code],
            "rate": 10 * zip_code,
            "price": f"{chance.randrange(900) / 100:.2f}",
            "weight": chance.random(),
            "ordered": f"2024-01-{1 + i % 28:02}",
            "shipped": f"2024-02-{1 + i % 28:02}" if i % 7 else "",
            "seen": f"2024-01-01T{i % 24:02}:00:00Z",
            "paid": "true" if i % 3 else "false",
        }


def _wide(size: int, columns: int) -> Iterator[dict[str, object]]:
    chance = random.Random(size)  # noqa: S311  # as above
    for _ in range(size):
        yield {f"c{column}": f"{column}-{chance.randrange(2 + column % 5)}" for column in range(columns)}


def _days() -> Iterator[Iterator[dict[str, object]]]:
    """The table, then inserts, updates and deletes; and once more, since the second time reads the kept state."""
    first = list(_rows(_LARGE, 1))
    yield ({"_op": "insert"} | row for row in first)
    for day in (1, 2):
        new = ({"_op": "insert"} | row | {"id": _LARGE * day + i} for i, row in enumerate(_rows(25, day)))
        wrong = ({"_op": "insert"} | row | {"id": -day, "region": "North", "rate": 60} for row in _rows(1, day))
        changed = ({"_op": "update"} | row | {"id": 10 * day + i} for i, row in enumerate(_rows(8, day + 5)))
        corrected = (
            {"_op": "update"} | row | {"weight": row["weight"] + 1e-6} for row in first[50 * day : 50 * day + 24]
        )
        gone = ({"_op": "delete"} | row for row in first[200 * day : 200 * day + 4])
        yield (row for rows in (new, wrong, changed, corrected, gone) for row in rows)


def _wide_days() -> Iterator[Iterator[dict[str, object]]]:
    """The same for a table of many columns, with nulls."""
    first = list(_wide(120, 45))
    yield ({"_op": "insert", "id": i, "note": i % 7 or ""} | row for i, row in enumerate(first))
    for day in (1, 2):
        new = ({"_op": "insert", "id": 120 * day + i, "note": ""} | row for i, row in enumerate(_wide(20 + day, 45)))
        gone = ({"_op": "delete", "id": 4 * day + i, "note": ""} | row for i, row in enumerate(first[:3]))
        yield (row for rows in (new, gone) for row in rows)


def _waning_days() -> Iterator[Iterator[dict[str, object]]]:
    """A table of few rows that loses one a day, so that little of the evidence goes with it."""
    first = list(_rows(300, 1))
    for row in first[1:3]:
        row["region"] = "North"
    yield ({"_op": "insert"} | row for row in first)
    for day in (1, 2):
        yield iter([{"_op": "delete"} | first[day]])


def _dataset(place: Path) -> str:
    lines = ["dataset: warm", "max_arity: 2", "tables:"]
    for name, said in _TABLES.items():
        source = f"source: {{path: {place / name}, format: csv, kind: changes}}"
        # Validating many compiles nothing more, and takes Spark minutes.
        lines += [f"  {name}:", *(f"    {line}" for line in (source, "key: [id]", "presented: 1", *said))]
    return "\n".join(lines) + "\n"


def _write(directory: Path, name: str, rows: Iterable[Mapping[str, object]]) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.csv"
    found = list(rows)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    return path


_OTHER_DAYS = {"unbounded": _waning_days, "wide": _wide_days}
WORK: Mapping[str, Callable[[Path], None]] = {"discoveries": discoveries, "deltas": deltas}


def main(names: Iterable[str]) -> None:
    """Does the named work, and prints a line per kernel that is compiled."""
    kernels = logging.getLogger("profiling_core.kernels")
    kernels.addHandler(logging.StreamHandler(sys.stdout))
    kernels.setLevel(logging.INFO)
    for name in names:
        with tempfile.TemporaryDirectory(prefix="holdfast-warm-") as folder:
            WORK[name](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
