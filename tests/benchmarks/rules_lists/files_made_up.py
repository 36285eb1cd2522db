"""Made-up businesses as files have them: texts, money with two decimals, days in the order of a country, gaps.

Each was written with the list of what it lives by (known_of_files) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

Columns = dict[str, list[object]]


def named(names: str) -> Columns:
    return {name: [] for name in names.split()}


def add(columns: Columns, *row: object) -> None:
    for values, value in zip(columns.values(), row, strict=True):
        values.append(value)


def day(r: random.Random, days: int, start: date) -> date:
    return start + timedelta(days=r.randrange(days))


def at(when: date, r: random.Random, low: int = 0, high: int = 1440) -> datetime:
    midnight = datetime.combine(when, datetime.min.time())
    return midnight + timedelta(minutes=r.randrange(low, high), seconds=r.randrange(60))


def us(when: date | None) -> str | None:
    return when and when.strftime("%m/%d/%Y")


def utc(when: datetime | None) -> str | None:
    return when and when.strftime("%Y-%m-%dT%H:%M:%SZ")


def c2(cents: int | None) -> str | None:
    return None if cents is None else f"{cents / 100:.2f}"


def ledger(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A ledger: account numbers whose first digit is the class, postings that balance, vouchers by year."""
    ac = named("account title class class_name normal_side opened closed")
    cl = {1: ("assets", "D"), 2: ("liabilities", "C"), 4: ("expenses", "D"), 8: ("income", "C")}
    nr = sorted(r.sample(range(1000, 2999), 60) + r.sample(range(4000, 4999), 60) + r.sample(range(8000, 8999), 30))
    for n in nr:
        c = n // 1000
        o = day(r, 2000, date(2010, 1, 1))
        add(
            ac,
            n,
            f"{r.choice(['main', 'side', 'old'])} {r.choice(['cash', 'stock', 'rent', 'sales', 'tax'])} {n % 97}",
            c,
            cl[c][0],
            cl[c][1],
            o,
            o + timedelta(days=r.randint(400, 3000)) if r.random() < 0.1 else None,
        )
    en = named("voucher booked_on fiscal_year period kind text lines total entered_by approved_by reverses")
    po = named("voucher pos account debit credit tax_code tax_rate tax")
    vs = []
    for i in range(1500):
        d = day(r, 700, date(2022, 1, 1))
        v = f"{d.year}-{i + 1:06}"
        n = r.randint(1, 4)
        amts = [r.randrange(100, 500000) for _ in range(n)]
        for k, a in enumerate(amts, 1):
            tc = r.choice(["V1", "V2", "V0"])
            rt = {"V1": 19, "V2": 7, "V0": 0}[tc]
            add(po, v, k, r.choice(nr), c2(a), None, tc, rt, c2(round(a * rt / 100)))
        add(po, v, n + 1, r.choice(nr), None, c2(sum(amts)), None, None, None)
        big = sum(amts) > 800000
        add(
            en,
            v,
            d.strftime("%d.%m.%Y"),
            d.year,
            d.month,
            r.choice(["AP", "AR", "GL"]),
            r.choice(["invoice", "payment", "accrual", ""]) or None,
            n + 1,
            c2(sum(amts)),
            r.choice(["ak", "bl", "cm"]),
            r.choice(["xx", "yy"]) if big else None,
            r.choice(vs) if len(vs) > 40 and r.random() < 0.05 else None,
        )
        vs.append(v)
    return {"accounts": ac, "entries": en, "postings": po}


def stalls(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A fair's applications, one wide table of few rows, filled in by hand."""
    t = named(
        "application company contact_first contact_last contact_initials email applied_on decided_on decision "
        "why_not hall aisle place stand_no width_m depth_m area_m2 price_per_m2 rent power_kw power_fee water "
        "water_fee staff passes_free passes_extra passes_total passes_fee early_bird discount net vat gross "
        "invoice_no invoiced_on paid_on moved_in moved_out visitors_mon visitors_tue visitors_all best_day"
    )
    seats = [(h, a, p) for h in "ABC" for a in range(1, 6) for p in range(1, 15)]
    r.shuffle(seats)
    for i in range(190):
        f = r.choice(["Tom", "Una", "Vic", "Wes", "Xia", "Yve", "Zoe"])
        last = r.choice(["Abel", "Bond", "Cruz", "Dahl", "Egan", "Fry", "Gray"])
        ap = day(r, 120, date(2024, 1, 2))
        de_ = ap + timedelta(days=r.randint(1, 25))
        ok = r.random() < 0.82
        h, a, p = seats[i] if ok else (None,) * 3
        w, d = r.choice([2, 3, 4, 5, 6, 8]), r.choice([2, 3, 4])
        ppm = {"A": 9500, "B": 8000, "C": 6500}[h] if ok else None
        rent = w * d * ppm if ok else None
        kw = r.choice([None, 2, 3, 6, 9]) if ok else None
        pf = kw * 2500 if kw else None
        wa = r.random() < 0.3 if ok else None
        wf = (12000 if wa else 0) if ok else None
        free = w * d // 4 if ok else None
        ex = r.choice([0, 0, 1, 2, 5]) if ok else None
        xf = ex * 1800 if ok else None
        eb = ap < date(2024, 2, 1)
        sub = rent + (pf or 0) + wf + xf if ok else None
        di = round(sub * 0.1) if ok and eb else 0 if ok else None
        net = sub - di if ok else None
        vat = round(net * 0.2) if ok else None
        inv = de_ + timedelta(days=r.randint(0, 9)) if ok else None
        pd = inv + timedelta(days=r.randint(1, 40)) if ok and r.random() < 0.93 else None
        mi = at(date(2024, 6, 3), r, 360, 600) if ok and pd else None
        m, tu = (r.randint(20, 400), r.randint(20, 400)) if mi else (None, None)
        add(
            t,
            f"AP{i + 1:03}",
            f"{r.choice(['Nord', 'Sud', 'West', 'Mitte'])} {r.choice(['Wine', 'Wood', 'Bikes', 'Tools'])} {i}",
            f,
            last,
            f"{f[0]}.{last[0]}.",
            f"{f.lower()}.{last.lower()}@c{i}.example",
            us(ap),
            us(de_),
            "accepted" if ok else "rejected",
            None if ok else r.choice(["full", "late", "unsuitable"]),
            h,
            a,
            p,
            f"{h}{a}-{p:02}" if ok else None,
            w,
            d,
            w * d,
            c2(ppm),
            c2(rent),
            kw,
            c2(pf),
            {True: "yes", False: "no", None: None}[wa],
            c2(wf),
            r.randint(1, 9),
            free,
            ex,
            free + ex if ok else None,
            c2(xf),
            "x" if eb else None,
            c2(di),
            c2(net),
            c2(vat),
            c2(net + vat) if ok else None,
            f"2024{i:04}" if ok else None,
            us(inv),
            us(pd),
            mi,
            mi + timedelta(hours=r.randint(30, 38)) if mi else None,
            m,
            tu,
            m + tu if mi else None,
            ("Mon" if m > tu else "Tue") if mi else None,
        )
    return {"applications": t}


def freight(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A fleet: trips with odometer, fuel, tolls by axle class, stops in turn; timestamps as text with T and Z."""
    tr = named("truck_id plate axles toll_class payload_kg tare_kg gross_kg built inspected_on next_inspection depot")
    for i in range(45):
        ax = r.choice([2, 3, 4, 5])
        pay, tare = r.randrange(3000, 26000, 50), r.randrange(4000, 14000, 10)
        ins = day(r, 300, date(2024, 1, 1))
        add(
            tr,
            f"T{i + 1:03}",
            f"HB-{r.choice('XYZ')}{r.choice('ABC')} {r.randrange(100, 999)}{i}",
            ax,
            {2: "light", 3: "light", 4: "heavy", 5: "heavy"}[ax],
            pay,
            tare,
            pay + tare,
            r.randint(2008, 2023),
            ins,
            ins + timedelta(days=365),
            r.choice(["BRE", "HAM"]),
        )
    V = list(zip(*tr.values(), strict=True))
    tp = named(
        "trip truck driver co_driver left_at back_at odo_start odo_end km toll_km toll fuel_l fuel_price "
        "fuel_cost l_per_100 breakdown breakdown_min stops load_kg load_pct status"
    )
    sp = named("trip seq place planned_at arrived_at left_at pallets_out pallets_in seal_no refused_reason")
    for i in range(950):
        v = r.choice(V)
        left = at(day(r, 300, date(2024, 2, 1)), r, 200, 700)
        n = r.randint(1, 6)
        run = r.random() < 0.06
        t = left
        load_ = r.randrange(500, v[4] + 1, 10)
        for k in range(1, n + 1):
            pl = t + timedelta(minutes=r.randint(40, 120))
            ar = t + timedelta(minutes=r.randint(30, 150))
            lf = ar + timedelta(minutes=r.randint(10, 60))
            rej = r.random() < 0.03
            add(
                sp,
                f"TR{i + 1:05}",
                k,
                r.choice(["Kiel", "Jever", "Emden", "Celle", "Stade"]),
                utc(pl),
                utc(ar),
                utc(lf),
                0 if rej else r.randint(1, 12),
                r.randint(0, 5),
                f"S{r.randrange(10**6):06}",
                r.choice(["damaged", "closed"]) if rej else None,
            )
            t = lf
        km = r.randint(60, 700)
        tk = r.randint(0, km)
        per = {"light": 95, "heavy": 187}[v[3]]
        fl = r.randrange(1500, 20000)
        pr_ = r.randrange(1400, 1900)
        o = r.randrange(10**5, 9 * 10**5)
        bd = r.random() < 0.07
        b = t + timedelta(minutes=r.randint(20, 200))
        add(
            tp,
            f"TR{i + 1:05}",
            v[0],
            f"D{r.randrange(60):03}",
            f"D{r.randrange(60):03}" if r.random() < 0.15 else None,
            utc(left),
            utc(b) if not run else None,
            o,
            o + km if not run else None,
            km if not run else None,
            tk if not run else None,
            c2(round(tk * per / 10)) if not run else None,
            f"{fl / 100:.2f}" if not run else None,
            f"{pr_ / 1000:.3f}" if not run else None,
            c2(round(fl * pr_ / 1000)) if not run else None,
            f"{round(fl / km, 1):.1f}" if not run else None,
            r.choice(["tyre", "engine", "lights"]) if bd and not run else None,
            r.randint(15, 300) if bd and not run else None,
            n,
            load_,
            round(100 * load_ / v[4]),
            "running" if run else "closed",
        )
    return {"trucks": tr, "trips": tp, "stops": sp}


def boxes(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A shop of other rules: subscriptions to boxes, bundles of items, VAT by country, gift cards, stock moves."""
    co = named("country country_name currency vat_rate free_from shipping")
    for row in (
        ("DE", "Germany", "EUR", "0.19", "49.00", "4.90"),
        ("AT", "Austria", "EUR", "0.20", "59.00", "7.90"),
        ("CH", "Switzerland", "CHF", "0.081", "80.00", "12.00"),
        ("NL", "Netherlands", "EUR", "0.21", "59.00", "6.90"),
        ("DK", "Denmark", "DKK", "0.25", "450.00", "55.00"),
        ("SE", "Sweden", "SEK", "0.25", "600.00", "69.00"),
    ):
        add(co, *row)
    C = list(zip(*co.values(), strict=True))
    sb = named(
        "subscription mail country plan months price_month paid_total started next_box paused_from "
        "paused_until ended end_reason boxes_sent boxes_left referred_by gift_from gift_text"
    )
    ids = []
    for i in range(700):
        m = r.choice([3, 6, 12])
        st = day(r, 500, date(2023, 1, 10))
        pm = {3: 2490, 6: 2290, 12: 1990}[m]
        s = r.randint(0, m)
        en = s == m
        pa = not en and r.random() < 0.1
        gi = r.random() < 0.15
        p0 = st + timedelta(days=r.randint(20, 90))
        add(
            sb,
            f"AB-{i + 1001}",
            f"p{i}@mail.example",
            r.choice(C)[0],
            {3: "mini", 6: "midi", 12: "maxi"}[m],
            m,
            c2(pm),
            c2(pm * m),
            st,
            None if en else st + timedelta(days=30 * (s + 1)),
            p0 if pa else None,
            p0 + timedelta(days=r.randint(10, 60)) if pa else None,
            st + timedelta(days=30 * m + r.randint(1, 9)) if en else None,
            r.choice(["done", "moved"]) if en else None,
            s,
            m - s,
            r.choice(ids) if ids and r.random() < 0.2 else None,
            r.choice(["Oma", "Opa", "Tante"]) if gi else None,
            r.choice(["congrats", "for you"]) if gi else None,
        )
        ids.append(f"AB-{i + 1001}")
    it = named("item bundle_of title cost price margin margin_pct stock_in stock_out stock_now reorder_at to_order")
    iid = []
    for i in range(160):
        c = r.randrange(100, 3000)
        p = c + r.randrange(50, 2500)
        a = r.randrange(0, 500)
        b = r.randrange(0, a + 1)
        ro = r.choice([10, 20, 50])
        add(
            it,
            f"{r.choice('KLM')}{100 + i}",
            r.choice(iid) if len(iid) > 30 and r.random() < 0.2 else None,
            f"{r.choice(['Tea', 'Jam', 'Oil', 'Salt'])} {r.choice(['Nord', 'West', 'Alp'])} {i}",
            c2(c),
            c2(p),
            c2(p - c),
            f"{100 * (p - c) / p:.1f}",
            a,
            b,
            a - b,
            ro,
            "yes" if a - b < ro else "no",
        )
        iid.append(it["item"][-1])
    bx = named(
        "box subscription month packed_on sent_on tracking items value goods vat returned_on refund "
        "refund_pct credit_note"
    )
    seen = set()
    S = list(zip(*sb.values(), strict=True))
    for i in range(1900):
        s = r.choice(S)
        k = r.randint(1, s[4])
        if (s[0], k) in seen:
            continue
        seen.add((s[0], k))
        pk = s[7] + timedelta(days=30 * k - r.randint(0, 6))
        se = pk + timedelta(days=r.randint(0, 4)) if r.random() < 0.95 else None
        v = r.randrange(1500, 6000)
        rate = float(next(c for c in C if c[0] == s[2])[3])
        g = round(v / (1 + rate))
        rt = se and r.random() < 0.08
        rp = r.choice([50, 100]) if rt else None
        add(
            bx,
            i + 1,
            s[0],
            k,
            pk,
            se,
            f"{r.randrange(10**12):012}" if se else None,
            r.randint(3, 9),
            c2(v),
            c2(g),
            c2(v - g),
            se + timedelta(days=r.randint(2, 30)) if rt else None,
            c2(round(v * rp / 100)) if rt else None,
            rp,
            f"CN{i:05}" if rt else None,
        )
    return {"countries": co, "subscriptions": sb, "items": it, "boxes": bx}


def meters(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A utility: meters, readings with estimates, tariffs of few lines, leftovers of an export (all-null, constant)."""
    me = named(
        "meter_no serial kind unit digits max_value factor fitted removed removed_why street house_no flat "
        "address supply_point old_system_id"
    )
    for i in range(320):
        k = r.choice(["E", "G", "W"])
        d = r.choice([5, 6])
        f = day(r, 2500, date(2012, 1, 1))
        rm = r.random() < 0.1
        st, h, fl = r.choice(["Mill Lane", "High St", "Dock Rd"]), r.randint(1, 120), r.randint(1, 9)
        add(
            me,
            f"{k}{i + 1:06}",
            f"{r.choice('QRS')}{r.randrange(10**7):07}",
            {"E": "power", "G": "gas", "W": "water"}[k],
            {"E": "kWh", "G": "m3", "W": "m3"}[k],
            d,
            10**d - 1,
            r.choice([1, 1, 40]) if k == "E" else 1,
            f,
            f + timedelta(days=r.randint(300, 2000)) if rm else None,
            r.choice(["fault", "swap"]) if rm else None,
            st,
            h,
            fl,
            f"{st} {h}/{fl}",
            f"SP{r.randrange(10**8):08}",
            None,
        )
    M = list(zip(*me.values(), strict=True))
    rd = named(
        "reading_id meter_no read_on previous_on days previous current units factor consumption per_day "
        "source reader_id estimated"
    )
    k = 0
    for m in M:
        t, v = m[7], r.randrange(0, 500)
        for _ in range(r.randint(4, 12)):
            k += 1
            d = r.randint(25, 120)
            u = r.randrange(0, 900)
            n = t + timedelta(days=d)
            so = r.choice(["visit", "app", "estimate"])
            add(
                rd,
                k,
                m[0],
                n,
                t,
                d,
                v,
                v + u,
                u,
                m[6],
                u * m[6],
                f"{u * m[6] / d:.2f}",
                so,
                f"R{r.randint(1, 15):02}" if so == "visit" else None,
                1 if so == "estimate" else 0,
            )
            t, v = n, v + u
    return {"meters": me, "readings": rd}


FILES: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "ledger": ledger,
    "stalls": stalls,
    "freight": freight,
    "boxes": boxes,
    "meters": meters,
}
