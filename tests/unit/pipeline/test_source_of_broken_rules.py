"""A broken rule's headline names the source of its rows, and the values that nobody knew, by real runs."""

import random

from helpers.changing import changed, dataset, land

STORES = ("Aalen", "Bruck", "Celle", "Dahme", "Erfurt")


def day_of(place, number, *, euro="", new=""):
    rng, lines = random.Random(number), ["number,store,way,qty,price,total"]
    for i in range(60):
        store, qty, price = STORES[i % 5], 1 + rng.randrange(9), 20 + rng.randrange(80)
        total = qty * price // 8 if store == euro else qty * price
        way = new if new and i in (7, 12, 31) else ("card", "cash", "bill")[rng.randrange(3)]
        lines.append(f"{100 * number + i},{store},{way},{qty},{price},{total}")
    land(place, "sales", f"2024-05-{number:02d}", lines)


def headlines(place, **wrong):
    with dataset(place, "shop", key="number", kind="append", sales={}):
        for number in range(1, 9):
            day_of(place, number)
        changed("shop")
        for number in range(9, 17):
            day_of(place, number)
            changed("shop")
        day_of(place, 17, **wrong)
        work = changed("shop")
        version = work.catalog.current("shop").number
        changes = work.catalog.changes("shop", version).changes
        said = [record.body["title"] for record in work.catalog.alerts("shop", version)]
    return said, {c.measured.constraint.text: c.diagnosis.concentration for c in changes if c.alerts}


def test_rules_of_rows_and_equations_that_break_for_one_source_name_it(tmp_path):
    (said, *_), shared = headlines(tmp_path, euro="Celle")
    assert "with store Celle" in said
    known = {text: (found.column, found.value, found.rows) for text, found in shared.items() if found}
    assert known["total = qty·price"] == ("store", "Celle", 12)
    assert {one[:2] for text, one in known.items() if "≤" in text} == {("store", "Celle")}, shared


def test_a_value_that_nobody_knew_is_named_first(tmp_path):
    (said, *_), _ = headlines(tmp_path, new="voucher")
    assert "3 of 60 new rows have a way other than bill, card or cash: voucher, since" in said
