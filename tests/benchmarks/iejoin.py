"""IEJoin beside our divide and conquer, on the same rows: ``python -m benchmarks.iejoin`` prints a Markdown table.

What row 15 of docs/tried/engines.md rests on. Two inequalities, alone or within equality groups: how many pairs satisfy
them, which rows of both sides are in one (IEJoin counts by left row, and once more for the right), and 64 of those
pairs. Times are CPU seconds of one thread from encoded rows, sorting included; compiling is not. ``same`` compares
counts and rows, and both samples' pairs with the predicates.
Source: Khayyat et al., "Lightning Fast and Space Efficient Inequality Joins", PVLDB 2015: sorted arrays, permutation,
offsets, bit array with an index of the words that hold a bit.
"""

import sys
from time import process_time

import numpy as np
import pyarrow.parquet as pq

from benchmarks import datasets
from benchmarks.pages import seconds, table
from profiling_core.algorithms.denial.checking.check import check, partition_of, sampled
from profiling_core.algorithms.denial.checking.pair_forms import PairForm
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics

SCALE = "0.19"
SAMPLE = 64
NULLS = NullSemantics.EQUAL
OPERATORS = {op.value: op for op in Operator}
LINEITEM = (
    ("l_shipdate <", "l_receiptdate >"),
    ("l_quantity <", "l_extendedprice >"),
    ("l_extendedprice <", "l_discount >"),
    ("l_returnflag =", "l_shipdate <", "l_receiptdate >"),
    ("l_partkey =", "l_quantity <", "l_extendedprice >"),
    ("l_suppkey =", "l_shipdate <", "l_extendedprice >"),
)
HEADER = ("rows", "predicates", "pairs", "IEJoin: count", "and rows", "ours: both", "IEJoin: 64 pairs", "ours", "same")


@kernel
def bits_of(word):
    """The number of set bits."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def joined(x, y, other_x, other_y, by_y, other_by_x, other_by_y, of_row, out):  # noqa: C901, PLR0912, PLR0917 -- a kernel in one piece
    """Pairs with x < other_x and y < other_y: counted where ``out`` is empty, else as many as it holds are written.

    ``of_row`` grows by each row's pairs.
    """
    size = other_x.size
    place = np.empty(size, np.int64)
    for p in range(size):
        place[other_by_x[p]] = p
    words = np.zeros(size // 64 + 1, np.uint64)
    filled = np.zeros(words.size // 64 + 1, np.uint64)
    one = np.uint64(1)
    found = 0
    at = size - 1
    for k in range(by_y.size - 1, -1, -1):
        i = by_y[k]
        while at >= 0 and other_y[other_by_y[at]] > y[i]:
            p = place[other_by_y[at]]
            words[p >> 6] |= one << np.uint64(p & 63)
            filled[p >> 12] |= one << np.uint64((p >> 6) & 63)
            at -= 1
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            if other_x[other_by_x[middle]] <= x[i]:
                low = middle + 1
            else:
                high = middle
        if low == size:
            continue
        for block in range(low >> 12, filled.size):
            here = filled[block]
            if block == low >> 12:
                here &= ~np.uint64(0) << np.uint64((low >> 6) & 63)
            while here != 0:
                w = (block << 6) + bits_of((here & (~here + one)) - one)
                here &= here - one
                word = words[w]
                if w == low >> 6:
                    word &= ~np.uint64(0) << np.uint64(low & 63)
                if out.shape[0] == 0:
                    some = bits_of(word)
                    found += some
                    of_row[i] += some
                    continue
                while word != 0:
                    out[found, 0] = i
                    out[found, 1] = other_by_x[(w << 6) + bits_of((word & (~word + one)) - one)]
                    found += 1
                    if found == out.shape[0]:
                        return found
                    word &= word - one
    return found


def iejoin(form, rows, limit):
    """How many pairs each left row is in (``limit`` 0) or up to ``limit`` pairs, group by group."""
    partition = partition_of(form, rows, rows, [], same_rows=True)
    left = form.points(rows.codes, partition.left, [], right=False)
    right = form.points(rows.codes, partition.right, [], right=True)
    counts, pairs, total = np.zeros(rows.rows, np.int64), [np.empty((0, 2), np.int64)], 0
    for a, b, c, d in partition.groups.tolist():
        x, y = np.ascontiguousarray(left[a:b, 0]), np.ascontiguousarray(left[a:b, 1])
        other = np.ascontiguousarray(right[c:d, 0]), np.ascontiguousarray(right[c:d, 1])
        out, of_row = np.empty((limit and limit - total, 2), np.int64), np.zeros(b - a, np.int64)
        found = joined(x, y, *other, np.argsort(y), np.argsort(other[0]), np.argsort(other[1]), of_row, out)
        counts[left[a:b, -1]] += of_row
        if limit:
            total += found
            pairs.append(np.column_stack([left[a:b, -1][out[:found, 0]], right[c:d, -1][out[:found, 1]]]))
            if total == limit:
                break
    return np.concatenate(pairs) if limit else counts


def timed(work):
    work()
    start = process_time()
    result = work()
    return result, process_time() - start


def compared(name, rows, texts):
    """One line of the table."""
    parts = [text.split() for text in texts]
    predicates = tuple(Predicate(Operand("t", c), OPERATORS[op], Operand("s", c)) for c, op in parts)
    form = PairForm.of(predicates, rows.columns, NULLS)
    of_left, their_count = timed(lambda: iejoin(form, rows, 0))
    of_right, mirrored = timed(lambda: iejoin(form.swapped, rows, 0))
    ours, our_count = timed(lambda: check(rows, DenialConstraint("r", predicates), NULLS))
    some, their_sample = timed(lambda: iejoin(form, rows, SAMPLE))
    others, our_sample = timed(lambda: sampled(form, rows, rows, same_rows=True, limit=SAMPLE))
    true = all(satisfied(rows, predicates, pairs) and bool(len(pairs)) == bool(ours.pairs) for pairs in (some, others))
    true = true and ours.pairs == of_left.sum() and np.array_equal(ours.left_rows, of_left > 0)
    true = true and np.array_equal(ours.right_rows, of_right > 0)
    figures = map(seconds, (their_count, their_count + mirrored, our_count, their_sample, our_sample))
    return [f"{name} {rows.rows:,}", " ".join(texts), f"{ours.pairs:,}", *figures, "yes" if true else "NO"]


def satisfied(rows, predicates, pairs):
    compare = {"<": np.less, ">": np.greater, "=": np.equal}
    codes = dict(zip(rows.columns, rows.codes, strict=True))
    t, s = pairs.T
    return all(compare[p.op.value](codes[p.left.column][t], codes[p.right.column][s]).all() for p in predicates)


def random_codes(size, kind):
    """Columns A and B: B independent of A (many pairs), falling with A up to some noise (few), or falling (none)."""
    random = np.random.default_rng(0)
    first = random.permutation(size)
    noise = {"many": None, "few": random.integers(0, 20, size), "none": 0}[kind]
    second = random.permutation(size) if noise is None else size - first + noise
    return Encoded(("A", "B"), np.array([first, second], np.int32))


def main():
    lines = []
    for size in (100_000, 1_000_000):
        for kind in ("many", "few", "none"):
            lines.append(compared(f"random, {kind}", random_codes(size, kind), ("A <", "B <")))
            sys.stderr.write(f"{lines[-1]}\n")
    columns = sorted({text.split()[0] for texts in LINEITEM for text in texts})
    (path,) = (path for path in datasets.tpch(SCALE, "parquet") if path.stem == "lineitem")
    groups = tuple(PredicateGroup(Operand("t", c), Operand("s", c), ordered=True) for c in columns)
    whole = encode(pq.read_table(path, columns=columns).slice(0, 1_000_000), PredicateSpace("lineitem", NULLS, groups))
    for texts in LINEITEM:
        lines.append(compared("lineitem", whole, texts))
        sys.stderr.write(f"{lines[-1]}\n")
    sys.stdout.write(table(HEADER, lines) + "\n")


if __name__ == "__main__":
    main()
