"""Inputs that cannot be read end each command in words, with the documented exit code, and leave the files there."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROWS = "id,city\n" + "".join(f"{i},Bonn{i % 3}\n" for i in range(30))
DEEP = '{"a":' + "[" * 5_000 + "]" * 5_000 + "}\n"
DATASET = "{dataset: s, tables: {t: {source: {path: landing, format: %s, kind: append, settle_seconds: 0}}}}"
LINK = "neither a file nor a directory, or a link to nothing"
INPUTS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "a pipe": ("1.csv", os.mkfifo, LINK),
    "a link to itself": ("1.csv", lambda path: path.symlink_to(path.name), LINK),
    "a link to nothing": ("1.csv", lambda path: path.symlink_to("nowhere"), LINK),
    "a device": ("1.csv", lambda path: path.symlink_to("/dev/zero"), LINK),
    "NUL bytes alone": ("1.csv", lambda path: path.write_bytes(bytes(4096)), "the name of column 1 has NUL bytes"),
    "a NUL byte in a name": ("1.csv", lambda path: path.write_bytes(b"id,a\0b\n1,2\n"), "column 2 has NUL bytes"),
    "blanks alone": ("1.csv", lambda path: path.write_text("   \n  \n"), "column 1 has no name"),
    "half of a gzip file": (
        "1.csv", lambda path: path.write_bytes(gzip.compress(ROWS.encode())[:40]), "compressed by gzip",
    ),
    "one line of 17 MiB": ("1.csv", lambda path: path.write_text("x" * (17 << 20)), "longer than 16 Mi characters"),
    "half of a Parquet file": ("1.parquet", lambda path: path.write_bytes(b"PAR1" + bytes(90)), "cannot be read"),
    "JSON in Latin-1": ("1.jsonl", lambda path: path.write_bytes(b'{"a": "Z\xfcrich"}\n'), "is not UTF-8 text"),
    "an array": ("1.jsonl", lambda path: path.write_text('[{"id": 1}]'), "none of its lines is a JSON object"),
    "deep JSON": ("1.jsonl", lambda path: path.write_text(DEEP), "none of its lines is a JSON object"),
}  # fmt: skip


def _unread(path: Path) -> tuple[int, int, int]:
    """What of a file changes if it is written, and not if it is read."""
    found = os.lstat(path)
    return found.st_mode, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize("kind", INPUTS)
def test_an_input_that_cannot_be_read_ends_each_command_in_words(here: Path, holdfast, caplog, kind: str):
    name, write, said = INPUTS[kind]
    path = here / "landing" / name
    path.parent.mkdir()
    write(path)
    before = _unread(path)
    found = holdfast("discover", path)
    assert (found.code, str(path) in found.err, "what to do" in found.err) == (2, True, True)
    found = holdfast("init", "landing", "--yes", "--name", "s")
    assert (found.code, "what to do" in found.err) == (2, True)
    assert said in found.err + caplog.text
    datasets = here / "dags" / "datasets"
    datasets.mkdir(parents=True)
    (datasets / "s.yaml").write_text(DATASET % name.partition(".")[2])
    applied = holdfast("apply", "s")
    assert applied.code == (0 if said == LINK else 2)  # what may become a file waits
    assert said in applied.out + applied.err
    assert "Traceback" not in found.err + applied.err
    assert _unread(path) == before


def test_what_is_not_applied_is_said_by_init(here: Path, holdfast, caplog):
    landing = here / "landing"
    landing.mkdir()
    (landing / "1.csv").write_text(ROWS)
    for name in ("2.csv", "3.csv"):
        (landing / name).write_text(ROWS.replace("\n", "\n1"))
    os.mkfifo(landing / "4.csv")
    assert holdfast("init", "landing", "--yes", "--name", "s").code == 0
    assert "3 of landing will not be applied: has the same content as 2" in caplog.text
    assert f"4 of landing will not be applied: 4.csv is {LINK}" in caplog.text
    (landing / "1.CSV").write_text(ROWS)
    ended = holdfast("init", "landing", "--yes", "--name", "s")
    assert (ended.code, "delta '1' has landed twice" in ended.err) == (2, True)
