"""Suites as files: per table what holds, and per run what changed.

``<artifacts>/<dataset>/suites/<table>.json`` always speaks of the newest version, so that its history in version
control is the history of the rules. ``<artifacts>/<dataset>/changes/<version>/<table>.json`` is one run's change suite,
which the validation executes, with each constraint's figures before and after. Figures that move with every delta would
make each day look like a change: in a table's suite they are those of the version in which the constraint came into
its present state, rounded to their magnitude.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version as installed_version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import Dialect
from profiling_core.emit.expectations import expectation, stable_id
from profiling_core.emit.files import to_bytes
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.loading import suite_from
from profiling_core.emit.setting import Setting
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition
from profiling_core.model.constraint import Measured
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.extras import Extra
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored
from profiling_core.state.atomic import write_atomically

MOST_PAIRS = 2_000_000_000
IN_FORCE = (LifecycleState.ACTIVE, LifecycleState.RECOVERED, LifecycleState.VIOLATED)
_EXECUTED = (Transition.BROKE, Transition.RECOVERED, Transition.APPEARED, Transition.ERROR_JUMPED)


@dataclass(frozen=True, slots=True)
class EmittedSuite:
    """One suite file. ``path`` is relative to the artifacts directory; ``left_out`` says why something is not in it."""

    table: str
    path: str
    expectations: int
    is_new: bool
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EmittedSuites(Stored):
    """The suites of one run: one per table, and a change suite per table in which something changed."""

    dataset: str
    version: int
    tables: tuple[EmittedSuite, ...]
    changes: tuple[EmittedSuite, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite in the form that Great Expectations stores, and why something is not in it."""

    table: str
    document: Mapping[str, Any]
    left_out: tuple[tuple[str, str], ...]

    @property
    def expectations(self) -> Sequence[Mapping[str, Any]]:
        """Its expectations, as stored."""
        expectations: Sequence[Mapping[str, Any]] = self.document["expectations"]
        return expectations


@dataclass(frozen=True, slots=True)
class _Entry:
    """A constraint on its way into a suite."""

    measured: Measured
    meta: Mapping[str, Any]
    tolerance: float


@dataclass(frozen=True, slots=True)
class SuiteRequest:
    """The input of suites.

    Attributes:
        dataset: its name.
        version: the version that the figures are of.
        tracked: the constraints that are followed; those active or violated make the suites.
        changes: what the run changed; those of tracked constraints make the change suites.
        schemas: per table, its columns.
        config: the tables' null semantics.
        beginnings: by fingerprint, the constraints as they stood when their present states began; others as they are.
        severities: by fingerprint what people call violations; others go by their kinds.
        most_changes: the most expectations in a change suite, since each costs Spark jobs.
        most_appeared: the most of them for constraints that merely appeared.
    """

    dataset: str
    version: int
    tracked: Sequence[Tracked]
    changes: ChangeSet
    schemas: Mapping[str, TableSchema]
    config: DatasetConfig
    beginnings: Mapping[str, Tracked] = field(default_factory=dict)
    severities: Mapping[str, str] = field(default_factory=dict)
    most_changes: int = 10
    most_appeared: int = 3


def emit_suites(artifacts_dir: Path, asked: SuiteRequest) -> EmittedSuites:
    """Writes every table's suite and the run's change suites; the same inputs write the same bytes.

    Args:
        artifacts_dir: the directory that holds one folder per dataset.
        asked: what the suites are written of.

    Raises:
        StateError: Great Expectations does not load everything that was written.
    """
    tables, changed, dataset = [], [], asked.dataset
    for table in sorted(asked.schemas):
        setting = setting_of(asked.config, asked.schemas, table, severities=asked.severities)
        made = table_suite(setting, table, asked.tracked, asked.beginnings)
        tables.append(_write(artifacts_dir, Path(dataset, "suites", f"{table}.json"), made))
        made = change_suite(setting, table, asked.changes, asked.tracked, asked.most_changes, asked.most_appeared)
        if made.expectations or made.left_out:
            changed.append(_write(artifacts_dir, Path(dataset, "changes", str(asked.version), f"{table}.json"), made))
    return EmittedSuites(dataset, asked.version, tuple(tables), tuple(changed))


def setting_of(
    config: DatasetConfig,
    schemas: Mapping[str, TableSchema],
    table: str,
    dialect: Dialect = Dialect.SPARK,
    severities: Mapping[str, str] = MappingProxyType({}),
) -> Setting:
    """The setting that a table's suites are written against."""
    as_text, redacted = config.values == "text", config.redacted(table)
    return Setting(config.dataset, schemas, config.nulls_of(table), as_text, dialect, redacted, severities)


def table_suite(
    setting: Setting, table: str, tracked: Sequence[Tracked], beginnings: Mapping[str, Tracked] = MappingProxyType({})
) -> Suite:
    """The table's constraints that are active or violated, with the figures they began with."""
    own = [record for record in tracked if record.table == table and record.state in IN_FORCE]
    entries = [_entry_of(record, beginnings.get(record.fingerprint, record)) for record in own]
    return _suite(f"{setting.dataset}.{table}", table, setting, entries)


def change_suite(
    setting: Setting,
    table: str,
    changes: ChangeSet,
    tracked: Sequence[Tracked],
    most_changes: int = 10,
    most_appeared: int = 3,
) -> Suite:
    """What a run changed in a table among what people see, as far as a run executes it; the rest is named in it."""
    followed = {record.fingerprint: record for record in tracked}
    chosen, late = _worth_executing(changes.of(table), followed, most_changes, most_appeared)
    entries = [_entry_of_change(change, followed) for change in chosen]
    refused = [(c.measured.constraint.text, "beyond what one run executes") for c in late]
    versions = {"version": changes.version, "against": changes.version - 1}
    return _suite(f"{setting.dataset}.{table}.changes.{changes.version}", table, setting, entries, refused, versions)


def _entry_of(record: Tracked, begun: Tracked) -> _Entry:
    meta = _meta(begun, record.since, record.state.value) | {"ancestor": record.ancestor}
    error, support = begun.measured.error, begun.measured.support
    rounded = {"error": _magnitude(error, up=True), "support": int(_magnitude(support, up=False))}
    return _Entry(record.measured, meta | rounded, record.threshold)


def _entry_of_change(change: Change, followed: Mapping[str, Tracked]) -> _Entry:
    measured = change.measured
    record = followed.get(measured.constraint.fingerprint)
    meta = _meta(record, change.since, change.transition.value) | {
        **_figures(measured),
        "before": _figures(change.before) if change.before else None,
        "held_deltas": change.held_deltas,
    }
    return _Entry(measured, meta, record.threshold if record else 0.0)


def _meta(record: Tracked | None, since: str, state: str) -> dict[str, Any]:
    score = float(f"{record.score:.1g}") if record else None
    return {"ancestor": record.ancestor if record else "", "score": score, "since": since, "state": state}


def _figures(measured: Measured) -> dict[str, Any]:
    return {
        "error": measured.error,
        "population": measured.population,
        "support": measured.support,
        "violations": measured.violations,
    }


def _magnitude(figure: float, *, up: bool) -> float:
    """The power of ten next to a figure; zero for zero."""
    if not figure:
        return 0.0
    exponent = math.ceil(math.log10(figure)) if up else math.floor(math.log10(figure))
    return float(f"1e{exponent}")


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


def _is_too_much(measured: Measured, setting: Setting) -> bool:
    known = measured.constraint.familiar
    return form_of(known).scans_pairs(known, setting.schemas, setting.nulls) and measured.population > MOST_PAIRS


def _write(artifacts_dir: Path, path: Path, made: Suite) -> EmittedSuite:
    content = to_bytes(made.document)
    file = artifacts_dir / path
    is_new = not (file.is_file() and file.read_bytes() == content)
    if is_new:
        # before it is written: whatever stands in a file has been loaded once, whenever a run dies
        if made.expectations and Extra.GX.is_installed:
            suite_from(content, str(file))
        write_atomically(file, content)
    return EmittedSuite(made.table, str(path), len(made.expectations), is_new, made.left_out)


def _suite(
    name: str,
    table: str,
    setting: Setting,
    entries: Sequence[_Entry],
    left_out: Sequence[tuple[str, str]] = (),
    about: Mapping[str, Any] = MappingProxyType({}),
) -> Suite:
    expectations, refused = [], list(left_out)
    for entry in sorted(entries, key=lambda e: (e.measured.constraint.kind, e.measured.constraint.text)):
        constraint = entry.measured.constraint
        if _is_too_much(entry.measured, setting):
            refused.append((constraint.text, "it takes comparing every pair of rows, and the table has too many"))
            continue
        try:
            expectations.append(expectation(constraint, setting, entry.meta, tolerance=entry.tolerance))
        except InexpressibleError as error:
            refused.append((constraint.text, error.what))
    document = {
        "name": name,
        "id": stable_id(setting.dataset, "suite", name),
        "expectations": expectations,
        "meta": {
            "great_expectations_version": installed_version("great_expectations") if Extra.GX.is_installed else None,
            "holdfast": {
                "dataset": setting.dataset,
                "dialect": setting.dialect.value,
                "left_out": [{"constraint": text, "why": why} for text, why in refused],
                "table": table,
                **about,
            },
        },
        "notes": None,
        "suite_parameters": {},
    }
    return Suite(table, document, tuple(refused))
