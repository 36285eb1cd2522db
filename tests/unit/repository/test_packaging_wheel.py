"""The wheel: what belongs to the library is in it, nothing else is, and it says what it needs."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser

import pytest
from stack.files import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    """Built from a copy, since a build leaves directories behind."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in ("pyproject.toml", "README.md", "LICENSE", "holdfast.py"):
        shutil.copy(REPOSITORY / name, copy)
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("profiling_core", "tests", "dags", "plugins", "docker"):
        shutil.copytree(REPOSITORY / folder, copy / folder, ignore=ignored)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, copy]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return zipfile.ZipFile(next(out.glob("*.whl")))


def metadata(wheel: zipfile.ZipFile):
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return HeaderParser().parsestr(wheel.read(name).decode("utf-8"))


@pytest.mark.slow
def test_all_files_of_the_library_are_in_the_wheel_and_no_others(wheel):
    library = REPOSITORY / "profiling_core"
    files = (path for path in library.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == {"holdfast.py", *(str(path.relative_to(REPOSITORY)) for path in files)}


def test_the_library_goes_by_the_name_of_the_product_too():
    import holdfast
    import profiling_core

    assert holdfast is profiling_core


def test_the_command_is_declared(wheel):
    name = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "holdfast = profiling_core.cli.main:process" in wheel.read(name).decode("utf-8")


def test_the_wheel_says_what_it_needs(wheel):
    found = metadata(wheel)
    needed = [text for text in found.get_all("Requires-Dist") if "extra ==" not in text]
    assert {re.split(r"[<>=!\[ ]", text)[0] for text in needed} == names(PROJECT["dependencies"])
    assert found["Version"] == PROJECT["version"]
    assert found["License-Expression"] == "Apache-2.0"


def test_the_lock_holds_what_the_wheel_needs():
    lock = (REPOSITORY / "requirements.lock").read_text("utf-8")
    locked = {name.lower() for name in re.findall(r"^([A-Za-z0-9._-]+)==", lock, re.MULTILINE)}
    groups = PROJECT["optional-dependencies"].values()
    extras = [requirement for group in groups for requirement in group if not requirement.startswith("holdfast[")]
    assert names(PROJECT["dependencies"]) | names(extras) <= locked
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\S)", lock.strip()))


def test_no_registry_is_named_anywhere():
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    option = r"^--?(?:index|extra-index|find-links)"
    hosts = re.compile(rf"\bpypi\.(?:org|python)|pythonhosted|/simple[/\"']|{option}", re.MULTILINE)
    for name in filter(None, files):
        path = REPOSITORY / name
        if path.suffix in {".in", ".lock", ".toml", ".cfg", ".yaml", ".sh", ""} and path.is_file():
            assert not hosts.search(path.read_text("utf-8", errors="replace")), name


def names(requirements) -> set[str]:
    return {re.split(r"[<>=!\[ ]", requirement)[0].lower() for requirement in requirements}
