"""An index of a row file by key: its rows again, sorted by the hash of their key, in blocks that are read alone.

A delta looks for few rows among many, which lie anywhere. By the index it reads, unfolds and proves the blocks in which
they stand, however large the table is; by the row file it would unfold every column of most row groups. A block is a
few rows, compressed together: whoever wants a row wants all of its columns. A *directory* has the hash of each block's
first row, and what proves the block.
"""

import hashlib
import json
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from profiling_core.algorithms.columns.repeats import Hashes, combined_hashes
from profiling_core.model.version import FileRef
from profiling_core.spark.sharing import SLOTS, rows_in, share_out
from profiling_core.state.block_file import BlockFile, BlockWriter
from profiling_core.state.proof import StoredFile, prove

# Rows per block: with fewer the file is larger, with more more rows are unfolded in vain.
_BLOCK_ROWS = 256
# About the number of rows that are sorted at once.
_ROWS_AT_ONCE = 65_536
# Smaller row files are read whole in less time than their indexes would take to open.
LEAST_BYTES = 1 << 18
PARTS = DIRECTORY, BLOCKS = "directory.arrow", "blocks"
"""The files of an index, by how their names end."""
_MATCH, _ROWS = b"holdfast.match", b"holdfast.rows"
_CODEC = pa.Codec("zstd", 1)
_DIGEST = 32


def index_name(rows: FileRef, match: Sequence[str]) -> str:
    """The name of a row file's index: a digest of the file's own digest and the columns."""
    return hashlib.sha256(json.dumps([rows.sha256, *match]).encode("ascii")).hexdigest()[:32]


def by_name(files: Iterable[FileRef]) -> dict[str, dict[str, FileRef]]:
    """The files of indexes by the indexes' names, and by what they are of them."""
    found: dict[str, dict[str, FileRef]] = {}
    for ref in files:
        name, _, part = Path(ref.path).name.partition(".")
        found.setdefault(name, {})[part] = ref
    return found


def is_worth_it(rows: FileRef) -> bool:
    """Whether a row file is large enough for an index."""
    return rows.size >= LEAST_BYTES


def write_index(path: str, schema: pa.Schema, match: Sequence[str], folder: Path, name: str) -> None:
    """Writes the index of a row file, whole or not at all: a piece that runs twice leaves the same.

    Args:
        path: the row file, proven.
        schema: its columns, in the types that they are read in.
        match: the columns that tell whether two rows are one.
        folder: where the files of the index go.
        name: what they are called, as :func:`index_name` says.
    """
    part = folder / f".{uuid.uuid4().hex}"
    with part.open("wb") as file:
        writer, directory = BlockWriter(file), _Directory()
        for rows in _by_hash(path, schema, match):
            directory.add(rows, _hashes(rows, match), writer)
    part.replace(folder / f"{name}.{BLOCKS}")
    said = {_MATCH: json.dumps(list(match)).encode("ascii"), _ROWS: schema.serialize().to_pybytes()}
    table = directory.table(writer).replace_schema_metadata(said)
    with pa.OSFile(str(part), "wb") as sink, pa.ipc.new_file(sink, table.schema) as arrow:
        arrow.write_table(table)
    part.replace(folder / f"{name}.{DIRECTORY}")


def _by_hash(path: str, schema: pa.Schema, match: Sequence[str]) -> Iterator[pa.Table]:
    """The rows of a row file by the hashes of some columns, some ten thousands at a time: it may have millions."""
    with pq.ParquetFile(path) as file, tempfile.TemporaryDirectory() as shared:
        groups = (file.read_row_group(n, schema.names) for n in range(file.num_row_groups))
        files = list(share_out((group.select(schema.names).cast(schema) for group in groups), match, Path(shared)))
        parts = min(SLOTS, 1 + file.metadata.num_rows // _ROWS_AT_ONCE)
        for number in range(parts):
            rows = rows_in(files, range(SLOTS * number // parts, SLOTS * (number + 1) // parts), schema)
            yield rows.take(pa.array(np.argsort(_hashes(rows, match), kind="stable"))).combine_chunks()


@dataclass
class _Directory:
    """The content of an index's directory, gathered while its blocks are written."""

    first: list[int] = field(default_factory=list)
    unfolded: list[int] = field(default_factory=list)

    def add(self, rows: pa.Table, hashes: Hashes, writer: BlockWriter) -> None:
        """Writes rows, sorted by their hashes, as blocks."""
        place = 0
        for batch in rows.to_batches(max_chunksize=_BLOCK_ROWS):
            block = batch.serialize()
            writer.add(_CODEC.compress(block, asbytes=True))
            self.first.append(int(hashes[place]))
            self.unfolded.append(block.size)
            place += len(batch)

    def table(self, writer: BlockWriter) -> pa.Table:
        """The directory of what was written."""
        return pa.table(
            {
                "first": pa.array(self.first, pa.uint64()),
                "size": pa.array(writer.sizes, pa.int64()),
                "unfolded": pa.array(self.unfolded, pa.int64()),
                "sha256": pa.array(writer.digests, pa.binary(_DIGEST)),
            }
        )


def _hashes(rows: pa.Table, match: Iterable[str]) -> Hashes:
    return combined_hashes((rows[name] for name in match), len(rows))


@dataclass(frozen=True, slots=True)
class KeyIndex:
    """The index of a row file: what its blocks are, and the blocks."""

    directory: StoredFile
    blocks: StoredFile

    def find(self, wanted: Hashes) -> pa.Table:
        """The rows with one of these hashes, ascending, of the columns that tell rows apart.

        Raises:
            StateError: a file is missing, or damaged where it was read.
        """
        with pa.memory_map(str(prove(self.directory))) as mapped:
            directory = pa.ipc.open_file(mapped).read_all()
        said = directory.schema.metadata
        schema = pa.ipc.read_schema(pa.py_buffer(said[_ROWS]))
        numbers = _blocks_with(directory["first"].to_numpy(), wanted)
        file = BlockFile(self.blocks, directory["size"].to_numpy(), _digests(directory))
        sizes = directory["unfolded"].to_numpy()[numbers].tolist()
        blocks = [_CODEC.decompress(block, size) for block, size in zip(file.read(numbers), sizes, strict=True)]
        rows = pa.Table.from_batches([pa.ipc.read_record_batch(block, schema) for block in blocks], schema)
        return rows.filter(pa.array(np.isin(_hashes(rows, json.loads(said[_MATCH])), wanted)))


def _digests(directory: pa.Table) -> NDArray[np.uint8]:
    (_, data) = directory["sha256"].combine_chunks().buffers()
    return np.frombuffer(data, np.uint8)[: _DIGEST * len(directory)].reshape(-1, _DIGEST)


def _blocks_with(first: Hashes, wanted: Hashes) -> list[int]:
    """The blocks in which rows with these hashes stand, given the hash of each block's first row."""
    starts = np.maximum(np.searchsorted(first, wanted, "left") - 1, 0)  # one before may end with the same hash
    stops = np.searchsorted(first, wanted, "right")
    among = stops > 0
    edges = np.zeros(len(first) + 1, np.int64)
    np.add.at(edges, starts[among], 1)
    np.add.at(edges, stops[among], -1)
    return np.flatnonzero(np.cumsum(edges[:-1])).tolist()
