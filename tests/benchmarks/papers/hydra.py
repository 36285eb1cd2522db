"""Hydra's questions (section 7): growth, phases, sampling, inversion, and the order of checks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from unittest.mock import patch

import numpy as np

from benchmarks import datasets
from benchmarks.pages import seconds
from benchmarks.papers.page import Asked, Sizes, adding_up, asked, cpu, figures, questions, yes
from benchmarks.processes import measured
from profiling_core.algorithms.denial.checking import check
from profiling_core.algorithms.denial.checking.pair_forms import PairForm
from profiling_core.algorithms.denial.checking.partition import Partition
from profiling_core.algorithms.denial.cover import reduced_cover
from profiling_core.algorithms.denial.sampled import completion, discovery
from profiling_core.algorithms.denial.sampled.discovery import Completion
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.denial.sampled.sampling import USUAL, Sampling, random_pairs, sample_randomly
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.algorithms.hitting_sets.mirror import with_mirrors
from profiling_core.algorithms.values.encoding import encode

TITLE = "Hydra's questions"
WORDS = (
    "The questions of section 7 of Bleifuß, Kruse and Naumann, PVLDB 2017, asked of Hydra's way here. The paper's"
    " figures are those of its machine and of programs in Java: orders of magnitude, to be read beside ours. Its Stock,"
    " its Tax of a million rows and its Hospital of 114,919 are not at hand: 10,000 rows of Tax and Hospital are;"
    " flights2 and lineitem (TPC-H) stand for many predicates and for many rows. Constraints are set-minimal, of at"
    " most 4 predicates in lineitem and across columns, of any length elsewhere; `same` compares answers one by one."
)
NOT_ASKED = (
    "Section 7.4, memory under a capped Java heap: peaks of processes stand on [denial constraints](../dc.md).",
    "Figure 5 beside FASTDC: no program of it runs here; FastADC of Desbordante, its successor, does.",
    "Figure 11, NOPIPE: nothing can be switched off, as no more than a path of partitions is ever held.",
)
TABLES = ("hospital", "tax10k", "flights2", "lineitem")
PUBLISHED = Sampling(most_random=None, most_rows=None, enough=1 << 62)


def bound_of(table: Asked) -> int | None:
    return 4 if table.name == "lineitem" or not table.space.is_same_column else None


def by_hydra(table: Asked, **options) -> list[tuple[int, ...]]:
    rows = encode(table.rows, table.space)
    return discovery.discover(rows, table.space, max_predicates=bound_of(table), **options).cover


def evidences(table: Asked) -> np.ndarray:
    return ordered_masks(self_evidence(encode(table.rows, table.space), table.space), table.space)[0]


def by_pairs(table: Asked) -> list[tuple[int, ...]]:
    return inversion.minimal_cover(evidences(table), table.space, max_predicates=bound_of(table))


def peer(sizes: Sizes, name: str, rows: int) -> str:
    """Desbordante's FastADC on the same rows, one thread; same-column predicates without a bound."""
    path = datasets.first_rows(datasets.normal_form(sizes.data / f"{name}.csv"), rows)
    run = measured([datasets.PEERS / "python", datasets.PROGRAMS / "desbordante_dc.py", path, 1, "same"], cpu_limit=60)
    return run.failed or seconds(run.run)


def rows(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        most = sizes.tall if name == "lineitem" else sizes.rows
        for part in (most // 10, most // 4, most // 2, most):
            for cross in (False, True):
                if cross and part > sizes.rows:
                    continue
                table = asked(sizes, name, cross=cross, rows=part)
                ours, took = cpu(by_hydra, table)
                pairs, took_pairs = cpu(by_pairs, table)
                theirs = "" if cross or name == "lineitem" else peer(sizes, name, part)
                size = [table.rows.num_rows, len(table.space.predicates), len(ours)]
                cells = figures([*size, took, took_pairs])
                yield [name, "across" if cross else "same", *cells, theirs, yes(sorted(ours) == sorted(pairs))]


def predicates(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES[:3]:
        for columns in (4, 7, 10, 13, 15):
            table = asked(sizes, name, columns=columns)
            found, took = cpu(by_hydra, table)
            yield [name, *figures([columns, len(table.space.predicates), len(found), took])]


PHASES = (
    ("sampling", discovery, "sampled_evidences"),
    ("inverting", discovery, "minimal_cover"),
    ("inverting", discovery, "refine"),
    ("implied", discovery, "reduced_cover"),
    ("checking", discovery, "violations_of"),
)


def phases_of(table: Asked) -> dict[str, float]:
    """CPU seconds of each phase, after a discovery that loads what is compiled."""
    spent = dict.fromkeys([word for word, _, _ in PHASES], 0.0)
    by_hydra(table)
    with adding_up(spent, *PHASES):
        by_hydra(table)
    return spent


def phases(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        for part in (sizes.rows // 4, sizes.rows, *((sizes.tall,) if name == "lineitem" else ())):
            table = asked(sizes, name, rows=part)
            spent = phases_of(table)
            whole = sum(spent.values())
            yield [name, *figures([table.rows.num_rows, whole]), *(f"{took / whole:.0%}" for took in spent.values())]


def randomly(table: Asked, partners: int) -> int:
    rows = encode(table.rows, table.space)
    known = KnownEvidences(rows, table.space)
    asked = replace(PUBLISHED, partners=partners)
    sample_randomly(known, random_pairs(rows.rows, np.random.default_rng(0), asked), asked.evidences(rows.rows))
    return len(known)


def focused(table: Asked, sampling: Sampling) -> int:
    return len(discovery.sampled_evidences(encode(table.rows, table.space), table.space, sampling=sampling)[0])


def found_evidences(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        table = asked(sizes, name)
        whole = len(evidences(table))
        ways = [partial(randomly, table, partners) for partners in (20, 200)]
        ways += [partial(focused, table, sampling) for sampling in (PUBLISHED, USUAL)]
        found = [cpu(way) for way in ways]
        yield [name, f"{whole:,}", *(f"{share / whole:.1%} in {seconds(took)}" for share, took in found)]


SETTINGS = ((5, 0.005), (20, 0.005), (80, 0.005), (20, 0.05), (20, 0.02), (20, 0.001))


def parameters(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        table = asked(sizes, name)
        samplings = [*(replace(PUBLISHED, partners=k, threshold=least) for k, least in SETTINGS), USUAL]
        yield [name, *(seconds(cpu(by_hydra, table, sampling=sampling)[1]) for sampling in samplings)]


def inversions(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES[:3]:
        for columns in (4, 7, 10, 13):
            table = asked(sizes, name, columns=columns, rows=sizes.rows // 4)
            masks, any_length = evidences(table), {"max_predicates": None}
            first = inversion.minimal_cover(with_mirrors(masks[:1], table.space), table.space, **any_length)
            mmcs, took = cpu(inversion.minimal_cover, masks, table.space, **any_length)
            one, one_took = cpu(updating.refine, first, masks[1:], table.space, **any_length)
            weak_took = cpu(inversion.maximal_cover, masks, table.space, **any_length)[1]
            size = [columns, len(table.space.predicates), len(masks), len(mmcs)]
            yield [name, *figures([*size, took, one_took, weak_took]), yes(sorted(one) == sorted(mmcs))]


def orders(sizes: Sizes) -> Iterator[Sequence[str]]:
    whole = completion._scores

    def by_selectivity(forms, columns, space, selectivity):
        frequency = whole(forms, columns, space, None)
        return {pair: score / frequency[pair] for pair, score in whole(forms, columns, space, selectivity).items()}

    def by_frequency(forms, columns, space, _):
        return whole(forms, columns, space, None)

    for name in TABLES:
        table = asked(sizes, name, rows=sizes.tall if name == "lineitem" else 0)
        cells = []
        for scores in (whole, by_selectivity, by_frequency):
            with patch.object(completion, "_scores", scores):
                cells.append(seconds(phases_of(table)["checking"]))
        yield [name, *cells]


def minimizations(sizes: Sizes) -> Iterator[Sequence[str]]:
    for name in TABLES:
        for cross in (False, True):
            table = asked(sizes, name, cross=cross, rows=sizes.tall if name == "lineitem" and not cross else 0)
            found, took = cpu(by_hydra, table)
            with patch.object(Completion, "strongest", lambda _, cover: cover):
                other, every = cpu(by_hydra, table)
            strongest, rows = reduced_cover(found, table.space), encode(table.rows, table.space)
            apart, took_apart = cpu(completion.violations_of, rows, strongest, table.space, threads=1)
            shared, took_shared = cpu(with_shared_inequalities, rows, strongest, table.space)
            same = sorted(found) == sorted(other) and [len(violations.pairs) > 0 for violations in apart] == shared
            cells = figures([len(found), len(strongest), took, every, took_apart, took_shared])
            yield [name, "across" if cross else "same", *cells, yes(same)]


def with_shared_inequalities(rows, dcs, space) -> list[bool]:
    """Whether each constraint is violated: those of the same equalities share their commonest inequality."""
    forms = [PairForm.of([space.predicates[p] for p in dc], rows.columns, space.nulls) for dc in dcs]
    equalities = [sorted(form.equal) for form in forms]
    violated = [False] * len(dcs)
    for equal, members in groupby(sorted(range(len(dcs)), key=equalities.__getitem__), key=equalities.__getitem__):
        within = Partition.whole(rows.rows, rows.rows)
        for a, b in equal:
            within = within.equated(rows.codes[a], rows.codes[b], same_rows=True)
        left = list(members) if len(within.groups) else []
        while left:
            having: dict = {}
            for number in left:
                for one in forms[number].ordered:
                    having.setdefault(one, []).append(number)
            shared, some = max(having.items(), key=lambda item: len(item[1]), default=(None, left))
            some = left if len(some) < 2 else some
            refined = within if some is left else halves(rows.codes, within, *shared)
            for number in some:
                filtered = forms[number].within(refined, rows.codes, rows.codes, same_rows=True)
                pairs = check.sampled_from(filtered, forms[number], rows, rows, same_rows=True, limit=completion.LIMIT)
                violated[number] = len(pairs) > 0
            left = [number for number in left if number not in set(some)]
    return violated


def halves(codes, partition: Partition, a: int, op, b: int) -> Partition:
    """Cluster pairs with all pairs that satisfy an inequality: groups are halved until it holds for all of a pair."""
    sign, strict = -1 if op.value[0] in ">≥" else 1, op.value in {"<", ">"}
    sides, groups, at = ([np.empty(0, np.int64)], [np.empty(0, np.int64)]), [], np.zeros(4, np.int64)
    stack = [(partition.left[g[0] : g[1]], partition.right[g[2] : g[3]]) for g in partition.groups.tolist()]
    while stack:
        left, right = stack.pop()
        x, y = sign * codes[a][left].astype(np.int64), sign * codes[b][right].astype(np.int64) + (not strict)
        if not len(x) or not len(y) or x.min() >= y.max():
            continue
        if x.max() < y.min() or min(len(x), len(y)) <= 48:
            at = np.array([at[1], at[1] + len(left), at[3], at[3] + len(right)])
            groups.append(at)
            sides[0].append(left)
            sides[1].append(right)
            continue
        middle = np.median(x) if np.median(x) < x.max() else x.max() - 1
        low, high = x <= middle, y > middle
        stack += [(left[low], right[high]), (left[~low], right[high]), (left[low], right[~high])]
    return Partition(*(np.concatenate(side) for side in sides), np.array(groups, np.int64).reshape(-1, 4))


QUESTIONS = questions(rows, predicates, phases, found_evidences, parameters, inversions, orders, minimizations)
