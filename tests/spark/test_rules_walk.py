"""Rules of each form on their whole way: found, kept current, broken with the row named, counted by SQL, mended."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from helpers.landing import write_configuration, write_delta

from profiling_core.model.change import LifecycleState, Transition
from profiling_core.pipeline import auditing
from profiling_core.pipeline.verify import verify
from profiling_core.pipeline.walk import walk
from profiling_core.pipeline.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("without_suites")]
Row = dict[str, object]
Day = Mapping[str, Sequence[tuple[str, Row]]]


@dataclass(frozen=True)
class Business:
    """Tables by their keys, days of changes to them, one that breaks rules, and one that mends that.

    ``broken``: by rule, its violations, the rows judged, and the values of a column that name the rows to blame.
    ``kept``: rules that hold all the time. ``said``: what a message says. ``repairs``: a cell as it is and should be.
    ``parents``: what names the row of the other table that a row is shown beside.
    """

    keys: Mapping[str, list[str]]
    days: Sequence[Day]
    wrong: Day
    mended: Day
    broken: Mapping[str, tuple[int, int, str, set[str]]]
    kept: set[str] = field(default_factory=set)
    said: str = ""
    repairs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    parents: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def changes(rows: Iterable[Row], operation: str = "insert") -> list[tuple[str, Row]]:
    return [(operation, row) for row in rows]


def invoices() -> Business:
    """Orders of customers: sums, products, a rate, a condition, and a column that the customer has, too."""

    def country(customer: int) -> str:
        return ("DE", "FR", "IT")[random.Random(-customer).randrange(3)]

    def order(number: int, **wrong: object) -> Row:
        rng = random.Random(number)
        quantity, price, customer = rng.randint(1, 9), rng.randint(100, 9_999), rng.randint(1, 40)
        net = quantity * price
        vat, state = round(net * 0.19 + 1e-6), rng.choice(["open", "sent", "cancelled"])
        row: Row = {"id": number, "customer": customer, "country": country(customer), "quantity": quantity}
        row |= {"price": price / 100, "net": net / 100, "vat": vat / 100, "gross": (net + vat) / 100, "state": state}
        return row | {"reason": rng.choice(["late", "broken"]) if state == "cancelled" else None} | wrong

    customers = changes({"id": i, "country": country(i)} for i in range(1, 41))
    days: list[Day] = [{"customers": customers, "orders": changes(map(order, range(300)))}]
    for day in range(2, 5):
        came = changes(order(100 * day + i + 300) for i in range(9))
        days.append({"orders": [*came, ("delete", order(day)), ("update", order(day + 50))]})
    open_, cancelled = (
        next(n for n in range(5_000, 9_000) if order(n)["state"] == state) for state in ("open", "cancelled")
    )
    wrong = [order(open_, gross=1.25, reason="lost"), order(cancelled, reason=None), order(9_000, country="XX")]
    size = 300 + 3 * (9 - 1) + len(wrong) + 5
    return Business(
        {"customers": ["id"], "orders": ["id"]},
        days,
        {"orders": changes([*wrong, *(order(9_001 + i) for i in range(5))])},
        {"orders": changes(map(order, (open_, cancelled, 9_000)), "update")},
        {
            "gross = net + vat": (1, size, "id", {str(open_)}),
            "state = cancelled ⇔ reason is there": (2, size, "id", {str(open_), str(cancelled)}),
            "orders.country = customers.country (by customer)": (1, size, "id", {"9000"}),
        },
        kept={"net = quantity·price", "vat = 0.19·net"},
        repairs={"gross = net + vat": ("1.25", f"{order(open_)['gross']:.2f}")},
        parents={"orders.country = customers.country (by customer)": ("id", str(order(9_000)["customer"]))},
    )


def ledger() -> Business:
    """Entries with codes that are made of other columns, and with either debit or credit."""
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

    def entry(number: int) -> Row:
        rng = random.Random(number)
        year, month, account = rng.randint(2015, 2023), rng.randint(1, 12), rng.randint(1000, 8999)
        given, family = rng.choice(["Ada", "Ben", "Cora", "Dan"]), rng.choice(["Abt", "Baer", "Clos", "Dorn", "Ernst"])
        amount, is_debit = rng.randint(1, 9_999), number % 3
        row: Row = {"voucher": f"{year}/{number:05}", "year": year, "account": account, "class": account // 1000}
        row |= {"given": given, "family": family, "initials": given[0] + family[0], "month": months[month - 1]}
        row |= {"booked_on": f"{year}-{month:02}-{rng.randint(1, 28):02}", "debit": amount if is_debit else None}
        approved = rng.choice(["kt", "mw"]) if amount > 8_000 else None
        return row | {"credit": None if is_debit else amount, "approved_by": approved}

    wrong = entry(500) | {"initials": "zz", "class": 9, "year": 1999, "month": "XXX", "debit": 5, "credit": 5}
    rules = (
        *('year = voucher before "/"', "class = first 1 of account", "initials = first 1 of given + first 1 of family"),
        *("month = short name of the month(booked_on)", "debit is there ⇔ credit is missing"),
    )
    later = [*changes(map(entry, range(400, 440))), *changes(map(entry, range(7)), "delete")]
    return Business(
        {"entries": ["voucher"]},
        [{"entries": changes(map(entry, range(400)))}, {"entries": later}],
        {"entries": changes([entry(501), wrong])},
        {"entries": changes([entry(500)], "update")},
        dict.fromkeys(rules, (1, 400 + 40 - 7 + 2, "voucher", {str(wrong["voucher"])})),
    )


def freight() -> Business:
    """Shipments beside their legs: what children come to."""

    def journey(number: int) -> tuple[Row, list[Row]]:
        rng = random.Random(number)
        booked = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=rng.randrange(300_000))
        at, legs = booked + timedelta(minutes=rng.randint(1, 4_000)), list[Row]()
        name, costs = f"S{number:05}", list[int]()
        for leg in range(1, rng.randint(2, 5)):
            end = at + timedelta(minutes=rng.randint(60, 4_000))
            costs.append(rng.randint(50, 9_000))
            legs.append({"shipment_no": name, "leg_no": leg, "departed_at": at.isoformat()})
            legs[-1] |= {"arrived_at": end.isoformat(), "cost": costs[-1]}
            at = end + timedelta(minutes=rng.randint(10, 900))
        whole: Row = {"shipment_no": name, "booked_at": booked.isoformat(), "departed_at": legs[0]["departed_at"]}
        return whole | {"arrived_at": legs[-1]["arrived_at"], "leg_count": len(legs), "freight": sum(costs)}, legs

    def day(numbers: range) -> Day:
        journeys = [journey(number) for number in numbers]
        shipments, legs = [whole for whole, _ in journeys], [leg for _, legs in journeys for leg in legs]
        return {"shipments": changes(shipments), "legs": changes(legs)}

    right = journey(7)[1][-1]
    return Business(
        {"shipments": ["shipment_no"], "legs": ["shipment_no", "leg_no"]},
        [day(range(250)), day(range(250, 262))],
        {"legs": changes([right | {"cost": int(str(right["cost"])) + 1}], "update")},
        {"legs": changes([right], "update")},
        {"shipments.freight = sum(legs.cost) (by shipment_no)": (1, 262, "shipment_no", {"S00007"})},
        kept={"shipments.leg_count = count(legs) (by shipment_no)", "legs.shipment_no ⊆ shipments.shipment_no"},
    )


def farm() -> Business:
    """Samples of cages: a column that is computed with the parent's."""
    rng = random.Random(5)
    cages: list[Row] = [
        {"cage": f"C{i:03}", "smolts": rng.randrange(60_000, 90_000), "feeder": rng.choice(["old", "new"])}
        for i in range(40)
    ]
    samples = list[Row]()
    for number in range(620):
        cage, dead = rng.choice(cages), rng.randrange(1, 9_000)
        samples.append({"sample_no": f"S{number:05}", "cage": cage["cage"], "dead": dead})
        samples[-1] |= {"alive": int(str(cage["smolts"])) - dead, "weight_g": rng.randrange(80, 3_000)}
    wrong = samples[3] | {"alive": int(str(samples[3]["alive"])) - 10}
    return Business(
        {"cages": ["cage"], "samples": ["sample_no"]},
        [{"cages": changes(cages), "samples": changes(samples[:600])}, {"samples": changes(samples[600:])}],
        {"samples": changes([wrong], "update")},
        {"samples": changes([samples[3]], "update")},
        {"samples.alive = cages.smolts − dead (by cage)": (1, 620, "sample_no", {"S00003"})},
    )


def hotel() -> Business:
    """Stays in twelve rooms, each from where the one before it ended; one begins two days late."""
    rng, ends, stays = random.Random(3), {f"R{room}": date(2024, 1, 1) for room in range(12)}, list[Row]()

    def stay(room: str, gap: int = 0) -> Row:
        begins = ends[room] + timedelta(days=gap)
        ends[room] = begins + timedelta(days=rng.randint(1, 9))
        kind = rng.choice(["single", "double", "suite"])
        stays.append({"stay": len(stays) + 1, "room": room, "begins": begins, "ends": ends[room], "kind": kind})
        return stays[-1]

    days = [{"stays": changes([stay(rng.choice([*ends])) for _ in range(count)])} for count in (160, 20, 20, 20, 20)]
    before = ends["R5"]
    wrong = stay("R5", gap=2)
    return Business(
        {"stays": ["stay"]},
        days,
        {"stays": changes([*(stay(rng.choice([*ends])) for _ in range(20)), wrong])},
        {"stays": [("update", wrong | {"begins": before}), ("delete", stays[0])]},
        {"begins = previous ends (by room, begins)": (1, 249, "room", {"R5"})},
        said=f"begins {wrong['begins']}, and the ends of the row before is {before}",
    )


def land(project: Path, name: str, day: Day) -> None:
    for table, changed in day.items():
        columns = tuple(changed[0][1])
        rows = ((operation, *("" if row[c] is None else row[c] for c in columns)) for operation, row in changed)
        write_delta(project, table, name, ("_op", *columns), *rows)


@pytest.mark.parametrize("of", [invoices, ledger, freight, farm, hotel])
def test_rules_are_found_kept_broken_and_mended(project: Path, of: Callable[[], Business]) -> None:
    business = of()
    source = {"format": "csv", "kind": "changes"}
    tables = {t: {"source": source | {"path": f"landing/{t}"}, "key": key} for t, key in business.keys.items()}
    write_configuration(project, {"dataset": "business", "tables": tables})
    for number, day in enumerate(business.days):
        land(project, f"2024-01-{number + 1:02}", day)
    walk("business")
    assert dict.fromkeys((*business.broken, *business.kept), 0).items() <= violated().items()

    land(project, "2024-01-20", business.wrong)
    walk("business")
    work = Workspace.open("business")
    current = work.catalog.current("business")
    found = work.catalog.changes("business", current.number).changes
    broke = {c.measured.constraint.text: c for c in found if c.transition is Transition.BROKE}
    for text, (violations, population, column, values) in business.broken.items():
        assert (broke[text].measured.violations, broke[text].measured.population) == (violations, population)
        assert {witness.broken_by[column] for witness in broke[text].witnesses} == values
    for text, cells in business.repairs.items():
        (example,) = broke[text].diagnosis.repair.examples
        assert (example.before, example.after) == cells
    for text, (column, value) in business.parents.items():
        assert broke[text].witnesses[0].contradicts[0][column] == value
    assert business.kept.isdisjoint(broke)
    assert business.said in "\n".join(record.message for record in work.catalog.alerts("business", current.number))
    audited = auditing.audit(work).to_json()
    assert audited["agrees"], [recount for recount in audited["recounts"] if not recount["agrees"]]
    counted = {recount["constraint"] for recount in audited["recounts"] if recount["counted"] is not None}
    assert counted >= set(business.broken)

    land(project, "2024-01-21", business.mended)
    walk("business")
    assert dict.fromkeys((*business.broken, *business.kept), 0).items() <= violated().items()
    states = {t.measured.constraint.text: t.state for t in Workspace.open("business").catalog.tracked("business")}
    assert {states[text] for text in business.broken} == {LifecycleState.RECOVERED}
    assert all(finding.equal for finding in verify(Workspace.open("business")))


def violated() -> dict[str, int]:
    """By rule that is followed, its violations."""
    tracked = Workspace.open("business").catalog.tracked("business")
    return {t.measured.constraint.text: t.measured.violations for t in tracked}
