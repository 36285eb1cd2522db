"""Refuses a delta with too many rejects, and explains why."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from profiling_core.ingest.reject_finding import where_rejected
from profiling_core.ingest.sources.protocol import WHOLE
from profiling_core.model.account import Account
from profiling_core.model.delta import RejectReason
from profiling_core.model.errors import InputError
from profiling_core.spark.delta import Example, Tally

_SHOWN = 200
_MENDED = "mend the rows and run again, or raise max_reject_ratio to apply the good ones alone"
# By the commonest reason what else may be meant by all of the rows.
_MEANT = {
    RejectReason.WRONG_TYPE: "where the column has another type from now on, set schema_changes: follow, and its type "
    "under columns",
    RejectReason.KEY_EXISTS: WHOLE,
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused delta: its rows, its rejects by reason (commonest first), and an example of the commonest.

    ``lost`` are the lines of unreadable rows, beyond one for each: each counts as a row. ``alone``: no other delta
    waits with it. ``where`` says by reason in which columns, as far as each example names one.
    """

    delta_id: str
    rows: int
    reasons: Mapping[str, int]
    example: Example
    allowed: float
    lost: int = 0
    alone: bool = True
    where: Mapping[str, str] = field(default_factory=dict)

    def error(self, table: str, quarantine: str) -> InputError:
        """The error to raise, once the quarantine is in its final place."""
        total = sum(self.reasons.values())
        commonest, count = next(iter(self.reasons.items()))
        detail = f" ({self.example.detail})" if self.example.detail else ""
        gone, rows = total + self.lost, self.rows + self.lost
        what = "lines are lost" if self.lost else "rows is rejected" if total == 1 else "rows are rejected"
        rejects = f"{gone:,} of its {rows:,} {what}"
        often = "" if count == total else f"{count:,} times "
        each = ", ".join(
            f"{'' if number == total else f'{number:,}× '}{reason}{self.where.get(reason, '')}"
            for reason, number in self.reasons.items()
        )
        return InputError(
            f"delta {self.delta_id!r} of table {table!r} is refused, and nothing was applied: {rejects} "
            f"({gone / rows:.1%}, allowed are {self.allowed:.1%}): {often}{commonest}, "
            f"first at {self.example.file}, line {self.example.line}{detail}: {_begun(self.example.row)}",
            gist=f"{'' if self.alone else f'of {self.delta_id} '}{rejects} ({each})",
            where=f"the rejects are in {quarantine}",
            remedy="; ".join([_MENDED, *(said for reason, said in _MEANT.items() if reason == commonest)]),
        )


def _begun(row: str) -> str:
    """The beginning of a row's first line: a quote that is opened by mistake makes a row of thousands."""
    first, more, _ = row.partition("\n")
    return f"{first[:_SHOWN]}…" if more or len(first) > _SHOWN else first


def refusal(delta_ids: Sequence[str], sizes: Mapping[int, int], tally: Tally, allowed: float) -> Refusal | None:
    """The first delta with a larger share of rejects than allowed, or None.

    Args:
        delta_ids: the deltas, in order.
        sizes: rows per delta, by its number.
        tally: the result of the deltas.
        allowed: the largest share of rejects, 0 to 1.
    """
    for step, delta_id in enumerate(delta_ids):
        reasons = Counter({reason: n for (s, reason), n in tally.rejects.items() if s == step})
        lost = tally.accounts.get(step, Account()).lost
        if reasons.total() + lost > allowed * (sizes.get(step, 0) + lost):
            ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
            first, alone = tally.examples[step, ranked[0][0]][0], len(delta_ids) == 1
            where = {reason: where_rejected(tally, reason) for reason in reasons}
            return Refusal(delta_id, sizes[step], dict(ranked), first, allowed, lost, alone, where)
    return None
