"""The map from papers to modules: every module and test that docs/papers.md names is there."""

import ast
import re
from pathlib import Path

import pytest
from stack.files import REPOSITORY as ROOT

SHORT = {"d/": "algorithms/dependencies/", "c/": "algorithms/denial/"}
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("|") and ".py`" in line]


def modules(cell: str) -> list[Path]:
    """The files that a cell names; one without a folder lies beside the one before it."""
    found: list[Path] = []
    for name in re.findall(r"`([\w/]+\.py)`", cell):
        full = SHORT.get(name[:2], "") + (name[2:] if name[:2] in SHORT else name)
        found.append(Path(full) if "/" in full else found[-1].parent / full)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_every_section_names_modules_and_tests_that_are_there(row):
    _, here, _, tests = row
    assert modules(here)
    assert modules(tests)
    for path in modules(here):
        assert (ROOT / "profiling_core" / path).is_file(), path
    for path in modules(tests):
        assert (ROOT / "tests" / path).is_file(), path


def test_every_module_that_cites_a_section_of_them_is_on_the_page():
    cites = re.compile(r"(DynASt|Hydra|IncDC|Pyro)[^.\n]*\bsection")
    named = {path for row in ROWS for path in modules(row[1])}
    citing = {
        path.relative_to(ROOT / "profiling_core")
        for path in (ROOT / "profiling_core").rglob("*.py")
        if cites.search(ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
    }
    assert len(citing) > 20
    assert citing - named == set()
