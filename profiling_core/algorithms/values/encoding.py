"""Table columns become integer codes, so that every predicate is a comparison of two integers.

Columns that the predicate space compares with each other form one *domain* and share its codes: ranks where any
group of the domain is ordered, dictionary ids elsewhere, −1 for null. Codes are valid among the tables that were
encoded together and nowhere else; evidence keys do not depend on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.ground.arrays import Codes, Counts
from profiling_core.algorithms.values.arrow_buffers import present, values_of
from profiling_core.algorithms.values.comparable_values import comparable
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

NULL = -1


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """``codes``: int32[m, n], row i holding the codes of ``columns[i]`` for n rows; −1 is null."""

    columns: tuple[str, ...]
    codes: Codes

    @property
    def rows(self) -> int:
        """The number of rows, n."""
        return int(self.codes.shape[1])

    def with_presences(self, nulls: NullSemantics) -> tuple[Codes, Counts]:
        """The codes that partitions of the rows go by; no nulls are among them where null = null.

        Where nulls are incomparable, each column with nulls brings a *presence* column with one value and the same
        nulls: pairs differ in the column if they agree on its presence but not on the column itself.

        Returns:
            int32[m + presences, n], and the columns that have presences, int64[presences].
        """
        codes = self.codes if nulls is NullSemantics.SQL else self.codes - np.int32(NULL)
        nullable = np.flatnonzero((codes == NULL).any(axis=1))
        presences = np.minimum(codes[nullable], np.int32(0))
        return np.ascontiguousarray(np.concatenate([codes, presences])), nullable


def encode(table: pa.Table, space: PredicateSpace) -> Encoded:
    """Codes of the columns that occur in the space, for one table."""
    return encode_together([table], space)[0]


def encode_together(tables: Sequence[pa.Table], space: PredicateSpace) -> list[Encoded]:
    """Codes of several tables' rows in shared domains, so that rows of one compare with rows of another.

    Args:
        tables: tables that have the space's columns, e.g. a partition and a delta.
        space: the predicate space, whose groups say which columns compare and whether by order.
    """
    columns = columns_of(space)
    position = {name: i for i, name in enumerate(columns)}
    encoded = [Encoded(columns, np.empty((len(columns), table.num_rows), np.int32)) for table in tables]
    for domain, ordered in domains(space):
        arrays = [table[name] for table in tables for name in domain]
        targets = [(part, name) for part in encoded for name in domain]
        for (part, name), codes in zip(targets, shared_codes(arrays, ordered=ordered), strict=True):
            part.codes[position[name]] = codes
    return encoded


def columns_of(space: PredicateSpace) -> tuple[str, ...]:
    """The columns that the space's predicates speak of, in order of first appearance."""
    return tuple(dict.fromkeys(o.column for group in space.groups for o in (group.left, group.right)))


def domains(space: PredicateSpace) -> list[tuple[tuple[str, ...], bool]]:
    """The sets of columns that compare with each other, directly or by way of others, and whether by order."""
    members = {name: [name] for name in columns_of(space)}
    for group in space.groups:
        left, right = members[group.left.column], members[group.right.column]
        if left is not right:
            left += right
            members.update(dict.fromkeys(right, left))
    ordered = {group.left.column for group in space.groups if group.ordered}
    distinct = {id(domain): domain for domain in members.values()}.values()
    return [(tuple(domain), not ordered.isdisjoint(domain)) for domain in distinct]


def shared_codes(arrays: Sequence[pa.ChunkedArray], *, ordered: bool) -> list[Codes]:
    """Codes of arrays of one type class in one domain: equal values and no others have equal codes.

    Args:
        arrays: Arrow arrays whose values compare with each other.
        ordered: whether codes must follow the order of the values (strings and binaries: of their bytes).
    """
    values = comparable(arrays)
    chunks = [chunk for array in values for chunk in array.chunks]
    whole = pa.chunked_array(chunks, values[0].type if values else pa.null()).combine_chunks()
    if pa.types.is_null(whole.type):
        return [np.full(len(array), NULL, np.int32) for array in values]
    encoded = whole.dictionary_encode()
    codes = np.where(present(encoded.indices), values_of(encoded.indices, np.int32), np.int32(NULL))
    if ordered and len(encoded.dictionary):
        codes = _ranks(encoded.dictionary)[codes]
    bounds = np.cumsum([0, *(len(array) for array in values)])
    return [codes[start:end] for start, end in pairwise(bounds.tolist())]


def _ranks(dictionary: pa.Array) -> Codes:
    """Per dictionary id its rank; the extra last entry, which id −1 picks, is null's."""
    ranks = np.empty(len(dictionary) + 1, np.int32)
    ranks[-1] = NULL
    order = values_of(pc.sort_indices(dictionary), np.uint64)
    ranks[order] = np.arange(len(dictionary), dtype=np.int32)
    return ranks
