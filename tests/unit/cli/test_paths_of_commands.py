"""URLs where commands take paths: those of files are paths, all others are refused before anything is written."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    "command",
    [
        ("discover", "s3://me:canary@bucket/t.csv"),
        ("discover", "{file}", "--json", "s3://me:canary@bucket/found.json"),
        ("contract", "import", "gs://me:canary@bucket/contract.yaml"),
        ("joins", "--svg", "s3://me:canary@bucket/joins.svg"),
        ("landing", "nycflights13", "--to", "s3://me:canary@bucket/landing"),
        ("export", "shop", "--format", "odcs", "--output", "s3://me:canary@bucket/out"),
        ("backup", "gs://me:canary@bucket/backup"),
        ("restore", "https://me:canary@bucket/backup"),
    ],
)
def test_what_is_no_file_of_this_machine_is_refused(
    here: Path, holdfast: Callable[..., Any], command: tuple[str, ...]
) -> None:
    (here / "t.csv").write_text("id\n1\n", "utf-8")
    (here / "dags" / "datasets").mkdir(parents=True)
    code, out, err = holdfast(*(word.format(file="t.csv") for word in command))
    assert code == 2
    assert "is not supported here" in err
    assert "canary" not in out + err
    assert sorted(path.name for path in here.iterdir()) == ["dags", "t.csv"]


def test_the_url_of_a_file_is_a_path(tmp_path: Path, holdfast: Callable[..., Any]) -> None:
    (tmp_path / "my table.csv").write_text("id,x\n1,2\n2,3\n", "utf-8")
    ended = holdfast("discover", f"file://{tmp_path}/my%20table.csv")
    assert not ended.code, ended.err


@pytest.mark.parametrize("command", [("backup",), ("restore",), ("init",), ("discover",), ("contract", "import")])
def test_an_empty_path_is_not_this_directory(
    here: Path, holdfast: Callable[..., Any], command: tuple[str, ...]
) -> None:
    """As of a variable of the shell that is unset: a backup would have been written to wherever one stands."""
    (here / "dags" / "datasets").mkdir(parents=True)
    code, _, err = holdfast(*command, "")
    assert code == 2
    assert "the path is empty" in err
    assert [path.name for path in here.rglob("*")] == ["dags", "datasets"]


@pytest.mark.parametrize("command", ["init", "discover"])
@pytest.mark.parametrize("what", ["/dev/zero", "/dev/null", "pipe"])
def test_a_device_or_pipe_is_refused_and_not_read(
    here: Path, holdfast: Callable[..., Any], command: str, what: str
) -> None:
    """A device may never end, and a pipe that nobody writes to keeps its reader waiting."""
    (here / "dags" / "datasets").mkdir(parents=True)
    os.mkfifo(here / "pipe")
    code, _, err = holdfast(command, what)
    assert code == 2
    assert "this is not a regular file" in err
