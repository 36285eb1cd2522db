"""The help of ``holdfast discover`` says what the command does without its options."""

from collections.abc import Callable
from typing import Any

import pytest

from profiling_core.algorithms.rules.selection import PRESENTED
from profiling_core.cli.discover import _SHOWN


def test_the_help_of_limit_says_how_many_lines_there_are_without_it(
    holdfast: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    code, out, _ = holdfast("discover", "--help")
    said = " ".join(out.replace("│", " ").split())
    assert code == 0
    assert f"({PRESENTED} where not given)" in said
    assert f"({_SHOWN})" in said
