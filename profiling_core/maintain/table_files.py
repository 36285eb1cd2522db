"""One table's files in one run: those of the version below it are read, those of the next one written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiling_core.model.version import FileRef, TableState, Version
from profiling_core.state.store import Store


@dataclass(frozen=True)
class TableFiles:
    """The files of a table: in ``base``, the version that the run builds on (None: there is none), and new ones."""

    store: Store
    run_id: str
    table: str
    base: Version | None

    def before(self, role: str) -> tuple[FileRef, ...]:
        """The table's files of a role in the base version."""
        return self.base.files_of(role, self.table) if self.base else ()

    def json_before(self, role: str) -> Any:
        """The document of a role in the base version; empty: it has none."""
        files = self.before(role)
        return self.store.read_json(files[0]) if files else {}

    @property
    def state_before(self) -> TableState | None:
        """The table's state in the base version; None: it is not there yet."""
        return self.base.tables.get(self.table) if self.base else None

    @property
    def label_before(self) -> str:
        """The label of the base version; empty: there is none."""
        return self.base.label if self.base else ""

    def verified(self, files: Sequence[FileRef]) -> list[str]:
        """The paths of stored files, each proven."""
        return self.store.verified(files)

    def publish_json(self, role: str, body: Any) -> FileRef:
        """Writes a document of the next version."""
        return self.store.publish_json(self.run_id, self.table, role, body)

    def new_dir(self, role: str) -> Path:
        """A new, empty directory to write files to, and then to :meth:`publish`."""
        return self.store.new_dir(self.run_id, self.table, role)

    def publish(self, folder: Path, role: str) -> tuple[FileRef, ...]:
        """Makes what was written to a directory of :meth:`new_dir` files of the next version."""
        return self.store.publish(folder, self.table, role)
