"""The counted mode's state without its files, and deltas to measure it by; for the programs beside this one."""

import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.evidence.changes import changed_masks
from profiling_core.algorithms.evidence.multiset import combine, cross_difference, ordered_masks, self_evidence
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.algorithms.values.encoding import encode, encode_together


class Counted:
    """Evidence multiset and maximal cover of rows, from which deltas can be measured again and again."""

    def __init__(self, space, bound, kept, gone):
        self.space, self.bound = space, bound
        self.rows = pa.concat_tables([kept, gone])
        self.evidence = self_evidence(encode(self.rows, space), space)
        masks, _ = ordered_masks(self.evidence, space)
        self.cover = inversion.maximal_cover(masks, space, max_predicates=bound)
        self.comparing = 0.0

    def maintain(self, kept, gone, came):
        """The cover once rows have gone and come; ``comparing`` is then the CPU time up to the new multiset."""
        began = time.process_time()
        kept_codes, gone_codes, came_codes = encode_together([kept, gone, came], self.space)
        parts = [(self.evidence, 1), (cross_difference(kept_codes, gone_codes, came_codes, self.space), 1)]
        for rows, sign in ((gone_codes, -1), (came_codes, 1)):
            if rows.rows:
                parts += [(self_evidence(rows, self.space), sign)]
        appeared, went, now = changed_masks(self.evidence, combine(parts), self.space)
        self.comparing = time.process_time() - began
        if not updating.updating_pays(appeared, went, now, max_predicates=self.bound):
            return inversion.maximal_cover(now.masks, self.space, max_predicates=self.bound)
        changed = appeared, went, now
        return updating.update(self.cover, *changed, self.space, max_predicates=self.bound, maximal=True)


def delta(table, gone_share, came_share):
    """Rows that stay, leave and come, drawn at random, and those that are there in the end."""
    order = np.random.default_rng(1).permutation(table.num_rows)
    gone, came = (round(table.num_rows * part) for part in (gone_share, came_share))
    parts = (order[gone : len(order) - came], order[:gone], order[len(order) - came :])
    kept, leaving, coming = (table.take(np.sort(part)) for part in parts)
    return kept, leaving, coming, pa.concat_tables([kept, coming])


def change_of_columns(table, share, columns):
    """The same for rows that each take on another row's values in a number of columns, drawn at random."""
    draw = np.random.default_rng(1)
    order = draw.permutation(table.num_rows)
    changed = round(table.num_rows * share)
    kept, before = (table.take(np.sort(part)) for part in (order[changed:], order[:changed]))
    chosen = draw.random((changed, table.num_columns)).argsort(axis=1)[:, :columns]
    takes = np.zeros((table.num_columns, changed), np.bool_)
    takes[chosen.T, np.arange(changed)] = True
    others = table.take(draw.integers(0, table.num_rows, changed))
    after = [pc.if_else(pa.array(takes[i]), others.column(i), before.column(i)) for i in range(table.num_columns)]
    after = pa.table(after, schema=table.schema)
    return kept, before, after, pa.concat_tables([kept, after])
