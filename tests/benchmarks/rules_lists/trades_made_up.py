"""Made-up businesses as exports: a driving school, wind turbines, bees, a kindergarten, removals.

Each was written with the list of what it lives by (known_trades) before it was run.
"""

import math
import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES, de
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of


def drivers(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A driving school: learners with their tests, lessons by the unit of 45 minutes."""
    learners, lessons = [], []
    prices = {"standard": 5800, "motorway": 7400, "night": 7900, "city": 6200}
    teachers = {"T1": "BOR-D 11", "T2": "BOR-D 12", "T3": "BOR-D 17", "T4": "BOR-D 23"}
    for i in range(260):
        began = day(r, 600, date(2022, 3, 1))
        theory = began + timedelta(days=r.randint(30, 120)) if r.random() < 0.85 else None
        failed = r.choice([0, 0, 0, 1, 2])
        practice = theory + timedelta(days=r.randint(10, 160)) if theory and r.random() < 0.8 else None
        learners.append(
            {
                "learner_no": f"{began:%y}{i + 100:04}",
                "first_name": r.choice(FIRST),
                "last_name": r.choice(SURNAMES),
                "born_on": began - timedelta(days=r.randint(6200, 12000)),
                "class": r.choice(["B", "B", "B", "A1", "BE"]),
                "registered_on": began,
                "theory_passed_on": theory,
                "practice_tests": failed + 1 if practice else 0,
                "licence_on": practice,
                "state": "licensed" if practice else "practice" if theory else "theory",
                "days_to_licence": (practice - began).days if practice else None,
            }
        )
    for i in range(3100):
        learner, teacher = r.choice(learners), r.choice(list(teachers))
        begins = at(learner["registered_on"] + timedelta(days=r.randint(1, 240)), r, 480, 1200)
        kind = r.choice(list(prices))
        units = r.choice([1, 2, 2, 3])
        absent = r.random() < 0.04
        discount = 10 if learner["class"] == "BE" else 0
        price = prices[kind] * units
        amount = round(price * (100 - discount) / 100)
        lessons.append(
            {
                "lesson": 30000 + i,
                "learner_no": learner["learner_no"],
                "class": learner["class"],
                "teacher": teacher,
                "car": teachers[teacher],
                "begins": begins,
                "ends": begins + timedelta(minutes=45 * units),
                "units": units,
                "kind": kind,
                "unit_price": c2(prices[kind]),
                "price": c2(price),
                "discount_pct": discount,
                "amount": c2(amount),
                "km_from": (start := r.randrange(20000, 90000)),
                "km_to": None if absent else (end := start + units * r.randint(15, 45)),
                "km": None if absent else end - start,
                "absent": "yes" if absent else "no",
                "note": r.choice(["late", "ill", "no word"]) if absent else None,
            }
        )
    return {"learners": columns_of(learners), "lessons": columns_of(lessons)}


def turbines(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Wind turbines: parks and types, and what each yields by day."""
    towers, days = [], []
    kinds = {"E-82": (2300, 82), "E-101": (3050, 101), "V112": (3300, 112), "V150": (4200, 150)}
    parks = {"NOR": "Nordheide", "WES": "Westermoor", "OST": "Ostfeld"}
    for i in range(40):
        kind, park = r.choice(list(kinds)), r.choice(list(parks))
        kilowatts, rotor = kinds[kind]
        hub = r.choice([98, 108, 138, 149])
        live = day(r, 2500, date(2012, 4, 1))
        towers.append(
            {
                "turbine": f"{park}{i + 1:02}",
                "park_code": park,
                "park": parks[park],
                "type": kind,
                "rated_kw": kilowatts,
                "rotor_m": rotor,
                "hub_m": hub,
                "tip_m": hub + rotor / 2,
                "commissioned": live,
                "warranty_ends": live + timedelta(days=1826),
                "next_service": date(2024, 1, 1) + timedelta(days=r.randrange(300)),
            }
        )
        for n in range(70):
            hours = r.choice([24, 24, 24, 24, round(24 - r.uniform(0.5, 23), 1)])
            down = round(24 - hours, 1)
            mean = round(r.uniform(2, 13), 1)
            full = r.uniform(0.05, 0.9) * hours
            made = round(kilowatts * full)
            own = r.randint(20, 90)
            lost = 0 if down == 0 else round(kilowatts * 0.3 * down)
            days.append(
                {
                    "turbine": f"{park}{i + 1:02}",
                    "day": date(2023, 9, 1) + timedelta(days=n),
                    "weekday": (date(2023, 9, 1) + timedelta(days=n)).strftime("%a"),
                    "hours_on": hours,
                    "hours_down": down,
                    "fault": r.choice(["pitch", "grid", "ice"]) if down else None,
                    "alarm": int(down >= 8),
                    "wind_min": round(mean * r.uniform(0.1, 0.8), 1),
                    "wind_mean": mean,
                    "wind_max": round(mean * r.uniform(1.2, 2.2), 1),
                    "kwh": made,
                    "own_use": own,
                    "net_kwh": made - own,
                    "lost_kwh": lost,
                    "full_load_hours": f"{made / kilowatts:.2f}",
                    "capacity_pct": f"{100 * made / (kilowatts * 24):.1f}",
                    "availability_pct": f"{100 * hours / 24:.1f}",
                    "price_ct": (price := r.choice([6.8, 7.1, 7.4])),
                    "revenue": f"{(made - own) * price / 100:.2f}",
                }
            )
    return {"turbines": columns_of(towers), "days": columns_of(days)}


def bees(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A beekeeper: hives with queens, daughters of queens of other hives, harvests in jars."""
    hives, harvests = [], []
    colours = {0: "blue", 1: "white", 2: "yellow", 3: "red", 4: "green"}
    for i in range(150):
        mother = r.choice(hives) if i > 12 and r.random() < 0.7 else None
        year = mother["queen_year"] + r.randint(1, 2) if mother and mother["queen_year"] < 2022 else None
        mother = mother if year else None
        year = year or r.randint(2017, 2020)
        lost = date(year + r.randint(1, 3), r.randint(1, 3), r.randint(1, 28)) if r.random() < 0.3 else None
        hives.append(
            {
                "hive": f"H{i + 1:03}",
                "apiary": r.choice(["orchard", "forest", "heath"]),
                "frames": r.choice([10, 11, 12]),
                "queen": f"Q{year}-{i + 1:03}",
                "queen_year": year,
                "queen_colour": colours[year % 5],
                "daughter_of": mother and mother["hive"],
                "generation": mother["generation"] + 1 if mother else 0,
                "lost_on": lost,
                "lost_by": r.choice(["mites", "winter", "swarm"]) if lost else None,
                "alive": "n" if lost else "y",
            }
        )
    honeys = {"rape": 450, "lime": 690, "heather": 980}
    for i in range(800):
        hive = r.choice(hives)
        on = date(hive["queen_year"] + r.choice([0, 0, 1]), r.randint(5, 9), r.randint(1, 28))
        gross = r.randrange(4000, 30000)
        wax = r.randrange(100, 900)
        net = gross - wax
        size = r.choice([250, 500])
        honey = r.choice(list(honeys))
        jars = net // size
        harvests.append(
            {
                "harvest": 500 + i,
                "hive": hive["hive"],
                "apiary": hive["apiary"],
                "harvested_on": on,
                "year": on.year,
                "honey": honey,
                "water_pct": round(r.uniform(15, 20), 1),
                "gross_g": gross,
                "wax_g": wax,
                "net_g": net,
                "jar_g": size,
                "jars": jars,
                "left_g": net - jars * size,
                "per_frame_g": round(net / hive["frames"]),
                "jar_price": c2(honeys[honey] * size // 250),
                "value": c2(jars * honeys[honey] * size // 250),
                "batch": f"{honey[0].upper()}{on:%y%m%d}",
            }
        )
    return {"hives": columns_of(hives), "harvests": columns_of(harvests)}


def kindergarten(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A kindergarten: children in groups, and monthly bills by hours, meals and income."""
    children, bills = [], []
    fees = {25: 9500, 35: 14200, 45: 18800}
    groups = {"Ants": "Room 1", "Bears": "Room 2", "Crows": "Room 3", "Ducks": "Room 4"}
    number = 9000
    for i in range(170):
        begins = date(r.randint(2020, 2022), 8, 1)
        born = begins - timedelta(days=r.randint(700, 1500))
        leaves = date(begins.year + r.randint(1, 3), 7, 31) if r.random() < 0.5 else None
        older = r.choice(children)["child"] if i > 20 and r.random() < 0.25 else None
        group = r.choice(list(groups))
        hours = r.choice(list(fees))
        child = {
            "child": f"K{i + 1:04}",
            "first_name": r.choice(FIRST),
            "born": de(born),
            "group": group,
            "room": groups[group],
            "hours": hours,
            "begins": de(begins),
            "leaves": de(leaves),
            "sibling": older,
            "vaccinated": r.choice(["yes", "yes", "yes", "no"]),
        }
        children.append(child)
        for m in range(r.randint(3, 11)):
            month = date(begins.year + (7 + m) // 12, (7 + m) % 12 + 1, 1)
            meals = r.randint(0, 21)
            half = older is not None
            fee = fees[hours]
            cut = fee // 2 if half else None
            late = 1000 * r.randint(1, 3) if r.random() < 0.06 else None
            total = fee - (cut or 0) + 385 * meals + (late or 0)
            due = month + timedelta(days=14)
            paid = due + timedelta(days=r.randint(-9, 20)) if r.random() < 0.94 else None
            number += 1
            bills.append(
                {
                    "bill": f"{month:%Y-%m}/{number}",
                    "child": child["child"],
                    "group": group,
                    "month": de(month),
                    "hours": hours,
                    "fee": c2(fee),
                    "sibling_cut": c2(cut),
                    "meals": meals,
                    "meal_price": "3.85",
                    "meal_cost": c2(385 * meals),
                    "late_fee": c2(late),
                    "total": c2(total),
                    "due": de(due),
                    "paid": de(paid),
                    "days_late": (paid - due).days if paid else None,
                    "state": "paid" if paid else "open",
                    "reminded": "yes" if paid is None and r.random() < 0.5 else "no",
                }
            )
    return {"children": columns_of(children), "bills": columns_of(bills)}


def removals(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Removals: jobs with volume, crew, trucks, hours, surcharges by floor, deposits."""
    jobs = []
    trucks = {"S": 20, "M": 35, "L": 50}
    for i in range(1500):
        asked = date(2023, 1, 2) + timedelta(days=i // 3)
        moved = asked + timedelta(days=r.randint(7, 90))
        volume = r.randint(8, 98)
        truck = r.choice(list(trucks))
        trips = math.ceil(volume / trucks[truck])
        crew = r.choice([2, 3, 4])
        begins = at(moved, r, 420, 540)
        hours = r.randint(6, 40) / 4
        lift = r.random() < 0.4
        floor = r.randint(0, 5)
        stairs = 0 if lift or floor == 0 else floor * 4500
        km = r.randint(2, 600)
        far = 0 if km <= 50 else (km - 50) * 120
        labour = round(crew * hours * 3900)
        boxes = r.choice([0, 0, 20, 40, 60])
        box_cost = boxes * 240
        net = labour + far + stairs + box_cost
        vat = round(net * 0.19)
        deposit = round(net * 0.2) if net >= 150000 else 0
        done = r.random() < 0.9
        damage = r.random() < 0.05 and done
        jobs.append(
            {
                "job": f"R{asked:%Y%m}-{i + 1:04}",
                "asked_on": asked,
                "moving_on": moved,
                "begins": begins if done else None,
                "ends": begins + timedelta(hours=hours) if done else None,
                "hours": hours,
                "crew": crew,
                "man_hours": crew * hours,
                "volume_m3": volume,
                "truck": truck,
                "truck_m3": trucks[truck],
                "trips": trips,
                "floor": floor,
                "lift": "yes" if lift else "no",
                "stairs": c2(stairs),
                "km": km,
                "far": c2(far),
                "labour": c2(labour),
                "boxes": boxes,
                "box_cost": c2(box_cost),
                "net": c2(net),
                "vat": c2(vat),
                "gross": c2(net + vat),
                "deposit": c2(deposit),
                "damage": "yes" if damage else "no",
                "damage_report": f"D{r.randrange(10**5):05}" if damage else None,
            }
        )
    return {"jobs": columns_of(jobs)}


TRADES: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "drivers": drivers,
    "turbines": turbines,
    "bees": bees,
    "kindergarten": kindergarten,
    "removals": removals,
}
