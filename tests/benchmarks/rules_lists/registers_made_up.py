"""Made-up registers: fixed assets, weather stations, a college, building permits, a fund's unit prices.

Each was written with the list of what it lives by (known_registers) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES, de
from benchmarks.rules_lists.files_made_up import Columns, c2, day
from benchmarks.rules_lists.offices_made_up import months_on
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of


def assets(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Fixed assets and what is written off them by the month."""
    register, entries = [], []
    classes = {"IT": ("Computers", 3), "VEH": ("Vehicles", 6), "FUR": ("Furniture", 10), "MCH": ("Machines", 8)}
    for i in range(320):
        kind = r.choice(list(classes))
        name, years = classes[kind]
        bought = day(r, 1400, date(2019, 2, 1))
        live = bought + timedelta(days=r.randint(0, 40))
        cost = r.randrange(60000, 4000000, 1000)
        residual = cost // 10 if kind == "VEH" else 0
        monthly = round((cost - residual) / (12 * years))
        sold = live + timedelta(days=r.randint(400, 900)) if r.random() < 0.2 else None
        proceeds = r.randrange(1000, cost // 2) if sold else None
        register.append(
            {
                "asset_no": f"{kind}{bought:%y}-{i + 1:04}",
                "class": kind,
                "class_name": name,
                "acquired": de(bought),
                "in_service": de(live),
                "life_years": years,
                "life_months": years * 12,
                "fully_depreciated": de(months_on(live, 12 * years)),
                "cost": c2(cost),
                "residual": c2(residual),
                "depreciable": c2(cost - residual),
                "monthly_charge": c2(monthly),
                "disposed": de(sold),
                "proceeds": c2(proceeds),
                "state": "disposed" if sold else "in use",
                "cost_centre": r.choice(["4100", "4200", "4310", "4320"]),
            }
        )
        opening = cost
        for n in range(r.randint(6, 24)):
            period = months_on(live.replace(day=1), n)
            entries.append(
                {
                    "asset_no": register[-1]["asset_no"],
                    "period": f"{period:%Y%m}",
                    "posted": de(months_on(period, 1) - timedelta(days=1)),
                    "opening": c2(opening),
                    "charge": c2(monthly),
                    "closing": c2(opening - monthly),
                    "accumulated": c2(cost - opening + monthly),
                    "fiscal_year": period.year + (period.month >= 7),
                    "cost_centre": register[-1]["cost_centre"],
                    "posted_by": r.choice(["batch", "batch", "batch", "mk"]),
                }
            )
            opening -= monthly
    return {"assets": columns_of(register), "entries": columns_of(entries)}


def stations(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Weather stations, with readings every three hours in two units and quality flags."""
    places, readings = [], []
    for i in range(24):
        places.append(
            {
                "station_id": f"WX{i + 1:03}",
                "name": f"{r.choice(SURNAMES)} {r.choice(['Hill', 'Airport', 'Harbour', 'Farm'])} {i}",
                "lat": round(r.uniform(52, 58), 4),
                "lon": round(r.uniform(-4, 1), 4),
                "elevation_m": r.randint(2, 600),
                "installed": day(r, 2000, date(2012, 1, 1)),
                "logger": r.choice(["CR1000", "CR300"]),
            }
        )
        start = datetime.combine(date(2024, 2, 1), time())
        for n in range(420):
            when = start + timedelta(hours=3 * n)
            missing = r.random() < 0.03
            temp = round(r.gauss(7, 6), 1)
            dew = round(temp - abs(r.gauss(0, 3)), 1)
            wind, rain = round(abs(r.gauss(4, 3)), 1), r.choice([0, 0, 0, 0, 0.2, 0.4, 1.2, 3.6])
            readings.append(
                {
                    "station_id": places[-1]["station_id"],
                    "obs_time": when,
                    "obs_date": when.date(),
                    "hour": when.hour,
                    "temp_c": None if missing else temp,
                    "temp_f": None if missing else round(temp * 1.8 + 32, 1),
                    "dewpoint_c": None if missing else dew,
                    "spread_c": None if missing else round(temp - dew, 1),
                    "wind_ms": wind,
                    "wind_kmh": round(wind * 3.6, 1),
                    "gust_ms": round(wind * r.uniform(1.0, 1.9) + 0.1, 1),
                    "wind_dir": r.randrange(0, 360, 10) if wind > 0.5 else None,
                    "rain_mm": rain,
                    "wet": int(rain > 0),
                    "qc": "M" if missing else r.choice("GGGGS"),
                    "battery_v": round(r.uniform(11.8, 13.9), 2),
                    "record": 10000 + n,
                }
            )
    return {"stations": columns_of(places), "readings": columns_of(readings)}


def college(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A college: courses, students, and marks that are weighted, banded and passed."""
    courses, students, marks = [], [], []
    faculties = {"MAT": "Science", "PHY": "Science", "HIS": "Arts", "LAW": "Law", "ECO": "Business"}
    for i in range(70):
        subject, level = r.choice(list(faculties)), r.choice([1, 2, 3])
        points = r.choice([5, 10, 10, 15, 20])
        courses.append(
            {
                "course_code": f"{subject}{level}{i:02}",
                "subject": subject,
                "faculty": faculties[subject],
                "level": level,
                "credits": points,
                "contact_hours": points * 4,
                "fee": points * 85,
                "coursework_weight": (weight := r.choice([30, 40, 50])),
                "exam_weight": 100 - weight,
            }
        )
    for i in range(850):
        year = r.choice([2020, 2021, 2022, 2023])
        first, last = r.choice(FIRST), r.choice(SURNAMES)
        left = date(year, 10, 1) + timedelta(days=r.randint(40, 500)) if r.random() < 0.1 else None
        students.append(
            {
                "student_no": int(f"{year % 100}{i + 1:05}"),
                "initials": f"{first[0]}{last[0]}",
                "first_name": first,
                "last_name": last,
                "entry_year": year,
                "enrolled": date(year, 9, 15) + timedelta(days=r.randint(0, 20)),
                "expected_end": year + 3,
                "withdrawn": left,
                "status": "withdrawn" if left else "current",
                "home": r.choice([True, True, False]),
            }
        )
    for student in students:
        for course in r.sample(courses, r.randint(3, 9)):
            year = student["entry_year"] + course["level"] - 1
            term = r.choice(["A", "S"])
            absent = r.random() < 0.03
            work, exam = r.randint(20, 100), r.randint(15, 100)
            weight = course["coursework_weight"]
            total = 0 if absent else round((work * weight + exam * (100 - weight)) / 100)
            band = "A" if total >= 70 else "B" if total >= 60 else "C" if total >= 50 else "D" if total >= 40 else "F"
            marks.append(
                {
                    "student_no": student["student_no"],
                    "course_code": course["course_code"],
                    "academic_year": f"{year}/{(year + 1) % 100:02}",
                    "term": f"{year}{term}",
                    "level": course["level"],
                    "coursework": None if absent else work,
                    "exam": None if absent else exam,
                    "total": total,
                    "grade": band,
                    "passed": "Y" if total >= 40 else "N",
                    "credits": course["credits"],
                    "credits_earned": course["credits"] if total >= 40 else 0,
                    "absent": "Y" if absent else "N",
                    "resit_fee": 50 if total < 40 else 0,
                }
            )
    return {"courses": columns_of(courses), "students": columns_of(students), "marks": columns_of(marks)}


def permits(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A city's building permits as open data: few rows, many columns, days with slashes as texts."""
    rows = []
    wards = {1: "Okafor", 2: "Bellamy", 3: "Lindqvist", 4: "Marsh", 5: "Tan"}
    kinds = {"NEW": ("New construction", 120), "ALT": ("Alteration", 90), "DEM": ("Demolition", 60), "SGN": ("Sign", 0)}
    for i in range(640):
        kind, ward = r.choice(["NEW", "ALT", "ALT", "ALT", "DEM", "SGN"]), r.choice(list(wards))
        name, review = kinds[kind]
        applied = day(r, 900, date(2021, 1, 4))
        issued = applied + timedelta(days=r.randint(5, 200)) if r.random() < 0.85 else None
        final = issued + timedelta(days=r.randint(30, 360)) if issued and r.random() < 0.6 else None
        value = r.randrange(2000, 900000, 500)
        permit = max(5000, round(value * 0.9))
        plan = round(permit * 0.65) if kind in ("NEW", "ALT") else 0
        paid = permit + plan + 2500 if issued else 0
        old, new = (r.randint(0, 4), r.randint(1, 12)) if kind == "NEW" else (r.randint(1, 6), r.randint(1, 6))
        number = r.randint(1, 9800)
        street = f"{r.choice(['N', 'S', 'E', 'W'])} {r.choice(SURNAMES)} {r.choice(['St', 'Ave', 'Blvd'])}"
        rows.append(
            {
                "PERMIT_NUM": f"BP-{applied:%Y}-{i + 1:05}",
                "PERMIT_TYPE": kind,
                "TYPE_DESC": name,
                "REVIEW_DAYS": review,
                "APPLICATION_DATE": applied.strftime("%m/%d/%Y"),
                "ISSUE_DATE": issued and issued.strftime("%m/%d/%Y"),
                "PROCESSING_TIME": (issued - applied).days if issued else None,
                "EXPIRATION_DATE": months_on(issued, 12).strftime("%m/%d/%Y") if issued else None,
                "FINAL_DATE": final and final.strftime("%m/%d/%Y"),
                "STATUS": "FINALED" if final else "ISSUED" if issued else "IN REVIEW",
                "STREET_NUMBER": number,
                "STREET": street,
                "ADDRESS": f"{number} {street}",
                "WARD": ward,
                "ALDERMAN": wards[ward],
                "REPORTED_COST": value,
                "PERMIT_FEE": c2(permit),
                "PLAN_REVIEW_FEE": c2(plan),
                "TECH_FEE": c2(2500),
                "TOTAL_FEE": c2(permit + plan + 2500),
                "AMOUNT_PAID": c2(paid),
                "AMOUNT_DUE": c2(permit + plan + 2500 - paid),
                "UNITS_EXISTING": old,
                "UNITS_PROPOSED": new,
                "UNITS_NET": new - old,
                "CONTRACTOR": r.choice([None, *SURNAMES[:9]]),
                "YEAR": applied.year,
                "MONTH": applied.month,
            }
        )
    return {"permits": columns_of(rows)}


def fund(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A fund house: unit prices by day, and dealings in units."""
    prices, deals = [], []
    funds = {"GB00B1": ("Growth", 150), "GB00B2": ("Income", 100), "GB00B3": ("Bond", 60), "GB00B4": ("World", 75)}
    by_day: dict[tuple[str, date], int] = {}
    for code, (name, fee) in funds.items():
        nav = r.randint(80000, 300000)
        for n in range(300):
            when = date(2023, 1, 2) + timedelta(days=n)
            if when.weekday() > 4:
                continue
            before, nav = nav, round(nav * r.uniform(0.985, 1.016))
            units = r.randrange(10**6, 9 * 10**6)
            prices.append(
                {
                    "fund_code": code,
                    "fund_name": name,
                    "fee_bps": fee,
                    "price_date": when,
                    "weekday": f"{when:%A}",
                    "prev_nav": f"{before / 1000:.3f}",
                    "nav": f"{nav / 1000:.3f}",
                    "change": f"{(nav - before) / 1000:.3f}",
                    "change_pct": f"{100 * (nav - before) / before:.2f}",
                    "bid": f"{nav / 1000 - 0.5:.3f}",
                    "offer": f"{nav / 1000 + 0.5:.3f}",
                    "units": units,
                    "aum": f"{units * nav / 1000:.2f}",
                }
            )
            by_day[code, when] = nav
    for i in range(2400):
        code, when = r.choice(list(by_day))
        buy = r.random() < 0.7
        units, nav = r.randrange(10, 5000), by_day[code, when]
        gross = round(units * nav / 10)
        fee = round(gross * 0.0025) if buy else 0
        settled = when + timedelta(days=4 if when.weekday() in (1, 2, 3, 4) else 2)
        deals.append(
            {
                "deal_ref": f"D{when:%y%m%d}{i:05}",
                "fund_code": code,
                "client": f"C{r.randrange(1, 260):04}",
                "side": "BUY" if buy else "SELL",
                "deal_date": when,
                "settle_date": settled,
                "units": units,
                "signed_units": units if buy else -units,
                "price": f"{nav / 1000:.3f}",
                "consideration": c2(gross),
                "initial_charge": c2(fee),
                "net_amount": c2(gross + fee),
                "channel": r.choice(["web", "phone", "post"]),
                "advised": r.choice(["Y", "N", "N"]),
            }
        )
    return {"prices": columns_of(prices), "deals": columns_of(deals)}


REGISTERS: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "assets": assets,
    "stations": stations,
    "college": college,
    "permits": permits,
    "fund": fund,
}
