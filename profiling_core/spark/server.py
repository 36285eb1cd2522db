"""A Spark Connect server for one deployment: ``python -m profiling_core.spark.server PORT`` becomes one.

It listens on the loopback interface, has the settings of an embedded session, and takes work from whoever knows the
token in ``SPARK_CONNECT_AUTHENTICATE_TOKEN``. ``holdfast up`` and the demo start it; its Python workers are ours.
"""

import os
import sys
from pathlib import Path

import pyspark

from profiling_core.spark.session import DEFAULT_MASTER, MASTER_VARIABLE, prepare_environment, session_settings

_MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"
_OWN = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.session.manager.defaultSessionTimeout": "-1",  # a session keeps its Python workers over the night
}
# Settings that Spark's launcher must know before it starts Java.
_FIRST = {"spark.driver.memory": "--driver-memory", "spark.driver.extraJavaOptions": "--driver-java-options"}


def command(port: int, master: str) -> list[str]:
    """The command line that starts the server.

    Raises:
        ConfigurationError: there is no Java that Spark can use.
    """
    settings = session_settings(master, os.environ) | _OWN | {"spark.connect.grpc.binding.port": str(port)}
    program = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", master, "--class", _MAIN]
    for name, option in _FIRST.items():
        if name in settings:
            program += [option, settings.pop(name)]
    for name, value in settings.items():
        program += ["--conf", f"{name}={value}"]
    return [*program, "--name", "Holdfast", "spark-internal"]


def main(port: int) -> None:
    """Becomes the server."""
    master = os.environ.get(MASTER_VARIABLE) or DEFAULT_MASTER
    program = command(port, master)
    prepare_environment(master)
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.execv(program[0], program)  # noqa: S606  # no shell; Spark's own launcher


if __name__ == "__main__":
    main(int(sys.argv[1]))
