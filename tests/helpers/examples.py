"""How many examples a property is tried on: a quarter of them with each change, all of them in ``make test-long``."""

import os

ALL = os.environ.get("HOLDFAST_TEST_EXAMPLES") == "all"


def examples(number: int) -> int:
    """As many of ``number`` examples as this run tries; Hypothesis takes others each time."""
    return number if ALL else max(4, number // 4)


def blocks(number: int) -> range:
    """The blocks of seeds that this run walks, of ``number``: a quarter, at least two."""
    return range(number if ALL else max(2, number // 4))


def step() -> int:
    """How far apart are the places that this run takes, of those in a row such as a program's writes."""
    return 1 if ALL else 5
