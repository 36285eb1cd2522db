"""What the choice of rules leaves out as implied holds in every small table in which the others hold, of all kinds."""

import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence

import pyarrow as pa
from oracle.predicates import satisfied, violations

from profiling_core.algorithms.conditions.judging import judge
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.implication import Given, given_besides
from profiling_core.algorithms.rules.selection import select
from profiling_core.model.consequent import Bounded, OneOf
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.expression import Linear, Precision
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside, Summary
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.types import NullSemantics

Row = Mapping[str, int]
SQL = NullSemantics.SQL
NAMES = ("a", "b", "c")
# What two rows together can violate, two rows show; what a row can, one of them does.
PAIRS = [
    [dict(zip(NAMES, row, strict=True)) for row in rows]
    for rows in itertools.product(itertools.product(range(3), repeat=3), repeat=2)
]


def within(left: str, op: Operator, right: str) -> DenialConstraint:
    return DenialConstraint("r", (Predicate(Operand("t", left), op, Operand("t", right)),))


def linear(column: str, *terms: tuple[str, str], constant: str = "0") -> Equation:
    return Equation("r", column, Linear(terms, constant), Precision(0))


def rows_rules() -> list[tuple[Constraint, Family]]:
    """Keys, dependencies, orders, bounds by other columns, and equations over three columns."""
    keys = [
        UniqueColumnCombination(ColumnList("r", names)) for n in (1, 2) for names in itertools.combinations(NAMES, n)
    ]
    fds = [
        FunctionalDependency(ColumnList("r", lhs), ColumnList("r", (rhs,)))
        for n in (1, 2)
        for lhs in itertools.combinations(NAMES, n)
        for rhs in NAMES
        if rhs not in lhs
    ]
    pairs = list(itertools.permutations(NAMES, 2))
    orders = [within(a, op, b) for a, b in pairs for op in (Operator.GT, Operator.GE)]
    learnt = [ColumnRule("r", a, Rule.AT_MOST, others=(b,)) for a, b in pairs]
    sums = [linear(a, ("1", b), ("1", c)) for a, b, c in itertools.permutations(NAMES) if b < c]
    same = [linear(a, ("1", b)) for a, b in pairs]
    steps = [linear(a, ("1", b), constant="1") for a, b in pairs]
    kinds = [(keys, Family.KEY), (fds, Family.DEPENDENCY), (orders, Family.ORDER), (learnt, Family.COLUMN)]
    kinds += [([*sums, *same, *steps], Family.EQUATION)]
    return [(rule, family) for rules, family in kinds for rule in rules]


def obeyed(rule: Constraint, rows: Sequence[Row]) -> bool:
    if isinstance(rule, Equation):
        terms, constant = rule.value.terms, int(rule.value.constant)
        return all(row[rule.column] == constant + sum(int(f) * row[name] for f, name in terms) for row in rows)
    return violations(DenialConstraint("r", rule.denied), rows, SQL)[0] == 0


def candidates(chosen: Iterable[tuple[Constraint, Family]], rng: random.Random) -> list[Candidate]:
    return [Candidate(Measured(rule, 0, 9, 9), family, 9.0, rng.random()) for rule, family in chosen]


def counterexamples(
    pool: Sequence[tuple[Constraint, Family]],
    worlds: Sequence[object],
    holds: Callable[[Constraint, object], bool],
    rounds: int,
    given: Sequence[Given] = (),
) -> tuple[int, list[object]]:
    """How much was left out as implied, and what of it does not hold where the others do."""
    rng = random.Random(11)  # test data
    truth = {rule: [holds(rule, world) for world in worlds] for rule, _ in pool}
    implied, wrong = 0, []
    for _ in range(rounds):
        found = select(candidates(rng.sample(pool, rng.randint(3, min(7, len(pool)))), rng), given=given)
        others = [c.constraint for c in (*found.shown, *found.left_out)]
        obeying = [i for i in range(len(worlds)) if all(truth[rule][i] for rule in others)]
        implied += len(found.implied)
        wrong += [(others, c.constraint) for c in found.implied if not all(truth[c.constraint][i] for i in obeying)]
    return implied, wrong


def test_what_is_left_out_of_a_table_follows_from_what_is_told():
    implied, wrong = counterexamples(rows_rules(), PAIRS, obeyed, 400)
    assert not wrong
    assert implied > 200


def test_inclusions_that_are_left_out_follow_from_others():
    sets = [frozenset(s) for n in range(4) for s in itertools.combinations(range(3), n)]
    worlds = [dict(zip("rstu", values, strict=True)) for values in itertools.product(sets, repeat=4)]
    pool = [
        (InclusionDependency(ColumnList(x, ("k",)), ColumnList(y, ("k",))), Family.REFERENCE)
        for x, y in itertools.permutations("rstu", 2)
    ]
    implied, wrong = counterexamples(pool, worlds, lambda i, w: w[i.lhs.table] <= w[i.rhs.table], 300)
    assert not wrong
    assert implied > 100


def test_what_rows_have_to_do_with_their_parents_follows_through_them():
    """Two children, of parents 0 and 1 with a column p: orders go on from child to parent, and equal ones determine."""
    child, parent = ColumnList("r", ("k",)), ColumnList("s", ("id",))
    operators = {"=": Operator.EQ, "≤": Operator.LE, "≥": Operator.GE}
    beside = [ReferenceRule(child, parent, Beside(name, op, "p")) for name in "ab" for op in operators]
    fds = [FunctionalDependency(ColumnList("r", ("k",)), ColumnList("r", (name,))) for name in "ab"]
    orders = [within(x, op, y) for x, y in ("ab", "ba") for op in (Operator.GT, Operator.GE)]
    ends = [ReferenceRule(child, parent, Summary("p", how, name)) for name in "ab" for how in ("first", "last")]
    pool = [(r, Family.ALONG_REFERENCES) for r in (*beside, *ends)]
    pool += [(r, Family.DEPENDENCY) for r in fds] + [(r, Family.ORDER) for r in orders]
    small = list(itertools.product(range(2), range(3), range(3)))
    worlds = [
        ([dict(zip("kab", row, strict=True)) for row in rows], ps)
        for rows in itertools.product(small, repeat=2)
        for ps in itertools.product(range(3), repeat=2)
    ]

    def holds(rule: Constraint, world: tuple[list[Row], tuple[int, int]]) -> bool:
        rows, ps = world
        if not isinstance(rule, ReferenceRule):
            return obeyed(rule, rows)
        if isinstance(rule.relation, Summary):
            end = {"first": min, "last": max}[rule.relation.aggregate]
            return all(
                ps[k] == end(row[rule.relation.other] for row in rows if row["k"] == k) for k in {r["k"] for r in rows}
            )
        return all(satisfied(row[rule.relation.column], operators[rule.relation.op], ps[row["k"]], SQL) for row in rows)

    implied, wrong = counterexamples(pool, worlds, holds, 300)
    assert not wrong
    assert implied > 100


def test_what_parents_say_of_each_other_is_not_said_of_their_children():
    """Two children of parents 0 and 1 with columns p and q, where p determines q, or is never above it."""
    child, parent = ColumnList("r", ("k",)), ColumnList("s", ("id",))
    reference = InclusionDependency(child, parent)
    of_parents: list[Constraint] = [
        FunctionalDependency(ColumnList("s", ("p",)), ColumnList("s", ("q",))),
        DenialConstraint("s", (Predicate(Operand("t", "p"), Operator.GT, Operand("t", "q")),)),
    ]
    pool = [
        (ReferenceRule(child, parent, Beside(name, "=", other)), Family.ALONG_REFERENCES)
        for name, other in itertools.product("ab", "pq")
    ]
    fds = [
        FunctionalDependency(ColumnList("r", (x,)), ColumnList("r", (y,))) for x, y in itertools.permutations("kab", 2)
    ]
    pool += [(fd, Family.DEPENDENCY) for fd in fds] + [(within("a", Operator.GT, "b"), Family.ORDER)]
    values = list(itertools.product(range(2), repeat=2))
    worlds = [
        ([dict(zip("kab", row, strict=True)) for row in rows], [dict(zip("pq", row, strict=True)) for row in parents])
        for parents in itertools.product(values, repeat=2)
        if all(p <= q for p, q in parents) and (parents[0][0] != parents[1][0] or parents[0][1] == parents[1][1])
        for rows in itertools.product(list(itertools.product(range(2), repeat=3)), repeat=2)
    ]

    def holds(rule: Constraint, world: tuple[list[Row], list[Row]]) -> bool:
        rows, parents = world
        if not isinstance(rule, ReferenceRule):
            return obeyed(rule, rows)
        return all(row[rule.relation.column] == parents[row["k"]][rule.relation.other] for row in rows)

    given = given_besides([reference], {"r": [], "s": of_parents})["r"]
    implied, wrong = counterexamples(pool, worlds, holds, 300, given)
    assert not wrong
    assert implied > 60


def test_parts_of_a_reference_of_several_columns_follow_from_it():
    """All of (x, y) are in s, and its x are in u."""
    sets = [
        frozenset(found) for n in range(3) for found in itertools.combinations(itertools.product(range(2), repeat=2), n)
    ]
    singles = [frozenset(found) for n in range(3) for found in itertools.combinations(range(2), n)]
    worlds = list(itertools.product(sets, sets, singles))
    both = [ColumnList(table, ("x", "y")) for table in "rs"]
    pool = [(InclusionDependency(*both), Family.REFERENCE)]
    one = {table: ColumnList(table, ("x",)) for table in "rsu"}
    pool += [(InclusionDependency(one[a], one[b]), Family.REFERENCE) for a, b in ("rs", "su", "ru")]

    def values(side: ColumnList, world: tuple[frozenset[object], ...]) -> frozenset[object]:
        held = world["rsu".index(side.table)]
        return held if len(side.columns) == 2 or side.table == "u" else frozenset(row[0] for row in held)

    implied, wrong = counterexamples(pool, worlds, lambda i, w: values(i.lhs, w) <= values(i.rhs, w), 60)
    assert not wrong
    assert implied > 10


def test_conditional_rules_that_are_left_out_follow_from_others():
    """A row of three numbers obeys conditions on one, what follows of another, and copies."""
    sets = [("0",), ("1",), ("0", "1"), ("1", "2")]
    bounds = [
        Bounded("b", "1", None),
        Bounded("b", "0", None, strict=True),
        Bounded("b", "0", "1"),
        Bounded("b", "1", "1"),
    ]
    thens = [
        *bounds,
        OneOf("b", ("1",)),
        OneOf("b", ("0", "1")),
        OneOf("c", ("0", "1")),
        Bounded("c", "1", None),
        Bounded("b", "1", "1"),
    ]
    pool: list[tuple[Constraint, Family]] = [
        (Conditional("r", column, values, then, both), Family.CONDITIONAL)
        for column in "ac"
        for values in sets
        for then in thens
        for both in (False, True)
        if then.column != column
    ]
    pool += [(linear(a, ("1", b)), Family.EQUATION) for a, b in ("ac", "cb")] * 12
    rows = pa.table(dict(zip(NAMES, zip(*itertools.product(range(3), repeat=3), strict=True), strict=True)))
    obeys = {rule: ~judge(rule, rows).violating for rule, _ in pool if isinstance(rule, Conditional)}
    obeys |= {
        rule: (rows[rule.column].to_numpy() == rows[rule.columns[1]].to_numpy())
        for rule, _ in pool
        if isinstance(rule, Equation)
    }
    implied, wrong = counterexamples(pool, range(rows.num_rows), lambda rule, row: bool(obeys[rule][row]), 600)
    assert not wrong
    assert implied > 60
