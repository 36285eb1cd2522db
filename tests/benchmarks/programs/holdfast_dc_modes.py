"""A table's step by every engine, compared: ``holdfast_dc_modes.py table bound space change:share …``; bound 0 is none.

The space is ``same`` or ``across``. Each change starts from the same rows, in random order: a share of them leaves
(``delete``), as many as a share of them come (``insert``), or both (``update``). A step is all that an engine does in
a run: it reads the rows and the state, brings the cover up to date, measures what is ranked and followed, and writes
its state. The counted and the indexed engine go on from their state, or begin anew with the rows after the change: by
all pairs, and by Hydra. All in this process: Spark's own time is none of theirs. The ways take turns, and the quickest
run of each counts. What takes ``HOPELESS`` times the best is ended, and not asked again unless the best takes a third
of that.
"""

import math
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from report import report, started, timed_once

LEAVING, COMING = ("delete", "update"), ("insert", "update")
# Rows of a table that is taken through every way beforehand: its code is loaded.
FEW = 60
# CPU seconds that are never hopeless; how many times the best is; and which part of that the best may take later.
SHORT, HOPELESS, AGAIN = 0.2, 10, 3
# Runs of each way, and the CPU seconds of all ways after which they are enough.
RUNS, LONG = 5, 2.0
# CPU seconds after which an engine's first state is given up.
BEGINNING = 10


class HopelessError(Exception):
    """A way has taken too long beside the best one."""


def _give_up(*_):
    raise HopelessError


signal.signal(signal.SIGPROF, _give_up)


def main(path: Path, bound: int, columns: str, *changes: str) -> None:
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics
    from profiling_core.spark import evidence

    evidence.PAIRS_HERE = sys.maxsize
    schema, table = read_table(path, typed_header=path.suffix == ".csv")
    cross = columns == "across"
    shared = predicate_space.shared_fractions(table, schema) if cross else {}
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=cross, shared=shared)
    table = table.take(np.random.default_rng(1).permutation(table.num_rows))
    named = [(change, float(share)) for change, share in (text.split(":") for text in changes)]
    with tempfile.TemporaryDirectory() as folder:
        few = Changed(table.slice(0, FEW), schema, space, bound, named, Path(folder) / "few")
        for change in dict(named).items():
            few.by_all_ways(*change)
        start = started()
        changed = Changed(table, schema, space, bound, named, Path(folder) / "all")
        report(**start, auto=changed.auto(), changes=[changed.by_all_ways(*change) for change in named])


class Changed:
    """A table's rows and each engine's first state of it, and what changes them."""

    def __init__(self, table, schema, space, bound, changes, folder):
        import pyarrow as pa

        from profiling_core.model.dataset import Engine, TableConfig
        from profiling_core.model.delta import ROW_ID
        from profiling_core.spark.evidence import RowDelta
        from profiling_core.state.store import Store

        folder.mkdir()
        self.schema, self.space, self.folder, self.runs = schema, space, folder, Counter()
        self.store = Store(folder, "measured")
        self.options = TableConfig(source={"format": "csv", "path": "*"}, max_predicates=bound)
        ids = pa.table({ROW_ID: pa.array(np.arange(table.num_rows))})
        self.table = pa.table([*ids.columns, *table.columns], names=[ROW_ID, *table.column_names])
        # what comes is still apart
        most = max((share for change, share in changes if change in COMING), default=0.0)
        self.size = round(table.num_rows / (1 + most))
        self.first = self.rows(0, self.size)
        self.beginning = RowDelta(None, self.first, self.rows(0, 0), self.size, 0)
        self.states, self.followed = {}, ()
        for engine in (Engine.COUNTED, Engine.INDEXED):
            try:
                begun, _ = limited(lambda now=engine: self.step(now, self.beginning, self.size), BEGINNING)
            except HopelessError:
                continue
            self.states[engine] = self.version(begun)
            self.followed = [one.measured.constraint for one in begun.ranked[: self.options.presented]]
        self.ended = {}  # CPU seconds that ways were ended after

    def rows(self, start, end):
        """Some rows as they are stored."""
        from profiling_core.spark.rows import RowFiles, Rows, row_file_writer

        path = self.folder / f"{start}-{end}.parquet"
        with row_file_writer(path, self.table.schema) as file:
            file.write_table(self.table.slice(start, end - start))
        return Rows(None, self.schema, (RowFiles.of([str(path)]),))

    def step(self, engine, delta, size, before=None):
        """What an engine knows after a change; ``before`` None: begun anew with all rows."""
        from profiling_core.maintain.choice import ENGINES
        from profiling_core.maintain.engine import EngineStep
        from profiling_core.maintain.table_files import TableFiles

        self.runs[engine] += 1
        files = TableFiles(self.store, f"{engine.value}-{self.runs[engine]}", "t", before)
        step = EngineStep(files, self.options, self.schema, delta, self.space, before, size, self.followed)
        return ENGINES[engine].advance(step)

    def version(self, begun):
        """A version of a dataset that has an engine's state."""
        from profiling_core.model.version import TableState, Version

        states = {"t": TableState(self.schema, self.space, self.size, self.table.num_rows)}
        return Version("measured", 1, "first", "first", states, {}, begun.files)

    def auto(self):
        """The engine that a new table of this kind is kept by."""
        from profiling_core.maintain.choice import affordable, choose

        choice = choose(self.options, (self.size, len(self.schema.profiled)), None)
        return affordable(choice, self.options, self.beginning, self.space, self.size).name.value

    def by_all_ways(self, change, share):
        """CPU seconds by each way, the number of constraints, and whether all ways agree."""
        from pyroaring import BitMap64

        from profiling_core.algorithms.denial.cover import reduced_cover
        from profiling_core.maintain.covers import cover_of
        from profiling_core.model.dataset import Engine
        from profiling_core.spark.evidence import RowDelta

        size = round(self.size * share)
        went = size if change in LEAVING else 0
        end = min(self.size + size, self.table.num_rows) if change in COMING else self.size
        gone, came = self.rows(0, went), self.rows(self.size, end)
        delta = RowDelta(self.first.without(BitMap64(range(went))), came, gone, end - self.size, went)
        after = end - went
        ways = {
            engine.value: lambda now=engine, state=state: self.step(now, delta, after, state)
            for engine, state in self.states.items()
        }
        ways["pairs"] = lambda: self.step(Engine.COUNTED, delta.whole(after), after)
        ways["hydra"] = lambda: self.step(Engine.INDEXED, delta.whole(after), after)
        found, took = {}, {}
        for _ in range(RUNS):
            for name, way in ways.items():
                best = min(took.values(), default=math.inf)
                if AGAIN * best < self.ended.get(name, 0):
                    continue
                limit = min(HOPELESS * best, BEGINNING) + SHORT
                try:
                    found[name], cpu = limited(way, limit)
                    took[name] = min(cpu, took.get(name, cpu))
                except HopelessError:
                    self.ended[name] = limit
            if sum(took.values()) > LONG:
                break
        covers = {
            name: sorted(reduced_cover(cover_of(self.store, result.files, "t"), self.space))
            for name, result in found.items()
        }
        known = next(iter(covers.values()), [])
        different = [name for name, dcs in covers.items() if dcs != known]
        equal = f"NO: {', '.join(different)}" if different else "yes"
        return {**took, "change": change, "share": share, "count": len(known), "equal": equal}


def limited(way, limit):
    """What a way returns, and its CPU seconds.

    Raises:
        HopelessError: it took more than this limit.
    """
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return timed_once(way)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
