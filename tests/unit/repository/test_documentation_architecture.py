"""The maps that contributors read speak of files that are there, and of the layers as they are checked."""

import re
import tomllib

import pytest
from stack.files import REPOSITORY as ROOT

ADR = ROOT / "docs" / "adr"
_PATH = re.compile(r"`([A-Za-z0-9_./]+/[A-Za-z0-9_.]+)`")
_ROOM = "NAME.py"
HOW_TO = [f"docs/how-to/{page.name}" for page in sorted((ROOT / "docs" / "how-to").glob("*.md"))]
# Numbers that no earlier record of decisions had.
_NEVER_USED = {23, 46, 48, 49, 58, 63, 64, 69, 70, 72, 73, 74, 75, 76, 77, 78, 83, 84, 85, 88, 91, 133, 151, 154, 165}
_NEVER_USED |= {192, 196}


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md", *HOW_TO])
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


def test_every_earlier_record_is_in_one_place_of_the_index():
    rows = re.findall(r"^\| ([\d, ]+) \| \[.+?\]\((.+?)\) \|$", (ADR / "README.md").read_text(), re.MULTILINE)
    places = [(int(number), target) for numbers, target in rows for number in numbers.split(", ")]
    assert sorted(number for number, _ in places) == sorted(set(range(1, 200)) - _NEVER_USED)
    for number, target in places:
        text = (ADR / target).read_text()
        assert target.startswith("00") or text.count(f"\n| {number} | ") == 1, (number, target)
