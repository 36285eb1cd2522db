"""Posting a message as JSON to a webhook: one request, to a checked address, with an idempotency key.

Redirects are not followed: a receiver that moved is a configuration to mend, and a redirect could lead inside the
network. A receiver says by ``Retry-After`` when to try again.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import NewConnectionError

from profiling_core.alert.addresses import check_address, check_url
from profiling_core.model.message import Attempt

_TIMEOUTS = (10, 30)
_GOOD = range(200, 300)
# Statuses that say that the same may work later; all others ask for a person.
_PASSING = {408, 421, 423, 425, 429, *range(500, 600)}


class _CheckedAdapter(HTTPAdapter):
    """Looks at the address that a connection really has before anything is sent over it."""

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__()
        self._allowed = allowed

    def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> Any:
        pool = super().get_connection_with_tls_context(*arguments, **options)
        connect, allowed = pool.ConnectionCls, self._allowed

        class Checked(connect):  # type: ignore[valid-type,misc] # urllib3's plain or TLS connection
            def _new_conn(self) -> Any:
                made = super()._new_conn()
                check_address(made.getpeername()[0], allowed)
                return made

        pool.ConnectionCls = Checked
        return pool


def post(url: str, payload: Mapping[str, Any], key: str, allowed: Sequence[str]) -> Attempt:
    """Posts the payload; says what came of it.

    Args:
        url: an ``http`` or ``https`` URL, with user and password where the receiver wants them.
        payload: the body.
        key: sent as ``Idempotency-Key``: the same for every attempt.
        allowed: networks of private addresses that may be sent to.

    Raises:
        ForbiddenAddressError: the URL leads to a private address that is not allowed.
    """
    proxied = bool(requests.utils.get_environ_proxies(url))
    with requests.Session() as session:
        if not proxied:  # through a proxy the connection is the proxy's, which the environment names
            check_url(url, allowed)
            session.mount(f"{urlsplit(url).scheme}://", _CheckedAdapter(allowed))
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "backslashreplace")
        headers = {"Content-Type": "application/json; charset=utf-8", "Idempotency-Key": key}
        try:
            answer = session.post(url, body, headers=headers, timeout=_TIMEOUTS, allow_redirects=False, stream=True)
        except requests.ConnectTimeout as error:
            raise OSError(f"no connection within {_TIMEOUTS[0]} seconds") from error
        except requests.Timeout as error:
            raise OSError(f"no answer within {_TIMEOUTS[1]} seconds") from error
        except requests.RequestException as error:
            raise OSError(_reason(error)) from error
        with answer:
            return _attempt(answer)


def _reason(error: BaseException) -> str:
    """What went wrong, in the words of the innermost error: those around it show how they are made."""
    while True:
        inside = getattr(error, "reason", None) or next((a for a in error.args[::-1] if isinstance(a, Exception)), None)
        if not isinstance(inside, Exception):
            return str(error).rpartition(": ")[2] if isinstance(error, NewConnectionError) else str(error)
        error = inside


def _attempt(answer: requests.Response) -> Attempt:
    if answer.status_code in _GOOD:
        return Attempt(sent=True)
    said = f"failed: the receiver answered {answer.status_code} {answer.reason or ''}".rstrip()
    if answer.is_redirect:
        said += "; redirects are not followed: let the route's URL be the one that it leads to"
    pause = _seconds(answer.headers.get("Retry-After", ""))
    return Attempt(sent=False, said=said, retry_after=pause, lasting=answer.status_code not in _PASSING)


def _seconds(text: str) -> float:
    """``Retry-After`` in seconds: it is given so, or as a date (RFC 9110, section 10.2.3)."""
    if text.strip().isdecimal():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
