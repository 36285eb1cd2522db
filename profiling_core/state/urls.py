"""URLs as people may see them: without passwords and other secrets."""

import re

USER = re.compile(r"://([^:/?@]+)(?=[:/?].*@|@)")
"""The user of a URL, however its password is written."""
_SECRET = re.compile(r"(?<=://).*@|\?.*$")


def without_secrets(url: str) -> str:
    """A URL for people: without user, password and parameters, since any of them may be secret."""
    return _SECRET.sub("", url)
