"""Reads of files and tables that may unfold, each in a process of its own with bounds on its time and memory.

The processes are forked from one that has imported what reading takes: to import it takes longer than most reads.
"""

import multiprocessing
import os
import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from stack.files import REPOSITORY

from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import HoldfastError

PRELOADED = ["helpers.apart", "helpers.ledger", "duckdb", "psycopg", "deltalake", "pyiceberg.io.pyarrow"]
PRELOADED += ["pyarrow.dataset", "profiling_core.ingest.files", "profiling_core.ingest.csv_parts"]
# Arrow's own allocators take addresses in advance.
STARTED_WITH = {"PYTHONPATH": str(REPOSITORY / "tests"), "ARROW_DEFAULT_MEMORY_POOL": "system"}
_CPU_SECONDS = 40


def said_apart(
    program: Callable[..., Iterator[str]], *given: object, environment: Mapping[str, str] | None = None
) -> tuple[list[str], int]:
    """What one of the programs below says in a process of its own, and the most mebibytes of memory that it took.

    Args:
        program: what it runs.
        given: its arguments.
        environment: all variables of that process.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(program, given, dict(environment or {}), sending))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in STARTED_WITH.items():
            patch.setenv(name, value)
        process.start()
    sending.close()
    try:
        said, mebibytes = receiving.recv()
    except EOFError:
        process.join()
        pytest.fail(f"the process ended with {process.exitcode}")
    process.join()
    return said, mebibytes


def _answer(program: Callable[..., Iterator[str]], given: Sequence[Any], environment: dict[str, str], to: Any) -> None:
    os.environ.clear()
    os.environ.update(environment)
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    said = list(program(*given))
    to.send((said, _kilobytes("VmHWM") >> 10))


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def read_table(place: Path, source: Mapping[str, Any]) -> Iterator[str]:
    """Reads a table at its source as a step does."""
    import pyiceberg.catalog
    from pyiceberg.utils.config import Config

    from helpers.ledger import Ledger

    pyiceberg.catalog._ENV_CONFIG = Config()  # pyiceberg reads its variables when it is imported
    try:
        batch = Ledger(place, source).batch()
        yield f"read {sum(len(chunk) for part in batch.parts for chunk in batch.reader.chunks(part, ()))}"
    except HoldfastError as error:
        yield str(error).replace("\n", " ")


def read_file(path: Path, ways: Sequence[str]) -> Iterator[str]:
    """Reads a file in these of the three ways, with little more address space than it has."""
    resource.setrlimit(resource.RLIMIT_AS, ((_kilobytes("VmSize") << 10) + 3 * 2**29,) * 2)
    for way in ways:
        try:
            yield from (f"row: {row}" for row in _READS[way](path))
        except HoldfastError as error:
            yield f"{error} {way}".replace("\n", " ")
        else:
            yield f"read {way}"


def _table(path: Path) -> Iterator[str]:
    from profiling_core.ingest import files

    files.read_table(path)
    yield from ()


def _parts(path: Path) -> Iterator[str]:
    from profiling_core.ingest import csv_parts, parquet_parts

    found: Any
    if path.suffix == ".csv":
        found = csv_parts.csv_parts(path, typed_header=False, texts=False, null_values=("",), dialect=CsvDialect())
        found = found.with_types(found.possible_types(part) for part in range(len(found)))
    else:
        found = parquet_parts.parquet_parts(path, "typed")
    for part in range(len(found)):
        found.read(part, found.schema.names)
    yield from ()


def _stream(path: Path) -> Iterator[str]:
    """Tells of the rows that cannot be read."""
    from profiling_core.ingest import csv_rows, json_rows
    from profiling_core.ingest.sources import parquet_rows
    from profiling_core.ingest.text_values import possible_types

    if path.suffix == ".parquet":
        chunks = parquet_rows.read(path)
    elif path.suffix == ".csv":
        chunks = csv_rows.read(path, CsvDialect(), ("",))
    else:
        chunks = json_rows.read(path, json_rows.columns(path))
    for chunk in chunks:
        yield from chunk.unreadable.drop_null().to_pylist()
        if path.suffix != ".parquet":
            for cells in chunk.cells.values():
                possible_types(cells)


_READS = {"table": _table, "parts": _parts, "stream": _stream}
