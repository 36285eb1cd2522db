"""A constraint as a Great Expectations expectation: a built-in one where one says the same, else SQL.

Built-in ones are taken only where their null semantics and comparison on Spark are exactly ours, so never for float
columns, nor for names that Spark's column expressions would read as paths. Everything else is an
``UnexpectedRowsExpectation``. Either way a suite loads and runs without this package.
"""

import html
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.counts import only_beyond
from profiling_core.emit.sql import GX_VIEW, gx_query, other_tables, violating_rows
from profiling_core.emit.wording import in_words
from profiling_core.model.constraint import (
    Constraint,
    DenialConstraint,
    InclusionDependency,
    UniqueColumnCombination,
)
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_NAMESPACE = uuid.UUID("6f1f0f0e-7a53-5d5e-9f0a-2f3d8a6b9c41")
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_QUERY = "unexpected_rows_expectation"


@dataclass(frozen=True, slots=True)
class Setting:
    """What an expectation is built against: the dataset, its schemas, and the table's null semantics.

    ``as_text`` says that inclusion dependencies compare the source's text, of which typed columns know nothing.
    """

    dataset: str
    schemas: Mapping[str, TableSchema]
    nulls: NullSemantics
    as_text: bool = False


def stable_id(*parts: str) -> str:
    """A UUID that depends on the parts alone, so that an expectation keeps its id through every version."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(parts)))


def expectation(
    constraint: Constraint, setting: Setting, meta: Mapping[str, Any], *, tolerance: float = 0.0
) -> dict[str, Any]:
    """The expectation's configuration as GX stores it.

    Args:
        constraint: what is to hold.
        setting: names, types and null semantics of the data.
        meta: figures to keep with it; fingerprint, kind and table are added.
        tolerance: error up to which it counts as holding; 0 asks it to hold exactly.

    Raises:
        InexpressibleError: neither a built-in expectation nor SQL says exactly the same.
    """
    built_in = None if tolerance else _built_in(constraint, setting)
    kind, kwargs = built_in or (_QUERY, {"unexpected_rows_query": _query(constraint, setting, tolerance)})
    return {
        "type": kind,
        "kwargs": kwargs,
        "id": stable_id(setting.dataset, constraint.fingerprint),
        "severity": _severity(constraint, tolerance),
        # GX puts descriptions into its HTML as they are
        "description": html.escape(_description(constraint, tolerance)),
        "meta": {
            **meta,
            "constraint": constraint.text,
            "fingerprint": constraint.fingerprint,
            "kind": constraint.kind.value,
            "needs_views": list(other_tables(constraint)),
            "nulls": setting.nulls.value,
            "table": constraint.tables[0],
            "tolerance": tolerance,
        },
    }


def _severity(constraint: Constraint, tolerance: float) -> str:
    """Stable through the days, unlike a rank: dependencies matter more than rules, tolerated ones least."""
    if tolerance:
        return "info"
    familiar = constraint.familiar if isinstance(constraint, DenialConstraint) else constraint
    return "warning" if isinstance(familiar, DenialConstraint) else "critical"


def _description(constraint: Constraint, tolerance: float) -> str:
    words = in_words(constraint)
    return f"{words} An error of at most {tolerance:.3g} is tolerated." if tolerance else words


def _query(constraint: Constraint, setting: Setting, tolerance: float) -> str:
    if GX_VIEW in other_tables(constraint):
        raise InexpressibleError(
            f"a table called {GX_VIEW} is hidden by the view of that name in which GX puts the batch",
            remedy="rename the table in the dataset's configuration",
        )
    if setting.as_text and isinstance(constraint, InclusionDependency):
        _check_texts(constraint, setting)
    query = violating_rows(constraint, setting.schemas, setting.nulls)
    if tolerance:
        query = only_beyond(query, tolerance, constraint, setting.schemas, setting.nulls)
    return gx_query(query, constraint.tables[0])


def _check_texts(ind: InclusionDependency, setting: Setting) -> None:
    columns = [setting.schemas[side.table].column(name) for side in (ind.lhs, ind.rhs) for name in side.columns]
    if any(column.type is not LogicalType.STRING for column in columns):
        raise InexpressibleError("it compares the text of the source (values: text), and the column is typed")


def _built_in(constraint: Constraint, setting: Setting) -> tuple[str, dict[str, Any]] | None:
    schema = setting.schemas[constraint.tables[0]]
    if not constraint.columns or not all(_is_plain(schema, column) for column in constraint.columns):
        return None
    familiar = constraint.familiar if isinstance(constraint, DenialConstraint) else constraint
    if isinstance(familiar, UniqueColumnCombination):
        return _unique(familiar, setting.nulls)
    if isinstance(familiar, DenialConstraint) and familiar.is_single_row and len(familiar.predicates) == 1:
        return _ordered_pair(familiar, schema, setting.nulls)
    return None


def _is_plain(schema: TableSchema, column: str) -> bool:
    return bool(_SIMPLE_NAME.match(column)) and schema.column(column).type is not LogicalType.FLOAT


def _unique(ucc: UniqueColumnCombination, nulls: NullSemantics) -> tuple[str, dict[str, Any]] | None:
    if len(ucc.columns) == 1:
        # this one always leaves nulls out
        single = {"column": ucc.columns[0]}
        return ("expect_column_values_to_be_unique", single) if nulls is NullSemantics.SQL else None
    ignored = "any_value_is_missing" if nulls is NullSemantics.SQL else "never"
    return "expect_compound_columns_to_be_unique", {"column_list": list(ucc.columns), "ignore_row_if": ignored}


def _ordered_pair(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics) -> tuple[str, dict[str, Any]] | None:
    """``¬(t.A < t.B)`` asks for A ≥ B, ``¬(t.A ≤ t.B)`` for A > B."""
    (predicate,) = dc.predicates
    left, right = schema.column(predicate.left.column), schema.column(predicate.right.column)
    if (left.type, left.precision, left.scale) != (right.type, right.precision, right.scale):
        return None
    strict = predicate.op in (Operator.LE, Operator.GE)
    if predicate.op not in (Operator.LT, Operator.LE, Operator.GT, Operator.GE):
        return None
    if strict and nulls is NullSemantics.EQUAL:
        return None  # ≤ holds between two nulls, and so two nulls violate it
    greater, less = (left, right) if predicate.op in (Operator.LT, Operator.LE) else (right, left)
    return "expect_column_pair_values_a_to_be_greater_than_b", {
        "column_A": greater.name,
        "column_B": less.name,
        "or_equal": not strict,
        "ignore_row_if": "either_value_is_missing",
    }
