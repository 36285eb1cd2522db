"""Inclusions of several columns on Spark: equal to discovery from scratch while tables and columns come and go."""

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers.inclusions import VersionedDataset

from profiling_core.maintain.inclusion_state import GeneratorOptions
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.state.store import Store

pytestmark = pytest.mark.spark

TYPES = {
    "lines": {"article": "string", "size": "integer", "shop": "string"},
    "stock": {"article": "string", "size": "float", "shop": "string"},
    "shops": {"name": "string"},
}
ARROW = {"string": pa.string(), "integer": pa.int64(), "float": pa.float64()}
VALUES = {"string": ["a", "b", "c", None], "integer": [1, 2, None], "float": [1.0, 2.0, 0.5]}


def schema(table, columns=None):
    chosen = {c: TYPES[table][c] for c in columns or TYPES[table]}
    return TableSchema(table, tuple(Column(c, LogicalType(t), t != "string") for c, t in chosen.items()))


def config(*tables, **options):
    named = {name: {"source": {"path": name}, "errors": {"ind_coverage": 0.6}} for name in tables or TYPES}
    return DatasetConfig.model_validate({"dataset": "shops", "tables": named, "max_arity": 3, **options})


def rows(table, *given):
    columns = zip(*given, strict=True) if given else [[] for _ in TYPES[table]]
    arrays = [pa.array(values, ARROW[t]) for values, t in zip(columns, TYPES[table].values(), strict=True)]
    return pa.Table.from_arrays(arrays, list(TYPES[table]))


def drawn(draw, table, size):
    return rows(table, *([draw.choice(VALUES[t]) for t in TYPES[table].values()] for _ in range(size)))


@pytest.fixture
def dataset(spark, tmp_path):
    store = Store(tmp_path / "home", "shops")
    options = GeneratorOptions(cells_per_bucket=40, max_files=2, log_cells=0)
    return VersionedDataset(spark, store, config(), {table: schema(table) for table in TYPES}, options)


def step(dataset, inserts, deletes=None, tracked=()):
    deltas, after = dataset.change(inserts, deletes)
    staged = dataset.maintain(deltas, tracked)
    dataset.commit(staged, after)
    known = {m.constraint.fingerprint for m in dataset.discovered(after)}
    assert [m for m in staged.results if m.constraint.fingerprint in known] == dataset.discovered(after)
    return staged


@pytest.mark.parametrize("seed", range(2))
def test_every_version_equals_discovery_from_scratch(dataset, seed):
    draw = random.Random(seed)
    lengths = set()
    for number in range(5):
        tables = list(TYPES) if number == 0 else draw.sample(list(TYPES), 2)
        inserts = {t: drawn(draw, t, draw.choice([2, 9]) + 12 * (number == 0)) for t in tables}
        share = draw.choice([0.1, 0.6])
        staged = step(
            dataset,
            inserts,
            lambda _, known, share=share: np.array([draw.random() < share for _ in range(len(known))], bool),
        )
        lengths |= {len(m.constraint.columns) for m in staged.results}
    assert lengths >= {1, 2}


LINES = InclusionDependency(ColumnList("lines", ("article", "size")), ColumnList("stock", ("article", "size")))


def test_rows_without_partner_for_a_combination_are_shown(dataset):
    lines, stock = [("a", 1, "x"), ("b", 2, "x")], [("a", 1.0, "x"), ("b", 2.0, "x"), ("a", 2.0, "x")]
    staged = step(
        dataset, {"lines": rows("lines", *lines), "stock": rows("stock", *stock), "shops": rows("shops", ("x",))}
    )
    assert LINES in [m.constraint for m in staged.results if m.holds]
    staged = step(dataset, {"lines": rows("lines", ("b", 1, "x"), ("a", 2, "x"))}, tracked=[LINES])
    broken = staged.orphans[LINES.fingerprint]
    shown = {"article": "b", "size": "1", "shop": "x"}
    assert (broken.violating_rows, [w.broken_by for w in broken.witnesses]) == (1, [shown])
    (figures,) = [m for m in staged.results if m.constraint == LINES]
    assert (figures.violations, figures.population, figures.row_coverage) == (1, 4, 0.75)
    staged = step(dataset, {"stock": rows("stock", ("b", 1.0, "x"))}, tracked=[LINES])
    assert [m.violations for m in staged.results if m.constraint == LINES] == [0]


def test_a_followed_combination_stays_measured_when_a_part_breaks(dataset):
    step(dataset, {"lines": rows("lines", ("a", 1, "x")), "stock": rows("stock", ("a", 1.0, "x"))})
    staged = step(dataset, {"lines": rows("lines", ("c", 2, "x"), ("b", 2, "x"))}, tracked=[LINES])
    assert [(m.violations, m.population) for m in staged.results if m.constraint == LINES] == [(2, 3)]
    assert staged.orphans[LINES.fingerprint].violating_rows == 2


def test_tables_come_and_go(dataset):
    lines, stock = rows("lines", ("a", 1, "x"), ("b", 2, "y")), rows("stock", ("a", 1.0, "x"), ("b", 2.0, "y"))
    dataset.config = config("lines", "stock")
    step(dataset, {"lines": lines, "stock": stock})
    dataset.config = config()
    staged = step(dataset, {"shops": rows("shops", ("x",), ("y",))})
    assert any(m.constraint.rhs.table == "shops" for m in staged.results)
    dataset.config = config("stock", "shops")
    del dataset.rows["lines"]
    staged = step(dataset, {"stock": stock.slice(0, 1)})
    assert staged.results
    assert not [m for m in staged.results if "lines" in m.constraint.tables]
    assert [f.role for f in dataset.version.files if f.role.startswith("generator")].count("generator") > 0


def test_columns_come_and_go(dataset):
    step(dataset, {"lines": rows("lines", ("a", 1, "x")), "stock": rows("stock", ("a", 1.0, "x"))})
    whole = dict(dataset.schemas)
    left = tuple(replace(c, profiled=c.name != "shop") for c in schema("stock").columns)
    dataset.schemas = whole | {"stock": TableSchema("stock", left)}
    staged = step(dataset, {"stock": rows("stock", ("b", 1.0, "x"))})
    assert not [m for m in staged.results if "shop" in (*m.constraint.lhs.columns, *m.constraint.rhs.columns)]
    dataset.schemas = whole
    staged = step(dataset, {"stock": rows("stock", ("b", 2.0, "y"))}, lambda _, known: np.arange(len(known)) == 1)
    assert any(m.constraint.rhs == ColumnList("stock", ("article", "shop")) for m in staged.results)


def test_a_smaller_bound_drops_the_longer_ones(dataset):
    step(dataset, {"lines": rows("lines", ("a", 1, "x")), "stock": rows("stock", ("a", 1.0, "x"))})
    dataset.config = config(max_arity=1)
    staged = step(dataset, {"lines": rows("lines", ("a", 1, "x"))}, tracked=[LINES])
    assert {len(m.constraint.columns) for m in staged.results} == {1}
    assert {f.role for f in staged.files} == {"attributes", "clusters", "generator", "reference-rules", "results"}


def test_more_candidates_than_can_be_kept_are_refused(dataset, monkeypatch):
    monkeypatch.setattr("profiling_core.maintain.inclusions.MOST_CANDIDATES", 1)
    deltas, _ = dataset.change({"lines": rows("lines", ("a", 1, "a")), "stock": rows("stock", ("a", 1.0, "a"))})
    with pytest.raises(ConfigurationError, match="at most 1 are looked for"):
        dataset.maintain(deltas)
