"""Our maintenance in counted mode against our batch: ``holdfast_dc_maintenance.py table.csv change share bound``.

The change is ``insert``, ``delete``, ``update`` (rows take on all values of rows that were not there) or
``update-columns`` (they take on another row's values in two columns) of that share of the rows. Measured is
what a delta costs once the evidence multiset and the maximal cover before it are at hand: encoding, the difference
in evidence, and the update of the cover. Over same-column predicates that is the reduced cover, the same that the batch
finds from the rows after the delta. Bound 0 is none.
"""

import sys
from pathlib import Path

from maintained import Counted, change_of_columns, delta
from report import report, started, timed

CHANGES = {"insert": (0, 1), "delete": (1, 0), "update": (1, 1)}
COLUMNS = 2


def main(path: Path, change: str, share: float, bound: int | None) -> None:
    from profiling_core.algorithms.denial import cover
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
    from profiling_core.algorithms.values.encoding import encode
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=True)
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=False)

    def discovered(rows):
        masks, _ = ordered_masks(self_evidence(encode(rows, space), space), space)
        return cover.reduced_cover_of(masks, space, max_predicates=bound)

    def changed(rows, part):
        if change == "update-columns":
            return change_of_columns(rows, part, COLUMNS)
        return delta(rows, *(part * sign for sign in CHANGES[change]))

    for part in (0.02, 0.3):  # whichever way the cover takes, its code is loaded
        kept, gone, came, _ = changed(table.slice(0, 300), part)
        Counted(space, bound, kept, gone).maintain(kept, gone, came)
    kept, gone, came, after = changed(table, share)
    counted = Counted(space, bound, kept, gone)
    start = started()
    maintained, times = timed(lambda: counted.maintain(kept, gone, came))
    evidence = counted.comparing
    batch, batch_times = timed(lambda: discovered(after))
    report(
        **start,
        **times,
        evidence=evidence,
        count=len(maintained),
        batch=batch_times["run"],
        same="yes" if maintained == batch else "NO",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4]) or None)
