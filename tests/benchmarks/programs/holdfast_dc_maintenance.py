"""Our maintenance in counted mode against our own batch: ``holdfast_dc_maintenance.py table.csv change share``.

The change is ``insert``, ``delete`` or ``update`` (as many inserts as deletes) of that share of the rows. Measured is
what a delta costs once the evidence multiset and the set-minimal cover before it are at hand: encoding, the difference
in evidence, and the update of the cover. The batch does all of it from the rows after the delta: to the same
set-minimal cover, and to the reduced cover alone, which is what discovery prints.
"""

import sys
from pathlib import Path

import numpy as np
from report import report, started, timed

CHANGES = {"insert": (0, 1), "delete": (1, 0), "update": (1, 1)}


def main(path: Path, change: str, share: float) -> None:
    import pyarrow as pa

    from profiling_core.algorithms.denial import cover, inversion
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.algorithms.evidence.multiset import combine, cross_evidence, ordered_masks, self_evidence
    from profiling_core.algorithms.values.encoding import encode, encode_together
    from profiling_core.ingest.files import read_table
    from profiling_core.maintain.counted import only_in
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=True)
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=False)

    def maintain(before, old_masks, known, kept, gone, came):
        kept_codes, gone_codes, came_codes = encode_together([kept, gone, came], space)
        parts = [(before, 1)]
        for rows, sign in ((gone_codes, -1), (came_codes, 1)):
            if rows.rows:
                parts += [(cross_evidence(kept_codes, rows, space), sign), (self_evidence(rows, space), sign)]
        masks, _ = ordered_masks(combine(parts), space)
        appeared, went = only_in(masks, old_masks), only_in(old_masks, masks)
        if not inversion.updating_pays(appeared, went, masks):
            return inversion.minimal_cover(masks, space, max_predicates=None)
        return inversion.update(known, appeared, went, masks, space, max_predicates=None)

    def masks_of(rows):
        return ordered_masks(self_evidence(encode(rows, space), space), space)[0]

    def prepared(rows, gone_share, came_share):
        order = np.random.default_rng(1).permutation(rows.num_rows)
        gone, came = (round(rows.num_rows * part) for part in (gone_share, came_share))
        parts = (order[gone : len(order) - came], order[:gone], order[len(order) - came :])
        kept, leaving, coming = (rows.take(np.sort(part)) for part in parts)
        before = self_evidence(encode(pa.concat_tables([kept, leaving]), space), space)
        old_masks, _ = ordered_masks(before, space)
        known = inversion.minimal_cover(old_masks, space, max_predicates=None)
        return (before, old_masks, known, kept, leaving, coming), pa.concat_tables([kept, coming])

    shares = tuple(share * part for part in CHANGES[change])
    for part in (0.02, 0.3):  # whichever way the cover takes, its code is loaded
        maintain(*prepared(table.slice(0, 300), *(part * bool(s) for s in shares))[0])
    delta, after = prepared(table, *shares)
    start = started()
    maintained, times = timed(lambda: maintain(*delta))
    batch, batch_times = timed(lambda: inversion.minimal_cover(masks_of(after), space, max_predicates=None))
    _, reduced_times = timed(lambda: cover.reduced_cover_of(masks_of(after), space, max_predicates=None))
    report(
        **start,
        **times,
        count=len(maintained),
        batch=batch_times["run"],
        reduced=reduced_times["run"],
        same="yes" if maintained == batch else "NO",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
