"""A day of a dataset with all kinds of rules, or without those of rows and along references.

``holdfast_rules_day.py root dataset delta all|earlier``; prints the CPU seconds of each step.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from holdfast_day import Timed
from report import report

_KINDS = ("equation", "conditional", "reference")


def _nothing(*_: Any, **__: Any) -> Iterator[Any]:
    return iter(())


def without_rules_of_rows(modules: Sequence[ModuleType]) -> None:
    """Looks for no equation, no conditional rule, no order within a row and no rule along a reference."""
    discovery, candidate_cache, reference_rules = modules
    for module, name in (
        (discovery, "find_equations"),
        (discovery, "find_conditionals"),
        (candidate_cache, "find_orders"),
        (reference_rules, "find_references"),
    ):
        getattr(module, name)  # that there is one
        setattr(module, name, _nothing)


def main(root: str, dataset: str, delta: str, kinds: str) -> None:
    os.environ["HOLDFAST_ROOT"] = root
    from profiling_core.algorithms.rules import discovery
    from profiling_core.maintain import candidate_cache, reference_rules
    from profiling_core.pipeline.walk import walk
    from profiling_core.pipeline.workspace import Workspace
    from profiling_core.state.settings import Settings

    if kinds == "earlier":
        without_rules_of_rows((discovery, candidate_cache, reference_rules))
    timed = Timed()
    outcome = walk(dataset, label=delta, progress=timed)
    followed = Workspace.open(dataset, Settings.discover()).catalog.tracked(dataset)
    arrived = outcome.get("arrived", {})
    report(
        cpu=timed.cpu,
        rows=sum(counts["inserts"] + counts["deletes"] + counts["updates"] for counts in arrived.values()),
        stored=sum(counts["rows"] for counts in arrived.values()),
        rules=sum(one.measured.constraint.kind.value in _KINDS for one in followed),
        session="pyspark" in sys.modules,
    )


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), *sys.argv[2:5])
