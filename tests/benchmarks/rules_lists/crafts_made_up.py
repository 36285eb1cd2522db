"""Made-up businesses as exports: a print shop, plumbers, a fish farm, a ski school, a radio, a catalogue, solar roofs.

Each was written with the list of what it lives by (known_crafts) before it was run.
"""

import math
import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.yards_made_up import columns_of

_TOWNS = ["Ahaus", "Borken", "Coesfeld", "Dorsten", "Emsdetten", "Fulda", "Gronau", "Hamm", "Iserlohn", "Kamen"]


def printshop(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A print shop: papers by the thousand sheets, jobs with sheets, waste, finishing, and what they cost."""
    papers, jobs = [], []
    formats = {"SRA3": (320, 450), "B2": (500, 707), "B1": (707, 1000), "A3+": (329, 483)}
    stocks = [(n, g) for n in ("Offset", "Matt", "Gloss", "Recycled") for g in (80, 115, 135, 250)]
    for i, (name, gsm) in enumerate(stocks):
        for j, (shape, (wide, high)) in enumerate(formats.items()):
            papers.append(
                {
                    "paper_code": f"P{i * 4 + j + 101}",
                    "paper": name,
                    "gsm": gsm,
                    "format": shape,
                    "width_mm": wide,
                    "height_mm": high,
                    "kg_per_1000": f"{gsm * wide * high / 1e6:.2f}",
                    "price_per_1000": c2(r.randrange(1800, 24000, 10)),
                }
            )
    customers = [(f"C{1000 + 13 * i}", f"{r.choice(SURNAMES)} & {r.choice(SURNAMES)} {i}") for i in range(90)]
    setups = {"1/0": 2500, "1/1": 4000, "4/0": 6500, "4/4": 9800}
    for i in range(1900):
        got = date(2023, 1, 2) + timedelta(days=i // 3)
        paper = r.choice(papers)
        customer = r.choice(customers)
        colours = r.choice(list(setups))
        copies = r.choice([100, 250, 300, 500, 750, 1000, 2500, 5000]) + r.choice([0, 0, 0, 20, 35])
        ups = r.choice([2, 4, 6, 8, 16])
        sheets = math.ceil(copies / ups)
        waste = r.randint(20, 60) + sheets // 25
        used = sheets + waste
        paper_cost = round(used * round(100 * float(paper["price_per_1000"])) / 1000)
        finishing = r.choice(["none", "none", "fold", "stitch", "lamination"])
        fee = None if finishing == "none" else r.randrange(1500, 14000, 50)
        net = paper_cost + setups[colours] + (fee or 0)
        stage = r.choice([1, 2, 3, 3, 3, 3, 3])
        approved = got + timedelta(days=r.randint(0, 6)) if stage > 0 and r.random() < 0.97 else None
        printed = approved + timedelta(days=r.randint(0, 7)) if approved and stage > 1 else None
        shipped = printed + timedelta(days=r.randint(0, 4)) if printed and stage > 2 else None
        jobs.append(
            {
                "job_no": f"J{got:%y}-{i + 1:05}",
                "customer_no": customer[0],
                "customer": customer[1],
                "ordered_on": got,
                "paper_code": paper["paper_code"],
                "colours": colours,
                "copies": copies,
                "per_sheet": ups,
                "sheets": sheets,
                "waste": waste,
                "sheets_total": used,
                "setup_fee": c2(setups[colours]),
                "paper_cost": c2(paper_cost),
                "finishing": finishing,
                "finishing_fee": c2(fee),
                "net": c2(net),
                "vat": c2(round(net * 0.19)),
                "gross": c2(net + round(net * 0.19)),
                "approved_on": approved,
                "printed_on": printed,
                "shipped_on": shipped,
                "status": "shipped" if shipped else "printed" if printed else "approved" if approved else "proof",
            }
        )
    return {"papers": columns_of(papers), "jobs": columns_of(jobs)}


def plumbing(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Plumbers on call: engineers by grade, calls by zone, paid by the quarter of an hour that was begun."""
    engineers, calls = [], []
    rates = {"junior": 4800, "senior": 6400, "master": 8200}
    fees = {"A": 1900, "B": 2900, "C": 4500}
    zones = {f"{48100 + 7 * i}": r.choice("ABC") for i in range(40)}
    for i in range(26):
        trade = r.choice(["water", "heating", "gas"])
        grade = r.choice(list(rates))
        hired = day(r, 4000, date(2009, 5, 1))
        engineers.append(
            {
                "EngineerID": 11 + i,
                "Name": f"{r.choice(SURNAMES)}, {r.choice('ABCDEFGHJ')}.",
                "Van": f"AH-P {300 + 3 * i}",
                "Trade": trade,
                "Grade": grade,
                "HourlyRate": c2(rates[grade]),
                "HiredOn": hired,
                "GasCardUntil": hired + timedelta(days=r.randint(5500, 7000)) if trade == "gas" else None,
            }
        )
    for i in range(2700):
        engineer = r.choice(engineers)
        zip_code = r.choice(list(zones))
        called = at(date(2023, 1, 2) + timedelta(days=i // 4), r, 0, 1439)
        came = called + timedelta(minutes=r.randint(12, 900))
        gone = came + timedelta(minutes=r.randint(9, 260))
        minutes = int((gone - came).total_seconds()) // 60
        quarters = math.ceil(minutes / 15)
        per_hour = rates[engineer["Grade"]]
        warranty = r.choice(calls[:-8])["CallNo"] if i > 60 and r.random() < 0.06 else None
        labour = 0 if warranty else quarters * per_hour // 4
        parts = r.randrange(300, 60000) if r.random() < 0.55 else None
        night = called.hour < 6 or called.hour >= 20
        extra = 6000 if night else None
        way = fees[zones[zip_code]]
        net = labour + (parts or 0) + (extra or 0) + way
        vat_rate = r.choice([19, 19, 7])
        vat = round(net * vat_rate / 100)
        paid = gone.date() + timedelta(days=r.randint(1, 40)) if r.random() < 0.9 else None
        calls.append(
            {
                "CallNo": 70001 + i,
                "CalledAt": called,
                "Zip": zip_code,
                "Zone": zones[zip_code],
                "TravelFee": c2(way),
                "EngineerID": engineer["EngineerID"],
                "ArrivedAt": came,
                "LeftAt": gone,
                "Minutes": minutes,
                "Quarters": quarters,
                "HourlyRate": c2(per_hour),
                "WarrantyOf": warranty,
                "Labour": c2(labour),
                "Parts": c2(parts),
                "Night": "Y" if night else "N",
                "NightFee": c2(extra),
                "Net": c2(net),
                "VatRate": vat_rate,
                "Vat": c2(vat),
                "Total": c2(net + vat),
                "PaidOn": paid,
                "PaidBy": r.choice(["card", "cash", "transfer"]) if paid else None,
            }
        )
    return {"Engineers": columns_of(engineers), "Calls": columns_of(calls)}


def fishfarm(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A fish farm: cages in the sea, weekly samples of weight, lice and feed."""
    cages, samples = [], []
    sites = {"SK": "Skarvika", "LA": "Langnes", "BO": "Botn"}
    for i in range(24):
        site = r.choice(list(sites))
        wide, deep = r.choice([30, 40, 50]), r.choice([12, 15, 20, 25])
        put = day(r, 300, date(2022, 4, 1))
        smolts = r.randrange(60000, 160000)
        weeks = r.randint(40, 62)
        volume = round(math.pi * (wide / 2) ** 2 * deep)
        cage = f"{site}-{i + 1:02}"
        dead_all, weight, number = 0, r.uniform(80, 140), i
        for w in range(1, weeks + 1):
            taken = put + timedelta(days=7 * w + r.choice([-1, 0, 0, 0, 1]))
            dead = r.randrange(0, 260)
            dead_all += dead
            weight *= r.uniform(1.03, 1.09)
            alive = smolts - dead_all
            mean = round(weight)
            biomass = round(alive * mean / 1000)
            low, high = round(mean * r.uniform(0.6, 0.95)), round(mean * r.uniform(1.05, 1.5))
            checked = r.choice([10, 20, 20, 25])
            lice = r.choice([0, 0, 1, 2, 3, 5, 8, 12, 14])
            treated = lice / checked >= 0.5
            samples.append(
                {
                    "sample_no": 9000 + len(samples) * 3 + r.randint(0, 2),
                    "cage": cage,
                    "site": site,
                    "sampled_on": taken,
                    "week": f"{taken.isocalendar()[0]}-W{taken.isocalendar()[1]:02}",
                    "days_at_sea": (taken - put).days,
                    "dead": dead,
                    "dead_total": dead_all,
                    "alive": alive,
                    "min_g": low,
                    "mean_g": mean,
                    "max_g": high,
                    "biomass_kg": biomass,
                    "density": f"{biomass / volume:.2f}",
                    "feed_kg": round(biomass * r.uniform(0.05, 0.09)),
                    "temp_c": round(r.uniform(3, 15), 1),
                    "checked": checked,
                    "lice": lice,
                    "lice_per_fish": f"{lice / checked:.2f}",
                    "treated": int(treated),
                    "treatment": r.choice(["bath", "feed", "wrasse"]) if treated else None,
                }
            )
        out = taken + timedelta(days=r.randint(2, 20)) if number % 3 else None
        cages.append(
            {
                "cage": cage,
                "site": site,
                "site_name": sites[site],
                "diameter_m": wide,
                "depth_m": deep,
                "volume_m3": volume,
                "stocked_on": put,
                "smolts": smolts,
                "harvested_on": out,
                "harvest_kg": round(alive * mean / 1000 * 0.97) if out else None,
                "samples": weeks,
            }
        )
    return {"cages": columns_of(cages), "samples": columns_of(samples)}


def skischool(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A ski school: courses with prices and ages, bookings with helmets, lunches, deposits and refunds."""
    courses, bookings = [], []
    points = {"ski": "Lift Nord", "snowboard": "Halfpipe", "cross-country": "Loipenhaus"}
    for discipline, point in points.items():
        for level in ("beginner", "blue", "red"):
            for length in (1, 3, 5):
                price = length * r.randrange(4500, 7000, 100)
                least = r.choice([4, 6, 8])
                courses.append(
                    {
                        "code": f"{discipline[:2].upper()}-{level[:2].upper()}{length}",
                        "discipline": discipline,
                        "level": level,
                        "days": length,
                        "price": c2(price),
                        "price_per_day": c2(price // length),
                        "min_age": least,
                        "max_age": least + r.choice([6, 8, 60]),
                        "meeting_point": point,
                    }
                )
    for i in range(2300):
        course = r.choice(courses)
        starts = date(2023, 12, 11) + timedelta(days=r.randrange(95))
        ends = starts + timedelta(days=course["days"] - 1)
        booked = starts - timedelta(days=r.choice([0, 1, 2, 5, 20, 60, 90]))
        age = r.randint(course["min_age"], course["max_age"])
        born = date(starts.year - age, starts.month, min(starts.day, 28)) - timedelta(days=r.randrange(330))
        age = starts.year - born.year - ((starts.month, starts.day) < (born.month, born.day))
        helmet = r.random() < 0.4
        lunches = r.choice([0, 0, course["days"], course["days"]])
        price = round(100 * float(course["price"]))
        discount = round(price * 0.1) if r.random() < 0.15 else 0
        total = price - discount + (800 * course["days"] if helmet else 0) + 1450 * lunches
        deposit = round(total * 0.3)
        gone = booked + timedelta(days=r.randint(0, (starts - booked).days)) if r.random() < 0.08 else None
        early = gone and (starts - gone).days > 7
        paid = deposit if gone else r.choice([deposit, total, total])
        bookings.append(
            {
                "booking": f"{booked:%Y%m%d}-{i:04}",
                "booked_on": booked,
                "course": course["code"],
                "discipline": course["discipline"],
                "pupil": f"{r.choice(SURNAMES)} {r.choice('ABCDEFGHJKLMN')}.",
                "born": born,
                "age": age,
                "starts_on": starts,
                "ends_on": ends,
                "days": course["days"],
                "price": course["price"],
                "sibling_discount": c2(discount),
                "helmet": "yes" if helmet else "no",
                "helmet_fee": c2(800 * course["days"] if helmet else 0),
                "lunches": lunches,
                "lunch_fee": c2(1450 * lunches),
                "total": c2(total),
                "deposit": c2(deposit),
                "paid": c2(paid),
                "open": c2(total - paid),
                "cancelled_on": gone,
                "refund": c2(deposit if early else 0) if gone else None,
            }
        )
    return {"courses": columns_of(courses), "bookings": columns_of(bookings)}


def radio(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A radio station: tracks with their codes, and what was played when, by whom, and what it costs."""
    tracks, plays = [], []
    labels = {f"LC{3000 + 137 * i:05}": f"{r.choice(SURNAMES)} Records {i}" for i in range(25)}
    artists = [f"{r.choice(['The', 'Los', 'DJ'])} {r.choice(SURNAMES)}s {i}" for i in range(160)]
    for i in range(520):
        year = r.randint(1992, 2023)
        land = r.choice(["DE", "GB", "US", "SE"])
        code = r.choice(list(labels))
        length = r.randint(121, 420)
        registrant = f"{land}{r.choice('ABCDEFGH')}{r.choice('KLMNP')}{r.randint(0, 9)}"
        tracks.append(
            {
                "isrc": f"{registrant}{year % 100:02}{10000 + i:05}",
                "country": land,
                "title": f"{r.choice(['Blue', 'Night', 'Home', 'Run', 'Rain'])} {r.choice(['Song', 'Love'])} {i}",
                "artist": r.choice(artists),
                "released": year,
                "label_code": code,
                "label": labels[code],
                "seconds": length,
                "length": f"{length // 60}:{length % 60:02}",
            }
        )
    shows = {"Dawn": (5, 9), "Desk": (9, 13), "Lunch": (13, 15), "Drive": (15, 19), "Late": (19, 24)}
    hosts = {"Dawn": "Mira", "Desk": "Jon", "Lunch": "Jon", "Drive": "Selma", "Late": "Abel"}
    slots = {"Dawn": "prime", "Desk": "day", "Lunch": "day", "Drive": "prime", "Late": "night"}
    rates = {"prime": 310, "day": 190, "night": 85}
    for i in range(3600):
        show = r.choice(list(shows))
        begins = at(date(2024, 1, 1) + timedelta(days=i // 24), r, shows[show][0] * 60, shows[show][1] * 60 - 1)
        track = r.choice(tracks)
        cut = r.random() < 0.3
        length = track["seconds"] - r.randint(5, 60) if cut else track["seconds"]
        started = math.ceil(length / 60)
        plays.append(
            {
                "play_id": 440000 + i,
                "isrc": track["isrc"],
                "title": track["title"],
                "artist": track["artist"],
                "started_at": begins,
                "ended_at": begins + timedelta(seconds=length),
                "seconds": length,
                "minutes_begun": started,
                "cut": "Y" if cut else "N",
                "cut_seconds": track["seconds"] - length if cut else None,
                "hour": begins.hour,
                "weekday": begins.isoweekday(),
                "show": show,
                "host": hosts[show],
                "slot": slots[show],
                "rate": c2(rates[slots[show]]),
                "royalty": c2(started * rates[slots[show]]),
            }
        )
    return {"tracks": columns_of(tracks), "plays": columns_of(plays)}


def catalogue(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A dealer's catalogue: a tree of categories, and articles with prices, margins, stock and successors."""
    tree, articles = [], []
    for i in range(140):
        parent = r.choice([t for t in tree if t["level"] < 4]) if i >= 8 else None
        slug = f"{r.choice(['tools', 'lamps', 'screws', 'paint', 'doors', 'pumps', 'cables'])}{i}"
        since = parent["created_on"] + timedelta(days=r.randint(0, 300)) if parent else day(r, 400, date(2015, 1, 1))
        tree.append(
            {
                "category_id": 100 + i,
                "parent_id": parent and parent["category_id"],
                "name": slug.capitalize(),
                "slug": slug,
                "level": parent["level"] + 1 if parent else 1,
                "root_id": parent["root_id"] if parent else 100 + i,
                "path": f"{parent['path']}/{slug}" if parent else slug,
                "created_on": since,
            }
        )
    counts = dict.fromkeys((t["category_id"] for t in tree), 0)
    suppliers = [(f"S{500 + 9 * i}", f"{r.choice(SURNAMES)} Handel {i}") for i in range(40)]
    rates = {"full": 20, "reduced": 10, "zero": 0}
    for i in range(2100):
        category, supplier = r.choice(tree), r.choice(suppliers)
        shelf = r.randrange(500, 60000, 5)
        off = r.choice([0, 0, 0, 5, 10, 25])
        price = round(shelf * (100 - off) / 100)
        cost = round(price * r.uniform(0.4, 0.85))
        tax = r.choice(["full", "full", "full", "reduced", "zero"])
        case = r.choice([6, 10, 12, 24])
        stock, least = r.randrange(0, 400), r.choice([10, 25, 50, 100])
        since = category["created_on"] + timedelta(days=r.randint(0, 1500))
        gone = since + timedelta(days=r.randint(100, 1400)) if r.random() < 0.18 else None
        counts[category["category_id"]] += 1
        articles.append(
            {
                "article_no": f"{4000000 + 17 * i}",
                "category_id": category["category_id"],
                "category": category["name"],
                "supplier_no": supplier[0],
                "supplier": supplier[1],
                "list_price": c2(shelf),
                "discount_pct": off,
                "price": c2(price),
                "cost": c2(cost),
                "margin": c2(price - cost),
                "margin_pct": f"{100 * (price - cost) / price:.1f}",
                "tax_class": tax,
                "tax_rate": rates[tax],
                "price_incl": c2(price + round(price * rates[tax] / 100)),
                "stock": stock,
                "per_case": case,
                "full_cases": stock // case,
                "reorder_at": least,
                "reorder": int(stock < least),
                "introduced_on": since,
                "discontinued_on": gone,
                "replaced_by": r.choice(articles)["article_no"] if gone and i > 50 and r.random() < 0.6 else None,
            }
        )
    for t in tree:
        t["articles"] = counts[t["category_id"]]
    return {"categories": columns_of(tree), "articles": columns_of(articles)}


def solar(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Solar roofs: systems with modules, batteries, subsidies and tariffs, and what they yield by the month."""
    systems, yields = [], []
    inverters = {"SunX 5": 5.0, "SunX 8": 8.0, "SunX 10": 10.0, "Helio 15": 15.0, "Helio 25": 25.0}
    towns = {f"{48600 + 11 * i}": name for i, name in enumerate(_TOWNS)}
    for i in range(210):
        done = day(r, 900, date(2020, 6, 1))
        live = done + timedelta(days=r.randint(0, 60))
        modules, watts = r.randint(10, 64), r.choice([330, 375, 400, 425])
        peak = modules * watts
        inverter = r.choice(list(inverters))
        zip_code = r.choice(list(towns))
        battery = r.choice([5.0, 7.5, 10.0]) if r.random() < 0.45 else None
        price = peak * r.randint(120, 160) + (int(battery * 70000) if battery else 0)
        share = r.choice([0, 0, 10, 15])
        grant = round(price * share / 100)
        tariff = 820 if peak <= 10000 else 710
        key = f"PV{live:%Y}{i:04}"
        system = {
            "system": key,
            "zip": zip_code,
            "town": towns[zip_code],
            "installed_on": done,
            "commissioned_on": live,
            "warranty_until": live.replace(year=live.year + 10, day=min(live.day, 28) if live.month == 2 else live.day),
            "modules": modules,
            "module_wp": watts,
            "kwp": f"{peak / 1000:.3f}",
            "inverter": inverter,
            "inverter_kw": inverters[inverter],
            "has_battery": "t" if battery else "f",
            "battery_kwh": battery,
            "price": c2(price),
            "price_per_kwp": c2(round(price * 1000 / peak)),
            "subsidy_pct": share,
            "subsidy": c2(grant),
            "to_pay": c2(price - grant),
            "tariff_ct": f"{tariff / 100:.2f}",
            "smart_meter": "t" if peak > 7000 else "f",
        }
        systems.append(system)
        first = date(live.year + live.month // 12, live.month % 12 + 1, 1)
        for m in range(r.randint(6, 18)):
            month = date(first.year + (first.month - 1 + m) // 12, (first.month - 1 + m) % 12 + 1, 1)
            following = date(month.year + month.month // 12, month.month % 12 + 1, 1)
            length = (following - month).days
            made = round(peak / 1000 * r.uniform(15, 140))
            used = round(made * r.uniform(0.1, 0.7))
            yields.append(
                {
                    "system": key,
                    "month": month,
                    "days": length,
                    "kwh": made,
                    "self_used": used,
                    "fed_in": made - used,
                    "self_use_pct": f"{100 * used / made:.1f}",
                    "kwh_per_day": f"{made / length:.1f}",
                    "kwh_per_kwp": f"{1000 * made / peak:.1f}",
                    "paid_eur": c2(round((made - used) * tariff / 100)),
                }
            )
    return {"systems": columns_of(systems), "yields": columns_of(yields)}


CRAFTS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "printshop": printshop,
    "plumbing": plumbing,
    "fishfarm": fishfarm,
    "skischool": skischool,
    "radio": radio,
    "catalogue": catalogue,
    "solar": solar,
}
