"""What people name, as proposals for tables: files, directories, tables of lakehouses, databases."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from profiling_core.ingest.rows import require_regular
from profiling_core.ingest.sources.formats import JsonReader
from profiling_core.ingest.sources.landing import EXTENSION
from profiling_core.ingest.sources.objects import Copies, ObjectPath, Place, children
from profiling_core.model.dataset import TableConfig
from profiling_core.model.errors import InputError
from profiling_core.model.source import Source, SourceFormat
from profiling_core.pipeline.init import lakehouse, proposal
from profiling_core.pipeline.init.proposal import TableProposal
from profiling_core.spark.sources import SourcePart
from profiling_core.state.settings import Settings, local_path, without_secrets

_FORMATS = {EXTENSION[f]: f for f in (SourceFormat.CSV, SourceFormat.JSONL, SourceFormat.PARQUET)}
_DIGITS = re.compile(r"[0-9][0-9_.:T-]*")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_]+")


def look(what: str, settings: Settings) -> list[TableProposal]:
    """The tables that something holds.

    Args:
        what: a file, a directory, a database's URL, or an Iceberg catalog's.
        settings: the project's places; paths are given from its root where they lie below it.

    Raises:
        InputError: it is not there, or holds no table.
    """
    scheme, separator, _ = what.partition("://")
    if scheme == lakehouse.SCHEME and separator:
        return list(lakehouse.tables_of(what))
    if scheme == "s3" and separator:
        return _on_object_store(what, settings)
    if scheme == "file" and separator:
        what = unquote(urlsplit(what).path)
    elif separator:
        from profiling_core.pipeline.init.databases import tables_of

        if scheme not in ("postgresql", "duckdb"):
            raise InputError(
                f"{scheme}:// is not supported",
                where=without_secrets(what),
                remedy="name files, directories, s3://<bucket>/<path>, postgresql://…, duckdb:///<path> or iceberg://<catalog>",
            )
        return [replace(made, table=name_of(made.table)) for made in tables_of(what, settings)]
    path = local_path(what).absolute()
    if not path.exists():
        raise InputError("there is no such file or directory", where=what, remedy="check the path")
    if not path.is_dir():
        require_regular(path)
    found = [_file(path)] if path.is_file() else list(_directory(path, settings, Copies(settings)))
    if not found:
        raise InputError("no table was found", where=what, remedy=f"name files that end in {', '.join(_FORMATS)}")
    return found


def _on_object_store(what: str, settings: Settings) -> list[TableProposal]:
    """The tables of a directory on an object store; a file alone cannot be put into a landing directory there."""
    path = ObjectPath.of(what.rstrip("/"))
    if str(path) != what.rstrip("/"):
        raise InputError(
            "a URL for a configuration holds no user, password or parameters",
            where=str(path),
            remedy="set AWS_ENDPOINT_URL, AWS_REGION and the credentials in the environment, and leave them out",
        )
    copies = Copies(settings)
    try:
        found = list(_directory(path, settings, copies)) if path.is_dir() else []
    finally:
        copies.remove()
    if not found:
        raise InputError(
            "no table was found",
            where=what,
            remedy="name a directory: of files called by their days (orders/2026-01-31.csv), of a table of Delta Lake, "
            "or of Parquet files in partitions",
        )
    return found


def distinct(proposals: Sequence[TableProposal]) -> list[TableProposal]:
    """The proposals, those of the same name called by their schema or namespace, too."""
    count = Counter(made.table for made in proposals)
    return [
        replace(made, table=name_of(made.source["table"])) if count[made.table] > 1 and "table" in made.source else made
        for made in proposals
    ]


def _directory(path: Place, settings: Settings, copies: Copies) -> Iterator[TableProposal]:
    place = _place(path, settings.root)
    entries = [entry for entry in children(path) if not entry.name.startswith((".", "_"))]
    files = [entry for entry in entries if entry.is_file() and entry.suffix in _FORMATS]
    if (path / "_delta_log").is_dir():
        yield _delta(path, place)
    elif any(entry.is_dir() and "=" in entry.name for entry in entries):
        yield _partitioned(path, place, settings)
    elif _are_deltas(files):
        yield _landing(path.name, place, [copies.of(file) for file in files[:2]])
    else:
        yield from _one_by_one(entries, settings, copies)


def _place(path: Place, root: Path) -> str:
    """The path as a dataset's file has it: relative to the root where it lies below."""
    return str(path.relative_to(root)) if isinstance(path, Path) and path.is_relative_to(root) else str(path)


def _one_by_one(entries: Sequence[Place], settings: Settings, copies: Copies) -> Iterator[TableProposal]:
    """The tables of a directory whose files are tables of their own, as far as they lie on a disk."""
    for entry in entries:
        if isinstance(entry, Path) and entry.is_file() and entry.suffix in _FORMATS:
            yield _file(entry)
    for entry in entries:
        if entry.is_dir():
            yield from _directory(entry, settings, copies)


def _are_deltas(files: Sequence[Place]) -> bool:
    """Whether files differ in digits alone, such as their day."""
    names = {(_DIGITS.sub("#", file.name.removesuffix(file.suffix)), file.suffix) for file in files}
    return len(names) == 1 and _DIGITS.search(files[0].name.removesuffix(files[0].suffix)) is not None


def _delta(path: Place, place: str) -> TableProposal:
    from profiling_core.ingest.sources.delta_lake import first_rows, open_table

    rows = first_rows(open_table(str(path)), 10_000)
    return TableProposal(
        name_of(path.name), {"format": "delta", "path": place}, proposal.key_of(rows), proposal.personal(rows)
    )


def _partitioned(path: Place, place: str, settings: Settings) -> TableProposal:
    """A directory of partitions; a key tells the rows of two of them apart."""
    from profiling_core.ingest.sources.parquet_table import ParquetTable

    source = {"format": SourceFormat.PARQUET_TABLE.value, "path": place}
    found = ParquetTable(settings, TableConfig(source=Source.model_validate(source))).first_rows(10_000)
    alike = len({rows.schema for rows in found}) == 1
    key = proposal.key_of(pa.concat_tables(found)) if alike else ()
    redacted = {name: why for rows in found for name, why in proposal.personal(rows).items()}
    return TableProposal(name_of(path.name), source, key, redacted)


def _landing(name: str, place: str, files: Sequence[Path]) -> TableProposal:
    """A directory whose files are deltas; the first two of them."""
    made = _file(files[0])
    first = sample(files[0], made.source)[0]
    second = sample(files[1], made.source)[0] if len(files) > 1 else None
    kind, note = proposal.kind_of(first, second, made.key)
    key = made.key if kind != "changes" else proposal.key_of(first)
    return TableProposal(
        name_of(name),
        made.source | {"path": place, "kind": kind},
        key,
        made.redacted,
        made.notes | ({"kind": note} if note else {}),
    )


def _file(path: Path) -> TableProposal:
    """A file that is to be the first delta of a landing directory of its own."""
    table = name_of(path.stem)
    source: dict[str, object] = {
        "path": f"landing/{table}",
        "format": _FORMATS.get(path.suffix, SourceFormat.CSV).value,
    }
    if source["format"] == "csv":
        source["delimiter"] = _delimiter(path)
    rows, nulls = sample(path, source)
    if source["format"] == "csv":
        source = {**source, "null_values": nulls}
        rows, _ = sample(path, source)
        if proposal.decimal_mark(rows) == ",":
            source["decimal"] = ","
            rows, _ = sample(path, source)
    key = proposal.key_of(rows)
    kind, note = proposal.kind_of(rows, None, key)
    day = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    first = (path, Path("landing", table, f"{day:%Y-%m-%d}{EXTENSION[SourceFormat(str(source['format']))]}"))
    odd = proposal.odd_texts(rows) if source["format"] == "csv" else ""
    notes = {field: said for field, said in (("kind", note), ("format", odd)) if said}
    return TableProposal(table, source | {"kind": kind}, key, proposal.personal(rows), notes, first)


def sample(path: Path, source: dict[str, object]) -> tuple[pa.Table, list[str]]:
    """A file's rows with types, and the texts in it that mean null."""
    from profiling_core.ingest.files import read_table
    from profiling_core.ingest.infer import infer_schema
    from profiling_core.ingest.text_values import cast_text

    if source["format"] == "jsonl":
        reader, part = JsonReader(operations=False), SourcePart(0, 0, str(path), 0, str(path))
        names = reader.names(part)
        chunks = [pa.table(dict(chunk.cells)) for chunk in reader.chunks(part, names)]
        texts = pa.concat_tables(chunks)
        schema = infer_schema(path.stem, texts)
        return pa.table({c.name: cast_text(texts[c.name].combine_chunks(), c)[0] for c in schema.columns}), [""]
    delimiter, nulls = str(source.get("delimiter", ",")), source.get("null_values", [""])
    comma = source.get("decimal") == ","
    _, rows = read_table(path, delimiter=delimiter, comma=comma, null_values=list(nulls))  # type: ignore[call-overload]  # texts
    if source["format"] == "parquet":
        return rows, [""]
    _, texts = read_table(path, values="text", delimiter=delimiter)
    return rows, proposal.null_texts(texts)


def _delimiter(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        head = file.readline()
    try:
        return csv.Sniffer().sniff(head, ",;\t|").delimiter
    except csv.Error:
        return ","


def name_of(text: str) -> str:
    """A text as the name of a table or dataset."""
    name = _NOT_NAME.sub("_", text).strip("_")
    return name if name and name[0].isalnum() else f"t_{name}".rstrip("_")
