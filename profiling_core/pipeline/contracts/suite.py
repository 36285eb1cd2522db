"""A suite of Great Expectations as rules: of the table that it is for."""

from collections.abc import Callable, Mapping
from typing import Any

from profiling_core.model.constraint import Constraint, DenialConstraint
from profiling_core.model.kinds.column import Rule
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.pipeline.contracts.rules import Contents, Unsupported, Wanted, between, not_null, one_of, unique

Arguments = Mapping[str, Any]


def read(document: Mapping[str, Any], table: str) -> Contents:
    """The expectations that are rules here; others are left out, with the reason."""
    rules: list[Wanted] = []
    left_out: list[tuple[str, str]] = []
    for number, entry in enumerate(document.get("expectations", ()), start=1):
        where = f"expectation {number}, {entry.get('type')}"
        known = (entry.get("meta") or {}).get("fingerprint", "")
        try:
            constraint = None if known else _constraint(entry, table)
            rules.append(Wanted(constraint, where, entry.get("severity") or "", known))
        except Unsupported as error:
            left_out.append((where, str(error)))
    return Contents(tuple(rules), tuple(left_out))


def _constraint(entry: Mapping[str, Any], table: str) -> Constraint:
    given = entry.get("kwargs") or {}
    if given.get("mostly", 1) != 1:
        raise Unsupported("it tolerates rows that violate it; accept the constraint with its error instead")
    if given.get("row_condition"):
        raise Unsupported("it applies to some rows only")
    reader = _READERS.get(str(entry.get("type")))
    if reader is None:
        raise Unsupported("there is no rule of that kind here")
    return reader(table, given)


def _range(table: str, given: Arguments) -> Constraint:
    if given.get("strict_min") or given.get("strict_max"):
        raise Unsupported("its bounds are exclusive; write inclusive ones")
    return between(table, given["column"], Rule.RANGE, {"low": given.get("min_value"), "high": given.get("max_value")})


def _length(table: str, given: Arguments) -> Constraint:
    exactly = given.get("value")
    low, high = given.get("min_value", exactly), given.get("max_value", exactly)
    return between(table, given["column"], Rule.LENGTH, {"low": low, "high": high})


def _greater(table: str, given: Arguments) -> Constraint:
    """``A > B`` is violated where A ≤ B, ``A ≥ B`` where A < B."""
    op = Operator.LT if given.get("or_equal") else Operator.LE
    left, right = (Operand("t", given[name]) for name in ("column_A", "column_B"))
    return DenialConstraint(table, (Predicate(left, op, right),))


_READERS: Mapping[str, Callable[[str, Arguments], Constraint]] = {
    "expect_column_values_to_not_be_null": lambda table, given: not_null(table, given["column"]),
    "expect_column_values_to_be_unique": lambda table, given: unique(table, [given["column"]]),
    "expect_compound_columns_to_be_unique": lambda table, given: unique(table, given["column_list"]),
    "expect_column_values_to_be_in_set": lambda table, given: one_of(table, given["column"], given["value_set"]),
    "expect_column_values_to_be_between": _range,
    "expect_column_value_lengths_to_be_between": _length,
    "expect_column_value_lengths_to_equal": _length,
    "expect_column_pair_values_a_to_be_greater_than_b": _greater,
}
