"""``python -m benchmarks.papers --help``: asks the papers' questions, and writes docs/benchmarks/papers."""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.datasets import WORK
from benchmarks.papers.page import Sizes, write

PAPERS = ("hydra", "incdc", "dynast", "pyro", "inds")


def main() -> None:
    """Asks what the arguments name; the answers are kept, so that each question can be asked alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a directory of CSV files in the normal form")
    parser.add_argument("--papers", nargs="*", default=PAPERS)
    parser.add_argument("--only", nargs="*", help="questions by their names, as figure-5; none: only the page")
    parser.add_argument("--rows", type=int, default=5_000, help="the most rows of a table that is asked")
    parser.add_argument("--tall", type=int, default=40_000, help="the most rows where a table grows")
    parser.add_argument("--scale", default="0.1", help="of TPC-H, whose inclusions are kept")
    parser.add_argument("--tuples", type=int, default=20_000, help="rows that come and go one by one")
    options = parser.parse_args()
    sizes = Sizes(options.data, options.rows, options.tall, options.scale, options.tuples)
    for name in options.papers:
        paper = import_module(f"benchmarks.papers.{name}")
        kept = {question.name: WORK / "papers" / name / f"{question.name}.json" for question in paper.QUESTIONS}
        (WORK / "papers" / name).mkdir(parents=True, exist_ok=True)
        for question in paper.QUESTIONS:
            if options.only is None or question.name in options.only:
                sys.stderr.write(f"{name} {question.name}\n")
                lines = list(question.answers(sizes))
                kept[question.name].write_text(json.dumps([sizes.told, lines]), encoding="utf-8")
        write(name, paper, {key: json.loads(path.read_text("utf-8")) for key, path in kept.items() if path.exists()})


if __name__ == "__main__":
    main()
