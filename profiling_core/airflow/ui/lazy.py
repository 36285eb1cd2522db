"""The app as Airflow mounts it: built at the first request.

Every Airflow process loads the plugins, each task's process included; only the API server needs FastAPI, Jinja and
SQLAlchemy.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]


class LazyApp:
    """An ASGI app in place of Holdfast's until the first request."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request by the real app."""
        await _app()(scope, receive, send)


@cache
def _app() -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    from profiling_core.airflow.ui.app import create_app

    return create_app()
