"""Contracts in: the rules of a file become decisions of a person, who wants them followed whatever they rank."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from profiling_core.algorithms.columns.judging import judged
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.model.constraint import Constraint, Measured, measured_of
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.errors import InputError
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass
from profiling_core.model.version import Version
from profiling_core.pipeline.contracts import odcs, suite
from profiling_core.pipeline.contracts.rules import Contents, Wanted
from profiling_core.pipeline.lifecycle_step import decisions
from profiling_core.pipeline.workspace import Workspace

_TYPES = {
    Rule.RANGE: (TypeClass.NUMERIC,),
    Rule.VALUES: (TypeClass.NUMERIC, TypeClass.STRING, TypeClass.BOOLEAN),
    Rule.LENGTH: (TypeClass.STRING,),
}
_MOST_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file's rules: those that are followed from the next run on, those that were, the others."""

    new: tuple[Constraint, ...]
    known: tuple[Constraint, ...]
    left_out: tuple[tuple[str, str], ...]


def import_contract(work: Workspace, path: Path, who: str, table: str | None = None) -> Imported:
    """Follows the rules of a data contract (ODCS) or of a suite for Great Expectations.

    Args:
        work: the dataset.
        path: the file, YAML or JSON.
        who: the person who wants them.
        table: the table that a suite is for; where not given, the dataset's only one, or the one that its name ends in.

    Raises:
        InputError: the file is neither, or there is no such table.
        StateError: the dataset has no version yet.
    """
    current = work.catalog.current(work.dataset)
    if current is None:
        raise InputError(
            f"dataset {work.dataset!r} has no tables yet", remedy=f"apply a delta first: holdfast apply {work.dataset}"
        )
    contents = _contents(path, current, table)
    followed = {t.fingerprint: t.measured.constraint for t in work.catalog.tracked(work.dataset)}
    decided = decisions(work)
    wanted: dict[str, Constraint] = {}
    known: dict[str, Constraint] = {}
    left_out = list(contents.left_out)
    for rule in contents.rules:
        constraint = rule.constraint or followed.get(rule.known)
        problem = _problem(constraint, current)
        if constraint is None or problem:
            left_out.append((rule.where, problem))
            continue
        before = decided.get(constraint.fingerprint)
        same = before is not None and before.pinned and before.severity == rule.severity
        (known if same else wanted)[constraint.fingerprint] = constraint
        if not same:
            work.catalog.decide(work.dataset, _decision(constraint, rule, path, who))
    return Imported(tuple(wanted.values()), tuple(known.values()), tuple(left_out))


def _decision(constraint: Constraint, rule: Wanted, path: Path, who: str) -> Decision:
    return Decision(constraint, Verdict.PIN, who, note=f"{path.name}: {rule.where}", severity=rule.severity)


def _contents(path: Path, current: Version, table: str | None) -> Contents:
    document = _document(path)
    try:
        if document.get("kind") == "DataContract":
            return odcs.read(document)
        if "expectations" in document:
            return suite.read(document, _table(document, current, table))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(
            f"the file does not follow its standard ({type(error).__name__}: {error})", where=str(path)
        ) from error
    raise InputError(
        "the file is neither a data contract nor a suite",
        where=str(path),
        remedy="give an ODCS file (kind: DataContract) or a suite of Great Expectations (expectations: …)",
    )


def _document(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", where=str(path)) from error
    if len(text) > _MOST_BYTES:
        raise InputError("the file has more than 10 MB, and is no contract", where=str(path))
    try:
        found = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"the file is neither YAML nor JSON: {error}", where=str(path)) from error
    return found if isinstance(found, Mapping) else {}


def _table(document: Mapping[str, Any], current: Version, given: str | None) -> str:
    tables = list(current.tables)
    named = given or str(document.get("name", "")).rpartition(".")[2]
    if named in tables:
        return named
    if given is None and len(tables) == 1:
        return tables[0]
    raise InputError(
        f"the suite is for no table of dataset {current.dataset!r}",
        remedy=f"name the table with --table: {', '.join(tables)}",
    )


def _problem(constraint: Constraint | None, current: Version) -> str:
    """Why a rule cannot be followed; empty where it can."""
    if constraint is None:
        return "it names a constraint that is not followed here"
    for table in constraint.tables:
        if table not in current.tables:
            return f"the dataset has no table {table!r}"
    for side in constraint.sides:
        schema = current.tables[side.table].schema
        missing = [name for name in side.columns if name not in {c.name for c in schema.profiled}]
        if missing:
            return f"table {side.table!r} has no column {missing[0]!r}, or it is left out"
    of_columns = measured_of(ColumnRule, [Measured(constraint, 0, 0)])
    return next((_unfit(m.constraint, current.tables[m.constraint.table].schema) for m in of_columns), "")


def _unfit(rule: ColumnRule, schema: TableSchema) -> str:
    """Why a column's type does not take a rule; empty where it does."""
    column = schema.column(rule.column)
    if rule.rule in _TYPES and column.type.type_class not in _TYPES[rule.rule]:
        return f"column {column.name!r} has type {column.type}, which takes no rule of that kind"
    empty = pa.table({c.name: pa.array([], arrow_type(c)) for c in schema.columns})
    try:
        judged(empty, rule, schema)
    except (pa.ArrowException, ValueError, ArithmeticError):
        return f"its bounds or values do not fit column {column.name!r}, which has type {column.type}"
    return ""
