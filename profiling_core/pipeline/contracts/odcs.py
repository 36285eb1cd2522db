"""A data contract of the Open Data Contract Standard as rules: what it promises of columns, and its quality checks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from profiling_core.model.constraint import Constraint
from profiling_core.model.kinds.column import Rule
from profiling_core.pipeline.contracts.rules import (
    Contents,
    Unsupported,
    Wanted,
    between,
    not_null,
    one_of,
    refers,
    unique,
)

_SEVERITY = {"error": "critical", "critical": "critical", "warning": "warning", "info": "info"}
_OURS = "constraint"
"""The property by which a check names the rule of ours that it was written from."""


def read(document: Mapping[str, Any]) -> Contents:
    """The contract's rules; checks that are none here are left out, with the reason."""
    rules: list[Wanted] = []
    left_out: list[tuple[str, str]] = []
    for table in document.get("schema") or ():
        rules += _promised(table)
        for where, column, check in _checks(table):
            try:
                rules.append(_checked(table["name"], where, column, check))
            except Unsupported as error:
                left_out.append((where, str(error)))
    return Contents(tuple(rules), tuple(left_out))


def _promised(table: Mapping[str, Any]) -> Iterator[Wanted]:
    """What is promised of columns in words of the standard's own."""
    name, columns = table["name"], table.get("properties") or ()
    key = sorted((c.get("primaryKeyPosition", 1), c["name"]) for c in columns if c.get("primaryKey"))
    if key:
        yield Wanted(unique(name, [column for _, column in key]), f"schema {name}, primary key")
    for column in columns:
        where = f"schema {name}, property {column['name']}"
        if column.get("required") or column.get("primaryKey"):
            yield Wanted(not_null(name, column["name"]), where)
        if column.get("unique"):
            yield Wanted(unique(name, [column["name"]]), where)
        yield from _options(name, column, where)
    for number, reference in enumerate(table.get("relationships") or (), start=1):
        sides = [_side(reference[name]) for name in ("from", "to")]
        (own, own_columns), (other, other_columns) = sides
        yield Wanted(refers(own, own_columns, other, other_columns), f"schema {name}, relationship {number}")


def _options(table: str, column: Mapping[str, Any], where: str) -> Iterator[Wanted]:
    options = column.get("logicalTypeOptions") or {}
    for rule, low, high in ((Rule.RANGE, "minimum", "maximum"), (Rule.LENGTH, "minLength", "maxLength")):
        bounds = {"low": options.get(low), "high": options.get(high)}
        if any(bound is not None for bound in bounds.values()):
            yield Wanted(between(table, column["name"], rule, bounds), where)


def _side(written: str | Sequence[str]) -> tuple[str, list[str]]:
    names = [written] if isinstance(written, str) else list(written)
    split = [name.rpartition(".") for name in names]
    return split[0][0], [column for _, _, column in split]


def _checks(table: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Each quality check with its place and the column that it is of; empty for checks of the table."""
    holders = [("", table), *((column["name"], column) for column in table.get("properties") or ())]
    for column, holder in holders:
        for number, check in enumerate(holder.get("quality") or (), start=1):
            of = f", property {column}" if column else ""
            yield f"schema {table['name']}{of}, quality {check.get('name') or number}", column, check


def _checked(table: str, where: str, column: str, check: Mapping[str, Any]) -> Wanted:
    severity = _SEVERITY.get(str(check.get("severity", "")).lower(), "")
    ours = any(p.get("property") == _OURS for p in check.get("customProperties") or ())
    if ours and check.get("id"):
        return Wanted(None, where, severity, str(check["id"]))
    if check.get("type", "library") != "library":
        raise Unsupported(f"a check of type {check['type']} is a query, and not a rule that can be followed")
    if check.get("mustBe") != 0:
        raise Unsupported("only checks that must be 0 are rules; others tolerate rows that violate them")
    return Wanted(_library(table, column, check), where, severity)


def _library(table: str, column: str, check: Mapping[str, Any]) -> Constraint:
    metric, given = check.get("metric") or check.get("rule"), check.get("arguments") or {}
    if metric in ("nullValues", "nullCheck") and column:
        return not_null(table, column)
    if metric == "duplicateValues":
        return unique(table, given.get("properties") or [column])
    if metric == "invalidValues" and column and given.get("validValues"):
        return one_of(table, column, given["validValues"])
    raise Unsupported(f"there is no rule here for the metric {metric}")
