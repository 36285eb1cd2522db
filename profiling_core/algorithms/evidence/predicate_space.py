"""Builds the predicate space of a table (docs/semantics.md, "Pairs and predicates").

Cross-column groups are worth their price only where two columns speak of the same things, which is taken to be so when
they share enough of their distinct values (30 % by default, as in Chu et al., "Discovering Denial Constraints").
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.ground.pieces import Runner, in_turn
from profiling_core.algorithms.values.encoding import shared_codes
from profiling_core.model.predicate import Operand, PredicateGroup, PredicateSpace
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import NullSemantics, TypeClass

NOTHING_SHARED: Mapping[tuple[str, str], float] = {}


def build(
    schema: TableSchema,
    nulls: NullSemantics,
    *,
    cross: bool,
    shared: Mapping[tuple[str, str], float] = NOTHING_SHARED,
    threshold: float = 0.3,
) -> PredicateSpace:
    """The space over the schema's profiled columns.

    Args:
        schema: the table's columns.
        nulls: the null semantics of all its predicates.
        cross: whether predicates may compare two different columns.
        shared: per pair of columns, first before second, the share of distinct values that they have in common; pairs
            that are not in it are not compared.
        threshold: the least share at which two columns are compared.
    """
    columns = schema.profiled
    groups = [_group(("t", a), ("s", a)) for a in columns]
    pairs = [
        (a, b)
        for a, b in combinations(columns, 2)
        if cross and a.type.type_class is b.type.type_class and shared.get((a.name, b.name), -1.0) >= threshold
    ]
    for a, b in pairs:
        groups += [_group(("t", a), ("s", b)), _group(("t", b), ("s", a))]
    groups += [_group(("t", a), ("t", b)) for a, b in pairs]
    return PredicateSpace(schema.table, nulls, tuple(groups))


def equality_only(schema: TableSchema, nulls: NullSemantics) -> PredicateSpace:
    """The same-column space without order: all that FDs and UCCs need, with far fewer distinct evidences."""
    groups = tuple(PredicateGroup(Operand("t", c.name), Operand("s", c.name), ordered=False) for c in schema.profiled)
    return PredicateSpace(schema.table, nulls, groups)


def _group(left: tuple[str, Column], right: tuple[str, Column]) -> PredicateGroup:
    (left_row, a), (right_row, b) = left, right
    return PredicateGroup(Operand(left_row, a.name), Operand(right_row, b.name), a.ordered and b.ordered)


class Columns(Protocol):
    """Rows whose columns are read when they are asked for."""

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        """A column."""


def shared_fractions(table: Columns, schema: TableSchema, run: Runner = in_turn) -> dict[tuple[str, str], float]:
    """|V_A ∩ V_B| / max(|V_A|, |V_B|) over distinct non-null values, for pairs of one type class that both have some.

    Args:
        table: the rows; has the schema's profiled columns.
        schema: the table's columns, in whose order each pair stands.
        run: what runs the pieces, one per type class.
    """
    classes = [[c for c in schema.profiled if c.type.type_class is type_class] for type_class in TypeClass]
    shares: dict[tuple[str, str], float] = {}
    for some in run(partial(_shares, table), [members for members in classes if len(members) > 1]):
        shares |= some
    return shares


def _shares(table: Columns, columns: Sequence[Column]) -> dict[tuple[str, str], float]:
    distinct = [pa.chunked_array([pc.unique(table[c.name])]) for c in columns]
    sets = _value_sets(shared_codes(distinct, ordered=False))
    sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
    return {
        (columns[a].name, columns[b].name): int(np.bitwise_count(sets[a] & sets[b]).sum(dtype=np.int64))
        / max(int(sizes[a]), int(sizes[b]))
        for a, b in combinations(range(len(columns)), 2)
        if sizes[a] and sizes[b]
    }


def _value_sets(codes: Sequence[NDArray[np.int32]]) -> NDArray[np.uint8]:
    """Per column the set of its codes, one bit each."""
    values = max((int(c.max(initial=-1)) for c in codes), default=-1) + 1
    present = np.zeros((len(codes), -(-values // 8)), np.uint8)
    for row, column in zip(present, codes, strict=True):
        flags = np.zeros(values, np.bool_)
        flags[column[column >= 0]] = True
        row[:] = np.packbits(flags)
    return present
