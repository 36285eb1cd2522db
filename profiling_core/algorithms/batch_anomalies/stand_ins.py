"""Values that stand for a missing one, or for a test: TEST among names, N/A among codes, 9999 among counts.

If a column usually has some, they are values like others; if it never had any, a default filled the row.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles

# Texts that programs and people write for a missing value or a test, in small letters.
_TEXTS = pa.array(
    [
        "n/a",
        "na",
        "#n/a",
        "#ref!",
        "#value!",
        "null",
        "none",
        "nil",
        "nan",
        "-",
        "--",
        "?",
        "??",
        "unknown",
        "undefined",
        "missing",
        "tbd",
        "default",
        "test",
        "testing",
        "dummy",
    ]
)
# Four nines and more; fewer may be ordinary numbers.
_NUMBERS = 10.0 ** np.arange(4, 13) - 1


def are_stand_ins(values: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """bool[n]: which values of a column of texts or numbers stand for a missing one."""
    values = present(values)
    if pa.types.is_string(values.type):
        known = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(values)), value_set=_TEXTS)
        found: npt.NDArray[np.bool_] = pc.fill_null(known, fill_value=False).to_numpy()
        return found
    return np.isin(np.abs(pc.fill_null(doubles(values), 0.0).to_numpy()), _NUMBERS)
