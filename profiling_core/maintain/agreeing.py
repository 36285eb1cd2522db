"""The agree-set engine: FDs, UCCs and their errors of tables too wide for denial constraints (DynASt).

Its state is the compressed relation with the multiset of its agree sets, as plain arrays. A delta's rows are compared
with all of them on the driver: what wide tables have many of is columns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets, predicate_masks
from profiling_core.algorithms.dependencies.covers.dependency_cover import DependencyCover
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.algorithms.evidence.keys import summed
from profiling_core.algorithms.values.dictionaries import Arrays
from profiling_core.algorithms.values.encoding import columns_of
from profiling_core.maintain import engine_results
from profiling_core.maintain.covers import bounds_of
from profiling_core.maintain.engine import EngineResult, EngineStep, StatePart
from profiling_core.maintain.state_files import of_this_release, read_arrays, write_arrays
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.version import FileRef
from profiling_core.spark.rows import Rows
from profiling_core.state.store import Store

ROLE = "agree_sets"
_COVER = "cover_"


@dataclass(frozen=True)
class AgreeingEngine:
    """Keeps the agree sets of all pairs of rows: FDs and UCCs, exact and approximate, of hundreds of columns."""

    role: str = ROLE
    denies: bool = False

    def advance(self, step: EngineStep) -> EngineResult:
        """Counts the agree sets that the delta's rows bring and take; what follows from them is found once after it."""
        engine = AgreeSetEngine(_state(step), bounds_of(step.options, step.space))
        cover = engine.cover()
        found = [*engine.functional_dependencies(), *engine.unique_column_combinations()]
        files = write_arrays(step.files, ROLE, {**engine.state.arrays(), **cover_arrays(cover)}, {})
        return standing(step, files, engine.state.agree_sets(), found)

    def parts(self, store: Store, files: Sequence[FileRef], table: str, space: PredicateSpace) -> Iterator[StatePart]:
        """The multiset of agree sets, and the minimal dependencies with their figures."""
        arrays = read_state(store, files, table)
        agree = AgreeSetState.from_arrays(arrays, space).agree_sets()
        yield agree_set_part(agree)
        yield dependency_part(arrays)


def standing(
    step: EngineStep, files: tuple[FileRef, ...], agree: AgreeSets, dependencies: Sequence[Measured[RowConstraint]]
) -> EngineResult:
    """What agree sets and the dependencies found in them come to after a step."""
    found = [m.constraint for m in dependencies]
    return engine_results.by_pairs(step, files, {"agree_sets": len(agree)}, found, predicate_masks(agree, step.space))


def agree_set_part(agree: AgreeSets) -> StatePart:
    """Agree sets as something to compare with discovery."""
    return StatePart("agree sets", _comparable(agree), f"{len(agree):,} agree sets of {agree.population // 2:,} pairs")


def read_state(store: Store, files: Sequence[FileRef], table: str) -> Arrays:
    """The arrays that these files hold for a table."""
    own = [file for file in files if (file.table, file.role) == (table, ROLE)]
    return {name: np.asarray(array) for name, (_, array) in read_arrays(store, own).items()}


def _state(step: EngineStep) -> AgreeSetState:
    columns = [ROW_ID, *columns_of(step.space)]
    inserted, ids = rows_of(step.rows.coming, columns)
    if step.before is None:
        return AgreeSetState.bootstrapped(inserted, ids, step.space)
    with of_this_release(step.before, step.files.table):
        state = AgreeSetState.from_arrays(read_state(step.files.store, step.before.files, step.files.table), step.space)
    state.apply(rows_of(step.rows.going, [ROW_ID])[1], inserted, ids)
    return state


def rows_of(rows: Rows, columns: Sequence[str]) -> tuple[pa.Table, list[int]]:
    """Some columns of rows and their ids, which are the first column asked for."""
    table = rows.read(columns)
    return table, table[ROW_ID].to_pylist()


def dependency_part(arrays: Arrays) -> StatePart:
    """The cover among arrays of an engine's state as something to compare with discovery."""
    cover = {name: array.tobytes() for name, array in arrays.items() if name.startswith(_COVER)}
    return StatePart("dependencies", cover, f"{len(arrays[_COVER + 'rhs']):,} minimal dependencies")


def cover_arrays(cover: DependencyCover) -> Arrays:
    """A cover as arrays of an engine's state."""
    return {
        f"{_COVER}lhs": cover.lhs,
        f"{_COVER}rhs": cover.rhs,
        f"{_COVER}violations": cover.violations,
        f"{_COVER}support": cover.support,
    }


def _comparable(agree: AgreeSets) -> object:
    keys, counts = summed(np.concatenate([agree.equal, agree.different], axis=1), agree.counts)
    return keys.tobytes(), counts.tobytes()
