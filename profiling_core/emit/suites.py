"""Suites as files: per table what holds, and per run what changed.

``<artifacts>/<dataset>/suites/<table>.json`` always speaks of the newest version, so that its history in version
control is the history of the rules. ``<artifacts>/<dataset>/changes/<version>/<table>.json`` is one run's change suite,
which the validation executes. Figures that move with every delta stay out, or each day would look like a change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any, Self

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.expectations import expectation, stable_id
from profiling_core.emit.files import to_bytes, write_atomically
from profiling_core.emit.loading import suite_from
from profiling_core.emit.setting import Setting
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition
from profiling_core.model.constraint import Measured
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import TableSchema

_IN_FORCE = (LifecycleState.ACTIVE, LifecycleState.VIOLATED)
_EXECUTED = (
    Transition.BROKE,
    Transition.RECOVERED,
    Transition.APPEARED,
    Transition.ERROR_JUMPED,
    Transition.ERROR_CHANGED,
)


@dataclass(frozen=True, slots=True)
class EmittedSuite:
    """One suite file. ``path`` is relative to the artifacts directory; ``left_out`` says why something is not in it."""

    table: str
    path: str
    expectations: int
    is_new: bool
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EmittedSuites:
    """What one run wrote: a suite per table, and a change suite per table in which something changed."""

    dataset: str
    version: int
    tables: tuple[EmittedSuite, ...]
    changes: tuple[EmittedSuite, ...]

    @property
    def is_quiet(self) -> bool:
        """Whether no changed constraint needs to be executed."""
        return not self.changes

    def to_json(self) -> dict[str, Any]:
        """The list of suites as plain JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`."""
        lists = {
            name: tuple(
                EmittedSuite(**{**suite, "left_out": tuple((text, why) for text, why in suite["left_out"])})
                for suite in data[name]
            )
            for name in ("tables", "changes")
        }
        return cls(data["dataset"], data["version"], **lists)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A constraint on its way into a suite."""

    measured: Measured
    meta: Mapping[str, Any]
    tolerance: float


def emit_suites(  # noqa: PLR0913 - the step's inputs, as the pipeline has them
    artifacts_dir: Path,
    dataset: str,
    version: int,
    tracked: Sequence[Tracked],
    changes: ChangeSet,
    schemas: Mapping[str, TableSchema],
    *,
    config: DatasetConfig,
    most_changes: int = 10,
    most_appeared: int = 3,
) -> EmittedSuites:
    """Writes every table's suite and the run's change suites; the same inputs write the same bytes.

    Args:
        artifacts_dir: the directory that holds one folder per dataset.
        dataset: its name.
        version: the version that the figures are of.
        tracked: the constraints that are followed; those active or violated make the suites.
        changes: what the run changed; those of tracked constraints make the change suites.
        schemas: per table, its columns.
        config: the tables' null semantics.
        most_changes: at most so many expectations in a change suite, since each costs Spark jobs.
        most_appeared: at most so many of them for constraints that merely appeared.

    Raises:
        StateError: Great Expectations does not load everything that was written.
    """
    followed = {record.fingerprint: record for record in tracked}
    tables, changed = [], []
    for table in sorted(schemas):
        setting = Setting(dataset, schemas, config.nulls_of(table), as_text=config.values == "text")
        entries = [_entry_of(record) for record in tracked if record.table == table and record.state in _IN_FORCE]
        path = Path(dataset, "suites", f"{table}.json")
        tables.append(_write(artifacts_dir, path, f"{dataset}.{table}", table, setting, entries))
        chosen, late = _worth_executing(changes.of(table), followed, most_changes, most_appeared)
        if chosen:
            path = Path(dataset, "changes", str(version), f"{table}.json")
            entries = [_entry_of_change(change, followed) for change in chosen]
            refused = [(c.measured.constraint.text, "beyond what one run executes") for c in late]
            name = f"{dataset}.{table}.changes.{version}"
            changed.append(_write(artifacts_dir, path, name, table, setting, entries, refused))
    return EmittedSuites(dataset, version, tuple(tables), tuple(changed))


def _entry_of(record: Tracked) -> _Entry:
    return _Entry(record.measured, _meta(record.measured, record.since, record.state.value), record.threshold)


def _entry_of_change(change: Change, followed: Mapping[str, Tracked]) -> _Entry:
    measured = change.measured
    record = followed.get(measured.constraint.fingerprint)
    meta = _meta(measured, change.since, change.transition.value) | {
        "error": measured.error,
        "violations": measured.violations,
        "population": measured.population,
        "support": measured.support,
        "held_deltas": change.held_deltas,
    }
    return _Entry(measured, meta, record.threshold if record else 0.0)


def _meta(measured: Measured, since: str, state: str) -> dict[str, Any]:
    """``support`` is rounded down to a power of ten: its last digits move with every row that arrives."""
    magnitude = 10 ** (len(str(measured.support)) - 1) if measured.support else 0
    return {"since": since, "state": state, "support_at_least": magnitude, "holds_exactly": measured.holds}


def _worth_executing(
    changes: Iterable[Change], followed: Mapping[str, Tracked], most: int, most_appeared: int
) -> tuple[list[Change], list[Change]]:
    """Changes of constraints that people see, the ones that alert first; and those that are too many."""
    seen = [
        change
        for change in changes
        if change.transition in _EXECUTED
        and (change.alerts or change.rank is not None or change.measured.constraint.fingerprint in followed)
    ]
    last = 1_000_000
    seen.sort(key=lambda c: (not c.alerts, _EXECUTED.index(c.transition), c.rank or last, c.measured.constraint.text))
    appeared = [change for change in seen if change.transition is Transition.APPEARED]
    others = [change for change in seen if change.transition is not Transition.APPEARED]
    room = min(most_appeared, max(0, most - len(others)))
    return others[:most] + appeared[:room], others[most:] + appeared[room:]


def _write(
    artifacts_dir: Path,
    path: Path,
    name: str,
    table: str,
    setting: Setting,
    entries: Sequence[_Entry],
    left_out: Sequence[tuple[str, str]] = (),
) -> EmittedSuite:
    expectations, refused = [], list(left_out)
    in_order = sorted(entries, key=lambda e: (e.measured.constraint.kind, e.measured.constraint.text))
    for entry in in_order:
        constraint = entry.measured.constraint
        try:
            expectations.append(expectation(constraint, setting, entry.meta, tolerance=entry.tolerance))
        except InexpressibleError as error:
            refused.append((constraint.text, error.what))
    content = to_bytes(_suite(name, table, setting.dataset, expectations, refused))
    file = artifacts_dir / path
    is_new = not (file.is_file() and file.read_bytes() == content)
    if is_new:
        # before it is written: whatever stands in a file has been loaded once, whenever a run dies
        if expectations:
            suite_from(content, str(file))
        write_atomically(file, content)
    return EmittedSuite(table, str(path), len(expectations), is_new, tuple(refused))


def _suite(
    name: str, table: str, dataset: str, expectations: Sequence[Mapping[str, Any]], refused: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    return {
        "name": name,
        "id": stable_id(dataset, "suite", name),
        "expectations": list(expectations),
        "meta": {
            "great_expectations_version": installed_version("great_expectations"),
            "holdfast": {
                "dataset": dataset,
                "table": table,
                "left_out": [{"constraint": text, "why": why} for text, why in refused],
            },
        },
        "notes": None,
        "suite_parameters": {},
    }
