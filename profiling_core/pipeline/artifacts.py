"""The files that people and other tools read: suites, results, Data Docs, alerts, reports; all can be made again.

Where the home is on an object store they are written here and put there, and what a step reads that another one has
written is fetched first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from profiling_core.alert.delivery import Channel
from profiling_core.model.message import Attempt, Delivery
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.atomic import TEMPORARY, make_private
from profiling_core.state.directories import files_in
from profiling_core.state.objects import Objects, objects_at

_ARTIFACTS = "artifacts"


@contextmanager
def artifacts(work: Workspace, *needed: str) -> Iterator[Path]:
    """The directory that holds one folder per dataset, for as long as somebody works with it.

    Args:
        work: the dataset, of whose folder all is put that was written meanwhile, and removed what was removed.
        needed: what is to be read, files or folders, relative to the directory.
    """
    directory = work.settings.home / _ARTIFACTS
    if not work.settings.bucket:
        yield directory
        return
    objects = objects_at(work.settings.bucket)
    for name in needed:
        _fetch(objects, f"{_ARTIFACTS}/{name}", work.settings.home)
    before = _known(directory / work.dataset)
    yield directory
    after = _known(directory / work.dataset)
    for path in after:
        if after[path] != before.get(path):
            objects.put(path.relative_to(work.settings.home).as_posix(), path)
    objects.remove(path.relative_to(work.settings.home).as_posix() for path in before if path not in after)


def put_after(work: Workspace, send: Channel) -> Channel:
    """A channel that writes artifacts, and has put them before a message counts as sent."""

    def sent(delivery: Delivery) -> Attempt:
        with artifacts(work):
            return send(delivery)

    return sent


def _fetch(objects: Objects, name: str, home: Path) -> None:
    below = [entry.name for entry in objects.entries(f"{name}/")]
    for found in below or ([name] if objects.size(name) is not None else []):
        path = home / found
        make_private(path.parent)
        path.unlink(missing_ok=True)
        objects.copy_to(found, path)


def _known(directory: Path) -> dict[Path, tuple[int, int]]:
    """The files below a directory, each with what tells that it was written anew."""
    found = {path: path.stat() for path in (files_in(directory) if directory.is_dir() else ())}
    return {
        path: (known.st_mtime_ns, known.st_ino) for path, known in found.items() if not path.name.endswith(TEMPORARY)
    }
