"""Where one discovery spends its time: ``make profile FILE=table.csv ARGS="--kind fd"``.

The command runs twice, and the second time is profiled: the first compiles the kernels that it needs. A kernel is one
line, whatever it calls inside.
"""

import contextlib
import cProfile
import io
import pstats
import sys

from profiling_core.cli.main import main

SHOWN = 30


def discovered(arguments: list[str]) -> int:
    """Runs ``holdfast discover`` without its output; its exit code."""
    sys.argv = ["holdfast", "discover", *arguments]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def profiled(arguments: list[str], out: str) -> None:
    """Prints the functions that take longest, and writes all of them to a file for ``python -m pstats``."""
    if code := discovered(arguments):
        raise SystemExit(code)
    profile = cProfile.Profile()
    profile.runcall(discovered, arguments)
    profile.dump_stats(out)
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(SHOWN)
    sys.stdout.write(f"All of it: python -m pstats {out}\n")


if __name__ == "__main__":
    profiled(sys.argv[2:], sys.argv[1])
