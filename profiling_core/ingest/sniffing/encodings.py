"""The encoding of a text file: by its byte order mark, else UTF-8 if most of it is, else by byte statistics."""

import codecs
import contextlib
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from profiling_core.ingest.rows import odd_bytes
from profiling_core.ingest.sniffing.records import RARE
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
"""Per encoding which bytes of each four are mostly zero, in a text with Latin letters or digits."""
# Windows-1252 has signs at these codes, where Latin-1 has controls; 0x85 is a line end of mainframes.
_MISTAKEN = re.compile(rb"\xc2[\x80\x82-\x84\x86-\x8c\x8e\x91-\x9c\x9e\x9f]")
_ONE_BYTE = ("cp1252", "latin-1")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_CONTROL = re.compile("[\x80-\x9f]")
_WORDS = re.compile(rb"[A-Za-z\x80-\xff' .-]+")
_CONTROLS = re.compile(rb"[\x80-\x9f]")
_RARE_KANJI = 0xD0
"""The first byte of the rarer kanji in EUC-JP."""
_FEWEST_KANJI = 30
"""Kanji that tell: in 4 % of Chinese texts, 3 of 30 characters or fewer are at the places of the rarer ones."""
_MICRO = "µ"  # a sign that Unicode counts as a letter
_IN_WORDS = frozenset("'’´`·-")
_CANDIDATES = {
    codecs.lookup(name).name
    for name in (
        *(f"cp125{i}" for i in range(9)),
        *(f"iso8859-{i}" for i in (1, 2, 5, 7, 8, 9, 15, 16)),
        *("koi8-r", "koi8-u", "cp437", "cp850", "cp852", "cp866", "cp874", "mac-roman", "mac-cyrillic"),
    )
}
"""Encodings of one byte that programs write; chardet also knows EBCDIC and encodings of single languages."""
_OF_MACS = {"mac-roman", "mac-cyrillic"}
"""Only programs of Macs end lines with a carriage return alone."""
_OF_SEVERAL_BYTES = {
    codecs.lookup(name).name
    for name in ("cp932", "shift_jis", "euc_jp", "iso2022_jp", "gbk", "gb18030", "big5", "cp950", "euc_kr", "cp949")
}
_MOST_ODD = 0.5
"""An encoding in which at least half of the letters or words are odd is not the file's."""
_ODDITY = 8
"""The power of the share of words that are not odd, in the likelihood of an encoding.

Fitted by ``python -m benchmarks.reading_encodings``: more of the texts are read correctly with each power up to 8.
"""
_USUAL = 1.3
"""The prior of Windows-1252 over other encodings, as a factor.

Fitted by ``python -m benchmarks.reading_encodings``: the shares of Windows-1252 and of other encodings that are read
correctly have their greatest sum from 1.3 to 1.5.
"""


def encoding_of(path: Path, head: bytes) -> str:
    """The name of a file's encoding; ``head`` is the file's beginning. UTF-8 may have a few other bytes in it."""
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
    return _with_euro(_in_words(path) or next((name for name in _ONE_BYTE if _reads(path, name)), "latin-1"), head)


def _with_euro(name: str, head: bytes) -> str:
    """ISO 8859-15 in place of an encoding of Western letters, if a file has its euro sign, and none of Windows' signs.

    The byte of the euro sign is one that nobody writes in Windows-1252.
    """
    return "iso8859-15" if name in _ONE_BYTE and b"\xa4" in head and not _CONTROLS.search(head) else name


def _as_utf8(path: Path) -> bool | None:
    """Whether a file in UTF-8 has control characters in place of punctuation; None: it is not in UTF-8."""
    found, last = odd_bytes(path), b""
    if found.count and not found.are_few:
        return None
    with path.open("rb") as file:
        while found.others and (block := file.read(_BLOCK)):
            if _MISTAKEN.search(last + block):
                return True
            last = block[-1:]
    return False


def _in_words(path: Path) -> str:
    """The likeliest encoding by the words with letters beyond ASCII; empty if none is likelier than Windows-1252."""
    with path.open("rb") as file:
        content = file.read(_BLOCK)
    likely = _of_several_bytes(content), _of_one_byte(content)
    return next((name for name in likely if name and _reads(path, name)), "")


def _of_several_bytes(content: bytes) -> str:
    """The encoding with several bytes per letter, if most letters beyond ASCII stand in plausible places."""
    import chardet

    ranked = [_name(found["encoding"]) for found in chardet.detect_all(content, ignore_threshold=True)]
    name = ranked[0]
    if name not in _OF_SEVERAL_BYTES:
        return ""
    if ranked[1:2] == ["euc_jp"] and _is_japanese(content):
        return "euc_jp"
    words = " ".join(dict.fromkeys(re.findall(r"[^\W\d]+", content.decode(name, "ignore"))))
    return name if odd_share(words) < _MOST_ODD else ""


def _is_japanese(content: bytes) -> bool:
    """Whether a text that may be in a Chinese encoding is Japanese in EUC-JP: few of its kanji are rare.

    JIS X 0208 has the rare kanji last, where a quarter of the characters of a Chinese text are.
    """
    try:
        text = {*content.decode("euc_jp")}
    except UnicodeDecodeError:
        return False
    kanji = [letter.encode("euc_jp")[0] for letter in text if unicodedata.name(letter, "").startswith("CJK UNIFIED")]
    return len(kanji) >= _FEWEST_KANJI and sum(byte >= _RARE_KANJI for byte in kanji) <= RARE * len(kanji)


def _of_one_byte(content: bytes) -> str:
    """The encoding with one byte per letter that chardet ranks first, less the share of odd words."""
    import chardet

    words = b"\n".join(dict.fromkeys(found for found in _WORDS.findall(content) if not found.isascii()))
    usual = words.decode(_ONE_BYTE[0], "replace")
    in_words = {*"".join(_LETTERS.findall(usual))} - {_MICRO}
    letters = [found for found in in_words if found > "\x7f" and unicodedata.category(found) in ("Lu", "Ll")]
    if not letters and not odd_share(usual):
        # Signs (degrees, pounds) and single letters belong to no language.
        return _ONE_BYTE[0]
    ranked = chardet.detect_all(words, ignore_threshold=True)
    likely = {_name(one["encoding"]): one["confidence"] for one in reversed(ranked)}
    scores = {}
    known = _CANDIDATES if b"\n" in content or b"\r" not in content else _OF_MACS
    for name in (likely.keys() & known) | {_ONE_BYTE[0]}:
        with contextlib.suppress(UnicodeDecodeError):
            decoded = words.decode(name)
            odd = _odd_words(decoded)
            score = likely.get(name, 0.0) * (1 - odd) ** _ODDITY * (odd < _MOST_ODD and not _CONTROL.search(decoded))
            scores[name] = score * _USUAL if name == _ONE_BYTE[0] else score
    best = max(sorted(scores), key=scores.__getitem__, default="")
    return best if scores.get(best) else ""


def _name(encoding: str | None) -> str:
    try:
        return codecs.lookup(encoding or "").name
    except LookupError:
        return ""


def odd_share(text: str) -> float:
    """The share of a text's characters beyond ASCII that stand in odd places, as in ``StraÃŸe``."""
    padded = f" {text} "
    found = [padded[i - 1 : i + 2] for i, character in enumerate(padded) if character > "\x7f"]
    return sum(map(_is_odd, found)) / len(found) if found else 0.0


def _odd_words(text: str) -> float:
    """The share of words with characters beyond ASCII that have one in an odd place."""
    shares = [odd_share(word) for word in text.split() if not word.isascii()]
    return sum(map(bool, shares)) / len(shares) if shares else 0.0


@lru_cache(1 << 16)
def _is_odd(three: str) -> bool:
    """Whether a character is unassigned, a sign or capital within a word, or of a script that does not fit."""
    before, character, after = tuple(three)
    if unicodedata.category(character) in ("Cc", "Cn", "Co"):
        return True
    if _is_mark(character):
        return not (before.isalpha() or _is_mark(before))
    if not character.isalnum() or character == _MICRO:
        return _is_within(before) and _is_within(after) and character not in _IN_WORDS
    if _is_mixed(before, character, after):
        return True
    return (before.islower() and character.isupper()) or (character.islower() and after.isupper())


def _is_within(beside: str) -> bool:
    """Whether a character goes on a word: it is a letter, or a sign that only a wrong encoding puts there."""
    return beside.isalpha() or unicodedata.category(beside) == "So"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _is_mixed(before: str, character: str, after: str) -> bool:
    """Whether a letter of another script stands beside a Latin one."""
    return not _is_latin(character) and any(beside.isascii() and beside.isalpha() for beside in (before, after))


def _is_latin(character: str) -> bool:
    name = unicodedata.name(character, "LATIN")
    return not character.isalpha() or name.startswith(("LATIN", "FEMININE", "MASCULINE"))


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
