"""Finds the worst patterns of words in files that have been rewritten: ``python .ci/words.py`` fails and lists them.

CONTRIBUTING.md has the rules of style. ``EXCEPT`` shrinks until the whole repository follows them.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Per pattern what to write in its place.
PATTERNS = {
    r"\bso (many|much)\b": "the number, or the name of the parameter",
    r"\bof (which|whom)\b(?! kind)": "two sentences, or a possessive",
    r"\bhardly\b": "rarely, or the share",
    r"\bas such\b|\b(be|is) such\b(?! (?:as|an?)\b)|\bsuch(?=[.,;:)])": "the noun that it stands for",
    r"\b[Ww]hat is \w+ is (?!it\b)": "a noun as the subject",
}
CLEAN = (
    "*.md",
    ".ci",
    "dags",
    "docs",
    "plugins",
    "profiling_core",
    "tests",
)
# These quote the patterns.
EXCEPT = (
    ".ci/words.py",
    ".ci/figures.py",
    "CONTRIBUTING.md",
)


def files() -> Iterator[Path]:
    """The files that have been rewritten."""
    for place in CLEAN:
        for path in [ROOT / place] if (ROOT / place).exists() else ROOT.glob(place):
            inside = [*path.rglob("*.py"), *path.rglob("*.md")] if path.is_dir() else [path]
            yield from (file for file in inside if not str(file.relative_to(ROOT)).startswith(EXCEPT))


def main() -> int:
    """Lists each place; 1 if there is any."""
    found = [
        f"{file.relative_to(ROOT)}:{number}: {match[0]!r}: write {instead}\n"
        for file in sorted(set(files()))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        for pattern, instead in PATTERNS.items()
        for match in re.finditer(pattern, line)
    ]
    sys.stdout.writelines(found)
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
