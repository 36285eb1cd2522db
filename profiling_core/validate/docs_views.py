"""What Great Expectations renders its pages with, each template compiled once in a process.

GX makes its views anew for each build, and each of them compiles the templates that it uses: two thirds of a build.
"""

from functools import cache
from types import CodeType
from typing import Any

from great_expectations.render.view import DefaultJinjaIndexPageView, DefaultJinjaPageView
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class _Compiled(BytecodeCache):
    """The code of templates, by their names and texts."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


@cache
def _compiled() -> _Compiled:
    return _Compiled()


class _Keeping:
    """A view that shares its compiled templates with all other views."""

    env: Any

    def __init__(self) -> None:
        super().__init__()
        self.env.bytecode_cache = _compiled()


class DocsPage(_Keeping, DefaultJinjaPageView):  # type: ignore[misc] # GX has no types
    """The page of a suite, or of what a validation found."""


class DocsIndex(_Keeping, DefaultJinjaIndexPageView):  # type: ignore[misc] # GX has no types
    """The page that lists the others."""
