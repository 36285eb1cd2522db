"""What has landed: ids in order, what is pending, and what is no delta."""

import errno
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from profiling_core.ingest.pending import look, pending
from profiling_core.ingest.sources.landing import Landing
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.model.source import Source, SourceFormat
from profiling_core.state.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    (tmp_path / "in").mkdir()
    return Settings.discover(tmp_path, {"HOLDFAST_HOME": str(tmp_path / "elsewhere")})


def config(path: str = "in") -> DatasetConfig:
    return DatasetConfig.model_validate({"dataset": "d", "tables": {"t": {"source": {"path": path}}}})


def touch(settings: Settings, *names: str) -> None:
    for name in names:
        (settings.root / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (settings.root / "in" / name).write_text("a\n")


def test_pending_deltas_ascend_up_to_the_label_numbers_by_value(settings: Settings) -> None:
    touch(settings, "2013-03-01.csv", "2013-02-28.csv", "10.csv", "9.csv", "2013-03-02/part-0.csv", "x.y.csv")
    assert pending(settings, config(), {}, None) == {"t": ("9", "10", "2013-02-28", "2013-03-01", "2013-03-02", "x.y")}
    assert pending(settings, config(), {"t": {"9": {}, "10": {}, "2013-02-28": {}}}, "2013-03-02") == {
        "t": ("2013-03-01", "2013-03-02")
    }


def test_what_is_no_delta_is_told(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    touch(settings, "1.csv", "2.CSV", "3.json", "notes", "-4.csv", ".hidden.csv", "_SUCCESS", "5 6.csv")
    touch(settings, "7/part-0.csv", "7/part-1.csv.zst", "7/deep/part-2.txt", "7/_SUCCESS", "7/.part-0.csv.crc")
    with caplog.at_level(logging.WARNING):
        assert pending(settings, config(), {}, None) == {"t": ("1", "2", "4", "5_6", "7")}
    told = "\n".join(caplog.messages)
    for name in ("3.json", "notes", "7/part-1.csv.zst", "7/deep/part-2.txt"):
        assert name in told
    assert "hidden" not in told
    assert "_SUCCESS" not in told


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: path.symlink_to("nowhere"), lambda p: p.symlink_to(p.name)])
@pytest.mark.parametrize("name", ["2.csv", "2/part-1.csv"])
def test_what_is_neither_file_nor_directory_waits_with_all_that_comes_after(
    settings: Settings, put: Callable[[Path], None], name: str
) -> None:
    touch(settings, "1.csv", "2/part-0.csv" if "/" in name else "1.csv", "3.csv")
    put(settings.root / "in" / name)
    found = look(settings, config(), {})["t"]
    assert found.pending == ("1",)
    assert [(held.delta_id, held.reason) for held in found.waiting] == [
        ("2", f"{name} is neither a file nor a directory, or a link to nothing"),
        ("3", "comes after 2, which waits"),
    ]


def test_a_place_that_cannot_be_looked_at_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(settings, "1.csv")

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(settings.root / "in"))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(InputError, match="the source of table 't' cannot be read: Permission denied") as raised:
        look(settings, config(), {})
    assert raised.value.where == str(settings.root / "in")


def test_a_missing_directory_is_a_fault_of_the_configuration(settings: Settings) -> None:
    with pytest.raises(ConfigurationError, match="source directory does not exist") as raised:
        pending(settings, config("nowhere"), {}, None)
    assert raised.value.where == str(settings.root / "nowhere")


def test_a_directory_below_the_home(settings: Settings) -> None:
    (settings.home / "landing" / "t").mkdir(parents=True)
    (settings.home / "landing" / "t" / "1.csv").write_text("a\n")
    assert pending(settings, config("$HOLDFAST_HOME/landing/t"), {}, None) == {"t": ("1",)}


def test_a_delta_that_landed_twice(settings: Settings) -> None:
    touch(settings, "1.csv", "1/part.csv")
    with pytest.raises(InputError, match="landed twice"):
        pending(settings, config(), {}, None)


def test_files_of_a_delta(settings: Settings) -> None:
    touch(settings, "1.csv", "2/b.csv", "2/a.csv", "2/_SUCCESS", "2/.b.csv.crc", "3/readme.txt")
    folder = settings.root / "in"
    landing = Landing(settings, TableConfig(source=Source(path="in", format=SourceFormat.CSV)))
    assert landing.files("1") == (folder / "1.csv",)
    assert landing.files("2") == (folder / "2" / "a.csv", folder / "2" / "b.csv")
    with pytest.raises(InputError, match=r"without \.csv files"):
        landing.files("3")
    with pytest.raises(InputError, match="is not there"):
        landing.files("4")


def test_a_file_in_place_of_the_directory_is_told(settings: Settings) -> None:
    touch(settings, "1.csv")
    with pytest.raises(ConfigurationError, match="path is a file") as raised:
        pending(settings, config("in/1.csv"), {})
    assert raised.value.where == str(settings.root / "in" / "1.csv")


def test_a_batch_looks_into_its_directory_as_often_as_one_delta_does(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    seen = Path.iterdir

    def counted(path: Path) -> Iterator[Path]:
        looks.append(path)
        return seen(path)

    monkeypatch.setattr(Path, "iterdir", counted)

    def looks_of(ids: tuple[str, ...]) -> int:
        touch(settings, *(f"{delta_id}.csv" for delta_id in ids))
        landing = Landing(settings, config().tables["t"])
        looks.clear()
        landing.confirm(landing.open(ids, {}))
        return len(looks)

    assert 0 < looks_of(("1",)) == looks_of(("1", "2", "3"))
