"""Values that stand for none, or for a trial: TEST among names, N/A among codes, 9999 among counts.

Where some usually are, they are a value like others; where none ever was, a row with one was filled by a default.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles

# What programs and people write where there is no value, and where they try something, in small letters.
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
# Four nines and more: fewer are numbers like others.
_NUMBERS = 10.0 ** np.arange(4, 13) - 1


def are_stand_ins(values: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """bool[n]: which values of a column of texts or numbers stand for none."""
    values = present(values)
    if pa.types.is_string(values.type):
        known = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(values)), value_set=_TEXTS)
        found: npt.NDArray[np.bool_] = pc.fill_null(known, fill_value=False).to_numpy()
        return found
    return np.isin(np.abs(pc.fill_null(doubles(values), 0.0).to_numpy()), _NUMBERS)
