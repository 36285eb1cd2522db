"""Files that are read a block at a time, each block proven before it is used: what is not read is not proven either.

Sizes and digests of the blocks stand in a small file beside, which is proven whole, so that what a version says of that
one proves the blocks, too. ``holdfast fsck`` proves both files whole.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from profiling_core.model.errors import StateError
from profiling_core.state.proof import FROM_BACKUP, StoredFile, named


@dataclass
class BlockWriter:
    """Appends blocks to a file, and remembers what proves them: the size and the SHA-256 of each."""

    file: BinaryIO
    sizes: list[int] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)

    def add(self, block: bytes) -> None:
        """Writes one block more."""
        self.file.write(block)
        self.sizes.append(len(block))
        self.digests.append(hashlib.sha256(block).digest())


@dataclass(frozen=True, slots=True, eq=False)
class BlockFile:
    """A file of blocks; ``sizes`` int64[n] and ``digests`` uint8[n, 32] of each are proven themselves."""

    file: StoredFile
    sizes: NDArray[np.int64]
    digests: NDArray[np.uint8]

    def read(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """Some of the blocks, each proven.

        Raises:
            StateError: the file is missing or unreadable, or one of these blocks is damaged.
        """
        ends = np.cumsum(self.sizes)
        with named(self.file) as path, path.open("rb", buffering=0) as file:
            for number in numbers:
                size = int(self.sizes[number])
                block = os.pread(file.fileno(), size, int(ends[number]) - size)
                if hashlib.sha256(block).digest() != self.digests[number].tobytes():
                    raise StateError(
                        f"a file of the state is damaged: its block {number} is not what was published",
                        where=self.file.path,
                        remedy=FROM_BACKUP,
                    )
                yield block
