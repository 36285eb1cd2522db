"""An environment with the libraries that the wheel asks for, with all that they need, and none of the extras."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from stack.files import REPOSITORY


@pytest.fixture(scope="session")
def light(tmp_path_factory) -> Path:
    """A directory to import from: links to the program and to what its wheel needs."""
    place = tmp_path_factory.mktemp("light")
    (place / "profiling_core").symlink_to(REPOSITORY / "profiling_core")
    own = distribution("holdfast")
    about = next(file.parts[0] for file in own.files or () if file.name == "METADATA")
    (place / about).symlink_to(Path(str(own.locate_file(about))))
    asked = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for found in needed(map(Requirement, asked)):
        for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (place / top).exists():
                (place / top).symlink_to(Path(str(found.locate_file(top))))
    return place


def needed(requirements: Iterable[Requirement]) -> Iterator[Distribution]:
    """The distributions of requirements, and of what these require."""
    seen, open_ = set(), list(requirements)
    while open_:
        asked = open_.pop()
        name = re.sub(r"[-_.]+", "-", asked.name).lower()
        if name in seen or (asked.marker and not asked.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        try:
            found = distribution(asked.name)
        except PackageNotFoundError:
            continue
        yield found
        open_ += map(Requirement, found.requires or ())
