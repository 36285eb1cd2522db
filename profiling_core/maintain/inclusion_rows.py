"""Which rows count for which attribute when inclusions are brought to the next version.

An attribute that the state knows needs the rows that come and go. One that is new to it (of a new table, or because an
inclusion of several columns is now looked for) needs all rows of the next version: the stored ones, and the same delta.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from profiling_core.algorithms.inclusions.attribute_clustering import Attribute
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.version import DELETED, ROWS, Version
from profiling_core.spark.value_counts import Counted, SignedRows
from profiling_core.state.store import Store


@dataclass(frozen=True)
class RowSources:
    """The stored rows (version None: there are none) and the deltas on them, by table."""

    store: Store
    version: Version | None
    deltas: Mapping[str, NormalizedDelta]

    @property
    def rewritten(self) -> frozenset[str]:
        """The tables whose stored rows take on other columns."""
        return frozenset(table for table, delta in self.deltas.items() if delta.rewritten)

    def of(self, attributes: Sequence[Attribute | None], born: Collection[int]) -> list[SignedRows]:
        """What comes and goes for attributes by their ids, those ``born`` being new to the state."""
        tables = sorted({a.table for a in attributes if a})
        return [side for table in tables for side in self._of_table(table, attributes, born)]

    def _of_table(self, table: str, attributes: Sequence[Attribute | None], born: Collection[int]) -> list[SignedRows]:
        own = [(a.columns, i) for i, a in enumerate(attributes) if a and a.table == table]
        new = tuple(counted for counted in own if counted[1] in born)
        return [*self._stored(table, new), *self._delta(table, tuple(own))]

    def _delta(self, table: str, counted: tuple[Counted, ...]) -> list[SignedRows]:
        delta = self.deltas.get(table)
        if delta is None:
            return []
        sides = ((delta.inserted, 1), (delta.deleted, -1))
        return [SignedRows(self.store.verified(part), counted, sign) for part, sign in sides]

    def _stored(self, table: str, counted: tuple[Counted, ...]) -> list[SignedRows]:
        if not counted or self.version is None or table not in self.version.tables:
            return []
        if table in self.deltas and self.deltas[table].rewritten:
            return [SignedRows(self.store.verified(self.deltas[table].rewritten), counted, 1)]
        rows, gone = (self.store.verified(self.version.files_of(role, table)) for role in (ROWS, DELETED))
        return [SignedRows(rows, counted, 1, gone)]
