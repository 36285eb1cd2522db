"""Made-up businesses as exports: bicycles for hire, translations, brokerage, a herd, travel claims, a museum.

Each was written with the list of what it lives by (known_desks) before it was run.
"""

import math
import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.files_made_up import Columns, at, c2, day, us
from benchmarks.rules_lists.yards_made_up import columns_of

SURNAMES = [
    "Amin",
    "Bauer",
    "Costa",
    "Dahl",
    "Evans",
    "Fuchs",
    "Gomez",
    "Haas",
    "Ivanov",
    "Jensen",
    "Klein",
    "Lopez",
    "Meyer",
    "Novak",
    "Olsen",
    "Patel",
    "Reyes",
    "Sato",
    "Weber",
    "Young",
]


def de(when: date | None) -> str | None:
    return when and when.strftime("%d.%m.%Y")


def bikes(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Bicycles for hire: stations, members with passes, trips that cost something from half an hour on."""
    stations, members, trips = [], [], []
    for i in range(60):
        docks = r.choice([12, 16, 20, 24, 30])
        bikes_in = r.randint(0, docks - 2)
        broken = r.randint(0, 2)
        stations.append(
            {
                "StationID": 3000 + i * 7,
                "StationName": f"{r.choice(SURNAMES)} St & {i + 1} Av",
                "District": r.choice(["North", "South", "East", "Harbor"]),
                "Docks": docks,
                "BikesAvailable": bikes_in,
                "OutOfService": broken,
                "DocksFree": docks - bikes_in - broken,
                "OccupancyPct": round(100 * bikes_in / docks),
                "Lat": round(40 + r.random(), 6),
                "Lon": round(-73 - r.random(), 6),
                "InstalledOn": us(day(r, 1200, date(2017, 3, 1))),
            }
        )
    for i in range(600):
        kind = r.choice(["Day", "Month", "Annual", "Annual"])
        since = day(r, 600, date(2021, 1, 1))
        length = {"Day": 1, "Month": 30, "Annual": 365}[kind]
        renewed = kind == "Annual" and r.random() < 0.4
        members.append(
            {
                "MemberNo": f"M{since:%y}{i:05}",
                "JoinDate": us(since),
                "PassType": kind,
                "PassPrice": {"Day": 1500, "Month": 3500, "Annual": 18900}[kind],
                "ValidDays": length,
                "ValidUntil": us(since + timedelta(days=length)),
                "BirthYear": r.randint(1945, 2004),
                "AutoRenew": "Y" if renewed else "N",
                "CardLast4": f"{r.randrange(10000):04}" if renewed or r.random() < 0.5 else None,
                "since": since,
                "length": length,
            }
        )
    for i in range(3500):
        m = r.choice(members)
        out = at(m["since"] + timedelta(days=r.randrange(m["length"])), r, 330, 1380)
        seconds = r.choice([r.randrange(130, 1800), r.randrange(130, 1800), r.randrange(1800, 9000)])
        minutes = math.ceil(seconds / 60)
        electric = r.random() < 0.35
        fee = 0 if minutes <= 30 else (minutes - 30) * (20 if electric else 10)
        unlock = 100 if electric else 0
        lost = r.random() < 0.01
        a, b = r.choice(stations), r.choice(stations)
        trips.append(
            {
                "TripID": 881000 + i,
                "MemberNo": m["MemberNo"],
                "BikeID": f"{'E' if electric else 'C'}{r.randrange(400):04}",
                "BikeType": "electric" if electric else "classic",
                "StartTime": out,
                "EndTime": None if lost else out + timedelta(seconds=seconds),
                "DurationSec": None if lost else seconds,
                "DurationMin": None if lost else minutes,
                "StartStationID": a["StationID"],
                "StartStation": a["StationName"],
                "EndStationID": None if lost else b["StationID"],
                "EndStation": None if lost else b["StationName"],
                "RoundTrip": None if lost else int(a is b),
                "UnlockFee": unlock,
                "UsageFee": None if lost else fee,
                "LostFee": 25000 if lost else None,
                "Total": unlock + (25000 if lost else fee),
                "RiderAge": out.year - m["BirthYear"],
                "TripStatus": "lost" if lost else "completed",
            }
        )
    for m in members:
        del m["since"], m["length"]
    return {"Stations": columns_of(stations), "Members": columns_of(members), "Trips": columns_of(trips)}


def translations(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """An agency for translations: projects of many jobs, rates by word, minimum fees, rush surcharges, margins."""
    people, projects, jobs = [], [], []
    tongues = {"de": "German", "en": "English", "fr": "French", "it": "Italian", "pl": "Polish"}
    for i in range(45):
        src, tgt = r.sample(list(tongues), 2)
        name = f"{r.choice('ABCDEFGHJKLM')}. {r.choice(SURNAMES)}"
        people.append(
            {
                "Kuerzel": f"{name[0]}{name[3:5].upper()}{i:02}",
                "Name": name,
                "Quelle": src,
                "Ziel": tgt,
                "Wortpreis": r.choice([0.07, 0.08, 0.09, 0.11]),
                "Mindestpreis": r.choice([25, 30, 35]),
                "Vereidigt": r.choice(["ja", "nein"]),
                "Seit": de(day(r, 3000, date(2012, 1, 1))),
            }
        )
    number = 0
    for i in range(380):
        got = date(2023, 1, 2) + timedelta(days=int(i * 1.5))
        key = f"{got:%Y}-{i + 1:04}"
        rush = r.random() < 0.2
        words_all, cost, price, last, count = 0, 0, 0, got, 0
        for _ in range(r.randint(1, 5)):
            p = r.choice(people)
            number += 1
            count += 1
            repeats = r.randrange(0, 800)
            new = r.randrange(50, 4000)
            amount = round(new * round(100 * p["Wortpreis"]) + repeats * round(100 * p["Wortpreis"]) * 0.3)
            due = max(amount, p["Mindestpreis"] * 100)
            deadline = got + timedelta(days=r.randint(1, 12))
            back = (
                deadline - timedelta(days=r.choice([0, 0, 0, 1, 2]))
                if r.random() < 0.9
                else deadline + timedelta(days=r.randint(1, 4))
            )
            back = max(back, got)
            last = max(last, back)
            jobs.append(
                {
                    "Auftrag": number,
                    "Projekt": key,
                    "Uebersetzer": p["Kuerzel"],
                    "Quelle": p["Quelle"],
                    "Ziel": p["Ziel"],
                    "Sprachpaar": f"{p['Quelle']}-{p['Ziel']}",
                    "Neu": new,
                    "Wiederholt": repeats,
                    "Woerter": new + repeats,
                    "Wortpreis": p["Wortpreis"],
                    "Betrag": c2(amount),
                    "Honorar": c2(due),
                    "Mindestpreis_gilt": "ja" if due > amount else "nein",
                    "Vergeben": de(got),
                    "Termin": de(deadline),
                    "Geliefert": de(back),
                    "Tage_daneben": abs((deadline - back).days),
                    "Puenktlich": "ja" if back <= deadline else "nein",
                }
            )
            words_all += new + repeats
            cost += due
            price += round(due * r.uniform(1.4, 1.9))
        surcharge = round(price * 0.25) if rush else None
        total = price + (surcharge or 0)
        given = last + timedelta(days=r.randint(0, 2))
        bill = given + timedelta(days=r.randint(0, 9)) if r.random() < 0.92 else None
        projects.append(
            {
                "Projekt": key,
                "Jahr": got.year,
                "Monat": got.month,
                "Eingang": de(got),
                "Kunde": f"K{r.randint(1, 40):03}",
                "Eilig": "ja" if rush else "nein",
                "Auftraege": count,
                "Woerter": words_all,
                "Kosten": c2(cost),
                "Preis": c2(price),
                "Eilzuschlag": c2(surcharge),
                "Netto": c2(total),
                "Deckung": c2(total - cost),
                "Marge": round(100 * (total - cost) / total, 1),
                "MwSt": c2(round(total * 0.19)),
                "Brutto": c2(total + round(total * 0.19)),
                "Lieferung": de(given),
                "Rechnung": f"RE{bill:%y%m}-{i:03}" if bill else None,
                "Rechnungsdatum": de(bill),
                "Zahlbar_bis": de(bill + timedelta(days=30)) if bill else None,
            }
        )
    return {"uebersetzer": columns_of(people), "projekte": columns_of(projects), "auftraege": columns_of(jobs)}


def brokerage(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A broker: papers, orders with limits, fees by size, what is settled two days on."""
    papers, trades = [], []
    for i in range(70):
        s = "".join(r.choices("ABCDEFGHIKLMNOPRSTUVW", k=r.choice([3, 4])))
        land = r.choice(["US", "DE", "CH"])
        high = r.randrange(2000, 60000)
        low = round(high * r.uniform(0.4, 0.9))
        last = r.randint(low, high)
        before = r.randint(low, high)
        papers.append(
            {
                "isin": f"{land}{r.randrange(10**9, 10**10)}",
                "symbol": f"{s}{i % 10}",
                "name": f"{r.choice(SURNAMES)} {r.choice(['Corp', 'AG', 'Holding'])} {i}",
                "country": land,
                "ccy": {"US": "USD", "DE": "EUR", "CH": "CHF"}[land],
                "high52": c2(high),
                "low52": c2(low),
                "prev_close": c2(before),
                "last": c2(last),
                "chg": c2(last - before),
                "chg_pct": f"{100 * (last - before) / before:.2f}",
                "lot": r.choice([1, 1, 10]),
                "shares_m": r.randrange(10, 9000),
            }
        )
        papers[-1]["mcap_m"] = f"{papers[-1]['shares_m'] * last / 100:.2f}"
    for i in range(2600):
        p = r.choice(papers)
        ordered = at(day(r, 360, date(2023, 1, 2)), r, 540, 1040)
        qty = p["lot"] * r.choice([1, 5, 10, 25, 100, 200])
        limit = r.randrange(2000, 60000) if r.random() < 0.5 else None
        side = r.choice(["B", "S"])
        state = r.choice(["filled", "filled", "filled", "filled", "cancelled", "rejected"])
        filled = state == "filled"
        price = (
            None
            if not filled
            else r.randint(1900, 60000)
            if limit is None
            else round(limit * (r.uniform(0.97, 1) if side == "B" else r.uniform(1, 1.03)))
        )
        if filled and limit:
            price = min(price, limit) if side == "B" else max(price, limit)
        gross = qty * price if filled else None
        fee = None if gross is None else 0 if gross >= 1000000 else 490
        duty = None if gross is None or p["ccy"] != "CHF" else round(gross * 0.0015)
        net = None if gross is None else gross + fee + (duty or 0) if side == "B" else gross - fee - (duty or 0)
        done = ordered + timedelta(seconds=r.randint(1, 5000)) if filled else None
        ends = done and done.date() + timedelta(days=2)
        trades.append(
            {
                "order_id": f"{ordered:%Y%m%d}{i:06}",
                "acct": f"{r.randint(1, 120):05}",
                "isin": p["isin"],
                "ccy": p["ccy"],
                "side": side,
                "type": "limit" if limit else "market",
                "qty": qty,
                "limit_px": c2(limit),
                "ordered_at": ordered,
                "exec_at": done,
                "exec_px": c2(price),
                "gross_amt": c2(gross),
                "fee": c2(fee),
                "stamp_duty": c2(duty),
                "net_amt": c2(net),
                "cash_flow": c2(None if net is None else -net if side == "B" else net),
                "trade_date": done and done.date(),
                "value_date": ends,
                "status": state,
                "reject_code": f"R{r.randint(10, 40)}" if state == "rejected" else None,
                "slip": c2(abs(price - limit)) if filled and limit else None,
            }
        )
    return {"instruments": columns_of(papers), "orders": columns_of(trades)}


def herd(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A dairy farm: cows with dams and calvings, monthly tests of milk, treatments with waiting times."""
    cows, tests, treatments = [], [], []
    for i in range(320):
        born = day(r, 3000, date(2013, 2, 1))
        old = [c for c in cows if c["born"] < born - timedelta(days=700)]
        dam = r.choice(old) if len(old) > 3 and r.random() < 0.85 else None
        bought = None if dam else born + timedelta(days=r.randint(200, 800))
        first = born + timedelta(days=r.randint(690, 850))
        gone = first + timedelta(days=r.randint(300, 2000)) if r.random() < 0.4 else None
        n = r.randint(1, 6)
        last = first + timedelta(days=(n - 1) * r.randint(365, 420))
        cows.append(
            {
                "EAR_TAG": f"NL{r.randrange(10**8, 10**9)}",
                "COLLAR": i + 1,
                "COW_NAME": r.choice(["Bella", "Clara", "Dora", "Erna", "Gerda", "Lotte"]) + f" {i}",
                "BREED": r.choice(["HF", "HF", "JE", "BS"]),
                "BIRTH_DATE": us(born),
                "DAM": dam and dam["EAR_TAG"],
                "ORIGIN": "born" if dam else "bought",
                "PURCHASE_DATE": us(bought),
                "PURCHASE_PRICE": None if dam else r.randrange(900, 2400, 10),
                "FIRST_CALVING": us(first),
                "AGE_FIRST_CALVING_M": round((first - born).days / 30.4, 1),
                "LACTATIONS": n,
                "LAST_CALVING": us(last),
                "LEFT_HERD": us(max(gone, last)) if gone else None,
                "LEFT_REASON": r.choice(["sold", "died", "culled"]) if gone else None,
                "ACTIVE": 0 if gone else 1,
                "born": born,
                "last": last,
                "n": n,
            }
        )
    for c in cows:
        for k in range(r.randint(0, 9)):
            on = c["last"] + timedelta(days=12 + 30 * k)
            am, pm = r.randrange(80, 240), r.randrange(60, 200)
            fat, protein = r.randrange(300, 560), r.randrange(290, 410)
            cells = r.choice([r.randrange(15, 200), r.randrange(15, 200), r.randrange(200, 900)])
            tests.append(
                {
                    "EAR_TAG": c["EAR_TAG"],
                    "TEST_DATE": us(on),
                    "LACTATION": c["n"],
                    "DAYS_IN_MILK": (on - c["last"]).days,
                    "MILK_AM_KG": am / 10,
                    "MILK_PM_KG": pm / 10,
                    "MILK_KG": (am + pm) / 10,
                    "FAT_PCT": fat / 100,
                    "PROTEIN_PCT": protein / 100,
                    "FAT_KG": round((am + pm) * fat / 100000, 3),
                    "PROTEIN_KG": round((am + pm) * protein / 100000, 3),
                    "FAT_PROTEIN_RATIO": round(fat / protein, 2),
                    "CELLS_1000": cells,
                    "ALARM": "HIGH" if cells >= 200 else None,
                    "LAB_SAMPLE": f"{on:%y%j}-{c['COLLAR']:03}",
                }
            )
    drugs = {
        "Mastijet": ("udder", 4, 6),
        "Naxcel": ("hoof", 0, 71),
        "Cobactan": ("udder", 5, 2),
        "Metacam": ("fever", 5, 15),
        "Calcium": ("milk fever", 0, 0),
    }
    for i in range(520):
        c = r.choice(cows)
        on = c["last"] + timedelta(days=r.randint(1, 280))
        drug = r.choice(list(drugs))
        what, milk, meat = drugs[drug]
        doses = r.randint(1, 4)
        end = on + timedelta(days=doses - 1)
        treatments.append(
            {
                "NO": i + 1,
                "EAR_TAG": c["EAR_TAG"],
                "COLLAR": c["COLLAR"],
                "DIAGNOSIS": what,
                "DRUG": drug,
                "START_DATE": us(on),
                "DOSES": doses,
                "END_DATE": us(end),
                "MILK_WAIT_DAYS": milk,
                "MEAT_WAIT_DAYS": meat,
                "MILK_OK_FROM": us(end + timedelta(days=milk)),
                "MEAT_OK_FROM": us(end + timedelta(days=meat)),
                "QUARTER": r.choice(["FL", "FR", "RL", "RR"]) if what == "udder" else None,
                "VET": r.choice(["de Boer", "Smit", None]),
                "VET_FEE": None,
            }
        )
        treatments[-1]["VET_FEE"] = r.choice([45, 60, 85]) if treatments[-1]["VET"] else None
    for c in cows:
        del c["born"], c["last"], c["n"]
    return {"cows": columns_of(cows), "milk_tests": columns_of(tests), "treatments": columns_of(treatments)}


def claims(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Travel claims: trips with allowances by day and kilometre, receipts in currencies, approvals."""
    staff, trips, receipts = [], [], []
    centres = {"4100": "Sales", "4200": "Service", "4300": "Research", "4900": "Board"}
    for i in range(110):
        grade = r.randint(1, 5)
        cc = r.choice(list(centres))
        f, s = r.choice(["Ann", "Bob", "Cem", "Dee", "Eve", "Fay", "Gus"]), f"{r.choice(SURNAMES)}"
        staff.append(
            {
                "emp_no": f"{10000 + i * 3}",
                "full_name": f"{s}, {f}",
                "login": f"{f[0].lower()}{s.lower()}{i}",
                "cost_centre": cc,
                "department": centres[cc],
                "grade": grade,
                "daily_limit": {1: 90, 2: 90, 3: 120, 4: 150, 5: 220}[grade],
                "boss": r.choice(staff)["emp_no"] if i > 5 else None,
            }
        )
    rates = {"EUR": 10000, "USD": 9250, "GBP": 11600, "CHF": 10400}
    serial = 0
    for i in range(900):
        e = r.choice(staff)
        out = day(r, 500, date(2023, 1, 9))
        nights = r.choice([0, 0, 1, 1, 2, 3, 5])
        home = out + timedelta(days=nights)
        km = r.choice([0, 0, r.randint(20, 900)])
        allowance = 1400 if nights == 0 else 2 * 1400 + max(0, nights - 1) * 2800
        spent = nums = 0
        no = f"TR-{out:%y}-{i:04}"
        for _ in range(r.randint(0, 4)):
            serial += 1
            nums += 1
            ccy = r.choice(["EUR", "EUR", "EUR", "USD", "GBP", "CHF"])
            amount = r.randrange(300, 40000)
            local = round(amount * rates[ccy] / 10000)
            kind = r.choice(["hotel", "taxi", "train", "meal"])
            spent += local
            receipts.append(
                {
                    "receipt": serial,
                    "claim_no": no,
                    "spent_on": out + timedelta(days=r.randint(0, nights)),
                    "category": kind,
                    "gl_account": {"hotel": 6660, "taxi": 6663, "train": 6663, "meal": 6664}[kind],
                    "guests": r.randint(1, 6) if kind == "meal" else None,
                    "amount": c2(amount),
                    "currency": ccy,
                    "rate": f"{rates[ccy] / 10000:.4f}",
                    "amount_eur": c2(local),
                    "original": "scan" if amount < 25000 or ccy == "EUR" else "paper",
                }
            )
        advance = r.choice([None, None, None, 20000, 50000])
        total = allowance + km * 30 + spent
        sent = home + timedelta(days=r.randint(0, 40))
        big = total >= 100000
        ok = sent + timedelta(days=r.randint(0, 14)) if r.random() < 0.85 else None
        second = ok + timedelta(days=r.randint(0, 9)) if ok and big else None
        paid = (second or ok) + timedelta(days=r.randint(1, 7)) if ok else None
        trips.append(
            {
                "claim_no": no,
                "emp_no": e["emp_no"],
                "cost_centre": e["cost_centre"],
                "purpose": r.choice(["client", "fair", "training", None]),
                "left_on": out,
                "back_on": home,
                "nights": nights,
                "days_away": nights + 1,
                "km": km or None,
                "km_money": c2(km * 30) if km else None,
                "allowance": c2(allowance),
                "receipts": nums,
                "receipts_total": c2(spent),
                "total": c2(total),
                "advance": c2(advance),
                "to_pay": c2(total - (advance or 0)),
                "submitted_on": sent,
                "approved_on": ok,
                "approved_by": e["boss"] or "board" if ok else None,
                "second_approval_on": second,
                "paid_on": paid,
                "state": "paid" if paid else "submitted",
            }
        )
    return {"staff": columns_of(staff), "claims": columns_of(trips), "receipts": columns_of(receipts)}


def museum(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A museum: objects with accession numbers, places, makers' lives, values; loans to other houses."""
    objects, loans = [], []
    rooms = {
        "D1": ("Depot", 18.0),
        "D2": ("Depot", 16.5),
        "G1": ("Gallery", 20.0),
        "G2": ("Gallery", 20.0),
        "W": ("Workshop", 21.0),
    }
    for i in range(850):
        born = r.randint(1560, 1930)
        died = born + r.randint(28, 91)
        begin = r.randint(born + 18, died)
        end = min(died, begin + r.choice([0, 0, 0, 2, 5, 10]))
        got = day(r, 20000, date(1965, 1, 1))
        how = r.choice(["gift", "purchase", "bequest"])
        w, h = r.randrange(100, 2500) / 10, r.randrange(100, 2500) / 10
        d = r.randrange(20, 900) / 10 if r.random() < 0.3 else None
        framed = d is None and r.random() < 0.6
        place = r.choice(list(rooms))
        value = r.randrange(500, 900000, 100)
        objects.append(
            {
                "accession_no": f"{got.year}.{r.randint(1, 40)}.{i}",
                "acquired": de(got),
                "acquisition_year": got.year,
                "how_acquired": how,
                "donor": r.choice(SURNAMES) if how != "purchase" else None,
                "purchase_price": r.randrange(100, 90000, 50) if how == "purchase" else None,
                "maker_born": born,
                "maker_died": died,
                "maker_lived": died - born,
                "made_from": begin,
                "made_to": end,
                "century": end // 100 + 1,
                "height_cm": h,
                "width_cm": w,
                "depth_cm": d,
                "area_cm2": round(h * w, 1),
                "framed_height_cm": round(h + 12, 1) if framed else None,
                "framed_width_cm": round(w + 12, 1) if framed else None,
                "location": place,
                "location_type": rooms[place][0],
                "target_temp": rooms[place][1],
                "insured_value": value,
                "premium": round(value * 0.002, 2),
                "on_display": "x" if rooms[place][0] == "Gallery" else None,
            }
        )
    for i in range(240):
        o = r.choice(objects)
        asked = day(r, 4000, date(2012, 1, 1))
        agreed = asked + timedelta(days=r.randint(10, 90)) if r.random() < 0.85 else None
        begin = agreed and agreed + timedelta(days=r.randint(20, 200))
        end = begin and begin + timedelta(days=r.randint(30, 300))
        back = (end and r.random() < 0.8 and end + timedelta(days=r.randint(0, 9))) or None
        weeks = begin and math.ceil((end - begin).days / 7)
        fee = weeks and weeks * 150
        handling = fee and (400 if o["insured_value"] >= 100000 else 250)
        loans.append(
            {
                "loan_no": f"L{asked:%y}/{i:03}",
                "object": o["accession_no"],
                "borrower": f"{r.choice(['City', 'State', 'Folk'])} Museum {r.choice(['Bonn', 'Graz', 'Bern'])}",
                "requested": de(asked),
                "answered": de(agreed or asked + timedelta(days=r.randint(10, 90))),
                "answer": "yes" if agreed else "no",
                "refused_because": None if agreed else r.choice(["fragile", "needed here"]),
                "begins": de(begin),
                "ends": de(end),
                "days": end and (end - begin).days,
                "weeks": weeks,
                "fee": fee,
                "handling": handling,
                "total": fee and fee + handling,
                "insured_for": o["insured_value"] if agreed else None,
                "returned": de(back),
                "days_late": back and (back - end).days,
                "status": "refused" if not agreed else "returned" if back else "out",
            }
        )
    return {"objects": columns_of(objects), "loans": columns_of(loans)}


DESKS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "bikes": bikes,
    "translations": translations,
    "brokerage": brokerage,
    "herd": herd,
    "claims": claims,
    "museum": museum,
}
