"""DynASt's questions (section 7): batches of rows, of columns, of any share; the AS-tree, and sums along it."""

from collections.abc import Iterator, Sequence
from statistics import median
from unittest.mock import patch

import numpy as np

from benchmarks import datasets
from benchmarks.pages import seconds
from benchmarks.papers.page import NULLS, Sizes, cpu, figures, once, questions, yes
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_tree import AgreeSetTree
from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.search import levelwise
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.arrays import Counts, fixed
from profiling_core.algorithms.ground.bit_words import mask_of
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.ingest.files import read_table

TITLE = "DynASt's questions"
WORDS = (
    "The questions of section 7 of the paper on DynASt, asked of the agree sets that are kept here, on its own four"
    " large tables (Adult, Claims, Flight, Uniprot as its program reads them, the first rows of the tall ones). Times"
    " are milliseconds of CPU unless something else is said, rows in memory. The paper's figures are those of its"
    " machine and of its program in Java."
)
NOT_ASKED = (
    "Tables 7 and 8, beside DynFD: no program of it runs here; other programs from scratch are on [FDs](../fd.md).",
    "Table 5 beside DeepMiner: our own count from scratch stands in its place.",
)
TABLES = ("dynast_adult", "dynast_claims", "dynast_flight", "dynast_uniprot")
BATCH = 50
# Milliseconds of section 7.1 at most, and of table 9 to insert and delete.
MOST = {"dynast_claims": "1,400", "dynast_flight": "40", "dynast_uniprot": "160"}
TREE = {"dynast_adult": "3.2 / 6.1", "dynast_claims": "0.4 / 1.2", "dynast_flight": "17 / 34",
        "dynast_uniprot": "1,590 / 2,300"}  # fmt: skip
# Table 5 and 6: times faster than from scratch.
INSERTED = {"dynast_adult": (439, 15.6, 12.1, 9.9), "dynast_claims": (45.6, 5.8, 0.23, 0.18),
            "dynast_flight": (582, 74, 17, 14), "dynast_uniprot": (6611, 457, 31, 27)}  # fmt: skip
DELETED = {"dynast_adult": (439, 50, 2.6, 0.42), "dynast_claims": (24, 3.0, 0.23, 0.03),
           "dynast_flight": (153, 28, 1.2, 0.14), "dynast_uniprot": (3984, 537, 11, 0.24)}  # fmt: skip


class Rows:
    """A table's first rows, and the agree sets of some of them."""

    def __init__(self, sizes: Sizes, name: str, columns: int = 0, rows: int = 0) -> None:
        path = datasets.first_rows(datasets.normal_form(sizes.data / f"{name}.csv"), rows or sizes.tall)
        schema, table = read_table(path, typed_header=True)
        self.table = table.select(range(columns)) if columns else table
        schema = type(schema)(schema.table, schema.columns[:columns]) if columns else schema
        self.space = predicate_space.equality_only(schema, NULLS)

    def state(self, rows: int) -> AgreeSetState:
        return AgreeSetState.bootstrapped(self.table.slice(0, rows), range(rows), self.space)

    def batch(self, engine: AgreeSetState, first: int, size: int, times: int = 3) -> str:
        """CPU milliseconds, medians, of rows that come and of the same that go again."""
        coming, ids = self.table.slice(first, size), range(first, first + size)
        came, went = [], []
        for _ in range(times):
            came.append(1e3 * once(engine.apply, [], coming, ids)[1])
            went.append(1e3 * once(engine.apply, ids, None, [])[1])
        return f"{median(came):.1f} / {median(went):.1f}"


def quantiles(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows, cells = Rows(sizes, name), []
        for decile in (1, 3, 5, 7, 9):
            first = min(rows.table.num_rows * decile // 10, rows.table.num_rows - BATCH)
            cells += [rows.batch(rows.state(first), first, BATCH)]
        yield [name, f"{rows.table.num_rows:,} × {rows.table.num_columns}", *cells, MOST.get(name, "")]


def batch_sizes(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows, cells = Rows(sizes, name), []
        tall = rows.table.num_rows > 1_000
        first = rows.table.num_rows // 2
        state = rows.state(first)
        for size in (10, 50, 100, 150, *((500, 1000) if tall else ())):
            cells += [rows.batch(state, first, size)] if first + size <= rows.table.num_rows else []
        yield [name, f"{first:,}", *cells, *[""] * (6 - len(cells))]


def widths(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        cells = []
        whole = Rows(sizes, name, rows=600).table.num_columns
        for share in (0.25, 0.5, 0.75, 1):
            rows = Rows(sizes, name, max(2, int(whole * share)), rows=600)
            cells += [rows.batch(rows.state(500), 500, BATCH)]
        yield [name, str(whole), *cells]


def shares(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows = Rows(sizes, name, rows=sizes.tall // 2)
        size = rows.table.num_rows
        for side, own, published in (
            ("inserts", (0.01, 0.1, 1, 10), INSERTED),
            ("deletes", (0.01, 0.1, 0.5, 0.75), DELETED),
        ):
            for share, known in zip(own, published[name], strict=True):
                first = int(size / (1 + share)) if side == "inserts" else size
                changed = size - first if side == "inserts" else int(size * share)
                state = rows.state(first)
                scratch, anew = cpu(rows.state, size if side == "inserts" else size - changed)
                if side == "inserts":
                    took = once(state.apply, [], rows.table.slice(first), range(first, size))[1]
                else:
                    took = once(state.apply, range(first - changed, first), None, [])[1]
                same = as_counts(state.agree_sets()) == as_counts(scratch.agree_sets())
                cells = figures([first, changed, took, anew])
                yield [name, side, f"{share:.0%}", *cells, f"{anew / took:.1f}", f"{known:,}", yes(same)]


def as_counts(found: AgreeSets) -> dict[bytes, int]:
    return {
        bytes(e) + bytes(d): int(c) for e, d, c in zip(found.equal, found.different, found.counts, strict=True) if c
    }


def trees(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows = Rows(sizes, name, rows=min(sizes.tall, 10_000))
        first = rows.table.num_rows - BATCH
        before, after = (rows.state(size).agree_sets() for size in (first, first + BATCH))
        known, later = as_counts(before), as_counts(after)
        new = [i for i, key in enumerate(as_counts(after)) if key not in known]
        tree, build = once(tree_of, before)
        took = 1e3 * once(tree.extend, after.equal[new], after.different[new])[1]
        cells = figures([len(before), len(new), len(later), 1e3 * build])
        yield [name, str(rows.table.num_columns), *cells, f"{took:.2f}", TREE[name]]


def tree_of(found: AgreeSets) -> AgreeSetTree:
    tree = AgreeSetTree(found.equal.shape[1])
    tree.extend(found.equal, found.different)
    return tree


def sums(sizes: Sizes) -> Iterator[Sequence[str]]:
    random = np.random.default_rng(0)
    for name in TABLES:
        rows = Rows(sizes, name, rows=min(sizes.tall, 5_000))
        found = rows.state(rows.table.num_rows).agree_sets()
        columns, words = len(found.columns), found.equal.shape[1]
        chosen = [random.permutation(columns)[:3].tolist() for _ in range(1_000)]
        asked = np.array([mask_of(c[:2], words) for c in chosen], np.uint64)
        right = np.array([mask_of(c[2:], words) for c in chosen], np.uint64)
        tree = tree_of(found)._tree
        summed, by_tree = cpu(
            along, tree.equal, tree.apart, tree.nodes, tree.union, tree.root, asked, right, found.counts
        )
        counted, by_scan = cpu(scanned, *map(fixed, (found.equal, found.different, found.counts)), asked, right)
        limit = int(found.population * 0.01 / 2)
        level, whole = cpu(lambda f=found, n=limit: list(levelwise.levels(f, range(len(f.columns)), 2, n)))
        candidates = sum(len(sets) for sets, _ in level) * columns
        each = [1e6 * took / part for took, part in ((by_tree, 1_000), (by_scan, 1_000), (whole, candidates))]
        cells = [f"{value:.3g}" for value in each]
        yield [name, *figures([columns, len(found)]), *cells, yes(summed.tolist() == counted.tolist())]


@kernel
def along(equal, apart, nodes, union, root, asked, right, counts):  # noqa: PLR0917 -- a kernel in one piece
    """Per question the pairs that agree on all it asks and differ in its right side, along the AS-tree (section 6)."""
    found = np.zeros(asked.shape[0], np.int64)
    stack = np.empty(128 * equal.shape[1] + 2, np.int64)
    for question in range(asked.shape[0]):
        stack[0], depth = root[0], 0
        while depth >= 0:
            at = stack[depth]
            depth -= 1
            inner = at >= 0
            leaf = at if inner else -2 - at
            holds = True
            for w in range(equal.shape[1]):
                holds &= asked[question, w] & ~(union[leaf, w] if inner else equal[leaf, w]) == 0
                holds &= inner or right[question, w] & ~apart[leaf, w] == 0
            if holds and inner:
                stack[depth + 1], stack[depth + 2] = nodes[leaf, 1], nodes[leaf, 2]
                depth += 2
            elif holds:
                found[question] += counts[leaf]
    return found


@kernel
def scanned(equal, apart, counts, asked, right):
    """The same by a look at every set."""
    found = np.zeros(asked.shape[0], np.int64)
    for question in range(asked.shape[0]):
        for row in range(counts.size):
            holds = True
            for w in range(equal.shape[1]):
                holds &= asked[question, w] & ~equal[row, w] == 0 and right[question, w] & ~apart[row, w] == 0
            if holds:
                found[question] += counts[row]
    return found


def kept_current(rows: Rows, first: int, longest: int | None) -> AgreeSetEngine:
    engine = AgreeSetEngine(rows.state(first), CoverBounds(longest, longest, 0.0, 0.0))
    engine.cover()
    return engine


def apply(engine: AgreeSetEngine, *change) -> None:
    engine.apply(*change)
    engine.cover()


def covers(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        rows = Rows(sizes, name)
        longest = 3 if rows.table.num_columns > 20 else None
        first = rows.table.num_rows - BATCH
        engine, took = once(kept_current, rows, first, longest)
        coming, ids = rows.table.slice(first), range(first, first + BATCH)
        changes = ([], coming, ids), (ids, None, []), ([], coming, ids)
        cells = [1e3 * once(apply, engine, *change)[1] for change in changes]
        fds, keys = engine.functional_dependencies(), engine.unique_column_combinations()
        yield [name, *figures([first, len(fds), len(keys)]), seconds(took), f"{cells[2]:.1f}", f"{cells[1]:.1f}"]


class Apart(dict):
    """Contents of rows, none of them known: equal rows stand apart."""

    def get(self, key, default=None):
        return default


def standing_apart(relation: CompressedRelation, columns: int, *, nullable: bool) -> None:
    INIT(relation, columns, nullable=nullable)
    relation._content = Apart()


INIT = CompressedRelation.__init__


def equal_rows(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        for columns in (4, 8, 0):
            rows = Rows(sizes, name, columns)
            first = rows.table.num_rows - BATCH
            together, *cells = _inserted(rows, first)
            with patch.object(CompressedRelation, "__init__", standing_apart):
                apart, *apart_cells = _inserted(rows, first)
            same = together.empty_pairs == apart.empty_pairs and np.array_equal(*map(counted, (together, apart)))
            shown = [rows.table.num_columns, first, together.relation.distinct, *cells, *apart_cells]
            yield [name, *figures(shown), yes(same)]


def counted(state: AgreeSetState) -> Counts:
    """How many pairs agree on each set, ascending."""
    counts = state.table.counts
    return np.sort(counts[counts > 0])


def _inserted(rows: Rows, first: int) -> tuple[AgreeSetState, float, float]:
    """The state once rows have come to the first ones; CPU seconds to begin, and milliseconds of the rows."""
    rows.state(BATCH)
    state, took = once(rows.state, first)
    _, came = once(state.apply, [], rows.table.slice(first), range(first, first + BATCH))
    return state, took, 1e3 * came


QUESTIONS = questions(quantiles, batch_sizes, widths, shares, trees, sums, covers, equal_rows)
