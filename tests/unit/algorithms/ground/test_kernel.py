"""Compiled code that is kept on disk: where, read by whom, and stale with what it calls, not with its module alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

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


PATCHED = """
from profiling_core.algorithms.ground.kernel import kernel

AT_ONCE, SCALE = 64, 2


@kernel
def scaled(x):
    return SCALE * x
"""


def test_code_stays_where_a_constant_changes_that_no_kernel_reads(tmp_path: Path):
    """As tests patch them: their code would take the place of what all others run, and others' that of theirs."""
    (tmp_path / "patched.py").write_text(PATCHED, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def answer(change: str) -> list[str]:
        program = (
            f"import patched; {change or None}; print(patched.scaled(3), sum(patched.scaled.stats.cache_hits.values()))"
        )
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert answer("") == ["6", "0"]
    assert answer("patched.AT_ONCE = 1") == ["6", "1"]
    assert answer("patched.SCALE = 5") == ["15", "0"]


BUNDLE = """
from typing import NamedTuple


class {name}(NamedTuple):
    x: int
"""
TAKING = """
import bundle
from profiling_core.algorithms.ground.kernel import kernel


@kernel
def taking(of):
    return of.x + 1


print(taking(next(found for found in vars(bundle).values() if hasattr(found, "_fields"))(1)))
print(sum(taking.stats.cache_hits.values()))
"""


def test_code_that_takes_what_has_another_name_now_is_stale(tmp_path: Path):
    (tmp_path / "taking.py").write_text(TAKING, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def answer(name: str) -> list[str]:
        (tmp_path / "bundle.py").write_text(BUNDLE.format(name=name), encoding="utf-8")
        command = [sys.executable, "-B", str(tmp_path / "taking.py")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert answer("Bundle") == ["2", "0"]
    assert answer("Bundle") == ["2", "1"]
    assert answer("Parcel") == ["2", "0"]


def test_code_from_disk_is_part_of_what_is_compiled_with_it_and_that_then_stands_alone(tmp_path: Path):
    (tmp_path / "inner.py").write_text(INNER.format(scale=10, add=1), encoding="utf-8")
    (tmp_path / "outer.py").write_text(OUTER, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    def answer(program: str) -> list[str]:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    hits = "print(sum(inner.stats.cache_hits.values()))"
    assert answer(f"from inner import inner; print(inner(1)); {hits}") == ["2", "0"]
    assert answer(f"from inner import inner; print(inner(1)); import outer; {hits}") == ["2", "20", "0", "1"]
    assert answer(f"from inner import inner; import outer; {hits}") == ["20", "1", "0"]


ALONE = """
import logging
from profiling_core.algorithms.ground.kernel import kernel

logging.basicConfig(format="%(levelname)s %(message)s")
logging.getLogger("profiling_core.kernels").setLevel("INFO")


@kernel
def twice(x):
    return 2 * x


print(twice(3))
"""


class Installed:
    """A module with a kernel, in a directory of its own, run by a user whose directories the test chooses.

    A file stands where a directory cannot be made: tests may run as root, whom no permission stops.
    """

    def __init__(self, place: Path) -> None:
        self.place, self.program = place, place / "program" / "alone.py"
        self.kept, self.cache, self.temporary = place / "program" / "__pycache__", place / "cache", place / "temporary"
        self.program.parent.mkdir()
        self.temporary.mkdir()
        self.program.write_text(ALONE, encoding="utf-8")

    def run(self) -> str:
        """What the program logs; it answers rightly wherever its code is kept."""
        places = {"XDG_CACHE_HOME": str(self.cache), "TMPDIR": str(self.temporary), "PYTHONDONTWRITEBYTECODE": "1"}
        environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | places
        done = subprocess.run(
            [sys.executable, str(self.program)], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout == "6\n"
        return done.stderr


def code_in(directory: Path) -> list[Path]:
    return sorted(directory.rglob("*.nbc"))


def test_code_is_kept_in_the_first_place_that_takes_it(tmp_path: Path):
    program = Installed(tmp_path)
    program.kept.write_text("")
    assert "compiling twice" in program.run()
    assert code_in(program.cache)
    assert program.run() == ""
    shutil.rmtree(program.cache)
    program.cache.write_text("")
    assert "compiling twice" in program.run()
    assert code_in(program.temporary)
    assert program.run() == ""


def test_without_any_place_it_compiles_each_time_and_says_so(tmp_path: Path):
    program = Installed(tmp_path)
    for place in (program.kept, program.cache, program.temporary / f"holdfast-kernels-{os.getuid()}"):
        place.write_text("")
    for _ in range(2):
        said = program.run()
        assert "INFO compiling twice" in said
        assert said.count("WARNING No directory can keep compiled code") == 1


def test_code_beside_the_program_is_read_where_nobody_may_write(tmp_path: Path):
    """As in an image: compiled ahead by another user, and no other place at hand."""
    program = Installed(tmp_path)
    program.run()
    assert code_in(program.kept)
    for path in (*program.kept.iterdir(), program.kept, program.program.parent):
        path.chmod(0o555 if path.is_dir() else 0o444)
    program.cache.write_text("")
    try:
        assert program.run() == ""
    finally:
        program.program.parent.chmod(0o755)
        program.kept.chmod(0o755)


def test_code_that_others_could_have_put_there_is_not_run(tmp_path: Path):
    program = Installed(tmp_path)
    program.run()
    program.kept.chmod(0o777)
    assert "compiling twice" in program.run()
