"""Texts in UTF-8 that were read as Latin-1 or Windows-1252, or that lost letters.

``MÃ¼ller`` is ``Müller`` misread: its characters, as bytes, are UTF-8 again, which rarely happens by chance in any
language. Letters that a program could not read have become ``�``, or a question mark between letters. A question mark
in
an address is not counted, nor one between a small letter and a capital, where a blank is missing.
"""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_SUSPECT = "[\u0080-\uffff]|\\p{L}\\?\\p{L}"
_LOST = re.compile(r"\ufffd|([^\W\d_])\?(?=([^\W\d_]))")
_ADDRESS = re.compile(r"\S+[/:=&@]\S*")
_ENCODINGS = ("cp1252", "latin-1")


def count_garbled(texts: pa.ChunkedArray) -> int:
    """How many texts are garbled; no nulls."""
    return int(garbled(texts).sum())


def garbled(texts: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """bool[n]: which texts are garbled; nulls are not."""
    texts = texts.combine_chunks()
    coded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
    words = coded.dictionary
    suspect = pc.match_substring_regex(words, _SUSPECT).to_numpy(zero_copy_only=False)
    wrong = np.zeros(len(words) + 1, np.bool_)
    places = np.flatnonzero(suspect)
    wrong[places] = [mended(text) is not None for text in words.take(pa.array(places)).to_pylist()]
    found: npt.NDArray[np.bool_] = wrong[pc.fill_null(coded.indices, len(words)).to_numpy(zero_copy_only=False)]
    return found


def mended(text: str) -> str | None:
    """The right text of a garbled one, with ``?`` for lost letters; None: it is not garbled."""
    for read in _reread(text):
        if len(read) < len(text):
            return read
    return text.replace("\ufffd", "?") if _has_lost(text) else None


def _has_lost(text: str) -> bool:
    """Whether letters are lost in it."""
    if "\ufffd" in text:
        return True
    found = _LOST.finditer(_ADDRESS.sub(" ", text))
    return any(not (letters[1].islower() and letters[2].isupper()) for letters in found)


def _reread(text: str) -> Iterable[str]:
    for encoding in _ENCODINGS:
        try:
            yield text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
