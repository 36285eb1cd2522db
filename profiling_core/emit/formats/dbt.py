"""dbt: a file of sources with its own tests where they say the same, and a singular test for every other rule.

dbt reads both as Jinja templates. Names of other than plain characters therefore stand in singular tests alone, where
every brace is written as an expression that gives a brace, and texts as literals of escaped characters.
"""

import re
from typing import Any

from sqlglot import exp

from profiling_core.emit.formats.contract import Contract, ContractRule, Export, to_yaml
from profiling_core.emit.kinds.form import Promise
from profiling_core.model.constraint import ColumnList
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HARMLESS = re.compile(r"[A-Za-z0-9 .,_-]")
# Characters that a template would read as its own syntax or, like a carriage return, as the end of a line.
_SPECIAL = {"{": "holdfast_brace", "\r": "holdfast_return"}


def export(contract: Contract) -> Export:
    """``models/…_sources.yml``, and a file below ``tests/`` per rule that is not in it."""
    built_in = {rule.name: _built_in(rule) for rule in contract.rules}
    files = {f"models/{_file_name(contract.dataset)}_sources.yml": to_yaml(_sources(contract, built_in))}
    for rule in contract.rules:
        if built_in[rule.name] is None:
            files[f"tests/{test_name(contract, rule)}.sql"] = _singular(rule, contract.dataset)
    return Export(files, contract.left_out)


def test_name(contract: Contract, rule: ContractRule) -> str:
    """The name of a rule's test, unique in a project."""
    return f"holdfast_{_file_name(contract.dataset)}_{rule.name}"


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def _sources(contract: Contract, built_in: dict[str, tuple[str, Any] | None]) -> dict[str, Any]:
    tables = []
    for table, schema in contract.schemas.items():
        tests: dict[str, list[Any]] = {}
        for rule in contract.of(table):
            test = built_in[rule.name]
            if test is not None:
                tests.setdefault(rule.constraint.columns[0], []).append(_generic(rule, contract, *test))
        columns = [
            {"name": name, "quote": True, **({"data_tests": tests[name]} if name in tests else {})}
            for name in schema.names
            if _PLAIN.match(name)
        ]
        tables.append({"name": table, "quoting": {"identifier": True}, "columns": columns})
    return {"version": 2, "sources": [{"name": contract.dataset, "tables": tables}]}


def _built_in(rule: ContractRule) -> tuple[str, Any] | None:
    """Dbt's own test and its arguments, where its treatment of nulls and its comparison are exactly ours."""
    promised, schemas = rule.promised, rule.setting.schemas
    if promised is None or len(promised.columns.columns) != 1 or rule.table not in schemas:
        return None
    (column,) = promised.columns.columns
    if promised.promise is Promise.REQUIRED and _PLAIN.match(column):
        return "not_null", {}
    if not _is_plain(schemas[rule.table], column):
        return None
    if promised.promise is Promise.UNIQUE and rule.setting.nulls is NullSemantics.SQL:
        return "unique", {}
    return _relationship(rule, schemas[rule.table].column(column), promised.refers_to) if promised.refers_to else None


def _relationship(rule: ContractRule, included: Column, including: ColumnList) -> tuple[str, Any] | None:
    other, (column,) = rule.setting.schemas[including.table], including.columns
    if not _is_plain(other, column) or other.column(column).type is not included.type:
        return None
    field = exp.to_identifier(column, quoted=True).sql(rule.setting.dialect.value)
    return "relationships", {"to": _source_call(rule.setting.dataset, other.table), "field": field}


def _is_plain(schema: TableSchema, column: str) -> bool:
    return bool(_PLAIN.match(column)) and schema.column(column).type is not LogicalType.FLOAT


def _generic(rule: ContractRule, contract: Contract, test: str, arguments: dict[str, Any]) -> dict[str, Any]:
    body = {"name": test_name(contract, rule), **({"arguments": arguments} if arguments else {})}
    return {test: body | {"config": {"severity": _severity(rule), "meta": {"fingerprint": rule.fingerprint}}}}


def _severity(rule: ContractRule) -> str:
    return "error" if rule.severity == "critical" else "warn"


def _singular(rule: ContractRule, dataset: str) -> str:
    """The violating rows, as a template that gives exactly their SQL."""
    about = {"constraint": rule.record.measured.constraint.text, "description": rule.description}
    about["fingerprint"] = rule.fingerprint
    meta = ", ".join(f'"{key}": {_literal(value)}' for key, value in about.items())
    config = f'{{{{ config(severity="{_severity(rule)}", meta={{{meta}}}) }}}}'
    sets = "".join(f"{{%- set {variable} = {_literal(text)} -%}}\n" for text, variable in _SPECIAL.items())
    tables = {table: f"{{{{ {_source_call(dataset, table)} }}}}" for table in rule.constraint.tables}
    return f"{config}\n{sets}{rule.rows(tables=tables, texts=_in_template)}\n"


def _in_template(text: str) -> str:
    return re.sub("|".join(_SPECIAL), lambda found: f"{{{{ {_SPECIAL[found[0]]} }}}}", text)


def _source_call(dataset: str, table: str) -> str:
    return f"source({_literal(dataset)}, {_literal(table)})"


def _literal(text: str) -> str:
    """A string of a Jinja expression in ASCII, everything but plain characters escaped."""
    return '"' + "".join(c if _HARMLESS.match(c) else f"\\U{ord(c):08x}" for c in text) + '"'
