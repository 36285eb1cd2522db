"""A test that has a module's name speaks of that module (CONTRIBUTING.md, "Set up, check, test")."""

import ast
import re
from collections import Counter

from stack.files import REPOSITORY as ROOT


def test_a_test_that_has_a_modules_name_imports_it():
    modules = {path.stem for path in (ROOT / "profiling_core").rglob("*.py")}
    tests = {test: test.stem.removeprefix("test_") for test in (ROOT / "tests").rglob("test_*.py")}
    of_modules = {test: name for test, name in tests.items() if name in modules}
    assert len(of_modules) > 50
    strangers = [
        str(test.relative_to(ROOT))
        for test, name in of_modules.items()
        if not re.search(rf"profiling_core[\w.]*\.{name}\b|\bimport .*\b{name}\b", test.read_text("utf-8"))
    ]
    assert strangers == [], strangers


def test_the_folders_of_unit_tests_are_those_of_the_product():
    """``repository`` has the tests of what is beside the product: docs, names, sizes, imports and packages."""
    folders = {p.parent.relative_to(ROOT / "tests" / "unit") for p in (ROOT / "tests" / "unit").rglob("test_*.py")}
    assert len(folders) > 20
    assert not {str(f) for f in folders if str(f) != "repository" and not (ROOT / "profiling_core" / f).is_dir()}


def test_no_two_classes_have_one_name():
    """Rows and candidates are of two kinds each, which no module takes together."""
    homes = Counter(
        node.name
        for path in (ROOT / "profiling_core").rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(homes) > 400
    assert {name for name, many in homes.items() if many > 1} == {"Rows", "Candidate"}
