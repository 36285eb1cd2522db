"""What reads as a foreign key, and what small numbers make by chance."""

import pytest

from profiling_core.algorithms.inclusions.foreign_keys import (
    LIKELY,
    ColumnsByName,
    InclusionSide,
    KeyReading,
    rank,
    read,
)
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType


def schema(table, **columns):
    return TableSchema(
        table, tuple(Column(name, LogicalType(type_), type_ != "string") for name, type_ in columns.items())
    )


SCHEMAS = {
    "lines": schema("lines", l_order="integer", l_partkey="integer", l_suppkey="integer", l_number="integer"),
    "parts": schema("parts", p_partkey="integer", p_size="integer"),
    "suppliers": schema("suppliers", id="integer", name="string"),
    "stock": schema("stock", s_partkey="integer", s_suppkey="integer"),
    "flights": schema("flights", origin="string", supplier_id="integer"),
    "airports": schema("airports", faa="string", name="string"),
    "customers": schema("customers", id="integer", name="string"),
    "customer_notes": schema("customer_notes", id="integer", note="string"),
    "visits": schema("visits", id="integer", day="date"),
}
# Distinct values and rows.
SIDES = {
    "lines.l_partkey": (2000, 9000),
    "lines.l_suppkey": (100, 9000),
    "lines.l_number": (7, 9000),
    "lines.l_partkey,l_suppkey": (8000, 9000),
    "parts.p_partkey": (2000, 2000),
    "parts.p_size": (50, 2000),
    "suppliers.id": (100, 100),
    "stock.s_partkey": (2000, 8000),
    "stock.s_suppkey": (100, 8000),
    "stock.s_partkey,s_suppkey": (8000, 8000),
    "flights.origin": (3, 50000),
    "flights.supplier_id": (90, 50000),
    "airports.faa": (1458, 1458),
    "customers.id": (200, 200),
    "customer_notes.id": (150, 150),
    "visits.id": (2000, 2000),
}


def side(text):
    table, columns = text.split(".")
    return ColumnList(table, tuple(columns.split(",")))


def reading(included, referenced, missing=0):
    sides = {side(text): InclusionSide(*figures) for text, figures in SIDES.items()}
    distinct = SIDES[included][0]
    inclusion = InclusionDependency(side(included), side(referenced))
    measured = Measured(inclusion, missing, distinct, distinct - missing, 1.0)
    return measured, read(measured, sides, {name: ColumnsByName(made) for name, made in SCHEMAS.items()}, "typed")


MEANT = [
    ("lines.l_partkey", "parts.p_partkey"),
    ("stock.s_partkey", "parts.p_partkey"),
    ("lines.l_suppkey", "suppliers.id"),
    ("lines.l_partkey,l_suppkey", "stock.s_partkey,s_suppkey"),
    ("flights.origin", "airports.faa"),
    ("flights.supplier_id", "suppliers.id"),
    ("customer_notes.id", "customers.id"),
]
CHANCE = [
    ("lines.l_number", "parts.p_partkey"),
    ("lines.l_number", "suppliers.id"),
    ("parts.p_size", "suppliers.id"),
    ("lines.l_suppkey", "parts.p_partkey"),
    ("suppliers.id", "parts.p_partkey"),
    ("lines.l_number", "parts.p_size"),
    ("parts.p_partkey", "stock.s_partkey"),
    ("customers.id", "visits.id"),
]


@pytest.mark.parametrize(("included", "referenced"), MEANT)
def test_what_was_meant_reads_as_a_foreign_key(included, referenced):
    found = reading(included, referenced)[1]
    assert found.likelihood >= LIKELY
    assert "a foreign key" in found.text
    assert KeyReading.from_json(found.to_json()) == found


@pytest.mark.parametrize(("included", "referenced"), CHANCE)
def test_what_comes_about_by_chance_does_not(included, referenced):
    assert reading(included, referenced)[1].likelihood < LIKELY


def test_missing_values_make_it_less_likely_and_ranking_goes_by_likelihood():
    whole, partial = reading(*MEANT[2]), reading(*MEANT[2], missing=4)
    assert partial[1].likelihood < whole[1].likelihood
    assert "4.00% of the values are missing" in partial[1].text
    found = [reading(*pair) for pair in (*CHANCE, *MEANT)]
    ranked = rank([m for m, _ in found], {m.constraint.fingerprint: r for m, r in found})
    assert {r.measured.constraint for r in ranked[: len(MEANT)]} == {m.constraint for m, _ in found[len(CHANCE) :]}
