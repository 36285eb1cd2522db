"""What Spark writes aside belongs to one process, and goes once that has ended, however it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from profiling_core.spark.scratch import own_scratch, scratch

OWNER = """
import sys, time
from profiling_core.spark.scratch import own_scratch
place = own_scratch() / "blockmgr-1"
place.mkdir()
(place / "block").write_text("x")
print(place.parent, flush=True)
time.sleep(600)
"""


@pytest.fixture
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def owner(aside: Path) -> tuple["subprocess.Popen[str]", Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER], env=os.environ | {"TMPDIR": str(aside)}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_goes_with_the_next_and_what_a_living_one_has_stays(aside: Path) -> None:
    living, kept = owner(aside)
    killed, left = owner(aside)
    assert kept.is_relative_to(aside)
    assert kept != left
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    try:
        mine = own_scratch()
        assert (kept / "blockmgr-1" / "block").exists()
        assert not left.exists()
        assert mine.is_dir()
        assert sorted(path.stat().st_mode & 0o777 for path in scratch().rglob("of-*")) == [0o600] * 2 + [0o700] * 2
    finally:
        living.kill()
        living.wait()


def test_a_lock_outlives_the_program_that_a_process_becomes(aside: Path) -> None:
    becomes = OWNER.replace("time.sleep(600)", 'import os; os.execv("/bin/sleep", ["sleep", "600"])')
    process = subprocess.Popen(
        [sys.executable, "-c", becomes], env=os.environ | {"TMPDIR": str(aside)}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    place = Path(process.stdout.readline().strip())
    try:
        while Path(f"/proc/{process.pid}/comm").read_text().strip() != "sleep":
            pass
        own_scratch()
        assert place.is_dir()
    finally:
        process.kill()
        process.wait()
