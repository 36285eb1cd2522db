"""Which DCs are trivial, what follows from one, and what a mirror is: by example.

Sections of the papers: Hydra 5.
"""

import pytest

from profiling_core.algorithms.denial.cover import constraints, reduced_cover
from profiling_core.algorithms.ground.bit_words import masks_of, tuples_of, word_count
from profiling_core.algorithms.hitting_sets.mirror import canonical, mirror_of, mirrored_space, with_mirrors
from profiling_core.algorithms.hitting_sets.satisfiability import closures, satisfiable
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics


def operand(text: str) -> Operand:
    row, column = text.split(".")
    return Operand(row, column)


def predicate(text: str) -> Predicate:
    left, op, right = text.split()
    return Predicate(operand(left), Operator(op), operand(right))


COLUMNS = "ABC"
PAIRS = [("A", "B"), ("A", "C"), ("B", "C")]
SPACE = PredicateSpace(
    "r",
    NullSemantics.SQL,
    tuple(
        PredicateGroup(operand(left), operand(right), ordered=True)
        for left, right in (
            *((f"t.{c}", f"s.{c}") for c in COLUMNS),
            *(pair for a, b in PAIRS for pair in ((f"t.{a}", f"s.{b}"), (f"t.{b}", f"s.{a}"))),
            *((f"t.{a}", f"t.{b}") for a, b in PAIRS),
        )
    ),
)


def dc(*texts: str) -> tuple[int, ...]:
    return tuple(sorted(SPACE.index[predicate(text)] for text in texts))


def mask(*dcs: tuple[int, ...]):
    return masks_of(dcs, word_count(len(SPACE.predicates)))


@pytest.mark.parametrize(
    ("texts", "trivial"),
    [
        (["t.A < s.A", "t.B > s.B"], False),
        (["t.A < t.B", "t.B < t.C", "t.A < t.C"], False),
        (["t.A < t.B", "t.B ≤ t.C", "t.A ≥ t.C"], True),
        (["t.A ≤ t.B", "t.B ≤ t.C", "t.A ≥ t.C"], False),  # all three equal
        (["t.A ≤ t.B", "t.B ≤ t.C", "t.A > t.C"], True),
        (["t.A = s.B", "t.C = s.B", "t.A ≠ t.C"], True),
        (["t.A ≠ s.B", "t.C ≠ s.B", "t.A ≠ t.C"], False),
        (["t.A = s.A", "t.A < s.B", "t.B ≤ s.A"], False),
        (["t.A ≤ s.B", "t.A ≥ s.C", "t.B ≤ s.C", "t.B > s.B"], True),
    ],
)
def test_a_dc_is_trivial_when_no_values_satisfy_it(texts: list[str], trivial: bool):
    assert satisfiable(mask(dc(*texts)), SPACE).tolist() == [not trivial]


def test_a_closure_passes_through_operands_that_no_predicate_of_the_space_compares():
    """t.A < s.B and s.B < t.C; s.A ≤ s.B is in no space, and yet s.A ≤ t.C follows from it."""
    wide = mirrored_space(SPACE)
    start = masks_of([[wide.index[predicate(t)] for t in ("t.A = s.A", "t.A ≤ s.B", "t.C = s.B")]], 3)
    closed, sizes = closures(start, wide)
    (found,) = tuples_of(closed)
    assert len(found) == sizes[0]
    follows = {str(wide.predicates[p]) for p in found}
    assert {"t.A ≤ t.C", "s.A ≤ s.B", "t.C ≥ s.A", "t.C ≤ s.B"} <= follows
    assert "t.A ≤ s.C" not in follows


def test_mirrors():
    assert str(mirror_of(predicate("t.A < s.A"))) == "t.A > s.A"
    assert str(mirror_of(predicate("t.A ≤ s.B"))) == "t.B ≥ s.A"
    assert str(mirror_of(predicate("t.A < t.B"))) == "s.A < s.B"
    assert mirrored_space(SPACE).groups[: len(SPACE.groups)] == SPACE.groups
    assert len(mirrored_space(SPACE).groups) == len(SPACE.groups) + len(PAIRS)


def test_of_a_mirrored_pair_the_smaller_one_stays_and_single_row_dcs_have_no_mirror():
    pair = [dc("t.A < s.A", "t.B > s.B"), dc("t.A > s.A", "t.B < s.B")]
    alone = [dc("t.A = s.A"), dc("t.A < t.B"), dc("t.A > s.B", "t.B < t.C")]
    assert tuples_of(canonical(mask(*pair, *alone), SPACE)) == sorted([pair[0], *alone])
    assert tuples_of(with_mirrors(mask(pair[0], *alone), SPACE)) == sorted([*pair, *alone])


@pytest.mark.parametrize(
    ("dcs", "kept"),
    [
        # A weaker operator says more.
        ([["t.A = s.A", "t.B ≠ s.B"], ["t.A = s.A", "t.B < s.B"]], [["t.A = s.A", "t.B ≠ s.B"]]),
        # So does the mirror of one.
        ([["t.A ≥ s.A", "t.B < s.B"], ["t.A < s.A", "t.B > s.B"]], [["t.A ≥ s.A", "t.B < s.B"]]),
        # Of two ways to say the same, the shorter one, then the smaller one.
        ([["t.A = t.B", "t.A < s.C"], ["t.A = t.B", "t.B < s.C"]], [["t.A = t.B", "t.A < s.C"]]),
        ([["t.A = t.B", "t.B = t.C"], ["t.A ≤ t.B", "t.B ≤ t.C", "t.A ≥ t.C"]], [["t.A = t.B", "t.B = t.C"]]),
        # Transitivity across rows: s.A < t.C < s.B makes s.A < s.B, the mirror of what is denied already.
        ([["t.A < t.B"], ["t.C > s.A", "t.C < s.B"]], [["t.A < t.B"]]),
        # Even where the mirror of the longer one is in no space.
        ([["t.A < t.B"], ["t.C > s.A", "t.B < s.B", "t.B ≥ t.C"]], [["t.A < t.B"]]),
        ([["t.A = s.A"], ["t.B = s.B"]], [["t.A = s.A"], ["t.B = s.B"]]),
    ],
)
def test_reduction(dcs: list[list[str]], kept: list[list[str]]):
    assert reduced_cover([dc(*texts) for texts in dcs], SPACE) == sorted(dc(*texts) for texts in kept)


def test_constraints_are_nouns_of_the_table():
    (found,) = constraints([dc("t.A = s.A", "t.B ≠ s.B")], SPACE)
    assert found.table == "r"
    assert found.text == "{A} → B"
