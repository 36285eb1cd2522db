"""Inclusion dependencies with their coverages, from docs/semantics.md: "Inclusion dependencies"."""

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


class LongInclusion(NamedTuple):
    """``table.(columns) ⊆ other_table.(other_columns)``, with the same figures over combinations of values."""

    table: str
    columns: tuple[str, ...]
    other_table: str
    other_columns: tuple[str, ...]
    missing: int
    distinct: int
    row_coverage: float


Pairs = frozenset[tuple[str, str]]


def all_inclusion_dependencies(
    tables: Mapping[str, Sequence[Row]],
    schemas: Mapping[str, TableSchema],
    min_coverage: float = 1.0,
    max_arity: int = 0,
    *,
    text: bool = False,
) -> list[LongInclusion]:
    """INDs of all lengths up to ``max_arity`` (0: any), each of whose parts of one column less is one, too."""
    unary = inclusion_dependencies(tables, schemas, min_coverage, text=text)
    found = [LongInclusion(u.table, (u.column,), u.other_table, (u.other_column,), *u[4:]) for u in unary]
    valid = {(i.table, i.other_table, frozenset(zip(i.columns, i.other_columns, strict=True))) for i in found}
    arity = 1
    while valid and arity != max_arity:
        arity += 1
        longer = set()
        for (table, other, pairs), (also, elsewhere, (pair,)) in itertools.product(valid, _single(unary)):
            together = pairs | {pair}
            columns = {(table, a) for a, _ in together} | {(other, b) for _, b in together}
            if (table, other) != (also, elsewhere) or len(columns) != 2 * arity:
                continue
            if all((table, other, together - {gone}) in valid for gone in together):
                longer.add((table, other, together))
        figures = {place: _figures(place, tables, schemas) for place in longer}
        new = {p: f for p, f in figures.items() if f.distinct and 1 - f.missing / f.distinct >= min_coverage - 1e-12}
        found += new.values()
        valid = set(new)
    return sorted(found)


def maximal(found: Sequence[LongInclusion]) -> list[LongInclusion]:
    """Without the exact ones that are part of an exact one."""

    def pairs(inclusion: LongInclusion) -> Pairs:
        return frozenset(zip(inclusion.columns, inclusion.other_columns, strict=True))

    def is_part(one: LongInclusion, other: LongInclusion) -> bool:
        tables = (one.table, one.other_table) == (other.table, other.other_table)
        return tables and other.missing == 0 and pairs(one) < pairs(other)

    return [i for i in found if i.missing > 0 or not any(is_part(i, other) for other in found)]


def _single(unary: Sequence[Inclusion]) -> list[tuple[str, str, Pairs]]:
    return [(u.table, u.other_table, frozenset({(u.column, u.other_column)})) for u in unary]


def _figures(
    place: tuple[str, str, Pairs], tables: Mapping[str, Sequence[Row]], schemas: Mapping[str, TableSchema]
) -> LongInclusion:
    table, other, pairs = place
    ordered = sorted(pairs, key=lambda pair: schemas[table].names.index(pair[0]))
    columns, other_columns = tuple(a for a, _ in ordered), tuple(b for _, b in ordered)

    def combinations(rows: Sequence[Row], names: tuple[str, ...]) -> list[tuple[object, ...]]:
        found = [tuple(plain(row[name]) for name in names) for row in rows]
        return [combination for combination in found if None not in combination]

    left, right = combinations(tables[table], columns), set(combinations(tables[other], other_columns))
    share = sum(value in right for value in left) / len(left) if left else 1.0
    return LongInclusion(table, columns, other, other_columns, len(set(left) - right), len(set(left)), share)
