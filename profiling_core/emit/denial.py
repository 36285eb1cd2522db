"""The rows that violate a denial constraint: as a filter, by running extremes, or by a join on its equalities.

Two order predicates beside equalities, an order dependency, are decided by sorting: per group of equal rows, a row is
in a violation exactly when the extreme of the second column over the rows before (or after) it says so. Everything
else joins on the equalities first and compares within what they leave.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from profiling_core.emit.comparison import compare, not_null, value_of
from profiling_core.emit.source import row_id, shown, source
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import NullSemantics

_STRICT = (Operator.LT, Operator.GT)
_ORDER = (*_STRICT, Operator.LE, Operator.GE)


def rows_breaking_dc(dc: DenialConstraint, schemas: Mapping[str, TableSchema], nulls: NullSemantics) -> exp.Select:
    """Rows that are one of the two of a violating pair, or violate a single-row constraint by themselves."""
    schema = schemas[dc.table]
    query = exp.select(*shown(schema, dc.columns, "t")).from_(source(schema, (*dc.columns, *schema.key), "t"))
    if dc.is_single_row:
        return query.where(*conditions(dc.predicates, schema, nulls, "t", "s"))
    order = order_dependency(dc, schema, nulls)
    if order is not None:
        return _by_running_extremes(query, order, schema, nulls)
    first = _partner(dc, schema, nulls, ("t", "s"))
    if is_symmetric(dc):
        return query.where(first)
    return query.where(exp.or_(first, _partner(dc, schema, nulls, ("s", "t"))))


def is_pair_scan(dc: DenialConstraint, schemas: Mapping[str, TableSchema], nulls: NullSemantics) -> bool:
    """Whether the violating rows are found by comparing every pair: neither equalities nor sorting narrow them down."""
    if dc.is_single_row or any(p.op is Operator.EQ for p in dc.predicates):
        return False
    return order_dependency(dc, schemas[dc.table], nulls) is None


def is_symmetric(dc: DenialConstraint) -> bool:
    """Whether exchanging the two rows gives the same constraint."""
    if any(p.is_single_row for p in dc.predicates):
        return False
    mirrored = {Predicate(p.right.swapped, p.op.flipped, p.left.swapped) for p in dc.predicates}
    return mirrored == set(dc.predicates)


def different_rows(dc: DenialConstraint) -> list[exp.Expr]:
    """That t and s are two rows: nothing where a predicate says so already, since no value differs from itself."""
    if any(p.is_same_column and p.op in (*_STRICT, Operator.NE) for p in dc.predicates):
        return []
    return [exp.NEQ(this=row_id("t"), expression=row_id("s"))]


def conditions(
    predicates: Sequence[Predicate], schema: TableSchema, nulls: NullSemantics, t: str, s: str
) -> list[exp.Expr]:
    """The predicates over rows with aliases ``t`` and ``s``, equalities first."""
    alias = {"t": t, "s": s}
    ordered = sorted(predicates, key=lambda p: p.op is not Operator.EQ)
    return [
        compare(
            value_of(schema.column(p.left.column), alias[p.left.tuple]),
            p.op,
            value_of(schema.column(p.right.column), alias[p.right.tuple]),
            nulls,
        )
        for p in ordered
    ]


def _partner(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics, roles: tuple[str, str]) -> exp.Expr:
    """Whether row t has a partner s, when the constraint's t and s are played by ``roles``."""
    found = exp.select(exp.convert(1)).from_(source(schema, dc.columns, "s"))
    return exp.Exists(this=found.where(*conditions(dc.predicates, schema, nulls, *roles), *different_rows(dc)))


@dataclass(frozen=True, slots=True)
class OrderDependency:
    """``¬(E= ∧ t.A < s.A ∧ t.B > s.B)`` and relatives: ``by`` is A, ``then`` is B, at most one of them not strict."""

    equal: tuple[Column, ...]
    by: Column
    by_op: Operator
    then: Column
    then_op: Operator


def order_dependency(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics) -> OrderDependency | None:
    """The constraint as an order dependency that sorting decides, or None where it is not one."""
    if not all(p.is_same_column for p in dc.predicates):
        return None
    equal = tuple(schema.column(p.left.column) for p in dc.predicates if p.op is Operator.EQ)
    rest = [p for p in dc.predicates if p.op is not Operator.EQ]
    if len(rest) != 2 or not all(p.op in _ORDER for p in rest):  # noqa: PLR2004 - an order dependency has two
        return None
    strict = sum(p.op in _STRICT for p in rest)
    # two non-strict ones would let a row be its own partner; with null = null, ≤ also holds between nulls
    if strict == 0 or (strict == 1 and nulls is not NullSemantics.SQL):
        return None
    by, then = rest
    return OrderDependency(equal, schema.column(by.left.column), by.op, schema.column(then.left.column), then.op)


def _by_running_extremes(
    query: exp.Select, order: OrderDependency, schema: TableSchema, nulls: NullSemantics
) -> exp.Select:
    """Joins each row to its group's extremes of B over the rows that A puts before and after it."""
    groups = _extremes(order, schema, nulls).subquery("k")
    columns = (*order.equal, order.by)
    same = [_same_key(column, i, nulls) for i, column in enumerate(columns)]
    then = value_of(order.then, "t").expression
    # as s: some t with t.A by_op s.A has t.B then_op s.B; as t: the mirror image
    as_s = _beats(exp.column("earlier", table="k"), order.then_op, then)
    as_t = _beats(then, order.then_op, exp.column("later", table="k"))
    found = exp.select(exp.convert(1)).from_(groups).where(*same).where(exp.or_(as_s, as_t))
    return query.where(exp.Exists(this=found))


def _same_key(column: Column, position: int, nulls: NullSemantics) -> exp.Expr:
    key = exp.column(f"k{position}", table="k")
    mine = value_of(column, "t").expression
    return (exp.EQ if nulls is NullSemantics.SQL else exp.NullSafeEQ)(this=mine, expression=key)


def _beats(left: exp.Expr, op: Operator, right: exp.Expr) -> exp.Expr:
    nodes = {Operator.LT: exp.LT, Operator.LE: exp.LTE, Operator.GT: exp.GT, Operator.GE: exp.GTE}
    return nodes[op](this=left.copy(), expression=right.copy())


def _extremes(order: OrderDependency, schema: TableSchema, nulls: NullSemantics) -> exp.Select:
    """Per group and value of A: the telling extreme of B among all rows that stand before, and after, in A's order."""
    keys = [value_of(column, "g") for column in (*order.equal, order.by)]
    then = value_of(order.then, "g")
    per_value = exp.select(
        *(exp.alias_(key.expression, f"k{i}") for i, key in enumerate(keys)),
        exp.alias_(exp.Min(this=then.expression.copy()), "least"),
        exp.alias_(exp.Max(this=then.expression.copy()), "most"),
    ).from_(source(schema, [c.name for c in (*order.equal, order.by, order.then)], "g"))
    per_value = per_value.group_by(*(key.expression.copy() for key in keys))
    needed = (*keys, then) if nulls is NullSemantics.SQL else (keys[-1], then)
    per_value = per_value.where(*(not_null(value) for value in needed))
    wants_greater = order.then_op in (Operator.GT, Operator.GE)
    return exp.select(
        *(exp.column(f"k{i}", table="v") for i in range(len(keys))),
        exp.alias_(_running(order, len(keys), before=True, greatest=wants_greater), "earlier"),
        exp.alias_(_running(order, len(keys), before=False, greatest=not wants_greater), "later"),
    ).from_(per_value.subquery("v"))


def _running(order: OrderDependency, keys: int, *, before: bool, greatest: bool) -> exp.Window:
    """The extreme over the values of A on one side of the current one, with it where A's comparison is not strict."""
    extreme = exp.Max(this=exp.column("most", table="v")) if greatest else exp.Min(this=exp.column("least", table="v"))
    # with t.A > s.A the rows t that come "before" s are those with greater A
    descending = (order.by_op in (Operator.GT, Operator.GE)) == before
    bound: dict[str, object] = {"end": "CURRENT ROW"}
    if order.by_op in _STRICT:
        bound = {"end": exp.convert(1), "end_side": "PRECEDING"}
    return exp.Window(
        this=extreme,
        partition_by=[exp.column(f"k{i}", table="v") for i in range(keys - 1)],
        order=exp.Order(
            expressions=[exp.Ordered(this=exp.column(f"k{keys - 1}", table="v"), desc=descending, nulls_first=False)]
        ),
        spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", **bound),
    )
