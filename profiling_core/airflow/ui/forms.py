"""Forms that can only be sent from our pages.

A request that changes something must come from a page of this server, by the browser's ``Origin``, and carry a token
from the page. The token is bound to a cookie of the browser's session and to the user, so that neither another site nor
a link can know it.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl

from fastapi import HTTPException, Request
from fastapi.responses import Response

from profiling_core.airflow.ui import access

COOKIE = "_holdfast_session"
TOKEN = "token"  # noqa: S105 - the field's name
_FORM = "application/x-www-form-urlencoded"
_LONGEST = 20_000
"""Bytes of a form: the longest note, of 2,000 characters, is at most 18,000 where each takes nine (``%C3%A4…``)."""


def token(request: Request) -> str:
    """The token for this session's forms; begins a session if the browser has none."""
    session = request.cookies.get(COOKIE) or getattr(request.state, "holdfast_session", "")
    if not session:
        session = request.state.holdfast_session = secrets.token_urlsafe(32)
    return _signed(request, session)


def keep_session(request: Request, response: Response) -> None:
    """Gives the browser the cookie of a session that began with this request."""
    session = getattr(request.state, "holdfast_session", "")
    if session:
        path = str(request.scope.get("root_path", "")) or "/"
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, session, path=path, httponly=True, secure=secure, samesite="strict")


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form that was sent from one of our pages.

    Raises:
        HTTPException: 403 if it was not; 400 and 413 if it is no form of ours.
    """
    if access.host_of(request.headers.get("origin", "")) not in access.hosts(request):
        raise HTTPException(403, "This form was not sent from a page of this server; nothing was changed")
    if request.headers.get("content-type", "").partition(";")[0] != _FORM:
        raise HTTPException(400, "This is no form of Holdfast's pages; nothing was changed")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST:
            raise HTTPException(413, "This form is too long; nothing was changed")
    found = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    session = request.cookies.get(COOKIE, "")
    if not session or not hmac.compare_digest(found.get(TOKEN, "").encode(), _signed(request, session).encode()):
        raise HTTPException(
            403, "This page was opened in another session; nothing was changed. Load it again, and repeat"
        )
    return found


def _signed(request: Request, session: str) -> str:
    text = f"{session}\n{access.who(request)}"
    return hmac.new(access.secret().encode(), text.encode(), hashlib.sha256).hexdigest()
