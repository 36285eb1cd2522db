"""The interposer beside this file: compiled when it is needed, and told through a page of shared memory what to do."""

import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).with_name("interposer.c")
INSTALL = "there is no C compiler: install one with 'apt-get install -y gcc libc6-dev' (.ci/run does)"
NAMES = ("open", "write", "rename", "remove", "mkdir", "fsync", "truncate", "send")
_MOST, _PLACE, _KINDS = 65536, 48, 560
_FILES = _KINDS + _MOST
_PORTS = 4


class Point(NamedTuple):
    """A call that changes something: which, and a number that all files of one use have (0: it was sent)."""

    kind: str
    file: int


class Fault(IntEnum):
    """What happens at a point. Sent bytes are not torn: they leave, and the answer is never read."""

    COUNT = 0  # nothing
    KILL = 1  # the process is killed before it
    TORN = 2  # half of its bytes get there, or it is done; then the process is killed
    IO_ERROR = 3  # it fails with EIO; what is sent, with a reset connection
    NO_SPACE = 4  # it fails with ENOSPC, once
    FULL = 5  # from it on no file grows and none is made
    CUT = 6  # half of its bytes get there and the process is told so; a connection ends after what was sent


def compiled(folder: Path) -> Path:
    """The shared library to preload; the test is skipped where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip(INSTALL)
    made = folder / "interposer.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, SOURCE], check=True, capture_output=True)
    return made


class Page:
    """The page that all processes of a walk share."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(_FILES + 4 * _MOST))
        self.path = path
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def environment(self, library: Path) -> dict[str, str]:
        """What processes get that are to be broken."""
        return {**os.environ, "LD_PRELOAD": str(library), "FAULTS_PAGE": str(self.path)}

    def arm(self, place: Path, fault: Fault = Fault.COUNT, at: int = 0, ports: Sequence[int] = ()) -> None:
        """Counts from now on what happens below a place or goes to these ports, and breaks the ``at``-th of it."""
        self._map[_PLACE:_KINDS] = str(place).encode().ljust(_KINDS - _PLACE, b"\0")
        struct.pack_into(f"{_PORTS}i", self._map, 32, *[*ports, *[0] * _PORTS][:_PORTS])
        struct.pack_into("i", self._map, 4, fault)
        struct.pack_into("qq", self._map, 8, at, 0)
        struct.pack_into("i", self._map, 0, 1)

    def disarm(self) -> list[Point]:
        """Ends the counting; returns the points that there were."""
        struct.pack_into("i", self._map, 0, 0)
        points = min(self.count, _MOST)
        kinds, files = self._map[_KINDS : _KINDS + points], struct.unpack_from(f"{points}I", self._map, _FILES)
        return [Point(NAMES[kind], file) for kind, file in zip(kinds, files, strict=True)]

    @property
    def count(self) -> int:
        """How many points there were so far."""
        found: int = struct.unpack_from("q", self._map, 16)[0]
        return found

    def set_clock(self, seconds: int) -> None:
        """Sets the walk's clock ahead by a number of seconds, or back."""
        struct.pack_into("q", self._map, 24, seconds)
