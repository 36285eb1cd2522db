"""URLs where commands take paths: those of files are paths, all others are refused before anything is written."""

import os
import sys
from pathlib import Path

import pytest

from profiling_core.cli.main import main


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    (tmp_path / "t.csv").write_text("id\n1\n", "utf-8")
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    words = [word.format(file="t.csv") for word in command]
    monkeypatch.setattr(sys, "argv", ["holdfast", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert "is not supported here" in err
    assert "canary" not in out + err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dags", "t.csv"]


def test_the_url_of_a_file_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my table.csv").write_text("id,x\n1,2\n2,3\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["holdfast", "discover", f"file://{tmp_path}/my%20table.csv"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code, capsys.readouterr().err


def ends(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["holdfast", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("command", [("backup",), ("restore",), ("init",), ("discover",), ("contract", "import")])
def test_an_empty_path_is_not_this_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    """As of a variable of the shell that is unset: a backup would have been written to wherever one stands."""
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert ends(monkeypatch, *command, "") == 2
    assert "the path is empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["dags", "datasets"]


@pytest.mark.parametrize("command", ["init", "discover"])
@pytest.mark.parametrize("what", ["/dev/zero", "/dev/null", "pipe"])
def test_a_device_or_pipe_is_refused_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, what: str
) -> None:
    """A device may never end, and a pipe that nobody writes to keeps its reader waiting."""
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    assert ends(monkeypatch, command, what) == 2
    assert "this is not a regular file" in capsys.readouterr().err
