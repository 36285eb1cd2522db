"""The end of this process's own Java machine, where Spark runs in one."""

import contextlib
import subprocess
import sys

from profiling_core.spark.scratch import remove_own_scratch

_PATIENCE = 5.0


def end_java() -> None:
    """Ends the Java machine that this process has started, and removes what it wrote aside.

    All that matters is on disk and synchronised by then. A machine for this process alone is ended at once; one that is
    part of a cluster gets a few seconds to take its leave.
    """
    pyspark = sys.modules.get("pyspark")
    gateway = getattr(getattr(pyspark, "SparkContext", None), "_gateway", None)
    machine: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if machine is None or machine.poll() is not None:
        return
    if not _is_alone(pyspark):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if machine.stdin:
                machine.stdin.close()  # which ends it
            machine.wait(_PATIENCE)
    machine.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        machine.wait(_PATIENCE)
    remove_own_scratch()


def _is_alone(pyspark: object) -> bool:
    """Whether Spark's tasks run in this machine; ``False`` where nobody knows."""
    context = getattr(getattr(pyspark, "SparkContext", None), "_active_spark_context", None)
    return str(getattr(context, "master", "")).startswith("local")
