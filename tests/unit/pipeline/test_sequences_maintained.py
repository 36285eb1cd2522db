"""Orders between the rows of a group, really applied day by day: kept exact, told once they break, never doubled."""

import random
from datetime import date, timedelta

import pytest
from helpers.changing import changed, dataset, land, newest

from profiling_core.model.change import Transition

RULE = "{meter}: day ↑ register ↑"
BACK = 50


def read_out(place, first, days, broken=()):
    """One file with the registers of twelve meters on each of some days; some meters' stand back."""
    lines = ["meter,day,reader,register"]
    for day in range(first, first + days):
        for meter in range(12):
            rng = random.Random(1000 * meter + day)
            register = 100 * meter + 9 * day + rng.randrange(9) - (BACK if meter in broken else 0)
            lines.append(f"M{meter},2024-05-{day:02d},{rng.choice('abc')},{register}")
    land(place, "readings", f"2024-05-{first + days - 1:02d}", lines)


@pytest.mark.parametrize("engine", ["counted", "indexed"])
def test_register_that_falls_breaks_the_order_that_was_followed(tmp_path, engine):
    with dataset(tmp_path, "grid", key="meter day", kind="append", readings={"engine": engine}):
        read_out(tmp_path, 1, 20)
        changed("grid")
        read_out(tmp_path, 21, 1)
        changed("grid")
        read_out(tmp_path, 22, 1, broken=(3, 7))
        changes = newest(changed("grid"))
    (broke,) = (c for c in changes if c.transition is Transition.BROKE and c.before.constraint.text == RULE)
    assert broke.alerts
    # Both fallen registers lie below those of the five or six days before.
    days = [day for day in range(1, 22) for meter in (3, 7) if _register(meter, day) > _register(meter, 22) - BACK]
    assert broke.after.violations == len(days)


def _register(meter, day):
    return 100 * meter + 9 * day + random.Random(1000 * meter + day).randrange(9)


def test_row_that_breaks_a_step_to_the_row_before_it_is_named_by_its_key(tmp_path):
    hired = [date(2020, 1, 1) + timedelta(days=13 * number) for number in range(60)]
    with dataset(tmp_path, "farm", key="emp", kind="snapshot", staff={}):
        for day in ("1", "2"):
            land(tmp_path, "staff", day, ["emp,hired", *(f"E{number:02},{at}" for number, at in enumerate(hired))])
            work = changed("farm")
            hired[7] = date(2035, 1, 1)
        changes = newest(work)
    (broke,) = (c for c in changes if c.transition is Transition.BROKE and "previous hired" in c.before.constraint.text)
    assert [witness.broken_by["emp"] for witness in broke.witnesses] == ["E08", "E07"]
