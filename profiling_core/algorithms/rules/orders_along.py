"""Orders between children and their parents, scored as orders within a row are: a child with its parent is one row."""

from collections.abc import Iterator, Sequence

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.references.computing import PairsOfRows, joined_rows
from profiling_core.algorithms.rules import orders
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.order_features import WORD, Pair
from profiling_core.model.kinds.relation import OF_PARENT, Beside

# Pairs that propose orders and are scored.
_PAIRS = 4_000
ALONG = "along"
"""The feature of orders along a reference, and what begins the name of each that means something else there."""
Features = dict[str, float]


def candidates(
    joined: PairsOfRows, columns: tuple[Sequence[str], Sequence[str]], budget: Budget
) -> Iterator[tuple[Beside, Features]]:
    """All orders that hold in some pairs, each with the features of its score.

    Args:
        joined: the pairs.
        columns: those of either side that are no part of the reference, and that no child has from its parent.
        budget: when to end with what there is.
    """
    own, others = ([n for n in side if n in roles] for side, roles in zip(columns, joined.roles, strict=True))
    if not own or not others or not len(joined.pairs[0]):
        return
    rows, schema, roles = joined_rows(joined, (own, others), _PAIRS)
    table = CodedTable.of(rows, schema, roles)
    for pair, told in orders.candidates(table, budget, across=OF_PARENT):
        along = {f"{ALONG}: {name}": value for name, value in told.items() if not name.startswith(WORD)}
        yield _relation(pair), told | along | {ALONG: 1.0}


def _relation(pair: Pair) -> Beside:
    """The order of a child's column and its parent's."""
    if pair.low.startswith(OF_PARENT):
        return Beside(pair.high, "≥", pair.low.removeprefix(OF_PARENT))
    return Beside(pair.low, "≤", pair.high.removeprefix(OF_PARENT))
