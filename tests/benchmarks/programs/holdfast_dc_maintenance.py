"""Our maintenance in counted mode against our batch: ``holdfast_dc_maintenance.py table.csv change share bound``.

The change is ``insert``, ``delete`` or ``update`` (as many inserts as deletes) of that share of the rows. Measured is
what a delta costs once the evidence multiset and the set-minimal cover before it are at hand: encoding, the difference
in evidence, and the update of the cover. The batch does all of it from the rows after the delta: to the same
set-minimal cover, and to the reduced cover alone, which is what discovery prints. Bound 0 is none.
"""

import sys
from pathlib import Path

from maintained import Counted, delta
from report import report, started, timed

CHANGES = {"insert": (0, 1), "delete": (1, 0), "update": (1, 1)}


def main(path: Path, change: str, share: float, bound: int | None) -> None:
    from profiling_core.algorithms.denial import cover, inversion
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
    from profiling_core.algorithms.values.encoding import encode
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=True)
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=False)

    def masks_of(rows):
        return ordered_masks(self_evidence(encode(rows, space), space), space)[0]

    for part in (0.02, 0.3):  # whichever way the cover takes, its code is loaded
        kept, gone, came, _ = delta(table.slice(0, 300), *(part * sign for sign in CHANGES[change]))
        Counted(space, bound, kept, gone).maintain(kept, gone, came)
    kept, gone, came, after = delta(table, *(share * sign for sign in CHANGES[change]))
    counted = Counted(space, bound, kept, gone)
    start = started()
    maintained, times = timed(lambda: counted.maintain(kept, gone, came))
    evidence = counted.comparing
    batch, batch_times = timed(lambda: inversion.minimal_cover(masks_of(after), space, max_predicates=bound))
    _, reduced_times = timed(lambda: cover.reduced_cover_of(masks_of(after), space, max_predicates=bound))
    report(
        **start,
        **times,
        evidence=evidence,
        count=len(maintained),
        batch=batch_times["run"],
        reduced=reduced_times["run"],
        same="yes" if maintained == batch else "NO",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4]) or None)
