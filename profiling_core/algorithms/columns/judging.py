"""Which rows violate a rule of rows."""

import re
from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import parsed, present, shapes_of
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType


def judged(rows: pa.Table, rule: ColumnRule, schema: TableSchema) -> pa.ChunkedArray:
    """bool[n]: which rows violate a rule of rows."""
    column = schema.column(rule.column)
    values = present(rows[rule.column])
    if rule.rule is Rule.NOT_NULL:
        return pc.is_null(values)
    if rule.rule is Rule.NULL_WITH:
        there = [pc.is_valid(present(rows[name])) for name in rule.others]
        return pc.and_(pc.is_null(values), reduce(pc.or_, there))
    if rule.rule is Rule.AT_MOST:
        return pc.fill_null(pc.greater(values, present(rows[rule.others[0]])), fill_value=False)
    return pc.fill_null(_violates(values, rule, column), fill_value=False)


def _violates(values: pa.ChunkedArray, rule: ColumnRule, column: Column) -> pa.ChunkedArray:
    if rule.rule is Rule.VALUES:
        allowed = pa.array(rule.values, pa.string()).cast(values.type)
        return pc.and_(pc.is_valid(values), pc.invert(pc.is_in(values, value_set=allowed)))
    if rule.rule is Rule.PATTERN:
        shapes = pc.is_in(shapes_of(values), value_set=pa.array(rule.values, pa.string()))
        return pc.and_(pc.is_valid(values), pc.invert(shapes))
    kind = LogicalType.INTEGER if rule.rule is Rule.LENGTH else column.type
    measured = pc.utf8_length(values) if rule.rule is Rule.LENGTH else values
    below = pc.less(measured, parsed(rule.low, kind)) if rule.low is not None else None
    above = pc.greater(measured, parsed(rule.high, kind)) if rule.high is not None else None
    return above if below is None else below if above is None else pc.or_(below, above)


def regular_expression(shapes: Sequence[str], end: str = "$") -> str:
    """The regular expression that the strings of these shapes match as a whole.

    ``end`` is the sign for the end of the text: ``$`` in SQL databases; in Java it also matches before a final line
    break.
    """
    runs = {"9": "[0-9]+", "a": "[a-z]+", "A": "[A-Z]+"}
    alternatives = ("".join(runs.get(sign, re.escape(sign)) for sign in shape) for shape in shapes)
    return f"^(?:{'|'.join(alternatives)}){end}"
