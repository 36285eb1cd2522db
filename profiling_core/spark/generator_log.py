"""A small delta is merged into the generator in this process, without a job, and kept as a log.

What it costs is what the delta touches: its values are looked up in the mapped files of their buckets, and written to
one new file. Results are those of the job, which takes over where a delta is large or the logs have become so.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.inclusions.orphan_values import Inclusion, orphans_of
from profiling_core.algorithms.inclusions.value_clusters import merge
from profiling_core.algorithms.inclusions.value_generator import joined, summed, value_hashes
from profiling_core.model.errors import StateError
from profiling_core.spark.generator import REBUILD, Advance, damaged, nothing
from profiling_core.spark.generator_files import LOG, Generator, find_entries, read_entries, without, write_entries
from profiling_core.spark.value_counts import SignedRows, entries_of_rows


def advance_by_log(
    generator: Generator, rows: Sequence[SignedRows], into: Path, inclusions: Sequence[Inclusion] = ()
) -> Advance:
    """Merges rows into the generator, and writes what they change to one log below ``into``.

    Raises:
        StateError: a file is damaged where it is looked at, or rows go that never came.
    """
    delta = entries_of_rows(rows, generator.values)
    if not delta.num_rows and not generator.moved:
        return nothing(inclusions)
    try:
        merged = merge(_held(generator, delta), delta)
        earlier = without(joined(read_entries(file) for file in generator.moved), generator.gone)
    except OSError as error:
        raise damaged(str(error)) from error
    if not merged.is_consistent:
        raise StateError("the deltas delete values that the inclusions' state does not hold", remedy=REBUILD)
    log = summed(joined([earlier, delta])) if generator.moved else delta
    if log.num_rows:
        write_entries(log, into, LOG)
    return Advance(merged.change, tuple(orphans_of(merged, inclusions)))


def _held(generator: Generator, delta: pa.Table) -> pa.Table:
    """The entries that buckets and logs hold for the delta's values."""
    wanted = np.unique(value_hashes(delta))
    bucket = (wanted % np.uint64(generator.buckets)).astype(np.int64)
    parts = [
        find_entries(generator.files.get(number, ()), wanted[bucket == number]) for number in np.unique(bucket).tolist()
    ]
    parts.append(find_entries((*generator.logs, *generator.moved), wanted))
    return without(joined(parts), generator.gone)
