"""Folders for files that are read directly after writing, and then removed."""

import shutil
import time
import uuid
from pathlib import Path

from profiling_core.state.settings import Settings

# Seconds after which an unread extract is removed: a day.
_FORGOTTEN_SECONDS = 86_400.0


def passing_folder(settings: Settings) -> Path:
    """A folder for an extract that is read at once."""
    root = settings.home / "extracts"
    _forget_old(root)
    return root / uuid.uuid4().hex


def _forget_old(root: Path) -> None:
    """Removes files of runs that ended before they had read them."""
    for folder in root.iterdir() if root.is_dir() else ():
        if folder.stat().st_mtime < time.time() - _FORGOTTEN_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
