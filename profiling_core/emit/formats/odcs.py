"""Open Data Contract Standard 3.1 (bitol-io): tables with their columns, keys, references, and a SQL check per rule."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from profiling_core.emit.expectations import stable_id
from profiling_core.emit.formats.contract import Contract, ContractRule, Export, to_yaml, without
from profiling_core.emit.kinds.form import Promise
from profiling_core.model.constraint import ColumnList
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

API_VERSION = "v3.1.0"
_REFERABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SEVERITY = {"critical": "error", "warning": "warning", "info": "info"}
# Placeholders that the standard, and tools older than it, replace in a query.
_PLACEHOLDERS = tuple(
    f"{{{word}}}" for word in ("table", "column", "object", "property", "model", "schema", "field", "query")
)
_LOGICAL = {
    LogicalType.BOOLEAN: "boolean",
    LogicalType.INTEGER: "integer",
    LogicalType.DECIMAL: "number",
    LogicalType.FLOAT: "number",
    LogicalType.DATE: "date",
    LogicalType.TIMESTAMP: "timestamp",
}
_PHYSICAL = {
    LogicalType.BOOLEAN: "BOOLEAN",
    LogicalType.INTEGER: "BIGINT",
    LogicalType.FLOAT: "DOUBLE",
    LogicalType.DATE: "DATE",
    LogicalType.TIMESTAMP: "TIMESTAMPTZ",
    LogicalType.TIME: "TEXT",
    LogicalType.STRING: "TEXT",
    LogicalType.BINARY: "BINARY",
}


def export(contract: Contract) -> Export:
    """One contract over all tables; its version says which rules it has, not how many deltas there were."""
    rules, refused = without(contract.rules, _PLACEHOLDERS)
    tables = [
        _table(schema, [r for r in rules if r.table == name], contract) for name, schema in contract.schemas.items()
    ]
    digest = hashlib.sha256(to_yaml({"schema": tables}).encode()).hexdigest()[:12]
    document = {
        "kind": "DataContract",
        "apiVersion": API_VERSION,
        "id": stable_id(contract.dataset, "contract"),
        "name": contract.dataset,
        "version": f"1.0.0+{digest}",
        "status": "active",
        **({"description": {"purpose": contract.description}} if contract.description else {}),
        "schema": tables,
    }
    return Export({f"{contract.dataset}.odcs.yaml": to_yaml(document)}, (*contract.left_out, *refused))


def _table(schema: TableSchema, rules: list[ContractRule], contract: Contract) -> dict[str, Any]:
    required, unique = (_promised_alone(rules, wanted) for wanted in (Promise.REQUIRED, Promise.UNIQUE))
    references = _references([rule for rule in rules if rule.fingerprint in contract.foreign_keys])
    return {
        "name": schema.table,
        "logicalType": "object",
        "physicalType": "table",
        "properties": [
            _column(column, schema, contract) | _promises(column, unique, required) for column in schema.columns
        ],
        **({"relationships": references} if references else {}),
        **({"quality": [_check(rule) for rule in rules]} if rules else {}),
    }


def _promised_alone(rules: Sequence[ContractRule], wanted: Promise) -> set[str]:
    """The columns about which a rule promises something by itself."""
    promised = [rule.promised for rule in rules if rule.promised]
    return {side.columns[0] for promise, side, _ in promised if promise is wanted and len(side.columns) == 1}


def _references(joins: Sequence[ContractRule]) -> list[dict[str, Any]]:
    sides = [(columns, other) for _, columns, other in (rule.promised for rule in joins if rule.promised) if other]
    return [_reference(columns, other) for columns, other in sides if _is_referable(columns, other)]


def _promises(column: Column, unique: set[str], required: set[str]) -> dict[str, bool]:
    promises = {"unique": column.name in unique, "required": column.name in required}
    return {name: True for name, given in promises.items() if given}


def _column(column: Column, schema: TableSchema, contract: Contract) -> dict[str, Any]:
    kind = _PHYSICAL.get(column.type, f"DECIMAL({column.precision or 38}, {column.scale or 0})")
    found: dict[str, Any] = {
        "name": column.name,
        "logicalType": _LOGICAL.get(column.type, "string"),
        "physicalType": exp.DataType.build(kind).sql(contract.dialect.value),
    }
    if column.name in schema.key:
        found |= {"primaryKey": True, "primaryKeyPosition": schema.key.index(column.name) + 1}
    return found


def _is_referable(*sides: ColumnList) -> bool:
    """References are written table.column, in names of plain characters alone."""
    return all(_REFERABLE.match(name) for side in sides for name in (side.table, *side.columns))


def _reference(*sides: ColumnList) -> dict[str, Any]:
    left, right = ([f"{side.table}.{column}" for column in side.columns] for side in sides)
    single = len(left) == 1
    return {"type": "foreignKey", "from": left[0] if single else left, "to": right[0] if single else right}


def _check(rule: ContractRule) -> dict[str, Any]:
    about: dict[str, Any] = {"constraint": rule.record.measured.constraint.text, "kind": rule.constraint.kind.value}
    about |= {"since": rule.record.since, "tolerance": rule.record.threshold}
    return {
        "id": rule.fingerprint,
        "name": rule.name,
        "description": rule.description,
        "dimension": rule.dimension,
        "severity": _SEVERITY[rule.severity],
        "type": "sql",
        "query": rule.count(),
        "mustBe": 0,
        "unit": "rows",
        "customProperties": [{"property": name, "value": value} for name, value in about.items()],
    }
