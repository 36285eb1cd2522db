"""Manifests: a version as a document beside its files, each with the digest of the one before; and back again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from profiling_core.model.errors import StateError
from profiling_core.model.stored import Stored
from profiling_core.model.version import Version

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Manifest(Stored):
    """A version, whether it was a rebuild, what made it (program, configuration), the digest of the one before."""

    __flat__: ClassVar = ("version",)

    version: Version
    rebuild: bool
    made_with: Mapping[str, Any]
    previous: str
    format: int = FORMAT

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The manifest that a document holds.

        Raises:
            StateError: a newer release wrote it.
        """
        if data["format"] > FORMAT:
            raise StateError(
                f"the manifest of version {data['number']} has format {data['format']}, newer than this release knows",
                where=f"dataset {data['dataset']!r}",
                remedy="install the newer version of holdfast that wrote it",
            )
        return cls.from_json(data)
