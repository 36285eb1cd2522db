"""Keeps Arrow from importing pandas, which is not needed here and takes a third of a second of CPU.

Only where the process is Holdfast's own: a notebook's tables of pandas are to be known at sight.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec


class _Absent(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(self, fullname: str, *_: object, **__: object) -> ModuleSpec | None:
        """Raises ``ModuleNotFoundError`` for pandas; knows nothing of other modules."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)
        return None


def arrow_alone() -> None:
    """Lets Arrow look for pandas now, once and for all, and find none.

    Whoever imports pandas later has it, and Arrow converts to it and from it where it is asked to.
    """
    import pyarrow as pa

    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([""])  # Arrow asks at the first values that it converts
    finally:
        sys.meta_path.remove(absent)
