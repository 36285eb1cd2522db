"""Where the machine fails, and not the program, a person gets a message: what, where, and what to do."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from profiling_core.cli import main as cli_main
from profiling_core.cli.failures import system_failures_told
from profiling_core.model.errors import StateError
from profiling_core.spark.failures import spark_failures_told

DATASET_FILE = "dataset: shop\ntables:\n  orders:\n    source: {path: landing/orders}\n    key: [order]\n"
WORKER = """[PYTHON] An exception was thrown from the Python worker.
Traceback (most recent call last):
  File "x.py", line 3, in read
profiling_core.model.errors.StateError: a file of the state is damaged
  where: /home/rows.parquet
  what to do: restore it

JVM stacktrace:
"""


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.ENOSPC, "make room"), (errno.EROFS, "mount it"), (errno.EIO, "disk"), (0, "see that")]
)
def test_what_the_system_refuses_is_told_with_what_to_do(number: int, remedy: str) -> None:
    error = OSError(number, os.strerror(number), "/home/state/rows", None, "/home/state/other")
    with pytest.raises(StateError, match=remedy) as caught, system_failures_told():
        raise error
    assert caught.value.where == "/home/state/rows → /home/state/other"


def test_what_a_task_of_ours_found_is_told_as_it_said_it() -> None:
    with pytest.raises(StateError) as caught, spark_failures_told():
        raise PySparkException(WORKER)
    told = caught.value
    assert (told.what, told.where, told.remedy) == (
        "a file of the state is damaged",
        "/home/rows.parquet",
        "restore it",
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Job aborted.\nCaused by: java.io.IOException: Input/output error\n\tat x", "write: Input/output error"),
        ("Traceback\nOSError: [Errno 5] Input/output error", "write: .Errno 5. Input/output error"),
        ("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.", "Spark is gone"),
        ("SparkException: Python worker exited unexpectedly (crashed)", "Python workers ended"),
    ],
)
def test_what_spark_fails_by_is_told(text: str, what: str) -> None:
    with pytest.raises(StateError, match=what), spark_failures_told():
        raise PySparkException(text)


@pytest.mark.parametrize(
    "lost", [Py4JNetworkError("Error while sending or receiving"), Py4JError("An error occurred while calling o63.sc")]
)
def test_spark_that_is_gone_is_told_where_pyspark_takes_it_for_a_type_that_it_cannot_parse(lost: Py4JError) -> None:
    with pytest.raises(StateError, match="Spark is gone"), spark_failures_told():
        raise PySparkException("[CANNOT_PARSE_DATATYPE] Unable to parse datatype.") from lost


def test_arrow_that_finds_no_room_is_told_so() -> None:
    with pytest.raises(StateError, match="make room"), system_failures_told():
        raise OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")


def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    datasets = tmp_path / "dags" / "datasets"
    datasets.mkdir(parents=True)
    (datasets / "shop.yaml").write_text(DATASET_FILE)
    (tmp_path / "landing" / "orders").mkdir(parents=True)
    (tmp_path / "home").write_text("")
    done = subprocess.run(
        [Path(sys.executable).with_name("holdfast"), "apply", "shop"],
        env=os.environ | {"HOLDFAST_ROOT": str(tmp_path), "HOLDFAST_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "home") in done.stderr
    assert "what to do" in done.stderr


def test_what_nobody_foresaw_ends_in_words_with_its_trace_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(_: object) -> None:
        raise RuntimeError("no such thing\nand more")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(cli_main, "get_command", wrong)
    with pytest.raises(SystemExit) as ended:
        cli_main.main()
    said = capsys.readouterr().err
    (trace,) = tmp_path.iterdir()
    assert ended.value.code == cli_main.EXIT_MISTAKE
    assert "a mistake in Holdfast itself (RuntimeError: no such thing)" in said
    assert str(trace) in said
    assert "Traceback" not in said
    assert "and more" in trace.read_text()
    assert trace.stat().st_mode & 0o777 == 0o600


def test_so_it_does_where_no_file_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(_: object) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    monkeypatch.setattr(cli_main, "get_command", wrong)
    with pytest.raises(SystemExit) as ended:
        cli_main.main()
    said = capsys.readouterr().err
    assert ended.value.code == cli_main.EXIT_MISTAKE
    assert "(RuntimeError: no such thing)" in said
    assert f"{Path(__file__)}, line" in said
