"""Great Expectations finds the same over random tables on Spark and in one process: figures, values and rows."""

import json
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from helpers.examples import ALL
from helpers.validators import WAYS, tables_by

from profiling_core.emit.suites import SuiteRequest, emit_suites
from profiling_core.ingest.infer import schema_of
from profiling_core.model.change import ChangeSet, LifecycleState
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.expressions.numeric import Linear
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.source import Source
from profiling_core.model.types import NullSemantics
from profiling_core.validate.execution import execute_suite

pytestmark = pytest.mark.spark
# Two columns of a type are compared with each other, and are often equal.
VALUES = {
    pa.int64(): (0, 1, 2, 2**53, 2**53 + 1, -(2**63), 2**63 - 1),
    pa.string(): ("", "a", "B", "AB1", "AB1\n", "ß", "é", "e\u0301", "😀", "1.5", "{batch}", "x" * 300, "\u0130"),
    pa.date32(): (date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(9999, 12, 31)),
    pa.timestamp("us", "UTC"): tuple(
        datetime(year, 1, 1, tzinfo=UTC) + timedelta(microseconds=extra)
        for year in (1, 1677, 2024, 9999)
        for extra in (0, 1)
    ),
    pa.decimal128(20, 2): tuple(map(Decimal, ("0.00", "-1.50", "0.10", "123456789012345678.99"))),
    pa.bool_(): (False, True),
}
TYPES = {f"{name}{number}": type_ for name, type_ in zip("istmdb", VALUES, strict=True) for number in (1, 2)}
ROWS = 60


def some_table(rng: random.Random) -> pa.Table:
    """A table in which a third of the columns have no nulls, and values of some rarely repeat."""
    columns = {}
    for name, type_ in TYPES.items():
        pool = [*VALUES[type_], *([None] * rng.choice((0, 1, 4)))]
        if name in ("i1", "t1") and rng.random() < 0.5:  # nearly a key
            pool = list(range(2 * ROWS)) if name == "i1" else [date(2000, 1, 1) + timedelta(i) for i in range(2 * ROWS)]
        columns[name] = pa.array([rng.choice(pool) for _ in range(ROWS)], type_)
    return pa.table({"_row_id": pa.array(range(ROWS), pa.int64()), **columns})


def constraints():
    """Of each expectation that a suite can have, for each type that it can have it for; and queries of each kind."""

    def of(*names):
        return ColumnList("r", names)

    def alone(left, op, right):
        return DenialConstraint("r", (Predicate(Operand("t", left), Operator(op), Operand("t", right)),))

    for a, b in zip(list(TYPES)[::2], list(TYPES)[1::2], strict=True):
        yield UniqueColumnCombination(of(a))
        yield UniqueColumnCombination(of(a, "i2"))
        yield ColumnRule("r", b, Rule.NOT_NULL)
        yield Equation("r", a, Linear((("1", b),)))
        yield FunctionalDependency(of(a), of(b))
        if a != "b1":
            yield alone(a, "<", b)
            yield alone(b, "≤", a)
    yield UniqueColumnCombination(of("s1", "t1", "d1"))
    yield InclusionDependency(of("s1"), ColumnList("o", ("s2",)))
    yield ColumnRule("r", "i1", Rule.VALUES, values=("0", "1", str(2**53)))
    yield ColumnRule("r", "s1", Rule.VALUES, values=("a", "B", "1.5"))
    yield ColumnRule("r", "i2", Rule.RANGE, "1", str(2**53))
    yield ColumnRule("r", "i2", Rule.RANGE, None, "2")
    yield ColumnRule("r", "s2", Rule.LENGTH, "1", "3")
    yield ColumnRule("r", "s2", Rule.PATTERN, values=("A9", "9.9", "a", "{a}"))


def found(way, request, folder, rng, nulls):
    """Each constraint's result, its rows and values in any order."""
    tables = {"r": some_table(rng), "o": some_table(rng)}
    schemas = {name: schema_of(name, table.drop_columns("_row_id").schema, "here") for name, table in tables.items()}
    # Rules of columns and equations say the same whatever nulls mean.
    asked = [c for c in constraints() if nulls is NullSemantics.SQL or not isinstance(c, (ColumnRule, Equation))]
    tracked = [Tracked(Measured(c, 1, 9, 9), "r", LifecycleState.VIOLATED, "1", 9, 1, 1.0, 1) for c in asked]
    sources = {name: TableConfig(source=Source(path=".")) for name in tables}
    config = DatasetConfig(dataset="shop", tables=sources, nulls=nulls)
    changes = ChangeSet("shop", 1, "", {}, ())
    emitted = emit_suites(folder, SuiteRequest("shop", 1, tracked, changes, schemas, config))
    (suite,) = (suite for suite in emitted.tables if suite.table == "r")
    with tables_by(way, request) as make:
        results = execute_suite(folder / suite.path, "r", make(tables), max_rows=ROWS)
    return {
        f"{r['expectation_config']['type']} {r['expectation_config']['meta']['constraint']}": plain(r) for r in results
    }


def plain(result):
    problems = result["exception_info"]
    assert problems.get("raised_exception") is False, problems
    return {"success": result["success"], **{name: in_any_order(value) for name, value in result["result"].items()}}


def in_any_order(value):
    if isinstance(value, dict):
        return {name: in_any_order(item) for name, item in value.items()}
    return Counter(json.dumps(item, sort_keys=True) for item in value) if isinstance(value, list) else value


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("seed", range(9 if ALL else 1))
def test_results_are_the_same_both_ways(request, tmp_path, seed, nulls):
    one, other = (found(way, request, tmp_path, random.Random(seed), nulls) for way in WAYS)
    assert len(one) > (40 if nulls is NullSemantics.SQL else 25)
    assert sum(not result["success"] for result in one.values()) > len(one) // 2
    differing = {name: (result, other[name]) for name, result in one.items() if result != other[name]}
    assert not differing
