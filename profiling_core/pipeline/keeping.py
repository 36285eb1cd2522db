"""What is kept of a dataset, and for how long: leftovers of runs go by themselves, old versions' files by retention."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version as installed
from typing import Any

from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.directories import Garbage

# Addresses may hold passwords: of them and of sources the manifest has the digest alone.
_PRIVATE: Any = {"alerts": True, "tables": {"__all__": {"source"}}}


def made_with(work: Workspace) -> dict[str, Any]:
    """What makes a version, for its manifest: the program, and the dataset's configuration with its digest."""
    whole = json.dumps(work.config.model_dump(mode="json"), sort_keys=True)
    return {
        "program": installed("holdfast"),
        "configuration": work.config.model_dump(mode="json", exclude=_PRIVATE, exclude_defaults=True),
        "configuration_sha256": hashlib.sha256(whole.encode("ascii")).hexdigest(),
    }


def tidy(work: Workspace) -> Garbage:
    """After a commit: removes what runs of other days left, and what retention lets go.

    Looks at those runs alone, so that its cost does not grow with the dataset's history.
    """
    removed = Garbage()
    for run_id in work.store.runs():
        version = work.committed(run_id)
        removed += work.store.discard(run_id, version.files if version and version.kept else ())
    return removed + (forget(work, work.config.keep) if work.config.keep else Garbage())


def collect(work: Workspace, keep: timedelta | None) -> Garbage:
    """A thorough look: all files that nothing names, and with ``keep`` those of versions that are older."""
    removed = forget(work, keep) if keep else Garbage()
    removed += work.store.remove_halves(work.settings.artifacts(work.dataset))
    return removed + work.store.collect_garbage(work.catalog.named(work.dataset))


def forget(work: Workspace, keep: timedelta) -> Garbage:
    """Removes the files that only versions older than ``keep`` have; their history stays.

    The catalog says first that these versions are not kept: who reads one is told so. The current version always is.
    """
    horizon = (datetime.now(UTC) - keep).isoformat(timespec="milliseconds")
    removed = work.store.remove(work.catalog.keep_from(work.dataset, horizon))
    work.catalog.forget_files(work.dataset)
    return removed
