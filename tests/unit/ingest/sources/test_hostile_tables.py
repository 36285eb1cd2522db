"""Tables made to take more than they hold end in an error that names them, before they take much memory or time."""

import bz2
import gzip
import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from databases.catalogs import server
from helpers.apart import read_table, said_apart
from helpers.ledger import Ledger, rows
from helpers.unfolding import nulls, repeated, zeros
from helpers.worlds import IcebergWorld

from profiling_core.ingest.sources import database
from profiling_core.model.errors import HoldfastError, InputError

pytestmark = pytest.mark.slow

MEGABYTE = "x" * 1_000_000


def read_apart(place: Path, source: dict[str, Any], most: int = 1200) -> str:
    """What a process says that reads a table, having taken no more mebibytes than ``most``."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PYICEBERG", "PATH", "HOME"))}
    (said,), mebibytes = said_apart(read_table, place, source, environment=kept)
    assert mebibytes < most, said
    return said


def texts(path: Path, count: int = 3_000) -> pa.DataType:
    """A file of a kilobyte: a text of a megabyte that stands in each row."""
    repeated(path, len(MEGABYTE), count)
    return pa.string()


def lists(path: Path) -> pa.DataType:
    """The same inside of lists; the first is empty."""
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 3_000, pa.int32()), pa.array([MEGABYTE]))
    pq.write_table(pa.table({"a": pa.ListArray.from_arrays(pa.array([0, *range(3_001)], pa.int32()), cells)}), path)
    return pa.list_(pa.string())


def compressed(path: Path) -> pa.DataType:
    zeros(path)
    return pa.string()


def nothing(path: Path) -> pa.DataType:
    nulls(path)
    return pa.int64()


def delta(place: Path, file: Path, type_: pa.DataType, *further: str, **other: Any) -> dict[str, Any]:
    """A table of Delta Lake that has a file, whatever is in it; ``further`` lines of its log, ``other`` metadata."""
    names: dict[pa.DataType, Any] = {pa.string(): "string", pa.int64(): "long"}
    nested = {"type": "array", "elementType": "string", "containsNull": True}
    column = {"name": "a", "type": names.get(type_, nested), "nullable": True, "metadata": {}}
    about = {"id": "t", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "configuration": {}}
    added = {"path": file.name, "size": file.stat().st_size, "partitionValues": {}, "modificationTime": 1}
    actions = [
        {"commitInfo": {"timestamp": 1_700_000_000_000, "operation": "WRITE"}},
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": about | {"schemaString": json.dumps({"type": "struct", "fields": [column]})} | other},
        {"add": added | {"dataChange": True}},
    ]
    (place / "_delta_log").mkdir()
    (place / "_delta_log" / f"{0:020}.json").write_text("\n".join([*map(json.dumps, actions), *further]), "utf-8")
    return {"format": "delta", "path": str(place)}


def iceberg(place: Path, file: Path, type_: pa.DataType) -> dict[str, Any]:
    """A table of Iceberg that has a file, whatever is in it."""
    world = IcebergWorld(place)
    name = f"{world._name}_hostile"
    world._catalog.create_table(name, pa.schema({"a": type_})).add_files([str(file)])
    return {**world.source, "table": name}


@pytest.mark.parametrize("make", [texts, lists, compressed, nothing])
@pytest.mark.parametrize("table", [delta, iceberg])
def test_a_file_of_a_table_that_unfolds_is_named_before_it_is_read(
    tmp_path: Path, table: Callable[[Path, Path, pa.DataType], dict[str, Any]], make: Callable[[Path], pa.DataType]
) -> None:
    file = tmp_path / "rows.parquet"
    said = read_apart(tmp_path / "home", table(tmp_path, file, make(file)))
    assert "would unpack to far more than its size" in said
    assert file.name in said


def deep_log(place: Path) -> dict[str, Any]:
    tags = '{"a":' * 50_000 + "1" + "}" * 50_000
    return delta(place, file := place / "rows.parquet", texts(file, 2), f'{{"add":{{"path":"x","tags":{tags}}}}}')


def deep_schema(place: Path) -> dict[str, Any]:
    levels = '{"type":"array","elementType":' * 20_000 + '"string"' + ',"containsNull":true}' * 20_000
    schema = f'{{"type":"struct","fields":[{{"name":"a","type":{levels},"nullable":true,"metadata":{{}}}}]}}'
    return delta(place, file := place / "rows.parquet", texts(file, 2), schemaString=schema)


def wide_schema(place: Path) -> dict[str, Any]:
    fields = [{"name": f"c{i}", "type": "string", "nullable": True, "metadata": {}} for i in range(200_000)]
    schema = json.dumps({"type": "struct", "fields": fields})
    return delta(place, file := place / "rows.parquet", texts(file, 2), schemaString=schema)


def checkpoint(place: Path) -> dict[str, Any]:
    """Its checkpoint has 3,000 files, whose path of a megabyte stands in the dictionary once."""
    from deltalake import DeltaTable

    source = delta(place, file := place / "rows.parquet", texts(file, 2))
    DeltaTable(place).create_checkpoint()
    (path,) = place.glob("_delta_log/*.checkpoint.parquet")
    made = pq.read_table(path)
    (added,) = (row for row in made.to_pylist() if row["add"])
    added["add"]["path"] = MEGABYTE
    with pq.ParquetWriter(path, made.schema, compression="zstd") as writer:
        writer.write_table(made)
        for _ in range(100):
            writer.write_table(pa.Table.from_pylist([added] * 30, made.schema))
    (place / "_delta_log" / f"{0:020}.json").unlink()
    return source


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (deep_log, "nested more than 100 deep"),  # it ended the process
        (deep_schema, "nested more than 100 deep"),
        (wide_schema, "more than 10,000 fields"),  # minutes
        (checkpoint, "would unpack to far more than its size"),  # 3.4 GB
    ],
)
def test_a_log_that_unfolds_is_named_before_it_is_read(
    tmp_path: Path, make: Callable[[Path], dict[str, Any]], what: str
) -> None:
    said = read_apart(tmp_path / "home", make(tmp_path))
    assert what in said
    assert "_delta_log/00000000000000000000." in said


def ice_of(place: Path, rows: pa.Table | None = None) -> tuple[Any, str, dict[str, Any]]:
    """A catalog, a table in it with a row, and how it is followed."""
    world = IcebergWorld(place)
    name = f"{world._name}_hostile"
    rows = pa.table({"a": ["x"]}) if rows is None else rows
    world._catalog.create_table(name, rows.schema).append(rows)
    return world._catalog, name, {**world.source, "table": name}


def avro(path: Path, codec: str, block: bytes, records: int, schema: str) -> None:
    def number(value: int) -> bytes:
        value, found = value * 2, b""
        while value > 0x7F:
            value, found = value >> 7, found + bytes([value & 0x7F | 0x80])
        return found + bytes([value])

    def text(value: bytes) -> bytes:
        return number(len(value)) + value

    about = {"avro.schema": schema, "avro.codec": codec}
    pairs = b"".join(text(key.encode()) + text(value.encode()) for key, value in about.items())
    head = b"Obj\x01" + number(len(about)) + pairs + b"\0" + b"s" * 16
    path.write_bytes(head + number(records) + text(block) + b"s" * 16)


RECORD = '{"type":"record","name":"manifest_file","fields":[{"name":"manifest_path","type":"string","field-id":500}]}'
EMPTY = '{"type":"record","name":"e","fields":[]}'
LISTS = RECORD.replace('"string"', f'{{"type":"array","items":{EMPTY},"element-id":501}}')


def bomb(byte: bytes = b"\0") -> bytes:
    """Half a gigabyte, made only where a test needs it: a constant would stay in each process that collects tests."""
    return byte * 10 * PIECE


# Compressing takes longer than what is tested, so a tenth is compressed, and stands ten times.
PIECE = 50_000_000


def deflated() -> bytes:
    """The bomb as one deflate stream, whose parts refer to nothing before them."""
    packer = zlib.compressobj(wbits=-15)
    part = packer.compress(b"\0" * PIECE) + packer.flush(zlib.Z_FULL_FLUSH)
    return part * 10 + packer.flush()


@pytest.mark.parametrize(
    ("codec", "make", "records", "schema"),
    [
        ("deflate", deflated, 10, RECORD),
        ("bzip2", lambda: bz2.compress(b"") + bz2.compress(b"\0" * PIECE) * 10, 10, RECORD),
        ("zstandard", lambda: pa.compress(bomb(), "zstd", asbytes=True), 10, RECORD),
        ("snappy", lambda: pa.compress(bomb(), "snappy", asbytes=True)[:1000] + b"crc.", 10, RECORD),
        ("null", lambda: b"\0" * 1000, 1 << 40, EMPTY),
        ("null", lambda: b"\xfe\xff\xff\xff\xff\x0f\0", 1, LISTS),
    ],
)
def test_a_manifest_that_unfolds_is_named_before_it_is_read(
    tmp_path: Path, codec: str, make: Callable[[], bytes], records: int, schema: str
) -> None:
    catalog, name, source = ice_of(tmp_path)
    path = Path(catalog.load_table(name).current_snapshot().manifest_list.removeprefix("file://"))
    avro(path, codec, make(), records, schema)
    said = read_apart(tmp_path / "home", source, 700)
    assert "would unpack to far more than metadata takes" in said
    assert path.name in said


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (lambda: gzip.compress(b" " * PIECE) * 10, "far more than metadata"),
        (lambda: gzip.compress(b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "100 deep"),
    ],
)
def test_metadata_that_unfolds_is_named_before_it_is_read(
    tmp_path: Path, content: Callable[[], bytes], what: str
) -> None:
    catalog, _, source = ice_of(tmp_path)
    path = tmp_path / "00001.gz.metadata.json"
    path.write_bytes(content())
    name = f"{source['table']}_again"
    with sqlite3.connect(catalog.properties["uri"].removeprefix("sqlite:///")) as connection:
        connection.execute(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
            " VALUES ('worlds', 'shop', ?, ?, 'TABLE')",
            [name.partition(".")[2], f"file://{path}"],
        )
    said = read_apart(tmp_path / "home", {**source, "table": name}, 700)
    assert what in said
    assert path.name in said


def test_rows_in_orc_are_refused_with_what_to_do(tmp_path: Path) -> None:
    from pyarrow import orc

    catalog, name, source = ice_of(tmp_path)
    (file,) = catalog.load_table(name).scan().plan_files()
    path = Path(file.file.file_path.removeprefix("file://"))
    orc.write_table(pa.table({"a": ["x"]}), path)
    said = read_apart(tmp_path / "home", source)
    assert "its rows are in ORC" in said
    assert path.name in said
    assert "spark-table" in said


def test_a_table_does_not_choose_what_opens_its_files(tmp_path: Path) -> None:
    catalog, name, source = ice_of(tmp_path)
    with catalog.load_table(name).transaction() as change:
        change.set_properties({"py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"})
    assert "py-io-impl chooses the library" in read_apart(tmp_path / "home", source)


def test_a_feed_that_unfolds_is_named_too(tmp_path: Path) -> None:
    from deltalake import DeltaTable, write_deltalake

    lake, feed = tmp_path / "lake", {"delta.enableChangeDataFeed": "true"}
    write_deltalake(lake, pa.table({"id": [1, 2], "a": ["x", "y"]}), configuration=feed)
    ledger = Ledger(tmp_path, {"format": "delta", "path": str(lake)}, {"key": ("id",)})
    assert len(rows(ledger)) == 2
    DeltaTable(lake).delete("id = 1")
    (changed,) = lake.rglob("_change_data/*.parquet")
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 3_000, pa.int32()), pa.array([MEGABYTE]))
    kinds = pa.array(["delete"] * 3_000)
    pq.write_table(pa.table({"id": range(3_000), "a": cells, "_change_type": kinds}), changed)
    with pytest.raises(InputError, match=rf"would unpack(.|\n)*{changed.name}"):
        ledger.batch()


def test_rows_that_repeat_themselves_are_read_where_they_stay_below_the_bound(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    assert read_apart(tmp_path / "home", delta(tmp_path, file, texts(file, 300))) == "read 300"


@pytest.mark.long
def test_rows_of_duckdb_are_bounded(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(tmp_path / "f.duckdb") as connection:
        connection.execute("CREATE TABLE one AS SELECT repeat('x', 100000000) AS a, 1 AS id")
        connection.execute("CREATE TABLE many AS SELECT repeat('x', 1000000) AS a, i AS id FROM range(1200) t(i)")
        connection.execute("CREATE VIEW lists AS SELECT range(3000000) AS a, 1 AS id")
        connection.execute("CREATE TABLE large AS SELECT repeat('x', 1000000) AS a, i AS id FROM range(100) t(i)")
    source = {"format": "duckdb", "url": f"duckdb://{tmp_path}/f.duckdb"}
    said = read_apart(tmp_path / "home", {**source, "table": "one"})
    assert "a row has 100,000,000 bytes of text" in said
    assert "table one" in said
    said = read_apart(tmp_path / "home", {**source, "table": "many"}, most=1800)  # a vector of DuckDB's has 1.2 GB
    assert "far more than the database holds" in said
    assert "bytes of text" in read_apart(tmp_path / "home", {**source, "table": "lists"})
    assert read_apart(tmp_path / "home", {**source, "table": "large"}) == "read 100"


@pytest.mark.postgres
def test_rows_of_postgresql_are_bounded(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    url = server(request.config).new_database()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE one AS SELECT repeat('x', 100000000) AS a, 1 AS id")
        connection.execute(
            "CREATE VIEW many AS SELECT repeat('x', 1000000) AS a, i AS id FROM generate_series(1, 80) i"
        )
    source = {"format": "postgresql", "url": url}
    said = read_apart(tmp_path / "home", {**source, "table": "one"})
    assert "a row has 100,000,000 bytes of text" in said
    assert "table one" in said
    assert read_apart(tmp_path / "home", {**source, "table": "many"}) == "read 80"
    asked: list[int] = []
    monkeypatch.setattr(database, "may_come_to", lambda size: asked.append(size) or 80_000_639)
    with pytest.raises(InputError, match="far more than the database holds"):
        Ledger(tmp_path, {**source, "table": "many"}).batch()
    assert 80_000_000 > asked[0] > 1_000_000


def test_a_view_of_duckdb_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    from profiling_core.ingest.sources import duckdb_file

    with duckdb.connect(tmp_path / "f.duckdb") as connection:
        connection.execute("CREATE VIEW orders AS SELECT i AS id FROM range(1000000000000000) t(i)")
    monkeypatch.setattr(duckdb_file, "LONGEST_QUERY", 1)
    ledger = Ledger(tmp_path, {"format": "duckdb", "url": f"duckdb://{tmp_path}/f.duckdb", "table": "orders"})
    with pytest.raises(InputError, match="more than 1 seconds"):
        ledger.look()


@pytest.mark.postgres
def test_a_view_of_postgresql_that_does_not_end_is_ended(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    from profiling_core.ingest.sources import postgresql

    url = server(request.config).new_database()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE VIEW orders AS SELECT i AS id FROM generate_series(1, 1000000000000) i")
    source = {"format": "postgresql", "url": url, "table": "orders"}
    assert database.LONGEST_QUERY == 3600
    monkeypatch.setattr(postgresql, "LONGEST_QUERY", 1)
    with pytest.raises(HoldfastError, match=r"statement timeout(.|\n)*table orders"):
        Ledger(tmp_path, source).look()
