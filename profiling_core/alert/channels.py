"""The channels that an alert goes to: a file and the log always, and each configured route.

A route is a webhook (``http`` or ``https``: as data, or as Slack or Teams show it), a mail server (``smtp`` or
``smtps``), or any service that Apprise speaks to.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from profiling_core.alert.addresses import ForbiddenAddressError, check_url
from profiling_core.alert.brief import brief_of
from profiling_core.alert.delivery import Channel
from profiling_core.alert.message import Alert
from profiling_core.alert.redaction import redacted
from profiling_core.emit.files import to_bytes
from profiling_core.model.dataset import AlertConfig, AlertRoute
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.message import Attempt, Delivery, Message
from profiling_core.state.atomic import write_atomically
from profiling_core.state.connections import address

FILE, LOG = "file", "log"
_SENT = Attempt(sent=True)
_WEBHOOKS = ("http", "https")
# Apprise's own webhooks: they can carry further headers.
_WITH_HEADERS = ("json", "jsons", "xml", "xmls", "form", "forms")
_MAIL = ("smtp", "smtps")
_HOSTS = {"slack": ("hooks.slack.com",), "teams": (".webhook.office.com", ".logic.azure.com", ".powerplatform.com")}
_log = logging.getLogger("profiling_core.alert")


def message_of(alert: Alert, key: str, config: AlertConfig) -> Message:
    """The alert on its way: to the file, the log, and the routes that take alerts of its table."""
    routes = [name for name, route in config.channels.items() if not route.tables or alert.table in route.tables]
    return Message(key, alert.version, alert.table, alert.to_json(), (FILE, LOG, *routes))


def channels(config: AlertConfig, artifacts_dir: Path) -> dict[str, Channel]:
    """By name, what sends to each channel of a dataset.

    Args:
        config: the dataset's alerts.
        artifacts_dir: the directory that holds one folder per dataset.
    """
    return {
        FILE: partial(_to_file, artifacts_dir),
        LOG: _to_log,
        **{name: partial(to_route, route, config.allow_private) for name, route in config.channels.items()},
    }


def alert_files(dataset: str, key: str, artifacts_dir: Path) -> tuple[Path, Path]:
    """Where a message's text and JSON are kept."""
    folder = artifacts_dir / dataset / "alerts"
    return folder / f"{key}.txt", folder / f"{key}.json"


def _to_file(artifacts_dir: Path, delivery: Delivery) -> Attempt:
    text, data = alert_files(delivery.dataset, delivery.key, artifacts_dir)
    write_atomically(text, f"{delivery.body['text']}\n".encode("utf-8", "backslashreplace"))
    write_atomically(data, to_bytes(dict(delivery.body)))
    return _SENT


def _to_log(delivery: Delivery) -> Attempt:
    _log.warning("%s", delivery.body["text"])
    return _SENT


def to_route(route: AlertRoute, allowed: Sequence[str], delivery: Delivery) -> Attempt:
    """Sends to a route; what it says of a failure holds no secret of the URL."""
    try:
        url = address(route)
    except ConfigurationError as error:
        return Attempt(sent=False, said=f"not configured: {error.what}", lasting=True)
    try:
        return _to_url(url.strip(), route.format, allowed, delivery)
    except ForbiddenAddressError as error:
        return Attempt(sent=False, said=f"refused: {error.what}; {error.remedy}", lasting=True)
    except OSError as error:
        return Attempt(sent=False, said=redacted(f"failed: {error}", url), answered=False)


def _to_url(url: str, form: str | None, allowed: Sequence[str], delivery: Delivery) -> Attempt:
    scheme, key = urlsplit(url).scheme.lower(), delivery.idempotency_key
    if scheme in _WEBHOOKS:
        from profiling_core.alert.webhook import post

        return post(url, _payload(url, form, delivery), key, allowed)
    if scheme in _MAIL:
        from profiling_core.alert.smtp import send

        return send(url, brief_of(delivery.body), key, allowed)
    check_url(url, allowed)
    if scheme in _WITH_HEADERS:
        url = f"{url}{'&' if '?' in url else '?'}+Idempotency-Key={key}"
    return _through_apprise(url, delivery.body)


def _payload(url: str, form: str | None, delivery: Delivery) -> Mapping[str, Any]:
    """What a webhook is sent, in the form that it is configured to understand, or that its host is known to."""
    host = urlsplit(url).hostname or ""
    known = next((name for name, hosts in _HOSTS.items() if host.endswith(hosts)), "json")
    if (form or known) == "json":
        return {**delivery.body, "key": delivery.idempotency_key}
    from profiling_core.alert.formats import slack, teams

    return {"slack": slack.payload, "teams": teams.payload}[form or known](brief_of(delivery.body))


def _through_apprise(url: str, body: Mapping[str, Any]) -> Attempt:
    import apprise

    asset = apprise.AppriseAsset(
        app_id="Holdfast", app_desc="Holdfast", async_mode=False, secure_logging=True, http_redirects=False
    )
    with _heard("apprise") as words:
        service = apprise.Apprise.instantiate(url, asset=asset)
        if service is None:
            said = f"not configured: {redacted(_said(words) or 'Apprise does not understand the URL', url)}"
            return Attempt(sent=False, said=said, lasting=True)
        sender = apprise.Apprise(asset=asset)
        sender.add(service)
        kind = apprise.NotifyType.SUCCESS if body.get("good_news") else apprise.NotifyType.WARNING
        # as plain text: names and values are never read as markup
        done = sender.notify(
            body=body["text"], title=body["title"], notify_type=kind, body_format=apprise.NotifyFormat.TEXT
        )
    if done:
        return _SENT
    return Attempt(sent=False, said=f"failed: {redacted(_said(words) or 'the service did not accept it', url)}")


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
