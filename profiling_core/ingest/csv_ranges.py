"""Where a CSV file can be cut into parts that are read in parallel.

A line break inside quotes ends no row, so the file is scanned once from its beginning: a byte's meaning depends on the
quotes before it. Where something other than a delimiter follows a closing quote, or a quote is never closed, the file
is not cut, and Arrow would read it otherwise than the row-wise reader, which rejects these rows.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.ingest.rows import unreadable_file

_BLOCK = 8 << 20
_QUOTE, _LINE, _RETURN = ord('"'), ord("\n"), ord("\r")
_BETWEEN, _PLAIN, _QUOTED, _CLOSING, _IRREGULAR = range(5)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Ranges:
    """A file's parts as byte positions: each part ends where the next begins.

    ``headed``: the header is in the first part (else in none). ``quoted``: quotes may occur. ``closed``: each quoted
    cell ends with a quote that a delimiter or a line's end follows; other files are for the row-wise reader.
    """

    bounds: tuple[int, ...]
    headed: bool
    quoted: bool
    closed: bool


def cut(path: Path, delimiter: str, size: int) -> Ranges:
    """Cuts a file into parts of whole rows, about ``size`` bytes each; raises ``InputError`` if it is unreadable."""
    whole = path.stat().st_size
    scan = np.array([_BETWEEN, 0, 0], np.int64)  # state, whether there were quotes, position of the next cut
    cuts: list[int] = []
    position = 0
    buffer = bytearray(_BLOCK)
    try:
        with path.open("rb", buffering=0) as file:
            if file.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK:
                position = len(_BYTE_ORDER_MARK)
            file.seek(position)
            while taken := file.readinto(buffer):
                block = np.frombuffer(buffer, np.uint8, taken)
                cuts += _row_ends(block, ord(delimiter), size, scan, position).tolist()
                position += taken
                if scan[0] == _IRREGULAR:
                    break
    except OSError as error:
        raise unreadable_file(path, error) from error
    state, quoted = int(scan[0]), bool(scan[1])
    closed = state not in (_IRREGULAR, _QUOTED)
    if whole <= size or not closed:
        return Ranges((0, whole), headed=True, quoted=quoted, closed=closed)
    return Ranges(tuple(dict.fromkeys((*cuts, position))), headed=False, quoted=quoted, closed=True)


@kernel
def _row_ends(
    block: NDArray[np.uint8], delimiter: int, size: int, scan: NDArray[np.int64], first: int
) -> NDArray[np.int64]:
    """Positions after the row ends at which to cut; ``scan`` is carried from block to block."""
    found = np.empty(len(block) // max(size, 1) + 2, np.int64)
    count = 0
    state, wanted = scan[0], scan[2]
    for i in range(len(block)):
        byte = block[i]
        if state == _QUOTED:
            if byte == _QUOTE:
                state = _CLOSING
            continue
        if state == _IRREGULAR:
            break
        if byte == _QUOTE:
            scan[1] = 1
            state = _PLAIN if state == _PLAIN else _QUOTED
        elif byte == _LINE:
            if first + i >= wanted:
                found[count] = first + i + 1
                count += 1
                wanted = first + i + size
                scan[2] = wanted
            state = _BETWEEN
        elif byte in (delimiter, _RETURN):
            state = _BETWEEN
        else:
            state = _IRREGULAR if state == _CLOSING else _PLAIN
    scan[0], scan[2] = state, wanted
    return found[:count]
