"""Feeds before the judges of loads and the rules of columns by themselves: in one process, without Spark.

Constraints of several columns, lifecycles and incidents have no part in it. So it says which figures speak, in minutes.
Numbers beyond a bound and orders of two numbers are asked about as the product does: whether chance explains them.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from benchmarks.signal_feeds import Feed, Row, typed
from benchmarks.signal_product import Heard
from benchmarks.signal_scores import FIRST, Outcome, Trials, replayed_alone
from profiling_core.algorithms.batch_anomalies.anomaly import EVERYBODY, Anomaly
from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.algorithms.batch_anomalies.judging import judged
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.columns.arrivals import Arrived
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.kept_rules import ColumnBook, Kept
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.algorithms.conditions.row_orders import order_asked
from profiling_core.algorithms.rules.order_names import is_named_so
from profiling_core.algorithms.rules.reach import is_within_reach
from profiling_core.algorithms.values.margins import is_by_chance
from profiling_core.diff.causes import by_cause
from profiling_core.maintain.false_alarms import FIRST_ROWS, one_in, pairs_of
from profiling_core.model.alert_budget import USUAL_PER_MONTH, AlertBudget
from profiling_core.model.finding import CONSTRAINT, Evidence, Finding
from profiling_core.model.types import TypeClass

NUMBER = "row_number"
_ACTIVE = 7


def replayed_in_process(of: Feed, days: int, with_errors: int, made: Trials) -> Outcome:
    """A feed's loads one by one, those after the first heard, some of them with errors before."""
    state = (LoadHistory(), ColumnBook(TableHistory.empty(of.schema)))
    return replayed_alone(of, days, with_errors, made, partial(_heard, of), state)


def _is_by_chance(of: Feed, label: str, rows: pa.Table, kept: Kept, book: ColumnBook) -> bool:
    """Whether a number is no further out, or an order no better kept, than the rows so far let one expect."""
    limits, order, schema = kept.rule.limits, order_asked(kept.rule), of.schema
    before = [row for other, some in of.deltas.items() if other < label for row in some]
    known = typed(before[:FIRST_ROWS], schema)[0]
    once_in = one_in([known.rule for known in book.kept], AlertBudget(USUAL_PER_MONTH))
    if order is not None and not is_named_so(order.low, order.high, schema.names):
        types = {schema.column(name).type.type_class for name in (order.low, order.high)}
        sides = (pairs_of(some.select([order.low, order.high])) for some in (known, rows))
        return types == {TypeClass.NUMERIC} and is_by_chance(*sides, strict=order.strict, once_in=once_in)
    if limits is None or schema.column(limits.column).type.type_class is TypeClass.TEMPORAL:
        return False
    kind = schema.column(limits.column).type
    return is_within_reach(limits, kind, known, rows.select([limits.column]), once_in)


def _heard(of: Feed, label: str, load: Sequence[Row], state: tuple[LoadHistory, ColumnBook]):
    rows, good, rejected = typed(load, of.schema)
    history, book = state
    audience = replace(EVERYBODY, listens=len(history.loads) >= FIRST)
    odd, after = judged(label, profile(rows, of.schema), history, of.schema, audience)
    found: list[Finding] = []
    for one in odd:
        named = [good[i] for i in np.flatnonzero(one.suspect_rows(rows))] if one.suspect_rows else []
        found.append(_finding(one, label, named, len(rows)))
    numbered = rows.append_column(NUMBER, pa.array(good, pa.int64()))
    followed = {kept.rule.fingerprint for kept in book.kept}
    came = Arrived((label,), [lambda: [(label, numbered)] if len(rows) else []])
    book_after, broken = advance(book, came, of.schema, followed)
    before = {kept.rule.fingerprint: kept for kept in book.kept}
    for name, violated in broken.items():
        kept = before[name]
        if kept.age >= _ACTIVE and not kept.violations and not _is_by_chance(of, label, rows, kept, book):
            shown = [n for t in violated.examples for n in t[NUMBER].to_pylist()]
            found.append(_broken(kept, label, shown, violated.rows, len(rows)))
    heard = _by_cause(found)
    if rejected:
        heard["rejects"] = Heard("rejects", rejected, len(rejected))
    return heard, (after, book_after)


def _finding(odd: Anomaly, label: str, named: Sequence[int], came: int) -> Finding:
    said = (odd.kind, "feed", label, odd.headline, odd.columns, odd.cause, odd.details)
    whole = {"magnitude": odd.magnitude, "subject": odd.subject, "whole_load": odd.whole_load, "size": odd.size}
    return Finding(
        *said, _evidence(named), len(named), came, values=odd.values, explains=odd.explains, again=odd.again, **whole
    )


def _broken(kept: Kept, label: str, shown: Sequence[int], count: int, came: int) -> Finding:
    """A broken rule as the product words it, and as surely as a rule of one column names the wrong cell."""
    rule = kept.rule
    rows = f"all {came:,} new rows" if came == count > 1 else f"{count:,} of {came:,} new rows" if count else ""
    sure = 1.0 if len(rule.columns) == 1 and rule.limits is None and not rule.of_deltas else 0.0
    said = (CONSTRAINT, "feed", label, rule.fault(rows, one=count == 1), rule.telling, "", (), _evidence(shown), count)
    return Finding(*said, came, sure, rule.fingerprint)


def _evidence(rows: Sequence[int]) -> tuple[Evidence, ...]:
    return tuple(Evidence({}, identity=str(number)) for number in rows)


def _by_cause(found: Sequence[Finding]) -> dict[str, Heard]:
    """What is told, the diagnosis of each cause before what follows from it."""
    return {
        " ".join(one.identity): Heard(
            f"{one.kind}: {one.headline}", frozenset(int(row.identity) for row in one.rows), one.count
        )
        for group in by_cause([finding for finding in found if not finding.again])
        for one in group
    }
