"""Orders that hold by way of others: left out where no row comes close to the bound."""

import numpy as np

from profiling_core.algorithms.rules.detours import detours

DAY = 86_400e6


def test_what_nearly_follows_is_a_detour():
    rng = np.random.default_rng(1)
    born = rng.integers(0, 9_000, 300) * DAY
    hired = born + rng.integers(7_000, 12_000, 300) * DAY
    expires = hired + rng.integers(-40, 900, 300) * DAY
    numbers = {"born": born, "hired": hired, "expires": expires}
    orders = [("born", "hired"), ("born", "expires")]
    assert detours(orders, orders, numbers) == {("born", "expires")}
    assert detours(orders, [("born", "hired")], numbers) == set()


def test_what_follows_or_is_seldom_there_is_none():
    rng = np.random.default_rng(2)
    begun = rng.integers(0, 500, 300) * DAY
    ended = begun + rng.integers(100, 300, 300) * DAY
    told = ended - rng.integers(1, 90, 300) * DAY
    numbers = {"begun": begun, "told": told, "ended": ended}
    chain = [("begun", "told"), ("told", "ended"), ("begun", "ended")]
    assert detours(chain, chain, numbers) == set()
    seldom = np.where(np.arange(300) < 40, told, np.nan)
    assert detours(chain[::2], chain[::2], numbers | {"told": seldom}) == set()


def test_planned_and_actual_times_are_not_crossed():
    rng = np.random.default_rng(3)
    planned = rng.integers(0, 500, 400) * DAY
    length = rng.integers(60, 210, 400) * DAY / 1440
    late = rng.normal(8, 20, 400) * DAY / 1440
    numbers = {"std": planned, "sta": planned + length, "atd": planned + late, "ata": planned + late + length}
    orders = [(a, b) for a in ("std", "atd") for b in ("sta", "ata")]
    assert detours(orders, orders, numbers) == {("std", "ata"), ("atd", "sta")}


def test_what_each_row_says_by_way_of_one_of_two_is_a_detour():
    """Money goes back once an order was called off or delivered, and so after it was confirmed, and placed."""
    rng = np.random.default_rng(4)
    placed = rng.integers(0, 500, 300) * DAY
    confirmed = placed + rng.integers(0, 3, 300) * DAY
    over = confirmed + rng.integers(0, 30, 300) * DAY
    back = over + rng.integers(0, 9, 300) * DAY
    off = np.arange(300) < 100
    numbers = {"placed": placed, "confirmed": confirmed, "back": back}
    numbers |= {"off": np.where(off, over, np.nan), "delivered": np.where(off, np.nan, over)}
    steps = [("placed", "confirmed"), *((a, b) for b in ("off", "delivered") for a in ("placed", "confirmed"))]
    steps += [(a, "back") for a in ("off", "delivered")]
    around = {("confirmed", "back"), ("placed", "back")}
    assert detours([*steps, *around], [], numbers) == around


def test_of_two_that_are_the_same_neither_is_a_detour_by_way_of_the_other():
    rng = np.random.default_rng(5)
    decided = rng.integers(0, 500, 300) * DAY
    appealed = decided + rng.integers(3, 30, 300) * DAY
    numbers = {"decided": decided, "closed": decided, "appealed": appealed}
    orders = [("decided", "appealed"), ("closed", "appealed")]
    assert detours(orders, orders, numbers) == set()
