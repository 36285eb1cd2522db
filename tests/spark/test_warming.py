"""What is compiled ahead: every kernel that a command may come to."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import profiling_core
from profiling_core.model.constraint import Kind
from profiling_core.pipeline.warming import WORK, _requests

pytestmark = [pytest.mark.spark, pytest.mark.long]
# What batches in one process alone need (AgreeSetEngine.apply), which no command has.
ELSEWHERE = {"agree_set_tree._violating"}


def kernels(package: Path) -> Iterator[Path]:
    """Of each kernel of a package, where its code is kept: the beginning of its files' names."""
    for module in package.rglob("*.py"):
        for found in ast.parse(module.read_text("utf-8")).body:
            if isinstance(found, ast.FunctionDef) and "kernel" in map(ast.unparse, found.decorator_list):
                yield module.parent / "__pycache__" / f"{module.stem}.{found.name}-"


def test_every_kernel_is_compiled_ahead(tmp_path: Path) -> None:
    package = tmp_path / "program" / "profiling_core"
    shutil.copytree(Path(profiling_core.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    places = {"PYTHONPATH": str(package.parent), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for name in WORK:
        command = [sys.executable, "-m", "profiling_core.pipeline.warming", name]
        subprocess.run(command, env=os.environ | places, check=True, cwd=package.parent)
    left = {start.name[:-1] for start in kernels(package) if not list(start.parent.glob(f"{start.name}*.nbi"))}
    assert left == ELSEWHERE


def test_what_each_kind_needs_without_options_is_compiled_first() -> None:
    first = [request for request, _ in zip(_requests(), range(4), strict=False)]
    assert {request.kind for request in first} == {Kind.FD, Kind.DC, Kind.UCC, Kind.IND}
    assert all(request == type(request)(kind=request.kind) for request in first)
