"""Covers of denial constraints as engines keep them, in files and to be compared; bounds of dependencies."""

from collections.abc import Sequence
from math import comb

import pyarrow as pa

from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.maintain.engine import StatePart
from profiling_core.maintain.state_files import read_table
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.dataset import TableConfig
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.state.store import Store

COVER, MAXIMAL = "cover", "maximal-cover"
# The most predicates of a constraint if none are configured, and the most FDs and UCCs of one length that there may be
# then. Of three wide tables (200 to 1,200 columns) 4 to 11 % of these were minimal and held; each costs 50 µs later.
USUAL_LENGTH, MOST_DEPENDENCIES = 4, 5_000_000
Cover = list[tuple[int, ...]]


def cover_table(dcs: Cover) -> pa.Table:
    """A cover as an Arrow table: predicate indices into its space."""
    return pa.table({"predicates": pa.array([list(dc) for dc in dcs], pa.list_(pa.int32()))})


def cover_part(dcs: Cover, which: str) -> StatePart:
    """A cover, in words ``which``, as something to compare with discovery."""
    return StatePart("cover", sorted(dcs), f"{len(dcs):,} {which} denial constraints")


def cover_of(store: Store, files: Sequence[FileRef], table: str) -> Cover:
    """The cover that these files hold for a table, whichever it is."""
    stored = read_table(store, [f for f in files if f.table == table and f.role in (COVER, MAXIMAL)])
    return [tuple(dc) for dc in stored["predicates"].to_pylist()]


def reduced_constraints(dcs: Sequence[tuple[int, ...]], space: PredicateSpace) -> list[DenialConstraint]:
    """The reduced cover that a set-minimal or a maximal cover gives."""
    return cover.constraints(cover.reduced_cover(dcs, space), space)


def most_predicates(options: TableConfig, space: PredicateSpace) -> int | None:
    """The length up to which constraints are kept, in predicates (docs/semantics.md); None: any.

    It follows from the number of columns that are compared, so that no delta changes it.
    """
    if options.max_predicates is not None:
        return options.max_predicates or None
    columns = len(columns_of(space))
    lengths = range(USUAL_LENGTH, 1, -1)
    return next((k for k in lengths if (k + 1) * comb(columns, k) <= MOST_DEPENDENCIES), 1)


def said_of_length(options: TableConfig, space: PredicateSpace) -> str:
    """What a new table of many columns is searched for, in words; empty where nobody is surprised by it."""
    bound, columns = most_predicates(options, space), len(columns_of(space))
    if options.max_predicates is not None or bound is None or bound >= USUAL_LENGTH:
        return ""
    return (
        f"{columns:,} columns: up to {(bound + 1) * comb(columns, bound):,} dependencies are looked at, and rules of "
        f"at most {bound} predicates are kept (max_predicates sets another length)"
    )


def bounds_of(options: TableConfig, space: PredicateSpace) -> CoverBounds:
    """What of a table's FDs and UCCs is kept: k predicates are k − 1 columns on the left of an FD, and k of a UCC."""
    bound = most_predicates(options, space)
    return CoverBounds(bound - 1 if bound else None, bound, options.errors.fd, options.errors.ucc)
