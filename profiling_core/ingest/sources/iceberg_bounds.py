"""How ``pyiceberg`` opens files: each one, metadata or rows, is checked against its bounds first."""

from typing import TYPE_CHECKING, Any

from pyiceberg.io import PY_IO_IMPL, FileIO, InputFile, InputStream, OutputFile, load_file_io

from profiling_core.ingest.files import MAGIC
from profiling_core.ingest.parquet_bounds import TableFile, check_table_file
from profiling_core.ingest.sources.metadata_bounds import check_avro, check_json, is_avro
from profiling_core.model.errors import InputError
from profiling_core.state.urls import USER, without_secrets

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table

_OWN = "holdfast.py-io-impl"
_ORC = b"ORC"
_COMPRESSED = ".gz.metadata.json"


def load_bounded(name: str) -> "Catalog":
    """A configured catalog that checks each file of its tables against the bounds before opening it."""
    from pyiceberg.catalog import load_catalog

    catalog = load_catalog(name)
    if own := catalog.properties.get(PY_IO_IMPL):
        catalog.properties[_OWN] = own
    catalog.properties[PY_IO_IMPL] = f"{__name__}.{BoundedIO.__name__}"
    return catalog


def address_of(name: str) -> str:
    """The address and user of a configured catalog without secrets: `` at http://host (user 'me')``; else empty."""
    from pyiceberg.utils.config import Config

    try:
        uri = str((Config().get_catalog_config(name) or {}).get("uri", ""))
    except ValueError:
        return ""  # an unreadable configuration, which the error reports
    user = USER.search(uri)
    return f" at {without_secrets(uri)}{f' (user {user[1]!r})' if user else ''}" if uri else ""


def load_table(catalog: "Catalog", name: str | tuple[str, ...]) -> "Table":
    """A table of such a bounded catalog.

    Raises:
        InputError: the table itself names a program to open its files with.
    """
    table = catalog.load_table(name)
    if not isinstance(table.io, BoundedIO):
        raise InputError(
            f"the table's own property {PY_IO_IMPL} chooses the library that opens its files",
            where=".".join(table.name()),
            remedy="remove the property from the table; the catalog's configuration may have it",
        )
    return table


class BoundedIO(FileIO):
    """Files as the configured library opens them, within bounds."""

    def __init__(self, properties: dict[str, Any]) -> None:
        super().__init__(properties)
        plain = {name: value for name, value in properties.items() if name != PY_IO_IMPL}
        self._plain = {**plain, PY_IO_IMPL: plain[_OWN]} if _OWN in plain else plain
        self._files: dict[str, FileIO] = {}

    def new_input(self, location: str) -> InputFile:
        """A file to read."""
        return _Bounded(self._of(location).new_input(location))

    def new_output(self, location: str) -> OutputFile:
        """A file to write."""
        return self._of(location).new_output(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Removes a file."""
        self._of(location if isinstance(location, str) else location.location).delete(location)

    def _of(self, location: str) -> FileIO:
        scheme = location.partition(":")[0]
        if scheme not in self._files:
            self._files[scheme] = load_file_io(self._plain, location)
        return self._files[scheme]


class _Bounded(InputFile):
    def __init__(self, file: InputFile) -> None:
        super().__init__(file.location)
        self._file = file

    def __len__(self) -> int:
        return len(self._file)

    def exists(self) -> bool:
        return bool(self._file.exists())

    def open(self, seekable: bool = True) -> InputStream:  # noqa: FBT001, FBT002 -- as pyiceberg has it
        """Opens the file.

        Raises:
            InputError: it exceeds its bounds, or is of a format without bounds.
            OSError: it is gone.
        """
        where = self.location
        with self._file.open() as stream:
            begins = stream.read(len(MAGIC))
        if begins == MAGIC:
            check_table_file(TableFile(self._file.open, len(self._file), where))
        elif begins.startswith(_ORC):
            raise InputError(
                "its rows are in ORC, whose unpacked size cannot be known in advance",
                where=where,
                remedy="write the table in Parquet (write.format.default), or read it with Spark: format: spark-table",
            )
        elif is_avro(begins) or where.endswith(".json"):
            with self._file.open() as stream:
                content = stream.read()
            if is_avro(begins):
                check_avro(content, where)
            else:
                check_json(content, where, compressed=where.endswith(_COMPRESSED))
        return self._file.open(seekable)
