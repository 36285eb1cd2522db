"""Parts of Airflow that end are told and started again; one that keeps ending is an error, and no wait is for ever."""

import subprocess
import sys
from functools import partial

import psutil
import pytest

from profiling_core.cli.airflow_keeper import RESTARTS, Keeper, last_lines
from profiling_core.cli.airflow_processes import AirflowPart, end
from profiling_core.cli.airflow_progress import WaitEvent, follow
from profiling_core.model.errors import StateError


def start(name: str, program: str) -> AirflowPart:
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    return AirflowPart(name, process.pid, psutil.Process(process.pid).create_time())


SLEEPS = partial(start, "sleeper", "import time; time.sleep(60)")


@pytest.fixture
def kept(tmp_path):
    """A keeper of one sleeping part, what it told, and the parts that it noted."""
    told, noted = [], []
    keeper = Keeper({"sleeper": SLEEPS}, tmp_path, told.append, noted.append)
    keeper.start()
    yield keeper, told, noted
    end(keeper.parts)


def kill(keeper: Keeper) -> None:
    process = keeper.parts[0].process()
    process.kill()
    psutil.wait_procs([process], timeout=10)


def test_a_part_that_ended_is_told_with_its_last_words_and_started_again(kept, tmp_path):
    keeper, told, noted = kept
    keeper.tend()
    assert told == []
    (tmp_path / "sleeper.log").write_text("early\n" * 50 + "StaleDataError: 0 were matched\n", "utf-8")
    kill(keeper)
    keeper.tend()
    assert "StaleDataError: 0 were matched" in told[0]
    assert told[0].count("early") < 20
    assert keeper.parts[0].process() is not None
    assert [len(parts) for parts in noted] == [1, 1]
    assert noted[0][0].pid != noted[1][0].pid


def test_what_an_ended_part_leaves_in_its_session_ends_with_it(tmp_path):
    sleep = "import time; time.sleep(60)"
    program = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {sleep!r}]); {sleep}"
    keeper = Keeper({"parent": partial(start, "parent", program)}, tmp_path, lambda _: None, lambda _: None)
    keeper.start()
    leader = keeper.parts[0].process()
    while not leader.children():
        pass
    (child,) = leader.children()
    kill(keeper)
    keeper.tend()
    psutil.wait_procs([child], timeout=10)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    end(keeper.parts)


def test_a_part_that_keeps_ending_is_given_up_in_words(kept):
    keeper, told, _ = kept
    for _ in range(RESTARTS):
        kill(keeper)
        keeper.tend()
    kill(keeper)
    with pytest.raises(StateError, match=f"sleeper ended {RESTARTS + 1} times"):
        keeper.tend()
    assert len(told) == RESTARTS


def test_a_part_without_a_log_has_no_last_words(tmp_path):
    assert last_lines(tmp_path / "none.log") == "    (nothing)"


class Still:
    """An Airflow in which a run stands still; what is under way is its only task's state."""

    def __init__(self, run: str, task: str) -> None:
        self._run, self._task, self.rests = run, task, 0

    def run(self, _dag, run_id):
        return {"dag_run_id": run_id, "state": self._run, "conf": {}}

    def tasks(self, _dag, _run):
        named = {"task_id": "maintain_table", "map_index": 0, "rendered_map_index": "flights", "try_number": 1}
        return [named | {"state": self._task, "start_date": None, "duration": None}]

    def rest(self, _seconds):
        self.rests += 1


@pytest.mark.parametrize(("run", "task"), [("queued", "none"), ("running", "queued"), ("running", "scheduled")])
def test_a_run_that_stands_still_is_not_waited_for_without_an_end(run, task):
    with pytest.raises(StateError, match="nothing has moved"):
        list(follow(Still(run, task), "dag", ["r"], patience=0.01))


def test_a_task_that_takes_its_time_is_waited_for_with_a_word():
    airflow = Still("running", "running")
    events = follow(airflow, "dag", ["r"], patience=0.0, remind=0.01)
    waits = [event for event, _ in zip(events, range(5), strict=False) if isinstance(event, WaitEvent)]
    assert [wait.under_way for wait in waits] == [("maintain_table flights",)] * 3
