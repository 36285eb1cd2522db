"""What is told in one line, and how: each rule of it stays one of its own."""

import random

import pyarrow as pa
from helpers.constraints import denied, fd, ind

import profiling_core
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.lines import Line, text_of, with_more, words_of
from profiling_core.algorithms.rules.selection import select
from profiling_core.algorithms.score.logistic import Model
from profiling_core.model.consequent import Bounded, Present
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    Measured,
)
from profiling_core.model.expression import Linear, Part, Product
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside, ConditionalBeside, Summary


def in_lines(candidates: list[Candidate]) -> list[Line]:
    lines: list[Line] = []
    for candidate in candidates:
        lines, rest = with_more(lines, [candidate])
        lines += [(one,) for one in rest]
    return lines


def told(family: Family, *rules: Constraint) -> list[str]:
    return [text_of(line) for line in lines(family, *rules)]


def lines(family: Family, *rules: Constraint) -> list[tuple[Candidate, ...]]:
    return in_lines([Candidate(Measured(rule, 0, 9, 9), family, 9.0) for rule in rules])


def test_what_one_column_determines_is_one_line():
    rules = (fd("zip", "town"), fd("plan", "price"), fd("zip", "state"))
    assert told(Family.DEPENDENCY, *rules) == ["{zip} → town, state", "{plan} → price"]
    assert (
        words_of(lines(Family.DEPENDENCY, *rules)[0], {}) == "Rows of t that agree on zip have the same town and state."
    )


def test_orders_one_behind_another_are_one_line():
    steps = (
        denied("t.sent > t.came"),
        denied("t.paid < t.came"),
        denied("t.ordered ≥ t.sent"),
        denied("t.ordered > t.cancelled"),
    )
    assert told(Family.ORDER, *steps) == ["ordered < sent ≤ came ≤ paid", "ordered ≤ cancelled"]
    (chain, _) = lines(Family.ORDER, *steps)
    assert [c.constraint for c in chain] == [steps[2], steps[0], steps[1]]


def test_a_chain_without_its_middle_is_two_lines():
    likely = {"a ≤ b": 9, "b ≤ c": 8, "c ≤ d": 7, "b ≤ x": 6, "x ≤ c": 5}
    orders = [
        Candidate(Measured(denied(f"t.{low} > t.{high}"), 0, 9, 9), Family.ORDER, 9.0, worth / 2)
        for (low, high), worth in ((text.split(" ≤ "), worth) for text, worth in likely.items())
    ]
    by = Model({"order: ": 1.0, "evidence: order: worth": 1.0})
    chosen = select(orders, jointly=True, by=by)
    assert [c.constraint.text for c in chosen.implied] == ["b ≤ c"]
    assert [*map(text_of, chosen.lines)] == ["a ≤ b", "c ≤ d", "b ≤ x ≤ c"]


def test_what_is_there_where_something_is_so_is_one_line():
    paid = [Conditional("t", "state", ("paid",), Present(n, there=True), both_ways=True) for n in ("day", "how")]
    other = Conditional("t", "state", ("open",), Present("day", there=False))
    assert told(Family.CONDITIONAL, paid[0], other, paid[1]) == [
        "state = paid ⇔ day is there, how is there",
        "state = open ⇒ day is missing",
    ]
    (line, _) = lines(Family.CONDITIONAL, paid[0], other, paid[1])
    assert words_of(line, {}) == "Where state is paid, day is there and how is there, and nowhere else."
    both = [Conditional("t", "a", (), Present(name, there=True), both_ways=True) for name in ("b", "c")]
    (line,) = lines(Family.CONDITIONAL, *both)
    assert words_of(line, {}) == "Either all of a, b and c have a value, or none has."


def test_bands_of_one_column_are_one_line():
    bands = [
        Conditional("t", "mark", (mark,), Bounded("points", low, high), both_ways=True)
        for mark, low, high in (("A", "90", None), ("B", "80", "89"))
    ]
    assert told(Family.CONDITIONAL, *bands) == ["mark = A ⇔ points ≥ 90; mark = B ⇔ 80 ≤ points ≤ 89"]


def test_what_is_computed_alike_of_the_same_is_one_line():
    shares = [Equation("t", f"{n}_pct", Product((n,), "100", "all")) for n in ("men", "women")]
    parts = [Equation("t", n, Part(n, "day")) for n in ("year", "month")]
    sums = [
        Equation("t", "net", Linear((("1", "a"), ("1", "b")))),
        Equation("t", "due", Linear((("1", "c"), ("1", "d")))),
    ]
    assert told(Family.EQUATION, shares[0], parts[0], sums[0], shares[1], parts[1], sums[1]) == [
        f"{shares[0].text}; {shares[1].text}",
        f"{parts[0].text}; {parts[1].text}",
        sums[0].text,
        sums[1].text,
    ]


def test_columns_that_refer_to_one_table_and_what_its_rows_say_are_one_line_each():
    parents = ColumnList("stops", ("id",))
    refer = [ind(f"t.{name}", "stops.id") for name in ("from", "to")]
    assert told(Family.REFERENCE, *refer) == ["t.from, t.to ⊆ stops.id"]
    assert words_of(lines(Family.REFERENCE, *refer)[0], {}) == "Every from and every to in t occurs as id in stops."
    child = ColumnList("t", ("from",))
    rules = [
        ReferenceRule(child, parents, Beside("name", "=", "name")),
        ReferenceRule(child, parents, Summary("count", "count", "")),
        ReferenceRule(child, parents, Beside("zone", "=", "zone")),
        ReferenceRule(child, parents, Beside("day", "≥", "opened")),
    ]
    assert told(Family.ALONG_REFERENCES, *rules) == [
        "t.name = stops.name, t.zone = stops.zone (by from)",
        rules[1].text,
        rules[3].text,
    ]


def test_conditional_rules_along_a_reference_are_one_line_if_they_have_one_condition():
    sides = (ColumnList("t", ("order",)), ColumnList("orders", ("id",)))

    def where(value: str, then: str) -> ReferenceRule:
        return ReferenceRule(*sides, ConditionalBeside("↑state", (value,), Present(then, there=True)))

    open_, paid = where("open", "due"), [where("paid", "day"), where("paid", "method")]
    assert told(Family.ALONG_REFERENCES, paid[0], open_, paid[1]) == [
        "orders.state = paid ⇒ t.day is there, t.method is there (by order)",
        open_.text,
    ]


def test_no_line_has_more_than_six_rules_nor_those_of_two_families():
    many = [fd("id", f"c{i}") for i in range(8)]
    assert list(map(len, lines(Family.DEPENDENCY, *many))) == [6, 2]
    families = zip(many[:2], (Family.DEPENDENCY, Family.RARE), strict=True)
    found = in_lines([Candidate(Measured(rule, 0, 9, 9), family, 9.0) for rule, family in families])
    assert list(map(len, found)) == [1, 1]


def test_a_list_holds_more_rules_than_lines():
    most = 20
    rules = [fd(f"key{i // 3}", f"c{i}") for i in range(4 * most)]
    candidates = [Candidate(Measured(rule, 0, 9, 9), Family.DEPENDENCY, 9.0, 4.0) for i, rule in enumerate(rules)]
    alone, jointly = select(candidates, most), select(candidates, most, jointly=True)
    assert len(alone.lines) == len(alone.shown) <= most
    assert len(jointly.lines) <= most
    assert len(jointly.shown) > len(alone.shown)
    assert {*jointly.shown, *jointly.left_out} == {*candidates}


def test_a_rule_that_would_rather_not_be_signed_stands_alone():
    by = Model({"always": -1.0, "dependency: ": 0.0, "evidence: dependency: worth to 1": 2.0})

    def chosen(second: float) -> list[str]:
        pairs = ((fd("zip", "town"), 1.0), (fd("zip", "state"), second))
        known = [Candidate(Measured(rule, 0, 9, 9), Family.DEPENDENCY, 9.0, worth) for rule, worth in pairs]
        return [text_of(line) for line in select(known, jointly=True, by=by).lines]

    assert chosen(0.9) == ["{zip} → town, state"]
    assert chosen(0.4) == ["{zip} → town", "{zip} → state"]


def test_rules_of_one_line_have_its_rank():
    rng = random.Random(3)
    zips = [rng.randrange(60) for _ in range(900)]
    table = pa.table(
        {
            "id": [f"N{i:05}" for i in range(900)],
            "zip": [f"{48000 + 7 * z}" for z in zips],
            "town": [f"Town {z % 23}" for z in zips],
            "state": [f"State {z % 5}" for z in zips],
        }
    )
    found = profiling_core.discover(table).to_dict()["constraints"]
    ranks = {c["text"]: c["rank"] for c in found}
    assert ranks["{zip} → town"] == ranks["{zip} → state"]
    shown = profiling_core.discover(table)._repr_html_()
    assert "{zip} → town, state" in shown or "{zip} → state, town" in shown
