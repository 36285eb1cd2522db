"""A dataset that a program keeps: DataFrames in, constraints and what each delta changed out.

It is the dataset that the commands know: ``holdfast status`` in the same directory shows it, and an Airflow can go on
with it. The frames land there as Parquet files.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from profiling_core.model.change import ChangeSet
from profiling_core.model.errors import InputError
from profiling_core.model.lifecycle import Tracked
from profiling_core.pipeline.explain import Explanation
from profiling_core.pipeline.library import html_tables
from profiling_core.pipeline.library.data_frames import as_arrow
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.settings import DATASETS, Settings, using


@dataclass(frozen=True, repr=False)
class Constraints:
    """The constraints that a dataset lives by, in their order of rank; iterates over them as dictionaries."""

    tracked: tuple[Tracked, ...]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for t in self.tracked:
            yield {
                "table": t.table,
                "constraint": t.measured.constraint.text,
                "meaning": t.measured.constraint.words,
                "state": t.state.value,
                "since": t.since,
                "error": t.measured.error,
                "violations": t.measured.violations,
                "rank": t.rank,
                "id": t.fingerprint,
            }

    def __len__(self) -> int:
        return len(self.tracked)

    def __repr__(self) -> str:
        """The constraints a line each, as they are shown in a console and by ``print``."""
        return "\n".join(f"{c['table']}: {c['constraint']}  [{c['state']} since {c['since']}]" for c in self)

    def _repr_html_(self) -> str:
        head = ("rank", "table", "constraint", "state", "since", "error", "id")
        rows = [[str("" if c[name] is None else c[name]) for name in head] for c in self]
        return html_tables.table(head, rows)


@dataclass(frozen=True, repr=False)
class Changes:
    """What one version changed; iterates over the changes as dictionaries, each with the rows that show it."""

    found: ChangeSet

    @property
    def version(self) -> int:
        """The version's number."""
        return self.found.version

    @property
    def arrived(self) -> Mapping[str, Mapping[str, int]]:
        """By table how many rows came, went, changed and were rejected."""
        return self.found.arrived

    def __iter__(self) -> Iterator[dict[str, Any]]:
        from profiling_core.alert.wording import reading

        for change in self.found.changes:
            measured = change.measured
            yield {
                "change": change.transition.value,
                "table": change.table,
                "constraint": measured.constraint.text,
                "told": reading(change, self.found.arrived.get(change.table, {})),
                "violating_rows": change.violating_rows,
                "rows": [dict(witness.broken_by) for witness in change.witnesses],
                "alerts": change.alerts,
                "id": measured.constraint.fingerprint,
            }

    def __len__(self) -> int:
        return len(self.found.changes)

    def __repr__(self) -> str:
        """The changes a line each, as they are shown in a console and by ``print``."""
        return "\n".join([self._said, *(f"  {c['table']}: {c['change']} {c['constraint']}" for c in self)])

    @property
    def _said(self) -> str:
        return f"Version {self.version}: {len(self)} change{'' if len(self) == 1 else 's'}."

    def _repr_html_(self) -> str:
        head = ("change", "table", "constraint", "told", "rows")
        rows = [[c["change"], c["table"], c["constraint"], c["told"], _rows_text(c["rows"])] for c in self]
        return html_tables.table(head, rows, self._said)


@dataclass(frozen=True)
class Explained:
    """One constraint through the versions: what it means, how it stands, and what broke it."""

    found: Explanation

    def to_dict(self) -> dict[str, Any]:
        """What is known, as plain data."""
        return {
            **next(iter(Constraints((self.found.tracked,)))),
            "worth": self.found.worth,
            "decided": self.found.decided.words,
            "changes": [{"version": version, **change.to_json()} for version, change in self.found.changes],
        }

    def _repr_html_(self) -> str:
        known = self.to_dict()
        rows = [
            (str(change["version"]), change["transition"], _rows_text([w["broken_by"] for w in change["witnesses"]]))
            for change in known["changes"]
        ]
        said = f"{known['constraint']}: {known['meaning']} It is {known['state']} since {known['since']}."
        return html_tables.table(("version", "change", "rows"), rows, said, known["worth"])


class Dataset:
    """A dataset in a directory, with all its versions.

    Args:
        name: what it is called.
        place: the directory of the project, made where it is missing. Without one, the project that the working
            directory lies in.
        keys: by table the columns that tell its rows apart; where a new table has none, its first rows are looked at.
    """

    def __init__(
        self, name: str, place: str | Path | None = None, *, keys: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.name = name
        self._keys = dict(keys or {})
        if place is not None:
            (Path(place) / DATASETS).mkdir(parents=True, exist_ok=True)
        self._settings = Settings.discover() if place is None else Settings.discover(Path(place), {})

    def apply(self, delta: Any = None, *, delta_id: str | None = None) -> Changes:
        """Lands a delta and applies what is pending; the first one begins the dataset.

        Args:
            delta: rows of the one table there is, or a mapping of tables' names to rows: Arrow tables, pandas, Polars
                or Spark DataFrames. A column ``_op`` says what each row does (``insert``, ``update``, ``delete``,
                ``upsert``, ``remove``); without it rows are put in place by their key, or inserted where there is
                none. None: only what has landed otherwise.
            delta_id: the delta's id, such as a date; ids are applied in ascending order as text. By default the time.

        Returns:
            What the version changed; that of the newest version where there was nothing to apply.

        Raises:
            InputError: the rows do not fit, or there is no such table. Rows of this call that are not applied are not
                kept: applied again, mended, they stand behind nothing.
        """
        from profiling_core.pipeline.library.landing import begun, landed
        from profiling_core.pipeline.walk import walk

        delta_id = delta_id or f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
        frames = {} if delta is None else self._frames(delta)
        with using(self._settings), ExitStack() as kept:
            if frames and not self._configured:
                kept.enter_context(begun(self._settings, self.name, frames, self._keys))
            check = kept.enter_context(landed(self._work, frames, delta_id))
            check(walk(self.name))
        return self.changes

    @property
    def constraints(self) -> Constraints:
        """The constraints that are followed now."""
        return Constraints(tuple(self._work.catalog.tracked(self.name)))

    @property
    def changes(self) -> Changes:
        """What the newest version changed."""
        current = self._work.catalog.current(self.name)
        found = self._work.catalog.changes(self.name, current.number) if current else None
        if found is None:
            raise InputError(f"dataset {self.name!r} has no version yet", remedy="apply a delta first")
        return Changes(found)

    def explain(self, constraint: str) -> Explained:
        """What is known of a constraint, by its id or its text such as ``"zip->city"``."""
        from profiling_core.pipeline.explain import explain

        return Explained(explain(self._work, constraint))

    def _repr_html_(self) -> str:
        return self.constraints._repr_html_()

    @property
    def _work(self) -> Workspace:
        return Workspace.open(self.name, self._settings)

    def _frames(self, delta: Any) -> dict[str, pa.Table]:
        named = delta if isinstance(delta, Mapping) else {self._only_table(): delta}
        return {table: as_arrow(table, rows) for table, rows in named.items()}

    @property
    def _configured(self) -> bool:
        return (self._settings.datasets_dir / f"{self.name}.yaml").is_file()

    def _only_table(self) -> str:
        tables = list(self._work.config.tables) if self._configured else [self.name]
        if len(tables) > 1:
            raise InputError(
                "the dataset has several tables",
                where=f"dataset {self.name!r}",
                remedy=f"name them: apply({{{tables[0]!r}: …}})",
            )
        return tables[0]


def _rows_text(rows: list[dict[str, Any]]) -> str:
    return "; ".join(", ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
