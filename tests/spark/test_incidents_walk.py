"""Incidents of real runs: signed rules are told with the first row, and what changed for good is said to have."""

import csv
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import yaml
from helpers.examples import ALL

from profiling_core.algorithms.batch_anomalies.history import LoadHistory
from profiling_core.model.incident import LASTING, IncidentStatus
from profiling_core.model.version import LOADS
from profiling_core.pipeline import steps
from profiling_core.pipeline.contracts.importing import import_contract
from profiling_core.pipeline.deciding import Verdict, decide
from profiling_core.pipeline.incident_handling import set_status
from profiling_core.pipeline.workspace import Workspace

pytestmark = pytest.mark.spark
NAMES = ("id", "zip", "city", "amount", "state")
SUITE = {
    "name": "shop.orders",
    "expectations": [
        {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "city"}, "severity": "critical"},
        {
            "type": "expect_column_values_to_be_between",
            "kwargs": {"column": "amount", "min_value": 0, "max_value": 100},
            "severity": "critical",
        },
        {"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "state", "value_set": ["open", "paid"]}},
    ],
}
# By rule, what makes a row violate it.
WRONG: dict[str, tuple[str, object]] = {
    "city not null": ("city", None),
    "0 ≤ amount ≤ 100": ("amount", 999),
    "state ∈ {open, paid}": ("state", "lost"),
}
CITIES = ("Bern", "Chur", "Zug", "Genf", "Thun")
Row = dict[str, object]


@dataclass
class Shop:
    """Orders that come day by day, and what was told of them."""

    root: Path
    policy: str = "alert"
    day: int = 0
    last: int = 0
    told: dict[int, list[str]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        table = {"source": {"path": "landing/orders"}, "key": ["id"], "max_predicates": 2, "policy": self.policy}
        path = self.root / "dags" / "datasets" / "shop.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump({"dataset": "shop", "inclusions": "off", "tables": {"orders": table}}))

    @property
    def work(self) -> Workspace:
        return Workspace.open("shop")

    def rows(self, rng: random.Random, count: int = 12) -> list[Row]:
        made: list[Row] = []
        for _ in range(count):
            self.last += 1
            place = rng.randrange(5)
            made.append({"id": self.last, "zip": place, "city": CITIES[place], "amount": rng.randrange(1, 90)})
            made[-1]["state"] = rng.choice(("open", "paid"))
        return made

    def apply(self, rows: list[Row], operation: str = "insert") -> list[str]:
        """Lands a day and applies it; returns which rules were told of."""
        self.land(rows, operation)
        return self.run()

    def land(self, rows: list[Row], operation: str = "insert") -> None:
        """Lands a day."""
        self.day += 1
        path = self.root / "landing" / "orders" / f"day-{self.day:02}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("_op", *NAMES))
            writer.writerows((operation, *(row[name] for name in NAMES)) for row in rows)

    def run(self) -> list[str]:
        """Applies what has landed; returns which rules were told of."""
        plan = steps.plan("shop")
        run = plan["run_id"]
        steps.ingest("shop", run, "orders")
        steps.maintain_table("shop", run, "orders")
        steps.maintain_inclusions("shop", run)
        steps.commit("shop", run)
        self.ended = [one["number"] for one in steps.diff("shop", run)["ended"]]
        return self.heard(self.work.catalog.current("shop").number)

    def heard(self, version: int) -> list[str]:
        """The rules that a version's messages tell as broken, each of a message of its own once."""
        return [
            part["constraint"]
            for record in self.work.catalog.alerts("shop", version)
            if not (body := json.loads(json.dumps(record.body)))["good_news"]
            for part in body["told"]
        ]

    def sign(self) -> None:
        path = self.root / "suite.json"
        path.write_text(json.dumps(SUITE))
        import_contract(self.work, path, "ana", "orders")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Shop]:
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path / "project"))
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)

    def begin(**options: str) -> Shop:
        shutil.rmtree(tmp_path / "project", ignore_errors=True)
        return Shop(tmp_path / "project", **options)

    return begin


@pytest.fixture(scope="module")
def six_days(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Orders after six days of 40 rows; for copies."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("six-days")
        patch.setenv("HOLDFAST_ROOT", str(root))
        patch.delenv("HOLDFAST_HOME", raising=False)
        rng, orders = random.Random(7), Shop(root)
        for _ in range(6):
            orders.apply(orders.rows(rng, 40))
        return orders


@pytest.fixture
def begun(six_days: Shop, shop: Callable[..., Shop], tmp_path: Path) -> Shop:
    """A copy of them, to go on with."""
    shutil.copytree(six_days.root, tmp_path / "project")
    return replace(six_days, root=tmp_path / "project")


def spoilt(rng: random.Random, rows: list[Row], broken: set[str]) -> None:
    """Makes rows of the day violate some rules, one row or several for each, the same ones or others."""
    for text in sorted(broken):
        name, value = WRONG[text]
        for row in rng.sample(rows, rng.randrange(1, 4)):
            row[name] = value


@pytest.mark.parametrize("seed", range(8 if ALL else 2))
def test_signed_rules_are_told_with_the_first_violation(shop, seed):
    """Over random histories: on each day that violates a rule after one that did not, in a message of its own.

    On the third day on end it may be asked whether that has changed for good.
    """
    rng, orders = random.Random(seed), shop()
    begun = orders.rows(rng)
    before = {text for text in WRONG if rng.random() < 0.3}  # what violates a rule before it is signed
    spoilt(rng, begun, before)
    orders.apply(begun)
    orders.sign()
    yesterday: set[str] = set()
    on_end = Counter[str]()
    for day in range(2, 9):
        rows, today = orders.rows(rng), {text for text in WRONG if rng.random() < 0.4}
        spoilt(rng, rows, today)
        told = orders.apply(rows)
        first = today - yesterday | (before if day == 2 else set())
        on_end = Counter({text: on_end[text] + 1 for text in today})
        lasting = {text for text, days in on_end.items() if days == LASTING}
        assert first <= {text for text in told if text in WRONG} <= first | lasting, (seed, day, told)
        followed = {t.measured.constraint.text for t in orders.work.catalog.tracked("shop") if t.state != "retired"}
        assert set(WRONG) <= followed
        yesterday = today | (before if day == 2 else set())


def test_a_pinned_rule_is_told_while_another_incident_of_its_column_is_open(shop):
    rng, orders = random.Random(5), shop()
    for _ in range(3):
        orders.apply(orders.rows(rng))
    decide(orders.work, "{zip} → city", Verdict.PIN, who="ana")
    orders.sign()
    empty, wrong = orders.rows(rng), orders.rows(rng)
    empty[0]["city"] = None
    orders.apply(empty)
    wrong[0]["city"] = None
    wrong[3].update(zip=1, city="Zug")
    assert "{zip} → city" in orders.apply(wrong)
    open_now = [i for i in orders.work.catalog.incidents("shop") if i.status is IncidentStatus.OPEN]
    signed = [[f.headline for f in i.findings] for i in open_now if i.diagnosis.signed]
    assert signed == [
        ["1 of 12 new rows has no city"],
        ["1 of 12 new rows has another city than others with the same zip (zip 1)"],
    ]


def test_the_policy_keeps_out_what_violates_a_signed_rule_from_the_first_delta_on(shop):
    rng, orders = random.Random(6), shop(policy="quarantine")
    begun = orders.rows(rng)
    begun[0]["city"] = None
    orders.apply(begun)
    orders.sign()
    for day in range(2, 4):
        rows = orders.rows(rng)
        rows[1]["city"] = None  # the rule stands violated by a row of the first day
        rows[2]["amount"] = 999
        orders.apply(rows)
        assert orders.work.catalog.current("shop").arrivals["orders"].set_aside == 2, day


def moved(orders: Shop, rng: random.Random) -> list[Row]:
    """A day on which zip 1 is in another city."""
    rows = orders.rows(rng)
    for row in (*(row for row in rows if row["zip"] == 1), rows[-1]):
        row.update(zip=1, city="moved")
    return rows


def test_a_city_that_moved_is_said_to_have_changed_for_good_and_is_right_once_accepted(begun):
    rng, orders = random.Random(7), begun
    told = [orders.apply(moved(orders, rng)) for _ in range(4)]
    assert [len(day) > 0 for day in told] == [True, False, True, False]
    incident = next(i for i in orders.work.catalog.incidents("shop") if i.lasts)
    texts = [record.message for record in orders.work.catalog.alerts("shop", 9)]
    assert any("3 deltas on end" in t and "always with zip 1, city moved: changed for good?" in t for t in texts), texts
    set_status(orders.work, incident.number, IncidentStatus.ACCEPTED, who="ana")
    assert orders.apply(orders.rows(rng)) == []
    assert orders.apply(moved(orders, rng)) == []
    other = orders.rows(rng)
    other[0].update(zip=2, city="lost")
    assert "{zip} → city" in orders.apply(other)


def test_rows_that_still_violate_keep_no_incident_open(begun):
    rng, orders = random.Random(8), begun
    wrong = orders.rows(rng)
    wrong[0].update(zip=1, city="lost")
    assert orders.apply(wrong) == ["{zip} → city"]
    assert orders.apply(orders.rows(rng)) == []
    (incident,) = orders.work.catalog.incidents("shop")
    assert (incident.status, incident.broken) == (IncidentStatus.RECOVERED, incident.constraints)
    assert orders.ended == [incident.number]
    assert orders.apply([wrong[0] | {"city": "Chur"}], "update") == []
    version = orders.work.catalog.current("shop").number
    (mended,) = [record.message for record in orders.work.catalog.alerts("shop", version)]
    assert mended.startswith(
        "shop.orders: ended with day-09. Since day-07, 1 delta showed: 1 of 12 new rows has another"
    )


def test_the_end_that_a_message_tells_is_not_said_again(begun):
    rng, orders = random.Random(8), begun
    wrong = orders.rows(rng)
    wrong[0].update(zip=1, city="lost")
    assert orders.apply(wrong) == ["{zip} → city"]
    assert orders.apply([wrong[0] | {"city": "Chur"}], "update") == []
    (message,) = orders.work.catalog.alerts("shop", orders.work.catalog.current("shop").number)
    assert "ended with day-08" in message.message
    assert orders.ended == []


def test_an_incident_of_one_of_several_deltas_of_a_run_is_since_that_delta(begun):
    rng, orders = random.Random(9), begun
    decide(orders.work, "{zip} → city", Verdict.PIN, who="ana")
    orders.sign()
    for day in range(7, 11):
        rows = orders.rows(rng)
        if day == 8:
            rows[0].update(zip=1, city="Zug")
            rows[1]["amount"] = 999
        orders.land(rows)
    assert {"0 ≤ amount ≤ 100", "{zip} → city"} <= set(orders.run())
    told = [record.message for record in orders.work.catalog.alerts("shop", orders.work.catalog.current("shop").number)]
    assert len(told) > 1
    assert all("since day-08" in text for text in told), told
    assert {(i.opened, i.latest) for i in orders.work.catalog.incidents("shop")} == {("day-08", "day-10")}
    assert orders.apply(orders.rows(rng)) == []
    assert {i.status for i in orders.work.catalog.incidents("shop")} == {IncidentStatus.RECOVERED}


def dear(orders: Shop, rng: random.Random) -> list[Row]:
    return [row | {"amount": int(str(row["amount"])) * 40} for row in orders.rows(rng, 40)]


def loads_of(orders: Shop) -> LoadHistory:
    version = orders.work.catalog.current("shop")
    return LoadHistory.from_json(orders.work.store.read_json(version.files_of(LOADS, "orders")[0]))


def test_an_accepted_load_is_usual_at_once(begun):
    rng, orders = random.Random(10), begun
    for _ in range(6):
        orders.apply(orders.rows(rng, 40))
    orders.apply(dear(orders, rng))
    scale = next(i for i in orders.work.catalog.incidents("shop") if i.diagnosis.kind == "scale")
    set_status(orders.work, scale.number, IncidentStatus.ACCEPTED, who="ana")
    assert orders.apply(dear(orders, rng)) == []
    assert [load.odd for load in loads_of(orders).loads[-2:]] == [True, False]  # the first one while that stands
    assert len(orders.work.catalog.alerts("shop", orders.work.catalog.current("shop").number)) == 0
