"""Records of the catalog beside versions and constraints: validations that ran, messages that were sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ValidationRecord:
    """The result of validating one table (empty: the dataset as a whole) in one version.

    ``result`` is the summary as plain JSON data, ``created_at`` is ISO 8601 in UTC.
    """

    dataset: str
    version: int
    table: str
    result: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True, slots=True)
class AlertRecord:
    """One message, by its key. ``body`` is what channels show; ``channels`` says per channel what became of it."""

    dataset: str
    version: int
    table: str
    key: str
    body: Mapping[str, Any]
    created_at: str
    channels: Mapping[str, str]

    @property
    def message(self) -> str:
        """The message as text."""
        return str(self.body.get("text", ""))
