"""A shop whose morning is bad: really applied in this process, with something on each of the pages.

Twelve quiet days begin it. On the thirteenth two addresses contradict earlier ones, three times as many orders come,
some of customers that there are not, a parcel's city is another one than its depot's, and a line cannot be read. The
fourteenth day has arrived and is not applied; the fifteenth, which can be landed, is as
bad, but for a parcel that is too heavy in place of the one with a wrong city.
"""

from pathlib import Path

from helpers.landing import write_delta
from profiling_core.pipeline import steps
from profiling_core.state.settings import Settings, using

DATASET = "shop"
BAD = "2024-05-13"
BAD_DAYS = (13, 15)
DATASET_FILE = """\
dataset: shop
description: Customers, their orders, and the parcels that bring them
schedule: "0 0 * * *"
start_date: "2024-05-01"
end_date: "2024-05-31"
retries: 0
tables:
  customers: {{source: {{path: {landing}/customers, kind: append}}, key: [customer], owner: ann}}
  orders: {{source: {{path: {landing}/orders, kind: append}}, key: [order]}}
  parcels:
    source: {{path: {landing}/parcels, kind: append}}
    key: [parcel]
    policy: {policy}
    max_reject_ratio: 0.9
alerts: {{min_held_deltas: 3}}
"""
CITIES = ("Bonn", "Köln", "Ulm", "Mainz", "Kiel")


def make(place: Path) -> Settings:
    """A project under ``place``, with thirteen days of the shop applied and the fourteenth landed."""
    (place / "datasets").mkdir(parents=True)
    settings = Settings(place, place / "home", f"sqlite:///{place}/home/catalog.db", place / "datasets")
    add(settings, place)
    return settings


def add(settings: Settings, place: Path, policy: str = "alert") -> None:
    """Adds the shop to a project, its landing files under ``place``.

    With the ``policy`` quarantine the wrong parcel is set aside, which starts Spark.
    """
    text = DATASET_FILE.format(landing=place / "landing", policy=policy)
    (settings.datasets_dir / f"{DATASET}.yaml").write_text(text, "utf-8")
    for day in range(1, 13):
        land(place, day)
    with using(settings):
        _apply(settings, 1)
        land(place, 13)
        _apply(settings, 2)
    land(place, 14)


def beside(settings: Settings) -> Path:
    """Where the shop of a project is landed that has other datasets, too."""
    return settings.datasets_dir.parent / "shop"


def land(place: Path, day: int) -> None:
    """Writes the files of a day of May."""
    label, bad = f"2024-05-{day:02}", day in BAD_DAYS
    zips = [(day * 7 + i) % len(CITIES) for i in range(12 + day % 3)]
    customers = [[f"c{day:02}{i:02}", f"{10 + zip_}", CITIES[zip_]] for i, zip_ in enumerate(zips)]
    if bad:
        customers += [[f"c{day}90", "10", "Kiel"], [f"c{day}91", "11", "Kiel"]]
    orders = [
        [
            f"{day:02}{i:03}",
            f"c{1 + i % day:02}{i % 12:02}",
            f"{(i * 37 + day) % 90 + 10}.50",
            "" if i % 5 else "fragile",
        ]
        for i in range((30 + day % 4) * (3 if bad else 1))
    ]
    if bad:
        orders += [[f"{day}990", "c9999", "12.50", ""], [f"{day}991", "c9998", "13.50", ""]]
    parcels = [[f"p{day:02}{i:02}", f"D{(i + day) % 5}", CITIES[(i + day) % 5], f"{2 + i % 4}"] for i in range(20)]
    if bad:
        wrong = ["D1", "Trier", "2"] if day == BAD_DAYS[0] else ["D1", "Köln", "99"]
        parcels += [[f"p{day}90", *wrong], [f"p{day}91", "D1", "Köln", "heavy"]]
    write_delta(place, "customers", label, ["customer", "zip", "city"], *customers)
    write_delta(place, "orders", label, ["order", "customer", "amount", "note"], *orders)
    write_delta(place, "parcels", label, ["parcel", "depot", "city", "weight"], *parcels)


def _apply(settings: Settings, version: int) -> None:
    """The steps of a run but for suites and their validation, which load Great Expectations."""
    plan = steps.plan(DATASET)
    run = plan["run_id"]
    for step in (steps.ingest, steps.maintain_table):
        for table in plan["pending"]:
            step(DATASET, run, table)
    for last in (steps.maintain_inclusions, steps.commit, steps.diff, steps.alert):
        last(DATASET, run)
    settings.catalog().mark_published(DATASET, version)
