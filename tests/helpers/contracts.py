"""The contract over hostile tables, and which rows each of its rules has to find."""

from helpers.hostile import OTHERS, PLAIN, ROWS, Named
from helpers.relation import involved
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.formats.contract import contract
from profiling_core.model.constraint import InclusionDependency, as_denial_constraint
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.types import NullSemantics

THRESHOLDS = {"fd of floats": 0.9}


def made(columns=PLAIN, dialect=Dialect.DUCKDB, tracked=None, foreign_keys=None, **names):
    """Names as asked for, and their contract; all inclusions read as foreign keys unless some are given."""
    named = Named(columns, **{"thresholds": THRESHOLDS} | names)
    records = tracked or named.tracked
    keys = frozenset(record.fingerprint for record in records) if foreign_keys is None else foreign_keys
    return named, contract(named.config, named.schemas, records, dialect, keys)


def expected(constraint, columns=PLAIN):
    """The ids of the rows in a violation, by brute force."""
    rows = [dict(zip(columns, row, strict=True)) for row in ROWS]
    if isinstance(constraint, InclusionDependency):
        size = len(constraint.lhs.columns)
        there = {row[:size] for row in OTHERS}
        return [i for i, row in enumerate(ROWS) if None not in row[:size] and row[:size] not in there]
    if isinstance(constraint, ColumnRule):
        return [i for i, row in enumerate(rows) if not obeys(row[constraint.column], constraint)]
    return involved(as_denial_constraint(constraint), rows, NullSemantics.SQL)


def obeys(value, rule):
    """Whether a value obeys a rule of rows; a null violates NOT_NULL alone."""
    if rule.rule is Rule.NOT_NULL or value is None:
        return rule.rule is not Rule.NOT_NULL or value is not None
    if rule.rule is Rule.VALUES:
        return value in rule.values
    return int(rule.low) <= value <= int(rule.high)


def wanted(made_contract, columns):
    """Per rule the ids that it has to find: none where its error is tolerated."""
    return {
        rule.name: [] if rule.record.threshold else expected(rule.constraint, columns) for rule in made_contract.rules
    }
