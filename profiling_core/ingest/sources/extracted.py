"""Sources that a run reads where it begins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from profiling_core.ingest.sources.protocol import Applied, Batch

if TYPE_CHECKING:
    from profiling_core.ingest.sources.extracts import Extract
    from profiling_core.ingest.sources.moment import Moment


@runtime_checkable
class Extracted(Protocol):
    """A source that is read where a run begins, at the moment at which the run reads its database's other tables."""

    def read_at(self, moment: "Moment") -> None:
        """From now on reads the state that a moment has of its database."""
        ...

    def extract(self, delta_ids: Sequence[str], applied: Applied, extract: "Extract") -> Batch:
        """As :meth:`TableSource.open`, into the files of an extract."""
        ...
