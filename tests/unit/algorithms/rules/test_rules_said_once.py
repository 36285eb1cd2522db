"""What flags say of each other and what is computed with columns are each said once."""

import random
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
from helpers.found import cents, equations_in, found, texts

from profiling_core.algorithms.rules.implication import Flag, KnownRules
from profiling_core.model.consequent import Bounded
from profiling_core.model.constraint import ColumnList, InclusionDependency
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.reference import Beside, ReferenceRule
from profiling_core.model.role import Role


def is_one(column: str, kind: str) -> Conditional:
    return Conditional("t", column, ("1",), Bounded("kind", kind, kind), both_ways=True)


def test_what_marks_of_one_class_leave_out_follows_from_what_they_mark():
    marks = [is_one("first", "1"), is_one("third", "3")]
    apart = Conditional("t", "third", ("1",), Bounded("first", "0", "0"), both_ways=False)
    flags = [Flag("t", "first"), Flag("t", "third")]
    assert KnownRules(marks, flags).imply(apart)
    assert not KnownRules(marks).imply(apart)  # a third value may be neither
    assert not KnownRules(marks[:1], flags).imply(apart)


def test_a_rate_that_is_called_percent_is_one_though_fees_are_few():
    random_ = np.random.default_rng(5)
    kind = random_.integers(0, 5, 900)
    fee, share = np.arange(1240, 1240 + 5 * 733, 733)[kind], np.array([100, 80, 60, 50])[kind % 4]
    paid = np.rint(fee * share / 100).astype(int)
    money = {"fee": cents(fee / 100), "paid": cents(paid / 100), "row": random_.normal(size=900)}
    assert "paid = 0.01·fee·covered_pct" in equations_in(pa.table({**money, "covered_pct": share}))
    assert equations_in(pa.table({**money, "covered": share})) == set()


def test_what_a_line_weighs_is_no_order_beside_what_its_pieces_weigh():
    r = random.Random(7)
    articles = {"sku": [f"A{n:03}" for n in range(80)], "weight_g": [r.randrange(50, 9000) for _ in range(80)]}
    places = [r.randrange(80) for _ in range(900)]
    pieces = [r.randint(1, 6) for _ in places]
    lines = {
        "line_id": list(range(900)),
        "sku": [articles["sku"][p] for p in places],
        "pieces": pieces,
        "line_weight_g": [n * articles["weight_g"][p] for n, p in zip(pieces, places, strict=True)],
        "packed_on": [date(2024, 1, 1) + timedelta(days=r.randrange(200)) for _ in places],
    }
    told = texts(found(articles=articles, lines=lines)["lines"])
    assert any(text.startswith("lines.line_weight_g = articles.weight_g·pieces") for text in told), told
    assert not any("line_weight_g ≥" in text for text in told)


def test_columns_that_are_numbered_in_the_order_of_their_values_are_in_order():
    r = random.Random(8)
    draws = [sorted(r.sample(range(1, 46), 4)) for _ in range(120)]
    columns = {f"n{place + 1}": [draw[place] for draw in draws] for place in range(4)}
    told = texts(
        found(draws={"draw_no": list(range(1, 121)), **columns, "total": [sum(draw) for draw in draws]})["draws"]
    )
    assert {text.replace("<", "≤") for text in told} >= {"n1 ≤ n2", "n2 ≤ n3", "n3 ≤ n4"}, told


def test_a_row_for_each_two_different_places_is_a_key():
    r = random.Random(9)
    places = [f"{a}{b}" for a in "NSEW" for b in "AB"]
    ways = [(a, b) for a in places for b in places if a != b]
    r.shuffle(ways)
    columns = {
        "source": [a for a, _ in ways],
        "destination": [b for _, b in ways],
        "moved": [r.randrange(9000) for _ in ways],
    }
    assert texts(found(moves=columns)["moves"])[0] == "unique {source, destination}"


def test_what_is_numbered_as_measured_columns_are_is_measured():
    r = random.Random(10)
    low = [r.randrange(12_000, 28_000) for _ in range(60)]
    columns = {f"quantile{place}": [place * n // 2 for n in low] for place in (1, 2)}
    alone = [n + r.randrange(1_000, 60_000) for n in low]
    assert found(incomes={**columns, "third": alone})["incomes"].roles["third"].role is not Role.QUANTITY
    assert found(incomes={**columns, "quantile3": alone})["incomes"].roles["quantile3"].role is Role.QUANTITY


def test_parts_of_a_sum_are_not_told_to_be_at_most_the_sum():
    r = random.Random(9)
    net = [r.randrange(500, 90_000) for _ in range(800)]
    tax = [round(0.19 * amount) for amount in net]
    bills = {
        "bill_no": [f"B{n:05}" for n in range(800)],
        "net": cents(amount / 100 for amount in net),
        "tax": cents(amount / 100 for amount in tax),
        "gross": cents((a + b) / 100 for a, b in zip(net, tax, strict=True)),
    }
    told = texts(found(bills=bills)["bills"])
    assert "gross = net + tax" in told
    assert not [text for text in told if "≤" in text]


def test_a_reference_that_repeats_a_column_of_its_parent_follows_from_the_reference_and_the_copy():
    show, hall = ColumnList("shows", ("hall",)), ColumnList("halls", ("id",))
    refers, copied = InclusionDependency(show, hall), ReferenceRule(show, hall, Beside("seats", "=", "places"))
    both = InclusionDependency(ColumnList("shows", ("hall", "seats")), ColumnList("halls", ("id", "places")))
    turned = InclusionDependency(ColumnList("shows", ("seats", "hall")), ColumnList("halls", ("places", "id")))
    crossed = InclusionDependency(ColumnList("shows", ("hall", "seats")), ColumnList("halls", ("places", "id")))
    at_most = ReferenceRule(show, hall, Beside("seats", "≤", "places"))
    assert KnownRules([refers, copied]).imply(both)
    assert KnownRules([refers, copied]).imply(turned)
    assert not KnownRules([refers, copied]).imply(crossed)
    assert not KnownRules([copied]).imply(both)
    assert not KnownRules([refers]).imply(both)
    assert not KnownRules([refers, at_most]).imply(both)
