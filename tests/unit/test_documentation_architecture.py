"""The maps that contributors read speak of files that are there, and of the layers as they are checked."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ADR = ROOT / "docs" / "adr"
_PATH = re.compile(r"`([A-Za-z0-9_./]+/[A-Za-z0-9_.]+)`")
_ROOM = "NAME.py"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_path_that_is_named_is_there(page: str):
    named = {path for path in _PATH.findall((ROOT / page).read_text()) if not path.endswith(_ROOM)}
    assert named
    places = (ROOT, ROOT / "profiling_core")
    assert not {p for p in named if not any((place / p).exists() for place in places)}


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_layers_are_those_that_are_checked(page: str):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    names = [layer.rpartition(".")[2] for layer in layers]
    assert f"    {' → '.join(names)}\n" in (ROOT / page).read_text()


def test_decisions_are_listed_under_their_titles():
    listed = dict(re.findall(r"^\d+\. \[(.+?)\]\((.+?)\)$", (ADR / "README.md").read_text(), re.MULTILINE))
    titles = {}
    for file in sorted(ADR.glob("0*.md")):
        heading = re.match(r"# (\d+)\. (.+)\n", file.read_text())
        assert heading
        assert int(heading[1]) == int(file.name[:4])
        titles[heading[2]] = file.name
    assert listed == titles
