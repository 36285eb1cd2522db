"""Three further made-up businesses, whose rules known_further has: a gym, a pharmacy, a vineyard."""

import random
from datetime import datetime, timedelta

from benchmarks.rules_lists.made_up import Columns, add, day_of, moment_of, named


def gym(rng: random.Random) -> dict[str, Columns]:
    """A gym: tariffs, members who recruit each other, contracts, check-ins, monthly fees."""
    tariffs: Columns = named("tariff_code tariff_name monthly_fee_cents minimum_months includes_sauna")
    for code, name, fee, months in (("B1", "Basic", 1990, 1), ("B12", "Basic year", 1490, 12), ("P1", "Plus", 2990, 1)):
        add(tariffs, (code, name, fee, months, rng.choice([True, False])))
    for code, name, fee, months in (
        ("P12", "Plus year", 2490, 12),
        ("S6", "Student", 1290, 6),
        ("C24", "Company", 990, 24),
    ):
        add(tariffs, (code, name, fee, months, rng.choice([True, False])))
    members: Columns = named(
        "member_no card_no surname forename email born_on joined_at left_on leave_reason recruited_by"
    )
    for i in range(800):
        joined = moment_of(rng, day_of(rng, 30), 700)
        left = (joined + timedelta(days=rng.randint(30, 500))).date() if rng.random() < 0.25 else None
        names = (rng.choice(["Adam", "Bell", "Cole", "Dunn", "Ely"]), rng.choice(["Ava", "Ben", "Cal", "Dot", "Eve"]))
        mail, card = f"{names[1].lower()}{i}@mail.example", f"{rng.randrange(10**8):08}"
        born = day_of(rng, 12_000) - timedelta(days=19_000)
        reason = rng.choice(["moved", "price", "injury"]) if left else None
        by = 5000 + rng.randrange(i) if i > 20 and rng.random() < 0.4 else None
        add(members, (5000 + i, card, *names, mail, born, joined, left, reason, by))
    contracts: Columns = named(
        "contract_id member_no tariff_code starts_on ends_on monthly_fee_cents discount_cents pays_cents"
    )
    fees: Columns = named("contract_id month_no due_on amount_cents paid_on method failed_reason")
    for i in range(800):
        which = rng.randrange(6)
        starts = members["joined_at"][i].date() + timedelta(days=rng.randint(0, 20))  # type: ignore[attr-defined]
        months, fee = tariffs["minimum_months"][which], tariffs["monthly_fee_cents"][which]
        discount = rng.choice([0, 0, 0, 200, 500])
        ends = starts + timedelta(days=30 * months)  # type: ignore[operator]
        add(
            contracts,
            (f"K{i:05}", 5000 + i, tariffs["tariff_code"][which], starts, ends, fee, discount, fee - discount),
        )  # type: ignore[operator]
        for month in range(1, rng.randint(2, 9)):
            due = starts + timedelta(days=30 * (month - 1))
            method = rng.choice(["debit", "debit", "cash"])
            paid = due + timedelta(days=rng.randint(0, 12)) if rng.random() < 0.92 else None
            failed = rng.choice(["no money", "closed"]) if paid is None else None
            add(fees, (f"K{i:05}", month, due, fee - discount, paid, method if paid else None, failed))  # type: ignore[operator]
    visits: Columns = named("visit_id member_no came_at left_at minutes locker area")
    for i in range(7000):
        which = rng.randrange(800)
        came = moment_of(rng, members["joined_at"][which].date(), 300)  # type: ignore[attr-defined]
        minutes = rng.randint(5, 190)
        area = rng.choice(["weights", "course", "pool"])
        add(visits, (i + 1, 5000 + which, came, came + timedelta(minutes=minutes), minutes, rng.randint(1, 240), area))
    return {"tariffs": tariffs, "members": members, "contracts": contracts, "fees": fees, "visits": visits}


def pharmacy(rng: random.Random) -> dict[str, Columns]:
    """A pharmacy: drugs by number, batches with best-before days, prescriptions, what is handed out."""
    substances = {f"N{i:02}": rng.choice(["heart", "pain", "skin", "lungs"]) for i in range(22)}
    drugs: Columns = named(
        "pzn product strength_mg form atc_code field pack_size price tax price_net needs_prescription"
    )
    for i in range(260):
        atc, net = rng.choice(sorted(substances)), rng.randrange(200, 9000)
        tax = (19 * net + 50) // 100
        name = (
            f"{rng.randrange(10**8):08}",
            f"remedy {i}",
            rng.choice([5, 10, 20, 50, 100]),
            rng.choice(["tablet", "drops"]),
        )
        money = ((net + tax) / 100, tax / 100, net / 100)
        add(drugs, (*name, atc, substances[atc], rng.choice([10, 20, 50, 100]), *money, rng.choice(["yes", "no"])))
    batches: Columns = named("pzn batch received_on best_before received_packs left_packs sold_packs shelf")
    for pzn in drugs["pzn"]:
        shelf = f"R{rng.randint(1, 12):02}-{rng.randint(1, 6)}"
        for batch in range(rng.randint(1, 4)):
            received = day_of(rng, 500)
            packs = rng.randint(5, 80)
            left = rng.randint(0, packs)
            best = received + timedelta(days=rng.randint(200, 1200))
            add(
                batches,
                (pzn, f"{chr(65 + batch)}{rng.randrange(1000):03}", received, best, packs, left, packs - left, shelf),
            )
    scripts: Columns = named("script_no patient_no doctor_no insurer issued_on valid_until redeemed_at status")
    items: Columns = named("script_no position pzn packs unit_price insured_share copay total")
    doctors = {f"{rng.randrange(10**9):09}": None for _ in range(60)}
    for i in range(1800):
        issued = day_of(rng, 600)
        state = rng.choices(["redeemed", "open", "lapsed"], [7, 1, 2])[0]
        redeemed = None
        if state == "redeemed":
            moment = datetime.combine(issued, datetime.min.time()) + timedelta(days=rng.randint(0, 27))
            redeemed = moment + timedelta(minutes=rng.randint(480, 1100))
        who = (f"P{rng.randrange(700):05}", rng.choice(list(doctors)), rng.choice(["AOK", "TK", "BARMER", "private"]))
        add(scripts, (880_000 + i, *who, issued, issued + timedelta(days=28), redeemed, state))
        for position, which in enumerate(rng.sample(range(260), rng.randint(1, 3)), 1):
            packs, price = rng.randint(1, 3), round(100 * drugs["price"][which])  # type: ignore[operator]
            copay = 0 if who[2] == "private" else min(500, packs * price)
            money = (packs * price - copay, copay, packs * price)
            row = (880_000 + i, position, drugs["pzn"][which], packs, price / 100, *(m / 100 for m in money))
            add(items, row)
    return {"drugs": drugs, "batches": batches, "scripts": scripts, "script_items": items}


def vineyard(rng: random.Random) -> dict[str, Columns]:
    """A vineyard: plots, pickings by day, tanks, bottlings of wines; few rows, many dates."""
    plots: Columns = named("plot slope village grape planted_year area_ha vines")
    villages = {"south": "Au", "west": "Berg", "east": "Cell"}
    for i in range(46):
        slope = rng.choice(sorted(villages))
        area = rng.randrange(20, 300)
        row = (f"{slope[0].upper()}{i:02}", slope, villages[slope], rng.choice(["Riesling", "Pinot", "Silvaner"]))
        add(plots, (*row, rng.randint(1968, 2016), area / 100, 50 * area))
    pickings: Columns = named("plot picked_on begun_at ended_at pickers crates kg_per_crate kg oechsle grape quality")
    for season in range(2015, 2024):
        for which in range(46):
            for _ in range(rng.randint(0, 2)):
                begun = datetime(season, 9, 1, 7) + timedelta(days=rng.randrange(45), minutes=rng.randrange(120))  # noqa: DTZ001
                ended = begun + timedelta(minutes=rng.randint(90, 500))
                crates, each, sugar = rng.randint(8, 90), rng.choice([18, 20, 22]), rng.randint(62, 110)
                quality = "table" if sugar < 70 else "cabinet" if sugar < 82 else "late"
                row = (
                    plots["plot"][which],
                    begun.date(),
                    begun,
                    ended,
                    rng.randint(2, 14),
                    crates,
                    each,
                    crates * each,
                )
                add(pickings, (*row, sugar, plots["grape"][which], quality))
    wines: Columns = named(
        "wine_id vintage grape label bottled_on released_on bottles litres price_eur sold_out sold_out_on"
    )
    for season in range(2015, 2024):
        for grape in ("Riesling", "Pinot", "Silvaner"):
            bottles = rng.randrange(800, 9000)
            bottled = day_of(rng, 80).replace(year=season + 1)
            released = bottled + timedelta(days=rng.randint(10, 200))
            out = released + timedelta(days=rng.randint(50, 900)) if season < 2021 and rng.random() < 0.7 else None
            made = (f"{season % 100}{grape[0]}", season, grape, f"{season} {grape}", bottled, released, bottles)
            add(wines, (*made, bottles * 0.75, rng.randrange(700, 2900) / 100, "yes" if out else "no", out))
    return {"plots": plots, "pickings": pickings, "wines": wines}
