"""Unary inclusion dependencies by attribute clustering (Shaabani and Meinel, SSDBM 2017).

The generator maps each value to its cluster: the set of attributes that hold it. All that INDs and partial INDs need
is, per cluster, how many values have it, and per attribute in it the rows that hold them: by Lemma 4.2 A ⊆ B holds iff
B is in every cluster that A is in, and the values of A in clusters with B over those in all are the coverage.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.combinations import candidates, column_positions
from profiling_core.algorithms.inclusions.foreign_keys import InclusionSide
from profiling_core.algorithms.inclusions.row_parts import (
    CELLS_PER_PART,
    Counted,
    MemorySpool,
    TableParts,
    clusters_of_parts,
)
from profiling_core.algorithms.inclusions.value_clusters import Clusters
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.schema import TableSchema

_CLUSTERS_AT_ONCE = 4096
_SMALL_PRODUCT = 4_000_000  # multiplications


@dataclass(frozen=True, slots=True)
class Attribute:
    """Columns that take part as one; ``comparable`` names the type classes (or "text") within which values compare."""

    table: str
    columns: tuple[str, ...]
    comparable: str


def attributes_of(schema: TableSchema, values: Values) -> list[Attribute]:
    """The attributes of a table, in column order: its profiled columns."""
    return [attribute_of(ColumnList(schema.table, (column.name,)), schema, values) for column in schema.profiled]


def attribute_of(side: ColumnList, schema: TableSchema, values: Values) -> Attribute:
    """One side of an inclusion as an attribute."""
    classes = ["text" if values == "text" else schema.column(name).type.type_class.value for name in side.columns]
    return Attribute(side.table, side.columns, ",".join(classes))


MinCoverage = float | Callable[[Attribute], float]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Per ordered pair of attributes what they share: int64[a, a] values, and rows of the first with such values."""

    values: NDArray[np.int64]
    rows: NDArray[np.int64]


def coverage(clusters: Clusters, attributes: int) -> Coverage:
    """What attributes share, from the clusters alone; on the diagonal an attribute's distinct values and rows."""
    shared = np.zeros((attributes, attributes), np.float64)
    rows = np.zeros((attributes, attributes), np.float64)
    items = list(clusters.counts.items())
    for first in range(0, len(items), _CLUSTERS_AT_ONCE):
        block = items[first : first + _CLUSTERS_AT_ONCE]
        at = np.repeat(np.arange(len(block)), [len(key) for key, _ in block])
        members = np.array([a for key, _ in block for a in key], np.int64)
        present = np.zeros((len(block), attributes), np.float64)
        present[at, members] = 1.0
        held = np.zeros_like(present)
        held[at, members] = [r for _, (_, frequencies) in block for r in frequencies]
        values = np.array([count for _, (count, _) in block], np.float64)
        # Matrix products of whole numbers below 2^53 are exact in floats, and fast.
        shared += _product(present, present * values[:, None])
        rows += _product(held, present)
    return Coverage(shared.astype(np.int64), rows.astype(np.int64))


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """``left.T @ right``; a small one in this thread alone, as waking others takes longer."""
    return np.einsum("ki,kj->ij", left, right) if left.size * right.shape[1] < _SMALL_PRODUCT else left.T @ right


def inclusions(
    shared: Coverage, attributes: Sequence[Attribute], min_coverage: MinCoverage = 1.0, *, empty: bool = False
) -> list[Measured[InclusionDependency]]:
    """All unary INDs with at least this coverage, A ⊆ A left out.

    Args:
        shared: what the attributes share.
        attributes: by id; they need not be in order.
        min_coverage: one for all, or by the included attribute.
        empty: whether attributes without values are listed as included in all others.

    Returns:
        By included, then referenced attribute: tables by name, columns by position.
    """
    least = [min_coverage(a) if callable(min_coverage) else min_coverage for a in attributes]
    kinds = np.array([a.comparable for a in attributes], np.str_)
    distinct = np.diagonal(shared.values)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (distinct > 0) & (shared.values / distinct >= np.array(least)[:, None])
    found |= empty & (distinct == 0)
    found &= kinds[:, None] == kinds[None, :]
    np.fill_diagonal(found, val=False)
    order = sorted(range(len(attributes)), key=lambda a: (attributes[a].table, a))
    return [measured(shared, attributes, a, b) for a in order for b in order if found[a, b]]


def measured(
    shared: Coverage, attributes: Sequence[Attribute], included: int, referenced: int
) -> Measured[InclusionDependency]:
    """The exact figures of one inclusion, valid or not; an empty side is wholly included."""
    lhs, rhs = attributes[included], attributes[referenced]
    constraint = InclusionDependency(ColumnList(lhs.table, lhs.columns), ColumnList(rhs.table, rhs.columns))
    population, support = int(shared.values[included, included]), int(shared.values[included, referenced])
    rows = int(shared.rows[included, included])
    share = int(shared.rows[included, referenced]) / rows if rows else 1.0
    return Measured(constraint, population - support, population, support, share)


@dataclass(frozen=True, slots=True)
class ClusteredInclusions:
    """Inclusions, and by side what it takes to read them as foreign keys."""

    inclusions: tuple[Measured[InclusionDependency], ...]
    sides: Mapping[ColumnList, InclusionSide]


def sides_of(shared: Coverage, attributes: Sequence[Attribute]) -> dict[ColumnList, InclusionSide]:
    """Per attribute its distinct values and the rows that hold them."""
    return {
        ColumnList(a.table, a.columns): InclusionSide(int(shared.values[i, i]), int(shared.rows[i, i]))
        for i, a in enumerate(attributes)
    }


Sharing = Callable[[Sequence[Attribute]], Coverage]
"""Tells what attributes share, by whatever way counts their values."""


Holding = Callable[[Sequence[InclusionDependency]], Sequence[InclusionDependency]]
"""Leaves out inclusions that do not hold."""


class Sought(TypedDict, total=False):
    """What :func:`discover_by` looks for."""

    min_coverage: MinCoverage
    max_arity: int
    empty_columns: bool
    holding: Holding


def discover(
    tables: Mapping[str, pa.Table], schemas: Mapping[str, TableSchema], *, values: Values, **options: Unpack[Sought]
) -> ClusteredInclusions:
    """All INDs within and across tables in this process's memory; see :func:`discover_by`.

    Args:
        tables: by name; columns in the Arrow types of their logical types (``values: text``: source text as strings).
        schemas: by the same names; only profiled columns take part.
        values: whether values compare as typed, or by their text, and then across all types.
        options: what is looked for.

    Raises:
        TypeError: a column's values never compare with anything.
    """
    rows = {name: TableParts(table) for name, table in tables.items()}
    cells = sum(table.num_rows * table.num_columns for table in tables.values())

    def sharing(attributes: Sequence[Attribute]) -> Coverage:
        spool = MemorySpool(1 + cells // CELLS_PER_PART)
        return coverage(clusters_of_parts(rows, counted_in(attributes), values, spool)[0], len(attributes))

    return discover_by(sharing, schemas, values=values, **options)


def discover_by(
    sharing: Sharing,
    schemas: Mapping[str, TableSchema],
    *,
    values: Values,
    min_coverage: MinCoverage = 1.0,
    max_arity: int = 1,
    empty_columns: bool = False,
    holding: Holding = lambda sought: sought,
) -> ClusteredInclusions:
    """All INDs within and across tables, those that follow from longer ones included.

    Args:
        sharing: counts the attributes' values; called once for each length.
        schemas: by table; only profiled columns take part.
        values: whether values compare as typed, or by their text, and then across all types.
        min_coverage: the least coverage of a partial IND, for all or by included attribute; 1: exact ones only.
        max_arity: the most columns of an IND; 0: any number.
        empty_columns: whether columns without values count as included in all that they compare with.
        holding: what leaves out inclusions of several columns before they are counted; nothing if they may be partial.

    Returns:
        Shorter ones first; among these by included, then referenced columns (tables by name, columns by position).
    """
    attributes = [a for schema in schemas.values() for a in attributes_of(schema, values)]
    shared = sharing(attributes)
    found, sides = inclusions(shared, attributes, min_coverage, empty=empty_columns), sides_of(shared, attributes)
    everything, arity, positions = list(found), 1, column_positions(schemas.values())
    while found and arity != max_arity:
        sought = holding(candidates([m.constraint for m in found if m.population], positions))
        if not sought:
            break
        wanted = dict.fromkeys(side for ind in sought for side in (ind.lhs, ind.rhs))
        attributes = [attribute_of(side, schemas[side.table], values) for side in wanted]
        shared = sharing(attributes)
        found = among(shared, attributes, sought, min_coverage)
        sides |= sides_of(shared, attributes)
        everything += found
        arity += 1
    return ClusteredInclusions(tuple(everything), sides)


def among(
    shared: Coverage, attributes: Sequence[Attribute], sought: Sequence[InclusionDependency], min_coverage: MinCoverage
) -> list[Measured[InclusionDependency]]:
    """Of the inclusions sought those with at least this coverage, in their order; an empty included side has none."""
    ids = {ColumnList(a.table, a.columns): i for i, a in enumerate(attributes)}
    found = []
    for inclusion in sought:
        included = ids[inclusion.lhs]
        figures = measured(shared, attributes, included, ids[inclusion.rhs])
        least = min_coverage(attributes[included]) if callable(min_coverage) else min_coverage
        if figures.population and figures.support / figures.population >= least:
            found.append(figures)
    return found


def counted_in(attributes: Sequence[Attribute]) -> dict[str, list[Counted]]:
    """By table what is to be counted for attributes by their place."""
    counted: dict[str, list[Counted]] = {}
    for i, attribute in enumerate(attributes):
        counted.setdefault(attribute.table, []).append((attribute.columns, i))
    return counted
