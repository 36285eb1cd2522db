"""Rules of a help desk and a bookshop: moments within office hours, a matrix of grades, what one kind of goods has."""

import datetime as dt
import random

import pytest
from helpers.found import Columns, listed


def tickets(rng: random.Random, number: int = 1_500) -> Columns:
    """Opened and answered within the hours of one day, resolved some days later; the priority is a matrix's."""
    days = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=rng.randrange(300)) for _ in range(number)]
    opened = [day + dt.timedelta(seconds=rng.randint(8 * 3600, 14 * 3600)) for day in days]
    answered = [moment + dt.timedelta(seconds=rng.randint(60, 9_000)) for moment in opened]
    resolved = [moment + dt.timedelta(seconds=rng.randint(90_000, 900_000)) for moment in answered]
    impact, urgency = (rng.choices([1, 2, 3], [1, 3, 5], k=number) for _ in range(2))
    matrix = {(1, 1): 1, (1, 2): 1, (2, 1): 2, (1, 3): 2, (2, 2): 2, (3, 1): 3, (2, 3): 3, (3, 2): 3, (3, 3): 4}
    return {
        "ticket_no": [f"T{n:05}" for n in range(number)],
        "impact": impact,
        "urgency": urgency,
        "priority": [matrix[pair] for pair in zip(impact, urgency, strict=True)],
        "opened_at": opened,
        "answered_at": answered,
        "resolved_at": resolved,
    }


@pytest.fixture(scope="module")
def of_tickets() -> list[str]:
    return listed(tickets(random.Random(1)))


def test_moments_of_one_day_are_no_date_that_is_computed(of_tickets: list[str]):
    assert {"opened_at ≤ answered_at", "answered_at ≤ resolved_at"} <= {text.replace("<", "≤") for text in of_tickets}


def test_a_matrix_of_two_grades_tells_a_third(of_tickets: list[str]):
    assert {"{impact, urgency} → priority", "{urgency, impact} → priority"} & {*of_tickets}


def lines(rng: random.Random, titles: int) -> Columns:
    """Orders of books. Some books are files: these come once each, and have a last day."""
    format_of = {book: rng.choice(["ebook", "hardcover", "paperback"]) for book in range(titles)}
    price_of = {book: rng.randint(500, 4_000) / 100 for book in range(titles)}
    pairs = sorted({(order, rng.randrange(titles)) for order in range(3_000) for _ in range(2)})
    formats = [format_of[book] for _, book in pairs]
    start = dt.date(2024, 1, 1)
    return {
        "order_id": [order for order, _ in pairs],
        "book_id": [f"B{book:04}" for _, book in pairs],
        "format": formats,
        "copies": [1 if kind == "ebook" else rng.choice([1, 1, 1, 2, 10]) for kind in formats],
        "unit_price": [price_of[book] for _, book in pairs],
        "until": [start + dt.timedelta(days=rng.randrange(300)) if kind == "ebook" else None for kind in formats],
    }


def test_what_holds_for_all_of_very_many_things_of_a_kind_is_a_rule():
    assert "format = ebook ⇒ copies = 1" in listed(lines(random.Random(3), 600))


def test_what_holds_for_few_things_of_a_kind_is_none():
    assert "format = ebook ⇒ copies = 1" not in listed(lines(random.Random(3), 12))
