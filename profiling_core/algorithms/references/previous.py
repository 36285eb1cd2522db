"""The row before each row of a sequence, in its parent's place (docs/semantics.md, "Rules along a sequence")."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.conditions.counting import group_codes
from profiling_core.algorithms.conditions.judging import there
from profiling_core.algorithms.equations.judging import Judged
from profiling_core.algorithms.ground.row_figures import RowFigures, changed, measured
from profiling_core.algorithms.references.joining import Keys, Positions, Sides, pairs
from profiling_core.algorithms.references.judging import judge_pairs
from profiling_core.algorithms.values.encoding import shared_codes
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.sequence import SequenceRule


def previous(rows: pa.Table, group: Sequence[str], by: str) -> tuple[Positions, Positions]:
    """The positions of each row and of each row before it; rows with a null in these columns take no part."""
    places = np.flatnonzero(np.logical_and.reduce([there(rows[name]) for name in (*group, by)]))
    if not len(places):
        return places, places
    own = rows.select([*group, by]).take(pa.array(places))
    of = group_codes([own[name] for name in group]) if group else np.zeros(len(places), np.int64)
    order = shared_codes([own[by]], ordered=True)[0]
    turn = np.lexsort((order, of))
    new_group = np.diff(of[turn], prepend=-1) != 0
    # A place of a sequence is one value of the order within a group; each follows the one before it.
    place = np.cumsum(new_group | (np.diff(order[turn], prepend=-1) != 0)) - 1
    begins = np.zeros(place[-1] + 1, np.bool_)
    begins[place[new_group]] = True
    before = np.where(begins[place], -1, place - 1)
    child, parent = pairs(Keys(before, place))
    return places[turn[child]], places[turn[parent]]


def judge(rule: SequenceRule, rows: pa.Table) -> tuple[tuple[Positions, Positions], Judged]:
    """The pairs of rows and rows before them, and how the rule judges each."""
    joined = previous(rows, rule.group, rule.by)
    return joined, judge_pairs(rule.step, Sides(rows, rows), joined)


def _figures(rule: SequenceRule, parts: Sequence[pa.Table]) -> RowFigures:
    if not parts:
        return RowFigures(0, 0)
    return RowFigures.of(*judge(rule, pa.concat_tables(part.select(list(rule.columns)) for part in parts))[1])


def count(rule: SequenceRule, rows: pa.Table) -> Measured[SequenceRule]:
    """The rule with its figures on a table."""
    return measured(rule, _figures(rule, [rows]))


def recount(
    before: Measured, rule: SequenceRule, come: Iterable[pa.Table], go: Iterable[pa.Table], beside: pa.Table | None
) -> Measured[SequenceRule]:
    """The rule with its figures after rows have come and gone.

    Args:
        before: its figures on the rows so far.
        rule: the rule.
        come: the rows that come.
        go: the rows that go.
        beside: the rows that stay and agree on the rule's group with one of these.
    """
    stay = [] if beside is None else [beside]
    return changed(rule, before, [_figures(rule, [*stay, *come])], [_figures(rule, [*stay, *go])])
