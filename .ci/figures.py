"""Counts what a newcomer has to read: ``python .ci/figures.py [REVISION …]``, beside the files as they are now.

Lines are those of Python files, blank ones and comments included. A circle is a set of modules of which each imports
every other, if by way of others; imports within functions and those for type checkers alone count, too. A constant is a
number in the code of the rules other than 0, 1 and 2 and their opposites, wherever it stands, per 1,000 lines; fitted
weights are no code.
"""

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import grimp  # comes with import-linter
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
PRODUCT, TESTS = "profiling_core", "tests"
# A function that writes JSON data or reads it, by hand; one that returns a str writes text for people.
CODEC = re.compile(r"^\s*def \w*(to_json|from_json)\(.*(?<!-> str):$", re.MULTILINE)
THE_CODEC = "stored.py"
RIDDLE = re.compile(r"\bso many\b")
# What finds, scores, states and emits rules.
RULES = (
    *(f"algorithms/{name}" for name in ("rules", "roles", "equations", "conditions", "references", "score")),
    *("algorithms/inclusions/foreign_keys.py", "model/expressions", "model/expression.py"),
    *("emit/expressions.py", "emit/other_values.py", "emit/comparison.py", "emit/group_extremes.py"),
    *("emit/running_extremes.py", "emit/kinds"),
)
PLAIN = (0, 1, 2)


def main(revisions: Iterable[str]) -> None:
    """Prints a table: a line for each figure, a column for each revision, the last one for the working tree."""
    columns = {revision: _at(revision) for revision in revisions} | {"now": figures(ROOT)}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    sys.stdout.write(f"| figure | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}\n")
    for name in names:
        sys.stdout.write(f"| {name} | {' | '.join(f'{column.get(name, 0):,}' for column in columns.values())} |\n")


def _at(revision: str) -> dict[str, int]:
    git = ["git", "archive", revision]
    packed = subprocess.run(git, cwd=ROOT, check=True, capture_output=True).stdout  # noqa: S603 - a revision, no shell
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        return figures(Path(folder))


def figures(root: Path) -> dict[str, int]:
    """By name the figures of a checkout."""
    found = {
        f"{PRODUCT}: lines": _lines(root / PRODUCT),
        **_by_folder(root, PRODUCT),
        **_of_rules([root / PRODUCT / place for place in RULES]),
        f"{TESTS}: lines": _lines(root / TESTS),
        **_by_folder(root, TESTS),
        "decision records": len(list((root / "docs/adr").glob("[0-9]*.md"))),
        "words of docs, README and CONTRIBUTING": sum(map(_words, _pages(root))),
        "lines of README": len(_text(root / "README.md").splitlines()),
        "circles of imports": _circles(root),
        "hand-written codecs": _codecs(root / PRODUCT),
        '"so many" in code': _matches(RIDDLE, root / PRODUCT, root / TESTS),
    }
    return {name: count for name, count in found.items() if count or "lines" not in name}


def _by_folder(root: Path, name: str) -> dict[str, int]:
    folders = sorted(path for path in (root / name).iterdir() if path.is_dir())
    return {f"{name}/{path.name}: lines": _lines(path) for path in folders}


def _of_rules(places: Iterable[Path]) -> dict[str, int]:
    """The lines of the rules, and their numeric constants per 1,000 lines."""
    files = [path for place in places for path in ([place] if place.is_file() else place.rglob("*.py"))]
    texts = [_text(path) for path in files]
    lines, constants = sum(text.count("\n") for text in texts), sum(map(_constants, texts))
    return {"rules: lines": lines, "rules: constants per 1,000 lines": round(1000 * constants / max(1, lines))}


def _constants(text: str) -> int:
    """How many numbers stand in code, without plain ones."""
    numbers = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return sum(type(value) in (int, float) and abs(value) not in PLAIN for value in numbers)


def _lines(folder: Path) -> int:
    return _total(folder, lambda text: text.count("\n"))


def _matches(pattern: re.Pattern[str], *folders: Path) -> int:
    return sum(_total(folder, lambda text: len(pattern.findall(text))) for folder in folders)


def _codecs(folder: Path) -> int:
    return sum(len(CODEC.findall(_text(path))) for path in folder.rglob("*.py") if path.name != THE_CODEC)


def _total(folder: Path, count: Callable[[str], int]) -> int:
    return sum(count(_text(path)) for path in folder.rglob("*.py"))


def _pages(root: Path) -> list[Path]:
    return [*(root / "docs").rglob("*.md"), root / "README.md", root / "CONTRIBUTING.md"]


def _words(page: Path) -> int:
    return len(_text(page).split())


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _circles(root: Path) -> int:
    sys.path.insert(0, str(root))
    graph = grimp.build_graph(PRODUCT, exclude_type_checking_imports=False, cache_dir=None)
    sys.path.remove(str(root))
    number = {name: at for at, name in enumerate(sorted(graph.modules))}
    pairs = [(number[m], number[of]) for m in number for of in graph.find_modules_directly_imported_by(m)]
    rows, cols = np.array(pairs).T
    edges = coo_array((np.ones(len(pairs)), (rows, cols)), shape=(len(number), len(number)))
    _, member = connected_components(edges, directed=True, connection="strong")
    return int((np.bincount(member) > 1).sum())


if __name__ == "__main__":
    main(sys.argv[1:])
