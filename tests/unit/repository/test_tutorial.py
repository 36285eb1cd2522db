"""Every command of the tutorial runs, in its order, and prints what the page shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from stack.files import REPOSITORY

pytestmark = pytest.mark.slow
PAGE = (REPOSITORY / "docs" / "tutorial.md").read_text("utf-8")
STEPS = [
    (command, shown.splitlines())
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]
DIFFERS = re.compile(r"\d+\.\d s|\d{4}-\d\d-\d\d \d\d:\d\d UTC")


@pytest.fixture
def run(light, tmp_path):
    """Runs a command as a reader would, in the directory that the commands before it have changed to."""
    place = tmp_path / "bin" / "holdfast"
    place.parent.mkdir()
    place.write_text(f'#!/bin/sh\nPYTHONPATH={light} exec {sys.executable} -S -m profiling_core.cli.main "$@"\n')
    place.chmod(0o755)
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    (home / "holdfast").symlink_to(REPOSITORY)
    here.write_text(str(home))
    path = f"{place.parent}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(home), "COLUMNS": "120", "HOLDFAST_USER": "ada", "LANG": "C.UTF-8"}

    def ran(command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", f"cd '{here.read_text()}' && {command} && pwd > {here}.new"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout)
        here.write_text(Path(f"{here}.new").read_text().strip())
        return "".join(f"{line.rstrip()}\n" for line in done.stdout.rstrip().splitlines())

    return ran


def test_every_command_prints_what_the_tutorial_shows(run):
    assert len([command for command, _ in STEPS if command.startswith("holdfast ")]) >= 12
    for command, shown in STEPS:
        printed = run(command)
        assert re.fullmatch(pattern(shown), DIFFERS.sub("", printed)), f"{command}\n{printed}"


def pattern(shown: list[str]) -> str:
    """The lines as they stand; a line ``…`` stands for any lines."""
    return "".join(r"(?:.*\n)*?" if line == "…" else re.escape(DIFFERS.sub("", line)) + r"\n" for line in shown)
