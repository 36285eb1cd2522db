"""What reads as a foreign key, and what small numbers make by chance; the join graph as a picture."""

from xml.etree import ElementTree as ET

import pytest

from profiling_core.algorithms.inclusions.foreign_keys import LIKELY, InclusionSide, KeyReading, rank, read
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.pipeline.join_drawing import draw
from profiling_core.pipeline.joins import Join, JoinGraph


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
    return measured, read(measured, sides, SCHEMAS, "typed")


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


def graph(joins, **tables):
    found = []
    for included, referenced, missing in joins:
        measured, read_as = reading(included, referenced, missing)
        found.append(Join(measured.constraint, measured, read_as))
    return JoinGraph("shop <1>", 3, tables, tuple(found))


def test_the_picture_shows_tables_columns_and_joins_with_text_escaped():
    joins = [(*MEANT[0], 0), (*MEANT[3], 0), (*MEANT[1], 20)]
    picture = draw(graph(joins, **{"lines": 9000, "stock": 8000, "parts": 2000, "<script>": 0}))
    root = ET.fromstring(picture)  # our own picture
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"lines", "parts", "stock", "l_suppkey", "s_suppkey", "<script>", "99.00%", "9,000 rows"} <= set(texts)
    paths = [e for e in root.iter("{http://www.w3.org/2000/svg}path") if "marker-end" in e.attrib]
    assert len(paths) == 3
    assert "<script>" not in picture


def test_cycles_joins_within_a_table_and_no_tables_at_all_are_drawn():
    cycle = [("lines.l_partkey", "parts.p_partkey", 0), ("parts.p_size", "lines.l_partkey", 0)]
    within = [("parts.p_size", "parts.p_partkey", 0)]
    assert draw(graph([*cycle, *within], lines=1, parts=2)).count("marker-end") == 3
    assert draw(graph([], alone=1)).count('class="box"') == 1
