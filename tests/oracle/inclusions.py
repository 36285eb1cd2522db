"""Unary inclusion dependencies with their coverages, from SEMANTICS.md: "Inclusion dependencies"."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from oracle.predicates import Row, plain, values
from profiling_core.model.schema import TableSchema


class Inclusion(NamedTuple):
    """``table.column ⊆ other_table.other_column``: distinct values missing, of how many, and the share of rows."""

    table: str
    column: str
    other_table: str
    other_column: str
    missing: int
    distinct: int
    row_coverage: float


def inclusion_dependencies(
    tables: Mapping[str, Sequence[Row]],
    schemas: Mapping[str, TableSchema],
    min_coverage: float = 1.0,
    *,
    text: bool = False,
) -> list[Inclusion]:
    """All unary INDs with coverage ≥ ``min_coverage``, without A ⊆ A and without empty included columns.

    With ``text`` the rows hold source text, and columns of all types compare.
    """
    columns = [(table, c) for table, schema in schemas.items() for c in schema.profiled]
    found = []
    for (table, a), (other, b) in itertools.permutations(columns, 2):
        left, right = values(tables[table], a.name), values(tables[other], b.name)
        if not left or not (text or a.type.type_class is b.type.type_class):
            continue
        if len(left & right) / len(left) >= min_coverage:
            present = [plain(row[a.name]) for row in tables[table] if plain(row[a.name]) is not None]
            share = sum(value in right for value in present) / len(present)
            found.append(Inclusion(table, a.name, other, b.name, len(left - right), len(left), share))
    return sorted(found)
