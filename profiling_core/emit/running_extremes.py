"""Order dependencies in SQL: decided by sorting, without a join (docs/tried/operating.md, 41).

Two order predicates beside equalities are decided by one pass over the rows in either direction: per group of equal
rows, a row is in a violation exactly when the extreme of the second column over the rows before (or after) it says so.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlglot import exp

from profiling_core.emit.comparison import name, not_null, value_of
from profiling_core.emit.source import row_id, shown, source
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operator
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import NullSemantics

STRICT = (Operator.LT, Operator.GT)
_ORDER = (*STRICT, Operator.LE, Operator.GE)
_STRICTLY = {Operator.LE: Operator.LT, Operator.GE: Operator.GT}


@dataclass(frozen=True, slots=True)
class OrderDependency:
    """``¬(E= ∧ t.A < s.A ∧ t.B > s.B)`` and relatives: ``by`` is A, ``then`` is B, whose comparison is strict.

    ``or_equal``: it need not be, so that rows that agree in E and B contradict each other, too.
    """

    equal: tuple[Column, ...]
    by: Column
    by_op: Operator
    then: Column
    then_op: Operator
    or_equal: bool = False

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
    strict = sum(p.op in STRICT for p in rest)
    if strict < 2 and nulls is not NullSemantics.SQL:  # noqa: PLR2004 - with null = null, ≤ also holds between nulls
        return None
    by, then = sorted(rest, key=lambda p: p.op in STRICT)
    then_op = _STRICTLY.get(then.op, then.op)
    return OrderDependency(
        equal, schema.column(by.left.column), by.op, schema.column(then.left.column), then_op, or_equal=strict == 0
    )


def rows_by_running_extremes(
    dc: DenialConstraint, order: OrderDependency, schema: TableSchema, nulls: NullSemantics
) -> exp.Select:
    """The rows that one of their group's extremes of B, over the rows before and after them, contradicts."""
    names = dict.fromkeys((*dc.columns, *schema.key))
    earlier, later, alike = (_unused(text, names) for text in ("earlier", "later", "alike"))
    equal, by, then = [value_of(c, "g") for c in order.equal], value_of(order.by, "g"), value_of(order.then, "g")
    needed = (*equal, by, then) if nulls is NullSemantics.SQL else (by, then)
    running = exp.select(
        *(exp.column(name(c), table="g") for c in names),
        exp.alias_(_running(order, before=True), name(earlier)),
        exp.alias_(_running(order, before=False), name(later)),
        row_id("g"),
    )
    if order.or_equal:
        running = running.select(exp.alias_(_alike(order), name(alike)))
    running = running.from_(source(schema, list(names), "g")).where(*(not_null(value) for value in needed))
    mine = value_of(order.then, "t").expression
    # as s: some t before it has t.B then_op s.B; as t: some s after it has
    beats = exp.GT if order.wants_greater else exp.LT
    as_s = beats(this=exp.column(name(earlier), table="t"), expression=mine.copy())
    as_t = beats(this=mine.copy(), expression=exp.column(name(later), table="t"))
    query = exp.select(*shown(schema, dc.columns, "t")).from_(running.subquery("t"))
    more = [exp.GT(this=exp.column(name(alike), table="t"), expression=exp.convert(1))] if order.or_equal else []
    return query.where(exp.or_(as_s, as_t, *more))


def _alike(order: OrderDependency) -> exp.Window:
    """How many rows agree in E and B: each of two contradicts the other, whichever is first in A, or neither."""
    columns = (*order.equal, order.then)
    return exp.Window(this=exp.Count(this=exp.Star()), partition_by=[value_of(c, "g").expression for c in columns])


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
    then_rises = order.wants_greater == (order.by_op in STRICT)
    sides = ((order.by, order.rising == before), (order.then, then_rises == before))
    ordered = [exp.Ordered(this=value_of(c, "g").expression, desc=not up, nulls_first=False) for c, up in sides]
    return exp.Window(
        this=(exp.Max if greatest else exp.Min)(this=value_of(order.then, "g").expression),
        partition_by=[value_of(c, "g").expression for c in order.equal],
        order=exp.Order(expressions=ordered),
        spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"),
    )
