"""Evidence differences of a delta, computed as Spark tasks over tiles of rows.

The pairs that a delta adds and takes away are I×K, I×I and, with a minus sign, D×K, D×D, where I are the inserted,
D the deleted and K the kept rows (DynASt, section 3, for tuple evidences; here for whole predicate spaces). Keys do
not depend on how values are encoded, so each task encodes its own tile and no dictionary is shared between tasks.

What compares few pairs is done in this process. Else a small delta is broadcast and the kept rows stream past it where
they lie. A large one (a bootstrap above all) is cut
into blocks, and each pair of blocks becomes one task.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.evidence.changes import are_mostly_gone
from profiling_core.algorithms.evidence.multiset import (
    changed_evidence,
    combine,
    cross_difference,
    cross_evidence,
    self_evidence,
)
from profiling_core.algorithms.evidence.tile_kernel import key_words
from profiling_core.algorithms.values.encoding import columns_of, encode_together
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import PredicateSpace
from profiling_core.spark.names import all_quoted, named, plain, plain_names
from profiling_core.spark.rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BROADCAST_ROWS = 20_000
# Up to this number of pairs, comparing them here takes less time than Spark's tasks take to begin.
PAIRS_HERE = 100_000_000
BLOCK_ROWS = 8_192
# Up to this number of rows, which take a fraction of a gibibyte, a table is read and compared here as a whole.
ROWS_HERE = 65_536


@dataclass(frozen=True)
class RowDelta:
    """The rows of one table that stay (None: there were none), come and go."""

    staying: Rows | None
    coming: Rows
    going: Rows
    inserts: int
    deletes: int

    @property
    def kept(self) -> "DataFrame | None":
        """The rows that stay, as Spark reads them."""
        return None if self.staying is None else self.staying.frame

    @property
    def inserted(self) -> "DataFrame":
        """The rows that come, as Spark reads them."""
        return self.coming.frame

    @property
    def later(self) -> Rows:
        """The table's rows after the delta."""
        return self.coming if self.staying is None else self.staying.and_those(self.coming)

    def whole(self, size: int) -> "RowDelta":
        """The delta that makes the same ``size`` rows out of nothing: what an engine begins with."""
        if self.staying is None:
            return self
        return RowDelta(None, self.later, replace(self.going, parts=()), size, 0)

    def after(self, *columns: str) -> "DataFrame":
        """Some columns of the table's rows after the delta, as Spark reads them."""
        return self.later.frame.select(*all_quoted(columns))


def evidence_after(before: EvidenceSet, delta: RowDelta, space: PredicateSpace, size: int) -> EvidenceSet:
    """The evidence multiset after a delta: the one before with what changes, or anew where that costs less.

    Args:
        before: the evidence multiset before the delta.
        delta: the delta.
        space: the predicate space.
        size: the number of rows after the delta.
    """
    if are_mostly_gone(size - delta.inserts, delta.deletes):
        before, delta = empty_evidence(space), delta.whole(size)
    columns, changed = list(columns_of(space)), delta.inserts + delta.deletes
    if not columns:
        return before
    if changed * (changed + (delta.staying.most if delta.staying else 0)) <= PAIRS_HERE:
        return _here(before, delta, space, columns)
    return combine([(before, 1), (_by_tasks(delta, space, columns), 1)])


def _by_tasks(delta: RowDelta, space: PredicateSpace, columns: list[str]) -> EvidenceSet:
    """Signed counts of unordered pairs by evidence key: what the delta adds, minus what it takes away."""
    spark, changed = delta.coming.spark, delta.inserts + delta.deletes
    if changed <= BROADCAST_ROWS:
        tiles = _broadcast_tiles(spark, delta, space, columns)
    else:
        tiles = _block_tiles(spark, delta, space, columns)
    names = [f"k{w}" for w in range(key_words(space))]
    totals = tiles.groupBy(*names).sum("n").toArrow()
    return _from_arrow(totals.rename_columns([*names, "n"]), space)


def tiles_of(rows: int) -> int:
    """Into how many tiles the pairs of a new table's rows are split."""
    blocks = -(-rows // BLOCK_ROWS)
    return blocks * (blocks + 1) // 2


def empty_evidence(space: PredicateSpace) -> EvidenceSet:
    """The evidence multiset of a table without pairs."""
    return EvidenceSet(np.empty((0, key_words(space)), np.uint64), np.empty(0, np.int64))


def to_arrow(evidence: EvidenceSet) -> pa.Table:
    """The multiset as an Arrow table: ``k0…`` (key words, as signed 64-bit integers) and ``n``."""
    words = {f"k{w}": pa.array(evidence.keys[:, w].view(np.int64)) for w in range(evidence.keys.shape[1])}
    return pa.table({**words, "n": pa.array(evidence.counts)})


def _from_arrow(table: pa.Table, space: PredicateSpace) -> EvidenceSet:
    words = [table[f"k{w}"].to_numpy().astype(np.int64).view(np.uint64) for w in range(key_words(space))]
    counts = table["n"].to_numpy().astype(np.int64)
    keys = np.column_stack(words) if len(counts) else np.empty((0, len(words)), np.uint64)
    return combine([(EvidenceSet(np.ascontiguousarray(keys), counts), 1)])


def from_arrow(table: pa.Table, space: PredicateSpace) -> EvidenceSet:
    """The inverse of :func:`to_arrow`."""
    return _from_arrow(table, space)


def _schema(space: PredicateSpace) -> str:
    words = ", ".join(f"k{w} bigint" for w in range(key_words(space)))
    return f"{words}, n bigint"


def _broadcast_tiles(spark: "SparkSession", delta: RowDelta, space: PredicateSpace, columns: list[str]) -> "DataFrame":
    inserted, deleted = delta.coming.read(columns), delta.going.read(columns)
    tiles = spark.range(1, numPartitions=1).mapInArrow(_inner_pairs(inserted, deleted, space), _schema(space))
    if delta.kept is None:
        return tiles
    kept = plain(delta.kept.select(*all_quoted(columns)))
    streamed = kept.mapInArrow(_outer_pairs(inserted, deleted, space), _schema(space))
    return tiles.unionAll(streamed)


Batches = Iterator[pa.RecordBatch]


def _inner_pairs(inserted: pa.Table, deleted: pa.Table, space: PredicateSpace) -> Callable[[Batches], Batches]:
    def pairs(batches: Batches) -> Batches:
        for _ in batches:
            yield from to_arrow(_inner(inserted, deleted, space, threads=1)).to_batches()

    return pairs


def _outer_pairs(inserted: pa.Table, deleted: pa.Table, space: PredicateSpace) -> Callable[[Batches], Batches]:
    def pairs(batches: Batches) -> Batches:
        for kept in row_blocks(named(batches, inserted.column_names)):
            yield from to_arrow(_outer(kept, inserted, deleted, space, threads=1)).to_batches()

    return pairs


def _inner(inserted: pa.Table, deleted: pa.Table, space: PredicateSpace, *, threads: int) -> EvidenceSet:
    """The pairs of inserted rows, less those of deleted ones."""
    come, go = encode_together([inserted, deleted], space)
    return combine([(self_evidence(come, space, threads=threads), 1), (self_evidence(go, space, threads=threads), -1)])


def _outer(
    kept: pa.Table, inserted: pa.Table, deleted: pa.Table, space: PredicateSpace, *, threads: int
) -> EvidenceSet:
    """The pairs of inserted rows with those that stay, less those of deleted ones."""
    rest, come, go = encode_together([kept, inserted, deleted], space)
    return cross_difference(rest, go, come, space, threads=threads)


def _here(before: EvidenceSet, delta: RowDelta, space: PredicateSpace, columns: list[str]) -> EvidenceSet:
    """The evidence after a delta, counted in this process."""
    come, go, staying = delta.coming.read(columns), delta.going.read(columns), delta.staying
    if staying and staying.most <= ROWS_HERE:
        kept, gone, came = encode_together([staying.read(columns), go, come], space)
        return changed_evidence(before, kept, gone, came, space)
    total = combine([(before, 1), (_inner(come, go, space, threads=0), 1)])
    for block in row_blocks(b for rows in staying.portions(columns) for b in rows.to_batches()) if staying else ():
        total = combine([(total, 1), (_outer(block, come, go, space, threads=0), 1)])
    return total


def row_blocks(batches: Batches) -> Iterator[pa.Table]:
    """Batches joined into blocks of about :data:`BLOCK_ROWS` rows: bounded memory, and each is encoded once."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= BLOCK_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if rows:
        yield pa.Table.from_batches(waiting)


def _block_tiles(spark: "SparkSession", delta: RowDelta, space: PredicateSpace, columns: list[str]) -> "DataFrame":
    """One task per pair of blocks; a row travels once to each pair that its block takes part in."""
    from pyspark.sql import functions as f

    counts = {"I": delta.inserts, "D": delta.deletes, "K": delta.kept.count() if delta.kept is not None else 0}
    blocks = {tag: -(-count // BLOCK_ROWS) for tag, count in counts.items()}
    sides = {"I": delta.inserted, "D": delta.going.frame, "K": delta.kept}
    tagged = [
        _tagged(rows, tag, blocks[tag], columns) for tag, rows in sides.items() if rows is not None and blocks[tag]
    ]
    rows = tagged[0]
    for part in tagged[1:]:
        rows = rows.unionAll(part)
    pairs = block_pairs(blocks)
    members = [(tag, block, tile, side) for tile, pair in enumerate(pairs) for side, (tag, block) in enumerate(pair)]
    membership = spark.createDataFrame(members, "_tag string, _block bigint, _tile bigint, _side int")
    tiled = rows.join(f.broadcast(membership), ["_tag", "_block"])
    grouped = tiled.repartition(len(pairs), "_tile").groupBy("_tile")
    return grouped.applyInArrow(_tile_evidence(space, columns), _schema(space))


def block_pairs(blocks: dict[str, int]) -> list[tuple[tuple[str, int], ...]]:
    """The tiles: pairs of blocks (one block: the pairs inside it) that cover I×I, I×K, D×D and D×K once each."""
    tiles: list[tuple[tuple[str, int], ...]] = []
    for tag in ("I", "D"):
        own = [(tag, b) for b in range(blocks.get(tag, 0))]
        kept = [("K", b) for b in range(blocks.get("K", 0))]
        tiles += [(block,) for block in own]
        tiles += [(a, b) for i, a in enumerate(own) for b in own[i + 1 :]]
        tiles += [(a, b) for a in own for b in kept]
    return tiles


def _tagged(rows: "DataFrame", tag: str, blocks: int, columns: list[str]) -> "DataFrame":
    from pyspark.sql import functions as f

    block = f.pmod(f.col("_row_id"), f.lit(blocks)).cast("bigint")
    values = [
        f.col(name).alias(plain) for name, plain in zip(all_quoted(columns), plain_names(len(columns)), strict=True)
    ]
    return rows.select(f.lit(tag).alias("_tag"), block.alias("_block"), *values)


def _tile_evidence(space: PredicateSpace, columns: list[str]) -> Callable[[pa.Table], pa.Table]:
    def evidence(tile: pa.Table) -> pa.Table:
        sides = [tile.filter(pc.equal(tile["_side"], side)) for side in (0, 1)]
        sign = -1 if "D" in pc.unique(tile["_tag"]).to_pylist() else 1
        values = [side.select(plain_names(len(columns))).rename_columns(columns) for side in sides]
        first, second = encode_together(values, space)
        if sides[1].num_rows:
            part = cross_evidence(first, second, space, threads=1)
        else:
            part = self_evidence(first, space, threads=1)
        return to_arrow(combine([(part, sign)]))

    return evidence
