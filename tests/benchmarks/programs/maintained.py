"""The counted mode's state without its files, for the programs beside this one."""

import pyarrow as pa

from profiling_core.algorithms.evidence.changes import are_mostly_gone, changed_masks
from profiling_core.algorithms.evidence.multiset import changed_evidence, ordered_masks, self_evidence
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

    def maintain(self, kept, gone, came):
        """The cover once rows have gone and come."""
        if are_mostly_gone(kept.num_rows, gone.num_rows):
            after = self_evidence(encode(pa.concat_tables([kept, came]), self.space), self.space)
        else:
            after = changed_evidence(self.evidence, *encode_together([kept, gone, came], self.space), self.space)
        appeared, went, now = changed_masks(self.evidence, after, self.space)
        if not updating.updating_pays(self.cover, appeared, went, now, max_predicates=self.bound):
            return inversion.maximal_cover(now.masks, self.space, max_predicates=self.bound)
        changed = appeared, went, now
        return updating.update(self.cover, *changed, self.space, max_predicates=self.bound, maximal=True)
