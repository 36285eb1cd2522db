"""Sends an alert everywhere it should go: a file and the log always, and each configured route through Apprise.

One failing channel never stops the others: what became of each is reported by name. Sending is idempotent per version
and table: the caller passes what was delivered already, and only the rest is tried.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from profiling_core.alert.message import Alert
from profiling_core.alert.redaction import redacted, scheme_of
from profiling_core.emit.files import to_bytes, write_atomically
from profiling_core.model.change import Transition
from profiling_core.model.dataset import AlertRoute

SENT = "sent"
_log = logging.getLogger("profiling_core.alert")
_Send = Callable[[], str]


def deliver(
    alert: Alert,
    routes: Sequence[AlertRoute],
    artifacts_dir: Path,
    *,
    already: Mapping[str, str] | None = None,
    record: Callable[[str, str], None] | None = None,
) -> dict[str, str]:
    """Sends the alert through every channel that has not had it; returns what became of each channel.

    Args:
        alert: the message.
        routes: the dataset's configured routes.
        artifacts_dir: the directory that holds one folder per dataset.
        already: what an earlier attempt reported; channels that say ``sent`` are left out.
        record: called after each channel with its name and outcome, so that a crash repeats one message at most.

    Returns:
        Per channel tried ``sent``, or what went wrong; never a secret of its URL.
    """
    outcomes: dict[str, str] = {}
    for name, send in _channels(alert, routes, artifacts_dir):
        if already and already.get(name) == SENT:
            continue
        outcomes[name] = _attempt(name, send)
        if record is not None:
            record(name, outcomes[name])
    return outcomes


def _channels(alert: Alert, routes: Sequence[AlertRoute], artifacts_dir: Path) -> Iterator[tuple[str, _Send]]:
    yield "file", lambda: _to_file(alert, artifacts_dir)
    yield "log", lambda: _to_log(alert)
    for number, route in enumerate(routes, start=1):
        if not route.tables or alert.table in route.tables:
            yield _name(number, route), lambda route=route: _to_route(alert, route)  # type: ignore[misc] # binds now


def _name(number: int, route: AlertRoute) -> str:
    """Names a route by its place and, without secrets, by what it is."""
    what = f"environment variable {route.url_env}" if route.url_env else f"{scheme_of(route.url or '')}://"
    return f"route {number} ({what})"


def _attempt(name: str, send: _Send) -> str:
    try:
        outcome = send()
    except Exception as error:  # noqa: BLE001 - whatever a channel raises, the others still get the alert
        outcome = f"failed: {type(error).__name__}"
    if outcome != SENT:
        _log.warning("alert channel %s: %s", name, outcome)
    return outcome


def alert_files(alert: Alert, artifacts_dir: Path) -> tuple[Path, Path]:
    """Where the alert's text and JSON are kept."""
    folder = artifacts_dir / alert.dataset / "alerts"
    return folder / f"{alert.version}-{alert.table}.txt", folder / f"{alert.version}-{alert.table}.json"


def _to_file(alert: Alert, artifacts_dir: Path) -> str:
    text, data = alert_files(alert, artifacts_dir)
    write_atomically(text, f"{alert.text}\n".encode("utf-8", "backslashreplace"))
    write_atomically(data, to_bytes(alert.to_json()))
    return SENT


def _to_log(alert: Alert) -> str:
    _log.warning("%s", alert.text)
    return SENT


def _to_route(alert: Alert, route: AlertRoute) -> str:
    url = route.url or os.environ.get(route.url_env or "", "")
    if not url:
        return f"not configured: the environment variable {route.url_env} is not set"
    import apprise

    asset = apprise.AppriseAsset(app_id="Holdfast", app_desc="Holdfast", async_mode=False, secure_logging=True)
    with _heard("apprise") as words:
        service = apprise.Apprise.instantiate(url, asset=asset)
        if service is None:
            return f"not configured: {redacted(_said(words) or 'Apprise does not understand the URL', url)}"
        sender = apprise.Apprise(asset=asset)
        sender.add(service)
        broke = any(part.transition is not Transition.RECOVERED for part in alert.told)
        kind = apprise.NotifyType.WARNING if broke else apprise.NotifyType.SUCCESS
        # as plain text: names and values are never read as markup
        done = sender.notify(
            body=alert.text, title=alert.title, notify_type=kind, body_format=apprise.NotifyFormat.TEXT
        )
    return SENT if done else f"failed: {redacted(_said(words) or 'the service did not accept it', url)}"


@contextmanager
def _heard(logger_name: str) -> Iterator[list[str]]:
    """Collects a library's log lines and keeps them from every other log, because they may name the URL."""
    logger = logging.getLogger(logger_name)
    words: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                words.append(record.getMessage())

    listener, propagates, handlers = Listener(), logger.propagate, logger.handlers
    logger.propagate, logger.handlers = False, [listener]
    try:
        yield words
    finally:
        logger.propagate, logger.handlers = propagates, handlers


def _said(words: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(words))
