"""Work on many items as Spark's tasks: each item's result is what the work alone says, wherever it runs."""

import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from profiling_core.algorithms.ground.pieces import Runner, in_threads
from profiling_core.model.errors import HoldfastError
from profiling_core.spark.rows import FEW_ROWS
from profiling_core.spark.session import parallelism

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Result = TypeVar("Result")
_TASKS_PER_CORE = 4
# Pieces of work cost very different amounts: with many tasks, whoever is done takes the next.
_PIECES_PER_CORE = 16


def in_tasks(
    spark: "SparkSession",
    items: Sequence[Item],
    work: Callable[[Iterator[Item]], Iterator[Result]],
    *,
    per_core: int = _TASKS_PER_CORE,
) -> list[Result]:
    """The results of the work on the items, in their order; each task gets some of the items.

    Args:
        spark: the session.
        items: what is worked on; each task gets all of them, and works on its own.
        work: what is done, in a process of Spark's.
        per_core: how many tasks there are per core at most.

    Raises:
        HoldfastError: a task raised it.
    """
    if not len(items):
        return []
    tasks = min(len(items), per_core * parallelism(spark))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers = [number for batch in batches for number in batch.column("id").to_pylist()]
        try:
            found: list[Result] | HoldfastError = list(work(items[number] for number in numbers))
        except HoldfastError as error:
            found = error
        first = min(numbers, default=len(items))
        yield pa.RecordBatch.from_pydict({"first": [first], "found": [pickle.dumps(found)]})

    answers = spark.range(len(items), numPartitions=tasks).mapInArrow(run, "first long, found binary").toArrow()
    results: list[Result] = []
    for answer in sorted(answers.to_pylist(), key=itemgetter("first")):
        found = pickle.loads(answer["found"])  # noqa: S301  # what our own task has just written
        if isinstance(found, HoldfastError):
            raise found
        results += found
    return results


def start_workers(spark: "SparkSession") -> None:
    """Has Spark start its Python processes in the background, for the tasks that soon come."""
    cores = range(parallelism(spark))
    threading.Thread(target=in_tasks, args=(spark, cores, lambda _: iter(())), daemon=True).start()


def runner(spark: "SparkSession", rows: int, tasks: "Callable[[SparkSession], Runner] | None" = None) -> Runner:
    """The runner for pieces of work on ``rows`` rows of a table: threads here for few, else the session's ``tasks``."""
    return in_threads if rows < FEW_ROWS else (tasks or by_tasks)(spark)


@contextmanager
def beside(rows: int, work: Callable[[], Result]) -> Iterator[Callable[[], Result]]:
    """Does a work on ``rows`` rows beside its caller's, few at once; yields a function that waits for its result."""
    if rows < FEW_ROWS:
        found = work()
        yield lambda: found
        return
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(copy_context().run, work).result


def by_spare_tasks(spark: "SparkSession") -> Runner:
    """Runs pieces of work as tasks of a session, no more at a time than there are cores.

    Spark gives its cores to jobs in the order in which they came: so what others ask for meanwhile need not wait for
    all of these pieces, and these take the cores that others leave.
    """

    def run(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        cores, pieces = parallelism(spark), by_tasks(spark)
        rounds = [pieces(work, items[first : first + cores]) for first in range(0, len(items), cores)]
        return list(chain.from_iterable(rounds))

    return run


def by_tasks(spark: "SparkSession") -> Runner:
    """Runs pieces of work as tasks of a session."""

    def run(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        return in_tasks(spark, items, lambda some: map(work, some), per_core=_PIECES_PER_CORE)

    return run
