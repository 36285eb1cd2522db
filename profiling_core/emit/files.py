"""Artifacts as files: JSON whose bytes depend on its content alone."""

import json
from collections.abc import Mapping
from typing import Any


def to_bytes(data: Mapping[str, Any]) -> bytes:
    """Sorted, indented, UTF-8: a line-by-line diff shows what changed and nothing else."""
    return (json.dumps(data, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
