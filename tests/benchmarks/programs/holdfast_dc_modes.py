"""All our ways to one cover, compared: ``holdfast_dc_modes.py table bound space change:share …``; bound 0 is none.

The space is ``same`` or ``across``. Each change starts from the same rows, in random order: a share of them leaves
(``delete``), as many as a share of them come (``insert``), or both (``update``). The counted and the indexed mode go
from the state before to the cover after; all pairs and Hydra find it from the rows after. Maximal covers are compared:
the indexed mode keeps evidences from which its own follows. The ways take turns, and the quickest run of each counts.
What takes ``HOPELESS`` times the best is ended, and not asked again unless the best takes a third of that.
"""

import math
import signal
import sys
from pathlib import Path

import numpy as np
from maintained import Counted
from report import report, started, timed_once

LEAVING, COMING = ("delete", "update"), ("insert", "update")
# Rows of a table that is taken through every way beforehand: its code is loaded.
FEW = 60
# CPU seconds that are never hopeless; how many times the best is; and which part of that the best may take later.
SHORT, HOPELESS, AGAIN = 0.2, 10, 3
# Runs of each way, and the CPU seconds of all ways after which they are enough.
RUNS, LONG = 3, 0.5


class HopelessError(Exception):
    """A way has taken too long beside the best one."""


def _give_up(*_):
    raise HopelessError


signal.signal(signal.SIGPROF, _give_up)


def main(path: Path, bound: int | None, columns: str, *changes: str) -> None:
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=path.suffix == ".csv")
    cross = columns == "across"
    shared = predicate_space.shared_fractions(table, schema) if cross else {}
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=cross, shared=shared)
    table = table.take(np.random.default_rng(1).permutation(table.num_rows))
    named = [(change, float(share)) for change, share in (text.split(":") for text in changes)]
    few = Changed(table.slice(0, FEW), space, bound, named)
    for change in dict(named).items():
        few.by_all_ways(*change)
    start = started()
    changed = Changed(table, space, bound, named)
    report(**start, auto=changed.auto(), changes=[changed.by_all_ways(*change) for change in named])


class Changed:
    """A table in both modes, and what changes it."""

    def __init__(self, table, space, bound, changes):
        from profiling_core.algorithms.denial.indexed.table import IndexedTable

        self.space, self.bound, self.table = space, bound, table
        # what comes is still apart
        most = max((share for change, share in changes if change in COMING), default=0.0)
        self.rows = table.slice(0, round(table.num_rows / (1 + most)))
        self.counted = Counted(space, bound, self.rows, self.rows.slice(0, 0))
        ids = np.arange(self.rows.num_rows)
        self.state = IndexedTable.bootstrap(self.rows, ids, space, max_predicates=bound).arrays()
        self.ended = {}  # CPU seconds that ways were ended after

    def auto(self):
        """The mode that a new table of such a shape is kept in, as long as denial constraints are asked for."""
        from profiling_core.maintain.choice import WIDE_COLUMNS, suited

        rows, columns = self.rows.shape
        return suited(rows, min(columns, WIDE_COLUMNS), sys.maxsize)[0].value

    def by_all_ways(self, change, share):
        """CPU seconds by each way, the number of constraints, and whether all ways agree."""
        import pyarrow as pa

        from profiling_core.algorithms.denial.indexed.table import IndexedTable

        rows, size = self.rows, round(self.rows.num_rows * share)
        gone, kept = (rows.slice(0, size), rows.slice(size)) if change in LEAVING else (rows.slice(0, 0), rows)
        came = self.table.slice(rows.num_rows, size if change in COMING else 0)
        after = pa.concat_tables([kept, came])
        ids = np.arange(rows.num_rows + came.num_rows)

        def by_index():
            state = IndexedTable.from_arrays(self.space, self.state)
            state.apply(ids[: gone.num_rows], came, ids[rows.num_rows :])
            return state

        ways = {
            "counted": lambda: self.counted.maintain(kept, gone, came),
            "pairs": lambda: self.from_pairs(after),
            "indexed": by_index,
            "hydra": lambda: self.by_hydra(after),
        }
        found, took = {}, {}
        for _ in range(RUNS):
            for name, way in ways.items():
                best = min(took.values(), default=math.inf)
                if AGAIN * best < self.ended.get(name, 0):
                    continue
                limit = HOPELESS * best + SHORT
                try:
                    found[name], cpu = limited(way, limit)
                    took[name] = min(cpu, took.get(name, cpu))
                except HopelessError:
                    self.ended[name] = limit
            if sum(took.values()) > LONG:
                break
        if "indexed" in found:
            found["indexed"] = self.maximal(found["indexed"].known.masks)  # which pin its set-minimal cover
        different = [name for name, dcs in found.items() if sorted(dcs) != sorted(found["counted"])]
        equal = f"NO: {', '.join(different)}" if different else "yes"
        return {**took, "change": change, "share": share, "count": len(found["counted"]), "equal": equal}

    def maximal(self, masks):
        from profiling_core.algorithms.hitting_sets import inversion

        return inversion.maximal_cover(masks, self.space, max_predicates=self.bound)

    def from_pairs(self, rows):
        from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
        from profiling_core.algorithms.values.encoding import encode

        return self.maximal(ordered_masks(self_evidence(encode(rows, self.space), self.space), self.space)[0])

    def by_hydra(self, rows):
        from profiling_core.algorithms.denial.sampled import discovery
        from profiling_core.algorithms.values.encoding import encode

        encoded = encode(rows, self.space)
        known, selectivity = discovery.sampled_evidences(encoded, self.space)
        return discovery.finish(known, selectivity, max_predicates=self.bound, maximal=True).cover


def limited(way, limit):
    """What a way returns, and its CPU seconds.

    Raises:
        HopelessError: it took more than this limit.
    """
    if math.isfinite(limit):
        signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return timed_once(way)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) or None, *sys.argv[3:])
