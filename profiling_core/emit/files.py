"""Artifacts as files: JSON whose bytes depend on its content alone, written whole or not at all."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def to_bytes(data: Mapping[str, Any]) -> bytes:
    """Sorted, indented, UTF-8: a line-by-line diff shows what changed and nothing else."""
    return (json.dumps(data, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def write_atomically(path: Path, content: bytes) -> None:
    """Replaces the file's content in one step, making its folder where needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
