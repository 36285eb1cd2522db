"""Covers of denial constraints as engines keep them, in files and to be compared; bounds of dependencies."""

from collections.abc import Sequence

import pyarrow as pa

from profiling_core.algorithms.denial import cover
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.maintain.engine import StatePart
from profiling_core.maintain.state_files import read_table
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.dataset import TableConfig
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.state.store import Store

COVER, MAXIMAL = "cover", "maximal-cover"
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


def bounds_of(options: TableConfig) -> CoverBounds:
    """What of a table's FDs and UCCs is kept: k predicates are k − 1 columns on the left of an FD, and k of a UCC."""
    bound = options.max_predicates or None
    return CoverBounds(bound - 1 if bound else None, bound, options.errors.fd, options.errors.ucc)
