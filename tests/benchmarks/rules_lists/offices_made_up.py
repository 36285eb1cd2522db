"""Made-up businesses as exports: a web shop's platform, software by subscription, staff, a laboratory, parcels.

Each was written with the list of what it lives by (known_offices) before it was run.
"""

import calendar
import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.desks_made_up import SURNAMES
from benchmarks.rules_lists.files_made_up import Columns, at, c2, day, us, utc
from benchmarks.rules_lists.yards_made_up import FIRST, columns_of


def months_on(when: date, months: int) -> date:
    """The same day so many months on, or the month's last one."""
    year, month = divmod(when.year * 12 + when.month - 1 + months, 12)
    return date(year, month + 1, min(when.day, calendar.monthrange(year, month + 1)[1]))


def years_between(born: date, when: date) -> int:
    """Completed years: an age."""
    return when.year - born.year - ((when.month, when.day) < (born.month, born.day))


def storefront(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A shop on a platform: orders with the platform's many columns, lines with list prices and discounts."""
    products, orders, lines = [], [], []
    vendors = {"Lumen": "LUM", "Nordic Oak": "NOK", "Weaver": "WEA"}
    for i in range(140):
        vendor = r.choice(list(vendors))
        price = r.randrange(900, 24000, 50)
        was = round(price * 1.25) if r.random() < 0.3 else None
        products.append(
            {
                "Handle": f"{vendor.lower().replace(' ', '-')}-{i}",
                "SKU": f"{vendors[vendor]}-{1000 + i}",
                "Vendor": vendor,
                "Type": r.choice(["lamp", "table", "rug", "chair"]),
                "Price": c2(price),
                "Compare At Price": c2(was),
                "On Sale": "true" if was else "false",
                "Cost": c2(round(price * r.uniform(0.35, 0.6))),
                "Grams": r.randrange(200, 30000, 50),
                "_price": price,
            }
        )
    rates = {"DE": 19, "AT": 20, "FR": 20, "NL": 21}
    for i in range(3200):
        made = at(day(r, 500, date(2023, 2, 1)), r)
        country, method = r.choice(list(rates)), r.choice(["Standard", "Standard", "Express", "Pickup"])
        chosen = [r.choice(products) for _ in range(r.choice([1, 1, 2, 3]))]
        total_lines = 0
        for n, product in enumerate(chosen, 1):
            quantity, pct = r.choice([1, 1, 1, 2, 3]), r.choice([0, 0, 0, 5, 10, 15])
            gross = product["_price"] * quantity
            off = round(gross * pct / 100)
            total_lines += gross - off
            lines.append(
                {
                    "Order": f"#{5001 + i}",
                    "Line": n,
                    "Lineitem sku": product["SKU"],
                    "Lineitem quantity": quantity,
                    "Lineitem price": c2(product["_price"]),
                    "Discount percent": pct,
                    "Lineitem discount": c2(off),
                    "Lineitem total": c2(gross - off),
                    "Weight grams": product["Grams"] * quantity,
                    "Requires shipping": "false" if method == "Pickup" else "true",
                }
            )
        shipping = {"Standard": 490, "Express": 1290, "Pickup": 0}[method]
        if method == "Standard" and total_lines >= 15000:
            shipping = 0
        code = r.choice([None, None, None, "WELCOME10", "SPRING"])
        discount = {"WELCOME10": 1000, "SPRING": 500, None: 0}[code] if total_lines > 2000 else 0
        code = code if discount else None
        due = total_lines - discount + shipping
        state = r.choice(["paid", "paid", "paid", "paid", "pending", "refunded", "voided"])
        paid = made + timedelta(minutes=r.randint(1, 4000)) if state in ("paid", "refunded") else None
        sent = paid + timedelta(hours=r.randint(4, 90)) if paid and r.random() < 0.9 else None
        cancelled = made + timedelta(hours=r.randint(30, 200)) if state == "voided" else None
        refunded = due if state == "refunded" else 0
        orders.append(
            {
                "Name": f"#{5001 + i}",
                "Email": f"{r.choice(FIRST).lower()}.{r.choice(SURNAMES).lower()}{r.randrange(90)}@example.com",
                "Financial Status": state,
                "Paid at": utc(paid),
                "Fulfillment Status": "fulfilled" if sent else "unfulfilled",
                "Fulfilled at": utc(sent),
                "Currency": "EUR",
                "Subtotal": c2(total_lines),
                "Shipping": c2(shipping),
                "Tax Rate": rates[country],
                "Taxes": c2(round(due * rates[country] / (100 + rates[country]))),
                "Total": c2(due),
                "Discount Code": code,
                "Discount Amount": c2(discount),
                "Shipping Method": method,
                "Created at": utc(made),
                "Shipping Country": country,
                "Cancelled at": utc(cancelled),
                "Cancel Reason": r.choice(["customer", "fraud", "inventory"]) if cancelled else None,
                "Refunded Amount": c2(refunded),
                "Outstanding Balance": c2(due if state == "pending" else 0),
                "Id": 4_510_000_000_000 + i * 7919,
                "Tags": r.choice([None, None, "gift", "b2b"]),
            }
        )
    for product in products:
        del product["_price"]
    return {"products": columns_of(products), "orders": columns_of(orders), "lineitems": columns_of(lines)}


def software(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Software by subscription: accounts, subscriptions by seats, invoices by month or year."""
    accounts, subscriptions, invoices = [], [], []
    plans = {"starter": 900, "team": 1900, "business": 3900}
    taxes = {"GB": 20, "IE": 23, "DE": 19, "US": 0}
    number = 0
    for i in range(420):
        joined, country = day(r, 800, date(2021, 3, 1)), r.choice(list(taxes))
        trial = joined + timedelta(days=14)
        churned = joined + timedelta(days=r.randint(90, 900)) if r.random() < 0.3 else None
        slug = f"{r.choice(SURNAMES).lower()}-{i}"
        accounts.append(
            {
                "account_id": f"acct_{r.randrange(16**8):08x}",
                "slug": slug,
                "subdomain": f"{slug}.example.app",
                "country": country,
                "tax_pct": taxes[country],
                "signed_up_on": joined,
                "signup_month": f"{joined:%Y-%m}",
                "trial_ends_on": trial,
                "churned_on": churned,
                "churn_reason": r.choice(["price", "missing feature", "closed"]) if churned else None,
                "is_active": 0 if churned else 1,
            }
        )
        plan, seats, yearly = r.choice(list(plans)), r.randint(1, 60), r.random() < 0.35
        starts, months = trial, 12 if yearly else 1
        mrr = plans[plan] * seats
        subscriptions.append(
            {
                "subscription_id": f"sub_{i + 1:05}",
                "account_id": accounts[-1]["account_id"],
                "plan": plan,
                "billing": "annual" if yearly else "monthly",
                "interval_months": months,
                "seats": seats,
                "seat_price": c2(plans[plan]),
                "mrr": c2(mrr),
                "arr": c2(12 * mrr),
                "started_on": starts,
                "first_renewal_on": months_on(starts, months),
                "ended_on": churned,
                "status": "cancelled" if churned else "active",
            }
        )
        for n in range(r.randint(1, 3) if yearly else r.randint(2, 12)):
            number += 1
            begins = months_on(starts, n * months)
            amount = mrr * months
            discount = round(amount * 0.1) if yearly else 0
            tax = round((amount - discount) * taxes[country] / 100)
            terms = 30 if yearly else 14
            paid = begins + timedelta(days=r.randint(1, 45)) if r.random() < 0.92 else None
            invoices.append(
                {
                    "invoice_no": f"{begins:%Y%m}-{number:05}",
                    "subscription_id": f"sub_{i + 1:05}",
                    "account_id": accounts[-1]["account_id"],
                    "period_start": begins,
                    "period_end": months_on(begins, months) - timedelta(days=1),
                    "issued_on": begins,
                    "terms_days": terms,
                    "due_on": begins + timedelta(days=terms),
                    "amount": c2(amount),
                    "discount": c2(discount),
                    "tax_pct": taxes[country],
                    "tax": c2(tax),
                    "total": c2(amount - discount + tax),
                    "paid_on": paid,
                    "days_late": max(0, (paid - begins).days - terms) if paid else None,
                    "status": "paid" if paid else "open",
                    "payment_ref": f"pi_{r.randrange(10**9):09}" if paid else None,
                }
            )
    return {
        "accounts": columns_of(accounts),
        "subscriptions": columns_of(subscriptions),
        "invoices": columns_of(invoices),
    }


def staff(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A firm's staff: grades with bands, probation by half a year, and absences by the day."""
    people, absences = [], []
    grades = {"G1": (28000, 36000), "G2": (34000, 45000), "G3": (42000, 58000), "G4": (55000, 80000)}
    sites = {"LEE": "Leeds", "YOR": "York", "HUL": "Hull"}
    hours = {100: 37.5, 80: 30.0, 60: 22.5, 50: 18.75}
    asof = date(2024, 6, 30)
    for i in range(900):
        first, last = r.choice(FIRST), r.choice(SURNAMES)
        hired = day(r, 5000, date(2010, 1, 4))
        born = hired - timedelta(days=r.randint(6700, 18000))
        grade, fte, site = r.choice(list(grades)), r.choice([100, 100, 100, 80, 60, 50]), r.choice(list(sites))
        low, high = grades[grade]
        full = r.randrange(low, high + 1, 100)
        left = hired + timedelta(days=r.randint(60, 2500)) if r.random() < 0.25 else None
        left = left if left and left <= asof else None
        people.append(
            {
                "EmployeeID": f"E{i + 1:05}",
                "FirstName": first,
                "LastName": last,
                "WorkEmail": f"{first[0].lower()}{last.lower()}{i + 1}@firm.example",
                "BirthDate": us(born),
                "HireDate": us(hired),
                "AgeAtHire": years_between(born, hired),
                "ProbationEnd": us(months_on(hired, 6)),
                "Grade": grade,
                "BandMin": low,
                "BandMax": high,
                "FTE": fte,
                "WeeklyHours": hours[fte],
                "FullTimeSalary": full,
                "Salary": round(full * fte / 100),
                "MonthlyPay": f"{round(full * fte / 100) / 12:.2f}",
                "SiteCode": site,
                "Site": sites[site],
                "ManagerID": f"E{r.randint(1, max(1, min(i, 80))):05}" if i > 5 else None,
                "TerminationDate": us(left),
                "TerminationReason": r.choice(["resigned", "retired", "dismissed"]) if left else None,
                "Active": "N" if left else "Y",
                "ServiceYears": years_between(hired, left or asof),
                "PensionDate": us(months_on(born, 12 * 67)),
            }
        )
    for i in range(5200):
        person = r.choice(people)
        starts = day(r, 900, date(2022, 1, 1))
        kind, length = r.choice(["sick", "leave", "leave", "training"]), r.choice([1, 1, 2, 3, 5, 8, 10, 15])
        ends = starts + timedelta(days=length - 1)
        asked = starts - timedelta(days=r.randint(3, 60)) if kind != "sick" else None
        absences.append(
            {
                "AbsenceID": i + 1,
                "EmployeeID": person["EmployeeID"],
                "Site": person["Site"],
                "Kind": kind,
                "FromDate": us(starts),
                "ToDate": us(ends),
                "CalendarDays": length,
                "Year": starts.year,
                "Quarter": f"Q{(starts.month + 2) // 3}",
                "RequestedOn": us(asked),
                "ApprovedBy": person["ManagerID"] if kind != "sick" else None,
                "Certificate": "yes" if kind == "sick" and length > 3 else "no",
                "PaidPct": {"sick": 80, "leave": 100, "training": 100}[kind],
            }
        )
    return {"employees": columns_of(people), "absences": columns_of(absences)}


def laboratory(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A hospital's laboratory: requests with the patient's age, and results with reference ranges."""
    requests, results = [], []
    analytes = {
        "NA": ("Sodium", "mmol/L", 135.0, 145.0),
        "K": ("Potassium", "mmol/L", 3.5, 5.1),
        "CREA": ("Creatinine", "umol/L", 60.0, 110.0),
        "GLU": ("Glucose", "mmol/L", 3.9, 5.6),
        "HB": ("Haemoglobin", "g/L", 120.0, 160.0),
        "CRP": ("C-reactive protein", "mg/L", 0.0, 5.0),
    }
    patients = [(f"{r.randrange(10**9, 10**10)}", day(r, 30000, date(1935, 1, 1)), r.choice("MF")) for _ in range(700)]
    wards = {"A1": "Cardiology", "A2": "Cardiology", "B1": "Surgery", "C1": "Paediatrics", "C2": "Oncology"}
    for i in range(2600):
        mrn, born, sex = r.choice(patients)
        taken = at(day(r, 200, date(2023, 5, 1)), r)
        arrived = taken + timedelta(minutes=r.randint(5, 240))
        urgent, ward = r.random() < 0.25, r.choice(list(wards))
        reported = arrived + timedelta(minutes=r.randint(15, 60 if urgent else 900))
        rejected = r.random() < 0.05
        label = f"{taken:%y%j}{i % 10000:05}"
        requests.append(
            {
                "accession": label,
                "mrn": mrn,
                "dob": born,
                "sex": sex,
                "age": years_between(born, taken.date()),
                "ward": ward,
                "department": wards[ward],
                "priority": "STAT" if urgent else "ROUTINE",
                "collected": taken,
                "received": arrived,
                "reported": None if rejected else reported,
                "tat_min": None if rejected else int((reported - arrived).total_seconds() // 60),
                "rejected": "Y" if rejected else "N",
                "reject_reason": r.choice(["haemolysed", "clotted", "unlabelled"]) if rejected else None,
            }
        )
        for n, code in enumerate([] if rejected else r.sample(list(analytes), r.randint(2, 5)), 1):
            name, unit, low, high = analytes[code]
            value = round(r.uniform(low * 0.8, high * 1.25), 1)
            results.append(
                {
                    "accession": label,
                    "seq": n,
                    "analyte": code,
                    "analyte_name": name,
                    "value": value,
                    "unit": unit,
                    "ref_low": low,
                    "ref_high": high,
                    "flag": "L" if value < low else "H" if value > high else None,
                    "abnormal": int(not low <= value <= high),
                    "instrument": r.choice(["AU1", "AU2"]) if code != "HB" else "XN1",
                    "resulted": reported - timedelta(minutes=r.randint(1, 12)),
                    "verified_by": r.choice(["jk", "mo", "ts", "auto", "auto"]),
                }
            )
    return {"requests": columns_of(requests), "results": columns_of(results)}


def parcels(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Parcels by air and road: volumes, what is charged, surcharges, and what was promised."""
    shipments = []
    promised = {"EXP": 1, "STD": 3, "ECO": 6}
    zones = {"FR": 1, "BE": 1, "NL": 1, "ES": 2, "IT": 2, "PL": 2, "GR": 3, "FI": 3}
    per_kilo = {("EXP", 1): 420, ("EXP", 2): 560, ("EXP", 3): 790, ("STD", 1): 180, ("STD", 2): 240}
    per_kilo |= {("STD", 3): 330, ("ECO", 1): 110, ("ECO", 2): 150, ("ECO", 3): 210}
    for i in range(6000):
        service, country = r.choice(list(promised)), r.choice(list(zones))
        booked = at(day(r, 360, date(2023, 1, 1)), r, 360, 1300)
        picked = booked + timedelta(hours=r.randint(2, 40))
        length, width, height = r.randint(15, 120), r.randint(10, 80), r.randint(5, 60)
        actual = round(r.uniform(0.3, 60), 1)
        volumetric = round(length * width * height / 5000, 1)
        charged = max(actual, volumetric)
        base = round(per_kilo[service, zones[country]] * charged)
        fuel = round(base * 0.185)
        remote = r.choice([0, 0, 0, 0, 1200])
        worth = r.randrange(1000, 90000) if r.random() < 0.2 else None
        insurance = round(worth * 0.01) if worth else 0
        promise = picked.date() + timedelta(days=promised[service])
        lost = r.random() < 0.01
        came = None if lost else at(promise + timedelta(days=r.choice([-1, 0, 0, 0, 1, 3])), r, 400, 1200)
        came = came if came is None or came > picked else picked + timedelta(hours=9)
        shipments.append(
            {
                "awb": f"{booked:%m%d}{i:06}{country}",
                "service_code": service,
                "transit_days": promised[service],
                "dest_country": country,
                "zone": zones[country],
                "booked_at": booked,
                "picked_up_at": picked,
                "promised_on": promise,
                "delivered_at": came,
                "late": None if came is None else "Y" if came.date() > promise else "N",
                "pieces": r.choice([1, 1, 1, 2, 4]),
                "length_cm": length,
                "width_cm": width,
                "height_cm": height,
                "actual_kg": actual,
                "volumetric_kg": volumetric,
                "chargeable_kg": charged,
                "rate_per_kg": c2(per_kilo[service, zones[country]]),
                "base_charge": c2(base),
                "fuel_surcharge": c2(fuel),
                "remote_area_fee": c2(remote),
                "declared_value": c2(worth),
                "insurance": c2(insurance),
                "total_charge": c2(base + fuel + remote + insurance),
                "signed_by": r.choice(SURNAMES) if came and r.random() < 0.9 else None,
                "status": "lost" if lost else "delivered",
            }
        )
    return {"shipments": columns_of(shipments)}


OFFICES: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "storefront": storefront,
    "software": software,
    "staff": staff,
    "laboratory": laboratory,
    "parcels": parcels,
}
