"""Columns that are included but for their types are said."""

import pyarrow as pa

from profiling_core.algorithms.inclusions.row_parts import TableParts
from profiling_core.ingest.infer import schema_of
from profiling_core.pipeline.near_misses import near_misses


def said(**tables):
    rows = {name: pa.table(columns) for name, columns in tables.items()}
    schemas = {name: schema_of(name, table.schema, "here") for name, table in rows.items()}
    return near_misses({name: TableParts(table) for name, table in rows.items()}, schemas)


def test_text_with_the_digits_of_a_key_is_said_either_way():
    told = said(customers={"id": [101, 102, 205]}, orders={"customer": ["101", None, "205", "101"]})
    assert told == [
        "orders.customer (text) has the digits of customers.id (whole numbers): no inclusion, since their types differ"
    ]
    (turned,) = said(customers={"id": ["101", "102", "205"]}, orders={"customer": [101, 205]})
    assert turned.startswith("orders.customer (whole numbers) has the digits of customers.id (text)")


def test_other_texts_missing_numbers_and_repeated_keys_are_not():
    assert not said(customers={"id": [101, 102]}, orders={"customer": ["101", "none"]})
    assert not said(customers={"id": [101, 102]}, orders={"customer": ["101", "103"]})
    assert not said(customers={"id": [101, 101]}, orders={"customer": ["101"] * 3})
    assert not said(customers={"id": [101, 102]}, orders={"customer": [101, 102]})
    assert not said(customers={"id": [101, 102]}, orders={"customer": pa.array([None, None], pa.string())})
