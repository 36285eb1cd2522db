"""IncDC's index for two inequalities beside our trees of bounds: ``python -m benchmarks.optindex`` prints a table.

What the rows on OptIndex and Fetch of docs/papers.md rest on. A table has an index, new rows come, and the pairs of a
new row and an old one that satisfy two inequalities are counted in both roles; then those are looked for that satisfy
a third predicate as well, which is how a constraint is checked. Fetch visits every candidate of the two inequalities
and compares the third predicate; ours descends by all three and stops at 64 pairs. Times are CPU seconds of one thread,
encoding and compiling not included. ``same``: counts are equal, and both say the same of whether there is a violation.
Source: IncDC, sections 5.2 (index, Fetch) and 6.1 (OptIndex). OptIndex as printed breaks ties in A by the order that B
has in a list, which puts rows of equal A in one list; ties are broken the other way here, so that they never are.
"""

import sys
from time import process_time
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from benchmarks import datasets
from benchmarks.pages import seconds, table
from profiling_core.algorithms.denial.indexed.given_rows import GivenRows
from profiling_core.algorithms.denial.indexed.joining import EVERY, count, pairs_of
from profiling_core.algorithms.denial.indexed.pair_groups import PairGroups
from profiling_core.algorithms.denial.indexed.segments import Segment
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics

NULLS = NullSemantics.EQUAL
OPERATORS = {op.value: op for op in Operator}
SHARES = (0.01, 0.1, 0.3)
SAMPLE = 64
HEADER = (
    *("old rows", "new", "predicates", "rank", "OptIndex: build", "ours", "MB", "ours", "pairs of two"),
    *("Fetch: count", "ours", "violating pairs", "Fetch: check", "ours", "same"),
)


class OptIndex(NamedTuple):
    """Lists in which A and B both rise: list i has places ``starts[i]`` to ``starts[i + 1]``; rows of equal A and B.

    ``a``, ``b``: int64[places], the values, which are different in a list; ``members[firsts[p] : firsts[p + 1]]`` are
    the rows at place p.
    """

    starts: np.ndarray
    a: np.ndarray
    b: np.ndarray
    firsts: np.ndarray
    members: np.ndarray

    @property
    def rank(self):
        return len(self.starts) - 1

    @property
    def size(self):
        return sum(part.nbytes for part in self)


def opt_index(a, b):
    """The index of the lowest rank, for A and B that rise (a falling one is given negated)."""
    by_both = np.lexsort([-b, a])
    a, b = a[by_both], b[by_both]
    new = np.flatnonzero(np.r_[True, (np.diff(a) != 0) | (np.diff(b) != 0)]) if len(a) else np.empty(0, np.int64)
    chain, rank = chains(b[new])
    placed = np.argsort(chain, kind="stable")
    bounds = np.r_[new, len(a)]
    sizes = (bounds[1:] - bounds[:-1])[placed]
    rows = np.concatenate([np.empty(0, np.int64), *(by_both[bounds[p] : bounds[p + 1]] for p in placed)])
    starts = np.r_[0, np.cumsum(np.bincount(chain, minlength=rank))]
    return OptIndex(starts, a[new][placed], b[new][placed], np.r_[0, np.cumsum(sizes)], rows)


@kernel
def chains(b):
    """To which list each value goes: the one whose last is the nearest below it, else a new one (patience sorting)."""
    last = np.empty(b.size, np.int64)  # falls from list to list
    chain = np.empty(b.size, np.int64)
    rank = 0
    for i in range(b.size):
        low, high = 0, rank
        while low < high:
            middle = (low + high) // 2
            if last[middle] < b[i]:
                high = middle
            else:
                low = middle + 1
        last[low] = b[i]
        chain[i] = low
        rank = max(rank, low + 1)
    return chain, rank


@kernel
def below(values, start, end, value, equal):
    """The number of values, which rise, that are below one, or equal to it."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value or (equal and values[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def fetched(starts, a, b, firsts, members, new_a, new_b):
    """How many old rows are below each new one in A and B, and how many above: IncDC's Algorithm 1, counted."""
    lower, upper = 0, 0
    for row in range(new_a.size):
        for i in range(starts.size - 1):
            start, end = starts[i], starts[i + 1]
            left = min(below(a, start, end, new_a[row], False), below(b, start, end, new_b[row], False))
            right = max(below(a, start, end, new_a[row], True), below(b, start, end, new_b[row], True))
            lower += firsts[left] - firsts[start]
            upper += firsts[end] - firsts[right]
    return lower, upper


@kernel
def checked(starts, a, b, firsts, members, new_a, new_b, c, new_c):  # noqa: PLR0917 -- a kernel in one piece
    """Of the rows that are fetched, how many rise in C as well, from the new row to the old one or back."""
    found = 0
    for row in range(new_a.size):
        for i in range(starts.size - 1):
            start, end = starts[i], starts[i + 1]
            left = min(below(a, start, end, new_a[row], False), below(b, start, end, new_b[row], False))
            right = max(below(a, start, end, new_a[row], True), below(b, start, end, new_b[row], True))
            for place in range(firsts[start], firsts[left]):
                found += c[members[place]] < new_c[row]
            for place in range(firsts[right], firsts[end]):
                found += c[members[place]] > new_c[row]
    return found


def timed(work):
    work()
    start = process_time()
    result = work()
    return result, process_time() - start


def compared(name, codes, texts, share):
    """One line: the first rows have come, the share of them after these is new."""
    old = int(codes.shape[1] / (1 + share))
    columns = [text.split() for text in texts]
    labels = codes.astype(np.int64)
    rising = np.array([row if op == "<" else -row for row, (_, op) in zip(labels, columns, strict=True)])
    index, build = timed(lambda: opt_index(rising[0, :old], rising[1, :old]))
    new = rising[:, old:]
    (lower, upper), fetch = timed(lambda: fetched(*index, new[0], new[1]))
    violating, check = timed(lambda: checked(*index, new[0], new[1], rising[2, :old], new[2]))

    predicates = [Predicate(Operand("t", c), OPERATORS[op], Operand("s", c)) for c, op in columns]
    groups = tuple(PredicateGroup(p.left, p.right, ordered=True) for p in predicates)
    space = PredicateSpace("r", NULLS, groups)
    pairs, dc = PairGroups.of(space), tuple(space.index[p] for p in predicates)
    segment = Segment(np.arange(old), labels[:, :old], np.ones(old, np.bool_))
    segment, our_build = timed(lambda: segment.indexed([(0, 1)]))
    tree = segment.indexes[0, 1]

    def given():
        return GivenRows(labels[:, old:], np.arange(old, codes.shape[1])).by((0, 1))

    def counted():
        return [count(given(), segment, tree, pairs, (role, dc[:2]), budget=EVERY) for role in "ts"]

    counts, our_fetch = timed(counted)
    conjunctions = [(role, dc) for role in "ts"]
    some, our_check = timed(lambda: pairs_of(given(), segment, tree, pairs, conjunctions, most=SAMPLE, budget=EVERY))
    size = sum(part.nbytes for part in tree[:4])
    same = sorted(counts) == sorted((lower, upper)) and bool(len(some)) == bool(violating)
    figures = [f"{index.rank:,}", *map(seconds, (build, our_build)), f"{index.size / 1e6:.1f}", f"{size / 1e6:.1f}"]
    figures += [f"{lower + upper:,}", *map(seconds, (fetch, our_fetch))]
    figures += [f"{violating:,}", *map(seconds, (check, our_check))]
    return [f"{name} {old:,}", f"{share:.0%}", " ".join(texts), *figures, "yes" if same else "NO"]


def random_codes(size, kind):
    """A; B independent of it, or rising with it but for noise; C falls with both, but for one row in a thousand."""
    random = np.random.default_rng(0)
    a = random.permutation(size)
    b = random.permutation(size) if kind == "independent" else a + random.integers(0, 20, size)
    c = 2 * size - np.minimum(a, b) - a // 2
    odd = random.integers(0, size, size // 1000)
    c[odd] += random.integers(0, size // 10, len(odd))
    return np.unique(np.array([a, b, c]).ravel(), return_inverse=True)[1].reshape(3, -1)


def real_codes(path, columns, rows):
    groups = tuple(PredicateGroup(Operand("t", c), Operand("s", c), ordered=True) for c in columns)
    read = pq.read_table(path, columns=list(columns)).drop_null().slice(0, rows)
    found = encode(read, PredicateSpace("r", NULLS, groups))
    return found.codes[[found.columns.index(name) for name in columns]]


def main():
    lines = []

    def add(name, codes, texts, shares=SHARES):
        for share in shares:
            lines.append(compared(name, codes, texts, share))
            sys.stderr.write(f"{lines[-1]}\n")

    for size in (10_000, 100_000):
        for kind in ("independent", "rising together"):
            add(kind, random_codes(size, kind), ("A <", "B <", "C <"))
    add("rising together", random_codes(1_000_000, "rising together"), ("A <", "B <", "C <"), (0.01,))
    (path,) = (path for path in datasets.tpch("0.19", "parquet") if path.stem == "lineitem")
    for texts in (
        ("l_quantity <", "l_extendedprice >", "l_partkey <"),
        ("l_shipdate <", "l_receiptdate >", "l_commitdate <"),
        ("l_orderkey <", "l_shipdate >", "l_linenumber <"),
    ):
        for rows in (10_000, 100_000):
            add("lineitem", real_codes(path, [text.split()[0] for text in texts], rows), texts)
    sys.stdout.write(table(HEADER, lines) + "\n")


if __name__ == "__main__":
    main()
