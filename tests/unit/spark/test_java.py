"""The Java runtime: found, checked, and told about in words that help."""

import os
from pathlib import Path

import pytest

from profiling_core.model.errors import ConfigurationError
from profiling_core.spark import java
from profiling_core.spark.session import session_settings


def fake_java(home: Path, answer: str, status: int = 0) -> None:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit {status}\n")
    program.chmod(0o755)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("answer", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "21" 2023-09-19', 21),
        ('openjdk version "25-ea"', 25),
    ],
)
def test_a_java_that_will_do(home: Path, answer: str, major: int) -> None:
    fake_java(home, answer)
    found = java.find_java()
    assert (found.major, found.program, found.description) == (major, home / "bin" / "java", answer)


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ('openjdk version "11.0.2" 2019-01-15', 0, "Java 17 or newer, but this is Java 11"),
        ('java version "1.8.0_402"', 0, "but this is Java 8"),
        ("what?", 0, "does not say its version"),
        ("broken", 3, "does not run"),
    ],
)
def test_a_java_that_will_not_do(home: Path, answer: str, status: int, said: str) -> None:
    fake_java(home, answer, status)
    with pytest.raises(ConfigurationError) as raised:
        java.find_java()
    assert said in raised.value.what
    assert str(home) in raised.value.where
    assert "apt-get install openjdk-17" in raised.value.remedy


def test_no_java_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match="there is none"):
        java.find_java()


def test_the_class_archive_is_used_once_it_is_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(home, 'openjdk version "17.0.15"')
    archive = home / "classes.jsa"
    monkeypatch.setenv(java.ARCHIVE_VARIABLE, str(archive))
    assert str(archive) not in java.driver_options(java.find_java())
    archive.write_bytes(b"")
    assert f"-XX:SharedArchiveFile={archive}" in java.driver_options(java.find_java())


def test_another_java_gets_another_archive(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(java.ARCHIVE_VARIABLE, raising=False)
    paths = []
    for version in ("17.0.14", "17.0.15"):
        fake_java(home, f'openjdk version "{version}"')
        paths.append(java.archive_path(java.find_java()))
    assert paths[0] != paths[1]


def test_settings_of_the_environment_win(home: Path) -> None:
    fake_java(home, 'openjdk version "17.0.15"')
    settings = session_settings("local[2]", {"HOLDFAST_SPARK_CONF": " spark.driver.memory=3g ; spark.x=a=b;"})
    assert settings["spark.driver.memory"] == "3g"
    assert settings["spark.x"] == "a=b"
    assert settings["spark.sql.caseSensitive"] == "true"
    assert settings["spark.driver.host"] == "127.0.0.1"


def test_scratch_lies_where_temporary_files_go(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(home, 'openjdk version "17.0.15"')
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert Path(session_settings("local[2]", {})["spark.local.dir"]).is_relative_to(tmp_path)
    assert "spark.local.dir" not in session_settings("spark://master:7077", {})


def test_a_cluster_chooses_its_own_addresses_and_its_driver_starts_as_fast_as_an_embedded_one(home: Path) -> None:
    fake_java(home, 'openjdk version "17.0.15"')
    settings = session_settings("spark://master:7077", {})
    assert not {"spark.driver.host", "spark.driver.bindAddress"} & settings.keys()
    options = "spark.driver.extraJavaOptions"
    assert settings[options] == session_settings("local[2]", {})[options]
    assert settings["spark.sql.session.timeZone"] == "UTC"


@pytest.mark.parametrize("text", ["memory=3g", "spark.driver.memory", "spark.x=1;oops"])
def test_malformed_settings_are_told(text: str, home: Path) -> None:
    fake_java(home, 'openjdk version "17.0.15"')
    with pytest.raises(ConfigurationError, match="is not a Spark setting") as raised:
        session_settings("local[2]", {"HOLDFAST_SPARK_CONF": text})
    assert "HOLDFAST_SPARK_CONF" in raised.value.where


def test_the_archive_lies_in_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delenv(java.ARCHIVE_VARIABLE, raising=False)
    fake_java(home, 'openjdk version "17.0.15"')
    assert java.archive_path(java.find_java()).is_relative_to(sys.prefix)
    assert os.environ["JAVA_HOME"] == str(home)
