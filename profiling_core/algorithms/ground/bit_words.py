"""Bit sets in arrays of 64-bit words: the primitives that the search kernels share, and conversions for people.

A *mask* is one row of uint64 words, bit i of word i div 64 standing for predicate (or evidence) i. The primitives are
Numba functions, inlined by LLVM into their callers; the conversions take whole arrays of masks.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.ground.kernel import kernel

Masks = NDArray[np.uint64]
WORD = 64


@kernel
def popcount(word: np.uint64) -> np.int64:
    """The number of set bits (the form that LLVM turns into one instruction)."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def lowest(word: np.uint64) -> np.int64:
    """The position of the lowest set bit; the word must not be zero."""
    return popcount((word & (~word + np.uint64(1))) - np.uint64(1))


def word_count(bits: int) -> int:
    """How many words hold that many bits; at least one, so that arrays of masks are never without columns."""
    return max(1, -(-bits // WORD))


def mask_of(bits: Sequence[int], words: int) -> Masks:
    """The mask of a set of bit positions."""
    mask = np.zeros(words, dtype=np.uint64)
    for bit in bits:
        mask[bit // WORD] |= np.uint64(1) << np.uint64(bit % WORD)
    return mask


def masks_of(sets: Sequence[Sequence[int]], words: int) -> Masks:
    """The masks of several sets of bit positions, uint64[sets, words]."""
    sizes = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    bits = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(sizes.sum()))
    return _masks_of(sizes, bits, words)


@kernel
def _masks_of(sizes: NDArray[np.int64], bits: NDArray[np.int64], words: int) -> Masks:
    masks = np.zeros((sizes.size, words), dtype=np.uint64)
    at = 0
    for row in range(sizes.size):
        for bit in bits[at : at + sizes[row]]:
            masks[row, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
        at += sizes[row]
    return masks


@kernel
def counts(masks: Masks) -> NDArray[np.int64]:
    """The number of set bits of each mask."""
    sizes = np.zeros(masks.shape[0], dtype=np.int64)
    for row in range(masks.shape[0]):
        for k in range(masks.shape[1]):
            sizes[row] += popcount(masks[row, k])
    return sizes


@kernel
def positions(masks: Masks, longest: int) -> NDArray[np.int32]:
    """The set bits of each mask in ascending order, int32[masks, longest], filled up with −1."""
    bits = np.full((masks.shape[0], longest), -1, dtype=np.int32)
    for row in range(masks.shape[0]):
        at = 0
        for k in range(masks.shape[1]):
            word = masks[row, k]
            while word != 0:
                bits[row, at] = 64 * k + lowest(word)
                at += 1
                word &= word - np.uint64(1)
    return bits


def flags(masks: Masks) -> NDArray[np.uint8]:
    """uint8[…, 64·words]: 1 for each bit that is set, else 0."""
    return np.unpackbits(np.ascontiguousarray(masks).view(np.uint8), axis=-1, bitorder="little")


def with_bit(masks: Masks, bits: NDArray[np.integer[Any]]) -> Masks:
    """Each mask with one bit more, the one of its row in ``bits``."""
    grown: Masks = masks.copy()
    grown[np.arange(len(masks)), bits // WORD] |= np.uint64(1) << (bits % WORD).astype(np.uint64)
    return grown


def distinct(masks: Masks) -> Masks:
    """The masks, each once, in no particular order."""
    ordered = masks[np.lexsort(masks.T)]
    repeated = (ordered[1:] == ordered[:-1]).all(axis=1)
    return np.concatenate([ordered[:1], ordered[1:][~repeated]])


def tuples_of(masks: Masks) -> list[tuple[int, ...]]:
    """The masks as tuples of their bit positions, sorted lexicographically."""
    if not len(masks):
        return []
    sizes = counts(masks)
    bits = positions(masks, max(1, int(sizes.max())))
    order = np.lexsort(bits.T[::-1])
    return [tuple(row[:size]) for row, size in zip(bits[order].tolist(), sizes[order].tolist(), strict=True)]


@kernel
def permuted(masks: Masks, target: NDArray[np.int32], words: int) -> Masks:
    """The masks with bit i moved to ``target[i]``, or dropped where that is negative; uint64[masks, words]."""
    out = np.zeros((masks.shape[0], words), dtype=np.uint64)
    for row in range(masks.shape[0]):
        for k in range(masks.shape[1]):
            word = masks[row, k]
            while word != 0:
                to = target[64 * k + lowest(word)]
                if to >= 0:
                    out[row, to >> 6] |= np.uint64(1) << np.uint64(to & 63)
                word &= word - np.uint64(1)
    return out


@kernel
def vertical(rows: Masks, elements: int) -> Masks:
    """The transpose: per element the bit set of rows that contain it, uint64[elements, ⌈rows / 64⌉].

    What rows contain beyond the first ``elements`` positions is left out.
    """
    edges, words = rows.shape
    hits = np.zeros((elements, max(1, (edges + 63) // 64)), dtype=np.uint64)
    square = np.empty(64, dtype=np.uint64)
    for at in range((edges + 63) // 64):
        first, last = 64 * at, min(64 * at + 64, edges)
        for k in range(words):
            for e in range(first, last):
                square[e - first] = rows[e, k]
            square[last - first :] = 0
            _transpose(square)
            for i in range(min(64, elements - 64 * k)):
                hits[64 * k + i, at] = square[i]
    return hits


@kernel
def _transpose(square: Masks) -> None:
    """Exchange bit i of word j with bit j of word i, by halves of halves (Warren, Hacker's Delight, section 7-3)."""
    half = 32
    low = np.uint64(0x00000000FFFFFFFF)
    while half:
        shift = np.uint64(half)
        for base in range(0, 64, 2 * half):
            for k in range(base, base + half):
                differing = ((square[k] >> shift) ^ square[k + half]) & low
                square[k] ^= differing << shift
                square[k + half] ^= differing
        half >>= 1
        low ^= low << np.uint64(half)


@kernel
def full_set(size: int, width: int) -> Masks:
    """The bit set of the first ``size`` positions, in ``width`` words."""
    full = np.zeros(width, dtype=np.uint64)
    for position in range(size):
        full[position >> 6] |= np.uint64(1) << np.uint64(position & 63)
    return full


@kernel
def precedes(a: Masks, b: Masks) -> bool:
    """Whether the positions of ``a``, read in ascending order, come lexicographically before those of ``b``."""
    for k in range(a.size):
        different = a[k] ^ b[k]
        if different == 0:
            continue
        bit = different & (~different + np.uint64(1))
        first = (a[k] & bit) != 0
        other = b if first else a
        # The one that has the lowest differing position comes first, unless the other one ends before it.
        above = other[k] & ~(bit | (bit - np.uint64(1)))
        for j in range(k + 1, a.size):
            above |= other[j]
        return first if above != 0 else not first
    return False
