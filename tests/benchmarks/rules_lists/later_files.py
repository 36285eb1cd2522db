"""Further businesses as files have them, each written with its list (known_of_later_files) before it was run."""

import random
from collections.abc import Callable, Mapping
from datetime import date, datetime
from datetime import timedelta as D

from benchmarks.rules_lists.files_made_up import Columns, add, at, c2, day, named, us


def auctions(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Auctions: lots with a reserve, bids that rise, premiums by size."""
    a = named("auction_id held_on house category lots sold_lots hammer_total currency")
    lo_ = named(
        "lot_id auction_id lot_no title estimate_low estimate_high reserve start_price bids "
        "first_bid_at last_bid_at hammer premium_pct premium total winner_paddle status shipped_on "
        "shipping_weight_kg provenance"
    )
    b = named("bid_id lot_id paddle bid_at amount channel")
    k = lid = 0
    for i in range(28):
        aid = f"AU{2020 + i // 8}-{i % 8 + 1:02}"
        d = day(r, 40, date(2020 + i // 8, 1 + i % 8, 1))
        n = r.randint(15, 45)
        sold = 0
        ham = 0
        for j in range(n):
            lid += 1
            lo = r.randrange(100, 9000, 50)
            hi = lo + r.choice([50, 100, 200, 500, 1000])
            res = int(lo * r.choice([0.7, 0.8, 0.9])) if r.random() < 0.6 else None
            st = max(10, lo // 2 // 10 * 10)
            t = datetime.combine(d, datetime.min.time()) + D(hours=10, minutes=3 * j)
            amt = st
            m = r.choice([0, 1, 2, 3, 4, 5, 8])
            ts = []
            last = None
            for q in range(m):
                k += 1
                amt += r.choice([0, 10, 20, 50, 100]) if q == 0 else r.choice([10, 20, 50, 100, 250])
                t += D(seconds=r.randint(2, 40))
                ts.append(t)
                last = f"P{r.randint(1, 140):03}"
                add(b, k, lid, last, t, amt, r.choice(["room", "phone", "web"]))
            ok = m > 0 and (res is None or amt >= res)
            if ok:
                sold += 1
                ham += amt
            pp = 25 if ok and amt <= 2000 else 20 if ok else None
            add(
                lo_,
                lid,
                aid,
                j + 1,
                f"{r.choice(['Chair', 'Clock', 'Vase', 'Ring'])}, {r.choice(['oak', 'brass', 'silver'])}",
                lo,
                hi,
                res,
                st,
                m,
                ts[0] if ts else None,
                ts[-1] if ts else None,
                amt if ok else None,
                pp,
                c2(amt * pp) if ok else None,
                c2(amt * 100 + amt * pp) if ok else None,
                last if ok else None,
                "sold" if ok else "unsold" if m else "passed",
                d + D(days=r.randint(1, 40)) if ok and r.random() < 0.8 else None,
                f"{r.uniform(0.1, 40):.1f}" if r.random() < 0.7 else None,
                r.choice(["estate", "dealer", "private"]) if r.random() < 0.5 else None,
            )
        add(a, aid, d, r.choice(["North", "Quay"]), r.choice(["furniture", "jewels", "art"]), n, sold, ham, "GBP")
    return {"auctions": a, "lots": lo_, "bids": b}


def parking(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A town's parking tickets, one wide table: fines by code, hearings, late fees, what is left to pay."""
    t = named(
        "citation_no issued_at issue_date issue_time weekday plate plate_state make color "
        "violation_code violation_desc fine late_penalty reduction amount_due amount_paid balance "
        "paid_on status hearing_on hearing_result officer_badge beat street_no street meter_id "
        "latitude longitude"
    )
    v = {
        "V10": ("Expired meter", 4500),
        "V12": ("No permit", 6500),
        "V17": ("Fire hydrant", 11500),
        "V21": ("Double parking", 9000),
        "V33": ("Street cleaning", 6500),
        "V40": ("Bus stop", 25000),
    }
    for i in range(3200):
        w = at(day(r, 365, date(2023, 1, 1)), r, 420, 1260)
        w = w.replace(second=0)
        c = r.choice(list(v))
        ds, f = v[c]
        late = f // 2 if r.random() < 0.2 else 0
        h = r.random() < 0.12
        hr = r.choice(["upheld", "reduced", "dismissed"]) if h else None
        red = f if hr == "dismissed" else f // 2 if hr == "reduced" else 0
        if hr == "dismissed":
            late = 0
        due = f + late - red
        st = "dismissed" if hr == "dismissed" else r.choice(["paid", "paid", "paid", "open", "partial"])
        pd = due if st == "paid" else 0 if st != "partial" else due // 5 * 2 or 100
        m = c == "V10"
        add(
            t,
            f"{r.choice('89')}{i * 7 + 1000003}",
            w.strftime("%Y-%m-%d %H:%M:%S"),
            us(w.date()),
            w.strftime("%H:%M"),
            w.strftime("%A"),
            f"{r.choice('ABCDEFG')}{r.choice('HJKLM')}{r.choice('NPQRS')}{r.randrange(1000, 9999)}"
            if r.random() < 0.97
            else None,
            r.choice(["CA", "CA", "CA", "NV", "OR"]),
            r.choice(["TOYT", "HOND", "FORD", "TESL", None]),
            r.choice(["BK", "WH", "GY", ""]),
            c,
            ds,
            c2(f),
            c2(late),
            c2(red),
            c2(due),
            c2(pd),
            c2(due - pd),
            us(w.date() + D(days=r.randint(0, 200))) if pd else None,
            st,
            us(w.date() + D(days=r.randint(15, 90))) if h else None,
            hr,
            r.randint(1001, 1060),
            f"{r.choice('NSEW')}{r.randint(1, 9)}",
            r.randint(1, 3999),
            r.choice(["MAIN ST", "3RD AV", "PINE", "DOCK RD"]),
            f"M-{r.randrange(10**4):04}" if m else None,
            f"{37.7 + r.random() / 10:.5f}",
            f"{-122.4 - r.random() / 10:.5f}",
        )
    return {"citations": t}


def elections(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """An election by precinct: ballots by post and in person, spoiled ones, recounts where it is close."""
    t = named(
        "precinct_code precinct ward ward_name county registered ballots_in_person ballots_postal "
        "ballots_cast spoiled valid cand_green cand_blue cand_red cand_ind turnout_pct blue_pct "
        "winner winner_votes runner_up_votes lead_votes recount recount_date recount_change "
        "reported_at precinct_type"
    )
    w = {
        f"W{i:02}": (f"{n} Ward", r.choice(["Avon", "Brent", "Clare"]))
        for i, n in enumerate(["North", "South", "Hill", "Dock", "Park", "Mill", "Field", "Lake"], 1)
    }
    for i in range(640):
        k = r.choice(list(w))
        re = r.randint(200, 3800)
        bc = int(re * r.uniform(0.3, 0.85))
        po = int(bc * r.uniform(0.1, 0.4))
        sp = r.randint(0, bc // 40)
        va = bc - sp
        a = int(va * r.uniform(0.05, 0.3))
        b = int(va * r.uniform(0.2, 0.4))
        ind = int(va * r.uniform(0, 0.05)) if r.random() < 0.5 else 0
        c = va - a - b - ind
        v = sorted([a, b, c, ind])
        wn = {a: "green", b: "blue", c: "red"}[v[-1]]
        ld = v[-1] - v[-2]
        rc = ld < va * 0.02
        add(
            t,
            f"{k}-{i + 1:03}",
            f"{r.choice(['School', 'Hall', 'Library', 'Church'])} {i + 1}",
            k,
            w[k][0],
            w[k][1],
            re,
            bc - po,
            po,
            bc,
            sp,
            va,
            a,
            b,
            c,
            ind,
            f"{100 * bc / re:.1f}",
            f"{100 * b / va:.1f}",
            wn,
            v[-1],
            v[-2],
            ld,
            "Y" if rc else "N",
            day(r, 9, date(2024, 5, 6)) if rc else None,
            r.randint(-3, 3) if rc else None,
            at(date(2024, 5, 2), r, 1300, 1440),
            r.choice(["urban", "rural"]),
        )
    return {"results": t}


def assays(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A laboratory: samples in tubes, results with limits and flags."""
    s = named(
        "sample_id patient_hash collected_at received_at transit_h tube_type tube_color volume_ml "
        "hemolysed rejected reject_reason site_code"
    )
    q = named(
        "result_id sample_id run_id run_at analyser analyte analyte_name unit ref_low ref_high "
        "value dilution raw_value below_lod flag lod validated_at validated_by comment_code"
    )
    an = {
        "GLU": ("Glucose", "mmol/L", 3.9, 5.6, 0.5),
        "NA": ("Sodium", "mmol/L", 135, 145, 80),
        "CRP": ("C-reactive protein", "mg/L", 0, 5, 0.6),
        "ALT": ("Alanine transaminase", "U/L", 7, 56, 3),
    }
    tc = {"EDTA": "purple", "SST": "gold", "HEP": "green"}
    k = 0
    runs = [
        (f"{a}{d:03}", a, datetime.combine(date(2024, 3, 1), datetime.min.time()) + D(days=d, hours=12))
        for d in range(60)
        for a in ("X1", "X2")
    ]
    for i in range(900):
        c = at(day(r, 55, date(2024, 3, 1)), r, 400, 1000)
        tr = r.randint(1, 9)
        re = c + D(hours=tr)
        t = r.choice(list(tc))
        rj = r.random() < 0.05
        sid = f"S24{i + 1:06}"
        add(
            s,
            sid,
            f"{r.randrange(16**8):08x}",
            c,
            re,
            tr,
            t,
            tc[t],
            r.choice([2, 4, 6]),
            "Y" if rj and r.random() < 0.6 else "N",
            "Y" if rj else "N",
            r.choice(["hemolysed", "clotted", "label"]) if rj else None,
            r.choice(["MU", "NB", "AU"]),
        )
        if rj:
            continue
        for a in r.sample(list(an), r.randint(1, 4)):
            k += 1
            ru = r.choice([x for x in runs if x[2] > re][:4] or runs[-1:])
            lo, hi = an[a][2], an[a][3]
            raw = round(r.uniform(lo * 0.6, hi * 1.5), 1)
            dl = r.choice([1, 1, 1, 1, 2, 5])
            bl = raw < an[a][4]
            v = round(raw * dl, 1)
            va = r.random() < 0.9
            ra = max(ru[2], re + D(minutes=5)) + D(minutes=r.randint(0, 300))
            add(
                q,
                k,
                sid,
                ru[0],
                ra,
                ru[1],
                a,
                an[a][0],
                an[a][1],
                lo,
                hi,
                v if not bl else None,
                dl,
                raw,
                "Y" if bl else "N",
                None if bl else "H" if v > hi else "L" if v < lo else "N",
                an[a][4],
                ra + D(minutes=r.randint(3, 600)) if va else None,
                r.choice(["kp", "sz"]) if va else None,
                r.choice([None, None, None, "C1", "C2"]),
            )
    return {"samples": s, "results": q}


def utilities(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Bills of power: contracts by plan, readings that go on, refunds."""
    c = named(
        "contract customer_no plan plan_name standing_charge unit_rate start_date end_date "
        "end_reason direct_debit iban_last4 green bonus"
    )
    b = named(
        "bill_no contract period_from period_to days kwh_start kwh_end kwh standing energy levy net "
        "vat gross instalments_paid balance refund_or_due billed_on due_on paid_on reminder_level "
        "estimated"
    )
    pl = {"B": ("Basic", 980, 31.2), "F": ("Flex", 1250, 28.9), "N": ("Night", 1490, 25.4)}
    bn = 0
    for i in range(420):
        p = r.choice(list(pl))
        s = day(r, 700, date(2020, 1, 1))
        en = s + D(days=r.randint(400, 1200)) if r.random() < 0.3 else None
        dd = r.random() < 0.7
        add(
            c,
            f"E{p}{i + 10001}",
            30000 + r.randint(1, 380),
            p,
            pl[p][0],
            c2(pl[p][1]),
            f"{pl[p][2]:.1f}",
            s,
            en,
            r.choice(["moved", "switched"]) if en else None,
            int(dd),
            f"{r.randrange(10**4):04}" if dd else None,
            int(r.random() < 0.4),
            r.choice([0, 0, 25, 50]),
        )
        t, o = s, r.randint(0, 9000)
        for _ in range(r.randint(1, 4)):
            n = r.randint(300, 380)
            te = t + D(days=n - 1)
            if en and te > en:
                te = en
                n = (te - t).days + 1
            if n < 30:
                break
            bn += 1
            u = r.randint(400, 6000)
            sc = round(pl[p][1] * n / 30)
            e = round(u * pl[p][2])
            lv = round(u * 2.05)
            net = sc + e + lv
            vat = round(net * 0.19)
            gr = net + vat
            ip = round(gr * r.uniform(0.8, 1.2) / 100) * 100
            bi = te + D(days=r.randint(3, 30))
            bal = gr - ip
            pd = bi + D(days=r.randint(1, 40)) if bal > 0 and r.random() < 0.9 else None
            add(
                b,
                f"R{te.year}-{bn:05}",
                f"E{p}{i + 10001}",
                t.strftime("%d.%m.%Y"),
                te.strftime("%d.%m.%Y"),
                n,
                o,
                o + u,
                u,
                c2(sc),
                c2(e),
                c2(lv),
                c2(net),
                c2(vat),
                c2(gr),
                c2(ip),
                c2(bal),
                "due" if bal > 0 else "refund",
                bi.strftime("%d.%m.%Y"),
                (bi + D(days=14)).strftime("%d.%m.%Y"),
                pd.strftime("%d.%m.%Y") if pd else None,
                0 if pd or bal <= 0 else r.randint(1, 3),
                r.choice("YN"),
            )
            o += u
            t = te + D(days=1)
    return {"contracts": c, "bills": b}


LATER_FILES: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "auctions": auctions,
    "parking": parking,
    "elections": elections,
    "assays": assays,
    "utilities": utilities,
}
