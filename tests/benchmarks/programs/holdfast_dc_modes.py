"""All our ways to one cover, compared: ``holdfast_dc_modes.py table.csv bound [space [share]]``; bound 0 is none.

The space is ``same`` (if not given) or ``across``. A share of the rows, a hundredth if not given, leaves, and as many
come. The counted and the indexed mode go from the state
before to the cover after; all pairs and Hydra find it from the rows after. Maximal covers are compared: the indexed
mode keeps evidences from which it follows.
"""

import sys
from pathlib import Path

import numpy as np
from maintained import Counted, delta
from report import report, started, timed_once


def main(path: Path, bound: int | None, columns: str = "same", share: float = 0.01) -> None:
    from profiling_core.algorithms.denial.indexed.table import IndexedTable
    from profiling_core.algorithms.denial.sampled import discovery
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
    from profiling_core.algorithms.hitting_sets import inversion
    from profiling_core.algorithms.values.encoding import encode
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=True)
    cross = columns == "across"
    shared = predicate_space.shared_fractions(table, schema) if cross else {}
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=cross, shared=shared)
    kept, gone, came, after = delta(table, share, share)

    def maximal(masks):
        return inversion.maximal_cover(masks, space, max_predicates=bound)

    def from_pairs():
        return maximal(ordered_masks(self_evidence(encode(after, space), space), space)[0])

    def by_hydra():
        rows = encode(after, space)
        known, selectivity = discovery.sampled_evidences(rows, space)
        return discovery.finish(known, selectivity, max_predicates=bound, maximal=True).cover

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
    found["indexed"] = maximal(indexed.known.masks)  # which pin its set-minimal cover
    different = [name for name, dcs in found.items() if sorted(dcs) != sorted(found["pairs"])]
    equal = f"NO: {', '.join(different)}" if different else "yes"
    report(**start, **took, count=len(found["pairs"]), equal=equal, shape=table.shape)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) or None, *sys.argv[3:4], *map(float, sys.argv[4:5]))
