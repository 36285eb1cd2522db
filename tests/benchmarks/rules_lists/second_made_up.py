"""Made-up businesses as exports: a web shop for books, a help desk, a laundry for hotels, charging of electric cars.

Each was written with the list of what it lives by (known_second) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.offices_made_up import months_on
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of

Row = dict[str, Any]
Rows = list[Row]
_FORMATS = {"paperback": 10, "hardcover": 10, "ebook": 20}
_TIERS = {"bronze": (0, 0), "silver": (500, 3), "gold": (2000, 7)}
_POSTAGE = {"AT": 350, "DE": 590, "CH": 1290}
_NOUNS = ["River", "Winter", "Garden", "Clock", "Island", "Letter", "Orchard", "Harbour", "Fox", "Glass", "Bridge"]


def _tier_of(points: int) -> str:
    return next(tier for tier, (least, _) in reversed(_TIERS.items()) if points >= least)


def bookshop(r: random.Random) -> dict[str, Columns]:
    """A web shop for books: ISBNs, downloads without parcels, discounts by tier, credit, refunds, insured parcels."""
    books = [_book(r, number) for number in r.sample(range(10**8, 10**9), 520)]
    accounts: Rows = []
    for i in range(1400):
        first, last = r.choice(FIRST), r.choice(SURNAMES)
        points, created = int(r.lognormvariate(6, 1.2)), day(r, 1500, date(2015, 1, 1))
        closed = created + timedelta(days=r.randint(1900, 2300)) if r.random() < 0.07 else None
        accounts.append(
            {
                "account_id": f"A-{i + 1:06}",
                "login": f"{last}{i * 3 + 11}".lower(),
                "full_name": f"{first} {last}",
                "country": r.choices(list(_POSTAGE), [5, 4, 1])[0],
                "created_on": created,
                "points": points,
                "tier": _tier_of(points),
                "discount_pct": _TIERS[_tier_of(points)][1],
                "marketing": r.choice(["opt-in", "opt-out", "unknown"]),
                "closed_on": closed,
                "is_closed": closed is not None,
                "favourite_genre": r.choice(["crime", "poetry", "travel", None, None]),
            }
        )
    sales: Rows = []
    lines: Rows = []
    parcels: Rows = []
    for i in range(5200):
        account = r.choice(accounts)
        created_at = at(account["created_on"] + timedelta(days=r.randint(0, 1880)), r)
        _sell(r, (900_000 + i, account, created_at, books), (sales, lines, parcels))
    named = {"books": books, "accounts": accounts, "sales": sales, "sale_lines": lines, "parcels": parcels}
    return {name: columns_of(rows) for name, rows in named.items()}


def _book(r: random.Random, number: int) -> Row:
    old, new = f"{number}", f"978{number}"
    rest = sum((10 - i) * int(digit) for i, digit in enumerate(old)) % 11
    check = sum((3 if i % 2 else 1) * int(digit) for i, digit in enumerate(new)) % 10
    form = r.choices(list(_FORMATS), [6, 3, 3])[0]
    series = r.choice(["Coast Crimes", "Green Guides", "Old Tales"]) if r.random() < 0.3 else None
    printed = form != "ebook"
    pages = r.randint(48, 900)
    return {
        "isbn13": f"{new}{(10 - check) % 10}",
        "isbn10": f"{old}{'X' if (11 - rest) % 11 == 10 else (11 - rest) % 11}",
        "title": f"The {r.choice(_NOUNS)} and the {r.choice(_NOUNS)}",
        "author": f"{r.choice(SURNAMES)}, {r.choice(FIRST)}",
        "publisher": r.choice(["Fennel", "Lighthouse", "North Gate", "Quarto"]),
        "format": form,
        "vat_pct": _FORMATS[form],
        "price": c2(r.randrange(599, 4999, 50)),
        "pages": pages,
        "weight_g": round(pages * r.uniform(0.8, 1.4)) + 40 if printed else None,
        "stock": r.choice([0, 0, 1, 3, 8, 20]) if printed else None,
        "published_on": day(r, 4800, date(2001, 6, 1)),
        "series": series,
        "volume": r.randint(1, 12) if series else None,
        "language": r.choices(["de", "en", "fr"], [7, 3, 1])[0],
    }


def _sell(r: random.Random, told: tuple[int, Row, datetime, Rows], into: tuple[Rows, Rows, Rows]) -> None:
    number, account, created, books = told
    sales, lines, parcels = into
    goods = weight = copies = 0
    for position, book in enumerate(r.sample(books, r.choices([1, 2, 3, 5], [8, 4, 2, 1])[0]), 1):
        count = 1 if book["format"] == "ebook" else r.choices([1, 2, 10], [20, 2, 1])[0]
        cents, ebook = round(float(book["price"]) * 100), book["format"] == "ebook"
        goods, weight, copies = goods + count * cents, weight + count * (book["weight_g"] or 0), copies + count
        lines.append(
            {
                "sale_id": number,
                "position": position,
                "isbn13": book["isbn13"],
                "format": book["format"],
                "copies": count,
                "unit_price": book["price"],
                "amount": c2(count * cents),
                "download_until": created.date() + timedelta(days=90) if ebook else None,
                "gift_card": None if ebook else r.choice([None, None, None, "birthday", "thanks"]),
            }
        )
    off = round(goods * account["discount_pct"] / 100)
    postage = 0 if not weight else _POSTAGE[account["country"]]
    credit = min(r.choice([500, 1000, 2500]), goods - off) if r.random() < 0.1 else 0
    total = goods - off + postage - credit
    state = r.choices(["complete", "open", "refunded"], [20, 2, 2])[0]
    sent = created + timedelta(minutes=r.randint(200, 6000)) if state != "open" and weight else None
    refunded = (sent or created) + timedelta(minutes=r.randint(15_000, 40_000)) if state == "refunded" else None
    sales.append(
        {
            "sale_id": number,
            "account_id": account["account_id"],
            "created_at": created,
            "channel": r.choices(["web", "app", "phone"], [6, 5, 1])[0],
            "country": account["country"],
            "copies": copies,
            "subtotal": c2(goods),
            "discount_pct": account["discount_pct"],
            "discount": c2(off),
            "postage": c2(postage),
            "credit_used": c2(credit),
            "total": c2(total),
            "points_earned": total // 100,
            "state": state,
            "refunded_at": refunded,
            "refund": c2(total) if refunded else None,
            "refund_reason": r.choice(["damaged", "not as described", "too late"]) if refunded else None,
        }
    )
    if sent:
        carrier, insured = r.choice(["PST", "DHX", "GLO"]), total >= 10_000
        arrived = sent + timedelta(minutes=r.randint(900, 9000)) if r.random() < 0.97 else None
        parcels.append(
            {
                "parcel_no": f"{carrier}{r.randrange(10**10):010}",
                "sale_id": number,
                "carrier": carrier,
                "country": account["country"],
                "weight_g": weight + 120,
                "size": "letter" if weight + 120 <= 1000 else "box",
                "handed_over_at": sent,
                "delivered_at": arrived,
                "status": "delivered" if arrived else "lost",
                "insured": "Y" if insured else "N",
                "insured_value": c2(total) if insured else None,
            }
        )


_SLA = {1: 4, 2: 8, 3: 24, 4: 72}
_CENTRES = {"Sales": 4100, "Finance": 4200, "Plant": 5100, "Research": 5300, "People": 4300}
_TEAMS = {"Network": 92, "Desktop": 68, "SAP": 110, "Identity": 84}


def helpdesk(r: random.Random) -> dict[str, Columns]:
    """A help desk: users and their managers, tickets with priority and deadline, work that is logged by the minute."""
    users, tickets, logs = [], [], []
    agents = [
        (f"{first.lower()}.{last.lower()}", r.choice(list(_TEAMS))) for first, last in zip(FIRST, SURNAMES, strict=True)
    ]
    for i in range(850):
        first, last, part = r.choice(FIRST), r.choice(SURNAMES), r.choice(list(_CENTRES))
        hired = day(r, 4000, date(2010, 1, 1))
        left = day(r, 800, date(2022, 1, 1)) if r.random() < 0.08 else None
        users.append(
            {
                "user_id": f"u{i + 1:05}",
                "first_name": first,
                "last_name": last,
                "email": f"{first}.{last}.{i}@works.example".lower(),
                "department": part,
                "cost_centre": _CENTRES[part],
                "manager_id": r.choice(users)["user_id"] if users else None,
                "site": r.choice(["Linz", "Brno", "Gent"]),
                "vip": r.random() < 0.04,
                "hired_on": hired,
                "left_on": left,
                "account": "disabled" if left else "enabled",
            }
        )
    moments = sorted(at(day(r, 330, date(2021, 1, 4)), r, 360, 1200) for _ in range(6500))
    for i, opened in enumerate(moments):
        user = r.choice(users)
        tickets.append(_ticket(r, i, opened, user, r.choice(agents)))
        ends = tickets[-1]["resolved_at"] or opened + timedelta(days=3)
        for _ in range(r.choices([0, 1, 2, 4], [1, 6, 4, 2])[0]):
            agent, team = r.choice(agents)
            room = int((ends - opened).total_seconds() // 60)
            spent = r.randint(1, max(1, min(room, 180)))
            begun = opened + timedelta(minutes=r.randint(0, max(0, room - spent)))
            paid = r.random() < 0.5
            cost = round(spent * _TEAMS[team] * 100 / 60) if paid else 0
            logs.append(
                {
                    "log_id": len(logs) + 1,
                    "ticket_no": tickets[-1]["ticket_no"],
                    "agent": agent,
                    "team": team,
                    "started_at": begun,
                    "ended_at": begun + timedelta(minutes=spent),
                    "minutes": spent,
                    "hourly_rate": _TEAMS[team],
                    "billable": "Y" if paid else "N",
                    "cost": c2(cost),
                    "activity": r.choice(["analysis", "call", "on site", "change"]),
                    "comment": r.choice(["done", "waiting for vendor", "restarted", "see KB"])
                    if r.random() < 0.4
                    else None,
                }
            )
    return {"users": columns_of(users), "tickets": columns_of(tickets), "worklogs": columns_of(logs)}


def _ticket(r: random.Random, number: int, opened: datetime, user: Row, agent: tuple[str, str]) -> Row:
    impact, urgency = r.choices([1, 2, 3], [1, 3, 8])[0], r.choices([1, 2, 3], [2, 4, 6])[0]
    priority = max(1, impact + urgency - 2) if impact + urgency < 6 else 4
    due = opened + timedelta(hours=_SLA[priority])
    answered = opened + timedelta(seconds=r.randint(60, 12_000))
    state = r.choices(["closed", "resolved", "in progress", "new"], [20, 2, 2, 1])[0]
    done = (
        answered + timedelta(seconds=60 * int(r.lognormvariate(5.2, 1.4)) + r.randint(60, 119))
        if state in ("closed", "resolved")
        else None
    )
    closed = done + timedelta(minutes=r.randint(5, 7200)) if done and state == "closed" else None
    return {
        "ticket_no": f"INC{number + 4_100_000:07}",
        "user_id": user["user_id"],
        "site": user["site"],
        "category": r.choice(["hardware", "software", "access", "network"]),
        "impact": impact,
        "urgency": urgency,
        "priority": priority,
        "sla_hours": _SLA[priority],
        "opened_at": opened,
        "due_at": due,
        "answered_at": None if state == "new" else answered,
        "resolved_at": done,
        "closed_at": closed,
        "state": state,
        "assignee": None if state == "new" else agent[0],
        "minutes_open": int((done - opened).total_seconds() // 60) if done else None,
        "breached": ("yes" if done > due else "no") if done else None,
        "resolution": r.choice(["fixed", "workaround", "no fault found", "duplicate"]) if done else None,
        "rating": r.choice([1, 2, 3, 4, 4, 5, 5]) if closed and r.random() < 0.35 else None,
    }


_PER_KG = {"hotel": 178, "clinic": 214, "restaurant": 196}
_LINEN = {"BS": ("bed sheet", 1450, 0.62), "PC": ("pillow case", 520, 0.14), "BT": ("bath towel", 980, 0.48)}
_LINEN |= {"TC": ("table cloth", 1890, 0.71), "NP": ("napkin", 210, 0.06), "GW": ("gown", 2250, 0.38)}
_TOURS = {11: "North", 12: "North", 13: "North", 21: "South", 22: "South", 31: "Airport"}


def laundry(r: random.Random) -> dict[str, Columns]:
    """A laundry for hotels: contracts by kind, pickups by weight with a least charge, pieces that get lost."""
    clients, pickups, pieces = [], [], []
    for i in range(240):
        kind, tour, begun = (
            r.choices(list(_PER_KG), [6, 2, 3])[0],
            r.choice(list(_TOURS)),
            day(r, 1200, date(2018, 1, 1)),
        )
        years = r.choice([2, 3, 5])
        clients.append(
            {
                "client_code": f"{kind[0].upper()}{tour}-{i + 1:03}",
                "name": f"{r.choice(['Hotel', 'Haus', 'Villa', 'Gasthof'])} {r.choice(SURNAMES)} {r.choice(_NOUNS)}",
                "kind": kind,
                "tour": tour,
                "depot": _TOURS[tour],
                "price_per_kg": c2(_PER_KG[kind]),
                "least_charge": c2(r.choice([2500, 4000, 6000])),
                "contract_from": begun,
                "years": years,
                "contract_until": months_on(begun, 12 * years) - timedelta(days=1),
                "pickup_day": r.choice(["Mon", "Tue", "Wed", "Thu", "Fri"]),
                "contact_phone": f"+43 {r.randrange(10**6, 10**7)}" if r.random() < 0.9 else None,
            }
        )
    for i in range(5500):
        client = r.choice(clients)
        picked = day(r, client["years"] * 365 - 1, client["contract_from"])
        trolleys, express, lost = r.randint(1, 6), r.random() < 0.15, 0
        number, grams = f"L{i + 50_000}", 0
        for code in r.sample(list(_LINEN), r.randint(1, 5)):
            article, price, kilos = _LINEN[code]
            count = r.randint(5, 40 * trolleys)
            missing = r.choices([0, 1, 2, 5], [14, 2, 1, 1])[0]
            grams += round(count * kilos * 1000)
            lost += missing * price
            pieces.append(
                {
                    "pickup_no": number,
                    "article_code": code,
                    "article": article,
                    "pieces_in": count,
                    "pieces_out": count - missing,
                    "lost": missing,
                    "rewashed": r.randint(0, (count - missing) // 4) if r.random() < 0.3 else 0,
                    "new_price": c2(price),
                    "compensation": c2(missing * price),
                }
            )
        net = round(grams / 100)
        washing = max(round(net * _PER_KG[client["kind"]] / 10), round(float(client["least_charge"]) * 100))
        extra = round(washing * 0.3) if express else 0
        promised = picked + timedelta(days=1 if express else 3)
        back = promised + timedelta(days=r.choices([0, 1, 2], [12, 2, 1])[0])
        pickups.append(
            {
                "pickup_no": number,
                "client_code": client["client_code"],
                "tour": client["tour"],
                "picked_on": picked,
                "trolleys": trolleys,
                "gross_kg": f"{net / 10 + trolleys * 38.5:.1f}",
                "tare_kg": f"{trolleys * 38.5:.1f}",
                "net_kg": f"{net / 10:.1f}",
                "service": "express" if express else "standard",
                "washing": c2(washing),
                "express_fee": c2(extra),
                "compensation": c2(lost),
                "charge": c2(washing + extra - lost),
                "promised_on": promised,
                "returned_on": back,
                "days_late": (back - promised).days,
                "driver": r.choice(FIRST[:9]),
                "remark": r.choice(["trolley broken", "gate code 4711", "ring twice"]) if r.random() < 0.08 else None,
            }
        )
    return {"clients": columns_of(clients), "pickups": columns_of(pickups), "pieces": columns_of(pieces)}


_PLUGS = {"Type 2": ("AC", [11, 22]), "CCS": ("DC", [50, 150, 300]), "CHAdeMO": ("DC", [50])}
_PRICES = {"basic": (49, 69), "plus": (39, 55), "fleet": (35, 49)}


def charging(r: random.Random) -> dict[str, Columns]:
    """Charging of electric cars: points by plug and power, sessions by meter with a fee for blocking, monthly bills."""
    points: Rows = []
    for i in range(260):
        plug, opened = r.choices(list(_PLUGS), [6, 4, 1])[0], day(r, 900, date(2019, 3, 1))
        current, powers = _PLUGS[plug]
        retired = opened + timedelta(days=r.randint(1700, 2400)) if r.random() < 0.06 else None
        points.append(
            {
                "evse_id": f"AT*{r.choice(['WEN', 'SMA', 'ELL'])}*E{i + 1001}",
                "serial": f"{r.randrange(16**8):08X}",
                "plug": plug,
                "current": current,
                "power_kw": r.choice(powers),
                "lat": f"{r.uniform(46.6, 48.8):.5f}",
                "lon": f"{r.uniform(10.1, 16.9):.5f}",
                "site": r.choice(["mall", "motorway", "street", "hotel"]),
                "opened_on": opened,
                "retired_on": retired,
                "status": "retired" if retired else r.choice(["free", "busy", "fault"]),
                "meter_kwh": r.randrange(9_000_000),
            }
        )
        points[-1]["operator"] = points[-1]["evse_id"].split("*")[1]
    cards = [f"{r.randrange(16**7):07X}" for _ in range(500)]
    held = {card: r.choices(list(_PRICES), [5, 3, 2])[0] for card in cards}
    sessions = sorted(
        (_session(r, r.choice(points), r.choice(cards), held) for _ in range(11_000)), key=lambda s: s["plugged_at"]
    )
    bills: dict[tuple[str, str], Row] = {}
    found = {point["evse_id"]: point for point in points}
    for i, session in enumerate(sessions):
        month = f"{session['plugged_at']:%Y-%m}"
        bill = bills.setdefault((session["card_no"], month), _bill(r, len(bills), session, month))
        point, before = found[session["evse_id"]], found[session["evse_id"]]["meter_kwh"]
        point["meter_kwh"] += round(float(session["kwh"]) * 1000)
        session |= {"meter_start": f"{before / 1000:.3f}", "meter_end": f"{point['meter_kwh'] / 1000:.3f}"}
        session |= {"session_id": 8_000_000 + i, "bill_no": bill["bill_no"]}
        bill["sessions"] += 1
        bill["wh"] += round(float(session["kwh"]) * 1000)
        bill["gross"] += round(float(session["gross"]) * 100)
    for point in points:
        point["meter_kwh"] = f"{point['meter_kwh'] / 1000:.3f}"
    for bill in bills.values():
        net = round(bill["gross"] / 1.2)
        bill |= {
            "kwh": f"{bill.pop('wh') / 1000:.3f}",
            "net": c2(net),
            "vat": c2(bill["gross"] - net),
            "gross": c2(bill["gross"]),
        }
    return {"points": columns_of(points), "sessions": columns_of(sessions), "bills": columns_of([*bills.values()])}


def _bill(r: random.Random, number: int, session: Row, month: str) -> Row:
    issued = months_on(session["plugged_at"].date().replace(day=1), 1) + timedelta(days=2)
    paid = issued + timedelta(days=r.randint(0, 45)) if r.random() < 0.95 else None
    return {
        "bill_no": f"B{number + 30_001}",
        "card_no": session["card_no"],
        "tariff": session["tariff"],
        "month": month,
        "issued_on": issued,
        "due_on": issued + timedelta(days=21),
        "paid_on": paid,
        "reminders": max(0, ((paid - issued).days - 21 + 9) // 10) if paid else 3,
        "sessions": 0,
        "wh": 0,
        "gross": 0,
    }


def _session(r: random.Random, point: Row, card: str, held: dict[str, str]) -> Row:
    plugged = at(max(point["opened_on"], date(2022, 1, 1)) + timedelta(days=r.randrange(600)), r)
    tariff, fast, power = held[card], point["current"] == "DC", point["power_kw"]
    loading = r.randint(8, 70) if fast else r.randint(40, 480)
    peak = power * r.randint(40, 100) / 100
    used = min(round(peak * loading / 60 * r.uniform(0.5, 0.95), 3), 95.0)
    blocking = r.choices([0, r.randint(1, 60), r.randint(60, 600)], [6, 3, 1])[0]
    minutes = loading + blocking
    price = _PRICES[tariff][fast]
    energy, over = round(used * price), max(0, minutes - (60 if fast else 240))
    error = r.random() < 0.03
    begins = r.randint(5, 60) if fast else None
    return {
        "session_id": 0,
        "evse_id": point["evse_id"],
        "card_no": card,
        "tariff": tariff,
        "current": point["current"],
        "plugged_at": plugged,
        "charged_until": plugged + timedelta(minutes=loading),
        "unplugged_at": plugged + timedelta(minutes=minutes),
        "minutes": minutes,
        "kwh": f"{used:.3f}",
        "peak_kw": f"{peak:.1f}",
        "soc_start": begins,
        "soc_end": begins + r.randint(5, 40) if fast else None,
        "ct_per_kwh": price,
        "energy": c2(energy),
        "minutes_over": over,
        "blocking_fee": c2(min(over * 10, 1200)),
        "gross": c2(energy + min(over * 10, 1200)),
        "ended_by": "error" if error else r.choice(["driver", "full", "app"]),
        "error_code": r.choice(["E17", "E23", "E40"]) if error else None,
    }


SECOND: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "bookshop": bookshop,
    "helpdesk": helpdesk,
    "laundry": laundry,
    "charging": charging,
}
