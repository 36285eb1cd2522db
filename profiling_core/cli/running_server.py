"""Commands use the Spark server that `holdfast up` keeps warm, as its tasks do, where there is one."""

import os

from profiling_core.cli.airflow_environment import airflow_home, spark_server
from profiling_core.cli.airflow_processes import recorded_spark
from profiling_core.spark.connection import REMOTE_VARIABLE
from profiling_core.spark.session import MASTER_VARIABLE
from profiling_core.state.settings import Settings


def join_running_server(settings: Settings) -> None:
    """Has this process's session be one of the project's running server, unless the environment names another place."""
    if {REMOTE_VARIABLE, MASTER_VARIABLE} & os.environ.keys():
        return
    port = recorded_spark(airflow_home(settings).running)
    if port:
        os.environ.update(spark_server(settings, port))
