"""The rows that violate a denial constraint: as a filter, by running extremes, or by a join on its equalities.

Two order predicates beside equalities, an order dependency, are decided by sorting: per group of equal rows, a row is
in a violation exactly when the extreme of the second column over the rows before (or after) it says so, which one
pass over the rows in either direction finds without a join (docs/adr/0041). Everything else joins on the equalities
first and compares within what they leave.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from profiling_core.emit.comparison import compare, name, not_null, value_of
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
    order = order_dependency(dc, schema, nulls)
    if order is not None:
        return _by_running_extremes(dc, order, schema, nulls)
    query = exp.select(*shown(schema, dc.columns, "t")).from_(source(schema, (*dc.columns, *schema.key), "t"))
    if dc.is_single_row:
        return query.where(*conditions(dc.predicates, schema, nulls, "t", "s"))
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
    """``¬(E= ∧ t.A < s.A ∧ t.B > s.B)`` and relatives: ``by`` is A, ``then`` is B, whose comparison is strict."""

    equal: tuple[Column, ...]
    by: Column
    by_op: Operator
    then: Column
    then_op: Operator

    @property
    def rising(self) -> bool:
        """Whether t, where it contradicts s, stands before s in the ascending order of A."""
        return self.by_op in (Operator.LT, Operator.LE)

    @property
    def wants_greater(self) -> bool:
        """Whether t, where it contradicts s, has the greater B."""
        return self.then_op is Operator.GT


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
    by, then = sorted(rest, key=lambda p: p.op in _STRICT)
    return OrderDependency(equal, schema.column(by.left.column), by.op, schema.column(then.left.column), then.op)


def _by_running_extremes(
    dc: DenialConstraint, order: OrderDependency, schema: TableSchema, nulls: NullSemantics
) -> exp.Select:
    """The rows that one of their group's extremes of B, over the rows before and after them, contradicts."""
    names = dict.fromkeys((*dc.columns, *schema.key))
    earlier, later = _unused("earlier", names), _unused("later", names)
    equal, by, then = [value_of(c, "g") for c in order.equal], value_of(order.by, "g"), value_of(order.then, "g")
    needed = (*equal, by, then) if nulls is NullSemantics.SQL else (by, then)
    running = exp.select(
        *(exp.column(name(c), table="g") for c in names),
        exp.alias_(_running(order, before=True), name(earlier)),
        exp.alias_(_running(order, before=False), name(later)),
        row_id("g"),
    )
    running = running.from_(source(schema, list(names), "g")).where(*(not_null(value) for value in needed))
    mine = value_of(order.then, "t").expression
    # as s: some t before it has t.B then_op s.B; as t: some s after it has
    beats = exp.GT if order.wants_greater else exp.LT
    as_s = beats(this=exp.column(name(earlier), table="t"), expression=mine.copy())
    as_t = beats(this=mine.copy(), expression=exp.column(name(later), table="t"))
    query = exp.select(*shown(schema, dc.columns, "t")).from_(running.subquery("t"))
    return query.where(exp.or_(as_s, as_t))


def _unused(text: str, names: Collection[str]) -> str:
    """A name that no column has, whichever letters its database takes for the same."""
    taken = {n.casefold() for n in names}
    while text in taken:
        text += "_"
    return text


def _running(order: OrderDependency, *, before: bool) -> exp.Window:
    """B's telling extreme among the rows up to the current one, in the order of A, or in exactly the reverse order.

    Rows equal in A are ordered by B: so that, where A's comparison is strict, those that come first cannot contradict,
    and where it is not, those that contradict come first. The row itself never does, as B's comparison is strict.
    """
    greatest = order.wants_greater == before
    then_rises = order.wants_greater == (order.by_op in _STRICT)
    sides = ((order.by, order.rising == before), (order.then, then_rises == before))
    ordered = [exp.Ordered(this=value_of(c, "g").expression, desc=not up, nulls_first=False) for c, up in sides]
    return exp.Window(
        this=(exp.Max if greatest else exp.Min)(this=value_of(order.then, "g").expression),
        partition_by=[value_of(c, "g").expression for c in order.equal],
        order=exp.Order(expressions=ordered),
        spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"),
    )
