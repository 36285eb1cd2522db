"""All our ways to one cover, compared: ``holdfast_dc_modes.py table.csv bound``; bound 0 is none.

Two hundredths of the rows stand apart: one leaves, the other comes. The counted and the indexed mode go from the state
before to the cover after; all pairs and Hydra find it from the rows after. The set-minimal covers are compared as they
are, the counted mode's maximal one with what the reduction makes of them.
"""

import sys
from pathlib import Path

import numpy as np
from maintained import Counted, delta
from report import report, started, timed_once


def main(path: Path, bound: int | None) -> None:
    from profiling_core.algorithms.denial import cover
    from profiling_core.algorithms.denial.indexed.table import IndexedTable
    from profiling_core.algorithms.denial.sampled import discovery
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
    from profiling_core.algorithms.hitting_sets import inversion
    from profiling_core.algorithms.values.encoding import encode
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=True)
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=False)
    kept, gone, came, after = delta(table, 0.01, 0.01)

    def from_pairs():
        masks, _ = ordered_masks(self_evidence(encode(after, space), space), space)
        return inversion.minimal_cover(masks, space, max_predicates=bound)

    def by_hydra():
        return discovery.discover(encode(after, space), space, max_predicates=bound).cover

    def by_indexes():
        ids = np.arange(kept.num_rows, kept.num_rows + gone.num_rows)
        indexed.apply(ids, came, ids + gone.num_rows)
        return indexed.cover

    counted = Counted(space, bound, kept, gone)
    indexed = IndexedTable.bootstrap(counted.rows, np.arange(counted.rows.num_rows), space, max_predicates=bound)
    start = started()
    ways = {
        "pairs": from_pairs,
        "hydra": by_hydra,
        "counted": lambda: counted.maintain(kept, gone, came),
        "indexed": by_indexes,
    }
    found, took = {}, {}
    for name, way in ways.items():
        found[name], took[name] = timed_once(way)
    expected = dict.fromkeys(ways, sorted(found["pairs"])) | {"counted": cover.reduced_cover(found["pairs"], space)}
    different = [name for name, dcs in found.items() if sorted(dcs) != expected[name]]
    equal = f"NO: {', '.join(different)}" if different else "yes"
    report(**start, **took, count=len(found["pairs"]), equal=equal)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) or None)
