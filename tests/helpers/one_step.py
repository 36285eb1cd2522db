"""A program that does one step of a run, as a task on a worker does, and prints what the step gives."""

import json
import sys

from profiling_core.pipeline import steps


def main(step: str, *ids: str) -> None:
    sys.stdout.write("\n" + json.dumps(getattr(steps, step)(*ids)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
