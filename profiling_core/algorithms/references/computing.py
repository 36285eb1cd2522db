"""Columns of children that are computed of their own columns and of their parents': ``alive = smolts − dead``.

Pairs of children and parents are rows of one table, whose equations are looked for as a table's are. Of these the ones
count that need both sides. What a row only has from its parent (its product's price) is left out on either side: with
it the equation is one of the row.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from fractions import Fraction
from math import log10
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.counting import codes_of
from profiling_core.algorithms.equations.discovery import Scope, find_equations
from profiling_core.algorithms.equations.judging import is_number
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.equations.other_values import is_text
from profiling_core.algorithms.equations.sample import spread, written_form
from profiling_core.algorithms.references.joining import Positions, Sides
from profiling_core.algorithms.references.judging import judge_pairs, side_by_side
from profiling_core.model.expression import (
    WHOLE,
    Cut,
    Elapsed,
    Expression,
    Inscribed,
    Late,
    Linear,
    MonthsOn,
    Precision,
    Product,
    constant_text,
)
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.relation import OF_PARENT, Beside, ComputedBeside
from profiling_core.model.role import ColumnRole
from profiling_core.model.schema import TableSchema

_PAIRS = 1_000
_LEAST_PAIRS = 12
_UNITS = ("1", "-1")
_FRONT = ("first", "before")
TURNS = 3


class PairsOfRows(NamedTuple):
    """Pairs of children and parents, by their positions, with what is known of the columns of either side."""

    sides: Sides
    pairs: tuple[Positions, Positions]
    schemas: tuple[TableSchema, TableSchema]
    roles: tuple[Mapping[str, ColumnRole], Mapping[str, ColumnRole]]


def computed(
    joined: PairsOfRows, columns: tuple[Sequence[str], Sequence[str]], budget: Budget, scope: Scope
) -> Iterator[tuple[ComputedBeside, float]]:
    """What holds in some pairs, with how improbable it is that chance made it hold, as −log₁₀.

    Args:
        joined: the pairs.
        columns: those of either side that are no part of the reference, and that no child has from its parent.
        budget: when to end with what there is.
        scope: whether the pairs are children with their parents, or rows with the row before.
    """
    kinds = (is_number, pa.types.is_temporal, *([is_text] if scope is Scope.BESIDE_PARENT else []))
    own, others = (_of_kinds(side, names, kinds) for side, names in zip(joined.sides, columns, strict=True))
    child, parent = joined.pairs
    if not own or not others or len(child) < _LEAST_PAIRS or any(n.startswith(OF_PARENT) for n in own):
        return
    some = spread(len(child), _PAIRS)
    rows, schema, roles = joined_rows(joined, (own, others), _PAIRS)
    for relation in _steps(rows, own):
        yield relation, surprise_of_pairs(relation, joined.sides, (child[some], parent[some]))
    for one in find_equations(rows, schema, roles, budget=budget, scope=scope):
        equation = _of_the_child(cast("Equation", one.constraint), rows)
        if equation is None or not _needs_both(equation):
            continue
        precision = equation.precision
        relation = ComputedBeside(equation.column, equation.value, *astuple(precision))
        yield relation, surprise_of_pairs(relation, joined.sides, (child[some], parent[some]))


def surprise_of_pairs(relation: Beside | ComputedBeside, sides: Sides, joined: tuple[Positions, Positions]) -> float:
    """How improbable it is that it holds by chance, as −log₁₀: of how many rows it would if parents were exchanged."""
    judged = judge_pairs(relation, sides, joined).judged
    random = np.random.default_rng(5)
    exchanged = [judge_pairs(relation, sides, (joined[0], random.permutation(joined[1]))) for _ in range(TURNS)]
    tried, wrong = (sum(int(one[i].sum()) for one in exchanged) for i in (0, 1))
    # Children of one parent with the same values are one test.
    codes = [codes_of(sides.child[name])[joined[0]] for name in relation.columns]
    tests = int(np.unique(np.stack([joined[1], *codes])[:, judged], axis=1).shape[1])
    return tests * -log10((tried - wrong + 1) / (tried + 1))


def _steps(rows: pa.Table, own: Sequence[str]) -> Iterator[ComputedBeside]:
    """Numbers that are a constant more than the parent's of the same name: a level in a tree."""
    for name in own:
        sides = [rows[column] for column in (name, OF_PARENT + name) if column in rows.column_names]
        if len(sides) < 2 or not all(pa.types.is_integer(side.type) for side in sides):
            continue
        apart = pc.unique(pc.subtract(*sides)).drop_null().to_pylist()
        if len(apart) == 1 and apart[0]:
            yield ComputedBeside(name, Linear((("1", OF_PARENT + name),), str(apart[0])), 0)


def _of_kinds(side: pa.Table, names: Sequence[str], kinds: Sequence[Callable[[pa.DataType], bool]]) -> list[str]:
    """The columns whose types are of some kinds."""
    return [name for name in names if any(is_kind(side[name].type) for is_kind in kinds)]


def joined_rows(
    joined: PairsOfRows, columns: tuple[Sequence[str], Sequence[str]], most: int
) -> tuple[pa.Table, TableSchema, dict[str, ColumnRole]]:
    """Pairs, ``most`` at most, as rows of one table, with its schema and the roles of its columns.

    The parent's columns stand before the child's: of the two an equation is solved for what stands further back.
    """
    (child, parent), (own, others) = joined.pairs, columns
    some = spread(len(child), most)
    theirs = (replace(joined.schemas[1].column(name), name=OF_PARENT + name) for name in others)
    mine = (joined.schemas[0].column(name) for name in own)
    schema = replace(joined.schemas[0], columns=(*theirs, *mine), key=())
    roles = {OF_PARENT + name: replace(role, column=OF_PARENT + name) for name, role in joined.roles[1].items()}
    rows = side_by_side(joined.sides, (child[some], parent[some]), columns)
    return rows, schema, {n: r for n, r in (roles | {**joined.roles[0]}).items() if n in schema.names}


def _needs_both(equation: Equation) -> bool:
    theirs = [name.startswith(OF_PARENT) for name in equation.value.columns]
    return not equation.value.optional and not equation.is_copy and any(theirs)


def _of_the_child(equation: Equation, rows: pa.Table) -> Equation | None:
    """The equation solved for a column of the child; None where there is no plain way.

    What a code of the child begins with stands in it; sums are added back, and products multiplied. A parent's number
    of days between two days of the child gives the later one.
    """
    if not equation.column.startswith(OF_PARENT):
        return equation
    value = equation.value
    if (later := _days_later(equation, rows)) is not None:
        return later
    if isinstance(value, Cut) and value.side in _FRONT and not value.column.startswith(OF_PARENT):
        return replace(equation, column=value.column, value=_written_into(value, equation.column))
    solved = _added_back(equation) or _multiplied_back(equation)
    if solved is None:
        return None
    column, value = solved
    return replace(equation, column=column, value=value, precision=written_form(numbers_of(rows[column])).precision)


def _written_into(cut: Cut, text: str) -> Inscribed:
    """The code that a text is cut from, with the text in its place."""
    return Inscribed(cut.column, text, WHOLE, "", cut.start)


def _days_later(equation: Equation, rows: pa.Table) -> Equation | None:
    """``due = billed + ↑terms days`` of ``↑terms = days(due − billed)``."""
    value = equation.value
    if not isinstance(value, Elapsed) or isinstance(value, Late) or value.unit != "days":
        return None
    if any(name.startswith(OF_PARENT) or not pa.types.is_date32(rows[name].type) for name in value.columns):
        return None
    day = MonthsOn(value.earlier, 0, days=-value.plus, days_by=equation.column)
    return replace(equation, column=value.later, value=day, precision=Precision())


def _added_back(equation: Equation) -> tuple[str, Expression] | None:
    """``dead = ↑stock − alive`` of ``↑stock = alive + dead``; where nulls count as nought, what has them."""
    value = equation.value
    if not isinstance(value, Linear):
        return None
    own = [(f, name) for f, name in value.terms if not name.startswith(OF_PARENT) and f in _UNITS]
    own.sort(key=lambda term: term[1] in value.optional)
    if not own or {*value.optional} - {own[-1][1]}:
        return None
    factor, column = own[-1]
    sign = Fraction(factor)
    rest = [(constant_text(-sign * Fraction(f)), name) for f, name in value.terms if name != column]
    constant = constant_text(-sign * Fraction(value.constant))
    return column, Linear(((constant_text(sign), equation.column), *rest), constant)


def _multiplied_back(equation: Equation) -> tuple[str, Expression] | None:
    """``paid = ↑price·count`` of ``↑price = paid / count``."""
    value = equation.value
    if not isinstance(value, Product) or not value.under or value.rate or len(value.over) > 1:
        return None
    (column,) = value.over
    if column.startswith(OF_PARENT):
        return None
    return column, Product((value.under, equation.column), constant_text(1 / Fraction(value.factor)))
