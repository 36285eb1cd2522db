"""Manifests: a version as a document beside its files, each with the digest of the one before; and back again."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from profiling_core.model.errors import StateError
from profiling_core.model.version import Arrival, FileRef, TableState, Version

FORMAT = 1


class Manifest(NamedTuple):
    """A version, whether it was a rebuild, what made it (program, configuration), the digest of the one before."""

    version: Version
    rebuild: bool
    made_with: Mapping[str, Any]
    previous: str

    def to_json(self) -> dict[str, Any]:
        """The manifest as plain JSON data."""
        version = self.version
        return {
            "format": FORMAT,
            "dataset": version.dataset,
            "number": version.number,
            "previous": self.previous,
            "run_id": version.run_id,
            "label": version.label,
            "created_at": version.created_at,
            "rebuild": self.rebuild,
            "made_with": dict(self.made_with),
            "arrivals": {table: arrival.to_json() for table, arrival in version.arrivals.items()},
            "tables": {name: table.to_json() for name, table in version.tables.items()},
            "files": [[f.table, f.role, f.path, f.sha256, f.size] for f in version.files],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Manifest":
        """The inverse of :meth:`to_json`.

        Raises:
            StateError: a newer release wrote it.
        """
        if data["format"] > FORMAT:
            raise StateError(
                f"the manifest of version {data['number']} has format {data['format']}, newer than this release knows",
                where=f"dataset {data['dataset']!r}",
                remedy="install the newer version of holdfast that wrote it",
            )
        version = Version(
            data["dataset"],
            data["number"],
            data["run_id"],
            data["label"],
            {name: TableState.from_json(table) for name, table in data["tables"].items()},
            {table: Arrival.from_json(arrival) for table, arrival in data["arrivals"].items()},
            tuple(FileRef(*file) for file in data["files"]),
            data["created_at"],
        )
        return cls(version, data["rebuild"], data["made_with"], data["previous"])
