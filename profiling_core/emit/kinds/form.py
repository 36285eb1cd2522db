"""How every kind of constraint is written in SQL, in suites and in contracts.

A kind's module ends with its ``FORM``; ``registry.py`` lists them. All functions take a constraint of the kind, in its
familiar form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from sqlglot import exp

from profiling_core.emit.setting import Setting
from profiling_core.model.constraint import ColumnList
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

Schemas = Mapping[str, TableSchema]
BuiltIn = tuple[str, dict[str, Any]]
Written = Callable[[Any, Schemas, NullSemantics], exp.Select]


class Promise(StrEnum):
    """Promises about columns that contracts have words for, beside SQL."""

    REQUIRED = "required"
    UNIQUE = "unique"
    REFERENCE = "reference"


class Promised(NamedTuple):
    """A promise of some columns, and what they refer to where it is a reference."""

    promise: Promise
    columns: ColumnList
    refers_to: ColumnList | None = None


def _no_built_in(_: Any, __: Setting) -> BuiltIn | None:
    return None


def _no_promise(_: Any) -> Promised | None:
    return None


def _is_said(_: Any, __: Setting) -> str:
    return ""


def _no_scan(_: Any, __: Schemas, ___: NullSemantics) -> bool:
    return False


def _no_pairs(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of constraint, as other programs take it.

    Attributes:
        rows: the rows of the constraint's own table that take part in a violation, each once, with its columns, the
            table's key and ``_row_id``; raises ``InexpressibleError`` where SQL cannot say exactly that.
        violations: one row with one bigint column, ``violations``; raises as ``rows`` does.
        population: one row with one bigint column, ``population``: what the violations are counted among.
        assertion: the word for it among OpenLineage's assertions.
        dimension: the dimension of data quality.
        severity: of a violation, where no error is tolerated.
        built_in: Great Expectations' own expectation that says exactly the same and its arguments, or None.
        promise: what a contract says of the columns beside SQL, or None.
        refusal: why a setting cannot have it in SQL; empty where it can.
        scans_pairs: whether its violating rows are found by comparing every pair of rows.
        counts_pairs: whether its violations are counted by comparing pairs of rows.
    """

    rows: Written
    violations: Written
    population: Callable[[Any, Schemas], exp.Select]
    assertion: str
    dimension: str = "consistency"
    severity: str = "critical"
    built_in: Callable[[Any, Setting], BuiltIn | None] = _no_built_in
    promise: Callable[[Any], Promised | None] = _no_promise
    refusal: Callable[[Any, Setting], str] = _is_said
    scans_pairs: Callable[[Any, Schemas, NullSemantics], bool] = _no_scan
    counts_pairs: Callable[[Any], bool] = _no_pairs
