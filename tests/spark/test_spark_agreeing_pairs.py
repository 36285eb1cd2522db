"""Counts of agreeing pairs by Spark's groupings against counting them one by one, whatever the partitions."""

import itertools
import random

import pytest
from oracle import dependencies as naive

from profiling_core.algorithms.dependencies.search.batched_search import search
from profiling_core.algorithms.dependencies.search.search_space import SearchSpace, Task
from profiling_core.model.types import NullSemantics
from profiling_core.spark import agreeing_pairs

pytestmark = pytest.mark.spark

COLUMNS = ("a b", "b.c", "c`d", "e")


def table(spark, rows, partitions):
    schema = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in zip(COLUMNS, KINDS, strict=True))
    return spark.createDataFrame(rows, schema).repartition(partitions)


KINDS = ("string", "double", "int", "boolean")


def drawn(rng):
    return (
        rng.choice(["x", "X", "", None]),
        rng.choice([0.0, -0.0, 1.5, None]),
        rng.choice([1, 2, 3, None]),
        rng.choice([True, False]),
    )


@pytest.mark.parametrize("nulls", NullSemantics)
def test_pairs_of_every_column_set_equal_the_oracle(spark, nulls, monkeypatch):
    monkeypatch.setattr(agreeing_pairs, "SETS_PER_JOB", 6)
    rng = random.Random(3)  # test data
    rows = [drawn(rng) for _ in range(40)]
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    sets = [chosen for size in range(1, 5) for chosen in itertools.combinations(range(4), size)]
    masks = [sum(1 << i for i in chosen) for chosen in sets]
    expected = [naive.ucc_violations(named, tuple(COLUMNS[i] for i in chosen), nulls) for chosen in sets]
    for partitions in (1, 5):
        found = agreeing_pairs.agreeing_pairs(table(spark, rows, partitions), COLUMNS, nulls, masks, [])
        assert [2 * count for count in found] == expected
    assert agreeing_pairs.agreeing_pairs(table(spark, [], 1), COLUMNS, nulls, masks, []) == [0] * len(masks)


def test_pairs_that_agree_and_differ_are_counted_with_their_nulls(spark):
    rng = random.Random(5)  # test data
    rows = [drawn(rng) for _ in range(30)]
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    for nulls in NullSemantics:
        pairs = agreeing_pairs.counts_of(table(spark, rows, 3), COLUMNS, nulls, len(rows))
        questions = [(lhs, rhs) for lhs in range(16) for rhs in range(4) if not lhs >> rhs & 1]
        expected = [
            naive.fd_violations(named, tuple(COLUMNS[i] for i in range(4) if lhs >> i & 1), COLUMNS[rhs], nulls)
            for lhs, rhs in questions
        ]
        assert [2 * count for count in pairs.violations_of_each(questions)] == expected


def test_a_set_of_more_columns_than_one_job_takes(spark):
    names = [f"c{i}" for i in range(70)]
    rows = [tuple(i % 3 for _ in names) for i in range(9)]
    frame = spark.createDataFrame(rows, ", ".join(f"{name} int" for name in names))
    masks = [1, (1 << 70) - 1, (1 << 69) - 1]
    assert agreeing_pairs.agreeing_pairs(frame, names, NullSemantics.SQL, masks, []) == [9, 9, 9]


def test_what_contains_a_set_without_pairs_is_not_counted(spark, monkeypatch):
    jobs, counted = [], agreeing_pairs._counted
    monkeypatch.setattr(agreeing_pairs, "SETS_PER_JOB", 2)
    monkeypatch.setattr(agreeing_pairs, "_counted", lambda *asked: jobs.append(asked[-1]) or counted(*asked))
    frame, unique = spark.createDataFrame([(i, i % 2, 1) for i in range(4)], "a int, b int, c int"), []
    found = agreeing_pairs.agreeing_pairs(frame, "abc", NullSemantics.EQUAL, [0b111, 0b110, 0b11, 0b10, 0b1], unique)
    assert (found, jobs, unique) == ([0, 2, 0, 2, 0], [[0b1, 0b10], [0b110]], [0b1])


def test_a_search_over_spark_ends_with_the_oracles_dependencies(spark):
    rng = random.Random(8)  # test data
    rows = [drawn(rng) for _ in range(25)]
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    pairs = agreeing_pairs.counts_of(table(spark, rows, 2), COLUMNS, NullSemantics.SQL, len(rows))
    spaces = [SearchSpace(rhs, non_dependencies=[0b0111 & ~(1 << rhs)]) for rhs in range(4)]
    search([Task(space, 3, 6) for space in spaces], pairs)
    for space in spaces:
        found = {tuple(COLUMNS[i] for i in range(4) if lhs >> i & 1) for lhs in space.dependencies}
        others = tuple(name for name in COLUMNS if name != COLUMNS[space.rhs])
        minimal = {
            lhs
            for size in range(4)
            for lhs in itertools.combinations(others, size)
            if violated(named, lhs, space.rhs) <= 12
            and all(violated(named, tuple(c for c in lhs if c != out), space.rhs) > 12 for out in lhs)
        }
        assert found == minimal


def violated(rows, lhs, rhs):
    return naive.fd_violations(rows, lhs, COLUMNS[rhs], NullSemantics.SQL)
