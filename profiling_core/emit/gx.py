"""The one way in which Great Expectations is imported: late, without telemetry, and without ending the process.

The import takes seconds, so it happens where a suite is loaded and nowhere else; and what of it only expectations need
that we do not write, a quarter of the time, is left until something asks for it.
"""

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def great_expectations() -> Any:
    """The ``great_expectations`` module."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    _put_off("scipy.stats")
    with _main_module_with_a_file():
        import great_expectations as gx
    return gx


def _put_off(name: str) -> None:
    """Has a module of a package run when something in it is first used, not when it is imported."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    package, _, last = name.rpartition(".")
    setattr(sys.modules[package], last, module)


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
