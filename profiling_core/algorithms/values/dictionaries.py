"""The dictionaries of a table's columns: rows as their codes, and dictionaries as plain arrays and back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.values.column_dictionary import ColumnDictionary
from profiling_core.model.errors import InputError

Arrays = Mapping[str, NDArray[Any]]


def check_columns(rows: pa.Table, columns: Sequence[str]) -> None:
    """Raises InputError where rows lack a column."""
    known = set(rows.column_names)
    missing = [name for name in columns if name not in known]
    if missing:
        raise InputError(
            f"rows lack the columns {', '.join(missing)}", remedy="give rows of the schema that the table began with"
        )


def encoded_rows(rows: pa.Table, dictionaries: Sequence[ColumnDictionary]) -> Codes:
    """int32[n, columns], codes of rows; values not met before get new ones."""
    codes = np.empty((rows.num_rows, len(dictionaries)), np.int32)
    for i, dictionary in enumerate(dictionaries):
        codes[:, i] = dictionary.encode(rows[dictionary.name])
    return codes


def dictionary_arrays(dictionaries: Sequence[ColumnDictionary]) -> dict[str, NDArray[Any]]:
    """Values and codes as plain arrays; :func:`stored_dictionaries` is the inverse."""
    found = [dictionary.to_arrow() for dictionary in dictionaries]
    return {
        "values": _to_bytes([values for values, _ in found]),
        "value_codes": np.concatenate([np.empty(0, np.int32), *(codes for _, codes in found)]),
    }


def stored_dictionaries(arrays: Arrays, names: Sequence[str]) -> list[ColumnDictionary]:
    """The dictionaries that :func:`dictionary_arrays` was taken of, for columns of these names."""
    values = _from_bytes(arrays["values"], len(names))
    bounds = np.cumsum([len(v) for v in values])[:-1]
    codes = np.split(arrays["value_codes"], bounds) if values else []
    return [ColumnDictionary.from_arrow(n, v, c) for n, v, c in zip(names, values, codes, strict=True)]


def _to_bytes(values: Sequence[pa.Array]) -> NDArray[np.uint8]:
    """Arrays of any types and lengths as one stream of bytes: a table of one row that has a list of each."""
    lists = [pa.ListArray.from_arrays(pa.array([0, len(v)], pa.int32()), v) for v in values]
    table = pa.table({str(i): column for i, column in enumerate(lists)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return np.frombuffer(sink.getvalue(), np.uint8)


def _from_bytes(stream: NDArray[np.uint8], columns: int) -> list[pa.Array]:
    table = pa.ipc.open_stream(pa.py_buffer(stream.tobytes())).read_all()
    return [table.column(i).combine_chunks().flatten() for i in range(columns)]
