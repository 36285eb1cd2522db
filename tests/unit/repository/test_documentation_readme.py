"""The README is true: its examples print what it shows, its tests exist, its commands and links lead somewhere."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from stack.files import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")
DISCOVER = (REPOSITORY / "docs" / "discover.md").read_text("utf-8")
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
_CONSOLE = re.compile(r"```console\n\$ (.*?)```", re.DOTALL)
EXAMPLES = [block.split("\n", 1) for block in dict.fromkeys(_CONSOLE.findall(README) + _CONSOLE.findall(DISCOVER))]
MOST_LINES = 120
SECONDS = re.compile(r"\d+\.\d s\.$", re.MULTILINE)
HOLDFAST = Path(sys.executable).with_name("holdfast")


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_prints_what_the_readme_shows(command, shown):
    program, *arguments = shlex.split(command)
    assert program == "holdfast"
    done = subprocess.run(
        [HOLDFAST, *arguments],
        cwd=REPOSITORY / "docs" / "examples",
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert lines(done.stdout) == lines(shown)


def lines(text: str) -> list[str]:
    """Without trailing blanks, and without the seconds, which differ."""
    return [line.rstrip() for line in SECONDS.sub("", text).strip().splitlines()]


def test_there_are_examples():
    assert len(EXAMPLES) >= 3
    assert _CONSOLE.search(README)


def test_the_readme_is_short_and_shows_an_alert_first():
    assert len(README.splitlines()) <= MOST_LINES
    assert "](docs/images/alert.png)" in README.split("\n## ")[0]


def test_every_command_is_explained_on_the_page_of_commands():
    from profiling_core.cli.main import COMMANDS

    named = re.findall(r"^\| (.+?) \|", (REPOSITORY / "docs" / "commands.md").read_text("utf-8"), re.MULTILINE)
    listed = set(re.findall(r"`(?:holdfast )?(\w+)", " ".join(named)))
    assert listed >= {entry.name for entry in COMMANDS}


def test_each_guarantee_names_tests_that_exist():
    assert "docs/guarantees.md" in README.split("\n## Guarantees\n")[1].split("\n## ")[0]
    tables = (REPOSITORY / "docs" / "guarantees.md").read_text("utf-8").split("\n## Faults put in\n")[0]
    rows = [row for row in tables.splitlines() if row.startswith("| ") and not row.startswith("| guarantee ")]
    assert len(rows) > 40
    for row in rows:
        named = re.findall(r"`(tests/[^`:]+)::(\w+)`", row)
        assert named, row
        for path, test in named:
            assert re.search(rf"^def {test}\(", (REPOSITORY / path).read_text("utf-8"), re.MULTILINE), f"{path}::{test}"


def test_the_figures_of_faults_are_those_of_a_run():
    figures = (REPOSITORY / "docs" / "guarantees.md").read_text("utf-8").split("\n## Faults put in\n")[1]
    assert re.search(r"Made by `make test-faults( SHARE=[\d.]+)?` on ", figures)
    rows = [row.strip("| ").split(" | ") for row in figures.splitlines() if row.startswith("| ")][2:]
    assert len(rows) > 10
    for what, _, possible, done, _ in rows:
        there_are, put_in = (int(number.replace(",", "")) for number in (possible, done))
        assert put_in > 0
        assert put_in <= there_are or what.endswith("; rounds, and connections that ended")


def commands_on(page: Path) -> list[str]:
    """The commands of a page, those within a sentence and those in blocks."""
    text = page.read_text("utf-8")
    blocks = "\n".join(re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL))
    within = re.findall(r"`holdfast (\w[^`]*)`", text)
    return [*within, *re.findall(r"^(?:\$ )?holdfast (\w[^#|\n]*)", blocks, re.MULTILINE)]


def test_commands_and_options_exist():
    from profiling_core.cli.main import COMMANDS, _command

    known = {entry.name: _command(entry) for entry in COMMANDS}
    named = [(page.name, text) for page in PAGES for text in commands_on(page)]
    assert len(named) > 150
    for place, text in named:
        name, *words = text.split()
        assert name in known, f"{place}: {text}"
        command = known[name]
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        offered = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert set(re.findall(r"--[a-z-]+", " ".join(words))) <= offered, f"{place}: {text}"


def test_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in PAGES:
        code = re.findall(r"`make ([a-z-]+)", page.read_text("utf-8"))
        code += re.findall(r"^make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE)
        assert set(code) <= targets, page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(#[^)]*)?\)", text):
        place = page.parent / target if target else page
        assert place.exists(), target
        if anchor:
            assert anchor[1:] in anchors(place.read_text("utf-8")), anchor


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_help_explains_every_target():
    made = subprocess.run(["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, timeout=20, check=True)
    listed = set(re.findall(r"^  make ([a-z-]+) +\S", made.stdout, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.+)$", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert listed == set(phony[1].split())


def test_the_index_of_decisions_lists_all_of_them():
    folder = REPOSITORY / "docs" / "adr"
    index = (folder / "README.md").read_text("utf-8")
    pages = [path for path in sorted(folder.glob("*.md")) if path.name != "README.md"]
    titles = [page.read_text("utf-8").split("\n", 1)[0].removeprefix("# ") for page in pages]
    listed = re.findall(r"^(\d+\. )\[(.+)\]\((.+)\)$", index, re.MULTILINE)
    assert [(number + title, name) for number, title, name in listed] == [
        (title, page.name) for title, page in zip(titles, pages, strict=True)
    ]
