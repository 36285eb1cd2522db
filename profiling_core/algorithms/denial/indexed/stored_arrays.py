"""An indexed table's rows and constraints as plain arrays, and back."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.indexed.labels import Dictionary
from profiling_core.algorithms.denial.indexed.rows import DC, TableRows
from profiling_core.algorithms.denial.indexed.segments import Index, Order, Segment
from profiling_core.algorithms.denial.indexed.value_runs import Run
from profiling_core.model.predicate import PredicateSpace

Arrays = dict[str, NDArray[np.generic]]
Stored = Mapping[str, NDArray[np.generic]]


def of_rows(rows: TableRows) -> Arrays:
    """Types, dictionaries and segments, the oldest first, so that its names stay the same."""
    arrays: Arrays = {
        "schema": np.frombuffer(rows.schema.serialize(), np.uint8),
        "distinct": rows.distinct,
        "segments": np.array([len(rows.segments)], np.int64),
    }
    for d, dictionary in enumerate(rows.dictionaries):
        arrays |= of_dictionary(d, dictionary)
    for number, segment in enumerate(rows.segments):
        prefix = f"segment{number}"
        arrays |= {f"{prefix}.ids": segment.ids, f"{prefix}.codes": segment.codes, f"{prefix}.alive": segment.alive}
        arrays[f"{prefix}.indexes"] = np.array([len(segment.indexes)], np.int64)
        for i, (columns, index) in enumerate(segment.indexes.items()):
            arrays |= of_index(number, i, columns, index)
    return arrays


def of_dictionary(number: int, dictionary: Dictionary) -> Arrays:
    """A domain's values and labels."""
    return _of_run(f"dictionary{number}", dictionary.old) | _of_run(f"young{number}", dictionary.young)


def of_index(segment: int, number: int, columns: Order, index: Index) -> Arrays:
    """One of a segment's indexes, by these columns."""
    own: Arrays = {
        "columns": np.array(columns, np.int64),
        "order": index.order,
        "low": index.low,
        "high": index.high,
        "null": index.null,
        "leaf": np.array([index.leaf], np.int64),
    }
    return {f"segment{segment}.index{number}.{name}": array for name, array in own.items()}


def _of_run(name: str, run: Run) -> Arrays:
    return {f"{name}.{part}": array for part, array in {"labels": run.labels, **run.plain}.items()}


def _run_from(name: str, arrays: Stored) -> Run:
    own = {part: arrays[f"{name}.{part}"] for part in ("values", "offsets", "data") if f"{name}.{part}" in arrays}
    return Run(np.asarray(arrays[f"{name}.labels"], np.int64), own)


def _dictionary_from(number: int, arrays: Stored) -> Dictionary:
    old, young = _run_from(f"dictionary{number}", arrays), f"young{number}"
    # State of an earlier release has one run.
    return Dictionary(old, _run_from(young, arrays) if f"{young}.labels" in arrays else old.none)


def rows_from(space: PredicateSpace, arrays: Stored) -> TableRows:
    """The inverse of :func:`of_rows`."""
    schema = pa.ipc.read_schema(pa.py_buffer(np.ascontiguousarray(arrays["schema"])))
    count = sum(name.startswith("dictionary") and name.endswith(".labels") for name in arrays)
    dictionaries = tuple(_dictionary_from(d, arrays) for d in range(count))
    segments = tuple(_segment_from(f"segment{number}", arrays) for number in range(int(arrays["segments"].item())))
    return TableRows(space, schema, dictionaries, segments, np.asarray(arrays["distinct"], np.int64))


def _segment_from(prefix: str, arrays: Stored) -> Segment:
    indexes = {}
    for i in range(int(arrays[f"{prefix}.indexes"].item())):
        part = {
            name: arrays[f"{prefix}.index{i}.{name}"] for name in ("columns", "order", "low", "high", "null", "leaf")
        }
        columns = tuple(part["columns"].tolist())
        indexes[columns] = Index(
            np.asarray(part["order"], np.int32),
            np.asarray(part["low"], np.int64),
            np.asarray(part["high"], np.int64),
            np.asarray(part["null"], np.bool_),
            int(part["leaf"].item()),
        )
    return Segment(
        np.asarray(arrays[f"{prefix}.ids"], np.int64),
        np.asarray(arrays[f"{prefix}.codes"], np.int64),
        np.asarray(arrays[f"{prefix}.alive"], np.bool_),
        indexes,
    )


def of_constraints(name: str, dcs: Sequence[DC]) -> Arrays:
    """Constraints as one array of predicates and the bounds of each."""
    return {
        f"{name}.predicates": np.array([p for dc in dcs for p in dc], np.int64),
        f"{name}.bounds": np.cumsum([0, *(len(dc) for dc in dcs)], dtype=np.int64),
    }


def constraints_from(name: str, arrays: Stored) -> list[DC]:
    """The inverse of :func:`of_constraints`."""
    predicates, bounds = arrays[f"{name}.predicates"].tolist(), arrays[f"{name}.bounds"].tolist()
    return [tuple(predicates[a:b]) for a, b in pairwise(bounds)]
