"""The words in texts: they may be few and known even if the texts all differ, as in addresses and titles.

A word is a run of letters; with digits within or beside it, it is part of a code and does not count.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# Distinct words of a column that are counted, at most.
MOST_WORDS = 1_000
_BETWEEN = r"[^\p{L}\p{N}]+"
_WORD = r"^\p{L}+$"


def words_in(texts: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """The words of texts without nulls, in order, and the position of each word's text."""
    split = pc.split_pattern_regex(texts, _BETWEEN)
    words, places = split.flatten(), pc.list_parent_indices(split)
    there = pc.match_substring_regex(words, _WORD)
    return words.filter(there), places.filter(there).to_numpy().astype(np.int64)


def counted(texts: pa.Array, rows: pa.Array) -> dict[str, int] | None:
    """How often each word comes; None: there are too many.

    Args:
        texts: distinct texts, no nulls.
        rows: the number of rows of each.
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
    """Whether a text consists of several words, all of them known, and of signs between them."""
    words, _ = words_in(pa.array([text]))
    return len(words) > 1 and not any(c.isdigit() for c in text) and all(word in known for word in words.to_pylist())
