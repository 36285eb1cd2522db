"""The map from papers to modules: what docs/papers.md names is there, and its tests name the sections they are of."""

import ast
import re
from pathlib import Path

import pytest
from stack.files import REPOSITORY as ROOT

SHORT = {"d/": "algorithms/dependencies/", "c/": "algorithms/denial/"}
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
# Numbers of theorems, algorithms and records are none of sections.
OTHER_NUMBERS = re.compile(r"(Algorithms?|Lemma|Definitions?|Theorem|property) [\d., to]+")
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


def sections() -> list[tuple[str, str, list[Path]]]:
    """Each section that the page has tests of: its paper, its number and the tests."""
    found: list[tuple[str, str, list[Path]]] = []
    for part in PAGE.split("\n## ")[1:]:
        paper = part.partition(":")[0]
        for row in (line.split("|")[1:-1] for line in part.splitlines() if line.startswith("|") and ".py`" in line):
            numbers = re.findall(r"(?<![\w.])\d(?:\.\d)?(?![\w.])", OTHER_NUMBERS.sub("", row[0]))
            found += [(paper, number, modules(row[3])) for number in numbers]
    return found


@pytest.mark.parametrize(
    ("paper", "number", "tests"), sections(), ids=lambda part: str(part) if isinstance(part, str) else ""
)
def test_a_test_of_a_section_names_it(paper, number, tests):
    docs = [ast.get_docstring(ast.parse((ROOT / "tests" / path).read_text("utf-8"))) or "" for path in tests]
    named = re.compile(rf"{paper} (\d(\.\d)?, )*{re.escape(number)}(?![\d.]\d)")
    assert any(named.search(doc.replace("\n", " ")) for doc in docs)


OF_SECTIONS = [row for line in PAGE.splitlines() if re.match(r"\| \d", line) and (row := line.split("|")[1:-1])]
REASON = re.compile(r"\]\((tried|benchmarks|adr)/[\w/.-]+\.md(#[\w-]+)?\)|\]\(semantics\.md#[\w-]+\)")


@pytest.mark.parametrize("row", OF_SECTIONS, ids=lambda row: row[0].strip())
def test_a_section_has_a_test_or_is_missing_and_a_difference_has_its_reason(row):
    """A reason is what was measured or decided; of what words mean, the definition."""
    _, here, differs, tests = (cell.strip() for cell in row)
    assert bool(modules(here)) == bool(modules(tests)) == ("Missing" not in differs)
    assert not differs or REASON.search(differs)
    for page, anchor in re.findall(r"\]\(([\w/.-]+\.md)(?:#([\w-]+))?\)", differs):
        text = (ROOT / "docs" / page).read_text("utf-8")
        titles = [re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in text.splitlines()]
        assert not anchor or anchor in titles, (page, anchor)


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


ASKED = [
    (path.stem, part)
    for path in sorted((ROOT / "docs" / "benchmarks" / "papers").glob("*.md"))
    for part in path.read_text("utf-8").split("\n## ")[1:]
]


@pytest.mark.parametrize(("paper", "part"), ASKED, ids=lambda part: part.partition("\n")[0])
def test_a_question_says_its_axes_what_is_ours_what_was_published_and_what_else_ran(paper, part):
    title, _, words = part.partition("\n")
    if title == "Not asked":
        assert len(re.findall(r"^- .+", words, re.MULTILINE)) == words.strip().count("\n") + 1
    else:
        assert re.findall(r"^- ([\w ]+): .+", words, re.MULTILINE) == ["Axes", "Ours", "The paper", "Another program"]
