"""One way to a Spark session, for steps, commands and tests: embedded on this machine, or elsewhere by environment.

``HOLDFAST_SPARK_REMOTE`` names a Spark Connect server; without one, ``HOLDFAST_SPARK_MASTER`` names the master whose
driver this process is (default ``local[2]``). ``HOLDFAST_SPARK_CONF`` adds settings as
``key=value;key=value``, which win over those here. All but the settings that differ are the same on both, so that a
query means the same.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from profiling_core.model.errors import ConfigurationError
from profiling_core.spark.connection import REMOTE_VARIABLE, connected, is_local
from profiling_core.spark.java import driver_options, find_java
from profiling_core.spark.scratch import own_scratch, scratch
from profiling_core.spark.standard_error import without_noise
from profiling_core.state.settings import COPIES_VARIABLE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER_VARIABLE = "HOLDFAST_SPARK_MASTER"
CONF_VARIABLE = "HOLDFAST_SPARK_CONF"
DEFAULT_MASTER = "local[2]"

_MEANING = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",  # a bad cast or an overflow is an error, never a null
    "spark.sql.caseSensitive": "true",  # columns may differ in case alone
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",  # dates before 1582 as they are
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # What is kept while something asks for it again lies in few pieces, not in one per partition of a shuffle.
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
}
_LEAN = {
    "spark.sql.catalogImplementation": "in-memory",  # no Hive, and so no derby.log in the working directory
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.daemon.module": "profiling_core.spark.worker_daemon",  # workers start with our imports done
}
# Takes effect from the JVM's first line on, which a level set by the session does not.
_LOGGING = Path(__file__).with_name("log4j2.properties")
_EMBEDDED = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "4",
    "spark.shuffle.compress": "false",  # what is shuffled stays on this machine
    "spark.sql.autoBroadcastJoinThreshold": "32m",
    # What a broadcast table or a group's rows take at least. By default it is a 64th of memory, which a few dozen small
    # queries then fill, and each time that it is full Java stops to look through all of it.
    "spark.buffer.pageSize": "1m",
}


def spark_session(name: str, *, master: str | None = None) -> "SparkSession":
    """The process's Spark session, started at first use.

    Args:
        name: what the session is for; shown by a cluster's UI.
        master: a master URL; None: the server or master of the environment, or two threads of this process's JVM.

    Raises:
        ConfigurationError: there is no Java that Spark can use, or the environment's settings are malformed.
        UnreachableError: the server of the environment does not answer.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    remote = os.environ.get(REMOTE_VARIABLE)
    if remote and master is None:
        return connected(remote, _MEANING | _runtime(_extra(os.environ.get(CONF_VARIABLE, ""))), scratch())
    chosen = master or os.environ.get(MASTER_VARIABLE) or DEFAULT_MASTER
    settings = session_settings(chosen, os.environ)
    prepare_environment(chosen)
    builder = SparkSession.builder.appName(name).master(chosen).config(map=settings)
    with without_noise():
        return builder.getOrCreate()


def require_this_machine() -> None:
    """Raises ``ConfigurationError`` where Spark runs elsewhere, and so does not see this machine's copies of the state.

    Who names the directory of the copies says that Spark's machines see it, too.
    """
    remote, master = os.environ.get(REMOTE_VARIABLE), os.environ.get(MASTER_VARIABLE) or DEFAULT_MASTER
    here = is_local(remote) if remote else master.startswith("local")
    if here or os.environ.get(COPIES_VARIABLE):
        return
    raise ConfigurationError(
        "Spark runs on other machines, which do not see this one's copies of the state",
        where=f"environment variable {REMOTE_VARIABLE if remote else MASTER_VARIABLE}",
        remedy=f"unset it, so that Spark runs here; or set {COPIES_VARIABLE} to a directory that all of them share",
    )


class SessionOnDemand:
    """Stands for the process's session until something is asked of it, and begins it then.

    Args:
        name: what the session is for.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def typed(self) -> "SparkSession":
        """This, for those who expect a session."""
        return cast("SparkSession", self)

    def __getattr__(self, name: str) -> object:
        return getattr(spark_session(self._name), name)


def session_settings(master: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The settings that a session on this master starts with."""
    embedded = master.startswith("local")
    places = {"spark.sql.warehouse.dir": str(scratch() / "warehouse")}
    # Where TMPDIR says; Spark's own default is /tmp, and a cluster's machines have places of their own.
    aside = {"spark.local.dir": str(own_scratch())}
    # The driver is this process's own JVM on a cluster too.
    options = f'{driver_options(find_java())} -Dlog4j2.configurationFile={_LOGGING} "-Djava.io.tmpdir={own_scratch()}"'
    jvm = {"spark.driver.extraJavaOptions": options}
    settings = _MEANING | _LEAN | places | jvm | (_EMBEDDED | aside if embedded else {})
    return settings | _extra(environment.get(CONF_VARIABLE, ""))


def parallelism(spark: "SparkSession") -> int:
    """How many tasks the session's Spark runs by default at once."""
    from pyspark.sql.utils import is_remote

    conf = spark.conf  # begins a session on demand: before it, nobody knows whether it is remote
    if not is_remote():
        return int(spark.sparkContext.defaultParallelism)
    return int(conf.get("spark.default.parallelism", conf.get("spark.sql.shuffle.partitions")) or 1)


def _runtime(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that a session may choose; the server chooses the others."""
    return {name: value for name, value in settings.items() if name.startswith("spark.sql.")}


def _extra(text: str) -> dict[str, str]:
    settings = {}
    for part in filter(None, (p.strip() for p in text.split(";"))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip().startswith("spark."):
            raise ConfigurationError(
                f"{part!r} is not a Spark setting",
                where=f"environment variable {CONF_VARIABLE}",
                remedy="write spark.key=value, several of them with a semicolon between",
            )
        settings[key.strip()] = value.strip()
    return settings


def prepare_environment(master: str) -> None:
    """Sets the variables that Spark's launcher and Python workers read; variables that are set already stay."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers run another Python, without our packages
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    # The launcher is a JVM of its own that lives for a moment.
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
