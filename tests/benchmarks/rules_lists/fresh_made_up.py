"""Made-up businesses as exports: a web shop for coffee, a veterinary practice, a shared office, crowdfunding.

Each was written with the list of what it lives by (known_fresh) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.offices_made_up import months_on
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of

Rows = list[dict[str, Any]]
_TOWNS = {
    "DE": ["Hamburg", "Kiel", "Leipzig", "Ulm", "Mainz", "Trier", "Bremen", "Jena"],
    "AT": ["Linz", "Wels", "Graz", "Villach"],
    "NL": ["Utrecht", "Breda", "Delft", "Zwolle"],
}
_FREE = {"DE": (390, 4000), "AT": (790, 8000), "NL": (690, 6000)}
_REBATES = {"retail": 0, "trade": 15, "cafe": 25}
_FARMS = ["Kirinyaga", "Limu", "Huila", "Tarrazu", "Mogiana", "Antigua", "Guji", "Cauca", "Nyeri", "Sidamo", "Narino"]
_GEAR = ["Hand Grinder", "Pour-over Kettle", "Moka Pot", "Scale", "Milk Jug", "Tamper", "Server", "Travel Press"]


def coffee(r: random.Random) -> dict[str, Columns]:
    """A web shop for coffee: beans and gear, three countries, codes, gifts, rebates by group, prices with VAT."""
    products, places = _range_of_coffee(r), []
    numbers = r.sample(range(1011, 9990), 150)
    for number, country in zip(numbers, ["DE"] * 80 + ["AT"] * 40 + ["NL"] * 30, strict=True):
        zipped = {"DE": f"{number * 10 + 3}", "AT": str(number), "NL": f"{number} {r.choice('ABX')}{r.choice('CDE')}"}
        places.append((zipped[country], r.choice(_TOWNS[country]), country))
    customers = [_drinker(r, 20_418 + i * 7, r.choice(places)) for i in range(2400)]
    orders: Rows = []
    items: Rows = []
    for at_once in sorted(at(day(r, 700, date(2023, 1, 1)), r) for _ in range(9000)):
        customer = r.choice(customers)
        if customer["registered_at"] <= at_once:
            _order_coffee(r, orders, items, customer, (f"{at_once.year}-{len(orders) + 1:06}", at_once, products))
    named = {"products": products, "customers": customers, "orders": orders, "order_items": items}
    return {name: columns_of(rows) for name, rows in named.items()}


def _range_of_coffee(r: random.Random) -> Rows:
    rows = []
    names = [f"{farm} {roast} {grams} g" for farm in _FARMS for roast in ("Light", "Dark") for grams in (250, 1000)]
    names += [f"{gear} {size}" for gear in _GEAR for size in ("S", "M", "L")]
    for i, name in enumerate(r.sample(names, len(names))):
        beans = name.endswith(" g")
        gross = r.randrange(690, 1390, 10) if beans else r.randrange(490, 9990, 100)
        rate, net = (7, round(gross / 1.07)) if beans else (19, round(gross / 1.19))
        grams = int(name.split()[-2]) if beans else None
        listed = day(r, 900, date(2020, 6, 1))
        gone = r.random() < 0.2
        rows.append(
            {
                "product_id": f"{'COF' if beans else 'EQP'}-{i + 101}",
                "name": name,
                "slug": name.lower().replace(" ", "-"),
                "ean": f"42{r.randrange(10**11):011}",
                "category": "beans" if beans else "equipment",
                "roast": name.split()[1].lower() if beans else None,
                "weight_g": grams,
                "price_net": c2(net),
                "vat_rate": rate,
                "price_gross": c2(gross),
                "price_per_kg": c2(round(gross * 1000 / grams)) if grams else None,
                "supplier": r.choice(["Bohne & Co", "Import Nord", "Kaffa", "Direct"]),
                "status": "delisted" if gone else "active",
                "listed_on": listed,
                "delisted_on": listed + timedelta(days=r.randint(1300, 2000)) if gone else None,
            }
        )
    return rows


def _drinker(r: random.Random, number: int, place: tuple[str, str, str]) -> dict[str, Any]:
    first, last = r.choice(FIRST), r.choice(SURNAMES)
    joined = at(day(r, 1000, date(2021, 3, 1)), r)
    group = r.choices(list(_REBATES), [14, 2, 1])[0]
    news = r.random() < 0.45
    return {
        "customer_id": number,
        "email": f"{first}.{last}{number % 9973}@{r.choice(['mail', 'post', 'web'])}.example".lower(),
        "first_name": first,
        "last_name": last,
        "zip": place[0],
        "city": place[1],
        "country": place[2],
        "price_group": group,
        "vat_id": f"{place[2]}{r.randrange(10**9):09}" if group != "retail" else None,
        "registered_at": joined,
        "newsletter": news,
        "newsletter_since": joined.date() + timedelta(days=r.randrange(200)) if news else None,
        "birthday": day(r, 17_000, date(1955, 1, 1)) if r.random() < 0.3 else None,
        "note": r.choice(["calls first", "pays late", "allergic to nuts", "friend of the house"])
        if r.random() < 0.05
        else None,
    }


def _order_coffee(
    r: random.Random, orders: Rows, items: Rows, customer: dict[str, Any], told: tuple[str, Any, Rows]
) -> None:
    number, placed, products = told
    goods, rebate, chosen = (
        0,
        _REBATES[customer["price_group"]],
        r.sample(products, r.choices([1, 2, 3, 4], [5, 5, 3, 1])[0]),
    )
    for line, product in enumerate(chosen, 1):
        quantity, list_price = r.choices([1, 2, 3, 6], [9, 4, 2, 1])[0], round(float(product["price_gross"]) * 100)
        amount = round(quantity * list_price * (100 - rebate) / 100)
        goods += amount
        items.append(
            {
                "order_no": number,
                "line_no": line,
                "product_id": product["product_id"],
                "quantity": quantity,
                "list_price": product["price_gross"],
                "rebate_pct": rebate,
                "line_total": c2(amount),
                "vat_rate": product["vat_rate"],
                "vat_included": c2(round(amount * product["vat_rate"] / (100 + product["vat_rate"]))),
                "grind": r.choice(["whole", "espresso", "filter"]) if product["category"] == "beans" else None,
            }
        )
    code = r.choices([None, "ROAST10", "TASTE5"], [7, 2, 1])[0] if rebate == 0 and goods >= 1000 else None
    off = {None: 0, "ROAST10": round(goods / 10), "TASTE5": 500}[code]
    fee, free_from = _FREE[customer["country"]]
    fee = 0 if goods >= free_from else fee
    status = r.choices(["delivered", "shipped", "paid", "open", "cancelled"], [30, 2, 2, 1, 2])[0]
    paid = placed + timedelta(minutes=r.choice([1, 3, 9, 2000, 7000]), seconds=r.randrange(60))
    sent = (
        at(paid.date() + timedelta(days=r.randint(1, 4)), r, 480, 1020) if status in ("delivered", "shipped") else None
    )
    gift = r.random() < 0.08
    orders.append(
        {
            "order_no": number,
            "customer_id": customer["customer_id"],
            "ordered_at": placed,
            "price_group": customer["price_group"],
            "ship_country": customer["country"],
            "item_count": len(chosen),
            "goods_total": c2(goods),
            "discount_code": code,
            "discount": c2(off),
            "shipping_fee": c2(fee),
            "grand_total": c2(goods - off + fee),
            "payment_method": r.choice(["card", "paypal", "transfer"]),
            "status": status,
            "paid_at": paid if status not in ("open", "cancelled") else None,
            "shipped_at": sent,
            "invoice_no": f"INV-{number}" if sent else None,
            "delivered_on": sent.date() + timedelta(days=r.randint(1, 5)) if sent and status == "delivered" else None,
            "cancel_reason": r.choice(["changed mind", "not paid", "out of stock"]) if status == "cancelled" else None,
            "is_gift": gift,
            "gift_message": r.choice(["Happy birthday", "Thank you!", "For the long mornings"]) if gift else None,
        }
    )


_BREEDS = {"dog": ["Beagle", "Boxer", "Collie", "Mixed dog"], "cat": ["Persian", "Siamese", "House cat"]}
_BREEDS |= {"rabbit": ["Dwarf", "Lop"], "horse": ["Haflinger", "Hanoverian", "Shetland"]}
_KINDS = {"checkup": 2480, "vaccination": 1940, "surgery": 18_900, "dental": 9640}
_DRUGS = {"AMX": ("Amoxicillin", 10, 85), "MLX": ("Meloxicam", 2, 140), "PRD": ("Prednisolone", 1, 60)}
_DRUGS |= {"CLV": ("Clavulanate", 12, 110), "GBP": ("Gabapentin", 8, 95)}


def vets(r: random.Random) -> dict[str, Columns]:
    """A veterinary practice: owners, their animals, visits with a fee for emergencies, tablets by weight."""
    owners, animals, visits, scripts = [], [], [], []
    for i in range(900):
        first, last = r.choice(FIRST), r.choice(SURNAMES)
        owners.append(
            {
                "owner_no": f"H{i + 1:05}",
                "last_name": last,
                "first_name": first,
                "phone": f"0{r.choice([151, 160, 171, 30, 40])}/{r.randrange(10**6, 10**7)}",
                "email": f"{first[0]}.{last}{i}@mail.example".lower() if r.random() < 0.8 else None,
                "town": r.choice(_TOWNS["DE"]),
                "client_since": day(r, 3000, date(2012, 1, 1)),
            }
        )
        owners[-1]["reminder_by"] = r.choice(["email", "sms"]) if owners[-1]["email"] else "sms"
    for i in range(1500):
        owner = r.choice(owners)
        animals.append(_animal(r, i + 1, owner))
    for i in range(7000):
        animal = r.choice(animals)
        visits.append(_visit(r, i + 1, animal))
        if visits[-1]["kind"] in ("surgery", "checkup") and r.random() < 0.6:
            code = r.choice(list(_DRUGS))
            drug, per_kg, price = _DRUGS[code]
            days, daily = r.choice([3, 5, 7, 10, 14]), r.choice([1, 2, 3])
            begins = visits[-1]["visit_at"].date()
            dose = round(float(visits[-1]["weight_kg"]) * 10) * per_kg
            scripts.append(
                {
                    "rx_no": len(scripts) + 70_001,
                    "visit_no": i + 1,
                    "drug_code": code,
                    "drug": drug,
                    "mg_per_kg": per_kg,
                    "dose_mg": f"{dose / 10:.1f}",
                    "times_a_day": daily,
                    "days": days,
                    "tablets": days * daily,
                    "starts_on": begins,
                    "ends_on": begins + timedelta(days=days - 1),
                    "tablet_price": c2(price),
                    "amount": c2(days * daily * price),
                }
            )
    named = {"owners": owners, "animals": animals, "visits": visits, "prescriptions": scripts}
    return {name: columns_of(rows) for name, rows in named.items()}


def _animal(r: random.Random, number: int, owner: dict[str, Any]) -> dict[str, Any]:
    species = r.choices(list(_BREEDS), [10, 9, 2, 3])[0]
    born = owner["client_since"] - timedelta(days=r.randint(-900, 2000))
    seen = max(born, owner["client_since"]) + timedelta(days=r.randint(0, 400))
    chip = species in ("dog", "horse") or (species == "cat" and r.random() < 0.5)
    died = seen + timedelta(days=r.randint(1200, 4000)) if r.random() < 0.12 else None
    neutered = species != "horse" and r.random() < 0.5
    return {
        "animal_id": number,
        "owner_no": owner["owner_no"],
        "name": r.choice(["Bello", "Minka", "Rex", "Luna", "Max", "Kira", "Momo", "Flocke", "Blitz", "Nala"]),
        "species": species,
        "breed": r.choice(_BREEDS[species]),
        "sex": r.choice("mf"),
        "born": born,
        "first_seen": seen,
        "chip_no": f"276{r.randrange(10**12):012}" if chip else None,
        "neutered": "Y" if neutered else "N",
        "neutered_on": born + timedelta(days=r.randint(180, 600)) if neutered else None,
        "died_on": died,
        "active": "N" if died else "Y",
        "insurer": r.choice([None, None, None, "Agila", "Uelzener", "Petplan"]),
    }


def _visit(r: random.Random, number: int, animal: dict[str, Any]) -> dict[str, Any]:
    when = at(animal["first_seen"] + timedelta(days=r.randint(0, 1190)), r, 480, 1140)
    kind = r.choices(list(_KINDS), [8, 7, 2, 1])[0]
    urgent = kind in ("checkup", "surgery") and r.random() < 0.12
    extra = 5000 if urgent else 0
    fee = _KINDS[kind] + (r.randrange(0, 9000, 250) if kind in ("surgery", "dental") else 0)
    vat = round((fee + extra) * 0.19)
    heavy = {"dog": (40, 450), "cat": (20, 80), "rabbit": (8, 35), "horse": (2000, 6500)}[animal["species"]]
    way = r.choice(["card", "cash", "invoice"])
    return {
        "visit_no": number,
        "animal_id": animal["animal_id"],
        "owner_no": animal["owner_no"],
        "visit_at": when,
        "vet": r.choice(["Dr. Brandt", "Dr. Seidel", "Dr. Yilmaz"]),
        "kind": kind,
        "weight_kg": f"{r.randint(*heavy) / 10:.1f}",
        "temperature": f"{r.gauss(38.6, 0.4):.1f}",
        "vaccine": r.choice(["rabies", "tetanus", "combined"]) if kind == "vaccination" else None,
        "next_due": when.date() + timedelta(days=365) if kind == "vaccination" else None,
        "anaesthesia_min": r.randint(15, 120) if kind in ("surgery", "dental") else None,
        "emergency": "yes" if urgent else "no",
        "fee": c2(fee),
        "surcharge": c2(extra),
        "vat": c2(vat),
        "total": c2(fee + extra + vat),
        "paid_by": way,
        "paid_on": when.date() + timedelta(days=r.randint(3, 40) if way == "invoice" else 0),
        "findings": r.choice(["no findings", "tartar", "overweight", "lame front left", "ear mites"])
        if r.random() < 0.5
        else None,
    }


_PLANS = {"day": 9900, "flex": 17_900, "fixed": 28_900, "studio": 34_500}
_ROOMS = {"A1": (0, 4, 1200), "A2": (0, 8, 1800), "B1": (1, 6, 1500), "B2": (1, 12, 2600), "C1": (2, 20, 4500)}


def coworking(r: random.Random) -> dict[str, Columns]:
    """A shared office: members by plan, rooms by the half hour with a charge for late cancelling, monthly invoices."""
    members: Rows = []
    for i, desk in zip(range(420), r.sample(range(1, 600), 420), strict=True):
        plan, first, last = r.choices(list(_PLANS), [3, 5, 4, 2])[0], r.choice(FIRST), r.choice(SURNAMES)
        seats = r.randint(2, 8) if plan == "studio" else 1
        joined = day(r, 900, date(2021, 9, 1))
        notice = joined + timedelta(days=r.randint(90, 500)) if r.random() < 0.3 else None
        members.append(
            {
                "member_id": f"M{i + 1:04}",
                "contact": f"{first} {last}",
                "email": f"{first}@{last}{i}.example".lower(),
                "company": f"{last} {r.choice(['Design', 'Labs', 'Consulting'])}"
                if plan == "studio" or r.random() < 0.4
                else None,
                "plan": plan,
                "seats": seats,
                "seat_price": c2(_PLANS[plan]),
                "monthly_fee": c2(seats * _PLANS[plan]),
                "deposit": c2(2 * seats * _PLANS[plan]),
                "desk_no": f"D{desk:03}" if plan == "fixed" else None,
                "card_no": f"{r.randrange(10**8):08}",
                "joined_on": joined,
                "notice_on": notice,
                "leaves_on": months_on(notice.replace(day=1), 2) - timedelta(days=1) if notice else None,
                "state": "leaving" if notice else "member",
            }
        )
    bookings = [_booking(r, i, r.choice(members)) for i in range(6000)]
    invoices = [bill for month in range(24) for bill in _bills(r, month, members)]
    return {"members": columns_of(members), "bookings": columns_of(bookings), "invoices": columns_of(invoices)}


def _booking(r: random.Random, number: int, member: dict[str, Any]) -> dict[str, Any]:
    room = r.choice(list(_ROOMS))
    floor, capacity, rate = _ROOMS[room]
    last = member["leaves_on"] or date(2024, 8, 31)
    begins = at(member["joined_on"] + timedelta(days=r.randrange((last - member["joined_on"]).days)), r).replace(
        second=0
    )
    begins = begins.replace(hour=r.randint(7, 19), minute=r.choice([0, 30]))
    halves = r.choices([1, 2, 3, 4, 8], [2, 6, 3, 3, 1])[0]
    booked = begins - timedelta(minutes=r.randint(20, 20_000))
    off = begins - (begins - booked) * r.random() if r.random() < 0.12 else None
    off = off and off.replace(microsecond=0)
    late = off is not None and begins - off < timedelta(hours=24)
    full = halves * rate // 2
    return {
        "booking_id": 300_000 + number,
        "member_id": member["member_id"],
        "room": room,
        "floor": floor,
        "capacity": capacity,
        "attendees": r.randint(1, capacity),
        "booked_at": booked,
        "starts_at": begins,
        "ends_at": begins + timedelta(minutes=30 * halves),
        "hours": f"{halves / 2:.1f}",
        "hourly_rate": c2(rate),
        "price": c2(full),
        "status": "used" if off is None else "cancelled",
        "cancelled_at": off,
        "late": "Y" if late else "N",
        "charged": c2(full if off is None else full // 2 if late else 0),
        "catering": r.choice([None, None, "coffee", "lunch"]),
    }


def _bills(r: random.Random, month: int, members: Rows) -> Rows:
    first, rows = months_on(date(2022, 9, 1), month), []
    for member in members:
        if member["joined_on"] > first or (member["leaves_on"] and member["leaves_on"] < first):
            continue
        rooms, prints = (
            r.choice([0, 0, 1, 2, 5]) * r.choice([1200, 1800, 2600]),
            r.choice([0, 0, 1]) * r.randint(4, 400),
        )
        net = round(float(member["monthly_fee"]) * 100) + rooms + prints * 8
        vat, issued = round(net * 0.19), months_on(first, 1)
        paid = issued + timedelta(days=r.choice([1, 3, 8, 13, 14, 21, 33])) if r.random() < 0.94 else None
        rows.append(
            {
                "invoice_no": f"CW{first:%Y%m}-{len(rows) + 1:03}",
                "member_id": member["member_id"],
                "month": f"{first:%Y-%m}",
                "issued_on": issued,
                "due_on": issued + timedelta(days=14),
                "base_fee": member["monthly_fee"],
                "room_charges": c2(rooms),
                "pages": prints,
                "print_charges": c2(prints * 8),
                "net": c2(net),
                "vat": c2(vat),
                "gross": c2(net + vat),
                "status": "paid" if paid else "open",
                "paid_on": paid,
                "days_late": max(0, (paid - issued).days - 14) if paid else None,
            }
        )
    return rows


_SUBJECTS = {
    "games": ["board", "card", "video"],
    "arts": ["film", "music", "books"],
    "tech": ["audio", "wearables", "robots"],
}
_MONEY = {"AT": "EUR", "DE": "EUR", "IE": "EUR", "GB": "GBP", "SE": "SEK"}


def crowdfunding(r: random.Random) -> dict[str, Columns]:
    """Crowdfunding: campaigns with a goal and a deadline, all or nothing; rewards with limits; pledges."""
    campaigns: Rows = []
    rewards: Rows = []
    pledges: Rows = []
    for i in range(700):
        subject, country = r.choice(list(_SUBJECTS)), r.choice(list(_MONEY))
        opened, days = at(day(r, 800, date(2022, 2, 1)), r), r.choice([14, 21, 30, 30, 45, 60])
        campaign = {
            "campaign_id": 5000 + i,
            "title": f"{r.choice(['The', 'My'])} {r.choice(['Lost', 'Blue', 'Quiet'])} {r.choice(_FARMS)} {i}",
            "creator": f"{r.choice(FIRST)} {r.choice(SURNAMES)}",
            "category": subject,
            "subcategory": r.choice(_SUBJECTS[subject]),
            "country": country,
            "currency": _MONEY[country],
            "goal": r.choice([50, 80, 100, 150, 250, 500]) * r.randint(4, 20),
            "launched_at": opened,
            "duration_days": days,
            "deadline": opened + timedelta(days=days),
        }
        offered = _rewards(r, campaign, len(rewards))
        _pledge(r, campaign, offered, pledges)
        rewards += offered
        campaigns.append(campaign)
    return {"campaigns": columns_of(campaigns), "rewards": columns_of(rewards), "pledges": columns_of(pledges)}


def _rewards(r: random.Random, campaign: dict[str, Any], before: int) -> Rows:
    least, rows = 0, []
    for tier in range(1, r.randint(3, 7)):
        least += r.choice([5, 10, 15, 25])
        ships = tier > 1 and r.random() < 0.7
        limit = r.choice([10, 25, 50]) if r.random() < 0.3 else None
        rows.append(
            {
                "reward_id": before + tier,
                "campaign_id": campaign["campaign_id"],
                "tier": tier,
                "label": r.choice(["Thanks", "Early bird", "Fan pack", "Deluxe", "Signed copy", "Digital"]),
                "minimum": least,
                "limited": "Y" if limit else "N",
                "limit_qty": limit,
                "claimed": 0,
                "ships": "Y" if ships else "N",
                "shipping": r.choice([4, 6, 9]) if ships else None,
                "delivery_month": f"{months_on(campaign['deadline'].date(), r.randint(2, 14)):%Y-%m}",
            }
        )
    return rows


def _pledge(r: random.Random, campaign: dict[str, Any], rewards: Rows, pledges: Rows) -> None:
    total, window = 0, campaign["duration_days"] * 86_400
    backers = r.sample(range(4000), min(300, 2 + round(r.lognormvariate(2.7, 0.8))))
    made: Rows = []
    for backer in backers:
        reward = r.choice([*rewards, None])
        if reward and reward["limit_qty"] == reward["claimed"]:
            reward = None
        if reward:
            reward["claimed"] += 1
        least = reward["minimum"] if reward else 1
        bonus, shipping = r.choice([0, 0, 0, 1, 5, 20]), (reward and reward["shipping"]) or 0
        made.append(
            {
                "pledge_id": f"P{len(pledges) + len(made) + 1:06}",
                "campaign_id": campaign["campaign_id"],
                "backer_id": 100_000 + backer * 13,
                "reward_id": reward and reward["reward_id"],
                "pledged_at": campaign["launched_at"] + timedelta(seconds=r.randrange(window)),
                "currency": campaign["currency"],
                "reward_amount": least,
                "bonus": bonus,
                "shipping": shipping,
                "amount": least + bonus + shipping,
                "anonymous": r.random() < 0.2,
                "comment": r.choice(["Good luck!", "Cannot wait", "Great idea"]) if r.random() < 0.2 else None,
            }
        )
        total += least + bonus + shipping
    won = total >= campaign["goal"]
    for pledge in made:
        charged = won and r.random() < 0.96
        pledge["status"] = "collected" if charged else "failed" if won else "released"
        pledge["collected_on"] = campaign["deadline"].date() + timedelta(days=r.randint(1, 7)) if charged else None
        pledge["failure"] = r.choice(["card expired", "no funds"]) if pledge["status"] == "failed" else None
    taken = sum(pledge["amount"] for pledge in made if pledge["status"] == "collected")
    pledges += made
    campaign |= {
        "pledged": total,
        "backers": len(made),
        "funded_pct": f"{100 * total / campaign['goal']:.1f}",
        "outcome": "successful" if won else "failed",
        "collected": taken,
        "platform_fee": c2(taken * 5),
        "payout": c2(taken * 95),
        "paid_out_on": campaign["deadline"].date() + timedelta(days=14) if won else None,
    }


FRESH: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "coffee": coffee,
    "vets": vets,
    "coworking": coworking,
    "crowdfunding": crowdfunding,
}
