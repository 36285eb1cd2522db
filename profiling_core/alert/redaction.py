"""Keeps the secrets in channel URLs out of logs, files, errors and the catalog.

An Apprise URL carries tokens anywhere: as user, password, path, query, even as host (``slack://token/token``). So only
the scheme is ever shown, and any other part of the URL that turns up in a service's own words is struck out.
"""

import re
from urllib.parse import unquote

_SHORTEST_SECRET = 3
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30})://")
HIDDEN = "•••"


def scheme_of(url: str) -> str:
    """The URL's scheme, the one part that is no secret; ``unknown`` where it has none."""
    found = _SCHEME.match(url.strip())
    return found.group(1).lower() if found else "unknown"


def redacted(text: str, url: str) -> str:
    """The text without the URL, any part of it, or any other URL's credentials and path."""
    for secret in sorted(_parts(url), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _URL.sub(lambda match: f"{scheme_of(match.group())}://{HIDDEN}", text)


def _parts(url: str) -> set[str]:
    rest = url.strip()
    body = rest.partition("://")[2] or rest
    parts = {rest, body, *re.split(r"[/?&=@:#,;\s]+", body)}
    parts |= {unquote(part) for part in parts}
    return {part for part in parts if len(part) >= _SHORTEST_SECRET}
