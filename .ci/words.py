"""Finds the worst patterns of words in files that have been rewritten: ``python .ci/words.py`` fails and lists them.

CONTRIBUTING.md has the rules of style. ``CLEAN`` grows until it is the whole repository.
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
    r"\b[Ww]hat is \w+ is (?!it\b)": "a noun as the subject",
}
CLEAN = (
    "*.md",
    "docs/*.md",
    "docs/adr",
    "docs/how-to",
    "docs/tried",
    "profiling_core/airflow/*.py",
    "profiling_core/algorithms/budget.py",
    "profiling_core/algorithms/denial",
    "profiling_core/algorithms/dependencies",
    "profiling_core/algorithms/evidence",
    "profiling_core/algorithms/ground",
    "profiling_core/algorithms/hitting_sets",
    "profiling_core/algorithms/values",
    "profiling_core/cli",
    "profiling_core/emit",
    "profiling_core/model",
    "profiling_core/pipeline/*.py",
    "profiling_core/spark",
    "profiling_core/state",
    "profiling_core/validate",
    "tests/benchmarks/data",
)
# Still to be rewritten, but for CONTRIBUTING.md, which quotes the patterns.
EXCEPT = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/breaks.md",
    "docs/followed.md",
    "docs/loads.md",
    "docs/semantics.md",
    "profiling_core/model/finding.py",
    "profiling_core/model/incident.py",
    "profiling_core/model/diagnosis.py",
    "profiling_core/model/source.py",
    "profiling_core/model/types.py",
)


def files() -> Iterator[Path]:
    """The files that have been rewritten."""
    for place in CLEAN:
        for path in [ROOT / place] if (ROOT / place).exists() else ROOT.glob(place):
            inside = [*path.rglob("*.py"), *path.rglob("*.md")] if path.is_dir() else [path]
            yield from (file for file in inside if str(file.relative_to(ROOT)) not in EXCEPT)


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
