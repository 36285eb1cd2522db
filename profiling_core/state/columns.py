"""Column types that bring every Python string and JSON document through SQLite and PostgreSQL unchanged.

Names come from files of all kinds: they may hold lone surrogates (undecodable file names) and NUL, which neither
database takes as text, and which PostgreSQL's JSON types refuse even when escaped. So documents are kept as ASCII JSON
text, and in plain strings just those characters are escaped, which leaves ordinary names readable in any SQL shell.
"""

import json
import re
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from profiling_core.state.row_checksums import damaged

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def escape(text: str) -> str:
    """The text without characters that a database refuses: they, and the backslash, become escapes."""
    return _UNSTORABLE.sub(lambda m: r"\\" if m[0] == "\\" else f"\\u{ord(m[0]):04x}", text)


def unescape(text: str) -> str:
    """The inverse of :func:`escape`."""
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else "\\", text)


class SafeText(TypeDecorator[str]):
    """Text of any characters and length."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """From Python to the database."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """From the database to Python."""
        return None if value is None else unescape(value)


class Json(TypeDecorator[Any]):
    """A JSON document as ASCII text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """From Python to the database."""
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002 - SQLAlchemy's signature
        """From the database to Python."""
        try:
            return None if value is None else json.loads(value)
        except (ValueError, TypeError) as error:
            raise damaged("a document in it is not JSON") from error
