"""The encoding of a text file: by its mark, else UTF-8 where all of it is, else by the statistics of its bytes."""

import codecs
import re
from pathlib import Path

from profiling_core.model.dialect import MIXED

_BLOCK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ZEROS = {"utf-32-le": (0, 1, 1, 1), "utf-32-be": (1, 1, 1, 0), "utf-16-le": (0, 1, 0, 1), "utf-16-be": (1, 0, 1, 0)}
"""Which bytes of four are zero in most of a text with Latin letters or digits."""
# Windows-1252 has these where Latin-1 has controls; 0x85 is a line end of mainframes.
_MISTAKEN = re.compile(rb"\xc2[\x80\x82-\x84\x86-\x8c\x8e\x91-\x9c\x9e\x9f]")
_SURE = 0.1
"""The confidence of a guess below which Windows-1252 is likelier: chardet gives 0.15 to 0.22 to a few lines in Chinese
or Russian, and up to 0.04 to wrong guesses at a few accents."""
_ONE_BYTE = ("cp1252", "latin-1")


def encoding_of(path: Path, head: bytes) -> str:
    """The name of a file's encoding, of which ``head`` is the beginning; one that all of the file can be read by."""
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    zeros = [head[place::4].count(0) * 2 > len(head[place::4]) for place in range(4)]
    wide = next((name for name, which in _ZEROS.items() if zeros == [bool(zero) for zero in which]), None)
    if wide:
        return wide
    mistaken = _as_utf8(path)
    if mistaken is not None:
        return MIXED if mistaken else "utf-8"
    return next((name for name in (*_guessed(path), *_ONE_BYTE) if _reads(path, name)), "latin-1")


def _as_utf8(path: Path) -> bool | None:
    """Whether a file in UTF-8 has controls in place of punctuation; None: it is not in UTF-8."""
    decoder, mistaken, last = codecs.getincrementaldecoder("utf-8")(), False, b""
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
                mistaken = mistaken or _MISTAKEN.search(last + block) is not None
                last = block[-1:]
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return mistaken


def _guessed(path: Path) -> list[str]:
    import chardet

    with path.open("rb") as file:
        guess = chardet.detect(file.read(_BLOCK))
    found = guess["encoding"]
    if not found or guess["confidence"] < _SURE or found.lower() in ("ascii", "iso-8859-1", "utf-8"):
        return []
    return [codecs.lookup(found).name]


def _reads(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            for block in iter(lambda: file.read(_BLOCK), b""):
                decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
