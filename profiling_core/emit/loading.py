"""Suites are read back through Great Expectations, because it loads what it does not know as an empty suite.

An expectation whose type is not registered, or whose arguments it refuses, is dropped with a log line, and the suite
then passes. So what was stored is counted against what was loaded, expectation by expectation.
"""

import json
from pathlib import Path
from typing import Any

from profiling_core.emit.gx import great_expectations
from profiling_core.model.errors import StateError


def load_suite(path: Path) -> Any:
    """The GX ``ExpectationSuite`` in the file.

    Raises:
        StateError: the file is unreadable, or GX does not load every expectation in it.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StateError(
            f"the suite cannot be read: {error}", where=str(path), remedy="emit the suites again from the catalog"
        ) from error
    return suite_from(content, str(path))


def suite_from(content: bytes, where: str) -> Any:
    """The GX ``ExpectationSuite`` that the bytes describe, with stored = loaded asserted; raises ``StateError``."""
    gx = great_expectations()
    try:
        data = json.loads(content)
        stored = [entry["id"] for entry in data["expectations"]]
        suite = gx.ExpectationSuite(**data)
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(
            f"the suite is damaged: {error}", where=where, remedy="emit the suites again from the catalog"
        ) from error
    loaded = [expectation.id for expectation in suite.expectations]
    if loaded != stored:
        lost = [entry["type"] for entry in data["expectations"] if entry["id"] not in set(loaded)]
        raise StateError(
            f"Great Expectations loads {len(loaded)} of the {len(stored)} expectations stored; it does not load {lost}",
            where=where,
            remedy="the file was written for another version of Great Expectations, or was edited: emit it again",
        )
    return suite
