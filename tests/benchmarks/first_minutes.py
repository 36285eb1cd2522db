"""The first minutes of somebody with nothing but Python and a wheel: ``python -m benchmarks.first_minutes WHEEL``.

An environment of its own, the wheel, ``discover``, ``init``, ``apply``, the next day's file, ``apply``, the alert: with
the core alone, and with Great Expectations beside it (``[gx]``), without Java and without Spark. Pip has downloaded all
files before the clock starts. By the clock, ``apply`` also waits until its file has not changed for five seconds
(``settle_seconds``). ``make bench-first`` runs it.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pages import seconds, table, write_page

REPOSITORY = Path(__file__).parents[2]
PARCELS = REPOSITORY / "docs" / "examples" / "parcels"
DAYS = ("2024-05-01", "2024-05-02")
ALERT = "line 6: ▶ city Köln, should be Bonn"
MIB = 2**20
# Of the wheel before it brought kernels and had extras, which is not built any more.
BEFORE = {"pip install": "36", "discover": "2.2", "apply": "47", "installed": "1.42 GB"}


@dataclass(frozen=True)
class Step:
    """A command, what it took by the clock and in CPU seconds, and what it wrote."""

    name: str
    wall: float
    cpu: float
    said: str


def downloaded(wheel: Path, extras: str, place: Path) -> Path:
    """A directory with the wheel and all that it needs.

    Raises:
        CalledProcessError: the package index does not have it.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "download", "--quiet", "--dest", str(place), f"{wheel}{extras}"], check=True)
    return place


def first_minutes(wheel: Path, extras: str, files: Path, place: Path) -> Iterator[Step]:
    """The steps, one after the other, in an empty directory.

    Raises:
        CalledProcessError: a command failed; what it said is in the error.
    """
    landing, bin_ = place / "landing" / "parcels", place / "env" / "bin"
    landing.mkdir(parents=True)
    yield _run(place, "python -m venv", [sys.executable, "-m", "venv", "env"])
    install = ["--disable-pip-version-check", "install", "--quiet", "--no-index", "--find-links", str(files)]
    yield _run(place, "pip install", [f"{bin_}/pip", *install, f"{wheel}{extras}"])
    holdfast = f"{bin_}/holdfast"
    shutil.copy(PARCELS / f"{DAYS[0]}.csv", landing)
    yield _run(place, "discover", [holdfast, "discover", f"landing/parcels/{DAYS[0]}.csv"])
    yield _run(place, "init", [holdfast, "init", "landing/parcels", "--yes", "--name", "shop"])
    yield _run(place, "apply", [holdfast, "apply"])
    shutil.copy(PARCELS / f"{DAYS[1]}.csv", landing)
    yield _run(place, "apply the next day", [holdfast, "apply"])


def installed(place: Path) -> float:
    """MiB of what pip has put into the environment, itself left out."""
    files = (path for path in (place / "env").rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files if "pip" not in path.parts) / MIB


def _run(place: Path, name: str, command: Sequence[str]) -> Step:
    kept = {key: os.environ[key] for key in ("PATH", "TMPDIR") if key in os.environ}
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command, cwd=place, env={**kept, "HOME": str(place)}, capture_output=True, text=True, check=False
    )
    wall, after = time.monotonic() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Step(name, wall, cpu, done.stdout + done.stderr)


def main() -> None:
    """Measures both installs, and writes the page."""
    wheel = Path(sys.argv[1]).resolve()
    names: list[str] = []
    columns: list[list[str]] = []
    for extras in ("", "[gx]"):
        with tempfile.TemporaryDirectory() as files, tempfile.TemporaryDirectory() as place:
            steps = list(first_minutes(wheel, extras, downloaded(wheel, extras, Path(files)), Path(place)))
            size = f"{installed(Path(place)):.0f} MiB"
        names = [step.name for step in steps]
        whole = Step("all", sum(s.wall for s in steps), sum(s.cpu for s in steps), "")
        columns += [
            [seconds(step.cpu) for step in (*steps, whole)] + [size],
            [seconds(step.wall) for step in (*steps, whole)] + [""],
        ]
    names += ["all", "installed"]
    rows = zip(names, *columns, [BEFORE.get(name, "") for name in names], strict=True)
    body = table(("step", "core: CPU", "by the clock", "`[gx]`: CPU", "by the clock", "before, by the clock"), rows)
    _, _, about = (__doc__ or "").partition("\n\n")
    intro = (
        f"{about.strip()} The last column is of the wheel before it brought kernels,"
        " when Spark and Great Expectations were no extras: by the clock of a quiet machine with two cores."
    )
    write_page(
        REPOSITORY / "docs" / "benchmarks" / "first-minutes.md", "First minutes", "make bench-first", (intro, body)
    )
    sys.stdout.write(f"{body}\n")


if __name__ == "__main__":
    main()
