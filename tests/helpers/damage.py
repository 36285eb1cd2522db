"""Damage to a file, mended afterwards."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def put_in_place(path: Path, data: bytes | None) -> Iterator[None]:
    """Other contents in a file's place, or none."""
    whole = path.read_bytes()
    path.unlink() if data is None else path.write_bytes(data)
    try:
        yield
    finally:
        path.write_bytes(whole)


@contextmanager
def flipped(path: Path, chance: random.Random) -> Iterator[int]:
    """One bit that is another; gives its place. What SQLite writes beside a catalog meanwhile goes afterwards."""
    damaged = bytearray(path.read_bytes())
    place = chance.randrange(8 * len(damaged))
    damaged[place // 8] ^= 1 << place % 8
    try:
        with put_in_place(path, bytes(damaged)):
            yield place
    finally:
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
