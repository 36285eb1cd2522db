"""Fits how much likelier Windows-1252 is than other encodings, and what odd words weigh, by names of places and months.

Babel has them. Each is written in an encoding of its language, some names at a time, as they are and in capitals. By
factor and power it prints the share that is read back equal.
"""

import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean

from babel import Locale

from profiling_core.ingest.sniffing import encodings

_WRITTEN = {
    "cp1252": "de fr pt es it sv da nb fi nl is",
    "mac_roman": "de fr pt",
    "cp850": "de fr pt",
    "cp1250": "cs pl hu sk sl hr",
    "iso8859-2": "cs pl hu",
    "cp1257": "lt lv",
    "cp1251": "ru uk bg",
    "koi8-r": "ru",
    "cp866": "ru",
    "cp1253": "el",
    "cp1254": "tr",
    "cp1255": "he",
    "cp1256": "ar",
    "cp874": "th",
    "cp932": "ja",
    "gbk": "zh",
    "cp949": "ko",
}
_AT_ONCE = (1, 2, 4, 8, 16, 60)
_TRIES = 6


def names(language: str, encoding: str) -> list[str]:
    """Names in a language that have a letter beyond ASCII, and can be written so."""
    of = Locale.parse(language)
    found = (
        *of.territories.values(),
        *of.languages.values(),
        *of.currencies.values(),
        *of.months["format"]["wide"].values(),
    )
    return [name for name in dict.fromkeys(found) if not name.isascii() and _is_written(name, encoding)]


def _is_written(name: str, encoding: str) -> bool:
    try:
        return bool(name.encode(encoding))
    except UnicodeEncodeError:
        return False


def samples() -> Iterator[tuple[str, str, bytes]]:
    """Encodings, texts, and how these are written in them."""
    drawn = random.Random(7)
    for encoding, languages in _WRITTEN.items():
        for language in languages.split():
            known = names(language, encoding)
            for count in _AT_ONCE:
                for _ in range(_TRIES):
                    text = "\n".join(drawn.sample(known, min(count, len(known))))
                    for form in dict.fromkeys((text, text.upper())):
                        if _is_written(form, encoding):
                            yield encoding, form, form.encode(encoding)


def main() -> None:
    """Prints by the factor which share is read equal, of the usual encoding and of others."""
    found = list(samples())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        ways = [*product((1.0, 1.1, 1.2, 1.3, 1.5, 2.0), (8,)), *product((1.3,), (1, 2, 4, 16))]
        for factor, power in ways:
            encodings._USUAL, encodings._ODDITY = factor, power
            equal = defaultdict(list)
            for encoding, text, content in found:
                path.write_bytes(content)
                equal[encoding].append(content.decode(encodings.encoding_of(path, content), "replace") == text)
            usual, *others = fmean(equal.pop("cp1252")), *map(fmean, equal.values())
            sys.stdout.write(
                f"{factor}, {power}: Windows-1252 {usual:.3f}, others {fmean(others):.3f}, least {min(others):.2f}\n"
            )


if __name__ == "__main__":
    main()
