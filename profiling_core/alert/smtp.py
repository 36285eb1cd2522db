"""Sending a mail over SMTP: ``smtp://user:password@host:25?from=…&to=…,…`` or, encrypted from the start, ``smtps://``."""

import smtplib
import ssl
from collections.abc import Sequence
from typing import NamedTuple, Self
from urllib.parse import parse_qs, unquote, urlsplit

from profiling_core.alert.addresses import check_address, check_url
from profiling_core.alert.brief import Brief
from profiling_core.alert.formats.mail import mail
from profiling_core.model.message import Attempt

_TIMEOUT = 30
_PORTS = {"smtp": 587, "smtps": 465}
_PASSING = range(400, 500)


class _Server(NamedTuple):
    scheme: str
    host: str
    port: int
    user: str
    password: str
    sender: str
    receivers: list[str]

    @classmethod
    def of(cls, url: str) -> Self | None:
        """The parts of the URL; None where sender, receivers or host are missing."""
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        receivers = [to.strip() for text in query.get("to", []) for to in text.split(",") if to.strip()]
        sender = query.get("from", [""])[0]
        if not (parts.hostname and sender and receivers):
            return None
        login = (unquote(parts.username or ""), unquote(parts.password or ""))
        return cls(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme], *login, sender, receivers)


def send(url: str, brief: Brief, key: str, allowed: Sequence[str]) -> Attempt:
    """Sends the message as a mail; says what came of it.

    Raises:
        ForbiddenAddressError: the server has a private address that is not allowed.
    """
    server = _Server.of(url)
    if server is None:
        said = "not configured: write smtp://user:password@host?from=sender@…&to=receiver@…"
        return Attempt(sent=False, said=said, lasting=True)
    check_url(url, allowed)
    try:
        with _connected(server, allowed) as connection:
            connection.send_message(mail(brief, server.sender, server.receivers, key))
    except smtplib.SMTPResponseException as error:
        passing = error.smtp_code in _PASSING
        return Attempt(sent=False, said=f"failed: the mail server answered {error.smtp_code}", lasting=not passing)
    except smtplib.SMTPException as error:
        return Attempt(sent=False, said=f"failed: {type(error).__name__}")
    return Attempt(sent=True)


def _connected(server: _Server, allowed: Sequence[str]) -> smtplib.SMTP:
    """A connection to a checked address, encrypted where the server can, and always before a password is sent."""
    context = ssl.create_default_context()
    if server.scheme == "smtps":
        made: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=_TIMEOUT, context=context)
    else:
        made = smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT)
    if made.sock is not None:
        check_address(made.sock.getpeername()[0], allowed)
    made.ehlo()
    if server.scheme == "smtp" and (made.has_extn("starttls") or server.user):
        made.starttls(context=context)
    if server.user:
        made.login(server.user, server.password)
    return made
