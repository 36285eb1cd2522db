"""What a started process says on standard error is passed on, but for the warning that concerns nobody."""

import subprocess
import sys

PROGRAM = """
import subprocess
from profiling_core.spark.standard_error import without_noise

try:
    with without_noise():
        child = subprocess.Popen(["sh", "-c", {script!r}], stdin=subprocess.PIPE)
        {inside}
    child.communicate()
    import time
    time.sleep(0.5)
finally:
    import os
    os.write(2, b"ours\\n")
"""
NOISE = "echo WARNING: Using incubator modules: jdk.incubator.vector >&2"


def standard_error(script: str, inside: str = "") -> list[str]:
    program = PROGRAM.format(script=script, inside=inside)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    return done.stderr.splitlines()


def test_the_warning_is_left_out_and_all_else_is_passed_on():
    assert standard_error(f"{NOISE}; read line; echo 'half a line, and ' >&2; echo more >&2") == [
        "half a line, and ",
        "more",
        "ours",
    ]


def test_what_a_process_says_before_it_fails_is_told():
    lines = standard_error(f"{NOISE}; echo no memory >&2", "child.wait(); raise RuntimeError('it did not start')")
    assert lines[0] == "no memory"
    assert "RuntimeError: it did not start" in lines
