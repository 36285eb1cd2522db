"""The sentences that people read most often, as they should read."""

from dataclasses import replace

import pytest
from helpers.constraints import denied, fd, ind, key

from profiling_core.alert.wording import by_the_same, extent, headline, reading, spoken
from profiling_core.model.change import Change, Transition
from profiling_core.model.constraint import ColumnRule, Constraint, Measured
from profiling_core.model.diagnosis import NO_DIAGNOSIS, Concentration, Diagnosis, Repair, Replacement
from profiling_core.model.kinds.column import Rule
from profiling_core.model.texts import with_article

DAY = "2013-03-01"
ROUTE = fd("origin dest", "distance", "flights")
KEY = key("order", "orders")
LATE = denied("t.ordered > t.shipped", table="orders")
REFERENCE = ind("orders.customer", "customers.customer")
FRESH = ColumnRule("orders", "ordered", Rule.FRESH)
REPAIR = Repair(3, "distance", (Replacement({"origin": "EWR", "dest": "EGE"}, "1725", "1726", 2),))
COMMON = Concentration("carrier", "UA", 3, 3, 172, 958)


def broke(constraint: Constraint = ROUTE, *, violations: int = 236, population: int = 10**6) -> Change:
    before, after = Measured(constraint, 0, population, 9), Measured(constraint, violations, population, 9)
    table = constraint.tables[0]
    return Change(Transition.BROKE, table, before, after, 59, "2013-01-01", 3, 1, True)


def spared(rows: int) -> Change:
    return replace(broke(), transition=Transition.SPARED, violating_rows=rows)


def read(rows: int = 3, held: int = 59, found: Diagnosis = NO_DIAGNOSIS, came: int = 958) -> str:
    return reading(replace(broke(), violating_rows=rows, held_deltas=held, diagnosis=found), {"inserts": came})


SAID = {
    "FD": (ROUTE.words, "Rows of flights that agree on origin and dest have the same distance."),
    "key": (KEY.words, "No two rows of orders have the same order."),
    "order of dates": (LATE.words, "In orders, ordered is never greater than shipped."),
    "inclusion": (REFERENCE.words, "Every customer in orders occurs in customers, too."),
    "fresh": (FRESH.words, "The newest ordered in a delta of orders is as recent as usual."),
    "not null": (ColumnRule("orders", "zip", Rule.NOT_NULL).words, "Every row of orders has a value in zip."),
    "what speaks for it": (
        ROUTE.worth(2.3, 1_234, partial=False),
        "Score 2.30: by chance there would be about 200 violations; 1,234 cases tested it.",
    ),
    "what speaks for a rule": (FRESH.worth(1.8, 59, partial=False), "Score 1.80: it was learnt from 59 deltas."),
    "range": (
        ColumnRule("orders", "amount", Rule.RANGE, low="0", high="900").words,
        "amount in orders is at least 0 and at most 900.",
    ),
    "broke": (
        headline(broke(), DAY),
        "flights: {origin, dest} → distance broke on 2013-03-01 after holding for 59 deltas (since 2013-01-01)",
    ),
    "recovered": (
        headline(replace(broke(), transition=Transition.RECOVERED), DAY),
        "flights: {origin, dest} → distance holds again on 2013-03-01, after being violated since 2013-01-01",
    ),
    "protected": (
        headline(spared(2), DAY),
        (
            "flights: {origin, dest} → distance holds on 2013-03-01, since rows that would break it were set aside "
            "(it has held for 59 deltas, since 2013-01-01)"
        ),
    ),
    "jumped": (
        headline(replace(broke(), transition=Transition.ERROR_JUMPED, before=Measured(ROUTE, 100, 10**6)), DAY),
        "flights: {origin, dest} → distance jumped in error on 2013-03-01, from 0.01 %",
    ),
    "extent in pairs": (extent(broke()), "3 new rows violate it: 236 ordered pairs of 1,000,000 (error 0.0236 %)."),
    "extent in values": (
        extent(replace(broke(REFERENCE, violations=1, population=50), violating_rows=0)),
        "Violated by 1 missing value of 50 (error 2 %).",
    ),
    "one row aside": (
        extent(spared(1)),
        "1 new row would break it and was set aside; `holdfast release flights` applies it.",
    ),
    "rows aside": (
        extent(spared(2)),
        "2 new rows would break it and were set aside; `holdfast release flights` applies them.",
    ),
    "recovery": (
        extent(replace(broke(violations=0), transition=Transition.RECOVERED)),
        "Nothing violates it any more.",
    ),
    "the same rows": (by_the_same("{category} → vat"), "The same rows break {category} → vat."),
    "data error": (
        read(),
        (
            "This looks like a data error: 3 of 958 new rows (0.3%) contradict a constraint that held for 59 deltas. "
            "If it goes on, a column may have changed its meaning."
        ),
    ),
    "more rows": (
        reading(replace(broke(), transition=Transition.ERROR_CHANGED, held_deltas=0), {"inserts": 958}),
        (
            "This looks like a data error: 3 of 958 new rows (0.3%) contradict a constraint that is violated already. "
            "If it goes on, a column may have changed its meaning."
        ),
    ),
    "change of meaning": (
        read(300),
        (
            "This looks like a change of meaning: 300 of 958 new rows (31.3%) contradict a constraint that "
            "held for 59 deltas."
        ),
    ),
    "young": (
        read(held=2),
        (
            "The constraint is young and may have held by chance: 3 of 958 new rows (0.3%) contradict a constraint "
            "that held for 2 deltas."
        ),
    ),
    "all of a kind": (
        read(8, found=Diagnosis(None, None, 8, 8)),
        (
            "This looks like a change of meaning: 8 of 958 new rows (0.8%) contradict a constraint that held for "
            "59 deltas, and so does every new row with the same origin and dest."
        ),
    ),
    "in common": (
        read(found=Diagnosis(COMMON, REPAIR, 3, 0)).partition("meaning. ")[2],
        (
            "All 3 have carrier = UA; so do 18.0% of all new rows. "
            "Changing distance in 3 rows would fix it (origin=EWR, dest=EGE: 1725 → 1726)."
        ),
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_a_sentence_reads_as_it_should(what: str):
    said, expected = SAID[what]
    assert said == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dest", "a dest"),
        ("amount", "an amount"),
        ("user", "a user"),
        ("passengers", "passengers"),
        ("status", "a status"),
    ],
)
def test_a_column_has_the_article_that_people_give_it(name, said):
    assert with_article(name) == said


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("2013-03-01", "2013-03-01"),
        ("2026-11-22T08:14:03Z", "2026-11-22 08:14:03 UTC"),
        ("2026-11-22T08:14:03Z.s9818123412341234123", "2026-11-22 08:14:03 UTC"),
        ("2026-11-22T08:14:03Z.v12+2", "2026-11-22 08:14:03 UTC"),
        ("part-7.parquet", "part-7.parquet"),
    ],
)
def test_versions_of_other_systems_are_said_by_their_moment(label: str, said: str) -> None:
    assert spoken(label) == said
    assert f"broke on {said} " in headline(broke(), label)
