"""One moment at which a run reads all its tables of one database.

Otherwise a row could be there without the row that it refers to, because one table was read before the other.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from profiling_core.ingest.sources.session import Session


class Moment:
    """A transaction per database, open until the moment is over."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._sessions: dict[str, Session] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._open.__exit__(kind, error, trace)

    def session(self, url: str, begin: "Callable[[], AbstractContextManager[Session]]") -> "Session":
        """The transaction in the database of a URL; begun at the first call."""
        if url not in self._sessions:
            self._sessions[url] = self._open.enter_context(begin())
        return self._sessions[url]
