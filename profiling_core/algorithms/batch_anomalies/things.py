"""What rows said last of the same thing: of a product its price, of a customer the name, of a district the agent.

A column names things if most of its rows are of things that came before. What the same thing keeps from load to load is
compared with what it said last, as rows that change are with what they were (``cells.py``). A cell has changed if no
column that names things supports it: if a customer has another name, but its VAT number the same customer, the name is
wrong.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.surprise import ERROR_RATE
from profiling_core.algorithms.columns.changed_cells import changes
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.roles.names import identifies, words
from profiling_core.model.delta import BEFORE
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.stored import Stored
from profiling_core.model.types import LogicalType, TypeClass

# Limits on work and state: things per column, columns that may name things, and columns that are compared.
_MOST_THINGS, _MOST_NAMING, _MOST_KEPT = 2_000, 12, 40
_LASTING = (TypeClass.STRING, TypeClass.NUMERIC, TypeClass.BOOLEAN)
Texts = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Things(Stored):
    """The things that a column names, by the loads so far.

    ``rows`` of later loads than the first had a name, ``known`` of them one that had come before. By column ``others``
    counts those that said something else than their thing had ``last``, and ``varied`` those that did not say what most
    rows of their load did.
    """

    by: str
    loads: int = 0
    rows: int = 0
    known: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    varied: Mapping[str, int] = field(default_factory=dict)
    last: Mapping[str, Texts] = field(default_factory=dict)

    @property
    def come_again(self) -> bool:
        """Whether most rows are of things that had come before."""
        return self.loads > LEAST_LOADS and 2 * self.known > self.rows

    def keeps(self, name: str) -> bool:
        """Whether things seldom change in a column in which they differ."""
        return name in self.last and self.come_again and self._seldom(name, ERROR_RATE)

    def _seldom(self, name: str, rate: float) -> bool:
        return self.varied.get(name, 0) > 0 and self.others.get(name, 0) <= rate * self.varied[name]

    def said(self, rows: pa.Table, name: str) -> tuple[pa.Array, pa.Array]:
        """What each row's thing said last in a column, as texts, and which rows are of known things."""
        known = self.last[name]
        places = pc.index_in(_texts(rows[self.by]), value_set=pa.array(list(known), pa.string()))
        return pa.array(list(known.values()), pa.string()).take(places), places.is_valid()

    def followed_by(self, rows: pa.Table, names: Sequence[str], odd: Collection[str]) -> Self:
        """The things after one more load; what it said in ``odd`` columns teaches nothing of things that are known."""
        rows = rows.filter(_texts(rows[self.by]).is_valid())
        others, varied, last, known = dict(self.others), dict(self.varied), dict[str, Texts](), 0
        for name in names:
            said = _commonest(rows, self.by, name)
            if self.loads:
                was, there = self.said(rows, name)
                other = pc.and_(there, _differ(_texts(rows[name]), was))
                others[name] = others.get(name, 0) + int(pc.sum(other).as_py() or 0)
                known = int(pc.sum(there).as_py() or 0)
                most = pc.mode(pc.dictionary_encode(_texts(rows[name]), null_encoding="encode").indices)
                varied[name] = varied.get(name, 0) + len(rows) - (most[0]["count"].as_py() if len(most) else 0)
            before = self.last.get(name, {})
            last[name] = {**said, **before} if name in odd else {**before, **said}
        came = len(rows) if self.loads else 0
        grown = replace(self, loads=self.loads + 1, rows=self.rows + came, known=self.known + known)
        grown = replace(grown, others=others, varied=varied)
        return replace(grown, last={n: some for n, some in last.items() if grown.may_keep(n, some)})

    def may_keep(self, name: str, last: Texts) -> bool:
        """Whether a column may be one in which things seldom change; one that is dropped does not come back."""
        if self.loads > LEAST_LOADS:
            seldom = self.come_again and self._seldom(name, 2 * ERROR_RATE)
        else:
            seldom = 2 * self.others.get(name, 0) <= self.varied.get(name, 0)
        return seldom and len(last) <= _MOST_THINGS

    def under(self, former: Mapping[str, str]) -> Self:
        """The things after columns of the table were renamed."""
        last = {former[name]: texts for name, texts in self.last.items() if name in former}
        others, varied = (
            {former[name]: count for name, count in counts.items() if name in former}
            for counts in (self.others, self.varied)
        )
        return replace(self, by=former[self.by], last=last, others=others, varied=varied)


def begun(schema: TableSchema) -> tuple[Things, ...]:
    """The columns that may name things: texts, and numbers whose name says so."""
    naming = [c.name for c in schema.profiled if c.type is LogicalType.STRING or _is_number_of_things(c)]
    return tuple(Things(name) for name in naming[:_MOST_NAMING])


def _is_number_of_things(column: Column) -> bool:
    return column.type is LogicalType.INTEGER and identifies(words(column.name))


def _of_things(schema: TableSchema) -> list[str]:
    """The columns in which things may say the same; moments pass."""
    return [c.name for c in schema.profiled if c.type.type_class in _LASTING][:_MOST_KEPT]


def followed_by(
    known: Sequence[Things], found: Profile, schema: TableSchema, odd: Collection[str]
) -> tuple[Things, ...]:
    """The things after one more load; changed rows teach nothing, nor does a load if not all its rows are kept."""
    if not found.rows or len(found.sample) < found.rows or BEFORE in found.sample.column_names:
        return tuple(known)
    names = _of_things(schema)
    after = [
        one.followed_by(found.sample, [n for n in names if n != one.by and (not one.loads or n in one.last)], odd)
        for one in known or begun(schema)
    ]
    return tuple(one for one in after if one.last) or tuple(after[:1])  # so that what names nothing is not tried again


def counted(found: Profile, known: Sequence[Things], schema: TableSchema) -> Profile:
    """The profile with the numbers of cells in which rows say something else than their things did."""
    rows = beside(found.sample, known, schema) if len(found.sample) == found.rows else None
    if rows is None:
        return found
    there = rows[BEFORE].type
    columns = {
        name: replace(one, cells={kind.value: int(mask.sum()) for kind, mask in changes(rows, name).items()})
        if there.get_field_index(name) >= 0
        else one
        for name, one in found.columns.items()
    }
    return replace(found, columns=columns)


def keeping(known: Sequence[Things], name: str) -> list[Things]:
    """The things that seldom change in a column."""
    return [one for one in known if one.by != name and one.keeps(name)]


def beside(rows: pa.Table, known: Sequence[Things], schema: TableSchema) -> pa.Table | None:
    """The rows with what their things said last in the columns that these keep; None: they keep none.

    It is what a row says where some thing supports that, or none is known.
    """
    before: dict[str, pa.Array] = {}
    for name in _of_things(schema):
        witnesses = [one.said(rows, name) for one in keeping(known, name) if one.by in rows.column_names]
        if witnesses:
            now = _texts(rows[name])
            supported = pc.invert(witnesses[0][1])
            for was, there in witnesses:
                supported = pc.or_(supported, pc.and_(there, pc.invert(_differ(now, was))))
            said = pc.if_else(supported, now, witnesses[0][0]).cast(rows[name].type)
            before[name] = said
    if not before:
        return None
    return rows.append_column(BEFORE, pa.StructArray.from_arrays(list(before.values()), names=list(before)))


def _texts(values: pa.ChunkedArray) -> pa.Array:
    found = present(values).cast(pa.string())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _differ(one: pa.Array, other: pa.Array) -> pa.Array:
    """bool[n]: which texts differ; nothing differs from a text."""
    both_null = pc.and_(one.is_null(), other.is_null())
    return pc.and_(pc.fill_null(pc.not_equal(one, other), fill_value=True), pc.invert(both_null))


def _commonest(rows: pa.Table, by: str, name: str) -> dict[str, str | None]:
    """By thing what most of its rows say in a column."""
    both = pa.table({"by": _texts(rows[by]), "said": _texts(rows[name])})
    counts = both.group_by(["by", "said"]).aggregate([([], "count_all")])
    counts = counts.sort_by([("count_all", "ascending"), ("said", "ascending")])
    return dict(zip(counts["by"].to_pylist(), counts["said"].to_pylist(), strict=True))
