"""Removes files of old versions, as `holdfast gc --keep` does where all but the newest are old; prints what went."""

import sys
from datetime import timedelta
from pathlib import Path

from report import report


def main(root: str, dataset: str) -> None:
    from profiling_core.pipeline import keeping
    from profiling_core.pipeline.workspace import Workspace
    from profiling_core.state.settings import Settings

    work = Workspace.open(dataset, Settings.discover(Path(root)))
    removed = keeping.collect(work, timedelta(microseconds=1))
    report(files=removed.files, size=removed.size)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), sys.argv[2])
