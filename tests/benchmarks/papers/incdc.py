"""IncDC's questions (section 9): inserts beside discovery, their phases, which indexes there are, and Fetch."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from unittest.mock import patch

import numpy as np

from benchmarks.pages import seconds
from benchmarks.papers.opt_index import fetched, opt_index
from benchmarks.papers.page import NULLS, Asked, Sizes, adding_up, asked, cpu, figures, once, questions, yes
from benchmarks.programs.maintained import Counted
from profiling_core.algorithms.denial.checking.check import check_between
from profiling_core.algorithms.denial.cover import reduced_cover
from profiling_core.algorithms.denial.indexed import rows as indexed_rows
from profiling_core.algorithms.denial.indexed.labels import Dictionary
from profiling_core.algorithms.denial.indexed.orders import select_orders
from profiling_core.algorithms.denial.indexed.rows import TableRows
from profiling_core.algorithms.denial.indexed.segments import Segment
from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.denial.indexed.witnessed_evidences import WitnessedEvidences
from profiling_core.algorithms.denial.sampled import discovery
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.hitting_sets import inversion
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operand, Operator, Predicate

TITLE = "IncDC's questions"
WORDS = (
    "The questions of section 9 of the paper on IncDC, asked of the indexed engine. The paper's figures are those of"
    " its machine and of programs in Java. airport and dynast_claims are its AirPort and Claim, adult its Adult (first"
    " rows of each); ncvoter, tax10k and lineitem (TPC-H) stand for the others. Rows come in random order; constraints"
    " have at most 4 predicates in lineitem and claims, 3 in adult and across columns. States are in memory."
)
NOT_ASKED = (
    "Atom, FDR15, FDR25, DIT, INSP and UCE are not at hand.",
    "DCFinder and FACET do not run here. IEJoin beside divide and conquer stands in [engines](../../tried/engines.md).",
    (
        "Figure 14, ranks after updates: an order has no rank, and lists of OptIndex are not kept here. Its selectivity"
        " of indexes: which pairs are looked at is decided pair by pair, along a tree of checks."
    ),
    "Table 12, equality and inequality indexes apart on Atom and UCE: neither is at hand, one order serves both here.",
    "Figure 13c and f, predicates drawn at random: tables with fewer columns are asked instead.",
)
TABLES = ("airport", "ncvoter", "tax10k", "adult", "dynast_claims", "lineitem")
# The paper's seconds for 10, 20 and 30 %: Hydra and IncDC.
PUBLISHED = {
    "airport": ("4.76 / 0.70", "5.22 / 0.87", "5.66 / 1.03"),
    "adult": ("3665 / 467", "3867 / 644", "4288 / 849"),
    "dynast_claims": ("27.7 / 3.73", "38.1 / 4.02", "38.5 / 5.49"),
    "ncvoter": ("241 / 14.4", "277 / 21.7", "285 / 23.1"),
}
SHARES = (0.1, 0.2, 0.3)
FEWEST, LEAST_DISTINCT, ENOUGH_DISTINCT = 2, 0.1, 0.4  # 0.4: the paper's l of 0.6 is of one less the share
NO_IDS = np.empty(0, np.int64)


def shuffled(sizes: Sizes, name: str, **options) -> Asked:
    table = asked(sizes, name, **options)
    return table._replace(rows=table.rows.take(np.random.default_rng(1).permutation(table.rows.num_rows)))


def bound_of(table: Asked) -> int | None:
    return (
        3
        if table.name == "adult" or not table.space.is_same_column
        else 4
        if table.name in {"lineitem", "dynast_claims"}
        else None
    )


def begun(table: Asked, rows: int) -> dict:
    """The arrays of the state of the first rows."""
    first = table.rows.slice(0, rows)
    return IndexedTable.bootstrap(first, np.arange(rows), table.space, max_predicates=bound_of(table)).arrays()


def inserted(table: Asked, state: dict, rows: int, end: int, pieces: int = 1) -> tuple[IndexedTable, float]:
    """The state with the rows up to ``end``, in pieces, and the CPU seconds that they take; of two runs the second."""
    for _ in range(2):
        begun_again, took = IndexedTable.from_arrays(table.space, state), 0.0
        for ids in np.array_split(np.arange(rows, end), pieces):
            took += once(begun_again.apply, NO_IDS, table.rows.slice(ids[0], len(ids)), ids)[1]
    return begun_again, took


def discovered(table: Asked, rows: int) -> tuple[list, float]:
    encoded = encode(table.rows.slice(0, rows), table.space)
    found, took = cpu(discovery.discover, encoded, table.space, max_predicates=bound_of(table))
    return found.cover, took


def by_pairs(table: Asked, rows: int) -> list:
    evidence = self_evidence(encode(table.rows.slice(0, rows), table.space), table.space)
    return inversion.minimal_cover(ordered_masks(evidence, table.space)[0], table.space, max_predicates=bound_of(table))


def counted(table: Asked, rows: int, end: int) -> tuple[list, float]:
    first, coming = table.rows.slice(0, rows), table.rows.slice(rows, end - rows)
    engine = Counted(table.space, bound_of(table), first, first.slice(0, 0))
    return once(engine.maintain, first, first.slice(0, 0), coming)


def batches(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        for cross in (False, True):
            table = shuffled(sizes, name, cross=cross)
            rows = int(table.rows.num_rows / 1.3)
            state = begun(table, rows)
            for number, share in enumerate(SHARES):
                end = rows + int(rows * share)
                after, took = inserted(table, state, rows, end)
                hydra, took_hydra = discovered(table, end)
                pairs, took_pairs = cpu(by_pairs, table, end)
                same, cells = sorted(after.cover) == sorted(hydra) == sorted(pairs), [took, took_hydra, took_pairs]
                text = ""
                if not cross:
                    maintained, took_counted = counted(table, rows, end)
                    same &= maintained == reduced_cover(pairs, table.space)
                    text = seconds(took_counted)
                published = PUBLISHED.get(name, ("",) * 3)[number] if not cross else ""
                space = "across" if cross else "same"
                head = [name, space, f"{rows:,}", f"{share:.0%}", f"{len(after.cover):,}"]
                yield [*head, *figures(cells), text, published, yes(same)]


PHASES = (
    ("looking up", TableRows, "touching"),
    ("indexing", TableRows, "with_rows"),
    ("indexing", TableRows, "compacted"),
    ("indexing", TableRows, "indexed"),
    ("evidence", TableRows, "pairs_of"),
    ("evidence", WitnessedEvidences, "absorb"),
    ("checking", IndexedTable, "_sweep"),
    ("cover", IndexedTable, "_update"),
)


def phases(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        table = shuffled(sizes, name)
        rows = int(table.rows.num_rows / 1.3)
        state = begun(table, rows)
        inserted(table, state, rows, table.rows.num_rows)
        spent = dict.fromkeys([word for word, _, _ in PHASES], 0.0)
        again = IndexedTable.from_arrays(table.space, state)
        ids = np.arange(rows, table.rows.num_rows)
        with adding_up(spent, *PHASES):
            again.apply(NO_IDS, table.rows.slice(rows), ids)
        whole = sum(spent.values())
        yield [name, *figures([rows, whole]), *(f"{took / whole:.0%}" for took in spent.values())]


def growth(sizes: Sizes) -> Iterator[Sequence[str]]:
    for rows in (sizes.tall // 10, sizes.tall // 4, sizes.tall // 2, int(sizes.tall / 1.2)):
        yield _grown(shuffled(sizes, "lineitem", rows=int(rows * 1.2)), "rows", rows, 0.2)
    table = shuffled(sizes, "lineitem", rows=sizes.tall)
    for share in (0.15, 0.2, 0.3, 0.4):
        yield _grown(table, "inserts", int(sizes.tall / 1.4), share)
    for columns in (6, 9, 12, 16):
        yield _grown(shuffled(sizes, "lineitem", rows=sizes.tall, columns=columns), "columns", sizes.tall // 2, 0.2)


def _grown(table: Asked, varied: str, rows: int, share: float) -> Sequence[str]:
    end = rows + int(rows * share)
    after, took = inserted(table, begun(table, rows), rows, end)
    hydra, took_hydra = discovered(table, end)
    size = [rows, f"{share:.0%}", len(table.space.predicates), len(after.cover)]
    return [varied, *figures([*size, took, took_hydra]), yes(sorted(after.cover) == sorted(hydra))]


def histories(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in ("dynast_claims", "lineitem"):
        table = shuffled(sizes, name)
        rows = table.rows.num_rows // 2
        state = begun(table, rows)
        hydra = discovered(table, table.rows.num_rows)[0]
        for pieces in (1, 4, 20, 100):
            after, took = inserted(table, state, rows, table.rows.num_rows, pieces)
            same = sorted(after.cover) == sorted(hydra)
            yield [name, *figures([pieces, (table.rows.num_rows - rows) // pieces, took]), yes(same)]


def select_index(shapes: Sequence, expected, distinct: np.ndarray) -> list[tuple[int, ...]]:
    """IncDC's Algorithm 4 in place of :func:`select_orders`: columns by distinct values, pairs by correlation."""
    share = distinct / max(1, expected.rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.abs(np.nan_to_num(np.corrcoef(expected.sample))).reshape(len(distinct), -1)
    equalities = [set(shape.equal) for shape in shapes]
    chosen: list[tuple[int, ...]] = []

    def pick(column: int, left: list[int]) -> list[int]:
        if not any(column in equalities[n] for n in left):
            return left
        chosen.append((column,))
        return [n for n in left if column not in equalities[n]]

    by_values = np.argsort(-share, kind="stable").tolist()
    left = list(range(len(shapes)))
    for column in (column for column in by_values if share[column] > ENOUGH_DISTINCT):
        left = pick(column, left)
    for least in (LEAST_DISTINCT, 0.0):
        while covered := _pairs(shapes, left, share >= least):
            score = {(a, b): (1 - correlation[a, b] if a != b else 1) / len(covered[a, b]) for a, b in covered}
            pair = min(covered, key=lambda p, score=score: (score[p], p))
            chosen.append(pair if pair[0] != pair[1] else pair[:1])
            left = [n for n in left if n not in set(covered[pair])]
        for column in by_values:
            left = pick(column, left)
    return list(dict.fromkeys(chosen)) or [()]


def _pairs(shapes: Sequence, left: Sequence[int], able: np.ndarray) -> dict[tuple[int, int], list[int]]:
    """Which constraints each pair of inequalities can serve; a single one is a pair with itself."""
    found = defaultdict(list)
    for number in left:
        columns = [column for column in sorted(shapes[number].ordered) if able[column]]
        for pair in combinations(columns, 2) if len(columns) != 1 else [(columns[0], columns[0])]:
            found[pair].append(number)
    return found


def indexes(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        for cross in (False, True):
            table = shuffled(sizes, name, cross=cross, rows=sizes.tall if name == "lineitem" and not cross else 0)
            rows = int(table.rows.num_rows / 1.3)
            covers = []
            for way, select in (("ours", select_orders), ("SelectIndex", select_index)):
                spent: dict[str, float] = {}
                with (
                    patch.object(indexed_rows, "select_orders", select),
                    adding_up(spent, ("build", Segment, "indexed")),
                ):
                    state = begun(table, rows)
                    held = IndexedTable.from_arrays(table.space, state).rows.segments[0].indexes.values()
                    deltas = [inserted(table, state, rows, rows + int(rows * share)) for share in (0.01, 0.1, 0.3)]
                covers.append([sorted(after.cover) for after, _ in deltas])
                size = sum(part.nbytes for index in held for part in index[:4]) / 1e6
                head = [name, "across" if cross else "same", f"{rows:,}", way, str(len(held)), f"{size:.1f}"]
                yield [*head, *figures([spent["build"], *(took for _, took in deltas)]), yes(covers[0] == covers[-1])]


def ranks(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in ("tax10k", "flights2", "lineitem"):
        table = shuffled(sizes, name)
        codes = encode(table.rows, table.space)
        ordered = [g.left.column for g in table.space.groups if g.ordered]
        found = defaultdict(list)
        for one, other in combinations(ordered, 2):
            a, b = (codes.codes[codes.columns.index(column)].astype(np.int64) for column in (one, other))
            if min(len(np.unique(a)), len(np.unique(b))) < FEWEST:
                continue
            r = float(np.corrcoef(a, b)[0, 1])
            found[min(4, int(abs(r) * 5))].append(opt_index(a, b if r > 0 else -b).rank)
        for fifth, own in sorted(found.items()):
            yield [
                name,
                f"{fifth / 5:.1f} to {fifth / 5 + 0.2:.1f}",
                *figures([len(own), round(np.mean(own)), max(own)]),
            ]


def fetches(sizes: Sizes) -> Iterator[Sequence[str]]:
    random = np.random.default_rng(0)
    predicates = [Predicate(Operand("t", c), Operator.LT, Operand("s", c)) for c in "ab"]
    constraint = DenialConstraint("r", tuple(predicates))
    for kind in ("independent", "rising together"):
        a = random.permutation(sizes.tall)
        b = random.permutation(sizes.tall) if kind == "independent" else a + random.integers(0, 20, sizes.tall)
        codes = np.unique(np.array([a, b]).ravel(), return_inverse=True)[1].reshape(2, -1).astype(np.int32)
        for share in (0.01, 0.1, 0.3):
            old = int(sizes.tall / (1 + share))
            index, build = cpu(opt_index, codes[0, :old].astype(np.int64), codes[1, :old].astype(np.int64))
            new = codes[:, old:].astype(np.int64)
            (lower, upper), took = cpu(fetched, *index, new[0], new[1])
            first, coming = (Encoded(("a", "b"), part.copy()) for part in (codes[:, :old], codes[:, old:]))
            roles = [cpu(check_between, *s, constraint, NULLS) for s in ((first, coming), (coming, first))]
            ours, our_took = [found.pairs for found, _ in roles], sum(took for _, took in roles)
            cells = figures([old, f"{share:.0%}", index.rank, lower + upper, build, took, our_took])
            yield [kind, *cells, yes(sorted(ours) == sorted((int(lower), int(upper))))]


UPKEEP = (
    *(("segments", indexed_rows.TableRows, name) for name in ("with_rows", "indexed", "compacted")),
    ("labels", Dictionary, "extended"),
)


def upkeep(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in ("airport", "ncvoter", "tax10k", "lineitem"):
        for cross in (False, True):
            table = shuffled(sizes, name, cross=cross)
            rows = int(table.rows.num_rows / 1.3)
            state = begun(table, rows)
            for share in (0.01, 0.1, 0.3):
                end, spent = rows + int(rows * share), dict[str, float]()
                _, whole = inserted(table, state, rows, end)
                with adding_up(spent, *UPKEEP):
                    inserted(table, state, rows, end)
                kept = [spent[part] / 2 for part in ("labels", "segments")]  # it runs twice
                head = [name, "across" if cross else "same", f"{rows:,}", f"{share:.0%}"]
                yield [*head, *figures([whole, *kept]), *(f"{part / whole:.0%}" for part in kept)]


QUESTIONS = questions(batches, phases, growth, histories, indexes, ranks, fetches, upkeep)
