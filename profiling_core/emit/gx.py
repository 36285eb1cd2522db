"""The one way in which Great Expectations is imported: late, without telemetry, and without ending the process.

The import takes six seconds, so it happens where a suite is loaded and nowhere else.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def great_expectations() -> Any:
    """The ``great_expectations`` module."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    with _main_module_with_a_file():
        import great_expectations as gx
    return gx


@contextmanager
def _main_module_with_a_file() -> Iterator[None]:
    """GX imports ``pyspark.sql.connect``, which takes a main module without a file for its own doctests.

    Without grpcio-status it then calls ``sys.exit(0)``: under ``python -c``, and so in some process launchers, a step
    would end there and count as done.
    """
    main = sys.modules.get("__main__")
    if main is None or hasattr(main, "__file__") or main.__spec__ is not None:
        yield
        return
    main.__file__ = "<command>"
    try:
        yield
    finally:
        del main.__file__
