"""What is told beyond accidents: copies are no proofs, what other tables say is said there, and no name is needed."""

import datetime as dt
import random

import pytest
from helpers.found import START, Columns, shown


def test_what_is_copied_with_a_hospital_is_one_observation_of_it():
    """Thirty hospitals with forty rows each: that no two of one name differ in their service is no rule."""
    rng = random.Random(2)
    hospitals = [(f"P{i:03}", f"clinic {i % 28}", f"{rng.randrange(10**5):05}", i % 28 < 20) for i in range(30)]
    rows = [(*rng.choice(hospitals), rng.randrange(40)) for _ in range(1200)]
    provider, name, zipcode, emergency, measure = (list(column) for column in zip(*rows, strict=True))
    service = ["yes" if e else "no" for e in emergency]
    found = shown(care={"provider_id": provider, "name": name, "zip": zipcode, "emergency": service, "score": measure})[
        "care"
    ]
    assert "{provider_id} → zip" in found
    assert len({"{provider_id} → emergency", "{name} → emergency"} & {*found}) == 1


def test_a_lookup_of_few_kinds_has_no_conditions_of_its_own():
    """Four tariffs with a price and a medium each: that gas is cheaper is one accident, in however many rows."""
    rng = random.Random(3)
    tariffs = {"E1": ("power", 27.5), "E2": ("power", 31.2), "G1": ("gas", 9.8), "G2": ("gas", 11.4)}
    chosen = [rng.choice(sorted(tariffs)) for _ in range(600)]
    found = shown(
        meters={
            "serial": [f"{rng.randrange(10**9):09}" for _ in chosen],
            "tariff": chosen,
            "medium": [tariffs[t][0] for t in chosen],
            "price": [tariffs[t][1] for t in chosen],
        }
    )["meters"]
    assert found[0] == "unique {serial}"
    assert {"{tariff} → medium", "{tariff} → price"} <= {*found}
    assert not [text for text in found if "⇒" in text or "⇔" in text]


def test_few_numbers_that_a_category_has_draw_no_line():
    """A carrier that serves three airports, whose numbers happen to be high, keeps no bound."""
    rng = random.Random(4)
    airports = {c: rng.sample(range(10_000, 15_000), 40) for c in ("AA", "BB", "CC")} | {"HA": [14_100, 14_800, 14_900]}
    carriers = rng.choices(sorted(airports), k=4000)
    found = shown(flights={"carrier": carriers, "airport": [rng.choice(airports[c]) for c in carriers]})["flights"]
    assert not [text for text in found if "HA" in text]


def test_numbers_that_never_repeat_are_a_key_whatever_they_are_called():
    rng = random.Random(5)
    found = shown(tb={"g1": [900 + 3 * i for i in range(400)], "g2": [rng.randrange(500) for _ in range(400)]})["tb"]
    assert found == ["unique {g1}"]


def stays(rng: random.Random) -> tuple[Columns, Columns, Columns]:
    """Hotels with rooms, and stays in these: two columns name the room, one of them the hotel."""
    hotels = {"hotel_code": [f"H{i:02}" for i in range(12)], "stars": [rng.randint(2, 5) for _ in range(12)]}
    rooms = [(f"H{i:02}", n, rng.choice(["single", "double"])) for i in range(12) for n in range(101, 131)]
    room: Columns = dict(zip(("hotel_code", "room_no", "type"), map(list, zip(*rooms, strict=True)), strict=True))
    taken = [rng.choice(rooms) for _ in range(900)]
    points = [rng.randint(20, 100) for _ in taken]
    got = [rng.randint(0, most) for most in points]
    stay: Columns = {
        "stay_id": list(range(1, 901)),
        "hotel_code": [t[0] for t in taken],
        "room_no": [t[1] for t in taken],
        "type": [t[2] for t in taken],
        "points": got,
        "max_points": points,
        "percent": [round(100 * a / b, 1) for a, b in zip(got, points, strict=True)],
    }
    return hotels, room, stay


def test_what_follows_along_references_is_left_to_them_and_shares_keep_their_order():
    hotels, rooms, stay = stays(random.Random(6))
    found = shown(hotels=hotels, rooms=rooms, stays=stay)["stays"]
    assert "stays.(hotel_code, room_no) ⊆ rooms.(hotel_code, room_no)" in found
    assert "stays.hotel_code ⊆ hotels.hotel_code" not in found
    assert "points ≤ max_points" in found
    assert "percent = 100·points / max_points" in found


@pytest.fixture(scope="module")
def accounts() -> dict[str, list[str]]:
    """Accounts, what was booked on them, and sums beside them, under names that tell only what is the same."""
    rng = random.Random(7)
    keys = [f"Z{7 * i + 13}" for i in range(150)]
    opened = [START + dt.timedelta(days=rng.randrange(300)) for _ in keys]
    booked = [(i, rng.randint(1, 900)) for i in (*range(150), *(rng.randrange(150) for _ in range(900)))]
    day = [opened[i] + dt.timedelta(days=rng.randrange(60)) for i, _ in booked]
    own = [[(n, d) for (i, n), d in zip(booked, day, strict=True) if i == k] for k in range(150)]
    return shown(
        ta={"f1": keys, "f2": opened, "f3": [rng.randrange(90) for _ in keys], "f4": rng.choices("uvw", k=150)},
        tb={"f1": [keys[i] for i, _ in booked], "g2": [n for _, n in booked], "g3": day},
        tc={
            "f1": keys,
            "h2": [sum(n for n, _ in rows) for rows in own],
            "h3": [len(rows) for rows in own],
            "h4": [max(d for _, d in rows) for rows in own],
        },
    )


def test_sums_kept_apart_from_what_they_are_sums_by_are_found(accounts):
    assert {"tc.h2 = sum(tb.g2) (by f1)", "tc.h3 = count(tb) (by f1)"} <= {*accounts["tc"]}


def test_of_two_tables_with_one_key_one_refers_to_the_other(accounts):
    assert ("tc.f1 ⊆ ta.f1" in accounts["tc"]) is not ("ta.f1 ⊆ tc.f1" in accounts["ta"])
    assert len([text for text in accounts["tb"] if "⊆" in text]) <= 1


def test_a_column_that_counts_the_rows_is_no_key_beside_one_of_what_they_tell():
    rng = random.Random(8)
    cells = [(f"state {s}", 1952 + 5 * y) for s in range(80) for y in range(12)]
    table: Columns = {
        "rownames": list(range(1, len(cells) + 1)),
        "country": [c for c, _ in cells],
        "year": [y for _, y in cells],
        "pop": [rng.randrange(10**4, 10**8) for _ in cells],
    }
    assert shown(gapminder=table)["gapminder"][0] == "unique {country, year}"
