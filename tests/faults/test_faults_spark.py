"""The whole of a delta under faults, Spark's processes included: applied again, all is as without them."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pytest
from helpers.shop import DAYS
from helpers.webhook import Receiver

from faults.breaking import spread
from faults.figures import SHARE, Figures
from faults.interposer import Fault
from faults.whole import Shop, seen, told

pytestmark = [pytest.mark.faults, pytest.mark.spark]
FAULTS = [fault for fault in Fault if fault is not Fault.COUNT]
SECONDS = 900
DAY = 86_400
WORKERS = "profiling_core.spark.worker_daemon"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, hook: Receiver) -> Iterator[Shop]:
    made = Shop(tmp_path_factory.mktemp("whole"), hook)
    yield made
    made.close()


def is_for_people(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a command ended well, was killed, or said what is wrong."""
    return done.returncode in (0, -signal.SIGKILL) or (
        done.returncode in (1, 2) and "Traceback" not in done.stderr and bool(done.stderr.strip())
    )


def test_faults_spread_over_a_whole_delta_end_as_without_them(shop: Shop, hook: Receiver, figures: Figures) -> None:
    row = ("killed, torn, EIO, ENOSPC once and for good, short writes", "a whole delta with Spark")
    with figures.timed(*row, grows=False) as found:
        undisturbed = shop.project()
        done, points = shop.broken(undisturbed, Fault.COUNT, 0)
        assert done.returncode == 0, done.stderr
        wanted, messages = seen(undisturbed), sorted(told(hook, undisturbed).values())
        assert messages
        found["possible"], until = len(points) * len(FAULTS), time.monotonic() + SECONDS * SHARE
        order = spread(len(points), FAULTS, random.Random(3))
        for at, fault in islice(order, figures.done_before(*row, found["possible"]), None):
            if time.monotonic() > until:
                break
            root = shop.project()
            done, _ = shop.broken(root, fault, at)
            what = f"{fault.name} at point {at} ({points[at - 1].kind})"
            assert is_for_people(done), f"{what}: {done.stderr}"
            shop.serve()
            again = shop.apply(root)
            assert again.returncode == 0, f"{what}: {done.stderr}; again: {again.stderr}"
            assert seen(root) == wanted, what
            assert sorted(told(hook, root).values()) == messages, what
            found["done"] += 1
    assert found["done"] > 0


def killed(shop: Shop, root: Path, choose: Callable[[int], list[int]], after: float, *, local: bool) -> int:
    """Applies, and kills what is chosen after a share of the points that a delta has; returns how many that were."""
    process = shop.start(root, "apply", "shop", local=local)
    shop.page.arm(root / ".holdfast")
    until, met = time.monotonic() + 200, 0
    while process.poll() is None and time.monotonic() < until:
        if shop.page.count >= after and (chosen := choose(process.pid)):
            for pid in chosen:
                os.kill(pid, signal.SIGKILL)
            met = len(chosen)
            break
        time.sleep(0.02)
    said, errors = process.communicate(timeout=400)
    shop.page.disarm()
    assert is_for_people(subprocess.CompletedProcess((), process.returncode, said, errors)), errors
    return met


@pytest.mark.parametrize("named", ["java", WORKERS], ids=["java", "workers"])
@pytest.mark.parametrize("local", [False, True], ids=["server", "local"])
def test_spark_that_is_killed_in_the_middle_loses_nothing(
    shop: Shop, hook: Receiver, figures: Figures, named: str, local: bool
) -> None:
    where = "Spark in the command's own Java" if local else "a Spark Connect server"
    with figures.timed(f"{'the Java process' if named == 'java' else 'Python workers'} killed", where) as found:
        wanted = shop.project(large=named == WORKERS)
        shop.serve()
        assert shop.apply(wanted).returncode == 0
        for after in (1, 12, 30):
            root = shop.project(large=named == WORKERS)
            shop.serve()

            def chosen(pid: int) -> list[int]:
                return [process.pid for process in shop.family(named, pid if local else None)]

            found["done"] += bool(killed(shop, root, chosen, after, local=local))
            found["possible"] += 1
            shop.serve()
            again = shop.apply(root)
            assert again.returncode == 0, again.stderr
            assert seen(root) == seen(wanted)
            assert sorted(told(hook, root).values()) == sorted(told(hook, wanted).values())
        assert found["done"]


def next_day(root: Path) -> None:
    """Another delta lands, which mends nothing."""
    lines = ["_op,order,customer,amount", *(f"insert,p{i:03},c{i % 40:02},{i * 3 % 50}" for i in range(60))]
    (root / "landing" / "orders" / f"{DAYS[2]}.csv").write_text("\n".join([*lines, ""]), "utf-8")


def undisturbed(shop: Shop, hook: Receiver, *, together: bool) -> tuple[float, Any, list[str]]:
    """The seconds that a delta takes, and what both lead to: in one run, or in one each."""
    root, started = shop.project(), time.monotonic()
    if together:
        next_day(root)
    assert shop.apply(root).returncode == 0
    took = time.monotonic() - started
    next_day(root)
    assert shop.apply(root).returncode == 0
    return took, seen(root), sorted(told(hook, root).values())


def test_commands_killed_at_any_moment_are_made_good_by_the_next_delta(
    shop: Shop, hook: Receiver, figures: Figures
) -> None:
    row = ("all processes of a command killed at a random moment, and another delta landed", "a whole delta with Spark")
    shop.serve()
    with figures.timed(*row) as found:
        (took, *one_by_one), (_, *together) = (undisturbed(shop, hook, together=both) for both in (False, True))
        chance, ends = random.Random(time.time_ns()), Counter[str]()
        for _ in range(round(24 * SHARE)):
            root, after = shop.project(), chance.uniform(0, took)
            process = shop.start(root, "apply", "shop")
            time.sleep(after)
            for one in [*psutil.Process(process.pid).children(recursive=True), process]:
                one.kill()
            process.communicate()
            next_day(root)
            again = shop.apply(root)
            what = f"killed after {after:.2f} of {took:.2f} s"
            assert again.returncode == 0, f"{what}: {again.stderr}"
            ended = [seen(root), sorted(told(hook, root).values())]
            assert ended in (one_by_one, together), what
            said, errors = (checking := shop.start(root, "rebuild", "shop", "--verify")).communicate(timeout=400)
            assert checking.returncode == 0, f"{what}: {said}{errors}"
            ends["one by one" if ended == one_by_one else "together"] += 1
        found["possible"] = found["done"] = ends.total()
    assert len(ends) > 1 or ends.total() < 12, ends


def test_a_clock_that_jumps_while_a_delta_is_applied_changes_nothing(
    shop: Shop, hook: Receiver, figures: Figures
) -> None:
    with figures.timed("the clock set by an hour, or 400 days, back or ahead", "a whole delta with Spark") as found:
        chance, wanted, root = random.Random(1), shop.project(), shop.project()
        shop.serve()
        assert shop.apply(wanted).returncode == 0
        process = shop.start(root, "apply", "shop")
        shop.page.arm(root / ".holdfast")
        while process.poll() is None:
            shop.page.set_clock(chance.choice((-400 * DAY, -3600, 0, 3600, 400 * DAY)))
            found["done"] += 1
            time.sleep(chance.uniform(0.1, 0.6))
        shop.page.set_clock(0)
        _, errors = process.communicate()
        shop.page.disarm()
        assert process.returncode == 0, errors
        again = shop.apply(root)
        assert again.returncode == 0, again.stderr
        assert seen(root) == seen(wanted)
        assert sorted(told(hook, root).values()) == sorted(told(hook, wanted).values())
        found["possible"] = found["done"]
