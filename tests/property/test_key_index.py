"""What is found by key: the rows that are there, whatever is in a row file, by the blocks that hold them alone."""

import random
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyroaring import BitMap64

from profiling_core.algorithms.columns.repeats import combined_hashes
from profiling_core.model.delta import ROW_ID
from profiling_core.model.errors import StateError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark import key_index
from profiling_core.spark.key_index import BLOCKS, DIRECTORY, KeyIndex, write_index
from profiling_core.spark.rows import RowFiles, Rows
from profiling_core.state.proof import StoredFile, digest, prove

SCHEMA = TableSchema(
    "parcels",
    (
        Column("number", LogicalType.INTEGER, ordered=True),
        Column("place", LogicalType.STRING, ordered=False),
        Column("price", LogicalType.DECIMAL, ordered=True, precision=9, scale=2),
    ),
)
BLOCK_ROWS = 4
Row = tuple[int | None, str | None, Decimal | None]
ROWS = st.tuples(
    st.none() | st.integers(0, 12),
    st.none() | st.sampled_from(["", "Köln", "Bonn", "x" * 40]),
    st.none() | st.integers(0, 3).map(lambda cents: Decimal(cents) / 100),
)
KEYS = st.sampled_from([["number"], ["place", "number"], ["number", "place", "price"]])


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_index, "_BLOCK_ROWS", BLOCK_ROWS)
    monkeypatch.setattr(key_index, "_ROWS_AT_ONCE", 20)


def stored(folder: Path, rows: list[Row], match: list[str]) -> tuple[Rows, KeyIndex]:
    """Rows in a file that has no index, and one of it."""
    path = folder / "part-0.parquet"
    found = Rows(None, SCHEMA, (RowFiles.of([str(path)]),))  # type: ignore[arg-type] # nothing asks for a session
    names = [ROW_ID, *SCHEMA.names]
    table = table_of([(i, *row) for i, row in enumerate(rows)], found.arrow(names))
    pq.write_table(table, path, row_group_size=5)
    write_index(str(path), found.arrow(names), match, folder, "index")
    return found, KeyIndex(*(published(folder / f"index.{part}") for part in (DIRECTORY, BLOCKS)))


def table_of(rows: Sequence[Sequence[object]], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


def projected(row: Row, match: list[str]) -> tuple[object, ...]:
    return tuple(row[SCHEMA.names.index(name)] for name in match)


def published(path: Path) -> StoredFile:
    return StoredFile(str(path), *digest(path))


@given(st.lists(ROWS, max_size=60), st.lists(ROWS, max_size=8), st.sets(st.integers(0, 59)), KEYS)
@settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_by_an_index_those_rows_are_found_that_a_search_finds(
    rows: list[Row], wanted: list[Row], gone: set[int], match: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        searched, index = stored(Path(place), rows, match)
        asked = table_of(wanted, searched.arrow(SCHEMA.names)).select(match)
        names = [ROW_ID, *SCHEMA.names]
        (part,) = searched.parts
        indexed = Rows(searched.spark, SCHEMA, (RowFiles(part.prove, part.gone, (index,)),))
        found = [
            sorted(row[ROW_ID] for table in some for row in table.to_pylist())
            for some in (
                indexed.without(BitMap64(gone)).with_keys(asked, names),
                searched.without(BitMap64(gone)).agreeing(asked, names),
            )
        ]
    expected = [
        i
        for i, row in enumerate(rows)
        if i not in gone and projected(row, match) in {projected(other, match) for other in wanted}
    ]
    assert found == [expected, expected]


def test_a_flipped_bit_is_named_where_its_block_is_read_and_costs_nothing_elsewhere(tmp_path: Path) -> None:
    rows: list[Row] = [(i, f"place {i}", None) for i in range(200)]
    searched, index = stored(tmp_path, rows, ["number"])
    path, chance = Path(index.blocks.path), random.Random(5)
    whole = path.read_bytes()
    hashes = np.sort(combined_hashes([searched["number"]], len(rows)))
    for _ in range(examples(40)):
        place = chance.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        outcomes = [outcome(index, hashes[i : i + 1]) for i in range(len(rows))]
        # A row that begins a block is sought in the one before, too; some blocks are smaller.
        assert 1 <= outcomes.count(str(path)) <= BLOCK_ROWS + 1
        assert {found for found in outcomes if found != str(path)} == {1}
        with pytest.raises(StateError, match="damaged"):  # as fsck does
            prove(index.blocks)


def outcome(index: KeyIndex, hashes: np.ndarray) -> int | str:
    """How many rows were found, or what is named as damaged."""
    try:
        return len(index.find(hashes))
    except StateError as error:
        return error.where


@pytest.mark.parametrize("part", [DIRECTORY, BLOCKS])
def test_a_file_that_is_damaged_cut_off_or_gone_is_named(tmp_path: Path, part: str) -> None:
    searched, index = stored(tmp_path, [(i, None, None) for i in range(50)], ["number"])
    hashes = np.sort(combined_hashes([searched["number"]], 50))
    assert outcome(index, hashes) == 50
    path = tmp_path / f"index.{part}"
    whole = path.read_bytes()
    for data in (b"", whole[: len(whole) // 2], bytes(len(whole)), None):
        path.unlink() if data is None else path.write_bytes(data)
        assert outcome(index, hashes) == str(path)
