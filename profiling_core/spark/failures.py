"""Messages for people when Spark fails: its process is gone, memory or disk is full, a task found damage.

Imports nothing of Spark: a failure is told by the module that raised it and by what it says.
"""

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from profiling_core.model.errors import CapacityError, HoldfastError, StateError, UnreachableError

_OURS_TO_TELL = {"py4j", "pyspark", "grpc"}
_GONE = (
    "py4jnetworkerror",
    "does not exist in the jvm",  # said of Spark's own classes where Java ends while it is asked for one
    "java_gateway_exited",
    "unavailable",
    "retries_exceeded",
    "connection refused",
    "connection reset",
)
# Java has ended before it answered: py4j has nothing to say then but what it called.
_UNANSWERED = re.compile(r"Py4JError: An error occurred while calling [\w.$:]+")
# What a Python worker of ours says of itself, at the end of its stack trace; and what Java does, of a disk.
_OURS = re.compile(r"^profiling_core\.[\w.]+Error: (?P<what>.+(?:\n +(?:where|what to do): .*)*)", re.MULTILINE)
_DISK = re.compile(
    r"(?:java\.n?io[\w.]*Exception|OSError|PermissionError): (?P<what>[^\n]*(?:error|denied|read-only)[^\n]*)",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"(?:\[PATH_NOT_FOUND\][^:\n]*: |\[FAILED_READ_FILE\.FILE_NOT_EXIST\][^\n]*?reading file )(?:file:(?://)?)?"
    r"(?P<where>/[^\n]+?)\.(?: |\n|$)"
)
# The last is where Spark asks the process that it forks workers from for one: who fails there has found it dead.
_WORKER = ("Python worker exited unexpectedly", "Python worker failed to connect back", "python.PythonWorkerFactory")
_MORE_MEMORY = "HOLDFAST_SPARK_CONF='spark.driver.memory=4g' gives more"


@contextmanager
def spark_failures_told() -> Iterator[None]:
    """Runs its block; failures of Spark itself end it as errors that say what to do.

    Raises:
        UnreachableError: Spark's process or server is gone; the same may work a little later.
        CapacityError: Spark has no memory or disk left.
        StateError: a task of ours found damage, or Spark could not read or write.
    """
    try:
        yield
    except HoldfastError:
        raise
    except Exception as error:
        told = _told(error)
        if told is None:
            raise
        raise told from error


def _told(error: BaseException) -> HoldfastError | None:
    if not any(module.split(".")[0] in _OURS_TO_TELL for module in _raised_in(error)):
        return None
    return next(filter(None, map(_meaning, _chain(error))), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that led to it: PySpark takes a lost connection for a type that it cannot parse."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _meaning(error: BaseException) -> HoldfastError | None:
    said = f"{type(error).__name__}: {error}"
    if ours := _OURS.search(said):
        what, *rest = ours["what"].split("\n")
        lines = dict(line.strip().split(": ", 1) for line in rest)
        return StateError(what, where=lines.get("where", ""), remedy=lines.get("what to do", ""))
    return _of_spark(said)


def _of_spark(said: str) -> HoldfastError | None:
    if "java.lang.OutOfMemoryError" in said:
        return CapacityError(
            "Spark ran out of memory", remedy=f"nothing is committed; {_MORE_MEMORY}, then run it again"
        )
    if "No space left on device" in said:
        return CapacityError(
            "Spark found no space left on the disk",
            remedy="nothing is committed; free some, or let TMPDIR name a larger disk, then run it again",
        )
    if any(sign in said.lower() for sign in _GONE) or _UNANSWERED.fullmatch(said):
        return UnreachableError(
            "Spark is gone: its process ended, was killed, or cannot be reached",
            remedy=f"run it again; nothing is lost. Where it happens again it may lack memory: {_MORE_MEMORY}",
        )
    if any(sign in said for sign in _WORKER):
        return UnreachableError(
            "one of Spark's Python workers ended, or was killed",
            remedy=f"run it again; nothing is lost. Where it happens again it may lack memory: {_MORE_MEMORY}",
        )
    return _of_files(said)


def _of_files(said: str) -> HoldfastError | None:
    if found := _ABSENT.search(said):
        return StateError(
            "a file that Spark was to read is gone since the step began: somebody has removed it",
            where=found["where"],
            remedy="run it again; where it happens again, `holdfast fsck` says what else is missing",
        )
    if found := _DISK.search(said):
        return StateError(
            f"Spark could not read or write: {found['what']}",
            remedy="nothing is committed; see whether its disk or the rights there are the cause, then run it again",
        )
    return None


def _raised_in(error: BaseException) -> Iterator[str]:
    """The modules through which the error came: a refused connection may be anybody's."""
    yield type(error).__module__
    for frame, _ in traceback.walk_tb(error.__traceback__):
        yield str(frame.f_globals.get("__name__", ""))
