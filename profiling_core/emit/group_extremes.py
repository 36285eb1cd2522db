"""Denial constraints in SQL that groups of rows decide, without comparing pairs (docs/tried/operating.md, 124).

Beside equalities within columns at most two predicates compare t with s. Of what a row is compared with only the
extremes count: there is an s with a greater D exactly when the greatest D is, and one with another D exactly when the
least or the greatest is another. A second comparison, of one column's order, is decided by running these extremes over
its values. Two columns that differ are decided by counts. Predicates on one of the rows choose who plays t, and who s.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from profiling_core.emit.comparison import Value, compare, not_null, value_of
from profiling_core.emit.source import shown, source
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

_STRICT = (Operator.LT, Operator.GT)
_RISING = (Operator.LT, Operator.LE)
_WITHOUT_EXTREMES = (LogicalType.BOOLEAN, LogicalType.BINARY)  # in PostgreSQL
_NULLS = NullSemantics.SQL
_LEAST, _GREATEST = "least", "greatest"
_EXTREMES: dict[str, type[exp.Expr]] = {_LEAST: exp.Min, _GREATEST: exp.Max}


@dataclass(frozen=True, slots=True)
class Grouping:
    """``equal`` columns, an order of rows ``by`` a column (None: any order), ``then`` a comparison of t with s.

    ``of`` are the predicates on single rows, by the row that they speak of.
    """

    equal: tuple[Column, ...]
    by: Predicate | None
    then: Predicate
    of: dict[str, tuple[Predicate, ...]]


def grouping(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics) -> Grouping | None:
    """The constraint as one that extremes of groups decide, or None where it is not one.

    A row must not be its own partner, which a strict comparison within a column sees to.
    """
    pairs = [p for p in dc.predicates if not p.is_single_row]
    equal = [p for p in pairs if p.op is Operator.EQ]
    compared = _compared([p for p in pairs if p.op is not Operator.EQ], schema)
    if nulls is not _NULLS or compared is None or not all(p.is_same_column for p in equal):
        return None
    return Grouping(tuple(schema.column(p.left.column) for p in equal), *compared, _alone_by_row(dc))


def _alone_by_row(dc: DenialConstraint) -> dict[str, tuple[Predicate, ...]]:
    alone = [p for p in dc.predicates if p.is_single_row]
    return {row: tuple(p for p in alone if p.left.tuple == row) for row in "ts"}


def _compared(rest: Sequence[Predicate], schema: TableSchema) -> tuple[Predicate | None, Predicate] | None:
    """Of what is not an equality, what orders the rows, if anything does, and what compares them then."""
    apart = any(p.is_same_column and p.op in (*_STRICT, Operator.NE) for p in rest)
    orders = [p for p in rest if p.is_same_column and p.op is not Operator.NE]
    two = len(rest) == 2  # noqa: PLR2004 - one to order by, and one more
    if not apart or not (len(rest) == 1 or (two and orders)):
        return None
    by = orders[0] if two else None
    (then,) = (p for p in rest if p is not by)
    types = {schema.column(side.column).type for side in (then.left, then.right)}
    return (by, then) if types.isdisjoint(_WITHOUT_EXTREMES) else None


def rows_by_extremes(dc: DenialConstraint, group: Grouping, schema: TableSchema) -> exp.Select:
    """The rows that the extremes of the others in their group contradict, in either part."""
    keys = [*group.equal, *([schema.column(group.by.left.column)] if group.by else [])]
    levels = _levels(dc, group, schema, keys)
    extremes = levels if group.by is None else _running(group.by, group.then, levels, len(group.equal))
    query = exp.select(*shown(schema, dc.columns, "t")).from_(source(schema, (*dc.columns, *schema.key), "t"))
    same = [
        compare(value_of(column, "t"), Operator.EQ, Value(exp.column(f"k{place}", table="k"), column), _NULLS)
        for place, column in enumerate(keys)
    ]
    query = query.join(extremes.subquery("k"), on=exp.and_(*same) if same else exp.true(), join_type="inner")
    return query.where(exp.or_(_contradicted(group, schema, "t"), _contradicted(group, schema, "s")))


def _levels(dc: DenialConstraint, group: Grouping, schema: TableSchema, keys: Sequence[Column]) -> exp.Select:
    """Per group and value of the order the extremes of what rows are compared with, as t and as s."""
    values = [value_of(column, "g") for column in keys]
    chosen = [exp.alias_(value.expression, f"k{place}") for place, value in enumerate(values)]
    for row in "ts":
        played = _played(group, schema, row)
        chosen += [exp.alias_(_EXTREMES[word](this=played), f"{word}_{row}") for word in _asked(group.then, row)]
    query = exp.select(*chosen).from_(source(schema, dc.columns, "g")).where(*(not_null(value) for value in values))
    return query.group_by(*(value.expression.copy() for value in values)) if values else query


def _asked(then: Predicate, row: str) -> tuple[str, ...]:
    """Which extremes of what plays t (or s) tell whether it has a partner."""
    if then.op is Operator.NE:
        return (_LEAST, _GREATEST)
    # what is on the right of < contradicts by its greatest value, what is on the left by its least
    return (_GREATEST,) if (then.op in _RISING) == (then.right.tuple == row) else (_LEAST,)


def _played(group: Grouping, schema: TableSchema, row: str) -> exp.Expr:
    """What a row that may play t (or s) is compared by; null of one that may not."""
    operand = group.then.left if group.then.left.tuple == row else group.then.right
    value = value_of(schema.column(operand.column), "g").expression
    if not group.of[row]:
        return value
    return exp.Case(ifs=[exp.If(this=exp.and_(*_alone(group, schema, row, "g")), true=value)])


def _alone(group: Grouping, schema: TableSchema, row: str, alias: str) -> list[exp.Expr]:
    """What a row must be by itself to play t (or s)."""
    return [
        compare(
            value_of(schema.column(p.left.column), alias), p.op, value_of(schema.column(p.right.column), alias), _NULLS
        )
        for p in group.of[row]
    ]


def _running(by: Predicate, then: Predicate, levels: exp.Select, equal: int) -> exp.Select:
    """The extremes over all levels before (for s) or behind (for t); a level's own count, too, where ``≤`` is asked."""
    order = exp.column(f"k{equal}")
    chosen: list[exp.Expr] = [exp.column(f"k{place}") for place in range(equal + 1)]
    for row in "ts":
        # t's lie before s in the order, so that what plays t is run over from that end
        rises = (by.op in _RISING) == (row == by.left.tuple)
        for word in _asked(then, row):
            window = exp.Window(
                this=_EXTREMES[word](this=exp.column(f"{word}_{row}")),
                partition_by=[exp.column(f"k{place}") for place in range(equal)],
                order=exp.Order(expressions=[exp.Ordered(this=order.copy(), desc=not rises, nulls_first=False)]),
                spec=_frame(strict=by.op in _STRICT),
            )
            chosen.append(exp.alias_(window, f"{word}_{row}"))
    return exp.select(*chosen).from_(levels.subquery("l"))


def _frame(*, strict: bool) -> exp.WindowSpec:
    before = {"end": exp.convert(1), "end_side": "PRECEDING"} if strict else {"end": "CURRENT ROW"}
    return exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", **before)


def _contradicted(group: Grouping, schema: TableSchema, row: str) -> exp.Expr:
    """Whether a row that plays t (or s) has a partner."""
    is_left = group.then.left.tuple == row
    mine, other = (group.then.left, group.then.right) if is_left else (group.then.right, group.then.left)
    op = group.then.op if is_left else group.then.op.flipped
    beats = [
        compare(
            value_of(schema.column(mine.column), "t"),
            op,
            Value(exp.column(f"{word}_{other.tuple}", table="k"), schema.column(other.column)),
            _NULLS,
        )
        for word in _asked(group.then, other.tuple)
    ]
    return exp.and_(*_alone(group, schema, row, "t"), exp.or_(*beats))


def two_that_differ(dc: DenialConstraint, schema: TableSchema, nulls: NullSemantics) -> list[Column] | None:
    """The columns of a constraint of equalities and two inequalities, the latter last; None where it is none."""
    if nulls is not _NULLS or not all(p.is_same_column and not p.is_single_row for p in dc.predicates):
        return None
    differing = [p for p in dc.predicates if p.op is Operator.NE]
    equal = [p for p in dc.predicates if p.op is Operator.EQ]
    if len(differing) != 2 or len(equal) + 2 != len(dc.predicates):  # noqa: PLR2004 - see its name
        return None
    return [schema.column(p.left.column) for p in (*equal, *differing)]


def rows_by_counts(dc: DenialConstraint, columns: Sequence[Column], schema: TableSchema) -> exp.Select:
    """The rows that some row of their group differs from in both: all, less those that agree in one or the other."""
    values = [value_of(column, "g") for column in columns]
    names = [f"k{place}" for place in range(len(columns))]
    sizes = exp.select(
        *(exp.alias_(value.expression, key) for value, key in zip(values, names, strict=True)),
        exp.alias_(exp.Count(this=exp.Star()), "c"),
    ).from_(source(schema, dc.columns, "g"))
    sizes = sizes.where(*(not_null(value) for value in values)).group_by(*(v.expression.copy() for v in values))

    def among(keys: Sequence[str]) -> exp.Expr:
        return exp.Window(this=exp.Sum(this=exp.column("c")), partition_by=[exp.column(key) for key in keys])

    *equal, first, second = names
    alike = exp.Sub(
        this=exp.Add(this=among([*equal, first]), expression=among([*equal, second])), expression=exp.column("c")
    )
    counted = exp.select(*map(exp.column, names), exp.alias_(among(equal), "n"), exp.alias_(alike, "alike"))
    query = exp.select(*shown(schema, dc.columns, "t")).from_(source(schema, (*dc.columns, *schema.key), "t"))
    same = [
        compare(value_of(column, "t"), Operator.EQ, Value(exp.column(key, table="k"), column), _NULLS)
        for column, key in zip(columns, names, strict=True)
    ]
    others = exp.GT(this=exp.column("n", table="k"), expression=exp.column("alike", table="k"))
    return query.join(counted.from_(sizes.subquery("l")).subquery("k"), on=exp.and_(*same), join_type="inner").where(
        others
    )
