"""Templates of Great Expectations' pages are compiled by the first view that uses them, and by no other."""

import pytest
from jinja2 import Environment

from profiling_core.validate.docs_views import DocsIndex, DocsPage

pytestmark = pytest.mark.slow  # imports Great Expectations


def test_second_view_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = DocsPage().env.get_template("page.j2")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(Environment, "compile", refuse)
    again = DocsIndex().env.get_template("page.j2")
    assert again.root_render_func.__code__ is first.root_render_func.__code__
