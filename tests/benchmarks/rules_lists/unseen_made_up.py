"""Further made-up businesses as files: a hotel, a league, parts, a web shop, courts.

Each was written with the list of what it lives by (known_unseen) before it was run.
"""

import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from benchmarks.rules_lists.files_made_up import Columns, add, at, c2, day, named, utc


def hotel(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A hotel: stays with fees by head and night, deposits, commissions, arrivals that are called off."""
    rm = named("room floor type type_name beds max_guests sea_view rack_rate")
    ty = {
        "S": ("Single", 1, 1, 7900),
        "D": ("Double", 2, 2, 11900),
        "F": ("Family", 4, 5, 16900),
        "SU": ("Suite", 2, 3, 24900),
    }
    for fl in range(1, 7):
        for k in range(1, 15):
            t = r.choice(["S", "D", "D", "F", "SU"])
            x = ty[t]
            add(rm, fl * 100 + k, fl, t, x[0], x[1], x[2], r.choice("YN"), c2(x[3]))
    R = list(zip(*rm.values(), strict=True))
    s = named(
        "booking_ref room guest country booked_on arrival departure nights adults children guests rate board "
        "board_fee room_total extras tourist_tax total deposit balance_due channel commission_pct commission "
        "checked_in checked_out cancelled_on no_show rating"
    )
    for i in range(2200):
        x = r.choice(R)
        b = day(r, 600, date(2022, 1, 1))
        a = b + timedelta(days=r.randint(0, 150))
        n = r.choice([1, 1, 2, 2, 3, 4, 7, 14])
        ad = r.randint(1, min(2, x[5]))
        ch = r.randint(0, x[5] - ad)
        rate = round(float(x[7]) * r.choice([0.8, 0.9, 1, 1]) * 100)
        bo, bf = r.choice([("RO", 0), ("BB", 1200), ("HB", 3500)])
        ex = r.choice([0, 0, r.randrange(500, 20000)])
        tt = ad * n * 250
        ca = r.random() < 0.1
        no = not ca and r.random() < 0.03
        tot = n * rate + bf * (ad + ch) * n + ex + tt
        dep = round(tot * 0.2)
        cha, cp = r.choice([("web", 0), ("phone", 0), ("booking", 15), ("expedia", 18)])
        ci = None if ca or no else at(a, r, 840, 1320)
        co = ci and at(a + timedelta(days=n), r, 400, 700)
        add(
            s,
            f"{b:%y%m%d}-{i:05}",
            x[0],
            f"{r.choice('ABCDEFG')}. {r.choice(['Ito', 'Jain', 'Kim', 'Levi', 'Mai', 'Noor'])}",
            r.choice(["DE", "FR", "GB", "US", "JP", ""]) or None,
            b,
            a,
            a + timedelta(days=n),
            n,
            ad,
            ch,
            ad + ch,
            c2(rate),
            bo,
            c2(bf * (ad + ch) * n),
            c2(n * rate),
            c2(ex),
            c2(tt),
            c2(tot),
            c2(dep),
            c2(tot - dep),
            cha,
            cp,
            c2(round(n * rate * cp / 100)),
            ci,
            co,
            b + timedelta(days=r.randint(0, (a - b).days)) if ca else None,
            1 if no else 0,
            r.choice([None, 3, 4, 5, 2]) if co else None,
        )
    return {"rooms": rm, "stays": s}


def football(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """A league: matches with halves, shots and cards, and the tables that they come to."""
    teams = [f"{a} {b}" for a in ["Red", "Blue", "Old", "New"] for b in ["Star", "Town", "Rovers", "United", "City"]]
    m = named(
        "match_id season round played_on kickoff home away ht_home ht_away ft_home ft_away result shots_home "
        "shots_away sot_home sot_away corners_home corners_away yellow_home yellow_away red_home red_away "
        "pts_home pts_away attendance referee"
    )
    st = named(
        "season team position played won drawn lost goals_for goals_against goal_diff points clean_sheets status"
    )
    refs = [f"{c}. {n}" for c in "ABC" for n in ["Webb", "Oliver", "Dean", "Moss", "Taylor"]]
    k = 0
    for se in (2021, 2022, 2023):
        t = {x: [0] * 7 for x in teams}
        for rd in range(1, 39):
            q = teams[:]
            r.shuffle(q)
            d = date(se, 8, 5) + timedelta(days=7 * rd)
            for i in range(0, 20, 2):
                h, a = q[i], q[i + 1]
                k += 1
                sh, sa = r.randint(3, 25), r.randint(2, 22)
                oh, oa = r.randint(1, min(sh, 11)), r.randint(0, min(sa, 9))
                gh, ga = (
                    min(oh, r.choice([0, 0, 1, 1, 1, 2, 2, 3, 4, 6])),
                    min(oa, r.choice([0, 0, 0, 1, 1, 2, 2, 3, 5])),
                )
                hh, ha = r.randint(0, gh), r.randint(0, ga)
                re = "H" if gh > ga else "A" if ga > gh else "D"
                ph, pa = {"H": (3, 0), "A": (0, 3), "D": (1, 1)}[re]
                add(
                    m,
                    k,
                    f"{se}/{(se + 1) % 100}",
                    rd,
                    d.strftime("%d/%m/%Y"),
                    r.choice(["15:00", "15:00", "17:30", "20:00"]),
                    h,
                    a,
                    hh,
                    ha,
                    gh,
                    ga,
                    re,
                    sh,
                    sa,
                    oh,
                    oa,
                    r.randint(0, 14),
                    r.randint(0, 12),
                    r.randint(0, 5),
                    r.randint(0, 6),
                    int(r.random() < 0.06),
                    int(r.random() < 0.08),
                    ph,
                    pa,
                    r.randrange(4000, 60000) if r.random() > 0.04 else None,
                    r.choice(refs),
                )
                for x, gf, gg, p in ((h, gh, ga, ph), (a, ga, gh, pa)):
                    v = t[x]
                    v[0] += 1
                    v[1] += p == 3
                    v[2] += p == 1
                    v[3] += p == 0
                    v[4] += gf
                    v[5] += gg
                    v[6] += gg == 0
        o = sorted(t, key=lambda x: (-(3 * t[x][1] + t[x][2]), -(t[x][4] - t[x][5])))
        for i, x in enumerate(o, 1):
            v = t[x]
            add(
                st,
                f"{se}/{(se + 1) % 100}",
                x,
                i,
                v[0],
                v[1],
                v[2],
                v[3],
                v[4],
                v[5],
                v[4] - v[5],
                3 * v[1] + v[2],
                v[6],
                "champion" if i == 1 else "relegated" if i > 17 else None,
            )
    return {"matches": m, "standings": st}


def parts(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Parts and what they are made of: margins, scrap, successors."""
    p = named(
        "part_no part_name make_buy family family_desc uom std_cost list_price margin_pct weight_g "
        "net_weight_g lead_days supplier_id min_order pack_size released_on obsolete_on replaced_by rev"
    )
    fa = {"10": "Housing", "20": "Fasteners", "30": "Electronics", "40": "Cables"}
    nos = []
    for i in range(520):
        f = r.choice(list(fa))
        buy = r.random() < 0.7
        c = r.randrange(20, 90000)
        li = round(c * r.uniform(1.2, 2.5))
        w = r.randrange(5, 5000)
        ro = day(r, 2500, date(2014, 1, 1))
        ob = ro + timedelta(days=r.randint(300, 2500)) if r.random() < 0.12 and i > 30 else None
        pk = r.choice([1, 5, 10, 100])
        n = f"{f}.{i * 7 + 1000:05}.{r.randint(0, 9)}"
        add(
            p,
            n,
            f"{fa[f]} {r.choice(['S', 'M', 'L'])} {i}",
            "B" if buy else "M",
            f,
            fa[f],
            r.choice(["pcs", "pcs", "m"]),
            c2(c),
            c2(li),
            f"{100 * (li - c) / li:.1f}",
            w,
            w - r.randrange(0, w // 3 + 1),
            r.randint(1, 90),
            f"SUP{r.randint(1, 30):03}" if buy else None,
            pk * r.randint(1, 5) if buy else None,
            pk,
            ro,
            ob,
            r.choice(nos) if ob else None,
            r.choice("ABC"),
        )
        nos.append(n)
    P = list(zip(*p.values(), strict=True))
    b = named(
        "assembly line component qty uom unit_cost ext_cost scrap_pct qty_gross valid_from valid_to optional note"
    )
    for x in P:
        if x[2] == "M":
            for k, y in enumerate(r.sample(P, r.randint(2, 9)), 1):
                if y[0] == x[0]:
                    continue
                q = r.randint(1, 20)
                sc = r.choice([0, 0, 2, 5, 10])
                vf = x[15] + timedelta(days=r.randint(0, 200))
                c = round(float(y[6]) * 100)
                add(
                    b,
                    x[0],
                    k * 10,
                    y[0],
                    q,
                    y[5],
                    c2(c),
                    c2(c * q),
                    sc,
                    f"{q * (1 + sc / 100):.2f}",
                    vf,
                    vf + timedelta(days=r.randint(100, 1500)) if r.random() < 0.2 else None,
                    r.choice("NNNY"),
                    r.choice([None, None, "glue", "see drawing"]),
                )
    return {"parts": p, "bom": b}


def webshop(r: random.Random) -> dict[str, Columns]:  # noqa: PLR0915  # it tells a year's story
    """A web shop of other rules: coupons, tiers, returns, taxes by class."""
    cu = named("customer_no email signup_on country segment newsletter loyalty_tier loyalty_points discount_pct")
    ti = {"bronze": 0, "silver": 5, "gold": 10}
    for i in range(350):
        t = r.choice([*list(ti), None])
        add(
            cu,
            f"K{i + 1:06}",
            f"user{i}@{r.choice(['a', 'b'])}.example",
            day(r, 900, date(2019, 1, 1)),
            r.choice(["US", "CA", "MX"]),
            r.choice(["retail", "trade"]),
            r.choice("YN"),
            t,
            r.randrange(0, 9000) if t else None,
            ti[t] if t else 0,
        )
    CU = list(zip(*cu.values(), strict=True))
    pr = named(
        "sku title brand category tax_class tax_rate cost list_price margin_pct stock reserved available "
        "weight_kg launched discontinued variant_of"
    )
    tx = {"std": 8.25, "food": 2.0, "zero": 0.0}
    sk = []
    for i in range(260):
        ca = r.choice(["TOY", "BOK", "FOD", "GAR"])
        c = r.randrange(100, 20000)
        li = c + r.randrange(50, 9000)
        st = r.randrange(0, 500)
        re = r.randrange(0, st + 1) if st else 0
        tc = {"FOD": "food", "BOK": "zero"}.get(ca, "std")
        la = day(r, 900, date(2018, 1, 1))
        s = f"{ca}-{i + 1:04}"
        add(
            pr,
            s,
            f"{r.choice(['Red', 'Big', 'Tiny', 'Old'])} {r.choice(['Box', 'Lamp', 'Tin', 'Ball'])} {i}",
            r.choice(["Acme", "Zeno", "Brio"]),
            ca,
            tc,
            tx[tc],
            c2(c),
            c2(li),
            f"{100 * (li - c) / li:.1f}",
            st,
            re,
            st - re,
            f"{r.uniform(0.1, 9):.2f}",
            la,
            la + timedelta(days=r.randint(200, 900)) if r.random() < 0.15 else None,
            r.choice(sk) if len(sk) > 20 and r.random() < 0.2 else None,
        )
        sk.append(s)
    P = list(zip(*pr.values(), strict=True))
    o = named(
        "order_no customer_no placed_at confirmed_at packed_at shipped_at delivered_at cancelled_at status "
        "cancel_reason items_count units subtotal coupon coupon_value loyalty_discount shipping tax total "
        "refunded refund_at payment_method card_brand gift_wrap gift_message ship_country tracking_no"
    )
    it = named(
        "order_no line_no sku qty list_price unit_price line_discount line_total tax_rate returned_qty return_reason"
    )
    for i in range(1300):
        c = r.choice(CU)
        pl = at(c[2] + timedelta(days=r.randint(0, 500)), r)
        n = r.randint(1, 5)
        sub = tax = un = 0
        num = f"W{pl:%y%m}-{i + 1:05}"
        st = r.choice(["delivered"] * 6 + ["shipped", "cancelled", "open"])
        for k, x in enumerate(r.sample(P, n), 1):
            q = r.choice([1, 1, 1, 2, 3, 6])
            lp = round(float(x[7]) * 100)
            up = lp if r.random() < 0.7 else round(lp * 0.8)
            lt = up * q
            ret = r.randint(1, q) if st == "delivered" and r.random() < 0.08 else 0
            add(
                it,
                num,
                k,
                x[0],
                q,
                c2(lp),
                c2(up),
                c2((lp - up) * q),
                c2(lt),
                x[5],
                ret,
                r.choice(["broken", "too small", "late"]) if ret else None,
            )
            sub += lt
            tax += round(lt * x[5] / 100)
            un += q
        cp = r.random() < 0.15
        cv = r.choice([500, 1000]) if cp and sub > 1500 else None
        ld = round(sub * c[8] / 100)
        sh = 0 if sub >= 5000 else 599
        cf = pl + timedelta(minutes=r.randint(1, 90))
        pk = cf + timedelta(hours=r.randint(1, 48)) if st in ("delivered", "shipped") else None
        sp = pk + timedelta(hours=r.randint(1, 30)) if pk else None
        de_ = sp + timedelta(hours=r.randint(20, 140)) if st == "delivered" else None
        ca = cf + timedelta(hours=r.randint(1, 40)) if st == "cancelled" else None
        tot = sub - (cv or 0) - ld + sh + tax
        rf = st == "cancelled" or (st == "delivered" and r.random() < 0.06)
        pm = r.choice(["card", "card", "paypal", "invoice"])
        gw = r.random() < 0.1
        add(
            o,
            num,
            c[0],
            utc(pl),
            utc(cf),
            utc(pk),
            utc(sp),
            utc(de_),
            utc(ca),
            st,
            r.choice(["changed mind", "no stock"]) if ca else None,
            n,
            un,
            c2(sub),
            f"{r.choice(['SPRING', 'HELLO'])}{cv // 100}" if cv else None,
            c2(cv),
            c2(ld),
            c2(sh),
            c2(tax),
            c2(tot),
            c2(tot if ca else r.randrange(100, tot)) if rf else None,
            utc((ca or de_) + timedelta(hours=r.randint(1, 90))) if rf else None,
            pm,
            r.choice(["visa", "mc"]) if pm == "card" else None,
            int(gw),
            r.choice(["enjoy", "happy bday", None]) if gw else None,
            c[3],
            f"1Z{r.randrange(10**10):010}" if sp else None,
        )
    return {"customers": cu, "products": pr, "orders": o, "order_items": it}


def courts(r: random.Random) -> dict[str, Columns]:  # it tells a year's story
    """Courts: cases with hearings, decisions, appeals and what was awarded."""
    k = named(
        "case_no court_code court_name division filed_on year type judge_id hearing_count first_hearing "
        "last_hearing decided_on appealed_on appeal_case_no claim_amount awarded costs interest total_awarded "
        "outcome settled_on plaintiff defendant lawyers_p lawyers_d lawyers status closed_on duration_days "
        "joined_to"
    )
    co = {"BX": "Bronx", "KG": "Kings", "QN": "Queens", "RI": "Richmond"}
    nos = []
    for i in range(900):
        c = r.choice(list(co))
        f = day(r, 1400, date(2018, 1, 2))
        no = f"{c}-{f.year}-{r.choice(['CV', 'SC'])}-{i + 1:05}"
        nh = r.randint(0, 6)
        fh = f + timedelta(days=r.randint(14, 120)) if nh else None
        lh = fh if nh == 1 else fh + timedelta(days=r.randint(7, 300)) if nh else None
        u = r.random()
        dec = lh + timedelta(days=r.randint(0, 60)) if nh and u < 0.6 else None
        se = (lh or f) + timedelta(days=r.randint(5, 60)) if not dec and u < 0.8 else None
        cl = r.randrange(1000, 500000, 10)
        win = dec and r.random() < 0.6
        aw = r.randrange(500, cl + 1) if win else None
        cs = r.randrange(100, 9000) if win else None
        it = round(aw * 0.04) if win else None
        ap = dec + timedelta(days=r.randint(3, 30)) if dec and r.random() < 0.15 else None
        lp, ld = r.randint(1, 4), r.randint(0, 4)
        clo = dec or se
        add(
            k,
            no,
            c,
            co[c],
            r.choice(["civil", "small claims"]),
            f,
            f.year,
            no.split("-")[2],
            f"J{r.randint(1, 25):02}",
            nh,
            fh,
            lh,
            dec,
            ap,
            f"APP{i:05}" if ap else None,
            cl,
            aw,
            cs,
            it,
            aw + cs + it if win else None,
            ("plaintiff" if win else "defendant") if dec else None,
            se,
            f"{r.choice(['Ames', 'Boyd', 'Cain'])}",
            f"{r.choice(['Dorn', 'Epps', 'Finn'])} Inc",
            lp,
            ld,
            lp + ld,
            "decided" if dec else "settled" if se else "pending",
            clo,
            (clo - f).days if clo else None,
            r.choice(nos) if len(nos) > 40 and r.random() < 0.06 else None,
        )
        nos.append(no)
    return {"cases": k}


UNSEEN: Mapping[str, Callable[[random.Random], dict[str, Columns]]] = {
    "hotel": hotel,
    "football": football,
    "parts": parts,
    "webshop": webshop,
    "courts": courts,
}
