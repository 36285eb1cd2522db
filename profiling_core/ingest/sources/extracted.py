"""Sources that are read at the beginning of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from profiling_core.ingest.sources.protocol import Applied, Batch

if TYPE_CHECKING:
    from profiling_core.ingest.sources.extracts import Extract
    from profiling_core.ingest.sources.moment import Moment


@runtime_checkable
class Extracted(Protocol):
    """A source that is read at the beginning of a run, at the same moment as the other tables of its database."""

    def read_at(self, moment: "Moment") -> None:
        """From now on reads the state of its database at a shared moment."""
        ...

    def extract(self, delta_ids: Sequence[str], applied: Applied, extract: "Extract") -> Batch:
        """As :meth:`TableSource.open`, into the files of an extract."""
        ...
