"""The inclusions of one length (arity), from one version to the next.

Each length has a generator and clusters of its own; with several columns, combinations of values take the values'
place. Attributes come and go between versions; entries of one that went are passed over from then on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from profiling_core.algorithms.inclusions.attribute_clustering import Attribute, Coverage, coverage, measured, sides_of
from profiling_core.algorithms.inclusions.foreign_keys import InclusionSide
from profiling_core.algorithms.inclusions.orphan_values import Inclusion, Orphans
from profiling_core.algorithms.inclusions.value_clusters import Clusters, combine
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.maintain.inclusion_rows import RowSources
from profiling_core.maintain.inclusion_state import (
    GeneratorOptions,
    NextState,
    generator_of,
    new_generator_folder,
    publish_state,
    read_state,
    with_attributes,
)
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.version import FileRef
from profiling_core.spark.generator import advance
from profiling_core.spark.generator_log import advance_by_log
from profiling_core.spark.value_counts import cells

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class LevelFigures:
    """What the attributes of one version share, and so the figures of any inclusion between them.

    ``attributes`` and ``shared`` go together; ``stored`` are the attributes' ids in the state.
    """

    attributes: Sequence[Attribute]
    shared: Coverage
    stored: Sequence[int]
    places: Mapping[ColumnList, int]

    @classmethod
    def of(cls, clusters: Clusters, stored: Sequence[Attribute | None], wanted: Sequence[Attribute]) -> "LevelFigures":
        """The figures of the wanted ones of the stored attributes, in their order."""
        ids = {attribute: i for i, attribute in enumerate(stored) if attribute}
        chosen = [attribute for attribute in wanted if attribute in ids]
        place = {ids[attribute]: i for i, attribute in enumerate(chosen)}
        renumbered = {tuple(place[i] for i in key): counts for key, counts in clusters.counts.items()}
        return cls(
            chosen,
            coverage(Clusters(renumbered), len(chosen)),
            [ids[attribute] for attribute in chosen],
            {ColumnList(a.table, a.columns): i for i, a in enumerate(chosen)},
        )

    def knows(self, inclusion: InclusionDependency) -> bool:
        """Whether both sides are attributes."""
        return inclusion.lhs in self.places and inclusion.rhs in self.places

    def pair(self, inclusion: InclusionDependency) -> Inclusion:
        """The inclusion by the ids that its sides have in the state."""
        return Inclusion(self.stored[self.places[inclusion.lhs]], self.stored[self.places[inclusion.rhs]])

    def lists_of(self, column: ColumnList) -> list[InclusionDependency]:
        """The inclusions of a column in keys of other tables with which it shares values."""
        if column not in self.places:
            return []
        own = self.places[column]
        distinct, rows = np.diagonal(self.shared.values), np.diagonal(self.shared.rows)
        keys = np.flatnonzero((self.shared.values[own] > 0) & (distinct == rows))
        listing = (self.attributes[key] for key in keys.tolist())
        return [
            InclusionDependency(column, ColumnList(key.table, key.columns))
            for key in listing
            if key.table != column.table and key.comparable == self.attributes[own].comparable
        ]

    def measure(self, inclusion: InclusionDependency) -> Measured[InclusionDependency]:
        """The figures of an inclusion that it knows."""
        return measured(self.shared, self.attributes, self.places[inclusion.lhs], self.places[inclusion.rhs])

    @property
    def sides(self) -> dict[ColumnList, InclusionSide]:
        """Per side its distinct values and the rows that hold them."""
        return sides_of(self.shared, self.attributes)


@dataclass(frozen=True)
class LevelRun:
    """The inputs that the maintenance of inclusions of every length shares."""

    spark: "SparkSession"
    sources: RowSources
    values: Values
    run_id: str
    options: GeneratorOptions


@dataclass(frozen=True)
class Level:
    """One length in the next version: its state files, its figures, and the followed inclusions that got worse.

    ``listed`` are the columns asked about whose new values are all in a key of another table.
    """

    files: tuple[FileRef, ...]
    figures: LevelFigures
    worse: tuple[tuple[InclusionDependency, Orphans], ...]
    listed: tuple[ColumnList, ...] = ()


def maintain_level(
    run: LevelRun,
    arity: int,
    wanted: Sequence[Attribute],
    followed: Sequence[InclusionDependency],
    asked: Sequence[ColumnList] = (),
) -> Level:
    """Brings the inclusions of one length to the next version.

    Args:
        run: where rows and state are.
        arity: the number of columns on a side.
        wanted: the attributes that the next version is to have.
        followed: inclusions to explain where they got worse.
        asked: columns of whose new values it is asked whether another table lists them.

    Raises:
        StateError: the version's state is damaged, or does not fit the configuration or the deltas.
    """
    store = run.sources.store
    renewed = run.sources.rewritten if run.values == "text" else frozenset()  # another type, another text
    before, attributes = with_attributes(read_state(store, run.sources.version, run.values, arity), wanted, renewed)
    born = [i for i, a in enumerate(attributes) if a and (i >= len(before.attributes) or before.attributes[i] is None)]
    rows = run.sources.of(attributes, born)
    generator = generator_of(store, before, cells(rows), run.options)
    old = LevelFigures.of(before.clusters, before.attributes, wanted)
    known = [inclusion for inclusion in followed if old.knows(inclusion)]
    folder = new_generator_folder(store, run.run_id, arity)
    lists = [inclusion for column in asked for inclusion in old.lists_of(column)]
    pairs = [old.pair(inclusion) for inclusion in (*known, *lists)]
    step = advance_by_log if generator.is_small else partial(advance, run.spark)
    done = step(generator, rows, folder, pairs)
    clusters = combine([(before.clusters, 1), (done.change, 1)])
    new = LevelFigures.of(clusters, attributes, wanted)
    worse = [
        (inclusion, orphans)
        for inclusion, orphans in zip(known, done.orphans, strict=False)
        if new.measure(inclusion).violations > old.measure(inclusion).violations
    ]
    files = publish_state(store, run.run_id, before, NextState(generator, attributes, clusters), folder)
    return Level(files, new, tuple(worse), _listed(lists, done.orphans[len(known) :]))


def _listed(lists: Sequence[InclusionDependency], orphans: Sequence[Orphans]) -> tuple[ColumnList, ...]:
    """The columns that have no new value without a partner in one of the lists."""
    told = zip(lists, orphans, strict=True)
    return tuple(dict.fromkeys(inclusion.lhs for inclusion, lost in told if lost.are_known_values))
