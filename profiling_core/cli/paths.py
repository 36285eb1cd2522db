"""Paths given to commands: files of this machine, also as URLs; other URLs are refused, never taken for paths."""

from pathlib import Path

from profiling_core.state.settings import local_path


def local(text: str) -> Path:
    """A path as it was typed, or that of a ``file:///`` URL; raises ``ConfigurationError`` for others, and for none."""
    return local_path(text) if "://" in text or not text else Path(text)
