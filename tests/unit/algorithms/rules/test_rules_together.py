"""Columns that have their values together, rows that refer to rows of their table, and days that are no keys."""

import datetime as dt
import random

from helpers.found import START, found, shown, texts


def test_both_are_there_or_neither():
    rng = random.Random(1)
    loyal = [rng.random() < 0.4 for _ in range(300)]
    guests = {
        "guest_id": [f"G{i:05}" for i in range(300)],
        "card": [f"L{rng.randrange(10**6):06}" if one else None for one in loyal],
        "since": [START - dt.timedelta(days=rng.randrange(900)) if one else None for one in loyal],
        "note": [rng.choice(["late", "early"]) if rng.random() < 0.4 else None for _ in loyal],
    }
    found = shown(guests=guests)["guests"]
    assert "card is there ⇔ since is there" in found
    assert not [text for text in found if "note" in text]


def test_what_one_state_has_is_there_together_whatever_states_there_will_be():
    rng = random.Random(2)
    state = [rng.choice(["open", "sent", "cancelled"]) for _ in range(400)]
    orders = {
        "order_id": [f"O{i:05}" for i in range(400)],
        "state": state,
        "reason": [rng.choice(["late", "broken"]) if s == "cancelled" else None for s in state],
        "fee": [rng.randrange(900) if s == "cancelled" else None for s in state],
    }
    table = found(orders=orders)["orders"]
    told = {text for text in texts(table) if "⇔" in text}
    together = {
        "state = cancelled ⇔ fee is there",
        "state = cancelled ⇔ reason is there",
        "reason is there ⇔ fee is there",
    }
    assert len(told) == 2
    assert {*told, *(c.constraint.text for c in table.rules.implied)} >= together > told


def test_rows_refer_to_rows_of_their_table_whatever_the_column_is_called():
    rng = random.Random(3)
    articles = [f"{rng.randrange(10**3):03}.{i:03}" for i in range(200)]
    staff = list(range(1, 301))
    found = shown(
        articles={"sku": articles, "successor": [rng.choice(articles) if i % 9 == 0 else None for i in range(200)]},
        staff={"staff_id": staff, "boss": [rng.randrange(1, i // 6 + 2) if i else None for i in range(300)]},
    )
    assert "articles.successor ⊆ articles.sku" in found["articles"]
    assert "staff.boss ⊆ staff.staff_id" in found["staff"]


def test_small_numbers_are_among_those_that_count_the_rows_by_chance():
    rng = random.Random(4)
    visits = {"visit_id": list(range(1, 501)), "guests": [rng.randrange(1, 60) for _ in range(500)]}
    assert shown(visits=visits)["visits"] == ["unique {visit_id}"]


def test_a_reversal_agrees_with_what_it_reverses():
    rng = random.Random(5)
    names = {code: f"charge {code}" for code in ("FRT", "BAF", "THC", "DOC", "ISP", "CAF", "PSS", "GRI")}
    codes = [rng.choice(sorted(names)) for _ in range(400)]
    reverses: list[int | None] = [None] * 400
    for place in range(50, 400, 5):
        reverses[place] = place - rng.randrange(1, 40)
    for place, earlier in enumerate(reverses):
        codes[place] = codes[place] if earlier is None else codes[earlier]
    numbers = [f"C{rng.randrange(10**4):04}{i:03}" for i in range(400)]
    found = shown(
        charges={
            "charge_no": numbers,
            "code": codes,
            "name": [names[code] for code in codes],
            "reversed": [None if i is None else numbers[i] for i in reverses],
        }
    )["charges"]
    assert "charges.reversed ⊆ charges.charge_no" in found
    assert {f"charges.{name} = charges.{name} (by reversed)" for name in ("code", "name")} <= {*found}
    assert 'name = "charge " + code' in found


def test_days_that_are_all_different_since_there_are_many_are_no_key():
    rng = random.Random(6)
    days = rng.sample(range(4000), 60)
    ended = [START + dt.timedelta(days=days[i]) if i < 60 else None for i in range(300)]
    staff = {"staff_id": [f"S{i:04}" for i in range(300)], "ended": ended}
    assert shown(staff=staff)["staff"] == ["unique {staff_id}"]
    monthly = {
        "month": [dt.date(2000 + i // 12, 1 + i % 12, 1) for i in range(200)],
        "rate": [rng.random() for _ in range(200)],
    }
    assert shown(series=monthly)["series"] == ["unique {month}"]
