"""The words in texts: few and known ones even where the texts are all different, as in addresses and in titles.

A word is a run of letters; one that has digits within or beside it is part of a code, and none.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MOST_WORDS = 1_000
_BETWEEN = r"[^\p{L}\p{N}]+"
_WORD = r"^\p{L}+$"


def words_in(texts: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """The words of texts without nulls, one after the other, and the place of the text that each is in."""
    split = pc.split_pattern_regex(texts, _BETWEEN)
    words, places = split.flatten(), pc.list_parent_indices(split)
    there = pc.match_substring_regex(words, _WORD)
    return words.filter(there), places.filter(there).to_numpy().astype(np.int64)


def counted(texts: pa.Array, rows: pa.Array) -> dict[str, int] | None:
    """How often each word comes; None: there are too many.

    Args:
        texts: different texts, no nulls.
        rows: in how many rows each is.
    """
    words, places = words_in(texts)
    coded = words.dictionary_encode()
    if len(coded.dictionary) > MOST_WORDS:
        return None
    counts = np.bincount(coded.indices.to_numpy(), weights=rows.to_numpy()[places], minlength=len(coded.dictionary))
    return dict(zip(coded.dictionary.to_pylist(), map(int, counts), strict=True))


def having_any(texts: pa.ChunkedArray, wanted: Collection[str]) -> pa.Array:
    """bool[n]: which texts have one of the words; nulls have none."""
    words, places = words_in(pc.fill_null(texts, "").combine_chunks())
    found = np.zeros(len(texts), np.bool_)
    there = pc.is_in(words, value_set=pa.array(sorted(wanted), pa.string()))
    found[places[there.to_numpy(zero_copy_only=False)]] = True
    return pa.array(found)


def is_composed(text: str, known: Collection[str]) -> bool:
    """Whether a text is put together of several words, all of them known, and nothing else but signs between them."""
    words, _ = words_in(pa.array([text]))
    return len(words) > 1 and not any(c.isdigit() for c in text) and all(word in known for word in words.to_pylist())
