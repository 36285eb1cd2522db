"""Compiled code that is kept on disk: it goes stale with what it calls, not with its own module alone."""

import os
import subprocess
import sys
from pathlib import Path

INNER = """
from profiling_core.algorithms.ground.kernel import kernel

SCALE = {scale}


@kernel
def inner(x):
    return x + {add}
"""
OUTER = """
from inner import SCALE, inner
from profiling_core.algorithms.ground.kernel import kernel


@kernel
def outer(x):
    return inner(x) * SCALE


print(outer(1))
print(sum(outer.stats.cache_hits.values()))
"""


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(tmp_path: Path):
    (tmp_path / "outer.py").write_text(OUTER, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *sys.path])

    def answer(scale: int, add: int) -> list[str]:
        (tmp_path / "inner.py").write_text(INNER.format(scale=scale, add=add), encoding="utf-8")
        os.utime(tmp_path / "inner.py", (scale * 100 + add, scale * 100 + add))
        environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, str(tmp_path / "outer.py")], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert answer(10, 1) == ["20", "0"]
    assert answer(10, 1) == ["20", "1"]  # from disk
    assert answer(10, 2) == ["30", "0"]
    assert answer(100, 2) == ["300", "0"]
