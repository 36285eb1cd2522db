"""Orders within a row that hold in a feed's first deltas: which break on clean days, and which errors are news.

``PYTHONPATH=tests python -m benchmarks.signal_orders`` looks for them as the product does in the first 28 deltas of a
feed, and judges the breaks alone (``algorithms/rules/margins.py``): the first one of up to 112 clean deltas more, and
in the next delta one row whose two values have changed places, or whose lesser one is multiplied by 100 or 2.54, where
that breaks the order; 20 rows each.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from benchmarks.signal_feeds import FEEDS, feed, typed
from benchmarks.signal_scores import FIRST
from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.columns.orders import joined, never_above, orders
from profiling_core.algorithms.conditions.row_orders import row_order
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.margins import LowsAndHighs, is_by_chance
from profiling_core.algorithms.rules.order_names import is_named_so
from profiling_core.algorithms.rules.orders import find_orders
from profiling_core.maintain import false_alarms
from profiling_core.maintain.false_alarms import pairs_of
from profiling_core.model.schema import TableSchema

_LAST = 140
# One table with twenty constraints that are asked.
ONCE_IN = 20.0 * false_alarms.ONE_IN
_ROWS = 20


def found_in(tables: Sequence[pa.Table], schema: TableSchema) -> Iterator[tuple[str, str]]:
    """The orders of two numbers whose names do not tell that they are one, the lesser first."""
    every = pa.concat_tables(tables)
    roles = infer_roles(every, schema, {})
    known = [row_order(c.constraint) for c in find_orders(CodedTable.of(every, schema, roles), Budget.of(30))]
    above: dict[str, dict[str, int]] = {}
    for table in tables:
        above = joined(above, orders(table, schema))
    pairs = {(order.low, order.high) for order in known if order}
    pairs |= {(a, b) for a in schema.names for b in never_above(above, a) if roles[a].compares_by_order(roles[b])}
    for low, high in sorted(pairs):
        if not roles[low].role.is_temporal and not is_named_so(low, high, tuple(schema.names)):
            yield low, high


def errors(rows: LowsAndHighs, seed: str) -> Iterator[tuple[str, LowsAndHighs]]:
    """A delta's rows with one wrong row each."""
    for kind, factor in (("exchanged", 0.0), ("times 100", 100.0), ("times 2.54", 2.54)):
        rng = random.Random(f"{kind} {seed}")
        for place in rng.sample(range(len(rows.lows)), min(_ROWS, len(rows.lows))):
            low, high = rows.lows.copy(), rows.highs.copy()
            low[place], high[place] = (low[place] * factor, high[place]) if factor else (high[place], low[place])
            if low[place] > high[place]:
                yield kind, LowsAndHighs(low, high)


def main() -> None:
    """Prints what breaks, per feed, and what is told of errors."""
    counts: Counter[tuple[str, bool]] = Counter()
    for name in sys.argv[1:] or FEEDS:
        of = feed(name)
        tables = [typed(of.deltas[label], of.schema)[0] for label in [*of.deltas][:_LAST]]
        for low, high in found_in(tables[:FIRST], of.schema):
            parts = [pairs_of(table.select([low, high])) for table in tables]
            known = _together(parts[:FIRST])
            for kind, wrong in errors(parts[FIRST], f"{name} {low} {high}"):
                counts[kind, not is_by_chance(known, wrong, strict=False, once_in=ONCE_IN)] += 1
            later = (i for i in range(FIRST, len(parts)) if (parts[i].lows > parts[i].highs).any())
            place = next(later, None)
            if place is not None:
                silent = is_by_chance(_together(parts[:place]), parts[place], strict=False, once_in=ONCE_IN)
                counts["clean", not silent] += 1
                sys.stdout.write(f"{name} {[*of.deltas][place]}: {low} ≤ {high} {'silent' if silent else 'told'}\n")
    for kind in dict.fromkeys(kind for kind, _ in counts):
        sys.stdout.write(f"{kind}: {counts[kind, True]} of {counts[kind, True] + counts[kind, False]} told\n")


def _together(parts: Sequence[LowsAndHighs]) -> LowsAndHighs:
    return LowsAndHighs(*(np.concatenate(values) for values in zip(*parts, strict=True)))


if __name__ == "__main__":
    main()
