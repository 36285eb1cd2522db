"""How steady the list is that people see: which of its constraints come and go from one clean delta to the next.

Every delta the table's FDs and UCCs are found and ranked anew from the evidence of all its rows, as the counted engine
does, and stand in one list with the rules of single columns. Denial constraints beyond FDs and UCCs are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import pyarrow as pa

from benchmarks.signal_feeds import Feed, typed
from benchmarks.signal_replay import BURN_IN, LONGEST_LHS, TABLE, lifecycle_step
from profiling_core.algorithms.columns.calendar import unrepeated
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.upkeep import Arrived, RuleBook, advance
from profiling_core.algorithms.denial.ranking.score import rank_rows
from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.evidence.multiset import combine, cross_evidence, ordered_masks, self_evidence
from profiling_core.algorithms.presented import in_order, rank_rules
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.diff import lifecycle
from profiling_core.maintain.engine import RANKED_PER_PRESENTED
from profiling_core.maintain.results import Results
from profiling_core.model.constraint import RowConstraint
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.types import NullSemantics

# Rows until which a feed is followed: all pairs of them are compared.
MOST_ROWS = 6_000


@dataclass(frozen=True)
class Steadiness:
    """Deltas after the burn-in, and those on which the list had constraints that it had not before.

    ``came`` counts these constraints, ``again`` those of them that had been in the list before and gone.
    """

    deltas: int
    changed: int
    came: int
    again: int


def steadiness(feed: Feed) -> Steadiness:
    """How the presented list changed from delta to delta."""
    lists = _lists(feed)[BURN_IN - 1 :]
    came = [after - before for before, after in pairwise(lists)]
    earlier = list(accumulate(lists, frozenset.union))
    again = sum(len(new & seen) for new, seen in zip(came, earlier, strict=False))
    return Steadiness(len(came), sum(map(bool, came)), sum(map(len, came)), again)


def _lists(feed: Feed) -> list[frozenset[str]]:
    space = predicate_space.equality_only(feed.schema, NullSemantics.SQL)
    book = RuleBook(TableHistory.empty(feed.schema))
    tracked: list[Tracked] = []
    known, evidence = None, None
    found = []
    for number, (label, rows) in enumerate(feed.deltas.items()):
        table = typed(rows, feed.schema)[0]
        if known is not None and len(known) + len(table) > MOST_ROWS:
            break
        come, there = encode_together([table, table if known is None else known], space)
        own = self_evidence(come, space)
        evidence = combine(
            [(own, 1)] if known is None else [(evidence, 1), (own, 1), (cross_evidence(come, there, space), 1)]
        )
        known = table if known is None else pa.concat_tables([known, table])
        batches = [(label, table)]
        followed = {t.fingerprint for t in tracked}
        book, _ = advance(book, Arrived([label], lambda batches=batches: batches), feed.schema, followed)
        ranked, measured = _ranked(feed, evidence, space, len(known), book, tracked)
        tracked, _ = lifecycle.advance(tracked, lifecycle_step(number + 1, label, Results({}, ranked, measured, {})))
        found.append(frozenset(t.fingerprint for t in tracked if t.rank))
    return found


def _ranked(feed: Feed, evidence, space, size: int, book: RuleBook, tracked: Sequence[Tracked]):
    agree = from_agree_sets.agree_sets(evidence, space)
    fds = from_agree_sets.functional_dependencies(agree, max_lhs=LONGEST_LHS, rows=size)
    uccs = from_agree_sets.unique_column_combinations(agree, max_columns=LONGEST_LHS + 1, rows=size)
    masks, counts = ordered_masks(evidence, space)
    constraints: list[RowConstraint] = [m.constraint for m in (*fds, *uccs)]
    rows = rank_rows(constraints, masks, counts, space, size, names=feed.schema.naming)[
        : RANKED_PER_PRESENTED * TABLE.presented
    ]
    rules = [book.measured(kept) for kept in book.kept]
    known = [t.measured.constraint for t in tracked]
    others = [c for c in known if c.kind.value in ("fd", "ucc")]
    figures = rank_rows(others, masks, counts, space, size, candidates=len(others))
    ranked = in_order(rows, rank_rules([m for m in rules if m.holds]), unrepeated(book.history))
    return ranked, (*(r.measured for r in figures), *rules)
