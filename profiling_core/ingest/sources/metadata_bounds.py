"""Bounds on how far a table's metadata may unpack: JSON, plain or compressed, and Avro.

Libraries read metadata as a whole and make Python objects of it, which take far more than its bytes. So its bound is
lower than that of rows.
"""

import bz2
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from profiling_core.ingest.rows import DEEPEST
from profiling_core.model.errors import InputError

# Metadata may unpack to _FREE bytes, or to _TIMES its size if that is more.
_FREE, _TIMES = 32 << 20, 20
# An Avro file may have _RECORDS records, or one per _BYTES_EACH bytes of its size: a file's path alone takes more.
_RECORDS, _BYTES_EACH = 100_000, 10
_AVRO, _SYNC = b"Obj\x01", 16
_MORE, _LONGEST = 0x80, 63  # the bit of a byte that marks a continued number, and the most bits of a number
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"')


def may_come_to(size: int) -> int:
    """The most bytes that ``size`` stored bytes of metadata may unpack to."""
    return max(_FREE, _TIMES * size)


def too_much(where: str) -> InputError:
    """The error of metadata that exceeds its bound."""
    return InputError(
        "the file would unpack to far more than metadata takes",
        where=where,
        remedy="see what wrote it; if that is no mistake, let the table's own tools rewrite its metadata",
    )


def check_depth(text: bytes, where: str) -> None:
    """Raises ``InputError`` if JSON is nested deeper than every library can read."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return
    left = np.frombuffer(_STRINGS.sub(b"", text), np.uint8)
    steps = np.isin(left, (ord("["), ord("{"))).astype(np.int8) - np.isin(left, (ord("]"), ord("}"))).astype(np.int8)
    if steps.cumsum(dtype=np.int64).max(initial=0) > DEEPEST:
        raise InputError(
            f"its JSON is nested more than {DEEPEST} deep", where=where, remedy="see what wrote it: no table needs that"
        )


def check_json(content: bytes, where: str, *, compressed: bool) -> None:
    """Checks a table's JSON against the bounds; raises ``InputError``."""
    if compressed:
        most = may_come_to(len(content))
        try:
            with gzip.open(io.BytesIO(content)) as stream:
                content = stream.read(most + 1)
        except (OSError, EOFError, zlib.error):
            return  # its reader reports the error
        if len(content) > most:
            raise too_much(where)
    check_depth(content, where)


def is_avro(content: bytes) -> bool:
    """Whether it is an Avro file."""
    return content.startswith(_AVRO)


def check_avro(content: bytes, where: str) -> None:
    """Checks a manifest, or a list of manifests, against the bounds.

    Content that is not valid Avro is skipped: its reader reports the error.

    Raises:
        InputError: its blocks unpack to too much, it has too many records, or lists of values without bytes.
    """
    try:
        _check_avro(content, where)
    except (IndexError, ValueError, OSError, EOFError, zlib.error, pa.ArrowException):
        return


def _check_avro(content: bytes, where: str) -> None:
    reader = _Avro(content, len(_AVRO))
    about = dict(reader.pairs())
    schema = about.get(b"avro.schema", b"")
    check_depth(schema, where)
    if _has_empty_lists(json.loads(schema)):
        raise too_much(where)
    reader.take(_SYNC)
    most, records = may_come_to(len(content)), max(_RECORDS, len(content) // _BYTES_EACH)
    while not reader.is_over():
        records -= reader.number()
        most -= _unfolded(reader.take(reader.number()), about.get(b"avro.codec", b"null"), most)
        if most < 0 or records < 0:
            raise too_much(where)
        reader.take(_SYNC)


class _Avro:
    """Reads Avro's numbers and bytes, one after the other."""

    def __init__(self, content: bytes, at: int) -> None:
        self._content, self._at = memoryview(content), at

    def is_over(self) -> bool:
        return self._at >= len(self._content)

    def number(self) -> int:
        found, shift = 0, 0
        while True:
            byte = self._content[self._at]
            self._at += 1
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < _MORE or shift > _LONGEST:
                return (found >> 1) ^ -(found & 1)

    def take(self, count: int) -> memoryview:
        if not 0 <= count <= len(self._content) - self._at:
            raise ValueError("it ends too early")
        self._at += count
        return self._content[self._at - count : self._at]

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        while count := self.number():
            if count < 0:
                self.number()  # its size
            for _ in range(abs(count)):
                yield bytes(self.take(self.number())), bytes(self.take(self.number()))


def _unfolded(block: memoryview, codec: bytes, most: int) -> int:
    """How many bytes a block unpacks to, counted up to ``most`` + 1."""
    if codec == b"deflate":
        return len(zlib.decompressobj(-15).decompress(block, most + 1))
    if codec == b"bzip2":
        with bz2.open(io.BytesIO(block)) as streams:  # as pyiceberg does: one after the other
            return len(streams.read(most + 1))
    if codec == b"zstandard":
        return len(pa.CompressedInputStream(pa.BufferReader(block), "zstd").read(most + 1))
    if codec == b"snappy":
        return sum((byte & 0x7F) << 7 * place for place, byte in enumerate(_first_number(block)))
    return len(block)


def _first_number(block: memoryview) -> Iterator[int]:
    """The bytes of the number at the start of a Snappy block: its size."""
    for byte in block[:5]:
        yield byte
        if byte < _MORE:
            return


def _has_empty_lists(schema: Any) -> bool:
    """Whether a schema allows lists of values that take no bytes, and so lists of any length."""
    level = [schema]
    while level:
        for kind in level:
            if isinstance(kind, dict) and kind.get("type") == "array" and _is_empty(kind.get("items")):
                return True
        level = [
            inner for k in level if isinstance(k, dict | list) for inner in (k.values() if isinstance(k, dict) else k)
        ]
    return False


def _is_empty(kind: Any) -> bool:
    """Whether a value of a type takes no bytes."""
    if not isinstance(kind, dict):
        return bool(kind == "null")
    if kind.get("type") == "record":
        return all(_is_empty(field.get("type")) for field in kind.get("fields", ()))
    if isinstance(kind.get("type"), dict):
        return _is_empty(kind["type"])
    return kind.get("type") == "null" or kind.get("size") == 0
